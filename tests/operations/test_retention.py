"""Retention windows of a namespace, a type and a tag; none of them by default."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

import pytest

from loom import AgentHandle
from loom.errors import InvalidRequest
from loom.testing.fakes import FakeClock
from tests.operations.looking import row_of
from tests.operations.texts import DRAWS_5, ELSEWHERE, NIGHT

_CENTURY: Final = timedelta(days=36_500).total_seconds()


def test_nothing_ends_by_age_unless_somebody_says_so(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """A-332, A-333: no default expiry, and no sweep by age."""
    agent.namespace.register(description="says nothing of it")
    agent.memory.set("a/1", NIGHT)
    clock.advance(_CENTURY)
    agent.namespace.sweep()
    row = row_of(agent, "a/1")
    assert (row.value, row.expires_at) == (NIGHT, None)


def test_the_tag_says_it_else_the_type_else_the_namespace(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """A-333: the nearer word holds, and a sooner end of the writer's own."""
    agent.namespace.register(
        retention_days=10,
        type_registry={"decision": {"retention_days": 20}},
        tag_registry={"case": {"retention_days": 30}},
    )
    said: dict[str, tuple[str, dict[str, Any]]] = {
        "a/1": (NIGHT, {}),
        "a/2": (ELSEWHERE, {"memory_type": "decision"}),
        "a/3": (DRAWS_5, {"memory_type": "decision", "tags": ["case"]}),
        "a/4": ("Sheep graze below the dam.", {"ttl_seconds": 60}),
    }
    for key, (value, more) in said.items():
        agent.memory.set(key, value, **more)
    ends = {key: row_of(agent, key).expires_at for key in said}
    assert ends == {
        "a/1": clock.now + timedelta(days=10),
        "a/2": clock.now + timedelta(days=20),
        "a/3": clock.now + timedelta(days=30),
        "a/4": clock.now + timedelta(seconds=60),
    }


def test_a_row_past_its_window_is_not_read_and_is_swept(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """A-333, R-20: reads need no sweep, and the sweep ends it as any other expiry."""
    agent.namespace.register(retention_days=1)
    agent.memory.set("a/1", NIGHT)
    clock.advance(timedelta(days=2).total_seconds())
    assert agent.memory.get("a/1") is None
    assert agent.memory.search(NIGHT).hits == ()
    agent.namespace.sweep()
    assert agent.memory.history("a/1")[0].event == "expired"


def test_a_window_that_is_cleared_holds_no_more(agent: AgentHandle) -> None:
    """A-333: for writes from then on."""
    agent.namespace.register(retention_days=1)
    agent.namespace.register(retention_days=None)
    agent.memory.set("a/1", NIGHT)
    assert row_of(agent, "a/1").expires_at is None


@pytest.mark.parametrize("days", [0, -1, "3", True, float("nan"), 1e9])
def test_a_malformed_window_is_told(agent: AgentHandle, days: Any) -> None:
    """A-333: a number of days above 0."""
    for said in (
        {"retention_days": days},
        {"type_registry": {"x": {"retention_days": days}}},
    ):
        with pytest.raises(InvalidRequest, match="days"):
            agent.namespace.register(**said)
