"""From score arrays to the best rows, exactly.

Predicates are evaluated lazily, in the order of the scores, yet the answer is that of
filtering first and cutting then: blocks of candidates are taken from the top until
enough rows have passed, and a block always holds every entry of its lowest score, so
that ties are settled by version and id alone (R-51).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable
from operator import itemgetter
from typing import Any, Final, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from loom.model.entries import EXCERPT
from loom.storage.query import Near

__all__ = ["Found", "best_rows"]

_FIRST_BLOCK: Final = 64
_GROWTH: Final = 4


@frozen(slots=True)
class Found:
    """What one entry stands for: its row, the row's identity, and which entry it is."""

    #: A memory row, or an outline that the caller replaces by its row.
    row: Any
    name: Hashable
    ordinal: int


def best_rows(
    scores: NDArray[np.float32] | NDArray[np.float64],
    resolve: Callable[[int], Found | None],
    *,
    candidates: NDArray[np.intp] | None,
    limit: int,
) -> tuple[Near, ...]:
    """The best rows by the score of their best entry.

    Args:
        scores: one a candidate.
        resolve: from an entry's number to its row; None if the row does not qualify.
        candidates: numbers of the entries that may be found, parallel to `scores`; None
            if those are 0, 1, 2 and so on.
        limit: the most rows to give.
    """
    taken: set[Hashable] = set()
    out: list[_Placed] = []
    size = max(_FIRST_BLOCK, 2 * limit)
    above = np.inf
    while len(out) < limit:
        below = scores if above == np.inf else scores[scores < above]
        if not len(below):
            break
        whole = len(below) <= size
        cut = (
            -np.inf if whole else np.partition(below, len(below) - size)[len(below) - size]
        )
        inside = np.flatnonzero((scores >= cut) & (scores < above))
        block = inside if candidates is None else candidates[inside]
        out.extend(_block(block.tolist(), scores[inside].tolist(), resolve, taken, limit))
        if whole:
            break
        above, size = cut, size * _GROWTH
    return tuple(
        Near(row, -negated, None if ordinal == EXCERPT else ordinal)
        for negated, _, _, ordinal, row in out[:limit]
    )


#: Negated score, negated version, memory id, ordinal, row: in this order the best is first.
_Placed: TypeAlias = tuple[float, int, str, int, Any]


def _block(
    entries: list[int],
    scores: list[float],
    resolve: Callable[[int], Found | None],
    taken: set[Hashable],
    limit: int,
) -> list[_Placed]:
    best: dict[Hashable, tuple[float, int, Any]] = {}
    for entry, score in zip(entries, scores, strict=True):
        found = resolve(entry)
        if found is None or found.name in taken:
            continue
        mine = (score, -found.ordinal, found.row)
        if found.name not in best or best[found.name][:2] < mine[:2]:
            best[found.name] = mine
    taken.update(best)
    placed = [
        (-score, -row.version, row.memory_id, -negated, row)
        for score, negated, row in best.values()
    ]
    # Equal scores can make a block far longer than what is wanted of it.
    return heapq.nsmallest(limit, placed, key=itemgetter(0, 1, 2))
