"""Several rankings into one.

Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): a row's score is the
sum over the legs of `weight / (60 + rank)`, ranks counted from 1. It needs no common scale
of the legs' own scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from attrs import frozen

from loom.model.memory import MemoryRow
from loom.model.readable import Readable
from loom.storage.query import Near

__all__ = ["SMOOTHING", "Fused", "LegRank", "fuse"]

SMOOTHING: Final = 60


@frozen(kw_only=True, slots=True)
class LegRank(Readable):
    """Where one leg placed a row."""

    leg: str
    #: From 1.
    rank: int
    #: The leg's own score: a cosine, or a BM25 sum.
    score: float
    #: What it adds to the fused score.
    contribution: float
    #: The ordinal of the chunk that matched; None is the excerpt.
    chunk: int | None = None


@frozen(kw_only=True, slots=True, hash=False)
class Fused:
    """A row with its fused score and where it came from."""

    row: MemoryRow
    score: float
    legs: tuple[LegRank, ...]


def fuse(
    legs: Mapping[str, Sequence[Near]], weights: Mapping[str, float] | None = None
) -> tuple[Fused, ...]:
    """One ranking, best first.

    Equal scores are ordered by version, newest first, then memory id (R-51).

    Args:
        legs: each leg's rows, best first.
        weights: how much a leg counts; 1 where it is not named.
    """
    weights = weights or {}
    rows: dict[str, MemoryRow] = {}
    found: dict[str, list[LegRank]] = {}
    for leg, ranking in legs.items():
        for rank, near in enumerate(ranking, start=1):
            memory_id = near.row.memory_id
            rows.setdefault(memory_id, near.row)
            found.setdefault(memory_id, []).append(
                LegRank(
                    leg=leg,
                    rank=rank,
                    score=near.score,
                    contribution=weights.get(leg, 1.0) / (SMOOTHING + rank),
                    chunk=near.chunk,
                )
            )
    fused = [
        Fused(row=rows[i], score=sum(r.contribution for r in ranks), legs=tuple(ranks))
        for i, ranks in found.items()
    ]
    fused.sort(key=lambda f: (-f.score, -f.row.version, f.row.memory_id))
    return tuple(fused)
