"""DuckDB's dialect and the statements of its journal."""

from __future__ import annotations

from datetime import datetime
from enum import Enum
from typing import Any, Final

from attrs import frozen

from loom.backends.duckdb.layout import AUDIT_FIELDS, CODECS, key_hash
from loom.backends.live.rows import checked_cursor, full_order
from loom.errors import InvalidRequest
from loom.model.times import micros_of
from loom.serde import time_text
from loom.storage.compile import (
    Sql,
    compile_after,
    compile_order,
    compile_where,
    kind_of,
    split_fixed,
)
from loom.storage.query import Replay, Select, Versions
from loom.storage.tables import AUDIT, MEMORY, Kind, Table
from loom.storage.where import And, Equal, In, Where

__all__ = ["DIALECT", "DuckDialect", "count_sql", "outline_sql", "select_sql"]

_COLUMNS: Final = {
    MEMORY.name: "version, memory_id, org, namespace, memory_key, body",
    AUDIT.name: ", ".join(AUDIT_FIELDS),
}
_TYPED: Final = {
    MEMORY.name: {
        **{n: n for n in ("version", "memory_id", "org", "namespace", "memory_key")},
        "world_date": "world_us",
        "tags_folded": "coalesce(CAST(coalesce(json_extract(body, '$.tags_folded'),"
        " json_extract(body, '$.tags')) AS VARCHAR[]), [])",
    },
    AUDIT.name: {name: name for name in AUDIT_FIELDS},
    "pattern": {"version": "version", "pattern_id": "name"},
    "store_fact": {"version": "version", "name": "name"},
    "namespace": {"version": "version"},
    "erasure": {"version": "version", "erasure_id": "name"},
}
#: More keys than this are looked for like any other value.
_FEW_KEYS: Final = 64
_CASTS: Final = {Kind.INTEGER: "BIGINT", Kind.REAL: "DOUBLE", Kind.FLAG: "BOOLEAN"}


class DuckDialect:
    """Fields as columns, or as members of `body` with their defaults filled in."""

    mark = "?"

    def column(self, table: Table[Any], field: str, /) -> str:
        """See `Dialect.column`."""
        kind = kind_of(table, field)
        typed = _TYPED[table.name].get(field)
        if typed is not None:
            return typed
        path = f"'$.{field}'"
        if kind is Kind.TEXTS:
            return f"coalesce(CAST(json_extract(body, {path}) AS VARCHAR[]), [])"
        text = f"json_extract_string(body, {path})"
        if kind in _CASTS:
            text = f"CAST({text} AS {_CASTS[kind]})"
        default = CODECS[table.name].defaults.get(field)
        return text if default is None else f"coalesce({text}, {_literal(default)})"

    def bound(self, table: Table[Any], field: str, value: object, /) -> object:
        """See `Dialect.bound`."""
        if isinstance(value, Enum):
            value = value.value
        if isinstance(value, datetime):
            if field == "world_date":
                return micros_of(value)
            return time_text(value)
        kind = kind_of(table, field)
        wanted: Any = str if kind in (Kind.TEXT, Kind.TIME) else (int, float)
        if not isinstance(value, wanted) or kind is Kind.TIME:
            msg = f"{field} of {table.name} is compared with a value of another kind."
            raise InvalidRequest(msg, field=field)
        return bool(value) if kind is Kind.FLAG else value

    def starts_with(self, column: str, /) -> str:
        """See `Dialect.starts_with`."""
        return f"starts_with({column}, {self.mark})"

    def has(self, column: str, /) -> str:
        """See `Dialect.has`."""
        return f"list_contains({column}, {self.mark})"


DIALECT: Final = DuckDialect()


def _literal(default: object) -> str:
    """A default of our own classes, never a caller's value."""
    if isinstance(default, str):
        return "'" + default.replace("'", "''") + "'"
    return "'{}'" if default == {} else str(default).upper()


@frozen(slots=True)
class _Source:
    """Where rows are read from: what goes before SELECT, and FROM and WHERE."""

    before: Sql
    rows: Sql


def _source(table: Table[Any], where: Where) -> _Source:
    if table.name == AUDIT.name:
        return _Source(Sql(""), Sql("FROM audit_log WHERE TRUE"))
    if table.name != MEMORY.name:
        return _Source(Sql(""), Sql("FROM small_version WHERE kind = ?", (table.name,)))
    keys = _keys(where)
    if keys is None:
        return _Source(Sql(""), Sql("FROM memory_version WHERE TRUE"))
    # On its own a condition on one column of integers is quick; beside others it is not.
    marks = ", ".join("?" * len(keys)) or "NULL"
    before = Sql(
        "WITH named AS MATERIALIZED ("  # noqa: S608 - values are bound
        "SELECT * EXCLUDE (entries, vectors)"
        f" FROM memory_version WHERE key_hash IN ({marks})) ",
        tuple(map(key_hash, keys)),
    )
    return _Source(before, Sql("FROM named WHERE TRUE"))


