"""The queue of contradictions that wait for somebody to decide."""

from __future__ import annotations

from itertools import islice
from typing import ClassVar

from attrs import field, frozen

from loom.engine.env import Context
from loom.engine.read import reading
from loom.engine.review import Pair, pairs_from
from loom.model.identity import ANY
from loom.model.memory import MemoryRow
from loom.model.provenance import Role
from loom.model.readable import Readable
from loom.operations.base import Request, bounded, path_given
from loom.operations.memory_read import Page
from loom.operations.paging import decode_cursor, encode_cursor
from loom.retrieval.filters import Filters

__all__ = ["ConflictPair", "ListConflicts"]

_MOST = 1_000


@frozen(kw_only=True, slots=True, hash=False)
class ConflictPair(Readable):
    """Two rows that contradict each other, and why they were linked."""

    #: The side that was changed last.
    row: MemoryRow
    #: The other one; None where it is not in this store, as after an import.
    peer: MemoryRow | None
    #: Cosine of the two; None where they were not compared.
    similarity: float | None = None
    #: What the judge says of the two now: `conflict`, or less after another judge came.
    relation: str = ""
    #: What was compared, the threshold and where it came from, what differs.
    reasons: tuple[str, ...] = ()
    #: The parts of the judge that spoke, by short stable names.
    parts: tuple[str, ...] = ()

    @classmethod
    def of(cls, pair: Pair) -> ConflictPair:
        """The pair as callers are shown it."""
        if pair.found is None:
            return cls(row=pair.row, peer=pair.peer)
        return cls(
            row=pair.row,
            peer=pair.peer,
            similarity=pair.found.similarity,
            relation=str(pair.found.kind),
            reasons=pair.found.reasons,
            parts=pair.found.parts,
        )


@frozen(kw_only=True, slots=True, hash=False)
class ListConflicts(Request[Page[ConflictPair]]):
    """Contradictions among the rows that the caller may see, each pair once, latest first.

    A handle with `user_id="*"` lists those of every user, which takes an administrator.

    Raises:
        InvalidRequest: a filter, the limit or the cursor is malformed.
        Forbidden: every user's are asked for and the caller is no administrator.
    """

    name: ClassVar[str] = "conflicts.list"
    role: ClassVar[Role] = Role.VIEWER

    #: Pairs whose later side has a key that is this path or lies below it.
    prefix: str | None = None
    #: 1 to 1,000.
    limit: int = field(default=50)
    #: `cursor` of the page before.
    cursor: str | None = None

    def run(self, context: Context) -> Page[ConflictPair]:
        """List."""
        if context.identity.user_id == ANY:
            context.require(Role.ADMIN, context.identity.org, context.identity.namespace)
        limit = bounded(self.limit, name="limit", least=1, most=_MOST)
        cursor = decode_cursor(self.cursor, (int, str, int))
        after = None if cursor is None else (cursor[0], cursor[1], cursor[2])
        filters = Filters(prefix=path_given(self.prefix, name="prefix"))
        with reading(context) as reader:
            where = filters.where(context.now())
            found = pairs_from(context, reader, where, after)  # type: ignore[arg-type]
            pairs = list(islice(found, limit + 1))
        more = len(pairs) > limit
        shown = pairs[:limit]
        return Page(
            tuple(map(ConflictPair.of, shown)),
            encode_cursor(shown[-1].place) if more else None,
        )
