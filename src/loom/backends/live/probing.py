"""Vector searches computed before the write lock is taken, put right under it.

A writer that knows which vectors it will ask about lets go of the long part first: the
products with every entry there is. Under the lock only entries that were appended since
are compared, and what is seen is decided anew, so the answer is that of asking then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from loom.backends.live.partition import Partition, Table
from loom.model.entries import Vector
from loom.model.identity import ScopeKey
from loom.storage.query import Nearest

__all__ = ["CELLS", "SLACK", "Close", "Probes"]

#: Cells of one product at the most: 64 MB of float32.
CELLS: Final = 1 << 24
#: More than a float32 product of unit vectors can differ from another way to sum it.
SLACK: Final = 1e-5
#: A vector with more entries near it than this is left to be asked anew.
_MOST: Final = 4096


@frozen(slots=True)
class Close:
    """Entries of one table at or above the threshold, seen or not, and their scores."""

    at: NDArray[np.intp]
    scores: NDArray[np.float32]


def _products(rows: Vector, vectors: Vector) -> Iterator[tuple[int, Vector]]:
    """Scores of all rows for block after block of vectors, not exact to the last digit.

    Yields:
        The number of the block's first vector, and scores (vectors, rows).
    """
    if len(vectors) == 1:
        # One thread: waking a library's others takes longer than most partitions do.
        yield 0, np.vecdot(rows, vectors[0])[None, :]
        return
    step = max(1, CELLS // max(1, len(rows)))
    for start in range(0, len(vectors), step):
        yield start, vectors[start : start + step] @ rows.T


class Probes:
    """The close entries of some vectors in some partitions, as of some moment."""

    def __init__(self, query: Nearest, partitions: Sequence[Partition]) -> None:
        self._scopes: tuple[ScopeKey, ...] = query.scopes
        self._at_least = query.at_least
        self._counts: dict[int, tuple[object, int]] = {}
        self._close: dict[tuple[bytes, int], Close] = {}
        vectors = np.ascontiguousarray(query.vectors, dtype=np.float32)
        for partition in partitions:
            table = partition.table
            count = table.count
            self._counts[id(table.lineage)] = (table.lineage, count)
            if count and table.vectors is not None:
                self._prepare(table, table.vectors[:count], vectors)

    def _prepare(self, table: Table, rows: Vector, vectors: Vector) -> None:
        for start, product in _products(rows, vectors):
            near = product >= np.float32(self._at_least - SLACK)
            counts = np.count_nonzero(near, axis=1).tolist()
            for line, count in enumerate(counts):
                if count > _MOST:
                    continue
                vector = vectors[start + line]
                close = _NOTHING
                if count:
                    at = np.flatnonzero(near[line])
                    scores = np.vecdot(rows[at], vector)
                    good = scores >= np.float32(self._at_least)
                    close = Close(at[good], scores[good])
                self._close[vector.tobytes(), id(table.lineage)] = close

    def covers(self, query: Nearest) -> bool:
        """Whether it was made for this question, or a wider one."""
        return query.scopes == self._scopes and query.at_least >= self._at_least

    def close(self, table: Table, count: int, vector: Vector, name: bytes) -> Close | None:
        """What is close among the first `count` entries; None if it was not prepared."""
        _, known = self._counts.get(id(table.lineage), (None, 0))
        found = self._close.get((name, id(table.lineage)))
        if found is None and known:
            return None
        if table.vectors is None or count <= known:
            return found if found is not None else _NOTHING
        scores = np.vecdot(table.vectors[known:count], vector)
        good = np.flatnonzero(scores >= np.float32(self._at_least))
        if found is None:
            return Close(good + known, scores[good])
        return Close(
            np.concatenate((found.at, good + known)),
            np.concatenate((found.scores, scores[good])),
        )


_NOTHING: Final = Close(np.empty(0, np.intp), np.empty(0, np.float32))
