"""Several rankings into one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loom.retrieval.fuse import SMOOTHING, fuse
from loom.storage.query import Near
from tests.policies.given import a_row


def _near(
    name: str, score: float = 0.5, version: int = 1, chunk: int | None = None
) -> Near:
    return Near(a_row("Text.", key=name, memory_id=name, version=version), score, chunk)


def _order(*legs: list[Near]) -> list[str]:
    return [f.row.memory_id for f in fuse({f"leg{i}": leg for i, leg in enumerate(legs)})]


def test_a_score_is_the_sum_of_reciprocal_ranks() -> None:
    """R-52: rank, score and contribution of each leg are kept."""
    (first, second) = fuse(
        {"vector": [_near("a", 0.9), _near("b", 0.8)], "lexical": [_near("a", 7.0)]}
    )

    assert first.row.memory_id == "a"
    assert first.score == 2 / (SMOOTHING + 1)
    assert [(x.leg, x.rank, x.score) for x in first.legs] == [
        ("vector", 1, 0.9),
        ("lexical", 1, 7.0),
    ]
    assert second.score == 1 / (SMOOTHING + 2)
    assert sum(x.contribution for x in first.legs) == first.score


def test_a_row_both_legs_find_stands_before_a_row_one_finds() -> None:
    """R-52: agreement counts."""
    assert _order([_near("a"), _near("b")], [_near("c"), _near("b")])[0] == "b"


def test_a_weight_makes_a_leg_count_more() -> None:
    """R-52: a leg that is not named weighs 1."""
    legs = {"x": [_near("a")], "y": [_near("b")]}

    assert fuse(legs, {"y": 2.0})[0].row.memory_id == "b"
    assert fuse(legs, {"y": 0.5})[0].row.memory_id == "a"


def test_equal_scores_are_ordered_by_version_then_id() -> None:
    """R-51: newest first, then memory id."""
    old, new = _near("a", version=1), _near("b", version=2)
    assert _order([old], [new]) == ["b", "a"]
    assert _order([_near("d")], [_near("c")]) == ["c", "d"]


def test_the_chunk_that_matched_is_kept() -> None:
    """R-52: which passage of a long value it was."""
    assert fuse({"lexical": [_near("a", chunk=3)]})[0].legs[0].chunk == 3


def test_nothing_found_is_nothing() -> None:
    """R-53: no rows, no noise."""
    assert fuse({}) == ()
    assert fuse({"vector": [], "lexical": []}) == ()


rankings = st.lists(st.sampled_from("abcdefgh"), unique=True).map(
    lambda names: [_near(name) for name in names]
)


@given(rankings, rankings)
def test_the_same_rankings_give_the_same_answer_each_row_once(
    one: list[Near], other: list[Near]
) -> None:
    """R-51: the same store and query give the same answer."""
    found = fuse({"vector": one, "lexical": other})

    assert found == fuse({"vector": one, "lexical": other})
    names = [f.row.memory_id for f in found]
    assert sorted(names) == sorted({n.row.memory_id for n in (*one, *other)})
    assert [f.score for f in found] == sorted((f.score for f in found), reverse=True)
