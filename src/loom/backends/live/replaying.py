"""Vector and term search over rows as they were, from the journal (rule 20)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from loom.backends.live.lines import Line
from loom.backends.live.partition import ENDLESS, Partition
from loom.backends.live.passages import Content, Passage
from loom.backends.live.postings import Postings, bm25
from loom.backends.live.ranking import Found, best_rows
from loom.model.entries import Terms, Vector
from loom.model.identity import ScopeKey
from loom.storage.query import Near
from loom.storage.where import Equal, Where, all_of, any_of

__all__ = ["Entries", "Versioned", "in_scopes", "match_rows", "nearest_rows"]

Entries = Mapping[Content, tuple[Passage, ...]]


class Versioned(Protocol):
    """A row, or an outline of one."""

    @property
    def memory_id(self) -> str:
        """Which memory."""
        ...

    @property
    def version(self) -> int:
        """Which version of it."""
        ...

    @property
    def content_sha256(self) -> str:
        """What it says, by hash."""
        ...

    @property
    def searchable(self) -> bool:
        """Whether it has entries."""
        ...


def in_scopes(scopes: Sequence[ScopeKey], where: Where) -> Where:
    """The predicate, for rows of these scopes only."""
    return all_of(any_of(_of_scope(scope) for scope in scopes), where)


def _of_scope(scope: ScopeKey) -> Where:
    parts: list[Where] = [Equal("org", scope.org), Equal("namespace", scope.namespace)]
    if scope.user_id is not None:
        parts.append(Equal("user_id", scope.user_id))
    if scope.memory_type is not None:
        parts.append(Equal("memory_type", scope.memory_type))
    return all_of(*parts)


def nearest_rows(
    rows: Sequence[Versioned],
    entries: Entries,
    vectors: Vector,
    *,
    at_least: float,
    limit: int,
) -> tuple[tuple[Near, ...], ...]:
    """For each vector the nearest of the rows; each version counts as a row."""
    found, passages = _paired(rows, entries)
    sighted = [at for at, passage in enumerate(passages) if passage.vector is not None]
    if not sighted:
        return ((),) * len(vectors)
    matrix = np.stack([v for at in sighted if (v := passages[at].vector) is not None])
    numbers = np.asarray(sighted, np.intp)
    out = []
    for vector in np.ascontiguousarray(vectors, dtype=np.float32):
        scores: NDArray[np.float32] = np.vecdot(matrix, vector)
        good = scores >= np.float32(at_least)
        out.append(
            best_rows(
                scores[good], found.__getitem__, candidates=numbers[good], limit=limit
            )
        )
    return tuple(out)


def match_rows(
    rows: Sequence[Versioned],
    entries: Entries,
    terms: Terms,
    everything: Sequence[Versioned],
    *,
    limit: int,
) -> tuple[Near, ...]:
    """The rows that answer the terms best.

    Args:
        rows: those that may be found.
        entries: what is kept for the contents of `everything`.
        terms: the query's.
        everything: all rows of the scopes, over which frequencies are taken.
        limit: the most rows to give.
    """
    wanted = {(row.memory_id, row.version) for row in rows}
    found, passages = _paired(everything, entries)
    partition = Partition(ScopeKey("", ""), ())
    line = Line()
    for passage in passages:
        blind = Passage(passage.ordinal, passage.start, passage.stop, passage.packed, None)
        partition.add(line, "", blind, 0, 0)
    (scores,) = bm25([Postings.of(partition)], terms, ENDLESS - 1)
    hits = np.flatnonzero(scores > 0)

    def resolve(at: int) -> Found | None:
        return found[at] if found[at].name in wanted else None

    return best_rows(scores[hits], resolve, candidates=hits, limit=limit)


def _paired(
    rows: Sequence[Versioned], entries: Entries
) -> tuple[list[Found], list[Passage]]:
    found: list[Found] = []
    passages: list[Passage] = []
    for row in rows:
        if not row.searchable:
            continue
        for passage in entries.get((row.memory_id, row.content_sha256), ()):
            found.append(Found(row, (row.memory_id, row.version), passage.ordinal))
            passages.append(passage)
    return found, passages