def _keys(where: Where) -> tuple[str, ...] | None:
    """The few keys that a conjunction asks for; None if it asks for any."""
    for part in where.parts if isinstance(where, And) else (where,):
        if isinstance(part, And):
            found = _keys(part)
            if found is not None:
                return found
        elif isinstance(part, Equal | In) and part.field == "memory_key":
            values = (part.value,) if isinstance(part, Equal) else part.values
            texts = tuple(value for value in values if isinstance(value, str))
            return texts if len(texts) <= _FEW_KEYS else None
    return None


def _identity(table: Table[Any]) -> str:
    return "memory_id" if table.name == MEMORY.name else "name"


def _standing(table: Table[Any], view: Replay, early: Sql, rows: Sql, upto: int) -> Sql:
    """Identity and version of what stood at the view's bounds, for an IN."""
    known = upto if view.known_by is None else min(upto, view.known_by)
    dated = view.true_at is not None and table.name == MEMORY.name
    chosen = "arg_max(version, (world_us, version))" if dated else "max(version)"
    bound = " AND world_us <= ?" if dated else ""
    values: tuple[object, ...] = (*rows.values, known)
    if dated and view.true_at is not None:
        values += (micros_of(view.true_at),)
    identity = _identity(table)
    return Sql(
        f"SELECT {identity}, {chosen} {rows.text} AND version <= ?{bound}"
        f" AND {early.text} GROUP BY {identity}",
        (*values, *early.values),
    )


@frozen(slots=True)
class _Filtered:
    """A query without its columns: what goes before SELECT, and what goes after them."""

    before: str
    after: str
    values: tuple[object, ...]


def _filtered(query: Select[Any], upto: int) -> _Filtered:
    table = query.table
    source = _source(table, query.where)
    rows = source.rows
    if isinstance(query.view, Versions) or table.name == AUDIT.name:
        known = upto
        if isinstance(query.view, Replay) and query.view.known_by is not None:
            known = min(upto, query.view.known_by)
        where = compile_where(query.where, table, DIALECT)
        return _Filtered(
            source.before.text,
            f"{rows.text} AND version <= ? AND {where.text}",
            (*source.before.values, *rows.values, known, *where.values),
        )
    view = query.view if isinstance(query.view, Replay) else Replay()
    fixed, rest = split_fixed(query.where, table)
    early, late = compile_where(fixed, table, DIALECT), compile_where(rest, table, DIALECT)
    standing = _standing(table, view, early, rows, upto)
    return _Filtered(
        source.before.text,
        f"{rows.text} AND {early.text} AND ({_identity(table)}, version) IN"
        f" ({standing.text}) AND {late.text}",
        (
            *source.before.values,
            *rows.values,
            *early.values,
            *standing.values,
            *late.values,
        ),
    )


def select_sql(query: Select[Any], upto: int) -> Sql:
    """The page of a query, and one row more that tells whether there is another."""
    table = query.table
    orders = full_order(query)
    body = _filtered(query, upto)
    text, values = body.after, body.values
    if query.after is not None:
        after = compile_after(checked_cursor(query.after, orders), orders, table, DIALECT)
        text, values = f"{text} AND {after.text}", (*values, *after.values)
    columns = _COLUMNS.get(table.name, "version, name, body")
    order = compile_order(orders, table, DIALECT)
    text = f"{body.before}SELECT {columns} {text} ORDER BY {order}"
    if query.limit is not None:
        text, values = f"{text} LIMIT ?", (*values, query.limit + 1)
    return Sql(text, values)


def count_sql(query: Select[Any], upto: int) -> Sql:
    """How many rows satisfy a query; as `Select` says, without order, cursor, limit."""
    body = _filtered(query, upto)
    return Sql(f"{body.before}SELECT count(*) {body.after}", body.values)


def outline_sql(query: Select[Any], upto: int) -> Sql:
    """Memory id, version, content hash and searchability of a query's rows."""
    body = _filtered(query, upto)
    columns = ", ".join(
        DIALECT.column(MEMORY, name)
        for name in ("memory_id", "version", "content_sha256", "searchable")
    )
    return Sql(f"{body.before}SELECT {columns} {body.after}", body.values)
