"""Questions to a store, as values."""

from __future__ import annotations

from datetime import datetime
from typing import Generic, TypeAlias, TypeVar

import attrs
from attrs import frozen

from loom.model.entries import Terms, Vector
from loom.model.identity import ScopeKey
from loom.model.memory import MemoryRow
from loom.storage.tables import Table
from loom.storage.where import ALWAYS, Where

__all__ = [
    "Cursor",
    "Heads",
    "Match",
    "Near",
    "Nearest",
    "Order",
    "Page",
    "Replay",
    "Select",
    "Versions",
    "View",
]

T = TypeVar("T")


@frozen
class Heads:
    """The newest visible version of every row, whatever its status."""


@frozen
class Replay:
    """The rows as they were: per row the newest version at or before both bounds.

    Attributes:
        known_by: only versions at or below it count; None is unbounded.
        true_at: only versions whose world date (`MemoryRow.world_date`) is at or before
            it count, and of these the one with the greatest world date, ties by version
            (R-54); None is unbounded.
    """

    known_by: int | None = None
    true_at: datetime | None = None


@frozen
class Versions:
    """Every version."""


View: TypeAlias = Heads | Replay | Versions


@frozen(slots=True)
class Order:
    """One sort key. A None sorts before every value, in either direction after it."""

    field: str
    descending: bool = False


#: Values of the order's fields in the last row of a page: the next page begins after it.
Cursor: TypeAlias = tuple[object, ...]


@frozen(kw_only=True, slots=True)
class Select(Generic[T]):
    """Rows of one table.

    The order is total: storage appends `version` descending and then the table's identity
    to what is given (R-51), and a cursor has a value for each of those fields.
    """

    table: Table[T]
    where: Where = ALWAYS
    view: View = Heads()
    order: tuple[Order, ...] = ()
    after: Cursor | None = None
    limit: int | None = None


@frozen(kw_only=True, slots=True)
class Page(Generic[T]):
    """Rows, and where the next page begins; None when these are all."""

    rows: tuple[T, ...]
    next: Cursor | None = None


@frozen(kw_only=True, slots=True)
class Nearest:
    """For each vector, the rows whose closest entry is most like it.

    Equal scores are ordered by version, newest first, then memory id (R-51). `where` is
    applied before the cut.
    """

    scopes: tuple[ScopeKey, ...]
    #: (m, d), rows of length 1.
    vectors: Vector = attrs.field(eq=False)
    where: Where = ALWAYS
    view: View = Heads()
    #: Cosine, inclusive.
    at_least: float = -1.0
    limit: int = 50


@frozen(kw_only=True, slots=True)
class Match:
    """The rows whose best entry scores highest for the terms by BM25."""

    scopes: tuple[ScopeKey, ...]
    terms: Terms
    where: Where = ALWAYS
    view: View = Heads()
    limit: int = 50


@frozen(slots=True)
class Near:
    """A row found, with the score of its best entry."""

    row: MemoryRow
    #: Cosine for `Nearest`, BM25 for `Match`.
    score: float
    #: The ordinal of the chunk that matched, None if the excerpt's entry did.
    chunk: int | None = None
