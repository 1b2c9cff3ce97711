"""Predicates that hold one value at a time (R-33; issue 3, part 5)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.text.predicate_clauses import BOUNDARIES
from loom.text.predicate_families import ATTRIBUTES, CHANGES
from loom.text.predicate_subjects import PREPOSITIONS
from loom.text.predicate_verbs import FORMS
from loom.text.predicate_words import STATES, TOOLS
from loom.text.predicates import Held, held, rival, slots
from tests.text.rival_pairs import LOOK_ALIKES, RIVALS

TEXTS = sorted({text for _, *pair in RIVALS for text in pair} | set(sum(LOOK_ALIKES, ())))
#: Every word that means something to the templates, and those of the pairs.
WORDS = sorted(
    {word for text in TEXTS for word in text.split()}
    | {*FORMS, *ATTRIBUTES, *CHANGES, *TOOLS, *STATES, *BOUNDARIES, *PREPOSITIONS}
    | {
        "v2",
        "3.10",
        "7",
        "$5",
        "8%",
        "Monday",
        "there",
        "any",
        "more",
        "'s",
        "last",
        "year",
    }
)


def held_in(text: str) -> list[tuple[str, str]]:
    """Subject and object of what a text states now."""
    return [(one.subject, one.object) for one in held(text) if not one.past]


@pytest.mark.parametrize("family, old, new", RIVALS)
def test_two_fillings_of_one_slot_are_rivals(family: str, old: str, new: str) -> None:
    """R-33: what cannot both hold meets whatever the likeness of its words."""
    found = rival(new, old)

    assert found is not None
    assert found.slot.split("|")[1] == family
    assert found.new != found.old
    assert found.slot in slots(new)
    assert found.slot in slots(old)


@pytest.mark.parametrize("old, new", LOOK_ALIKES)
def test_what_may_both_hold_is_no_rival(old: str, new: str) -> None:
    """R-33: a look-alike stays clear."""
    assert rival(new, old) is None
    assert rival(old, new) is None


def test_the_pairs_cover_many_families() -> None:
    """Issue 3: rivals over more than a dozen families, and as many look-alikes."""
    assert len({family for family, _, _ in RIVALS}) >= 24
    assert len(LOOK_ALIKES) >= len(RIVALS)


@given(st.sampled_from(TEXTS), st.sampled_from(TEXTS))
def test_rivalry_is_mutual(one: str, two: str) -> None:
    """Exchanging the texts exchanges the objects, no more."""
    there, back = rival(one, two), rival(two, one)

    if there is None or back is None:
        assert there is back
    else:
        assert (there.slot, there.new, there.old) == (back.slot, back.old, back.new)
        assert there.reason == back.reason


@given(st.sampled_from(TEXTS))
def test_no_text_is_its_own_rival(text: str) -> None:
    """R-33: the same statement cannot contradict itself."""
    assert rival(text, text) is None


@pytest.mark.parametrize("text", TEXTS)
def test_slots_do_not_depend_on_case_or_punctuation(text: str) -> None:
    """Peers are found by equality of slots, however a text is typed."""
    assert slots(text.lower()) == slots(text)
    assert slots(text.upper()) == slots(text)
    assert slots(f"  {text.rstrip('.?!')}{'?' if text.endswith('?') else '!'} ") == slots(
        text
    )


@pytest.mark.parametrize("_family, old, new", RIVALS)
def test_a_reason_holds_no_word_of_either_text(_family: str, old: str, new: str) -> None:
    """Reasons are shown where values may not be."""
    found = rival(new, old)

    assert found is not None
    said = set(found.reason.split())
    told = {*found.new.split(), *found.old.split()}
    assert said.isdisjoint(told)


@given(st.text() | st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join))
def test_no_text_raises(text: str) -> None:
    """Whatever is stored can be asked for its statements."""
    for one in held(text):
        assert one.object
        assert one.family
    assert len(slots(text)) <= 8
    assert list(slots(text)) == sorted(set(slots(text)))
    assert rival(text, "I live in Delhi and my manager is Rosa.") is None or slots(text)


@pytest.mark.parametrize(
    "text, subject",
    [
        ("I live in Rome.", "user"),
        ("We live in Rome.", "user"),
        ("The user lives in Rome.", "user"),
        ("Lives in Rome.", "user"),
        ("My sister lives in Rome.", "user sister"),
        ("Tomas Lind lives in Rome.", "lind toma"),
    ],
)
def test_the_subject_is_canonical(text: str, subject: str) -> None:
    """The first person is the user; "my" tells whose relative is meant."""
    assert held_in(text) == [(subject, "rome")]


@pytest.mark.parametrize(
    "text",
    [
        "The deadline for Atlas is 5 March.",
        "Atlas's deadline is March 5.",
        "The Atlas deadline has been moved from 1 March to 5 March.",
        "We moved the deadline of Project Atlas to 5 March.",
        "Deadline for Atlas: 5 March",
        "I worry about my 5 March deadline for Atlas.",
    ],
)
def test_one_slot_has_many_wordings(text: str) -> None:
    """Possessive, preposition, compound, active, passive and mention are one."""
    assert "atlas|time|deadline" in slots(text)
    assert [one.object for one in held(text)] == ["date:????-03-05"]


@pytest.mark.parametrize(
    "text",
    [
        "I might move to Rome.",
        "I want to live in Rome.",
        "If I moved to Rome, I would learn Italian.",
        "Should I say that I live in Rome?",
        "I do not live in Rome.",
        "I have never lived in Rome.",
        "I am moving to Rome.",
        "I am planning to move to Rome.",
        "Where is the man who lives in Rome?",
        "He lives in Rome.",
        "Somebody lives in Rome.",
        "A man lives in Rome.",
        "I like Rome.",
        "I have visited Rome.",
        "I own a car.",
        "I speak Greek.",
        "I know Ana.",
    ],
)
def test_what_is_not_stated_or_has_many_values_fills_no_slot(text: str) -> None:
    """Wishes, questions, conditions, denials, unnamed subjects, likes and the like."""
    assert slots(text) == ()


def test_what_was_fills_no_slot_unless_it_is_said_to_be_over() -> None:
    """A past residence says nothing of the present one; an ended one does."""
    past, ended = (
        held("I lived in Rome as a child.")[0],
        held("I no longer live in Rome.")[0],
    )

    assert (past.past, past.ended) == (True, False)
    assert slots("I lived in Rome as a child.") == ()
    assert (ended.past, ended.ended) == (True, True)
    assert slots("I no longer live in Rome.") == slots("I live in Rome.")


@pytest.mark.parametrize(
    "text",
    [
        "I no longer live in Rome.",
        "I used to live in Rome.",
        "I don't live in Rome anymore.",
    ],
)
def test_a_statement_and_its_end_are_rivals(text: str) -> None:
    """One says that it holds, the other that it is over."""
    found = rival(text, "I live in Rome.")

    assert found is not None
    assert "over" in found.reason
    assert rival(text, "I live in Oslo.") is None


def test_a_change_may_mention_its_slot_in_fewer_words() -> None:
    """An update seldom repeats the whole description of what it updates."""
    old = "The deadline for the first draft of the report is 5 March."

    assert rival("The report deadline was extended to 19 March.", old)
    assert rival("The March 5 deadline was extended to March 19.", old)
    assert rival("The report deadline is 19 March.", old) is None
    assert rival("The invoice deadline was extended to 19 March.", old) is None


def test_a_subject_goes_on_until_another_is_named() -> None:
    """A verb behind "and" has the subject of the one before."""
    text = "My sister lives in Rome and works at Acme."

    assert held_in(text) == [("user sister", "rome"), ("user sister", "acm")]


def test_a_question_after_a_statement_leaves_it_standing() -> None:
    """People tell a fact and ask something in one breath."""
    assert slots("I live in Rome, what should I see?") == ("user|residence|",)
    assert slots("Do you know that I live in Rome?") == ()


def test_code_and_the_end_of_a_long_text_are_not_read() -> None:
    """Only the first 2,000 characters count, and no fenced code."""
    assert slots("Look:\n```\nI live in Rome.\n```\n") == ()
    assert slots("word " * 500 + ". I live in Rome.") == ()
    assert slots("I live in Rome. " + "word " * 500) == ("user|residence|",)


def test_a_statement_is_a_value() -> None:
    """Two readings of one text are equal."""
    assert held("I live in Rome.") == (
        Held(subject="user", family="residence", qualifier="", object="rome"),
    )


def test_long_texts_are_cheap() -> None:
    """A write may hold a document; its statements must not cost as much as its length."""
    text = "The deadline for Atlas is 5 March and we use Postgres 14 here. " * 4_000
    slots(text)
    start = time.perf_counter()
    slots(text)

    assert time.perf_counter() - start < 0.05
