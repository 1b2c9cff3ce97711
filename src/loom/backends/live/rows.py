"""Queries evaluated in Python: filter, replay, order and page over plain rows.

The in-memory backend and the live view answer with these, and the tests hold every SQL
dialect to them.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, TypeVar, assert_never

import attrs

from loom.errors import InvalidRequest
from loom.storage.query import Cursor, Order, Page, Replay, Select
from loom.storage.tables import Table
from loom.storage.where import (
    And,
    Compare,
    Equal,
    HasAll,
    HasAny,
    In,
    IsNull,
    Not,
    Or,
    Prefix,
    Where,
)

__all__ = [
    "Predicate",
    "checked_cursor",
    "cursor_of",
    "full_order",
    "page_of",
    "predicate",
    "replaced",
    "replayed",
]

T = TypeVar("T")
Predicate = Callable[[Any], bool]

#: Fewer rows than this are sorted whole.
_MANY = 256


def predicate(where: Where) -> Predicate:  # noqa: C901, PLR0911 - a flat table
    """The tree as one function of a row: `where.holds`, with the tree walked once."""
    match where:
        case Equal(field, value):
            return _equal(field, value)
        case In(field, values):
            return _in(field, values)
        case Compare(field, order, value):
            return _compare(field, order, value)
        case Prefix(field, text):
            get = attrgetter(field)
            return lambda row: (actual := get(row)) is not None and actual.startswith(text)
        case HasAny(field, members):
            get, some = attrgetter(field), frozenset(members)
            return lambda row: not some.isdisjoint(get(row) or ())
        case HasAll(field, members):
            get, every = attrgetter(field), frozenset(members)
            return lambda row: every.issubset(get(row) or ())
        case IsNull(field):
            get = attrgetter(field)
            return lambda row: get(row) is None
        case And(parts):
            return _all_of([predicate(part) for part in parts])
        case Or(parts):
            return _any_of([predicate(part) for part in parts])
        case Not(part):
            inner = predicate(part)
            return lambda row: not inner(row)
        case _:
            assert_never(where)


def _always(_row: Any) -> bool:
    return True


def _never(_row: Any) -> bool:
    return False


def _equal(field: str, value: object) -> Predicate:
    if value is None:
        return _never
    get = attrgetter(field)
    return lambda row: bool((actual := get(row)) is not None and actual == value)


def _in(field: str, values: tuple[object, ...]) -> Predicate:
    get = attrgetter(field)
    members: Any = values
    try:
        members = frozenset(values)
    except TypeError:
        members = values
    return lambda row: (actual := get(row)) is not None and actual in members


def _compare(field: str, order: str, value: Any) -> Predicate:
    if value is None:
        return _never
    get = attrgetter(field)
    if order == "<":
        return lambda row: bool((actual := get(row)) is not None and actual < value)
    if order == "<=":
        return lambda row: bool((actual := get(row)) is not None and actual <= value)
    if order == ">":
        return lambda row: bool((actual := get(row)) is not None and actual > value)
    return lambda row: bool((actual := get(row)) is not None and actual >= value)


def _all_of(parts: Sequence[Predicate]) -> Predicate:
    if not parts:
        return _always
    if len(parts) == 1:
        return parts[0]

    def every(row: Any) -> bool:
        for part in parts:  # noqa: SIM110 - a generator costs three times as much
            if not part(row):
                return False
        return True

    return every


def _any_of(parts: Sequence[Predicate]) -> Predicate:
    if not parts:
        return _never

    def some(row: Any) -> bool:
        for part in parts:  # noqa: SIM110 - a generator costs three times as much
            if part(row):
                return True
        return False

    return some


def full_order(query: Select[Any]) -> tuple[Order, ...]:
    """The total order of a query: what it asks, version descending, the identity.

    A field named twice counts where it is named first.

    Raises:
        InvalidRequest: a field is none of the table's.
    """
    return _full_order(query.table, query.order)


@lru_cache(maxsize=256)
def _full_order(table: Table[Any], order_wanted: tuple[Order, ...]) -> tuple[Order, ...]:
    wanted = (
        *order_wanted,
        Order("version", descending=True),
        *(Order(name) for name in table.identity),
    )
    orders: dict[str, Order] = {}
    for order in wanted:
        if order.field not in table.fields and order.field not in table.computed:
            msg = f"{table.name} rows have no field {order.field!r} to be ordered by."
            raise InvalidRequest(msg, field=order.field)
        orders.setdefault(order.field, order)
    return tuple(orders.values())


def page_of(rows: Iterable[T], query: Select[T]) -> Page[T]:
    """The query's page of rows that already satisfy its predicate."""
    orders = full_order(query)
    if query.after is not None:
        after = checked_cursor(query.after, orders)
        rows = [row for row in rows if _is_after(row, after, orders)]
    found = _first(list(rows), orders, query.limit)
    if query.limit is None or len(found) <= query.limit:
        return Page(rows=tuple(found))
    kept = tuple(found[: query.limit])
    if not kept:
        return Page(rows=(), next=query.after)
    return Page(rows=kept, next=cursor_of(kept[-1], orders))


