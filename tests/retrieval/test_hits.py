"""A hit that explains itself."""

from __future__ import annotations

import pytest

from loom.retrieval.fuse import Fused, fuse
from loom.retrieval.hits import Hit, hit_of
from loom.retrieval.rank import TagPreference
from loom.storage.query import Near
from loom.text.chunking import chunks_of
from tests.policies.given import a_row

LONG = " ".join(f"Sentence number {i} stands here." for i in range(100))


def _hit(fused: Fused, *, explain: bool = False, likes: TagPreference | None = None) -> Hit:
    (ranked,) = (likes or TagPreference()).rank([fused])
    return hit_of(ranked, 1, explain=explain)


def test_a_hit_says_where_each_leg_placed_it() -> None:
    """R-52: rank in each leg, each term, the similarity, whether it passed the gate."""
    row = a_row(tags=("t",))
    (fused,) = fuse({"vector": [Near(row, 0.75)], "lexical": [Near(row, 3.5)]})
    hit = _hit(fused, explain=True)

    assert hit.similarity == 0.75
    assert set(hit.score_components) == {"vector", "lexical"}
    assert sum(hit.score_components.values()) == pytest.approx(hit.rank_score)
    assert [leg.rank for leg in hit.legs] == [1, 1]
    assert hit.passed_gate
    assert any("0.750" in line for line in hit.explanation)
    assert any("BM25 3.500" in line for line in hit.explanation)
    assert _hit(fused, explain=False).explanation == ()
    assert hit.tags == ("t",)
    assert hit.status == "active"


def test_a_hit_of_one_leg_has_no_similarity_of_the_other() -> None:
    """R-52: None where the vector leg did not bring it up."""
    (fused,) = fuse({"lexical": [Near(a_row(), 3.5)]})

    assert _hit(fused, explain=False).similarity is None


def test_a_chunk_hit_shows_its_passage_verbatim_and_its_parent() -> None:
    """R-13, R-52: `parent_memory_key`."""
    (fused,) = fuse({"vector": [Near(a_row(LONG, key="doc/long"), 0.9, 1)]})
    hit = _hit(fused, explain=True)
    span = chunks_of(LONG)[1]

    assert hit.parent_memory_key == "doc/long"
    assert hit.excerpt == LONG[span.start : span.stop]
    assert hit.value == LONG


def test_an_excerpt_hit_has_no_parent_and_is_cut() -> None:
    """R-13, A-31: at most 1,200 characters are shown as the passage."""
    (fused,) = fuse({"vector": [Near(a_row(LONG), 0.9)]})
    hit = _hit(fused, explain=False)

    assert hit.parent_memory_key == ""
    assert LONG.startswith(hit.excerpt)
    assert 0 < len(hit.excerpt) <= 1_200


def test_components_cannot_be_changed() -> None:
    """R-17: a read hands out immutable values."""
    (fused,) = fuse({"lexical": [Near(a_row(), 3.5)]})

    with pytest.raises(TypeError):
        _hit(fused, explain=False).score_components["x"] = 1.0  # type: ignore[index]


def test_of_two_legs_that_count_alike_the_words_choose_the_passage() -> None:
    """R-52: the passage shown holds a word of the query."""
    row = a_row(LONG, key="doc/long")
    (fused,) = fuse({"vector": [Near(row, 0.4, 0)], "lexical": [Near(row, 3.5, 1)]})
    span = chunks_of(LONG)[1]

    assert _hit(fused, explain=False).excerpt == LONG[span.start : span.stop]


def test_a_hit_says_what_moved_it() -> None:
    """A-173, A-174, R-52: each term with its size and its tags; they sum to the score."""
    row = a_row(tags=("kind:plan", "Old"))
    (fused,) = fuse({"vector": [Near(row, 0.75)], "lexical": [Near(row, 3.5)]})
    likes = TagPreference(soft=("kind:plan", "none"), demoted=("Old", "old"))
    hit = _hit(fused, explain=True, likes=likes)

    assert [(t.name, t.tags) for t in hit.terms] == [
        ("tags_soft", ("kind:plan",)),
        ("demote_tags", ("Old",)),
    ]
    assert set(hit.score_components) == {"vector", "lexical", "tags_soft", "demote_tags"}
    assert sum(hit.score_components.values()) == pytest.approx(hit.rank_score)
    assert hit.score_components["tags_soft"] == pytest.approx(0.1 * fused.score)
    assert hit.score_components["demote_tags"] == pytest.approx(-0.5 * fused.score)
    assert any("tags_soft: has kind:plan, adds" in line for line in hit.explanation)
    assert any("demote_tags: has Old, takes off" in line for line in hit.explanation)
    assert _hit(fused).terms == ()
