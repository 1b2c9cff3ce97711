"""The words of the lexical space: what does not matter, and what must not change."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.embedders.words import folded, is_function_word, stem, words


@pytest.mark.parametrize(
    "text, expected",
    [
        ("", []),
        (" ?!… ", []),
        ("1,000.50 and 27:10", ["1000.50", "and", "27:10"]),
        ("We can't, won't, cannot", ["we", "can", "not", "will", "not", "can", "not"]),
        ("Mia's team isn\u2019t here", ["mia", "team", "is", "not", "here"]),
        ("C++ and C# beat C.", ["c++", "and", "c#", "beat", "c"]),
        ("10² is not 102", ["10", "²", "is", "not", "102"]),
        ("x<5 costs €3", ["x", "<", "5", "costs", "€", "3"]),
        ("deploy_window", ["deploy", "window"]),
        ("東京towerに", ["東京", "tower", "に"]),
        ("世界地図", ["世界", "界地", "地図"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("zero\u200bwidth soft\u00adhyphen", ["zerowidth", "softhyphen"]),
        ("\ud800", []),
    ],
)
def test_a_text_falls_into_these_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@given(st.text(st.characters()))
def test_composition_does_not_change_the_words(text: str) -> None:
    """Facts 3.6: NFC and NFD are one text."""
    composed = unicodedata.normalize("NFC", text)
    decomposed = unicodedata.normalize("NFD", text)
    assert words(composed) == words(decomposed) == words(text)


@given(st.text(st.characters()))
def test_no_word_is_empty_or_holds_white_space(text: str) -> None:
    assert all(word and not any(map(str.isspace, word)) for word in words(text))


@given(st.text("abcdeéèßsŁłΣσςжЖ '’.,-0123456789"))
def test_case_does_not_change_the_words(text: str) -> None:
    assert words(text.upper()) == words(text.lower().upper()) == words(text.casefold())


@pytest.mark.parametrize(
    "forms",
    [
        ("deploy", "deploys", "deployed", "deploying", "deployment"),
        ("plan", "plans", "planned", "planning"),
        ("use", "uses", "used", "using"),
        ("make", "makes", "making"),
        ("study", "studies", "studied", "studying"),
        ("cache", "caches", "cached", "caching"),
        ("class", "classes"),
        ("bus", "buses"),
        ("quick", "quickly", "quickness"),
        ("go", "goes", "going"),
    ],
)
def test_the_forms_of_a_word_share_a_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize(
    "left, right",
    [("thing", "the"), ("ring", "ran"), ("status", "state"), ("bed", "be"), ("need", "ne")],
)
def test_different_words_keep_different_stems(left: str, right: str) -> None:
    assert stem(left) != stem(right)


@pytest.mark.parametrize("word", ["東京", "café", "16", "c++", "ab12ing"])
def test_only_english_words_are_stemmed(word: str) -> None:
    assert stem(word) == word


def test_accents_and_width_fold_away_for_spelling_alone() -> None:
    assert folded("ｃａｆé") == "cafe"


@pytest.mark.parametrize("word", ["the", "not", "€", "<"])
def test_words_that_bind_and_symbols_weigh_little(word: str) -> None:
    assert is_function_word(word)


@pytest.mark.parametrize("word", ["billing", "5", "²", "c", "世"])
def test_words_that_say_something_weigh_full(word: str) -> None:
    assert not is_function_word(word)
