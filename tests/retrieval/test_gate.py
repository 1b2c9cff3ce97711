"""Whether a row that a leg brought up is an answer."""

from __future__ import annotations

import pytest

from loom.retrieval.fuse import Fused, fuse
from loom.retrieval.gate import Gate
from loom.storage.query import Near
from tests.policies.given import LEVELS, a_row

GATE = Gate(least_similarity=0.3)


def _found(**legs: float) -> Fused:
    (found,) = fuse({leg: [Near(a_row(), score)] for leg, score in legs.items()})
    return found


@pytest.mark.parametrize(
    "legs, passes",
    [
        ({"vector": 0.3}, True),
        ({"vector": 0.29}, False),
        ({"vector": -0.2}, False),
        ({"lexical": 0.1}, True),
        ({"lexical": 0.0}, False),
        ({"vector": 0.01, "lexical": 2.0}, True),
        ({"vector": 0.01, "lexical": 0.0}, False),
    ],
    ids=str,
)
def test_a_row_passes_by_a_shared_word_or_by_nearness(
    legs: dict[str, float], passes: bool
) -> None:
    """R-53, R-52: the nearest row of unrelated texts is noise."""
    assert GATE.passes(_found(**legs)) is passes


def test_the_gate_stands_far_below_the_conflict_threshold() -> None:
    """R-40: it belongs to the embedder as the thresholds do."""
    assert 0.0 < Gate.of(LEVELS).least_similarity < LEVELS.conflict
