"""A row without what it says: how a sensitive one is shown (R-46)."""

from __future__ import annotations

import attrs

from loom.model.json_values import FrozenDict
from loom.model.memory import MemoryRow
from loom.model.sensitivity import HIGH

__all__ = ["is_secret", "masked"]


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