def _first(rows: list[T], orders: tuple[Order, ...], limit: int | None) -> list[T]:
    """The rows in order; of more than a page, at least the page and one row."""
    if limit is not None and len(rows) > _MANY and limit < len(rows) // 2:
        rows = _narrowed(rows, orders[0], limit + 1)
    for order in reversed(orders):
        get = attrgetter(order.field)
        rows.sort(key=_none_first(get), reverse=order.descending)
    return rows


def _narrowed(rows: list[T], order: Order, wanted: int) -> list[T]:
    """The rows whose first sort key is among the `wanted` that come first."""
    get = attrgetter(order.field)
    keys: list[Any] = [get(row) for row in rows]
    if None in keys:
        keys = [(False,) if key is None else (True, key) for key in keys]
    choose = heapq.nlargest if order.descending else heapq.nsmallest
    last = choose(wanted, keys)[-1]
    if order.descending:
        return [row for row, own in zip(rows, keys, strict=True) if own >= last]
    return [row for row, own in zip(rows, keys, strict=True) if own <= last]


def cursor_of(row: object, orders: tuple[Order, ...]) -> Cursor:
    """Where the page after this row begins."""
    return tuple(getattr(row, order.field) for order in orders)


def checked_cursor(after: Cursor, orders: tuple[Order, ...]) -> Cursor:
    """The cursor, if it can be one of this order.

    Raises:
        InvalidRequest: it was made for another order.
    """
    if len(after) != len(orders):
        msg = "the cursor belongs to another order; begin again without one."
        raise InvalidRequest(msg, field="cursor")
    return after


def _none_first(get: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def key(row: Any) -> Any:
        value = get(row)
        return (False,) if value is None else (True, value)

    return key


def _is_after(row: Any, after: Cursor, orders: tuple[Order, ...]) -> bool:
    for order, bound in zip(orders, after, strict=True):
        actual: Any = getattr(row, order.field)
        if actual == bound:
            continue
        rises = bound is None or (actual is not None and bool(actual > bound))
        return rises is not order.descending
    return False


def replaced(row: T, values: Mapping[str, object]) -> T:
    """The row with other values in some fields (a scrub's)."""
    whole: Any = row
    made: T = attrs.evolve(whole, **values)
    return made


def replayed(rows: Iterable[T], view: Replay, identity: Callable[[T], object]) -> list[T]:
    """Per identity the version that stood at the view's bounds.

    Args:
        rows: versions in any order.
        view: the bounds.
        identity: what names one thing over all its versions.
    """
    best: dict[object, tuple[tuple[object, ...], T]] = {}
    for row in rows:
        version: int = row.version  # type: ignore[attr-defined]
        if view.known_by is not None and version > view.known_by:
            continue
        rank: tuple[object, ...] = (version,)
        if view.true_at is not None:
            date = getattr(row, "world_date", None)
            if date is not None and date > view.true_at:
                continue
            rank = (date, version) if date is not None else (version,)
        name = identity(row)
        if name not in best or best[name][0] < rank:
            best[name] = (rank, row)
    return [row for _, row in best.values()]
