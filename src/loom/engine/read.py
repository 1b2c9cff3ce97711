"""The one door to memories for reads: a reader that sees one identity's rows.

Operations hold a `ScopedReader`, never a storage reader, so no read can forget whose
rows it may show (R-04).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from attrs import frozen

from loom.engine.env import Context
from loom.model.entries import Terms, Vector
from loom.model.identity import Identity, ScopeKey
from loom.model.memory import MemoryRow
from loom.retrieval.scope import scopes_of, sees, visible
from loom.storage.contract import Reader
from loom.storage.query import (
    Cursor,
    Heads,
    Match,
    Near,
    Nearest,
    Order,
    Page,
    Select,
    View,
)
from loom.storage.tables import MEMORY
from loom.storage.where import ALWAYS, Where, all_of

__all__ = ["ScopedReader", "reading"]


@frozen(slots=True, hash=False)
class ScopedReader:
    """Rows that one identity may see, of one instant."""

    reader: Reader
    identity: Identity
    namespaces: tuple[str, ...] = ()

    def own(self, memory_key: str) -> MemoryRow | None:
        """The identity's own row of a key, whatever its status."""
        return self.reader.row(self.identity.address(memory_key))

    def by_id(self, memory_id: str) -> MemoryRow | None:
        """The row of an id, whatever its status; None if it may not be seen."""
        row = self.reader.row(memory_id)
        if row is None or not sees(self.identity, row, self.namespaces):
            return None
        return row

    def select(
        self,
        where: Where = ALWAYS,
        *,
        view: View = Heads(),  # noqa: B008 - a frozen value
        order: tuple[Order, ...] = (),
        after: Cursor | None = None,
        limit: int | None = None,
    ) -> Page[MemoryRow]:
        """Visible rows that satisfy the predicate."""
        query = Select(
            table=MEMORY,
            where=self._within(where),
            view=view,
            order=order,
            after=after,
            limit=limit,
        )
        return self.reader.select(query)

    def count(self, where: Where = ALWAYS, *, view: View = Heads()) -> int:  # noqa: B008
        """How many visible rows satisfy the predicate."""
        query = Select(table=MEMORY, where=self._within(where), view=view)
        return self.reader.count(query)

    def nearest(
        self,
        vector: Vector,
        where: Where,
        *,
        memory_types: Sequence[str] = (),
        limit: int = 50,
    ) -> tuple[Near, ...]:
        """Visible rows nearest to one vector, (d,): the scopes hold no others."""
        query = Nearest(
            scopes=self._scopes(memory_types),
            vectors=vector[None, :],
            where=where,
            limit=limit,
        )
        return self.reader.nearest(query)[0]

    def match(
        self,
        terms: Terms,
        where: Where,
        *,
        memory_types: Sequence[str] = (),
        limit: int = 50,
    ) -> tuple[Near, ...]:
        """Visible rows that match the terms best: the scopes hold no others."""
        query = Match(
            scopes=self._scopes(memory_types),
            terms=terms,
            where=where,
            limit=limit,
        )
        return self.reader.match(query)

    def _within(self, where: Where) -> Where:
        return all_of(visible(self.identity, self.namespaces), where)

    def _scopes(self, memory_types: Sequence[str]) -> tuple[ScopeKey, ...]:
        return scopes_of(self.identity, memory_types, self.namespaces)


@contextmanager
def reading(context: Context, namespaces: Sequence[str] = ()) -> Iterator[ScopedReader]:
    """Many reads of one instant, as the context's identity."""
    with context.env.storage.snapshot() as reader:
        yield ScopedReader(reader, context.identity, tuple(namespaces))
