"""Predicates and queries as SQL: pure, and the same on every engine.

A dialect says what a field is called and how a value is bound; nothing else differs.
Values are always bound, never written into the text. The logic has two values, as in
`where.holds`: a leaf is never NULL, because each is wrapped in `coalesce(..., false)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol, assert_never

from attrs import frozen

from loom.errors import InvalidRequest
from loom.storage.query import Cursor, Order
from loom.storage.tables import Kind, Table
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
    "Dialect",
    "Sql",
    "compile_after",
    "compile_order",
    "compile_where",
    "kind_of",
    "split_fixed",
]

#: Fields that never change over the versions of one row: a predicate on them may be
#: applied before the version that stands is chosen.
_FIXED: Final = {
    "memory": frozenset(
        (
            "memory_id",
            "org",
            "namespace",
            "agent",
            "user_id",
            "session_id",
            "memory_key",
        )
    ),
    "pattern": frozenset(("pattern_id",)),
    "store_fact": frozenset(("name",)),
    "namespace": frozenset(("org", "namespace")),
    "erasure": frozenset(("erasure_id", "org")),
}


@frozen(slots=True)
class Sql:
    """A piece of SQL and the values bound in it, in order."""

    text: str
    values: tuple[object, ...] = ()


class Dialect(Protocol):
    """What one engine's SQL looks like."""

    #: Stands for a bound value, such as `?` or `%s`.
    mark: str

    def column(self, table: Table[Any], field: str, /) -> str:
        """The expression that gives a field, NULL where it has no value."""
        ...

    def bound(self, table: Table[Any], field: str, value: object, /) -> object:
        """The value in the form in which `column` can be compared with it."""
        ...

    def starts_with(self, column: str, /) -> str:
        """Whether the text column begins with a bound text; no wildcards."""
        ...

    def has(self, column: str, /) -> str:
        """Whether the list column has a bound text among its members."""
        ...


def kind_of(table: Table[Any], field: str) -> Kind:
    """What a stored or computed field holds.

    Raises:
        InvalidRequest: the table has no such field.
    """
    kind = table.fields.get(field) or table.computed.get(field)
    if kind is None:
        msg = f"{table.name} rows have no field {field!r}."
        raise InvalidRequest(msg, field=field)
    return kind


def compile_where(  # noqa: C901, PLR0911 - a flat table
    where: Where, table: Table[Any], dialect: Dialect
) -> Sql:
    """The predicate as a boolean expression that is never NULL.

    Raises:
        InvalidRequest: it names a field that the table does not have, or compares a JSON
            value, which has no order and no equality in SQL.
    """
    match where:
        case And(parts):
            return _joined(parts, "AND", "TRUE", table, dialect)
        case Or(parts):
            return _joined(parts, "OR", "FALSE", table, dialect)
        case Not(part):
            inner = compile_where(part, table, dialect)
            return Sql(f"NOT ({inner.text})", inner.values)
        case IsNull(field):
            kind_of(table, field)
            return Sql(f"({dialect.column(table, field)} IS NULL)")
        case Equal(field, value):
            return _members(field, (value,), table, dialect)
        case In(field, values):
            return _members(field, values, table, dialect)
        case Compare(field, order, value):
            if value is None:
                return Sql("FALSE")
            column = _comparable(table, field, dialect)
            return _leaf(
                f"{column} {order} {dialect.mark}", dialect.bound(table, field, value)
            )
        case Prefix(field, text):
            column = _comparable(table, field, dialect)
            return _leaf(dialect.starts_with(column), text)
        case HasAny(field, values):
            return _has(field, values, "OR", "FALSE", table, dialect)
        case HasAll(field, values):
            return _has(field, values, "AND", "TRUE", table, dialect)
        case _:
            assert_never(where)


def compile_order(orders: Sequence[Order], table: Table[Any], dialect: Dialect) -> str:
    """The ORDER BY list: None before every value, and after them when descending."""
    return ", ".join(
        f"{dialect.column(table, order.field)} "
        + ("DESC NULLS LAST" if order.descending else "ASC NULLS FIRST")
        for order in orders
    )


