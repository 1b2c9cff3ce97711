"""Where similarity begins to mean something, and who said so."""

from __future__ import annotations

from typing import Final

from attrs import Factory, field, frozen

from loom.model.readable import Readable

__all__ = ["DENSE_FALLBACK", "Distribution", "Thresholds"]


_SAME: Final = Factory(lambda found: found.source, takes_self=True)


@frozen(kw_only=True, slots=True)
class Thresholds(Readable):
    """Cosines, 0 to 1, both inclusive. They belong to an embedder (R-40)."""

    #: At or above it two texts are about the same thing.
    conflict: float
    #: At or above it two texts may be called one, if nothing in them differs.
    duplicate: float
    #: Where the two numbers came from, such as `setting` or `embedder:lexical-1`.
    source: str
    #: Where each came from by itself.
    conflict_source: str = field(default=_SAME)
    duplicate_source: str = field(default=_SAME)


#: For a dense embedder that brings none of its own.
DENSE_FALLBACK: Final = Thresholds(conflict=0.85, duplicate=0.97, source="fallback")


@frozen(kw_only=True, slots=True)
class Distribution(Readable):
    """What an embedder's cosines are for texts whose relation is known.

    Measured on the sentences of `text/probes.py`. A middle is Tukey's trimean of the
    cosines of that kind: a quarter of the lower quartile, twice the median and the upper
    quartile together.
    """

    #: Which sentences were put to it, and how many.
    edition: int
    sentences: int
    #: Mean and standard deviation over pairs that have nothing to do with each other.
    background_mean: float
    background_sd: float
    #: The middle of pairs about one subject that say different things of it.
    related: float
    #: The middle of pairs that differ in one value, and so contradict each other.
    rival: float
    #: The middle of pairs that say the same in slightly other words.
    restated: float
