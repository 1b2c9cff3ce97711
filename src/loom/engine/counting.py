"""Counting rows of a whole store, for its administrator."""

from __future__ import annotations

from loom.model.status import Status
from loom.storage.contract import Storage
from loom.storage.query import Select, Versions
from loom.storage.tables import MEMORY
from loom.storage.where import Equal

__all__ = ["count_memories"]


def count_memories(storage: Storage) -> tuple[dict[str, int], int]:
    """Memories by status, without statuses that have none, and versions; of one instant."""
    with storage.snapshot() as reader:
        counts = {
            status.value: reader.count(Select(table=MEMORY, where=Equal("status", status)))
            for status in Status
        }
        versions = reader.count(Select(table=MEMORY, view=Versions()))
    return {status: n for status, n in counts.items() if n}, versions