def compile_after(
    after: Cursor, orders: Sequence[Order], table: Table[Any], dialect: Dialect
) -> Sql:
    """Whether a row comes after the cursor in this order."""
    choices: list[str] = []
    values: list[object] = []
    same: list[str] = []
    same_values: list[object] = []
    for order, bound in zip(orders, after, strict=True):
        column = dialect.column(table, order.field)
        value = None if bound is None else dialect.bound(table, order.field, bound)
        beyond = _beyond(column, order.descending, value is None, dialect.mark)
        if beyond:
            choices.append(" AND ".join((*same, beyond)))
            values.extend(same_values)
            values.extend(() if value is None else (value,))
        same.append(
            f"{column} IS NULL"
            if value is None
            else f"coalesce({column} = {dialect.mark}, FALSE)"
        )
        same_values.extend(() if value is None else (value,))
    if not choices:
        return Sql("FALSE")
    return Sql("(" + " OR ".join(f"({c})" for c in choices) + ")", tuple(values))


def split_fixed(where: Where, table: Table[Any]) -> tuple[Where, Where]:
    """The predicate in two, both of which must hold.

    Returns:
        What speaks of unchanging fields alone, and the rest.
    """
    fixed = _FIXED.get(table.name, frozenset())
    parts = where.parts if isinstance(where, And) else (where,)
    early = tuple(part for part in parts if _fields(part) <= fixed)
    late = tuple(part for part in parts if not _fields(part) <= fixed)
    return And(early), And(late)


def _fields(where: Where) -> frozenset[str]:
    match where:
        case And(parts) | Or(parts):
            return frozenset().union(*(_fields(part) for part in parts))
        case Not(part):
            return _fields(part)
        case _:
            return frozenset((where.field,))


def _joined(
    parts: tuple[Where, ...], word: str, empty: str, table: Table[Any], dialect: Dialect
) -> Sql:
    if not parts:
        return Sql(empty)
    compiled = [compile_where(part, table, dialect) for part in parts]
    text = f" {word} ".join(piece.text for piece in compiled)
    return Sql(f"({text})", tuple(v for piece in compiled for v in piece.values))


def _members(
    field: str, values: tuple[object, ...], table: Table[Any], dialect: Dialect
) -> Sql:
    column = _comparable(table, field, dialect)
    bound = tuple(
        dialect.bound(table, field, value) for value in values if value is not None
    )
    if not bound:
        return Sql("FALSE")
    if len(bound) == 1:
        return _leaf(f"{column} = {dialect.mark}", *bound)
    marks = ", ".join([dialect.mark] * len(bound))
    return _leaf(f"{column} IN ({marks})", *bound)


def _has(
    field: str,
    values: tuple[str, ...],
    word: str,
    empty: str,
    table: Table[Any],
    dialect: Dialect,
) -> Sql:
    if kind_of(table, field) is not Kind.TEXTS:
        msg = f"{field} of {table.name} is no list."
        raise InvalidRequest(msg, field=field)
    if not values:
        return Sql(empty)
    leaf = f"coalesce({dialect.has(dialect.column(table, field))}, FALSE)"
    return Sql("(" + f" {word} ".join([leaf] * len(values)) + ")", tuple(values))


def _leaf(text: str, *values: object) -> Sql:
    return Sql(f"coalesce({text}, FALSE)", values)


def _comparable(table: Table[Any], field: str, dialect: Dialect) -> str:
    if kind_of(table, field) in (Kind.JSON, Kind.RULES, Kind.TEXTS):
        msg = f"{field} of {table.name} can be tested for its members or for NULL only."
        raise InvalidRequest(msg, field=field)
    return dialect.column(table, field)


def _beyond(column: str, descending: bool, null: bool, mark: str) -> str:  # noqa: FBT001
    if descending:
        return "" if null else f"({column} < {mark} OR {column} IS NULL)"
    return f"{column} IS NOT NULL" if null else f"{column} > {mark}"
