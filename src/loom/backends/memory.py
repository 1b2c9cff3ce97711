"""The in-memory backend: the live view over a journal that is a list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final, TypeVar

from loom.backends.live.group import LiveStorage
from loom.backends.live.journal import Head, Outline, Staged
from loom.backends.live.passages import Content, Passage, by_content, passages_of
from loom.backends.live.pinning import pinned_in
from loom.backends.live.rows import page_of, predicate, replaced, replayed
from loom.model.entries import EXCERPT, Embedded
from loom.model.identity import ScopeKey
from loom.model.memory import MemoryRow
from loom.ports import Clock
from loom.storage.batch import Scrub, Scrubbed
from loom.storage.contract import Capabilities
from loom.storage.query import Page, Replay, Select, Versions
from loom.storage.tables import AUDIT, MEMORY, TABLES, Stored, Table, table_of

__all__ = ["ListJournal", "open_memory"]

T = TypeVar("T")
#: Fields of a memory that no version changes, the narrowest first.
_NAMES: Final = ("memory_id", "memory_key")


class ListJournal:
    """Batches in a list; satisfies `Journal` for as long as the process lives."""

    def __init__(self, *, space: str, dimension: int) -> None:
        self._space, self._dimension = space, dimension
        self._forget()

    def _forget(self) -> None:
        self._rows: dict[str, list[Any]] = {table.name: [] for table in TABLES}
        #: Versions of memories by what never changes of them and is asked for most.
        self._named: dict[str, dict[str, list[MemoryRow]]] = {name: {} for name in _NAMES}
        self._versions: set[int] = set()
        #: For each content, the entries of each space as they were last written.
        self._entries: dict[Content, dict[str, tuple[Embedded, ...]]] = {}

    def append(self, group: Sequence[Staged], /) -> None:
        """See `Journal.append`."""
        for staged in group:
            for content, entries in by_content(staged.batch.vectors).items():
                spaces = self._entries.setdefault(content, {})
                for space in dict.fromkeys(entry.space for entry in entries):
                    spaces.pop(space, None)
                    spaces[space] = tuple(e for e in entries if e.space == space)
            for row in staged.batch.rows:
                self._rows[table_of(row).name].append(row)
                if isinstance(row, MemoryRow):
                    self._name(row)
        self._versions.update(staged.version for staged in group)

    def _name(self, row: MemoryRow) -> None:
        for name, rows in self._named.items():
            rows.setdefault(getattr(row, name), []).append(row)

    def holds(self, version: int, /) -> bool:
        """See `Journal.holds`."""
        return version in self._versions

    def last(self) -> int:
        """See `Journal.last`."""
        return max(self._versions, default=0)

    def heads(self) -> Iterator[Head]:
        """See `Journal.heads`."""
        for table in TABLES:
            if table is AUDIT:
                continue
            for row in self._newest(table):
                passages: tuple[Passage, ...] = ()
                if isinstance(row, MemoryRow):
                    passages = self._passages((row.memory_id, row.content_sha256))
                yield Head(row, passages)

    def select(self, query: Select[T], upto: int, /) -> Page[T]:
        """See `Journal.select`."""
        return page_of(self._qualified(query, upto), query)

    def count(self, query: Select[Any], upto: int, /) -> int:
        """See `Journal.count`."""
        return len(self._qualified(query, upto))

    def outlines(self, query: Select[MemoryRow], upto: int, /) -> list[Outline]:
        """See `Journal.outlines`."""
        return [
            Outline(row.memory_id, row.version, row.content_sha256, row.searchable)
            for row in self._qualified(query, upto)
        ]

    def versions(
        self, wanted: Sequence[tuple[str, int]], /
    ) -> Mapping[tuple[str, int], MemoryRow]:
        """See `Journal.versions`."""
        names = set(wanted)
        rows = self._rows[MEMORY.name]
        return {name: r for r in rows if (name := (r.memory_id, r.version)) in names}

    def entries(
        self, contents: Sequence[Content], /
    ) -> Mapping[Content, tuple[Passage, ...]]:
        """See `Journal.entries`."""
        return {c: self._passages(c) for c in contents if c in self._entries}

    def entries_in(
        self, scopes: Sequence[ScopeKey], upto: int, /
    ) -> Mapping[Content, tuple[Passage, ...]]:
        """See `Journal.entries`: all of them, since they are in memory anyway."""
        del scopes, upto
        return self.entries(list(self._entries))

    def scrub(self, scrubs: Sequence[Scrub], /, *, rewrite: bool = True) -> Scrubbed:
        """See `Journal.scrub`: there is no file to be written anew."""
        del rewrite
        rows = vectors = chunks = 0
        for scrub in scrubs:
            kept, gone = self._scrubbed(scrub)
            rows += len(gone)
            lost = _contents(gone) - _contents(kept)
            for content in lost:
                for entries in self._entries.pop(content, {}).values():
                    vectors += sum(entry.ordinal == EXCERPT for entry in entries)
                    chunks += sum(entry.ordinal != EXCERPT for entry in entries)
        return Scrubbed(rows=rows, vectors=vectors, chunks=chunks)

    def close(self) -> None:
        """Forget everything."""
        self._forget()

    def _scrubbed(self, scrub: Scrub) -> tuple[list[Any], list[Any]]:
        """Change the rows; returns those that did not qualify and those that did."""
        keeps = predicate(scrub.where)
        rows = self._rows[scrub.table.name]
        gone = [row for row in rows if keeps(row)]
        kept = [row for row in rows if not keeps(row)]
        if scrub.replace is None:
            self._rows[scrub.table.name] = kept
        else:
            self._rows[scrub.table.name] = [
                replaced(row, scrub.replace) if keeps(row) else row for row in rows
            ]
        if scrub.table is MEMORY:
            self._named = {name: {} for name in _NAMES}
            for row in self._rows[MEMORY.name]:
                self._name(row)
        return kept, gone

    def _passages(self, content: Content) -> tuple[Passage, ...]:
        spaces = self._entries.get(content, {})
        return passages_of(
            (entry for entries in spaces.values() for entry in entries),
            space=self._space,
            dimension=self._dimension,
        )

    def _qualified(self, query: Select[T], upto: int) -> list[T]:
        rows: Iterable[Any] = [r for r in self._candidates(query) if r.version <= upto]
        view = query.view
        if isinstance(view, Replay):
            rows = replayed(rows, view, _identity(query.table))
        elif not isinstance(view, Versions) and query.table is not AUDIT:
            rows = replayed(rows, Replay(), _identity(query.table))
        keeps = predicate(query.where)
        return [row for row in rows if keeps(row)]

    def _candidates(self, query: Select[Any]) -> Iterable[Any]:
        """The rows that may qualify: those of a few names, where the query names them."""
        if query.table is MEMORY:
            pinned = pinned_in(query.where)
            for name, rows in self._named.items():
                if name in pinned:
                    return chain.from_iterable(rows.get(v, ()) for v in pinned[name])
        return self._rows[query.table.name]

    def _newest(self, table: Table[Any]) -> list[Stored]:
        return replayed(self._rows[table.name], Replay(), _identity(table))


def _identity(table: Table[Any]) -> Any:
    names = table.identity
    return lambda row: tuple(getattr(row, name) for name in names)


def _contents(rows: Iterable[Stored]) -> set[Content]:
    return {(r.memory_id, r.content_sha256) for r in rows if isinstance(r, MemoryRow)}


def open_memory(*, clock: Clock, space: str, dimension: int) -> LiveStorage:
    """A store that lives as long as the process and is never shared (rule 17).

    Args:
        clock: stamps versions.
        space: name of the embedder.
        dimension: length of its vectors.
    """
    return LiveStorage(
        ListJournal(space=space, dimension=dimension),
        capabilities=Capabilities(
            backend="memory",
            durable=False,
            atomic=True,
            serialisable=True,
            compare_and_set=True,
            exact_search=True,
            multi_process=False,
        ),
        clock=clock,
        space=space,
        dimension=dimension,
    )
