"""Which entries hold which term, and how well that answers a query (BM25).

Postings are never touched by a writer. They follow the partition's table: each `match`
first takes in the entries appended since the last one, so they are built when they are
first asked for and cost a write nothing.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from loom.backends.live.partition import Partition, Table
from loom.backends.live.passages import unpack_terms
from loom.model.entries import Terms

__all__ = ["K1", "B", "Postings", "bm25"]

#: How soon a repeated term stops counting (Robertson and Zaragoza's usual value).
K1: Final = 1.2
#: How much a longer passage is held against it: 0 not at all, 1 fully.
B: Final = 0.75

_FIRST_ROOM: Final = 4


class _Posting:
    """Entries that hold one term, and how often, in the order of the table."""

    __slots__ = ("_at", "_count", "_times")

    def __init__(self) -> None:
        self._at = np.empty(_FIRST_ROOM, np.int32)
        self._times = np.empty(_FIRST_ROOM, np.int32)
        self._count = 0

    def add(self, at: int, times: int) -> None:
        count = self._count
        if count == len(self._at):
            self._at = np.concatenate((self._at, np.empty_like(self._at)))
            self._times = np.concatenate((self._times, np.empty_like(self._times)))
        self._at[count] = at
        self._times[count] = times
        self._count = count + 1

    def below(self, count: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Entries with a number below `count`, and how often each holds the term."""
        filled, at, times = self._count, self._at, self._times
        filled = min(filled, len(at), len(times))
        if filled and at[filled - 1] >= count:
            filled = int(np.searchsorted(at[:filled], count))
        return at[:filled], times[:filled]


class Postings:
    """The terms of one table's entries."""

    def __init__(self, table: Table) -> None:
        self.lineage = table.lineage
        self._terms: dict[str, _Posting] = {}
        self._lengths = np.zeros(max(len(table.born), _FIRST_ROOM), np.float32)
        self._count = 0
        self._gate = threading.Lock()

    @classmethod
    def of(cls, partition: Partition) -> tuple[Table, int, Postings]:
        """The partition's table, its count, and postings that cover them."""
        table = partition.table
        count = table.count
        postings = partition.postings
        if postings is None or postings.lineage is not table.lineage:
            postings = partition.postings = cls(table)
        postings._follow(table, count)
        return table, count, postings

    def _follow(self, table: Table, count: int) -> None:
        if self._count >= count:
            return
        with self._gate:
            entries = table.entries
            if len(self._lengths) < count:
                more = np.zeros(max(count, 2 * len(self._lengths)), np.float32)
                more[: self._count] = self._lengths[: self._count]
                self._lengths = more
            for at in range(self._count, count):
                terms = unpack_terms(entries[at].packed)
                self._lengths[at] = len(terms)
                for term, times in Counter(terms).items():
                    self._terms.setdefault(term, _Posting()).add(at, times)
                self._count = at + 1

    def lengths(self, count: int) -> NDArray[np.float32]:
        """How many terms each of the first `count` entries has."""
        return self._lengths[:count]

    def terms(self) -> list[str]:
        """Every term that some entry has, or had."""
        return list(self._terms)

    def of_term(self, term: str, count: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Which of the first `count` entries hold the term, and how often."""
        posting = self._terms.get(term)
        if posting is None:
            return np.empty(0, np.int32), np.empty(0, np.int32)
        return posting.below(count)


def bm25(
    parts: Sequence[tuple[Table, int, Postings]], terms: Terms, seen: int
) -> list[NDArray[np.float64]]:
    """Scores of all entries that are seen; 0 for those that hold no term.

    Frequencies and lengths are taken over everything seen in these parts together,
    whatever a filter leaves of it, so that a score does not depend on the filter.
    """
    visible = [table.seen(seen, count) for table, count, _ in parts]
    lengths = [postings.lengths(count) for _, count, postings in parts]
    total = sum(int(np.count_nonzero(mask)) for mask in visible)
    scores = [np.zeros(count) for _, count, _ in parts]
    if not total:
        return scores
    words = sum(
        float(length[mask].sum(dtype=np.float64))
        for length, mask in zip(lengths, visible, strict=True)
    )
    mean = words / total or 1.0
    norms = [K1 * (1 - B + B * length.astype(np.float64) / mean) for length in lengths]
    for term, weight in Counter(terms).items():
        held = []
        for (_, count, postings), mask in zip(parts, visible, strict=True):
            at, times = postings.of_term(term, count)
            inside = mask[at]
            held.append((at[inside], times[inside].astype(np.float64)))
        frequency = sum(len(at) for at, _ in held)
        rarity = weight * math.log1p((total - frequency + 0.5) / (frequency + 0.5))
        for score, norm, (at, often) in zip(scores, norms, held, strict=True):
            score[at] += rarity * often * (K1 + 1) / (often + norm[at])
    return scores
