"""Tags that are liked or not move what answers, within bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.retrieval.fuse import Fused, fuse
from loom.retrieval.rank import DEMOTION, MOST_BOOST, TagPreference
from loom.storage.query import Near
from tests.policies.given import a_row

PLACES = 80


def _fused(*tags: tuple[str, ...]) -> tuple[Fused, ...]:
    """Rows that both legs placed alike, named by their place, with these tags."""
    rows = [
        Near(a_row("Text.", memory_id=f"{place:03}", tags=own), 0.5)
        for place, own in enumerate(tags)
    ]
    return fuse({"vector": rows, "lexical": rows})


def _places(preference: TagPreference, *tags: tuple[str, ...]) -> list[int]:
    return [int(r.fused.row.memory_id) for r in preference.rank(_fused(*tags))]


def _with_tag_at(place: int, *tags: str) -> list[tuple[str, ...]]:
    return [tags if i == place else () for i in range(PLACES)]


@pytest.mark.parametrize(
    "liked, reach", [(("a",), 6), (("a", "b"), 9), (("a", "b", "c", "d", "e"), 11)]
)
def test_a_boost_is_worth_a_few_places_and_no_more(
    liked: tuple[str, ...], reach: int
) -> None:
    """A-173: it reorders near neighbours; many liked tags are worth less than thirteen."""
    preference = TagPreference(soft=liked)

    assert _places(preference, *_with_tag_at(reach, *liked))[0] == reach
    assert _places(preference, *_with_tag_at(reach + 1, *liked))[0] == 0


def test_an_unliked_tag_sinks_a_row_below_sixty_and_keeps_it() -> None:
    """A-174: bounded, and never out of what answers; more such tags sink it no further."""
    one = _places(TagPreference(demoted=("a",)), *_with_tag_at(0, "a", "b"))
    two = _places(TagPreference(demoted=("a", "b")), *_with_tag_at(0, "a", "b"))

    assert one == two
    assert one.index(0) in (60, 61, 62)
    assert sorted(one) == list(range(PLACES))


def test_tags_are_compared_exactly() -> None:
    """A-177, A-179: as they were written."""
    preference = TagPreference(soft=("Blue",), demoted=("Red",))

    assert _places(preference, (), ("blue",), ("red",)) == [0, 1, 2]
    assert _places(preference, ("Red",), (), ("Blue",)) == [2, 1, 0]


def test_a_row_that_is_both_liked_and_not_sinks() -> None:
    """A-173, A-174: both terms are said, and the greater one decides."""
    (first, second) = TagPreference(soft=("a",), demoted=("b",)).rank(
        _fused(("a", "b"), ())
    )

    assert first.fused.row.memory_id == "001"
    assert [term.name for term in second.terms] == ["tags_soft", "demote_tags"]


tag_lists = st.lists(st.lists(st.sampled_from("abcd"), unique=True).map(tuple), max_size=12)
some_tags = st.lists(st.sampled_from("abcd"), unique=True).map(tuple)


@given(tag_lists, some_tags, some_tags)
def test_terms_are_bounded_lose_nothing_and_sort(
    tags: list[tuple[str, ...]], soft: tuple[str, ...], demoted: tuple[str, ...]
) -> None:
    """R-51, R-52: a permutation of what passed, in the order of the scores it says."""
    fused = _fused(*tags)
    ranked = TagPreference(soft=soft, demoted=demoted).rank(fused)
    scores = [one.score for one in ranked]

    assert sorted(r.fused.row.memory_id for r in ranked) == sorted(
        f.row.memory_id for f in fused
    )
    assert scores == sorted(scores, reverse=True)
    for one in ranked:
        least, most = 1 - DEMOTION, 1 + MOST_BOOST
        assert least * one.fused.score <= one.score < most * one.fused.score


@given(tag_lists)
def test_no_preference_changes_nothing(tags: list[tuple[str, ...]]) -> None:
    """R-51: the order of the legs stands."""
    fused = _fused(*tags)

    assert [one.fused for one in TagPreference(soft=("z",)).rank(fused)] == list(fused)
    assert all(one.terms == () for one in TagPreference(soft=("z",)).rank(fused))
