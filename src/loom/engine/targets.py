"""Which row an operation by key or id acts on (R-05)."""

from __future__ import annotations

from datetime import datetime

from loom.engine.env import Context
from loom.errors import NotFound
from loom.model.identity import Identity
from loom.model.memory import MemoryRow
from loom.model.status import LIVE_STATUSES, Status
from loom.retrieval.scope import sees, writable
from loom.retrieval.served import not_past
from loom.storage.contract import Reader
from loom.storage.query import Order, Select
from loom.storage.tables import MEMORY
from loom.storage.where import Equal, In, Where, all_of, holds

__all__ = [
    "Corrected",
    "answering_row",
    "live_row_under",
    "row_of_id",
    "row_still_of",
    "row_to_unlock",
]


class Corrected(Exception):
    """Somebody wrote another value between the look and the lock."""


def answering_row(
    context: Context, reader: Reader, memory_key: str, now: datetime
) -> MemoryRow:
    """As `live_row_under`, where a missing row is an error.

    Raises:
        NotFound: there is none.
    """
    row = live_row_under(context, reader, memory_key, now)
    if row is not None:
        return row
    msg = f"No live row of yours is under '{memory_key}'. Create it with memory.set."
    raise NotFound(msg, memory_key=memory_key)


def live_row_under(
    context: Context, reader: Reader, memory_key: str, now: datetime
) -> MemoryRow | None:
    """The current row that `get` answers for a key, of those the caller may change (R-05).

    The caller's own row first, else the newest served one of the caller's user, else the
    newest duplicate; of a duplicate, the canonical row that answers for it.

    Args:
        context: the call.
        reader: where the rows are read.
        memory_key: the key.
        now: the instant of the change; in a write, its version's.
    """
    identity = context.writer()
    row = reader.row(identity.address(memory_key))
    if row is None or not row.is_current(now):
        rows = _live_under(identity, reader, memory_key, not_past(now))
        served = (row for row in rows if row.status is not Status.DUPLICATE)
        row = next(iter((*served, *rows)), None)
    if row is None or row.status is not Status.DUPLICATE:
        return row
    canonical = reader.row(row.duplicate_of)
    may_change = canonical is not None and holds(writable(identity), canonical)
    if canonical is None or not may_change or not canonical.is_served(now):
        return row
    return canonical


def _live_under(
    identity: Identity, reader: Reader, memory_key: str, *narrowed: Where
) -> tuple[MemoryRow, ...]:
    """The rows of a key in a live status that the identity may change, newest first."""
    where = all_of(
        Equal("memory_key", memory_key),
        writable(identity),
        In("status", tuple(sorted(LIVE_STATUSES))),
        *narrowed,
    )
    order = (Order("version", descending=True),)
    return reader.select(Select(table=MEMORY, where=where, order=order)).rows


def row_to_unlock(
    context: Context, reader: Reader, memory_key: str, now: datetime
) -> MemoryRow:
    """As `answering_row`, if that row is locked; else the newest locked one of the key.

    A lock holds over a row past its end and over one that became a duplicate, and neither
    answers for its key: nobody could free it otherwise.

    Raises:
        NotFound: nothing answers for the key and no row of it is locked.
    """
    row = live_row_under(context, reader, memory_key, now)
    if row is not None and row.is_locked(now):
        return row
    rows = _live_under(context.writer(), reader, memory_key)
    locked = next((row for row in rows if row.is_locked(now)), None)
    return locked or row or answering_row(context, reader, memory_key, now)


def row_still_of(
    context: Context, reader: Reader, now: datetime, *, memory_key: str, read: MemoryRow
) -> MemoryRow:
    """The row that answered for a key when it was read, if its answer is still the same.

    Raises:
        Corrected: it says something else by now.
        NotFound: it is gone.
    """
    row = answering_row(context, reader, memory_key, now)
    if row.content_sha256 != read.content_sha256:
        raise Corrected
    return row


def row_of_id(context: Context, reader: Reader, memory_id: str, now: datetime) -> MemoryRow:
    """The live row of an id that the caller may change.

    Raises:
        NotFound: there is none; rows of others answer as missing ones do.
    """
    identity = context.writer()
    row = reader.row(str(memory_id))
    mine = row is not None and sees(identity, row) and holds(writable(identity), row)
    if row is None or not mine or not row.is_current(now):
        msg = "No live row of yours has that id. Find the current one with memory.get."
        raise NotFound(msg, memory_id=str(memory_id)[:64])
    return row
