"""A row without what it says: how a sensitive one is shown (R-46)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import attrs

from loom.model.json_values import FrozenDict
from loom.model.memory import MemoryRow
from loom.model.sensitivity import HIGH

__all__ = ["UNFOUND", "is_secret", "masked", "shown_hash"]

#: What a secret row says of itself, so that no search finds it.
UNFOUND: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "sensitivity": HIGH,
        "searchable": False,
        "chunks": 0,
        "entities": (),
        "slots": (),
    }
)


def is_secret(row: MemoryRow) -> bool:
    """Whether its value leaves the store by key alone."""
    return row.sensitivity == HIGH


def masked(row: MemoryRow) -> MemoryRow:
    """The row without its value, and without hashes from which a short one can be guessed.

    Free texts of its writer go as well: they are about the value.
    """
    return attrs.evolve(
        row,
        value=None,
        entities=(),
        metadata=FrozenDict(),
        source_trace=FrozenDict(),
        slots=(),
        allowed_with=(),
        event_reason="",
        content_sha256="",
        canonical_sha256="",
        verified_sha256="",
        masked=True,
    )


def shown_hash(row: MemoryRow) -> str:
    """The hash of what a row says, for whoever did not say it; none of a secret."""
    return "" if is_secret(row) else row.content_sha256
