"""A hit that explains itself."""

from __future__ import annotations

import pytest

from loom.retrieval.fuse import fuse
from loom.retrieval.hits import hit_of
from loom.storage.query import Near
from loom.text.chunking import chunks_of
from tests.policies.given import a_row

LONG = " ".join(f"Sentence number {i} stands here." for i in range(100))


def test_a_hit_says_where_each_leg_placed_it() -> None:
    """R-52: rank in each leg, each term, the similarity, whether it passed the gate."""
    row = a_row(tags=("t",))
    (fused,) = fuse({"vector": [Near(row, 0.75)], "lexical": [Near(row, 3.5)]})
    hit = hit_of(fused, 1, explain=True)

    assert hit.similarity == 0.75
    assert set(hit.score_components) == {"vector", "lexical"}
    assert sum(hit.score_components.values()) == pytest.approx(hit.rank_score)
    assert [leg.rank for leg in hit.legs] == [1, 1]
    assert hit.passed_gate
    assert any("0.750" in line for line in hit.explanation)
    assert any("BM25 3.500" in line for line in hit.explanation)
    assert hit_of(fused, 1, explain=False).explanation == ()
    assert hit.tags == ("t",)
    assert hit.status == "active"


def test_a_hit_of_one_leg_has_no_similarity_of_the_other() -> None:
    """R-52: None where the vector leg did not bring it up."""
    (fused,) = fuse({"lexical": [Near(a_row(), 3.5)]})

    assert hit_of(fused, 1, explain=False).similarity is None


def test_a_chunk_hit_shows_its_passage_verbatim_and_its_parent() -> None:
    """R-13, R-52: `parent_memory_key`."""
    (fused,) = fuse({"vector": [Near(a_row(LONG, key="doc/long"), 0.9, 1)]})
    hit = hit_of(fused, 1, explain=True)
    span = chunks_of(LONG)[1]

    assert hit.parent_memory_key == "doc/long"
    assert hit.excerpt == LONG[span.start : span.stop]
    assert hit.value == LONG


def test_an_excerpt_hit_has_no_parent_and_is_cut() -> None:
    """R-13, A-31: at most 1,200 characters are shown as the passage."""
    (fused,) = fuse({"vector": [Near(a_row(LONG), 0.9)]})
    hit = hit_of(fused, 1, explain=False)

    assert hit.parent_memory_key == ""
    assert LONG.startswith(hit.excerpt)
    assert 0 < len(hit.excerpt) <= 1_200


def test_components_cannot_be_changed() -> None:
    """R-17: a read hands out immutable values."""
    (fused,) = fuse({"lexical": [Near(a_row(), 3.5)]})

    with pytest.raises(TypeError):
        hit_of(fused, 1, explain=False).score_components["x"] = 1.0  # type: ignore[index]


def test_of_two_legs_that_count_alike_the_words_choose_the_passage() -> None:
    """R-52: the passage shown holds a word of the query."""
    row = a_row(LONG, key="doc/long")
    (fused,) = fuse({"vector": [Near(row, 0.4, 0)], "lexical": [Near(row, 3.5, 1)]})
    span = chunks_of(LONG)[1]

    assert hit_of(fused, 1, explain=False).excerpt == LONG[span.start : span.stop]
