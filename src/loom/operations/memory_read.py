"""Reading by key and id, listing, counting, history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from typing import ClassVar, Final, Generic, TypeVar

import attrs
from attrs import field, frozen

from loom.engine.env import Context
from loom.engine.read import ScopedReader, reading
from loom.engine.replaying import replayed, row_of_id_then, row_then
from loom.engine.sealing import audit_read
from loom.errors import InvalidRequest
from loom.model.identity import ANY
from loom.model.keys import parse_key
from loom.model.masking import is_secret
from loom.model.memory import MemoryRow
from loom.model.provenance import Role, SourceClass
from loom.model.readable import Readable
from loom.model.status import SERVED_STATUSES, Status
from loom.operations.base import (
    Request,
    Time,
    any_given,
    bounded,
    checked_flag,
    checked_fraction,
    checked_text,
    member_given,
    members_given,
    one_or_more,
    path_given,
    text_given,
    texts_given,
)
from loom.operations.dated import Dated, instant_given
from loom.operations.paging import decode_cursor, encode_cursor
from loom.retrieval.filters import Filters
from loom.retrieval.replayed import AsOf, Basis, Replayed
from loom.retrieval.served import not_past, served_at
from loom.storage.query import Cursor, Order
from loom.storage.where import Equal, Where, all_of

__all__ = [
    "CountMemories",
    "Filtered",
    "GetById",
    "GetMemory",
    "ListMemories",
    "Page",
]

T = TypeVar("T")
_MOST = 1_000
_NEWEST = (Order("version", descending=True),)
#: Members of `Filtered` that narrow nothing by themselves.
_NO_FILTERS = ("role", "folds_tags", "tags_match")


class _Sorting(StrEnum):
    """In which order a list answers."""

    KEY = "key"
    #: By the best date in the world: when it became true, else when it was first written.
    NEWEST = "newest"
    OLDEST = "oldest"


#: What storage is asked for.
_ORDERS: Final[Mapping[_Sorting, tuple[Order, ...]]] = {
    _Sorting.KEY: (Order("memory_key"),),
    _Sorting.NEWEST: (Order("world_date", descending=True),),
    _Sorting.OLDEST: (Order("world_date"), Order("version")),
}
_BY_KEY = (str, int, str)
#: Begins with the order's name, since the cursors of both read alike.
_BY_DATE = (str, datetime, int, str)


@frozen(slots=True, hash=False)
class Page(Readable, Generic[T]):
    """Some of the answer; `cursor` is where the rest begins, None when this is all."""

    items: tuple[T, ...]
    cursor: str | None = None


@frozen(slots=True, hash=False)
class GetMemory(Dated[MemoryRow | None]):
    """The row a key answers with, or None (R-05).

    The caller's own row first, else the newest served row under the key of the caller's
    user, else of nobody's. A duplicate's key answers with its canonical row, and
    `resolved_from` says so. This is the one read that shows a value of high sensitivity,
    and each time leaves an audit entry (R-46).
    """

    name: ClassVar[str] = "memory.get"
    role: ClassVar[Role] = Role.VIEWER

    memory_key: str = field(kw_only=False)
    #: A content hash the caller holds; the answer's `unchanged` says whether it is current.
    if_changed_from: str | None = None

    def run(self, context: Context) -> MemoryRow | None:
        """Read."""
        key = parse_key(self.memory_key)
        known = text_given(self.if_changed_from, name="if_changed_from")
        as_of = self.instant(context)
        if as_of is not None:
            row, secret = row_then(context, key, as_of)
        else:
            row = self._own(context, key) or self._found(context, key)
            secret = row is not None and is_secret(row)
        if row is not None and secret:
            audit_read(context, self.name, row)
        if row is not None:
            context.note_read(self.name, (row,))
        return _compared(row, known)

    def _own(self, context: Context, key: str) -> MemoryRow | None:
        """The common case, without a snapshot: one row is one instant."""
        row = context.env.storage.row(context.identity.address(key))
        if row is None or row.status not in SERVED_STATUSES:
            return None
        # The clock is asked only where it matters.
        if row.expires_at is None and row.valid_to is None:
            return row
        return None if row.is_past(context.now()) else row

    def _found(self, context: Context, key: str) -> MemoryRow | None:
        now = context.now()
        with reading(context, opens=True) as reader:
            own = reader.own(key)
            if own is not None and _stands_aside(own, now):
                answer = _canonical(context, reader, own, key)
                if answer is not None:
                    return answer
            served = all_of(Equal("memory_key", key), served_at(now))
            row = _nearest_owner(context, reader, served)
            if row is not None:
                return row
            duplicates = all_of(
                Equal("memory_key", key), Equal("status", Status.DUPLICATE), not_past(now)
            )
            found = reader.select(duplicates, order=_NEWEST).rows
            # Own user's first; the next one answers where a canonical row has expired.
            others = sorted(found, key=lambda r: r.user_id != context.identity.user_id)
            answers = (_canonical(context, reader, other, key) for other in others)
            return next((answer for answer in answers if answer is not None), None)


def _nearest_owner(
    context: Context, reader: ScopedReader, where: Where
) -> MemoryRow | None:
    """The newest such row of the caller's own user, else of nobody's."""
    own_user = Equal("user_id", context.identity.user_id)
    if context.identity.user_id != ANY:
        rows = reader.select(all_of(where, own_user), order=_NEWEST, limit=1).rows
        if rows:
            return rows[0]
    rows = reader.select(where, order=_NEWEST, limit=1).rows
    return rows[0] if rows else None


def _stands_aside(row: MemoryRow, now: datetime) -> bool:
    """Whether a canonical row answers for it: an expired duplicate has no answer (R-20)."""
    return row.status is Status.DUPLICATE and not row.is_past(now)


def _canonical(
    context: Context, reader: ScopedReader, duplicate: MemoryRow, key: str
) -> MemoryRow | None:
    row = reader.by_id(duplicate.duplicate_of)
    if row is None or not row.is_served(context.now()):
        return None
    return attrs.evolve(row, resolved_from=key)


@frozen(slots=True, hash=False)
class GetById(Dated[MemoryRow | None]):
    """The served row of an id, or None; a row of another user answers as a missing one."""

    name: ClassVar[str] = "memory.get_by_id"
    role: ClassVar[Role] = Role.VIEWER

    memory_id: str = field(kw_only=False)
    if_changed_from: str | None = None

    def run(self, context: Context) -> MemoryRow | None:
        """Read."""
        known = text_given(self.if_changed_from, name="if_changed_from")
        memory_id = checked_text(self.memory_id, name="memory_id")
        as_of = self.instant(context)
        if as_of is not None:
            return _compared(row_of_id_then(context, memory_id, as_of), known)
        with reading(context) as reader:
            row = reader.by_id(memory_id)
            if row is not None and _stands_aside(row, context.now()):
                row = _canonical(context, reader, row, row.memory_key)
        if row is None or not row.is_served(context.now()):
            return None
        context.note_read(self.name, (row,))
        return _compared(row, known)


def _compared(row: MemoryRow | None, known: str | None) -> MemoryRow | None:
    """The row, saying whether its content still has the hash that the caller holds."""
    if row is None or known is None:
        return row
    return attrs.evolve(row, unchanged=row.content_sha256 == known.lower())


@frozen(kw_only=True, slots=True, hash=False)
class Filtered(Request[T]):
    """What a list or a count may be narrowed by; each filter narrows further."""

    role: ClassVar[Role] = Role.VIEWER
    #: Whether tags are compared in any case.
    folds_tags: ClassVar[bool] = True

    #: Keys that are this path or lie below it: it ends at a `/`.
    prefix: str | None = None
    #: Only rows with these tags, in any case: `"all"` of them, or `"any"`.
    tags: Sequence[str] | None = None
    tags_match: str = "all"
    memory_type: str | Sequence[str] | None = None
    #: Statuses instead of the served ones; `"*"` for all.
    status: str | Sequence[str] | None = None
    #: All of these entities, in any spelling of theirs.
    entities: Sequence[str] | None = None
    #: Any of these files, as paths inside a repository.
    files: Sequence[str] | None = None
    pinned: bool | None = None
    #: Rows written by one agent, in one session, in one run: of a run also the duplicates
    #: that were stored for it.
    by_agent: str | None = None
    by_session: str | None = None
    by_run: str | None = None
    source_class: str | Sequence[str] | None = None
    source_resource_id: str | None = None
    #: Rows last written at or after, and before.
    updated_from: Time | None = None
    updated_before: Time | None = None
    confidence_from: float | None = None

    def narrows(self) -> bool:
        """Whether any filter is given that can leave a row out."""
        said = {
            n: getattr(self, n) for n in Filtered.__annotations__ if n not in _NO_FILTERS
        }
        return any((v or v is False) and v != ANY for v in said.values())

    def where_at(self, now: datetime, replay: Replayed | None = None) -> Where:
        """The filters as one predicate, at an instant.

        Raises:
            InvalidRequest: naming the filter that is malformed.
        """
        filters = Filters(
            prefix=path_given(self.prefix, name="prefix"),
            tags=texts_given(self.tags, name="tags"),
            any_tag=any_given(self.tags_match, name="tags_match"),
            memory_types=one_or_more(self.memory_type, name="memory_type"),
            statuses=_statuses(self.status),
            entities=texts_given(self.entities, name="entities"),
            files=texts_given(self.files, name="files"),
            pinned=None
            if self.pinned is None
            else checked_flag(self.pinned, name="pinned"),
            agent=text_given(self.by_agent, name="by_agent"),
            session_id=text_given(self.by_session, name="by_session"),
            run_id=text_given(self.by_run, name="by_run"),
            source_classes=members_given(
                SourceClass, self.source_class, name="source_class"
            ),
            source_resource_id=text_given(
                self.source_resource_id, name="source_resource_id"
            ),
            updated_from=self.updated_from,
            updated_before=self.updated_before,
            confidence_from=None
            if self.confidence_from is None
            else checked_fraction(self.confidence_from, name="confidence_from"),
        )
        return filters.where(now, fold_tags=self.folds_tags, replay=replay)


@frozen(kw_only=True, slots=True, hash=False)
class _Listed(Filtered[T]):
    """Filters over the present, or over another instant: see `Dated`."""

    as_of: Time | None = None
    as_of_basis: str = Basis.VALID_TIME
    as_of_known: Time | None = None

    def instant(self, context: Context) -> AsOf | None:
        """What is asked about; None is the present."""
        return instant_given(context, self.as_of, self.as_of_basis, self.as_of_known)

    @contextmanager
    def selecting(self, context: Context) -> Iterator[tuple[ScopedReader, Where]]:
        """A reader of the versions that are asked about, and the filters over them.

        Raises:
            InvalidRequest: naming the filter that is malformed.
        """
        as_of = self.instant(context)
        with reading(context) as reader:
            if as_of is None:
                yield reader, self.where_at(context.now())
                return
            replay = replayed(reader, as_of)
            yield reader.at(as_of.view), self.where_at(as_of.now, replay)


@frozen(kw_only=True, slots=True, hash=False)
class ListMemories(_Listed[Page[MemoryRow]]):
    """Rows by key or by date, a page at a time.

    Raises:
        InvalidRequest: a filter, the order, the limit or the cursor is malformed.
    """

    name: ClassVar[str] = "memory.list"

    #: `key`; or by the best date in the world (`valid_at`, else the first write), `newest`
    #: or `oldest` first, which replays episodes.
    order: str = "key"
    #: 1 to 1,000.
    limit: int = 100
    #: `cursor` of the page before.
    cursor: str | None = None

    def run(self, context: Context) -> Page[MemoryRow]:
        """List."""
        limit = bounded(self.limit, name="limit", least=1, most=_MOST)
        sorting = member_given(_Sorting, self.order, name="order")
        after = self._after(sorting)
        with self.selecting(context) as (reader, where):
            page = reader.select(where, order=_ORDERS[sorting], after=after, limit=limit)
        named = () if sorting is _Sorting.KEY else (str(sorting),)
        following = None if page.next is None else (*named, *page.next)
        return Page(page.rows, encode_cursor(following))

    def _after(self, sorting: _Sorting) -> Cursor | None:
        if sorting is _Sorting.KEY:
            return decode_cursor(self.cursor, _BY_KEY)
        cursor = decode_cursor(self.cursor, _BY_DATE)
        if cursor is not None and cursor[0] != sorting:
            msg = f"the cursor is not one of a list by {sorting}; start without a cursor."
            raise InvalidRequest(msg, field="cursor")
        return cursor and cursor[1:]


@frozen(kw_only=True, slots=True, hash=False)
class CountMemories(_Listed[int]):
    """How many rows a list with the same filters would answer with."""

    name: ClassVar[str] = "memory.count"

    def run(self, context: Context) -> int:
        """Count."""
        with self.selecting(context) as (reader, where):
            return reader.count(where)


def _statuses(value: str | Sequence[str] | None) -> tuple[Status, ...] | None:
    if value == ANY:
        return tuple(Status)
    return members_given(Status, value, name="status") or None
