"""Rows that keep the versions they have: copies, restored snapshots."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final, TypeAlias

from loom.backends.live.journal import Journal, Staged
from loom.backends.live.partition import ENDLESS
from loom.backends.live.passages import by_content
from loom.backends.live.view import LiveView
from loom.errors import StorageError
from loom.model.identity import Address
from loom.model.memory import MemoryRow
from loom.storage.batch import Batch
from loom.storage.query import Select, Versions
from loom.storage.tables import TABLES, Stored, name_of, table_of
from loom.storage.where import In

__all__ = ["load_into"]

#: Batches in one transaction.
_AT_ONCE: Final = 256

Name: TypeAlias = tuple[object, ...]


def load_into(journal: Journal, view: LiveView, batches: Iterable[Batch]) -> int:
    """Append what is new of the batches; returns how many rows that is.

    Raises:
        StorageError: a version of an identity is taken by other content, or an address
            by another memory id. The transactions before it stay.
    """
    count = 0
    names: dict[Address, str] = {}
    rest = iter(batches)
    while chunk := list(islice(rest, _AT_ONCE)):
        group: list[Staged] = []
        there = _there(journal, chunk)
        known = journal.entries([c for b in chunk for c in by_content(b.vectors)])
        for batch in chunk:
            rows = tuple(row for row in batch.rows if _is_new(row, view, names, there))
            entries = tuple(
                entry
                for content, mine in by_content(batch.vectors).items()
                if content not in known
                for entry in mine
            )
            count += len(rows)
            if rows or entries:
                version = max((row.version for row in batch.rows), default=1)
                group.append(Staged(version, Batch(rows=rows, vectors=entries)))
        if group:
            journal.append(group)
    return count


def _there(journal: Journal, chunk: Sequence[Batch]) -> dict[Name, Stored]:
    """The stored rows of the versions that the batches bring."""
    found: dict[Name, Stored] = {}
    for table in TABLES:
        versions = {r.version for b in chunk for r in b.rows if table_of(r) is table}
        if not versions:
            continue
        where = In("version", tuple(versions))
        query: Select[Any] = Select(table=table, where=where, view=Versions())
        for row in journal.select(query, ENDLESS - 1).rows:
            found[_name(row)] = row
    return found


def _name(row: Stored) -> Name:
    return (table_of(row).name, row.version, *name_of(row))


def _is_new(
    row: Stored, view: LiveView, names: dict[Address, str], there: dict[Name, Stored]
) -> bool:
    if isinstance(row, MemoryRow):
        view.head(row)
        if names.setdefault(row.address, row.memory_id) != row.memory_id:
            msg = "two memory ids have one address; a store keeps one of them."
            raise StorageError(msg, memory_id=row.memory_id)
    found = there.get(_name(row))
    if found is None:
        there[_name(row)] = row
        return True
    if found != row:
        msg = "a version of this row is there already and says something else."
        raise StorageError(msg, table=table_of(row).name, version=row.version)
    return False
