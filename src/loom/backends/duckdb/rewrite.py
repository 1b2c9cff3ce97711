"""Redaction and erasure: the only changes to stored bytes (R-21).

DuckDB keeps replaced and deleted text in the file until its blocks are used again, so
after the rows are changed everything is copied to a fresh file, which takes the old one's
place in one step. A process killed at any instant leaves one of the two, whole.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import attrs
import duckdb

from loom.backends.duckdb.layout import (
    AUDIT_FIELDS,
    Columns,
    audit_columns,
    memory_columns,
    small_columns,
    small_from,
    space_of,
    unfolded,
)
from loom.backends.duckdb.migrations import known, migrate
from loom.backends.duckdb.sql import DIALECT
from loom.backends.live.rows import replaced
from loom.errors import StoreUnavailable
from loom.model.audit import AuditRow
from loom.model.memory import MemoryRow
from loom.storage.batch import Scrub, Scrubbed
from loom.storage.compile import compile_where
from loom.storage.tables import AUDIT, MEMORY

__all__ = ["apply_scrubs", "discard_leftovers", "is_rewrite_due", "rewritten"]

_FRESH: Final = ".rewrite"
_TABLES: Final = ("memory_version", "content_entry", "audit_entry", "small_version")
_PHYSICAL: Final = "version, memory_id, org, namespace, memory_key, body, entries, vectors"
_CONTENT: Final = "json_extract_string(body, '$.content_sha256')"


def apply_scrubs(
    connection: duckdb.DuckDBPyConnection, scrubs: Sequence[Scrub]
) -> Scrubbed:
    """Change the rows, all in one transaction."""
    connection.begin()
    try:
        rows = vectors = chunks = 0
        for scrub in scrubs:
            if scrub.table.name == MEMORY.name:
                done = _scrub_memories(connection, scrub)
            elif scrub.table.name == AUDIT.name:
                done = _scrub_audits(connection, scrub)
            else:
                done = _scrub_small(connection, scrub)
            rows, vectors, chunks = rows + done[0], vectors + done[1], chunks + done[2]
        if rows:
            connection.execute("INSERT INTO rewrite_due DEFAULT VALUES")
    except BaseException:
        connection.rollback()
        raise
    connection.commit()
    return Scrubbed(rows=rows, vectors=vectors, chunks=chunks)


def _scrub_memories(
    connection: duckdb.DuckDBPyConnection, scrub: Scrub
) -> tuple[int, int, int]:
    where = compile_where(scrub.where, MEMORY, DIALECT)
    found = connection.execute(
        f"SELECT {_PHYSICAL} FROM memory_version WHERE {where.text}",  # noqa: S608
        where.values,
    ).fetchall()
    if not found:
        return 0, 0, 0
    _doom(connection, [(columns[1], columns[0]) for columns in found])
    lost = set(
        connection.execute(
            f"SELECT DISTINCT memory_id, {_CONTENT} FROM memory_version"  # noqa: S608
            " WHERE (memory_id, version) IN (SELECT * FROM doomed)"
            f" EXCEPT SELECT DISTINCT memory_id, {_CONTENT} FROM memory_version"
            " WHERE (memory_id, version) NOT IN (SELECT * FROM doomed)"
        ).fetchall()
    )
    connection.execute(
        "DELETE FROM memory_version WHERE (memory_id, version) IN (SELECT * FROM doomed)"
    )
    counts = _drop_entries(connection, lost)
    for columns in found:
        added = _rewrite_memory(connection, columns, scrub, lost)
        counts = counts[0] + added[0], counts[1] + added[1]
    return len(found), *counts


def _rewrite_memory(
    connection: duckdb.DuckDBPyConnection,
    columns: Sequence[Any],
    scrub: Scrub,
    lost: set[tuple[str, str]],
) -> tuple[int, int]:
    """Put one row back as it is to be; returns vectors and chunks that are gone."""
    *of_row, packed, vectors = columns
    row, audits = unfolded(of_row)
    content = (row.memory_id, row.content_sha256)
    gone = (0, 0)
    new: MemoryRow | None = None
    if scrub.replace is not None:
        new = replaced(row, scrub.replace)
    if packed is not None and content in lost:
        gone, packed, vectors = _counted(packed), None, None
    elif packed is not None and (new is None or new.content_sha256 != row.content_sha256):
        # Another version says the same and needs the entries.
        beside = (row.version, *content, space_of(packed), packed, vectors)
        _insert(connection, "content_entry", beside)
        packed = vectors = None
    if new is None:
        for audit in audits:
            _insert(connection, "audit_entry", audit_columns(audit))
    else:
        _insert(connection, "memory_version", memory_columns(new, audits, packed, vectors))
    return gone


def _drop_entries(
    connection: duckdb.DuckDBPyConnection, lost: set[tuple[str, str]]
) -> tuple[int, int]:
    vectors = chunks = 0
    for content in lost:
        where = "WHERE memory_id = ? AND content_sha256 = ?"
        for (packed,) in connection.execute(
            f"SELECT entries FROM content_entry {where}",  # noqa: S608 - no value in it
            content,
        ).fetchall():
            one, more = _counted(packed)
            vectors, chunks = vectors + one, chunks + more
        connection.execute(f"DELETE FROM content_entry {where}", content)  # noqa: S608
    return vectors, chunks


def _counted(packed: str) -> tuple[int, int]:
    """How many excerpts and how many chunks a packed column holds."""
    ordinals = [part.partition("\x1f")[0] for part in packed.split("\x1e")[1:]]
    return ordinals.count("-1"), len(ordinals) - ordinals.count("-1")


def _scrub_audits(
    connection: duckdb.DuckDBPyConnection, scrub: Scrub
) -> tuple[int, int, int]:
    where = compile_where(scrub.where, AUDIT, DIALECT)
    found = set(
        connection.execute(
            f"SELECT version, ordinal FROM audit_log WHERE {where.text}",  # noqa: S608
            where.values,
        ).fetchall()
    )
    for version in {version for version, _ in found}:
        _scrub_audits_of(connection, version, found, scrub)
    return len(found), 0, 0


def _scrub_audits_of(
    connection: duckdb.DuckDBPyConnection,
    version: int,
    found: set[tuple[int, int]],
    scrub: Scrub,
) -> None:
    rows = connection.execute(
        f"SELECT {_PHYSICAL} FROM memory_version WHERE version = ?",  # noqa: S608
        [version],
    ).fetchall()
    alone = connection.execute(
        "SELECT "  # noqa: S608 - names of our own fields
        + ", ".join(AUDIT_FIELDS)
        + " FROM audit_log WHERE version = ? AND version IN"
        " (SELECT version FROM audit_entry)",
        [version],
    ).fetchall()
    connection.execute("DELETE FROM memory_version WHERE version = ?", [version])
    connection.execute("DELETE FROM audit_entry WHERE version = ?", [version])
    folded: set[int] = set()
    for *of_row, packed, vectors in rows:
        row, audits = unfolded(of_row)
        folded.update(audit.ordinal for audit in audits)
        kept = _scrubbed_audits(audits, found, scrub)
        _insert(connection, "memory_version", memory_columns(row, kept, packed, vectors))
    names = [field.name for field in attrs.fields(AuditRow)]
    beside = [AuditRow(**dict(zip(names, columns, strict=True))) for columns in alone]
    beside = [audit for audit in beside if audit.ordinal not in folded]
    for audit in _scrubbed_audits(beside, found, scrub):
        _insert(connection, "audit_entry", audit_columns(audit))


def _scrubbed_audits(
    audits: Sequence[AuditRow], found: set[tuple[int, int]], scrub: Scrub
) -> list[AuditRow]:
    kept: list[AuditRow] = []
    for audit in audits:
        if (audit.version, audit.ordinal) not in found:
            kept.append(audit)
        elif scrub.replace is not None:
            kept.append(replaced(audit, scrub.replace))
    return kept


def _scrub_small(
    connection: duckdb.DuckDBPyConnection, scrub: Scrub
) -> tuple[int, int, int]:
    table = scrub.table
    where = compile_where(scrub.where, table, DIALECT)
    found = connection.execute(
        "SELECT version, name, body FROM small_version"  # noqa: S608 - values are bound
        f" WHERE kind = ? AND {where.text}",
        (table.name, *where.values),
    ).fetchall()
    for columns in found:
        connection.execute(
            "DELETE FROM small_version WHERE kind = ? AND name = ? AND version = ?",
            (table.name, columns[1], columns[0]),
        )
        if scrub.replace is not None:
            row = replaced(small_from(table, columns), scrub.replace)
            _insert(connection, "small_version", small_columns(row))
    return len(found), 0, 0


def _doom(connection: duckdb.DuckDBPyConnection, rows: Sequence[Columns]) -> None:
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE doomed (memory_id VARCHAR, version BIGINT)"
    )
    appender = connection.appender("doomed")
    appender.append_rows(rows)
    appender.flush()


def _insert(connection: duckdb.DuckDBPyConnection, table: str, columns: Columns) -> None:
    marks = ", ".join("?" * len(columns))
    connection.execute(f"INSERT INTO {table} VALUES ({marks})", columns)  # noqa: S608


# --- the fresh file ---------------------------------------------------------------------


def is_rewrite_due(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether a process ended between removing text and replacing the file."""
    return bool(connection.execute("SELECT 1 FROM rewrite_due LIMIT 1").fetchall())


