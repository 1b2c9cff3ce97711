"""Rows that keep the versions they have: copies, restored snapshots."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from loom.backends.live.journal import Journal, Staged
from loom.backends.live.partition import ENDLESS
from loom.backends.live.passages import by_content
from loom.backends.live.view import LiveView
from loom.errors import StorageError
from loom.model.identity import Address
from loom.model.memory import MemoryRow
from loom.storage.batch import Batch
from loom.storage.query import Select, Versions
from loom.storage.tables import Stored, table_of
from loom.storage.where import Equal, all_of

__all__ = ["load_into"]

_AT_ONCE = 256


def load_into(journal: Journal, view: LiveView, batches: Iterable[Batch]) -> int:
    """Append what is new of the batches; returns how many rows that is.

    Raises:
        StorageError: a version of an identity is taken by other content, or an address
            by another memory id.
    """
    count = 0
    names: dict[Address, str] = {}
    taken: dict[tuple[object, ...], Stored] = {}
    group: list[Staged] = []
    for batch in batches:
        rows = tuple(row for row in batch.rows if _is_new(row, journal, view, names, taken))
        contents = by_content(batch.vectors)
        known = journal.entries(list(contents)) if contents else {}
        vectors = tuple(
            entry
            for content, entries in contents.items()
            if content not in known
            for entry in entries
        )
        count += len(rows)
        if rows or vectors:
            version = max((row.version for row in batch.rows), default=journal.last() + 1)
            group.append(Staged(version, attrs.evolve(batch, rows=rows, vectors=vectors)))
        if len(group) >= _AT_ONCE:
            journal.append(group)
            group, taken = [], {}
    if group:
        journal.append(group)
    return count


def _is_new(
    row: Stored,
    journal: Journal,
    view: LiveView,
    names: dict[Address, str],
    taken: dict[tuple[object, ...], Stored],
) -> bool:
    if isinstance(row, MemoryRow):
        view.head(row)
        if names.setdefault(row.address, row.memory_id) != row.memory_id:
            msg = "two memory ids have one address; a store keeps one of them."
            raise StorageError(msg, memory_id=row.memory_id)
    table = table_of(row)
    identity = tuple(getattr(row, name) for name in table.identity)
    there: Any = taken.get((table.name, row.version, *identity))
    if there is None:
        where = all_of(
            Equal("version", row.version),
            *(Equal(n, v) for n, v in zip(table.identity, identity, strict=True)),
        )
        found = journal.select(Select(table=table, where=where, view=Versions()), ENDLESS - 1)
        there = found.rows[0] if found.rows else None
    if there is None:
        taken[(table.name, row.version, *identity)] = row
        return True
    if there != row:
        msg = "a version of this row is there already and says something else."
        raise StorageError(msg, table=table.name, version=row.version)
    return False
