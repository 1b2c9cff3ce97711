"""One fact of a store, without opening the store."""

from __future__ import annotations

from loom.backends.duckdb.layout import small_from
from loom.backends.duckdb.opening import opened, translated
from loom.model.facts_of_store import StoreFact
from loom.storage.tables import STORE_FACT

__all__ = ["recorded_fact"]


def recorded_fact(path: str, name: str) -> StoreFact | None:
    """The newest version of a fact that a file records; None if it has none.

    Raises:
        StoreLocked: another process has the file open.
        StoreUnavailable: it is no DuckDB file.
    """
    connection = opened(path, read_only=True)
    try:
        with translated("reading what a store says of itself"):
            tables = connection.execute(
                "SELECT 1 FROM duckdb_tables() WHERE table_name = 'small_version'"
            ).fetchall()
            if not tables:
                return None
            rows = connection.execute(
                "SELECT version, name, body FROM small_version"
                " WHERE kind = ? AND name = ? ORDER BY version DESC LIMIT 1",
                (STORE_FACT.name, name),
            ).fetchall()
    finally:
        connection.close()
    fact: StoreFact | None = small_from(STORE_FACT, rows[0]) if rows else None
    return fact
