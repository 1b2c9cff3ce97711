"""The values a text states, equal only where they surely say the same (R-34)."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.text.values import located_values, values_in


def stated(text: str) -> list[tuple[str, str]]:
    return [(value.kind, value.content) for value in values_in(text)]


@pytest.mark.parametrize(
    "text, kind, content",
    [
        ("1,000", "number", "1000"),
        ("1000.0", "number", "1000"),
        ("-5", "number", "-5"),
        ("−5", "number", "-5"),
        ("two hundred and five", "number", "205"),
        ("twenty-five", "number", "25"),
        ("3 million", "number", "3000000"),
        ("1.5 million", "number", "1500000"),
        ("1.000,50 €", "amount", "1000.5 EUR"),
        ("3.10", "number", "3.10"),
        ("12 percent", "percent", "12%"),
        ("12.50 %", "percent", "12.5%"),
        ("3rd", "ordinal", "3"),
        ("third", "ordinal", "3"),
        ("27:10", "time", "27:10"),
        ("3pm", "time", "15:00"),
        ("3:30 p.m.", "time", "15:30"),
        ("12 am", "time", "0:00"),
        ("noon", "time", "12:00"),
        ("2023-05-07", "date", "2023-05-07"),
        ("7 May 2023", "date", "2023-05-07"),
        ("May 7th, 2023", "date", "2023-05-07"),
        ("7th of May", "date", "????-05-07"),
        ("May 2023", "date", "2023-05"),
        ("Tuesdays", "weekday", "tuesday"),
        ("Thu", "weekday", "thursday"),
        ("in March", "month", "03"),
        ("$5", "amount", "5 USD"),
        ("five dollars", "amount", "5 USD"),
        ("US$ 5.00", "amount", "5 USD"),
        ("EUR 3 million", "amount", "3000000 EUR"),
        ("$5k", "amount", "5000 USD"),
        ("16GB", "quantity", "16 gb"),
        ("five kilos", "quantity", "5 kg"),
        ("10-minute", "quantity", "10 min"),
        ("6'", "quantity", "6'"),
        ("v1.2.3", "version", "1.2.3"),
        ("1.2.3-rc1", "version", "1.2.3-rc1"),
        ("192.168.0.1", "ip", "192.168.0.1"),
        ("HTTPS://Example.org/A", "url", "https://example.org/A"),
        ("Ann@Example.org", "email", "ann@example.org"),
        ("ABC-123", "identifier", "abc-123"),
        ("C#", "identifier", "c#"),
        ("user_id", "identifier", "user_id"),
        ("fooBar", "identifier", "foobar"),
        ("/etc/app/x.conf", "identifier", "/etc/app/x.conf"),
        (".env", "identifier", ".env"),
        ("1990s", "date", "1990s"),
    ],
)
def test_a_value_is_read_wherever_it_stands(text: str, kind: str, content: str) -> None:
    for sentence in (text, f"it says {text}", f"it says ({text}), then more."):
        assert stated(sentence) == [(kind, content)]


@pytest.mark.parametrize(
    "one, two",
    [
        ("1,000 rows", "1000 rows"),
        ("at 3pm", "at 15:00"),
        ("7 May 2023", "2023-05-07"),
        ("$5", "5 USD"),
        ("two cats", "2 cats"),
        ("64 GB", "64 gigabytes"),
        ("$85.6-million", "$85.6 million"),
        ("Tue", "Tuesdays"),
    ],
)
def test_surely_equal_values_are_equal(one: str, two: str) -> None:
    assert values_in(one) == values_in(two)


@pytest.mark.parametrize(
    "one, two",
    [
        ("27:10", "26:30"),
        ("16 GB", "64 GB"),
        ("16 GB", "16 TB"),
        ("5 kg", "5 lb"),
        ("5 MB/s", "5 Mbit/s"),
        ("1 hour", "60 minutes"),
        ("3.1", "3.10"),
        ("v1.2.3", "v1.2.4"),
        ("-5", "5"),
        (".5", "5"),
        ("5%", "5"),
        ("$5", "€5"),
        ("7 May", "7 May 2023"),
        ("3 am", "3 pm"),
        ("07/05/2023", "05/07/2023"),
        ("C", "C#"),
        ("ABC-123", "ABC-124"),
        ("10²", "102"),
        ("6'", '6"'),
        ("5 pounds", "£5"),
    ],
)
def test_values_that_may_differ_differ(one: str, two: str) -> None:
    assert values_in(f"it is {one} now") != values_in(f"it is {two} now")


@pytest.mark.parametrize(
    "text",
    [
        "you may go",
        "they march on",
        "the sun sat low",
        "in the room",
        "plain words only",
        "",
    ],
)
def test_words_are_no_values(text: str) -> None:
    assert values_in(text) == ()


def test_values_stand_where_they_say() -> None:
    text = "Two cats, $5 and 3pm."
    assert [text[v.start : v.stop] for v in located_values(text)] == ["Two", "$5", "3pm"]


NUMBERS = st.integers(-(10**9), 10**9)


@given(NUMBERS, NUMBERS)
def test_two_numbers_are_equal_only_if_they_are(one: int, two: int) -> None:
    equal = values_in(f"it is {one:,} now") == values_in(f"it is {two} now")
    assert equal == (one == two)


@given(st.text())
def test_no_text_raises_and_values_lie_in_order(text: str) -> None:
    spans = [(v.start, v.stop) for v in located_values(text)]
    assert all(0 <= start < stop <= len(text) for start, stop in spans)
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans))


PIECES = st.sampled_from(
    "1 , . : - / $ % k th am May 3 ' \" two hundred and million GB v a_ .x @ # http:// ½ ९ ² é 字".split()
)


@given(st.lists(st.tuples(PIECES, st.sampled_from(["", " "])), max_size=30))
def test_no_mixture_of_signs_and_figures_raises(pieces: list[tuple[str, str]]) -> None:
    values_in("".join(piece + space for piece, space in pieces))


@pytest.mark.parametrize(
    "unit",
    [
        "a_",
        "1.",
        "one ",
        "1,000",
        "a/",
        "$",
        "a@",
        "1:",
        "a1",
        "1 ",
        "May ",
        "two hundred and ",
    ],
)
def test_a_hostile_text_costs_linear_time(unit: str) -> None:
    started = time.perf_counter()
    values_in(unit * (20_000 // len(unit)))
    assert time.perf_counter() - started < 2
