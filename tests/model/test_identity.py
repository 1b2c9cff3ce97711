"""Who writes: the parts of an identity and the address they make."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.errors import InvalidRequest
from loom.model.identity import Address, Identity, checked_name
from loom.operations.base import checked_identity

PARTS = ("org", "namespace", "agent", "user_id", "session_id", "run_id")


def _identity(**parts: str) -> Identity:
    return checked_identity(**{"org": "o", "namespace": "n", "agent": "a", **parts})


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize(
    "bad", ["x" * 201, "a\x00b", "a\nb", "tab\t", "\x7f", "\x85", "\ud800"]
)
def test_a_part_with_what_r_01_forbids_is_refused_by_name(part: str, bad: str) -> None:
    """R-01: at most 200 characters, no control characters; the error names the part."""
    with pytest.raises(InvalidRequest) as caught:
        _identity(**{part: bad})

    assert caught.value.details["field"] == part
    assert bad not in caught.value.message


@pytest.mark.parametrize("part", ["org", "namespace", "agent"])
def test_org_namespace_and_agent_are_not_empty(part: str) -> None:
    """R-01: these three are non-empty strings."""
    with pytest.raises(InvalidRequest):
        _identity(**{part: ""})


@pytest.mark.parametrize("part", ["org", "namespace", "agent", "session_id", "run_id"])
def test_the_star_is_no_name(part: str) -> None:
    """R-01: `"*"` names no org, namespace or agent, nor a session or run."""
    with pytest.raises(InvalidRequest):
        _identity(**{part: "*"})


def test_the_star_asks_for_every_user_by_name() -> None:
    """R-04: only `user_id="*"` reads the whole namespace."""
    assert _identity(user_id="*").user_id == "*"


def test_no_user_is_the_anonymous_one() -> None:
    """R-01: `user_id` defaults to `"-"`, and empty means the same."""
    assert _identity().user_id == "-"
    assert _identity(user_id="").user_id == "-"
    assert _identity().session_id == ""
    assert _identity().run_id == ""


@pytest.mark.parametrize("bad", [None, 7, b"a", ["a"]])
def test_a_part_is_a_string(bad: object) -> None:
    """R-01: anything but a string is refused."""
    with pytest.raises(InvalidRequest):
        checked_name(bad, field="agent")


@given(st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=200))
def test_any_other_text_is_a_name_and_stays_as_it_is(text: str) -> None:
    """R-01: letters of any script, spaces and punctuation are allowed."""
    if text != "*":
        assert checked_name(text, field="org") == text


def test_the_address_holds_everything_but_the_run() -> None:
    """R-01, A-38: storage identity is org, namespace, agent, user, session and key."""
    one = _identity(user_id="u", session_id="s", run_id="r1")
    two = _identity(user_id="u", session_id="s", run_id="r2")

    assert one.address("k") == Address("o", "n", "a", "u", "s", "k")
    assert one.address("k") == two.address("k")


@pytest.mark.parametrize("part", ["org", "namespace", "agent", "user_id", "session_id"])
def test_every_part_of_the_identity_makes_another_address(part: str) -> None:
    """A-38: the same key of two agents or sessions is two rows."""
    assert _identity(**{part: "other"}).address("k") != _identity().address("k")
