"""Where similarity begins to mean something, and who said so."""

from __future__ import annotations

from typing import Final

from attrs import frozen

from loom.model.readable import Readable

__all__ = ["DENSE_FALLBACK", "Thresholds"]


@frozen(kw_only=True, slots=True)
class Thresholds(Readable):
    """Cosines, 0 to 1, both inclusive. They belong to an embedder (R-40)."""

    #: At or above it two texts are about the same thing.
    conflict: float
    #: At or above it two texts may be called one, if nothing in them differs.
    duplicate: float
    #: Where the two numbers came from, such as `setting` or `embedder:lexical-1`.
    source: str


#: For a dense embedder that brings none of its own.
DENSE_FALLBACK: Final = Thresholds(conflict=0.85, duplicate=0.97, source="fallback")
