"""The difference between "not said" and "said to be empty".

R-31: in a revision an omitted field keeps its value and an empty one clears it, so no
ordinary value can stand for "omitted".
"""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal, TypeVar

__all__ = ["UNSET", "Unset", "said"]

T = TypeVar("T")


class _Unset(Enum):
    UNSET = "unset"

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False


UNSET: Final = _Unset.UNSET
Unset = Literal[_Unset.UNSET]


def said(value: T | Unset, otherwise: T) -> T:
    """The value where it was given, `otherwise` where it was omitted."""
    return otherwise if value is UNSET else value
