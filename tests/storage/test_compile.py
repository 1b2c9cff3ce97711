"""SQL and Python say the same of every row (design: two-valued predicates)."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom.backends.duckdb.layout import memory_columns, memory_from
from loom.backends.duckdb.migrations import known, migrate
from loom.backends.duckdb.sql import DIALECT
from loom.backends.live.rows import predicate
from loom.errors import InvalidRequest
from loom.model.memory import MemoryRow
from loom.storage.compile import compile_where, split_fixed
from loom.storage.tables import MEMORY
from loom.storage.where import (
    And,
    Compare,
    Equal,
    HasAny,
    In,
    IsNull,
    Not,
    Prefix,
    Where,
    holds,
)
from loom.testing.strategies import memory_rows, wheres


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    made = duckdb.connect()
    migrate(made, known(), path=":memory:")
    yield made
    made.close()


def _in_sql(
    connection: duckdb.DuckDBPyConnection, rows: list[MemoryRow], where: Where
) -> list[bool]:
    connection.execute("DELETE FROM memory_version")
    for at, row in enumerate(rows):
        columns = (at, *memory_columns(row, ())[1:])
        connection.execute(
            f"INSERT INTO memory_version VALUES ({', '.join('?' * 10)})", columns
        )
    sql = compile_where(where, MEMORY, DIALECT)
    found = connection.execute(
        f"SELECT version, {sql.text} FROM memory_version ORDER BY version", sql.values
    ).fetchall()
    assert all(answer is not None for _, answer in found)
    return [answer for _, answer in found]


def _without_versions(where: Where) -> bool:
    return "'version'" not in repr(where)


@settings(max_examples=150, deadline=None)
@given(st.lists(memory_rows(), min_size=1, max_size=3), wheres().filter(_without_versions))
def test_sql_and_python_agree_on_every_row_and_predicate(
    connection: duckdb.DuckDBPyConnection, rows: list[MemoryRow], where: Where
) -> None:
    """The property that lets one predicate tree serve every engine."""
    assert _in_sql(connection, rows, where) == [holds(where, row) for row in rows]


@settings(max_examples=200, deadline=None)
@given(memory_rows(), wheres())
def test_the_walked_predicate_is_the_definition(row: MemoryRow, where: Where) -> None:
    assert predicate(where)(row) == holds(where, row)


@settings(max_examples=100, deadline=None)
@given(memory_rows())
def test_every_field_of_a_memory_survives_its_columns(row: MemoryRow) -> None:
    columns = memory_columns(row, ())
    assert memory_from(columns[:5] + columns[7:8]) == row


@settings(max_examples=100, deadline=None)
@given(memory_rows(), wheres())
def test_the_part_on_unchanging_fields_and_the_rest_are_the_whole(
    row: MemoryRow, where: Where
) -> None:
    early, late = split_fixed(where, MEMORY)
    assert (holds(early, row) and holds(late, row)) == holds(where, row)


def test_values_are_bound_and_never_part_of_the_text() -> None:
    hostile = "x' OR 1=1 --"
    sql = compile_where(
        And(
            (
                Equal("org", hostile),
                In("user_id", (hostile, hostile)),
                Prefix("memory_key", hostile),
                HasAny("tags", (hostile,)),
                Not(Compare("actor", "<", hostile)),
            )
        ),
        MEMORY,
        DIALECT,
    )
    assert hostile not in sql.text
    assert sql.values.count(hostile) == 6


@pytest.mark.parametrize("where", [Equal("nope", 1), IsNull("nope"), Prefix("nope", "")])
def test_an_unknown_field_is_refused(where: Where) -> None:
    with pytest.raises(InvalidRequest):
        compile_where(where, MEMORY, DIALECT)


@pytest.mark.parametrize(
    "where", [Equal("value", "x"), Compare("tags", "<", "x"), Equal("version", "x")]
)
def test_what_has_no_order_or_another_kind_is_refused(where: Where) -> None:
    with pytest.raises(InvalidRequest):
        compile_where(where, MEMORY, DIALECT)
