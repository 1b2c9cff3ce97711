"""Walking a namespace's memories to see how they are kept, for its audit and validation."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from loom.engine.env import Context
from loom.engine.read import ScopedReader
from loom.engine.reads import FIRST_READ
from loom.engine.soundness import unsound
from loom.model.findings import NamedFinding
from loom.model.memory import MemoryRow
from loom.plans.surveying import key_findings
from loom.retrieval.served import served_at
from loom.storage.query import Cursor, Order, Select
from loom.storage.tables import AUDIT
from loom.storage.where import ALWAYS, Equal, Where, all_of

__all__ = ["audit_findings", "rows_of", "validity_findings"]

_PAGE = 20_000


def rows_of(reader: ScopedReader, where: Where = ALWAYS) -> Iterator[MemoryRow]:
    """The visible rows that satisfy the predicate, by key, all of the reader's instant."""
    after: Cursor | None = None
    while True:
        page = reader.select(where, order=(Order("memory_key"),), after=after, limit=_PAGE)
        yield from page.rows
        after = page.next
        if after is None:
            return


def audit_findings(
    context: Context, reader: ScopedReader, now: datetime, unread_since: datetime
) -> Iterator[tuple[MemoryRow, tuple[NamedFinding, ...]]]:
    """Each served row with what its key, its value and its readers show.

    Args:
        context: the call.
        reader: sees what is to be looked at; secrets stay masked.
        now: the instant that decides what is served.
        unread_since: rows written before it and never read are a finding.
    """
    served = served_at(now)
    keys = {row.memory_key for row in rows_of(reader, served)}
    read = _ever_read(context, reader)
    for row in rows_of(reader, served):
        unread = row.created_at < unread_since and row.memory_id not in read
        yield row, key_findings(row, keys, unread=unread)


def _ever_read(context: Context, reader: ScopedReader) -> set[str]:
    identity = context.identity
    where = all_of(
        Equal("org", identity.org),
        Equal("namespace", identity.namespace),
        Equal("verdict", FIRST_READ),
    )
    marks = reader.reader.select(Select(table=AUDIT, where=where)).rows
    return {mark.memory_id for mark in marks}


def validity_findings(
    reader: ScopedReader,
) -> Iterator[tuple[MemoryRow, tuple[NamedFinding, ...]]]:
    """Each row, whatever its status, with what is wrong with it.

    Args:
        reader: sees secrets too, whose hashes are checked; no value leaves this function.
    """
    for row in rows_of(reader):
        yield row, tuple(unsound(reader, row))
