"""One statement in other words, and how many words one side adds to it (R-34)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.text.lemmas import Form, form_of, lemma_stem
from loom.text.paraphrase import Additions, additions
from loom.text.reading import read
from loom.text.statements import compare
from loom.text.synonyms import broader, meaning_of


def added(one: str, two: str) -> Additions | None:
    """The additions, after checking that the exchanged texts exchange them."""
    found, mirror = additions(read(one), read(two)), additions(read(two), read(one))
    assert mirror == (found if found is None else found[::-1])
    return found


@pytest.mark.parametrize(
    "one, two",
    [
        ("Ana is playing the flute.", "Ana plays the flute."),
        ("A fox running in the rain.", "A fox is running in the rain."),
        ("A fox runs in the rain.", "A fox runs through the rain."),
        ("Bob rides a bike to work.", "Bob is riding a bicycle to work."),
        ("The gate is guarded by a dog.", "A dog guards the gate."),
        ("The red and blue kite falls.", "The blue and red kite falls."),
        ("At the old mill two men fish.", "Two men fish at the old mill."),
        ("Ana eats a slice of bread.", "Ana eats bread."),
        ("There is a dog in the yard.", "A dog is in the yard."),
        ("It's cold in the yard.", "It is cold in the yard."),
    ],
)
def test_other_words_for_the_same_add_nothing(one: str, two: str) -> None:
    assert added(one, two) == (0, 0)
    assert compare(one, two).restates


@pytest.mark.parametrize(
    "short, long, count",
    [
        ("A fox sleeps in the yard.", "A lame fox sleeps in the yard.", 1),
        ("A fox sleeps in the yard.", "A lame gray fox sleeps in the yard.", 2),
        ("A fox sleeps with a hen.", "A fox sleeps in the barn with a hen.", 1),
    ],
)
def test_words_that_one_side_adds_are_counted(short: str, long: str, count: int) -> None:
    assert added(short, long) == (0, count)


@pytest.mark.parametrize(
    "one, two",
    [
        ("Ana told Bob of it.", "Bob told Ana of it."),
        ("Ana plays the flute.", "Ana played the flute."),
        ("Ana has a cat in Rome.", "Ana has cats in Rome."),
        ("Ana may play the flute.", "Ana must play the flute."),
        ("Ana plans to move house.", "Ana moves house."),
        ("Ana almost won the race.", "Ana won the race."),
        ("Ana plays the flute and the harp.", "Ana plays the flute."),
        ("The lid of the box is red.", "The box is red."),
        ("Is the shop in Rome open?", "The shop in Rome is open."),
        ("The light in the hall is on.", "The light is off in the hall."),
        ("Ana is selling a cut rose.", "Ana is cutting a rose."),
        ("The red house by the lake fell.", "The blue house by the lake fell."),
        ("Ana eats a very big ripe red apple.", "Ana eats an apple."),
    ],
)
def test_what_says_something_else_is_no_restatement(one: str, two: str) -> None:
    """R-34: what is unsure differs."""
    assert added(one, two) is None
    assert not compare(one, two).restates


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_pair_raises_and_at_most_one_side_adds(one: str, two: str) -> None:
    found = added(one, two)
    assert found is None or 0 in found


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_restatement_never_contradicts(one: str, two: str) -> None:
    found = compare(one, two)
    assert not (found.restates and (found.contradicts or found.differs))


@pytest.mark.parametrize(
    "word, base, form",
    [
        ("ran", "run", Form.PAST),
        ("children", "child", Form.S),
        ("deployed", "deploy", Form.PAST),
        ("deploying", "deploy", Form.ING),
        ("deploys", "deploy", Form.S),
        ("bus", "bus", Form.PLAIN),
        ("need", "need", Form.PLAIN),
        ("", "", Form.PLAIN),
    ],
)
def test_a_word_has_a_base_and_a_form(word: str, base: str, form: Form) -> None:
    assert lemma_stem(word) == lemma_stem(base)
    assert form_of(word) is form


@given(st.text(max_size=20))
def test_no_word_raises(word: str) -> None:
    assert meaning_of(meaning_of(lemma_stem(word))) == meaning_of(lemma_stem(word))
    assert isinstance(form_of(word), Form)


def test_words_of_one_meaning_never_exclude_each_other() -> None:
    """A list of synonyms and a list of opposites that disagree would judge at random."""
    from loom.text import opposites, synonyms

    assert not any(
        meaning_of(word) == meaning_of(other)
        for word, others in opposites._opposites().items()
        for other in others
    )
    assert broader(meaning_of(lemma_stem("boys"))) == {"child", "person"}
    assert not synonyms.broader("stone")
