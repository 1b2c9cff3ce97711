"""Excerpts and chunks are verbatim, cover the text, and end where a reader would (R-13)."""

from __future__ import annotations

import pytest
import regex  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from loom.text.chunking import EXCERPT_LIMIT, Span, chunks_of, excerpt_of

PIECES = st.sampled_from(
    [
        *("word ", "Sentence. ", "\n\n", "\r\n", "\r\n\r\n", "他喜欢猫。", "no", "-", " "),
        *(
            "e\u0301",
            "👩‍👩‍👧",
            "🇩🇪",
            "👍🏽",
            "각",
            "\u1100\u1161\u11a8",
            "कि",
            "❤️",
            "\u0301",
        ),
    ]
)
LONG = st.lists(st.tuples(PIECES, st.integers(1, 400)), min_size=1, max_size=12).map(
    lambda runs: "".join(piece * times for piece, times in runs)
)


@given(LONG)
def test_chunks_cover_a_long_text_and_cut_no_character_in_two(text: str) -> None:
    """R-13; A-17. A cluster longer than the limit, as of 400 accents, is the one exception."""
    clusters = [m.span() for m in regex.finditer(r"\X", text)]
    spans = chunks_of(text)
    if len(text) <= EXCERPT_LIMIT:
        assert spans == ()
        return
    assert "".join(span.of(text) for span in spans) == text
    assert all(0 < span.stop - span.start <= EXCERPT_LIMIT for span in spans)
    if max(stop - start for start, stop in clusters) <= EXCERPT_LIMIT:
        assert {span.stop for span in spans} <= {stop for _, stop in clusters}


@given(LONG)
def test_an_excerpt_is_the_beginning_of_a_text(text: str) -> None:
    """R-13; A-31."""
    span = excerpt_of(text)
    assert span.start == 0
    assert span.stop <= EXCERPT_LIMIT
    if len(text) <= EXCERPT_LIMIT:
        assert span.of(text) == text
    else:
        assert span == chunks_of(text)[0]


@pytest.mark.parametrize(
    "before, after",
    [
        ("w. " * 200 + "end.\n\n", "Next paragraph. " * 80),
        ("word " * 200 + "end. ", "next " * 200),
        ("word, " * 150 + "end ", "x" * 1_000),
        ("字" * 800 + "。", "字" * 1_000),
        ("x" * 1_200, "y" * 100),
    ],
)
def test_the_best_place_to_cut_is_taken(before: str, after: str) -> None:
    """R-13: paragraph, then sentence, then word."""
    assert chunks_of(before + after)[0] == Span(0, len(before))


def test_one_endless_character_is_cut_at_the_limit() -> None:
    text = "a" + "\u0301" * 5_000
    assert [span.stop - span.start for span in chunks_of(text)][:2] == [1_200, 1_200]
    assert "".join(span.of(text) for span in chunks_of(text)) == text


def test_a_long_text_is_cut_in_linear_time() -> None:
    text = "word " * 60_000
    assert len(chunks_of(text)) == 250
