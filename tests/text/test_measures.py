"""Two values of one measure, however differently it is told (R-33)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.text.measures import may_be_one_date, measures_otherwise
from loom.text.reading import read


def otherwise(one: str, two: str) -> bool:
    """Whether the measures differ, after checking that it holds either way round."""
    found = measures_otherwise(read(one), read(two))
    assert found == measures_otherwise(read(two), read(one))
    return found


@pytest.mark.parametrize(
    "old, new",
    [
        ("The library holds 45 sources.", "There are now 52 sources in the library."),
        ("The talk with Ana is on 3 May.", "The talk with Ana was moved to 10 May."),
        ("The talk is at 3 pm with Ana.", "The talk with Ana was rescheduled to 4:30 pm."),
        (
            "Test coverage of the parser is 65%.",
            "Coverage of the parser tests rose to 78%.",
        ),
        (
            "The parser uses 300 MB of memory.",
            "Memory of the parser was reduced to 120 MB.",
        ),
        ("The plan for hosting costs $20.", "Hosting now costs $25 on the new plan."),
        (
            "The 3 May deadline for essays stands.",
            "The 3 May deadline for essays was extended to 10 May.",
        ),
        ("We have 12 area problems to solve.", "We now have 15 problems to solve."),
        ("I sent 3 letters to the county court.", "I sent 5 letters to the county court."),
    ],
)
def test_another_value_of_one_measure_is_seen(old: str, new: str) -> None:
    assert otherwise(old, new)


@pytest.mark.parametrize(
    "old, new",
    [
        ("Ana ran 5 km on Monday.", "Ana ran 10 km on Tuesday."),
        ("We have 12 area problems to solve.", "We now have 15 grammar problems to solve."),
        ("The library holds 45 sources.", "The library now holds 52 chairs."),
        ("The parser uses 300 MB of memory.", "The parser now takes 20 ms."),
        ("The library holds 45 sources.", "The library now has 45 sources."),
        ("Ana met Bob on 7 May 2023.", "Ana now says she met Bob on 7 May."),
        ("The hall seats 300 people.", "The budget was raised to 500 for tea."),
        ("It fell from 80% to 60% in the hall.", "It fell from 80% to 70% of the tea."),
        ("No values here at all.", "The library now has 45 sources."),
    ],
)
def test_a_value_of_something_else_is_none(old: str, new: str) -> None:
    assert not otherwise(old, new)


@given(st.text(max_size=80), st.text(max_size=80))
def test_no_pair_raises_and_a_text_agrees_with_itself(one: str, two: str) -> None:
    otherwise(one, two)
    assert not otherwise(one, one)


@given(st.dates())
def test_a_date_may_be_itself_without_its_year(date: object) -> None:
    assert may_be_one_date(str(date), "????" + str(date)[4:])
