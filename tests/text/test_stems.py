"""Stems are those of the published rules, and stay."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.text.stems import stem

ENDINGS = (
    " s es ed ing ly edly ingly ies ied eed eedly er est ness ful fulness ousness ousli"
    " ization ational ation ator alism aliti iveness iviti biliti bli ogi li tional enci anci"
    " abli entli izer lessli alize icate iciti ical ative al ance ence ic able ible ant ement"
    " ment ent ism ate iti ous ive ize sion tion e l ll y 's s' "
).split(" ")
BEGINNINGS = st.text("abcdefghijklmnoprstuvwxyz", min_size=0, max_size=9)


@pytest.mark.parametrize(
    "word, expected",
    [
        ("deploys", "deploy"),
        ("hopping", "hop"),
        ("hoping", "hope"),
        ("agreed", "agre"),
        ("generously", "generous"),
        ("skies", "sky"),
        ("ponies", "poni"),
        ("cries", "cri"),
        ("ties", "tie"),
        ("succeed", "succeed"),
        ("ann's", "ann"),
        ("is", "is"),
        ("été", "été"),
        ("", ""),
    ],
)
def test_known_stems(word: str, expected: str) -> None:
    assert stem(word) == expected


@given(BEGINNINGS, st.sampled_from(ENDINGS))
def test_stems_agree_with_an_independent_implementation(begin: str, end: str) -> None:
    """A stored stem must not depend on a library's version; this shows it is no invention."""
    snowball = pytest.importorskip("nltk.stem.snowball")
    word = begin + end
    if "iz" in word or "tional" in word:
        return  # that implementation forgets where a region began when it is shortened
    assert stem(word) == snowball.EnglishStemmer().stem(word)


@given(st.text())
def test_no_word_raises(word: str) -> None:
    assert len(stem(word)) <= len(word) + 1


def test_stems_agree_on_the_words_that_people_write(shared_data: Path) -> None:
    snowball = pytest.importorskip("nltk.stem.snowball").EnglishStemmer()
    text = (shared_data / "stsb" / "stsb-en-train.csv").read_text(encoding="utf-8")
    words = sorted(set(re.findall(r"[a-z']+", text.lower())))
    assert len(words) > 5_000
    assert [word for word in words if stem(word) != snowball.stem(word)] == []
