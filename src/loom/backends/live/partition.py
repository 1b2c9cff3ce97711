"""Entries of the rows that are searched together, in arrays that only grow.

An entry is seen at `seen` when `born <= seen < died`. A writer fills the arrays beyond
`count` and raises `count` last, so a reader that takes the table and then its count needs
no lock. Growth and compaction build a new table and swap one reference; whoever reads the
old one still finds in it all that it may see.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from loom.backends.live.index import Index
from loom.backends.live.passages import Passage
from loom.model.entries import Vector
from loom.model.identity import ScopeKey

if TYPE_CHECKING:
    from loom.backends.live.lines import Line
    from loom.backends.live.postings import Postings

__all__ = ["ENDLESS", "Entry", "Partition", "Table"]

#: Later than every version: `died` of what lives, `born` of what was abandoned.
ENDLESS: Final = int(np.iinfo(np.int64).max)

_FIRST_ROWS: Final = 2
_COMPACTION_FROM: Final = 64


class Entry:
    """One passage in a partition, and where its table keeps it."""

    __slots__ = (
        "at",
        "content",
        "line",
        "ordinal",
        "packed",
        "partition",
        "start",
        "stop",
    )

    def __init__(
        self, partition: Partition, line: Line, content: str, passage: Passage
    ) -> None:
        self.partition = partition
        self.line = line
        self.content = content
        self.ordinal = passage.ordinal
        self.start = passage.start
        self.stop = passage.stop
        self.packed = passage.packed
        self.at = -1

    def held(self, content_sha256: str) -> Passage | None:
        """The passage again, its vector not copied.

        None if it is of another content, or while a compaction moves it.
        """
        table, at = self.partition.table, self.at
        if (
            self.content != content_sha256
            or at >= len(table.entries)
            or table.entries[at] is not self
        ):
            return None
        vector = None
        if table.vectors is not None and table.sighted[at]:
            vector = table.vectors[at]
        return Passage(self.ordinal, self.start, self.stop, self.packed, vector)

    def vector(self, seen: int, content_sha256: str) -> Vector | None:
        """The vector without a lock: a compaction may move the entry at any moment."""
        table, at = self.partition.table, self.at
        if at >= len(table.entries) or table.entries[at] is not self:
            return None
        if self.content != content_sha256 or table.born[at] > seen:
            return None
        if table.vectors is None or not table.sighted[at]:
            return None
        vector: Vector = table.vectors[at].copy()
        vector.flags.writeable = False
        return vector


class Table:
    """Parallel arrays, one row an entry.

    Attributes:
        vectors: (capacity, d) float32; None while no entry has a vector.
        born: the version from which an entry is seen.
        died: the version from which it is seen no more.
        sighted: whether an entry has a vector.
        entries: the entries themselves.
        count: how many rows are filled.
        blind: how many of them have no vector.
        lineage: the same object over growth, another after a compaction.
    """

    __slots__ = (
        "blind",
        "born",
        "count",
        "died",
        "entries",
        "lineage",
        "sighted",
        "vectors",
    )

    def __init__(self, capacity: int) -> None:
        self.vectors: Vector | None = None
        self.born = np.empty(capacity, np.int64)
        self.died = np.empty(capacity, np.int64)
        self.sighted = np.zeros(capacity, np.bool_)
        self.entries: list[Entry] = []
        self.count = 0
        self.blind = 0
        self.lineage = object()

    def grown(self) -> Table:
        """The same rows with room for more."""
        count = self.count
        larger = Table(max(_FIRST_ROWS, count * 2 if count < 1024 else count * 3 // 2))
        larger.born[:count] = self.born[:count]
        larger.died[:count] = self.died[:count]
        larger.sighted[:count] = self.sighted[:count]
        if self.vectors is not None:
            larger.vectors = _room(len(larger.born), self.vectors.shape[1])
            larger.vectors[:count] = self.vectors[:count]
        larger.entries = self.entries
        larger.count, larger.blind, larger.lineage = count, self.blind, self.lineage
        return larger

    def append(self, entry: Entry, born: int, vector: Vector | None) -> None:
        """Fill one more row; there must be room."""
        at = self.count
        self.born[at] = born
        self.died[at] = ENDLESS
        if vector is None:
            self.blind += 1
        else:
            if self.vectors is None:
                self.vectors = _room(len(self.born), len(vector))
            self.vectors[at] = vector
            self.sighted[at] = True
        entry.at = at
        self.entries.append(entry)
        self.count = at + 1

    def seen(self, at: int, count: int | None = None) -> NDArray[np.bool_]:
        """Which of the first `count` entries are seen at that version."""
        count = self.count if count is None else count
        return (self.born[:count] <= at) & (self.died[:count] > at)


def _room(rows: int, dimension: int) -> Vector:
    return np.zeros((rows, dimension), np.float32)


class Partition:
    """The rows and entries of one (org, namespace, user, memory type).

    Attributes:
        scope: what its rows have in common.
        lines: the things that have, or had, a version here; a dictionary kept for its
            order and its cheap removal.
        indexes: by field.
    """

    __slots__ = ("_dead", "indexes", "lines", "postings", "scope", "table")

    def __init__(self, scope: ScopeKey, indexed: tuple[str, ...]) -> None:
        self.scope = scope
        self.lines: dict[Line, None] = {}
        self.indexes = {name: Index(name) for name in indexed}
        self.table = Table(_FIRST_ROWS)
        self.postings: Postings | None = None
        self._dead = 0

    def add(
        self, line: Line, content: str, passage: Passage, born: int, horizon: int
    ) -> Entry:
        """A new entry, seen from `born`; room is made if there is none."""
        if self.table.count == len(self.table.born):
            self._make_room(horizon)
        entry = Entry(self, line, content, passage)
        self.table.append(entry, born, passage.vector)
        return entry

    def bury(self, entry: Entry, died: int) -> None:
        """The entry is seen no more from that version on."""
        self.table.died[entry.at] = died
        self._dead += 1

    def revive(self, entry: Entry) -> None:
        """Its burial was abandoned."""
        self.table.died[entry.at] = ENDLESS
        self._dead -= 1

    def abandon(self, entry: Entry) -> None:
        """It never was."""
        self.table.born[entry.at] = ENDLESS
        self._dead += 1

    def compact(self, horizon: int) -> None:
        """Drop what nobody can see at `horizon` or later, if that is worth the copy."""
        if self._dead > max(_COMPACTION_FROM, self.table.count // 2):
            self._rebuild(horizon)

    def _make_room(self, horizon: int) -> None:
        if self._dead > max(_COMPACTION_FROM, self.table.count // 4):
            self._rebuild(horizon)
        if self.table.count == len(self.table.born):
            self.table = self.table.grown()

    def _rebuild(self, horizon: int) -> None:
        old = self.table
        count = old.count
        gone = (old.died[:count] <= horizon) | (old.born[:count] == ENDLESS)
        kept = np.flatnonzero(~gone)
        new = Table(max(_FIRST_ROWS, len(kept) * 5 // 4))
        new.born[: len(kept)] = old.born[kept]
        new.died[: len(kept)] = old.died[kept]
        new.sighted[: len(kept)] = old.sighted[kept]
        if old.vectors is not None:
            new.vectors = _room(len(new.born), old.vectors.shape[1])
            np.take(old.vectors, kept, axis=0, out=new.vectors[: len(kept)])
        new.entries = [old.entries[at] for at in kept.tolist()]
        new.count = len(kept)
        new.blind = int(len(kept) - np.count_nonzero(new.sighted[: len(kept)]))
        for at, entry in enumerate(new.entries):
            entry.at = at
        self._dead = int(np.count_nonzero(new.died[: len(kept)] != ENDLESS))
        self.table = new

    def lines_named(
        self, index: str | None, pinned: Mapping[str, tuple[Any, ...]]
    ) -> Iterable[Line]:
        """All lines, or those that an index has for the values of its field."""
        if index is None:
            return list(self.lines)
        return self.indexes[index].lines_of(pinned[index])

    def is_of(self, row: Any) -> bool:
        """Whether a row of its scope is of its type; a line may have changed that."""
        return bool(row.memory_type == self.scope.memory_type)

    def enter(self, line: Line, row: object) -> None:
        """Count the line among those of this partition, under the row's values."""
        self.lines[line] = None
        for index in self.indexes.values():
            index.add(line, row)

    def leave(self, line: Line, row: object, kept: Sequence[object]) -> None:
        """Forget what of the line is only of this row; `kept` are its other rows here."""
        for index in self.indexes.values():
            index.drop(line, row, kept)
        if not kept:
            self.lines.pop(line, None)
