"""How sensitive a memory is (R-46)."""

from __future__ import annotations

from typing import Final

from loom.errors import InvalidRequest

__all__ = ["HIGH", "LEVELS", "LOW", "MEDIUM", "parse_sensitivity"]

#: Read by key alone, and audited; in no search, and masked everywhere else.
HIGH: Final = "high"
MEDIUM: Final = "medium"
#: Somebody looked: nothing to hide. Detection does not replace it.
LOW: Final = "low"
LEVELS: Final = (LOW, MEDIUM, HIGH)


def parse_sensitivity(value: object) -> str:
    """A level a writer states; empty for "as detection finds it".

    Raises:
        InvalidRequest: it is no level.
    """
    if value is None or value == "":
        return ""
    if not isinstance(value, str) or value not in LEVELS:
        msg = f"sensitivity must be {', '.join(LEVELS)}, or None to have it detected."
        raise InvalidRequest(msg, field="sensitivity")
    return value
