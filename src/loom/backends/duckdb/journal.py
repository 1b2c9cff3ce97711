"""The durable truth: append-only version rows in a DuckDB file."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final, TypeVar

import attrs
import duckdb

from loom.backends.duckdb.layout import (
    Columns,
    Physical,
    audit_from,
    memory_from,
    passages_from,
    physical,
    small_from,
    space_of,
)
from loom.backends.duckdb.migrations import known, migrate
from loom.backends.duckdb.opening import opened, translated
from loom.backends.duckdb.rewrite import (
    apply_scrubs,
    discard_leftovers,
    is_rewrite_due,
    rewritten,
)
from loom.backends.duckdb.sql import count_sql, outline_sql, select_sql
from loom.backends.live.journal import Head, Outline, Staged
from loom.backends.live.passages import Content, Passage
from loom.backends.live.rows import cursor_of, full_order
from loom.errors import StoreUnavailable
from loom.model.identity import ScopeKey
from loom.model.memory import MemoryRow
from loom.storage.batch import Scrub, Scrubbed
from loom.storage.query import Page, Select, Versions
from loom.storage.tables import AUDIT, MEMORY, SMALL, Table
from loom.storage.where import In, all_of

__all__ = ["DuckJournal"]

T = TypeVar("T")

_WIDTHS: Final = {
    "memory_version": 10,
    "content_entry": 6,
    "audit_entry": 2,
    "small_version": 4,
}
_HEADS: Final = """
SELECT version, memory_id, org, namespace, memory_key, body, entries, vectors
FROM memory_version
WHERE (memory_id, version) IN (
    SELECT memory_id, max(version) FROM memory_version GROUP BY memory_id
)
"""
_SMALL_HEADS: Final = """
SELECT version, name, body FROM small_version
WHERE kind = ? AND (name, version) IN (
    SELECT name, max(version) FROM small_version WHERE kind = ? GROUP BY name
)
"""
_ENTRIES: Final = """
SELECT version, memory_id, json_extract_string(body, '$.content_sha256') AS content_sha256,
       entries, vectors
