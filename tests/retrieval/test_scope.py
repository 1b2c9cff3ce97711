"""Whose rows an identity sees and whose it may change."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.model.identity import Identity, ScopeKey
from loom.retrieval.scope import scopes_of, sees, visible, writable
from loom.storage.where import holds
from tests.policies.given import a_row


def _who(**parts: str) -> Identity:
    return Identity(**{"org": "acme", "namespace": "lab", "agent": "ada", **parts})


@pytest.mark.parametrize(
    "who, row, seen, changed",
    [
        ({}, {}, True, True),
        ({}, {"user_id": "u"}, False, False),
        ({"user_id": "u"}, {"user_id": "u"}, True, True),
        ({"user_id": "u"}, {"user_id": "-"}, True, False),
        ({"user_id": "u"}, {"user_id": "v"}, False, False),
        ({"user_id": "*"}, {"user_id": "u"}, True, False),
        ({"user_id": "*"}, {"user_id": "-"}, True, False),
        ({"user_id": "*"}, {"user_id": "u", "namespace": "x"}, False, False),
        ({}, {"namespace": "lab2"}, False, False),
        ({}, {"org": "acme-corp"}, False, False),
        ({}, {"agent": "bob"}, True, True),
        ({}, {"session_id": "s"}, True, True),
        ({"session_id": "s"}, {"session_id": "s"}, True, True),
        ({"session_id": "s"}, {"session_id": "t"}, True, False),
        ({"session_id": "s"}, {"session_id": ""}, True, False),
        ({"user_id": "u", "session_id": "s"}, {"user_id": "u"}, True, True),
    ],
)
def test_r_04_in_one_table(
    who: dict[str, str], row: dict[str, Any], seen: bool, changed: bool
) -> None:
    """R-04, R-06, A-11: reads span agents and sessions; writes stay with the own user."""
    identity, stored = _who(**who), a_row(**row)

    assert holds(visible(identity), stored) is seen
    assert sees(identity, stored) is seen
    assert holds(writable(identity), stored) is changed


def test_more_namespaces_are_read_when_named() -> None:
    """R-04: reads may name extra namespaces, of the same org and by the same user rule."""
    elsewhere = a_row(namespace="ops")

    assert not holds(visible(_who()), elsewhere)
    assert holds(visible(_who(), ["ops"]), elsewhere)
    assert sees(_who(), elsewhere, ["ops"])
    assert not holds(visible(_who(), ["ops"]), a_row(namespace="ops", user_id="u"))
    assert not holds(visible(_who(), ["ops"]), a_row(namespace="ops", org="other"))


def test_a_search_covers_the_scopes_that_are_visible() -> None:
    """R-04: its own user's and nobody's, once each."""
    assert scopes_of(_who()) == (ScopeKey("acme", "lab", "-", None),)
    assert scopes_of(_who(user_id="u"), ["semantic"], ["lab", "ops"]) == (
        ScopeKey("acme", "lab", "u", "semantic"),
        ScopeKey("acme", "lab", "-", "semantic"),
        ScopeKey("acme", "ops", "u", "semantic"),
        ScopeKey("acme", "ops", "-", "semantic"),
    )
    assert scopes_of(_who(user_id="*")) == (ScopeKey("acme", "lab", None, None),)


names = st.sampled_from(["-", "u", "v"])
sessions = st.sampled_from(["", "s", "t"])


@given(
    st.sampled_from(["-", "u", "*"]),
    sessions,
    names,
    sessions,
    st.sampled_from(["lab", "ops"]),
)
def test_what_may_be_changed_can_be_seen_and_what_is_seen_is_in_a_searched_scope(
    user: str, session: str, row_user: str, row_session: str, namespace: str
) -> None:
    """R-04: no path shows a row outside this."""
    identity = _who(user_id=user, session_id=session)
    row = a_row(user_id=row_user, session_id=row_session, namespace=namespace)

    assert holds(writable(identity), row) <= sees(identity, row)
    assert holds(visible(identity), row) == sees(identity, row)
    in_scope = any(
        s.namespace == row.namespace and s.user_id in (None, row.user_id)
        for s in scopes_of(identity)
    )
    assert in_scope == sees(identity, row)
