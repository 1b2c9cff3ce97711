"""What a namespace, a tag or a run makes of the rules."""

from __future__ import annotations

from typing import Any, Final

import pytest

from loom import AgentHandle, Loom
from tests.operations.looking import written
from tests.operations.texts import (
    DRAWS_5,
    DRAWS_9,
    ELSEWHERE,
    NIGHT,
)

KEY: Final = "pump/hours"


def _register(agent: AgentHandle, policy: str, **more: Any) -> None:
    agent.namespace.register(default_conflict_policy=policy, **more)


# ------------------------------------------------------------------------- the policies


@pytest.mark.parametrize("policy", ["auto_reinforce", "manual_review"])
def test_a_contradiction_is_left_for_review(agent: AgentHandle, policy: str) -> None:
    """A-121, R-45: stored, linked, served and marked until somebody decides."""
    _register(agent, policy)
    agent.memory.set("pump/power", DRAWS_5)
    assert agent.memory.set("meter/reading", DRAWS_9).conflict_verdict == "conflict"
    assert len(agent.conflicts.list().items) == 1


@pytest.mark.parametrize("policy", ["auto_reinforce", "manual_review"])
@pytest.mark.parametrize(
    "first,second",
    [
        ({"session_id": "s1"}, {"session_id": "s2"}),
        ({}, {"name": "bob"}),
    ],
    ids=["two sessions", "two agents"],
)
def test_two_rows_of_one_key_are_judged_as_any_close_pair(
    store: Loom,
    agent: AgentHandle,
    policy: str,
    first: dict[str, Any],
    second: dict[str, Any],
) -> None:
    """A-121, A-126: by a point write or a bulk write, and different facts both live."""
    _register(agent, policy)

    def of(given: dict[str, Any]) -> AgentHandle:
        rest = {k: v for k, v in given.items() if k != "name"}
        name = given.get("name", "ada")
        return store.agent(name, org="acme", namespace="lab", user_id="ana", **rest)

    of(first).memory.set("a/power", DRAWS_5)
    assert of(second).memory.set("a/power", DRAWS_9).conflict_verdict == "conflict"
    of(first).memory.set("a/other", NIGHT)
    entry = {"memory_key": "a/other", "value": ELSEWHERE}
    (bulk,) = of(second).memory.bulk_set([entry]).results
    assert written(bulk).conflict_verdict == "clear"


def test_sessions_of_nobody_are_not_compared(store: Loom, agent: AgentHandle) -> None:
    """R-04: they are separate tasks, under every policy."""
    for policy in ("auto_reinforce", "manual_review", "newest_wins", "append_only"):
        _register(agent, policy)
        for session in ("s1", "s2"):
            handle = store.agent("ada", org="acme", namespace="lab", session_id=session)
            out = handle.memory.set(f"{policy}/x", f"{policy} is what {session} had")
            assert (out.conflict_verdict, out.status) == ("clear", "active")


def test_a_policy_holds_from_its_registration_on(agent: AgentHandle) -> None:
    """A-121: what was judged before stays as it was judged."""
    agent.memory.set("pump/power", DRAWS_5)
    agent.memory.set("meter/reading", DRAWS_9)
    _register(agent, "newest_wins")
    assert len(agent.conflicts.list().items) == 1
