"""A file that an earlier version wrote opens, and holds what it held."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import duckdb
import pytest

import loom
from loom.backends.duckdb.migrations import known, migrate
from loom.testing.stores import contents_of

TABLES: Final = ("memory_version", "content_entry", "audit_entry", "small_version")


def _numbers(path: Path) -> list[int]:
    connection = duckdb.connect(str(path), read_only=True)
    try:
        rows = connection.execute("SELECT number FROM schema_migration ORDER BY number")
        return [number for (number,) in rows.fetchall()]
    finally:
        connection.close()


def _copied_at_schema(number: int, path: Path, old: Path) -> None:
    """The store of `path` as a file of the layout that step `number` left."""
    steps = tuple(step for step in known() if step.number <= number)
    connection = duckdb.connect(str(old))
    migrate(connection, steps, path=str(old))
    connection.execute(f"ATTACH '{path}' AS new (READ_ONLY)")
    for table in TABLES:
        names = [
            name
            for (name,) in connection.execute(
                "SELECT column_name FROM duckdb_columns()"
                " WHERE table_name = ? AND database_name = current_database()"
                " ORDER BY column_index",
                [table],
            ).fetchall()
        ]
        columns = ", ".join(names)
        connection.execute(
            f"INSERT INTO {table} SELECT {columns} FROM new.{table} ORDER BY version"
        )
    connection.close()


def _filled(path: Path) -> dict[str, frozenset[str]]:
    with loom.open(str(path)) as store:
        agent = store.agent("bot", org="acme", namespace="eng")
        agent.memory.set("team/owner", "The payments team owns billing.", tags=["a"])
        agent.memory.set("team/owner", "The platform team owns billing.")
        agent.memory.set("team/gone", "Nothing of this stays.")
        agent.memory.delete("team/gone")
        agent.blacklist.add("hunter2", reason="leaked")
        with pytest.raises(loom.errors.Blacklisted):
            agent.memory.set("team/password", "It is hunter2.")
        return contents_of(store)


def test_a_file_of_the_first_schema_is_brought_up_to_date(tmp_path: Path) -> None:
    """Patterns, store facts, memories and audit entries are as they were."""
    path, old = tmp_path / "new.duckdb", tmp_path / "old.duckdb"
    before = _filled(path)
    _copied_at_schema(1, path, old)
    assert _numbers(old) == [1]
    with loom.open(str(old)) as store:
        assert contents_of(store) == before
        agent = store.agent("bot", org="acme", namespace="eng")
        with pytest.raises(loom.errors.Blacklisted):
            agent.memory.set("team/password", "It is hunter2, still.")
    assert _numbers(old) == [step.number for step in known()]


def test_a_file_brought_up_to_date_takes_what_the_first_schema_refused(
    tmp_path: Path,
) -> None:
    """A namespace is registered, and outlives the process."""
    path, old = tmp_path / "new.duckdb", tmp_path / "old.duckdb"
    _filled(path)
    _copied_at_schema(1, path, old)
    with loom.open(str(old)) as store:
        agent = store.agent("bot", org="acme", namespace="eng")
        agent.namespace.register(default_conflict_policy="newest_wins")
    with loom.open(str(old)) as store:
        agent = store.agent("bot", org="acme", namespace="eng")
        assert agent.namespace.get().default_conflict_policy == "newest_wins"


def test_the_first_schema_refused_a_namespace(tmp_path: Path) -> None:
    """What makes the step needed: the check of the first layout cannot grow."""
    connection = duckdb.connect(str(tmp_path / "old.duckdb"))
    migrate(connection, known()[:1], path="old")
    row: list[Any] = [1, "namespace", "acme\x1feng", "{}"]
    insert = "INSERT INTO small_version VALUES (?, ?, ?, ?)"
    with pytest.raises(duckdb.ConstraintException):
        connection.execute(insert, row)
    migrate(connection, known(), path="old")
    connection.execute(insert, row)
    connection.close()


def test_a_step_that_is_interrupted_is_taken_again(tmp_path: Path) -> None:
    """Each is a transaction of its own, so a file is at one step or at the next."""
    connection = duckdb.connect(str(tmp_path / "old.duckdb"))
    migrate(connection, known()[:1], path="old")
    connection.execute("INSERT INTO small_version VALUES (1, 'pattern', 'p', '{}')")
    connection.begin()
    connection.execute(known()[1].sql)
    connection.rollback()
    migrate(connection, known(), path="old")
    rows = connection.execute("SELECT kind, name FROM small_version").fetchall()
    assert rows == [("pattern", "p")]
    connection.close()
