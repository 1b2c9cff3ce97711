"""The one door to memories for reads: a reader that sees one identity's rows.

Operations hold a `ScopedReader`, never a storage reader, so no read can forget whose
rows it may show (R-04), nor that what is secret is masked (R-46).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import attrs
from attrs import frozen

from loom.engine.env import Context
from loom.model.entries import Terms, Vector
from loom.model.identity import Identity, ScopeKey
from loom.model.masking import is_secret, masked
from loom.model.memory import MemoryRow
from loom.retrieval.scope import of_address, scopes_of, sees, visible
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
from loom.storage.where import ALWAYS, Equal, Where, all_of

__all__ = ["ScopedReader", "reading"]


#: The newest version of every row.
HEADS: Final = Heads()


@frozen(slots=True, hash=False)
class ScopedReader:
    """Rows that one identity may see, of one instant."""

    reader: Reader
    identity: Identity
    namespaces: tuple[str, ...] = ()
    #: Secret values are shown: only for who asks by key, and audits it.
    opens: bool = False
    #: Which versions it sees.
    view: View = HEADS

    def at(self, view: View) -> ScopedReader:
        """The same reader of other versions."""
        return attrs.evolve(self, view=view)

    def own(self, memory_key: str) -> MemoryRow | None:
        """The identity's own row of a key, whatever its status."""
        address = self.identity.address(memory_key)
        if not isinstance(self.view, Heads):
            row = self._one(of_address(address))
        else:
            row = self.reader.row(address)
        return None if row is None else self._shown(row)

    def by_id(self, memory_id: str) -> MemoryRow | None:
        """The row of an id, whatever its status; None if it may not be seen."""
        if not isinstance(self.view, Heads):
            row = self._one(Equal("memory_id", memory_id))
        else:
            row = self.reader.row(memory_id)
        if row is None or not sees(self.identity, row, self.namespaces):
            return None
        return self._shown(row)

    def _one(self, where: Where) -> MemoryRow | None:
        rows = self.reader.select(Select(table=MEMORY, where=where, view=self.view)).rows
        return rows[0] if rows else None

    def vector(self, row: MemoryRow) -> Vector | None:
        """The excerpt's vector of a row that was read here; None where it has none."""
        return self.reader.vector(row.memory_id, row.content_sha256)

    def select(
        self,
        where: Where = ALWAYS,
        *,
        view: View | None = None,
        order: tuple[Order, ...] = (),
        after: Cursor | None = None,
        limit: int | None = None,
    ) -> Page[MemoryRow]:
        """Visible rows that satisfy the predicate."""
        query = Select(
            table=MEMORY,
            where=self._within(where),
            view=self.view if view is None else view,
            order=order,
            after=after,
            limit=limit,
        )
        page = self.reader.select(query)
        if self.opens:
            return page
        hides = is_secret if isinstance(query.view, Heads) else self.hides
        if not any(map(hides, page.rows)):
            return page
        rows = tuple(masked(row) if hides(row) else row for row in page.rows)
        return attrs.evolve(page, rows=rows)

    def count(self, where: Where = ALWAYS, *, view: View | None = None) -> int:
        """How many visible rows satisfy the predicate."""
        seen = self.view if view is None else view
        query = Select(table=MEMORY, where=self._within(where), view=seen)
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
            view=self.view,
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
            view=self.view,
            limit=limit,
        )
        return self.reader.match(query)

    def _shown(self, row: MemoryRow) -> MemoryRow:
        hides = is_secret if isinstance(self.view, Heads) else self.hides
        return masked(row) if hides(row) and not self.opens else row

    def hides(self, row: MemoryRow) -> bool:
        """A version is secret if it is, or if its content has become so since."""
        if is_secret(row):
            return True
        head = self.reader.row(row.memory_id)
        return (
            head is not None
            and is_secret(head)
            and head.content_sha256 == row.content_sha256
        )

    def _within(self, where: Where) -> Where:
        return all_of(visible(self.identity, self.namespaces), where)

    def _scopes(self, memory_types: Sequence[str]) -> tuple[ScopeKey, ...]:
        return scopes_of(self.identity, memory_types, self.namespaces)


@contextmanager
def reading(
    context: Context, namespaces: Sequence[str] = (), *, opens: bool = False
) -> Iterator[ScopedReader]:
    """Many reads of one instant, as the context's identity.

    Args:
        context: the call.
        namespaces: more namespaces of the same org, beside its own.
        opens: secret values are shown; the caller must audit each that it answers with.
    """
    with context.env.storage.snapshot() as reader:
        yield ScopedReader(reader, context.identity, tuple(namespaces), opens=opens)