def discard_leftovers(path: str) -> None:
    """Remove a copy that was never finished."""
    for leftover in (path + _FRESH, path + _FRESH + ".wal"):
        Path(leftover).unlink(missing_ok=True)


def rewritten(connection: duckdb.DuckDBPyConnection, path: str) -> None:
    """Replace the file by a copy of what its tables hold; closes the connection.

    Raises:
        StoreUnavailable: the log could not be emptied, so the old file was kept.
    """
    fresh = path + _FRESH
    discard_leftovers(path)
    try:
        connection.execute("CHECKPOINT")
        _copy(connection, fresh)
    except BaseException:
        discard_leftovers(path)
        raise
    finally:
        connection.close()
    if os.path.exists(path + ".wal"):  # noqa: PTH110 - beside os.replace
        discard_leftovers(path)
        msg = f"the log of {path} is still in use; nothing was rewritten, try again."
        raise StoreUnavailable(msg, path=path)
    _synced(fresh)
    os.replace(fresh, path)  # noqa: PTH105 - one step, as os names it
    _synced(os.path.dirname(os.path.abspath(path)))  # noqa: PTH100, PTH120


def _copy(connection: duckdb.DuckDBPyConnection, fresh: str) -> None:
    here = connection.execute("SELECT current_database()").fetchall()[0][0]
    quoted = fresh.replace("'", "''")
    connection.execute(f"ATTACH '{quoted}' AS fresh")
    connection.execute("USE fresh")
    migrate(connection, known(), path=fresh)
    source = '"' + here.replace('"', '""') + '"'
    for table in _TABLES:
        connection.execute(
            f"INSERT INTO fresh.{table} SELECT * FROM {source}.{table} ORDER BY version"  # noqa: S608
        )
    connection.execute("CHECKPOINT fresh")
    connection.execute(f"USE {source}")
    connection.execute("DETACH fresh")


def _synced(path: str) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
