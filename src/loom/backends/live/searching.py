"""Vector and term search over partitions, as of a version."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from loom.backends.live.partition import Partition, Table
from loom.backends.live.postings import Postings, bm25
from loom.backends.live.probing import CELLS, SLACK, Probes
from loom.backends.live.ranking import Found, best_rows
from loom.backends.live.rows import Predicate, predicate
from loom.model.entries import Vector
from loom.storage.query import Match, Near, Nearest

__all__ = ["match", "nearest"]

#: Up to so many candidates are scored again one by one.
_FEW: Final = 4096


def nearest(
    partitions: Sequence[Partition],
    query: Nearest,
    seen: int,
    probes: Probes | None = None,
) -> tuple[tuple[Near, ...], ...]:
    """For each vector the nearest rows, exactly; see `storage.query.Nearest`.

    Args:
        partitions: where to look.
        query: what is asked.
        seen: as of which version.
        probes: what was computed before the lock was taken.
    """
    if probes is not None and probes.covers(query):
        found = _prepared(partitions, query, seen, probes)
        if found is not None:
            return found
    tables = [(table, table.count) for table in (p.table for p in partitions)]
    tables = [
        (table, count)
        for table, count in tables
        if table.count and table.vectors is not None
    ]
    vectors = np.ascontiguousarray(query.vectors, dtype=np.float32)
    if not tables or query.limit <= 0:
        return ((),) * len(vectors)
    keeps = predicate(query.where)
    masks = [_sighted(table, count, seen) for table, count in tables]
    if len(vectors) == 1:
        scores = [_exact(table, count, vectors[0]) for table, count in tables]
        return (_best(tables, masks, scores, keeps, seen, query),)
    out: list[tuple[Near, ...]] = []
    step = max(1, CELLS // max(count for _, count in tables))
    for start in range(0, len(vectors), step):
        block = vectors[start : start + step]
        scored = [block @ _rows(table, count).T for table, count in tables]
        for line, vector in enumerate(block):
            rough = [product[line] for product in scored]
            out.append(_refined(tables, masks, rough, vector, keeps, seen, query))
    return tuple(out)


def _prepared(
    partitions: Sequence[Partition], query: Nearest, seen: int, probes: Probes
) -> tuple[tuple[Near, ...], ...] | None:
    """The answer from probes; None if one of the vectors was not among them."""
    tables = [(table, table.count) for table in (p.table for p in partitions)]
    offsets = np.cumsum([0, *(count for _, count in tables)])
    resolve = _resolver([t for t, _ in tables], offsets, predicate(query.where), seen)
    out: list[tuple[Near, ...]] = []
    for vector in np.ascontiguousarray(query.vectors, dtype=np.float32):
        name = vector.tobytes()
        at, scores = [np.empty(0, np.intp)], [np.empty(0, np.float32)]
        for (table, count), offset in zip(tables, offsets.tolist(), strict=False):
            close = probes.close(table, count, vector, name)
            if close is None:
                return None
            good = _seen_among(table, close.at, seen)
            good &= close.scores >= np.float32(query.at_least)
            at.append(close.at[good] + offset)
            scores.append(close.scores[good])
        out.append(
            best_rows(
                np.concatenate(scores),
                resolve,
                candidates=np.concatenate(at),
                limit=query.limit,
            )
        )
    return tuple(out)


def _seen_among(table: Table, at: NDArray[np.intp], seen: int) -> NDArray[np.bool_]:
    mask: NDArray[np.bool_] = (
        (table.born[at] <= seen) & (table.died[at] > seen) & table.sighted[at]
    )
    return mask


def match(partitions: Sequence[Partition], query: Match, seen: int) -> tuple[Near, ...]:
    """The rows that answer the terms best; see `storage.query.Match`."""
    if not query.terms or query.limit <= 0:
        return ()
    parts = [Postings.of(partition) for partition in partitions]
    scores = bm25(parts, query.terms, seen)
    offsets = np.cumsum([0, *(count for _, count, _ in parts)])
    hits = [np.flatnonzero(score > 0) for score in scores]
    candidates = np.concatenate(
        [at + o for at, o in zip(hits, offsets, strict=False)] or [np.empty(0, np.intp)]
    )
    values = np.concatenate(
        [s[at] for s, at in zip(scores, hits, strict=True)] or [np.empty(0)]
    )
    resolve = _resolver(
        [table for table, _, _ in parts], offsets, predicate(query.where), seen
    )
    return best_rows(values, resolve, candidates=candidates, limit=query.limit)


def _rows(table: Table, count: int) -> Vector:
    vectors = table.vectors
    assert vectors is not None  # tables without any were left out
    return vectors[:count]


def _exact(table: Table, count: int, vector: Vector) -> NDArray[np.float32]:
    """One dot product a row: the same for the same vectors, wherever they lie."""
    scores: NDArray[np.float32] = np.vecdot(_rows(table, count), vector)
    return scores


def _sighted(table: Table, count: int, seen: int) -> NDArray[np.bool_] | None:
    """Which entries may be found; None is all of them."""
    mask = table.seen(seen, count)
    if table.blind:
        mask &= table.sighted[:count]
    return None if mask.all() else mask


def _best(
    tables: Sequence[tuple[Table, int]],
    masks: Sequence[NDArray[np.bool_] | None],
    scores: Sequence[NDArray[np.float32]],
    keeps: Predicate,
    seen: int,
    query: Nearest,
) -> tuple[Near, ...]:
    offsets = np.cumsum([0, *(count for _, count in tables)])
    resolve = _resolver([table for table, _ in tables], offsets, keeps, seen)
    if len(tables) == 1 and masks[0] is None and query.at_least <= -1:
        return best_rows(scores[0], resolve, candidates=None, limit=query.limit)
    hits = [_above(s, m, query.at_least) for s, m in zip(scores, masks, strict=True)]
    candidates = np.concatenate([at + o for at, o in zip(hits, offsets, strict=False)])
    values = np.concatenate([s[at] for s, at in zip(scores, hits, strict=True)])
    return best_rows(values, resolve, candidates=candidates, limit=query.limit)


def _above(
    scores: NDArray[np.float32], mask: NDArray[np.bool_] | None, at_least: float
) -> NDArray[np.intp]:
    good = scores >= np.float32(at_least)
    return np.flatnonzero(good if mask is None else good & mask)


def _refined(
    tables: Sequence[tuple[Table, int]],
    masks: Sequence[NDArray[np.bool_] | None],
    rough: Sequence[NDArray[np.float32]],
    vector: Vector,
    keeps: Predicate,
    seen: int,
    query: Nearest,
) -> tuple[Near, ...]:
    """As `_best`, from products whose last digits are not to be trusted."""
    scores = []
    for (table, count), mask, product in zip(tables, masks, rough, strict=True):
        close = _above(product, mask, query.at_least - SLACK)
        if len(close) > _FEW:
            scores.append(_exact(table, count, vector))
            continue
        exact = np.full(count, -np.inf, np.float32)
        exact[close] = np.vecdot(_rows(table, count)[close], vector)
        scores.append(exact)
    return _best(tables, masks, scores, keeps, seen, query)


def _resolver(
    tables: Sequence[Table], offsets: NDArray[Any], keeps: Predicate, seen: int
) -> Callable[[int], Found | None]:
    starts = offsets.tolist()

    def resolve(number: int) -> Found | None:
        part = 0
        while starts[part + 1] <= number:
            part += 1
        entry = tables[part].entries[number - starts[part]]
        row = entry.line.at(seen)
        if row is None or not keeps(row):
            return None
        return Found(row, row.memory_id, entry.ordinal)

    return resolve
