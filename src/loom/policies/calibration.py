"""Thresholds from an embedder's own cosines.

One claim put four ways shows what an embedder's numbers mean: how near it places what
says the same, what contradicts, what is merely about the same subject, and what has
nothing to do with it. Nothing here calls the embedder.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from loom.model.entries import Vector
from loom.model.thresholds import Distribution, Thresholds
from loom.text.probes import EDITION, PROBES, probe_texts

__all__ = ["adaptive_thresholds", "calibration_name", "measured", "questions"]

#: Above it, the rounding of narrow number formats alone parts texts that are the same.
_MOST: Final = 0.99
#: The least room between the two thresholds.
_ROOM: Final = 0.01
#: A pair is near if it is this many standard deviations above unrelated ones.
_DEVIATIONS: Final = 3.0
#: Digits that are kept: more than any machine's rounding changes.
_DIGITS: Final = 4


def questions() -> tuple[str, ...]:
    """The texts to put to an embedder, in the order that `measured` expects."""
    return probe_texts()


def calibration_name(embedder: str) -> str:
    """Under which name a store keeps the figures of an embedder."""
    return f"calibration/{EDITION}/{embedder}"


def measured(vectors: Vector) -> Distribution:
    """The distribution that an embedder's answer to the questions shows.

    Args:
        vectors: (4 n, d) float32, rows of length 1, in the order of `questions()`.
    """
    n = len(PROBES)
    by_probe = np.asarray(vectors, dtype=np.float64).reshape(n, 4, -1)
    claims = by_probe[:, 0]
    background = _unrelated(by_probe)
    middles = [
        _trimean(np.einsum("ij,ij->i", claims, by_probe[:, kind])) for kind in (1, 2, 3)
    ]
    restated, rival, related = (round(m, _DIGITS) for m in middles)
    return Distribution(
        edition=EDITION,
        sentences=4 * n,
        background_mean=round(float(background.mean()), _DIGITS),
        background_sd=round(float(background.std()), _DIGITS),
        related=related,
        rival=rival,
        restated=restated,
    )


def _unrelated(by_probe: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cosines of sentences of two probes, each pair once."""
    n, ways, d = by_probe.shape
    rows = by_probe.reshape(n * ways, d)
    probe = np.repeat(np.arange(n), ways)
    apart: NDArray[np.float64] = (rows @ rows.T)[probe[:, None] < probe[None, :]]
    return apart


def _trimean(cosines: NDArray[np.float64]) -> float:
    low, median, high = np.quantile(cosines, (0.25, 0.5, 0.75))
    return float(low + 2 * median + high) / 4


def adaptive_thresholds(found: Distribution, embedder: str) -> Thresholds | None:
    """What the cosines of an embedder make of the two thresholds.

    `conflict` is the middle of contradicting pairs, `duplicate` the middle of restated
    ones, but halfway from `conflict` to 1 at least where an embedder places contradictions
    as near as restatements. `duplicate` is at most .99, `conflict` at most .98.

    Returns:
        None where the cosines tell nothing: contradicting pairs are no nearer than pairs
        of one subject, or within three standard deviations of unrelated ones.
    """
    noise = max(0.0, found.background_mean + _DEVIATIONS * found.background_sd)
    conflict = min(found.rival, _MOST - _ROOM)
    if conflict <= max(found.related, noise) or found.restated <= noise:
        return None
    duplicate = found.restated
    if duplicate < conflict + _ROOM:
        duplicate = (1.0 + conflict) / 2
    return Thresholds(
        conflict=conflict,
        duplicate=min(duplicate, _MOST),
        source=f"adaptive:{embedder}",
    )
