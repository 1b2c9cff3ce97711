"""What one claim is to another, for both judges."""

from __future__ import annotations

from typing import Any

import pytest

from loom.policies.relations import CosineJudge, EvidenceJudge, Judge, Relation, Relations
from tests.policies.given import LEVELS, a_claim

JUDGES = pytest.mark.parametrize(
    "judge", [EvidenceJudge(), CosineJudge()], ids=["evidence", "cosine"]
)
CANONICAL, SAME, CONFLICT, COMPATIBLE, APART = Relations


def _between(
    judge: Judge, new: Any, old: Any, cosine: float, *, keys: tuple[str, str] = ("a", "b")
) -> Relation:
    return judge.relate(a_claim(new, keys[0]), a_claim(old, keys[1]), cosine, LEVELS)


@JUDGES
@pytest.mark.parametrize(
    "restated",
    [
        "the pump runs at night.",
        "The  pump runs at\nnight",
        "“The pump runs at night!”",
        "THE PUMP RUNS AT NIGHT",
    ],
)
def test_the_same_canonical_form_is_one_claim_at_any_cosine(
    judge: Judge, restated: str
) -> None:
    """A-107, R-12: lower-cased, punctuation stripped, white space collapsed."""
    for cosine in (-1.0, 0.5, 1.0):
        found = _between(judge, restated, "The pump runs at night.", cosine)
        assert found.kind is CANONICAL


@JUDGES
@pytest.mark.parametrize(
    "one, other",
    [
        ("The run took 27:10 in all.", "The run took 26:30 in all."),
        ("It weighs 5 kg today.", "It weighs 6 kg today."),
        ("It weighs 5 kg today.", "It weighs 5 g today."),
        ("It costs $20 a month.", "It costs $25 a month."),
        ("The shop opens on 3 May.", "The shop opens on 4 May."),
        ("We run version 2.1 there.", "We run version 2.2 there."),
        ("The door is locked now.", "The door is not locked now."),
        ("Ana leads the blue team.", "Eva leads the blue team."),
    ],
)
def test_a_differing_value_negation_or_name_is_never_one(
    judge: Judge, one: str, other: str
) -> None:
    """A-113, R-34: never `merge` or `duplicate`, however close the vectors lie."""
    for cosine in (0.85, 0.97, 1.0):
        for new, old in ((one, other), (other, one)):
            assert _between(judge, new, old, cosine).kind not in (CANONICAL, SAME)


@pytest.mark.parametrize(
    "judge", [EvidenceJudge(restate_reach=0.0), CosineJudge()], ids=["evidence", "cosine"]
)
def test_nothing_differs_at_the_duplicate_threshold_is_the_same(judge: Judge) -> None:
    """A-112: at or above the duplicate threshold, same content words, no differing value."""
    one, other = "The pump runs at night.", "A pump runs at the night."

    assert _between(judge, one, other, LEVELS.duplicate).kind is SAME
    assert _between(judge, one, other, LEVELS.duplicate - 0.001).kind is not SAME


@JUDGES
def test_close_and_different_is_a_conflict_from_the_threshold_on(judge: Judge) -> None:
    """A-114: at or above the conflict threshold but different."""
    one, other = "The pump draws 5 kW at night.", "The pump draws 9 kW at night."

    found = _between(judge, one, other, LEVELS.conflict)
    assert found.kind is CONFLICT
    assert any("5 kW" in reason for reason in found.reasons)


@JUDGES
def test_far_texts_are_apart(judge: Judge) -> None:
    """A-115: no close peer."""
    found = _between(judge, "The pump runs at night.", "Ana likes pea soup a lot.", 0.1)

    assert found.kind is APART


def test_a_contradiction_that_is_shown_counts_below_the_threshold() -> None:
    """R-33: the same subject and predicate, another value, within reach."""
    one, other = "The pump draws 5 kW at night.", "The pump draws 9 kW at night."
    judge = EvidenceJudge()

    assert _between(judge, one, other, judge.floor(LEVELS)).kind is CONFLICT
    assert _between(judge, one, other, judge.floor(LEVELS) - 0.001).kind is APART
    nearby = EvidenceJudge(reach=0.0, far_reach=0.0)
    assert _between(nearby, one, other, 0.84).kind is APART


