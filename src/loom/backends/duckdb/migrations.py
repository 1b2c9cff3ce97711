"""Brings a file to the newest schema, or refuses one from the future."""

from __future__ import annotations

from importlib import resources

import duckdb
from attrs import frozen

from loom.errors import SchemaTooNew

__all__ = ["Migration", "known", "migrate"]


@frozen(slots=True)
class Migration:
    """One numbered step."""

    number: int
    name: str
    sql: str


def known() -> tuple[Migration, ...]:
    """The steps this version of the library knows, in order."""
    folder = resources.files("loom.backends.duckdb.schema")
    found = []
    for item in folder.iterdir():
        number, _, rest = item.name.partition("_")
        if item.name.endswith(".sql"):
            found.append(
                Migration(int(number), rest.removesuffix(".sql"), item.read_text("utf-8"))
            )
    return tuple(sorted(found, key=lambda step: step.number))


def migrate(
    connection: duckdb.DuckDBPyConnection, steps: tuple[Migration, ...], *, path: str
) -> None:
    """Apply what is missing, each step in a transaction of its own, and record it.

    Raises:
        SchemaTooNew: the file has a step that is not among them.
    """
    connection.execute(
        "CREATE TABLE IF NOT EXISTS schema_migration ("
        "number INTEGER PRIMARY KEY, name VARCHAR NOT NULL,"
        " applied_at TIMESTAMP NOT NULL DEFAULT current_timestamp)"
    )
    done = {
        number
        for (number,) in connection.execute(
            "SELECT number FROM schema_migration"
        ).fetchall()
    }
    newest = max((step.number for step in steps), default=0)
    if any(number > newest for number in done):
        msg = (
            f"{path} was written by a newer version of loom (schema {max(done)}, this one "
            f"knows {newest}); upgrade loom to open it. The file was not changed."
        )
        raise SchemaTooNew(msg, path=path, schema=max(done), known=newest)
    for step in steps:
        if step.number not in done:
            _apply(connection, step)


def _apply(connection: duckdb.DuckDBPyConnection, step: Migration) -> None:
    connection.begin()
    try:
        connection.execute(step.sql)
        connection.execute(
            "INSERT INTO schema_migration (number, name) VALUES (?, ?)",
            [step.number, step.name],
        )
    except BaseException:
        connection.rollback()
        raise
    connection.commit()
