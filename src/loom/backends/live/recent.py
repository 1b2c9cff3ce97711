"""The newest of many rows, found without asking of each whether it qualifies."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from typing import Any

from loom.backends.live.lines import Line
from loom.backends.live.rows import Predicate
from loom.storage.query import Order, Select

__all__ = ["newest_first", "wants_newest"]

_NEWEST = (Order("version", descending=True),)


def wants_newest(query: Select[Any]) -> bool:
    """Whether the query's page is of its newest rows."""
    return query.limit is not None and query.after is None and query.order == _NEWEST


def newest_first(
    lines: Iterable[Line], seen: int, keeps: Predicate, wanted: int
) -> Iterator[Any]:
    """Rows that qualify, among them the `wanted` newest; of the others only a few.

    No version of a line is newer than the birth of its newest one, so once enough are
    found, lines born before the oldest of these need not be looked at.

    Args:
        lines: where to look, in any order.
        seen: the version at which rows are read.
        keeps: whether a row qualifies.
        wanted: how many are to be found, if there are so many.
    """
    heap = [
        (-line.newest.born, at, line)
        for at, line in enumerate(lines)
        if line.newest is not None
    ]
    heapq.heapify(heap)
    found: list[int] = []
    while heap:
        born, _, line = heapq.heappop(heap)
        if len(found) >= wanted and -born < found[0]:
            return
        row = line.at(seen)
        if row is None or not keeps(row):
            continue
        yield row
        heapq.heappush(found, row.version)
        if len(found) > wanted:
            heapq.heappop(found)