def test_close_but_compatible_is_no_conflict_for_the_evidence_judge() -> None:
    """R-33: a close but compatible peer may be clear; the plain judge calls it conflict."""
    one = "Ana likes pea soup with fresh bread."
    other = "Ana likes pea soup with bread and butter."

    assert _between(EvidenceJudge(), one, other, 0.9).kind is COMPATIBLE
    assert _between(CosineJudge(), one, other, 0.9).kind is CONFLICT


@JUDGES
@pytest.mark.parametrize(
    "new, old",
    [
        ("blue", "blue"),
        ("blue", "red"),
        (42, 42),
        (42, 43),
        ({"a": 1}, {"a": 1}),
        ([1, 2], [1, 3]),
        (None, None),
        ("on Monday mornings", "on Monday mornings"),
        ("blue", "The sky over here is always blue."),
        ("The sky over here is always blue.", "blue"),
    ],
)
def test_a_bare_value_under_another_key_is_apart(judge: Judge, new: Any, old: Any) -> None:
    """R-34: never merge, duplicate or conflict, at any cosine: it means what its key says."""
    for cosine in (0.0, 0.9, 1.0):
        assert _between(judge, new, old, cosine).kind is APART


@JUDGES
@pytest.mark.parametrize("new, old", [("blue", "red"), (42, 43), ([1, 2], [1, 3])])
def test_another_bare_value_under_the_same_key_is_a_conflict(
    judge: Judge, new: Any, old: Any
) -> None:
    """R-34: two writers of one key who say otherwise."""
    found = _between(judge, new, old, 0.0, keys=("car/colour", "car/colour"))

    assert found.kind is CONFLICT


@JUDGES
def test_the_same_bare_value_under_the_same_key_is_canonical(judge: Judge) -> None:
    """R-34, R-12: another session's row of the key says the same."""
    found = _between(judge, "Blue.", "blue", 0.0, keys=("car/colour", "car/colour"))

    assert found.kind is CANONICAL


@JUDGES
def test_every_relation_names_similarity_threshold_and_where_it_came_from(
    judge: Judge,
) -> None:
    """R-33: each verdict lists its reasons."""
    reasons = _between(
        judge, "The pump draws 5 kW at night.", "The pump draws 9 kW at night.", 0.9
    ).reasons

    assert "0.900" in reasons[0]
    assert "0.850" in reasons[0]
    assert "fallback" in reasons[0]


@JUDGES
def test_a_judge_asks_for_no_more_peers_than_it_can_use(judge: Judge) -> None:
    """R-32: below the floor nothing but a canonical match or the key itself counts."""
    below = judge.floor(LEVELS) - 0.001
    one, other = "The pump draws 5 kW at night.", "The pump draws 9 kW at night."

    assert _between(judge, one, other, below).kind is APART


# ------------------------------------------------------------------------- restatements


@pytest.mark.parametrize(
    "one, other",
    [
        ("The pump is running at night.", "The pump runs at night."),
        ("A big pump stands in the yard.", "The large pump is standing in the yard."),
        ("The gate is guarded by a dog.", "A dog guards the gate."),
    ],
)
def test_a_restatement_the_words_show_counts_below_the_duplicate_threshold(
    one: str, other: str
) -> None:
    """R-33's measure for contradictions, for sameness: the words decide within the frame."""
    judge = EvidenceJudge()
    for new, old in ((one, other), (other, one)):
        found = _between(judge, new, old, 0.9)
        assert found.kind is SAME
        assert found.parts == ("paraphrase", "cosine")
        assert _between(judge, new, old, LEVELS.conflict - 0.01).kind is APART


def test_below_the_duplicate_threshold_a_restatement_brings_in_nothing() -> None:
    """No fact is lost: the older text may say more, the newer may not."""
    short, long = "A pump runs in the yard.", "A noisy pump runs in the yard."
    judge = EvidenceJudge()

    assert _between(judge, short, long, 0.9).kind is SAME
    assert _between(judge, long, short, 0.9).kind is COMPATIBLE
    assert _between(judge, long, short, LEVELS.duplicate).kind is SAME
    assert _between(EvidenceJudge(most_left_out=0), short, long, 0.9).kind is COMPATIBLE


