"""Whether a row that a leg brought up says anything about the query (R-53).

A vector leg always has a nearest row, however far it lies. A row passes if one of the
query's words is in it, or if it lies nearer than unrelated texts do.
"""

from __future__ import annotations

from attrs import frozen

from loom.model.thresholds import Thresholds
from loom.retrieval.fuse import Fused

__all__ = ["Gate"]


@frozen(kw_only=True, slots=True)
class Gate:
    """What a row must show to be an answer.

    Attributes:
        least_similarity: cosine, inclusive, that stands without a shared word.
    """

    least_similarity: float

    @classmethod
    def of(cls, thresholds: Thresholds) -> Gate:
        """A quarter of the conflict threshold."""
        return cls(least_similarity=thresholds.conflict / 4)

    def passes(self, fused: Fused) -> bool:
        """Whether the row is an answer rather than noise."""
        for leg in fused.legs:
            if leg.leg == "lexical" and leg.score > 0.0:
                return True
            if leg.leg == "vector" and leg.score >= self.least_similarity:
                return True
        return False
