"""The library's own judge, on made sentences whose relation is known by how they are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

import loom
from loom.testing.fakes import ChosenEmbedder

_SUBJECTS: Final = ("The billing service", "The north gate", "Mira's old laptop")
_NAMES: Final = ("Arno", "Bettina", "Chidi", "Dunja")
_DAYS: Final = ("Monday", "Tuesday", "Friday", "Sunday")
#: What can be said of a subject, and the values it can be said with.
_FACTS: Final = {
    "{s} answers on port {v}.": tuple(map(str, range(8_000, 8_006))),
    "{s} was replaced on {v}.": ("2025-03-01", "2025-03-11", "2026-03-01"),
    "{s} costs {v} a month.": ("12 EUR", "120 EUR", "12 USD"),
    "{s} closes at {v} every evening.": ("19:30", "20:30", "21:00"),
    "{s} is cleaned on {v} only.": _DAYS,
}
#: What several may have done, so that two names need not exclude each other.
_DOINGS: Final = (
    "{s} was last repaired by {v} in spring.",
    "{v} carries the spare key of {s}.",
)
#: A statement and what denies it.
_DENIED: Final = (
    ("{s} restarts on {v}.", "{s} never restarts on {v}."),
    ("{s} needs a key on {v}.", "{s} does not need a key on {v}."),
    ("{s} is open on {v}.", "{s} is closed on {v}."),
)
#: Cosines at which two sentences of one subject are placed: near the duplicate threshold
#: (0.97), above it, and above the conflict threshold (0.85) alone.
_APART: Final = (0.0, 0.02, 0.1)


def _judged(one: str, other: str, apart: float) -> tuple[str, int]:
    """The verdict on the second, written under another key, and how many rows are served."""
    embedder = ChosenEmbedder({one: ("them", 0.0), other: ("them", apart)})
    with loom.open(":memory:", embedder=embedder) as store:
        memory = store.agent("judge").memory
        memory.set("first/key", one)
        verdict = memory.set("second/key", other).conflict_verdict
        return verdict, memory.count()


@given(
    subject=st.sampled_from(_SUBJECTS),
    fact=st.sampled_from(tuple(_FACTS)),
    apart=st.sampled_from(_APART),
    data=st.data(),
)
def test_two_values_of_one_fact_are_in_conflict(
    subject: str, fact: str, apart: float, data: st.DataObject
) -> None:
    """R-33, R-34, A-113, A-114: however close, a differing value is no duplicate."""
    values = data.draw(st.permutations(_FACTS[fact]))
    one, other = (fact.format(s=subject, v=v) for v in values[:2])

    assert _judged(one, other, apart) == ("conflict", 2)


@given(
    subject=st.sampled_from(_SUBJECTS),
    doing=st.sampled_from(_DOINGS),
    names=st.permutations(_NAMES),
    apart=st.sampled_from(_APART),
)
def test_two_names_in_one_sentence_are_never_one_claim(
    subject: str, doing: str, names: list[str], apart: float
) -> None:
    """R-33, R-34: whether they exclude each other is open; that they differ is not."""
    one, other = (doing.format(s=subject, v=name) for name in names[:2])

    verdict, served = _judged(one, other, apart)

    assert verdict in ("clear", "conflict")
    assert served == 2


@given(
    subject=st.sampled_from(_SUBJECTS),
    pair=st.sampled_from(_DENIED),
    day=st.sampled_from(_DAYS),
    apart=st.sampled_from(_APART),
    turned=st.booleans(),
)
def test_a_denial_is_a_conflict(
    subject: str, pair: tuple[str, str], day: str, apart: float, turned: bool
) -> None:
    """R-33, R-34: negation and opposites contradict, whichever was written first."""
    said = [text.format(s=subject, v=day) for text in pair]
    one, other = said[::-1] if turned else said

    assert _judged(one, other, apart) == ("conflict", 2)


@given(
    subject=st.sampled_from(_SUBJECTS),
    fact=st.sampled_from(tuple(_FACTS)),
    dress=st.sampled_from((str.upper, str.lower, "  {}  ".format, '"{}"'.format)),
    apart=st.sampled_from((*_APART, 1.0)),
    data=st.data(),
)
def test_another_dress_is_the_same_claim(
    subject: str, fact: str, dress: Callable[[str], str], apart: float, data: st.DataObject
) -> None:
    """R-12, A-107, A-108: case, spaces and quotation marks at the edges say nothing."""
    one = fact.format(s=subject, v=data.draw(st.sampled_from(_FACTS[fact])))
    other = dress(one)

    assert _judged(one, other, apart) == ("merge", 1)


@given(
    subjects=st.permutations(_SUBJECTS),
    fact=st.sampled_from(tuple(_FACTS)),
    apart=st.sampled_from(_APART),
    data=st.data(),
)
def test_the_same_of_two_subjects_is_two_facts(
    subjects: list[str], fact: str, apart: float, data: st.DataObject
) -> None:
    """R-34: an equal sentence about somebody else is never merged and never a duplicate."""
    value = data.draw(st.sampled_from(_FACTS[fact]))
    one, other = (fact.format(s=s, v=value) for s in subjects[:2])

    verdict, served = _judged(one, other, apart)

    assert verdict in ("clear", "conflict")
    assert served == 2