@JUDGES
@pytest.mark.parametrize(
    "one, other",
    [
        ("The pump will run in the yard.", "The pump runs in the yard."),
        ("The pump ran in the yard.", "The pump runs in the yard."),
        ("The pumps run in the yard.", "The pump runs in the yard."),
        ("Ana plans to run in the yard.", "Ana runs in the yard."),
        ("Is the pump in the yard on?", "The pump in the yard is on."),
        ("Ana told Bob of the pump.", "Bob told Ana of the pump."),
        ("The lid of the big box is red.", "The big box is red."),
    ],
)
def test_what_turns_a_statement_is_never_a_restatement(
    judge: Judge, one: str, other: str
) -> None:
    """R-34: mood, tense, number, question, who does it to whom."""
    for cosine in (0.9, 0.99):
        for new, old in ((one, other), (other, one)):
            assert _between(judge, new, old, cosine).kind not in (CANONICAL, SAME)


# ------------------------------------------------------------- slots, measures and parts


def test_another_filling_of_one_slot_is_a_conflict_whatever_the_cosine() -> None:
    """Issue 3: "I live in Delhi" and "I moved to Berlin" meet although far apart."""
    judge = EvidenceJudge()
    for cosine in (-0.1, 0.4, 0.99):
        found = _between(judge, "I moved to Berlin.", "I live in Delhi.", cosine)
        assert found.kind is CONFLICT
        assert found.parts == ("predicate:residence",)
        assert found.rival is not None
        assert found.replaces
        assert any("one place at a time" in reason for reason in found.reasons)


def test_an_agreeing_slot_alone_is_no_conflict() -> None:
    found = _between(
        EvidenceJudge(), "I moved to Berlin in May.", "I live in Berlin now.", 0.5
    )
    assert found.kind is not CONFLICT


def test_another_measure_of_one_thing_counts_far_below_the_threshold() -> None:
    """Issue 3: an update has few words in common with what it updates.

    From afar it is a flag alone: nothing takes the place of what it may not be about.
    """
    old = "The library holds 45 sources about the war."
    new = "There are now 52 sources in the library."
    judge = EvidenceJudge()

    found = _between(judge, new, old, judge.floor(LEVELS))
    assert found.kind is CONFLICT
    assert found.parts == ("measure",)
    assert not found.replaces
    assert _between(judge, new, old, LEVELS.conflict).replaces
    assert _between(judge, new, old, judge.floor(LEVELS) - 0.001).kind is APART


@pytest.mark.parametrize(
    "new, old, cosine, parts",
    [
        ("The pump runs at night.", "the pump runs AT night", 0.9, ("canonical",)),
        ("blue", "red", 0.9, ("bare",)),
        ("A pump hums in the yard.", "Ana likes pea soup a lot.", 0.6, ("words",)),
        ("A pump hums in the yard.", "Ana likes pea soup a lot.", 0.1, ("cosine",)),
        ("A pump runs at the night.", "The pump runs at night.", 0.98, ("words", "cosine")),
        ("The door is locked now.", "The door is not locked now.", 0.9, ("negation",)),
        ("Ana always eats fish.", "Ana never eats fish.", 0.9, ("antonym", "never")),
        (
            *("Ana met Bob at the lake.", "Ana met Tim at the lake.", 0.9),
            ("template", "names", "cosine"),
        ),
    ],
)
def test_every_relation_lists_the_parts_that_spoke(
    new: str, old: str, cosine: float, parts: tuple[str, ...]
) -> None:
    """Issue 3: by short stable names."""
    assert _between(EvidenceJudge(), new, old, cosine).parts == parts


@JUDGES
def test_no_relation_is_without_parts(judge: Judge) -> None:
    texts = (
        "The pump runs at night.",
        "A pump hums in the yard.",
        "blue",
        "I live in Rome.",
    )
    for new in texts:
        for old in texts:
            assert _between(judge, new, old, 0.86).parts
