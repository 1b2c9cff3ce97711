"""What happened in a namespace, over all its keys."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Literal

from attrs import frozen

from loom.engine.env import Context
from loom.engine.read import ScopedReader, reading
from loom.model.history import Version
from loom.model.memory import MemoryRow
from loom.model.provenance import Role
from loom.model.times import micros_of, parse_instant
from loom.operations.base import Request, Time, bounded
from loom.operations.memory_read import Page
from loom.operations.paging import decode_cursor, encode_cursor
from loom.storage.query import Order, Versions
from loom.storage.where import Compare, In, Where, all_of

__all__ = ["NamespaceTimeline"]

_MOST = 1_000
_NEWEST = (Order("version", descending=True),)
_BY_VERSION = (int, str)


@frozen(kw_only=True, slots=True, hash=False)
class NamespaceTimeline(Request[Page[Version]]):
    """Every change of every memory that the caller sees, newest first, a page at a time.

    Raises:
        InvalidRequest: an instant, the limit or the cursor is malformed.
    """

    name: ClassVar[str] = "namespace.timeline"
    role: ClassVar[Role] = Role.VIEWER

    #: Changes made at or after, and before.
    since: Time | None = None
    until: Time | None = None
    #: 1 to 1,000.
    limit: int = 100
    #: `cursor` of the page before.
    cursor: str | None = None

    def run(self, context: Context) -> Page[Version]:
        """Read."""
        limit = bounded(self.limit, name="limit", least=1, most=_MOST)
        after = decode_cursor(self.cursor, _BY_VERSION)
        where = all_of(
            *_bound(self.since, ">=", name="since"), *_bound(self.until, "<", name="until")
        )
        with reading(context) as reader:
            page = reader.select(
                where, view=Versions(), order=_NEWEST, after=after, limit=limit
            )
            before = _replaced_by(reader, page.rows)
        versions = tuple(
            Version.of(row, before.get((row.memory_id, row.parent))) for row in page.rows
        )
        return Page(versions, encode_cursor(page.next))


def _bound(at: Time | None, order: Literal[">=", "<"], *, name: str) -> Iterable[Where]:
    """Versions on one side of the beginning of a microsecond (R-15)."""
    if at is None:
        return ()
    first = micros_of(parse_instant(at, field=name)) * 1000
    return (Compare("version", order, first),)


def _replaced_by(
    reader: ScopedReader, rows: Iterable[MemoryRow]
) -> dict[tuple[str, int], MemoryRow]:
    """The versions that these replaced, as they may be shown."""
    parents = {(row.memory_id, row.parent) for row in rows if row.parent}
    if not parents:
        return {}
    where = all_of(
        In("version", tuple({version for _, version in parents})),
        In("memory_id", tuple({memory_id for memory_id, _ in parents})),
    )
    found = reader.select(where, view=Versions()).rows
    return {(row.memory_id, row.version): row for row in found}