FROM memory_version WHERE entries IS NOT NULL AND {inline}
UNION ALL
SELECT version, memory_id, content_sha256, entries, vectors
FROM content_entry WHERE {beside}
ORDER BY version
"""
_HOLDS: Final = " UNION ALL ".join(
    f"SELECT 1 FROM {table} WHERE version = ?"  # noqa: S608 - names of our own tables
    for table in _WIDTHS
)
_LAST: Final = (
    "SELECT max(version) FROM ("  # noqa: S608 - names of our own tables
    + " UNION ALL ".join(
        f"SELECT max(version) AS version FROM {table}"  # noqa: S608 - as above
        for table in _WIDTHS
    )
    + ")"
)
_SMALL_CACHE: Final = "32MB"
#: How many rows are fetched, and how many contents asked for, at a time.
_AT_ONCE: Final = 1024


class DuckJournal:
    """A DuckDB file as a `Journal`.

    One connection writes, and only whoever holds the storage's commit lock uses it; each
    read takes a cursor of its own (rule 20).

    Args:
        path: the file; it is created if there is none.
        space: name of the store's embedder.
    """

    def __init__(self, path: str, *, space: str) -> None:
        self.path = path
        self._space = space
        self._gate = threading.Condition()
        self._reading = 0
        #: How many wait for the readers to be gone.
        self._waited = 0
        self._shut = False
        discard_leftovers(path)
        self._open()

    def _open(self) -> None:
        connection = opened(self.path)
        try:
            with translated("bringing the schema up to date"):
                migrate(connection, known(), path=self.path)
                if is_rewrite_due(connection):
                    rewritten(connection, self.path)
                    connection = opened(self.path)
                # Inserts have nothing to optimise, and each would pay for trying.
                connection.execute("PRAGMA disable_optimizer")
            self._connection = connection
            # Parsed once; and SELECT is bound in less time than VALUES.
            self._inserts = {
                name: connection.extract_statements(
                    f"INSERT INTO {name} SELECT {', '.join('?' * width)}"
                )[0]
                for name, width in _WIDTHS.items()
            }
            self._appenders: dict[str, Any] = {}
        except BaseException:
            connection.close()
            raise

    # --- writing -------------------------------------------------------------------

    def append(self, group: Sequence[Staged], /) -> None:
        """See `Journal.append`."""
        rows = physical(group, space=self._space)
        tables = [name for name in _WIDTHS if getattr(rows, name)]
        with translated("committing a write"):
            if len(tables) == 1:
                self._insert(tables[0], getattr(rows, tables[0]))
            elif tables:
                self._insert_all(tables, rows)

    def _insert_all(self, tables: Sequence[str], rows: Physical) -> None:
        self._connection.begin()
        try:
            for name in tables:
                self._insert(name, getattr(rows, name))
        except BaseException:
            self._connection.rollback()
            raise
        self._connection.commit()

    def _insert(self, table: str, rows: Sequence[Columns]) -> None:
        """One statement, so that it is one transaction where none is open."""
        if len(rows) == 1:
            self._connection.execute(self._inserts[table], rows[0])
            return
        appender = self._appenders.get(table)
        if appender is None:
            appender = self._appenders[table] = self._connection.appender(table)
        try:
            appender.append_rows(rows)
            appender.flush()
        except BaseException:
            appender.clear()
            raise

    def holds(self, version: int, /) -> bool:
        """See `Journal.holds`."""
        return bool(self._rows(_HOLDS, [version] * len(_WIDTHS)))

    def scrub(self, scrubs: Sequence[Scrub], /, *, rewrite: bool = True) -> Scrubbed:
        """See `Journal.scrub`: the rows are changed, then the file is written anew."""
        with self._alone():
            with translated("removing stored text"):
                done = apply_scrubs(self._connection, scrubs)
                due = is_rewrite_due(self._connection)
                if not due or not rewrite:
                    return attrs.evolve(done, pending=due)
            try:
                self._appenders = {}
                rewritten(self._connection, self.path)
            finally:
                self._open()
        return done

    def close(self) -> None:
        """See `Journal.close`."""
        with self._alone():
            self._shut = True
            self._appenders = {}
            self._connection.close()

    # --- reading -------------------------------------------------------------------

    def last(self) -> int:
        """See `Journal.last`."""
        return self._rows(_LAST, ())[0][0] or 0

    def heads(self) -> Iterator[Head]:
        """See `Journal.heads`."""
        for table in SMALL:
            for columns in self._rows(_SMALL_HEADS, (table.name, table.name)):
                yield Head(small_from(table, columns))
        beside = self._beside()
        bare: list[Any] = []
        with self._cursor() as cursor:
            cursor.execute(_HEADS)
            while block := cursor.fetchmany(_AT_ONCE):
                for *columns, packed, vectors in block:
                    row = memory_from(columns)
                    content = (row.memory_id, row.content_sha256)
                    if not row.searchable:
                        yield Head(row)
                    elif (
                        packed is None
                        or content in beside
                        or space_of(packed) != self._space
                    ):
                        bare.append(row)
                    else:
                        yield Head(row, passages_from(packed, vectors, space=self._space))
        for start in range(0, len(bare), _AT_ONCE):
            part = bare[start : start + _AT_ONCE]
            found = self.entries([(row.memory_id, row.content_sha256) for row in part])
            for row in part:
                yield Head(row, found.get((row.memory_id, row.content_sha256), ()))
        self._let_go_of_cache()

    def _let_go_of_cache(self) -> None:
        """Give back the blocks that were read to build a view, which holds them now.

        DuckDB keeps what it read for as long as its memory limit allows; a lower limit
        for a moment makes it drop that. Where it will not, nothing is lost but memory.
        """
        with self._cursor() as cursor:
            ((limit,),) = cursor.execute(
                "SELECT current_setting('memory_limit')"
            ).fetchall()
            with suppress(duckdb.Error):
                cursor.execute(f"SET memory_limit = '{_SMALL_CACHE}'")
            cursor.execute(f"SET memory_limit = '{limit}'")

    def select(self, query: Select[T], upto: int, /) -> Page[T]:
        """See `Journal.select`."""
        if query.limit is not None and query.limit <= 0:
            return Page(rows=(), next=query.after)
        sql = select_sql(query, upto)
        read = _reader(query.table)
        rows = tuple(read(columns) for columns in self._rows(sql.text, sql.values))
        if query.limit is None or len(rows) <= query.limit:
            return Page(rows=rows)
        kept = rows[: query.limit]
        return Page(rows=kept, next=cursor_of(kept[-1], full_order(query)))

    def count(self, query: Select[Any], upto: int, /) -> int:
        """See `Journal.count`."""
        sql = count_sql(query, upto)
        return int(self._rows(sql.text, sql.values)[0][0])

    def outlines(self, query: Select[MemoryRow], upto: int, /) -> list[Outline]:
        """See `Journal.outlines`."""
        sql = outline_sql(query, upto)
        return [Outline(*columns) for columns in self._rows(sql.text, sql.values)]

    def versions(
        self, wanted: Sequence[tuple[str, int]], /
    ) -> Mapping[tuple[str, int], MemoryRow]:
        """See `Journal.versions`."""
        if not wanted:
            return {}
        where = all_of(
            In("memory_id", tuple({memory_id for memory_id, _ in wanted})),
            In("version", tuple({version for _, version in wanted})),
        )
        query = Select(table=MEMORY, where=where, view=Versions())
        sql = select_sql(query, max(version for _, version in wanted))
        rows = map(memory_from, self._rows(sql.text, sql.values))
        names = set(wanted)
        return {name: r for r in rows if (name := (r.memory_id, r.version)) in names}

    def entries(
        self, contents: Sequence[Content], /
    ) -> Mapping[Content, tuple[Passage, ...]]:
        """See `Journal.entries`."""
        wanted = set(contents)
        found: dict[Content, tuple[Passage, ...]] = {}
        for start in range(0, len(contents), _AT_ONCE):
            ids = list({memory_id for memory_id, _ in contents[start : start + _AT_ONCE]})
            where = f"memory_id IN ({', '.join('?' * len(ids))})"
            sql = _ENTRIES.format(inline=where, beside=where)
            found |= self._chosen(self._rows(sql, [*ids, *ids]), wanted)
        return found

    def entries_in(
        self, scopes: Sequence[ScopeKey], upto: int, /
    ) -> Mapping[Content, tuple[Passage, ...]]:
        """See `Journal.entries_in`."""
        spaces = sorted({(scope.org, scope.namespace) for scope in scopes})
        if not spaces:
            return {}
        here = " OR ".join(["(org = ? AND namespace = ?)"] * len(spaces))
        inline = f"version <= ? AND ({here})"
        beside = (
            "version <= ? AND memory_id IN"  # noqa: S608 - values are bound
            f" (SELECT memory_id FROM memory_version WHERE {here})"
        )
        names = [name for space in spaces for name in space]
        sql = _ENTRIES.format(inline=inline, beside=beside)
        return self._chosen(self._rows(sql, [upto, *names, upto, *names]), None)

    def _chosen(
        self, rows: Iterable[Sequence[Any]], wanted: set[Content] | None
    ) -> dict[Content, tuple[Passage, ...]]:
        """Of each content the newest entries of this space, else the newest of any."""
        chosen: dict[Content, tuple[str, bytes]] = {}
        mine: set[Content] = set()
        for _, memory_id, content_sha256, packed, vectors in rows:
            content = (memory_id, content_sha256)
            if wanted is not None and content not in wanted:
                continue
            if space_of(packed) == self._space:
                mine.add(content)
            elif content in mine:
                continue
            chosen[content] = (packed, vectors)
        return {
            content: passages_from(packed, vectors, space=self._space)
            for content, (packed, vectors) in chosen.items()
        }

    def _beside(self) -> set[Content]:
        sql = "SELECT memory_id, content_sha256 FROM content_entry WHERE space = ?"
        return set(self._rows(sql, (self._space,)))

    # --- the gate between readers and whoever replaces the file (19) ---------------------

    def _rows(self, sql: str, values: Sequence[object]) -> list[Any]:
        with self._cursor() as cursor:
            return cursor.execute(sql, values).fetchall()

    @contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self._gate:
            while self._waited:
                self._gate.wait()
            if self._shut:
                msg = "the store is closed; open it again."
                raise StoreUnavailable(msg)
            self._reading += 1
        try:
            with translated("reading"):
                cursor = self._connection.cursor()
                try:
                    yield cursor
                finally:
                    cursor.close()
        finally:
            with self._gate:
                self._reading -= 1
                self._gate.notify_all()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with self._gate:
            # New readers stand back meanwhile: ones that never rest would keep it out.
            self._waited += 1
            try:
                while self._reading:
                    self._gate.wait()
            finally:
                self._waited -= 1
                self._gate.notify_all()
            yield


def _reader(table: Table[Any]) -> Callable[[Sequence[Any]], Any]:
    if table.name == MEMORY.name:
        return memory_from
    if table.name == AUDIT.name:
        return audit_from
    return lambda columns: small_from(table, columns)
