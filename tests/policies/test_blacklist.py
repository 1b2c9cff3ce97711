"""Patterns: what they match, what they may be, and that they are quick."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.errors import Blacklisted, InvalidRequest
from loom.model.patterns import PatternRow, PatternScope, PatternType
from loom.policies.blacklist import BlacklistGuard, check_pattern, matching
from loom.policies.verdicts import Refuse
from tests.policies.given import a_draft, a_pattern, a_row, the_facts


def _refusal(value: Any, *patterns: PatternRow, **draft: Any) -> Refuse | None:
    return BlacklistGuard().judge(a_draft(value, **draft), the_facts(patterns=patterns))


@pytest.mark.parametrize(
    "pattern, value",
    [
        ("hunter2", "the password is Hunter2!"),
        ("HUNTER2", "hunter2"),
        ("caf\u00e9", "we met in the Cafe\u0301 Rouge"),
        ("cafe\u0301", "we met in the CAF\u00c9 Rouge"),
        ("stra\u00dfe", "die alte STRASSE dort"),
        ("a.b@x", "mail A.B@X now"),
        ("密码", "我的密码是这个"),
        ("top secret", {"notes": ["plain", {"deep": "this is TOP SECRET"}]}),
        ("pin", {"pin": 1}),
        ("4711", {"code": 4711}),
        ("4711", 4711),
        ("1.5", [1.5]),
        ("null", [None]),
    ],
)
def test_a_substring_is_found_whatever_its_case_form_or_json_shape(
    pattern: str, value: Any
) -> None:
    """A-86, A-91, R-43: case-folded NFC text, punctuation kept, in any JSON shape."""
    refuse = _refusal(value, a_pattern(pattern, reason="leaked"))

    assert refuse is not None
    assert refuse.error is Blacklisted
    assert refuse.details["pattern_id"] == "id-of-pattern"
    assert refuse.details["reason"] == "leaked"


@pytest.mark.parametrize(
    "pattern, value", [("a.b@x", "a b@x"), ("hunter2", "hunter 2"), ("c++", "c plus plus")]
)
def test_punctuation_and_spaces_count(pattern: str, value: str) -> None:
    """R-43: punctuation is kept, and a substring is no expression."""
    assert _refusal(value, a_pattern(pattern)) is None


@pytest.mark.parametrize(
    "pattern, value, found",
    [
        (r"\b\d{3}-\d{2}-\d{4}\b", "ssn 123-45-6789.", True),
        (r"\b\d{3}-\d{2}-\d{4}\b", "ssn 123-45-67890", False),
        ("^password", "Password: x", True),
        ("^password", "my password", False),
        ("caf\u00e9s?", "two CAFE\u0301S", True),
        ("stra\u00dfe", "die alte Stra\u00dfe dort", True),
        ("strasse", "die alte Stra\u00dfe dort", True),
        (r"^\S{6}$", "Stra\u00dfe", True),
        ("pass(word|phrase)", {"k": ["x", "the PassPhrase"]}, True),
    ],
)
def test_a_regex_is_searched_for_in_the_folded_text(
    pattern: str, value: Any, found: bool
) -> None:
    """A-86, R-43: `regex` patterns, in any case and either normal form."""
    assert (_refusal(value, a_pattern(pattern, "regex")) is not None) is found


@pytest.mark.parametrize(
    "draft",
    [
        {"tags": ("x", "hunter2")},
        {"entities": ("hunter2",)},
        {"files": ("src/hunter2.py",)},
        {"metadata": {"a": {"b": "hunter2"}}},
        {"source_trace": {"from": "hunter2"}},
        {"source_resource_id": "doc:hunter2"},
        {"memory_type": "hunter2"},
    ],
    ids=lambda d: next(iter(d)),
)
def test_everything_that_is_said_is_matched(draft: Any) -> None:
    """R-43, A-86: a pattern refuses every write that matches, wherever it stands in it."""
    assert _refusal("harmless words here", a_pattern("hunter2"), **draft) is not None


def test_keys_are_matched_only_when_asked() -> None:
    """R-43: keys only if asked."""
    key = "secrets/hunter2"

    assert _refusal("harmless", a_pattern("hunter2"), key=key) is None
    asked = a_pattern("HUNTER2", match_keys=True)
    assert _refusal("harmless", asked, key=key) is not None


def test_a_restatement_is_refused_too() -> None:
    """R-30: never the blacklist passes, a restatement included."""
    facts = the_facts(head=a_row("hunter2 it is"), patterns=(a_pattern("hunter2"),))

    assert BlacklistGuard().judge(a_draft("hunter2 it is"), facts) is not None


def test_the_message_holds_neither_the_pattern_nor_the_value() -> None:
    """Spec, errors: a message never contains a stored value."""
    refuse = _refusal("the password is hunter2", a_pattern("hunter2"))

    assert refuse is not None
    assert "hunter2" not in refuse.message
    assert "hunter2" not in str(refuse.details)
    assert "password" not in str(refuse.as_error())


@pytest.mark.parametrize("kind", PatternType)
@pytest.mark.parametrize(
    "pattern", ["", "   ", "\n", None, 3, "x" * 2001, "a\x00b", "\ud800"]
)
def test_an_empty_or_malformed_pattern_is_refused(pattern: Any, kind: PatternType) -> None:
    """R-43: empty patterns are refused."""
    with pytest.raises(InvalidRequest) as caught:
        check_pattern(pattern, kind)
    assert caught.value.details["field"] == "pattern"


@pytest.mark.parametrize(
    "pattern",
    [
        ".*",
        ".",
        r"\S",
        "",
        "a*",
        "(?s).",
        r"[\s\S]",
        "^",
        "$",
        "x?",
        "(|a)",
        r"\w*",
        "(?:)",
    ],
)
def test_an_expression_that_matches_everything_is_refused(pattern: str) -> None:
    """R-43: one that matches everything would refuse every write."""
    with pytest.raises(InvalidRequest):
        check_pattern(pattern, PatternType.REGEX)


@pytest.mark.parametrize(
    "pattern", ["(", "[a", "a{2,1}", r"(a)\1", "(?=a)", "(?<!a)b", "*"]
)
def test_an_expression_the_engine_does_not_know_is_refused(pattern: str) -> None:
    """R-43: `regex` runs on a linear-time engine, which has no look-around."""
    with pytest.raises(InvalidRequest):
        check_pattern(pattern, PatternType.REGEX)


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(a|aa)+$", r"(.*a){20}$", r"(x+x+)+y"])
def test_a_hostile_expression_takes_linear_time(pattern: str) -> None:
    """R-43: what hangs a backtracking engine is answered at once."""
    row = a_pattern(check_pattern(pattern, PatternType.REGEX), "regex")
    text = "a" * 50_000 + "!"

    started = time.perf_counter()
    matching([row], [text], "k")
    assert time.perf_counter() - started < 2.0


@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
)
def test_no_text_that_holds_a_substring_slips_past(needle: str, around: str) -> None:
    """A-86: every write that holds the substring as written is refused."""
    found = matching([a_pattern(needle)], [f"{around} {needle} {around}"], "k")

    assert found is not None


def test_the_first_pattern_that_matches_is_named() -> None:
    """A-91: the refusal names one pattern, in the order they stand."""
    one, two = a_pattern("a b", pattern_id="1"), a_pattern("b", pattern_id="2")

    assert matching([one, two], ["only b"], "k") is two
    assert matching([one, two], ["a b"], "k") is one
    assert matching([], ["a b"], "k") is None


def test_the_scope_of_the_pattern_is_told() -> None:
    """A-91: who is refused learns whose pattern it was."""
    refuse = _refusal("hunter2", a_pattern("hunter2", scope=PatternScope.ORG))

    assert refuse is not None
    assert refuse.details["scope"] == "org"
