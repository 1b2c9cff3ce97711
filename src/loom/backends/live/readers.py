"""Readers of one instant: a snapshot's, and a writer's that sees what is staged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import attrs

from loom.backends.live.journal import Journal
from loom.backends.live.overlay import count_over, select_over
from loom.backends.live.passages import Content, Passage
from loom.backends.live.replaying import (
    Entries,
    Versioned,
    in_scopes,
    match_rows,
    nearest_rows,
)
from loom.backends.live.view import LiveView
from loom.model.entries import EXCERPT, Vector
from loom.model.identity import Address, ScopeKey
from loom.model.memory import MemoryRow
from loom.storage.query import Heads, Match, Near, Nearest, Page, Replay, Select, View
from loom.storage.tables import AUDIT, MEMORY, Stored
from loom.storage.where import ALWAYS, In, Where, all_of

__all__ = ["LiveReader"]

T = TypeVar("T")

#: The entries of so few rows are asked for by name, of more by scope.
_FEW = 1000


class LiveReader:
    """A view at one version, and the journal up to it."""

    def __init__(self, view: LiveView, journal: Journal, seen: int) -> None:
        self._view = view
        self._journal = journal
        self._seen = seen

    def row(self, name: Address | str, /) -> MemoryRow | None:
        """See `Reader.row`."""
        return self._view.row(name, self._seen)

    def select(self, query: Select[T], /) -> Page[T]:
        """See `Reader.select`."""
        if _is_live(query):
            return self._view.select(query, self._seen)
        staged, upto = self._staged()
        bounded = self._keyed(_bounded(query, self._seen))
        return select_over(bounded, staged, lambda q: self._journal.select(q, upto))

    def count(self, query: Select[Any], /) -> int:
        """See `Reader.count`."""
        if _is_live(query):
            return self._view.count(query, self._seen)
        staged, upto = self._staged()
        return count_over(
            self._keyed(_bounded(query, self._seen)),
            staged,
            lambda q: self._journal.select(q, upto),
            lambda q: self._journal.count(q, upto),
        )

    def nearest(self, query: Nearest, /) -> tuple[tuple[Near, ...], ...]:
        """See `Reader.nearest`."""
        if isinstance(query.view, Heads):
            return self._view.nearest(query, self._seen)
        rows = self._stood(query.scopes, query.where, query.view)
        found = nearest_rows(
            rows,
            self._entries_in(query.scopes, rows),
            query.vectors,
            at_least=query.at_least,
            limit=query.limit,
        )
        return tuple(self._whole(near) for near in found)

    def match(self, query: Match, /) -> tuple[Near, ...]:
        """See `Reader.match`."""
        if isinstance(query.view, Heads):
            return self._view.match(query, self._seen)
        everything = self._stood(query.scopes, ALWAYS, query.view)
        rows = self._stood(query.scopes, query.where, query.view)
        entries = self._entries_in(query.scopes, everything)
        found = match_rows(rows, entries, query.terms, everything, limit=query.limit)
        return self._whole(found)

    def vector(self, memory_id: str, content_sha256: str, /) -> Vector | None:
        """See `Reader.vector`."""
        content = (memory_id, content_sha256)
        found = self._view.vector(content, self._seen)
        if found is not None:
            return found
        for passage in self._entries(content):
            if passage.ordinal == EXCERPT and passage.vector is not None:
                vector = passage.vector
                vector.flags.writeable = False
                return vector
        return None

    def _keyed(self, query: Select[T]) -> Select[T]:
        """The query with the keys of the memory ids it names: a journal finds keys fast.

        An id that the view does not know has no version anywhere.
        """
        if query.table.name != MEMORY.name:
            return query
        keys = self._view.keys_of(query.where)
        if keys is None:
            return query
        return attrs.evolve(query, where=all_of(query.where, In("memory_key", keys)))

    def _staged(self) -> tuple[Sequence[Stored], int]:
        """Rows that the journal does not have yet, and up to where it is to be read."""
        return (), self._seen

    def _entries(self, content: Content) -> tuple[Passage, ...]:
        return self._journal.entries((content,)).get(content, ())

    def _entries_in(self, scopes: Sequence[ScopeKey], rows: Sequence[Versioned]) -> Entries:
        found: dict[Content, tuple[Passage, ...]] = {}
        missing: set[Content] = set()
        for row in rows:
            content = (row.memory_id, row.content_sha256)
            held = self._view.passages(content)
            if held:
                found[content] = held
            elif row.searchable:
                missing.add(content)
        if len(missing) <= _FEW:
            return found | dict(self._journal.entries(list(missing)))
        return dict(self._journal.entries_in(scopes, self._seen)) | found

    def _stood(
        self, scopes: Sequence[ScopeKey], where: Where, view: View
    ) -> Sequence[Versioned]:
        """The rows in outline; whole where some are not in the journal yet."""
        query = Select(table=MEMORY, where=in_scopes(scopes, where), view=view)
        staged, upto = self._staged()
        if any(isinstance(row, MemoryRow) for row in staged):
            return self.select(query).rows
        return self._journal.outlines(_bounded(query, self._seen), upto)

    def _whole(self, found: Sequence[Near]) -> tuple[Near, ...]:
        """The answer with rows in place of outlines."""
        outlined: Sequence[Any] = [near.row for near in found]
        wanted = [
            (row.memory_id, row.version)
            for row in outlined
            if not isinstance(row, MemoryRow)
        ]
        if not wanted:
            return tuple(found)
        rows = self._journal.versions(wanted)
        return tuple(
            attrs.evolve(
                near, row=rows.get((near.row.memory_id, near.row.version), near.row)
            )
            for near in found
        )


def _is_live(query: Select[Any]) -> bool:
    return isinstance(query.view, Heads) and query.table.name != AUDIT.name


def _bounded(query: Select[T], seen: int) -> Select[T]:
    """A replay reads nothing newer than the instant (rule 20)."""
    view = query.view
    if isinstance(view, Replay) and (view.known_by is None or view.known_by > seen):
        return attrs.evolve(query, view=attrs.evolve(view, known_by=seen))
    return query
