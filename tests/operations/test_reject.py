"""Marking a claim as wrong."""

from __future__ import annotations

from typing import Any

import pytest

from loom import AgentHandle, Loom
from loom.errors import IllegalTransition, InvalidRequest, Locked, NotFound
from loom.testing.stores import contents_of
from tests.operations.looking import row_of
from tests.operations.texts import DRAWS_5, DRAWS_9, ELSEWHERE, NIGHT, NIGHT_AGAIN

KEY = "pump/hours"


def test_a_rejected_row_is_served_nowhere(agent: AgentHandle) -> None:
    """A-75, A-154."""
    row = agent.memory.set(KEY, NIGHT)
    out = agent.memory.reject(KEY, reason="never measured")

    assert (out.memory_id, out.status) == (row.memory_id, "rejected")
    assert agent.memory.get(KEY) is None
    assert agent.memory.get_by_id(row.memory_id) is None
    assert agent.memory.search(NIGHT, include_superseded=True).hits == ()
    assert agent.memory.count() == 0
    version = agent.memory.history(KEY)[0]
    assert (version.event, version.status) == ("rejected", "rejected")
    assert version.invalid_at == version.written_at


def test_what_was_rejected_is_not_restored_but_may_be_set_again(agent: AgentHandle) -> None:
    """R-20: a new version, live, of the same row."""
    row = agent.memory.set(KEY, NIGHT, tags=["old"])
    agent.memory.reject(KEY)

    with pytest.raises(NotFound):
        agent.memory.restore(KEY)
    again = agent.memory.set(KEY, NIGHT)

    assert (again.memory_id, again.conflict_verdict) == (row.memory_id, "clear")
    assert row_of(agent, KEY).tags == ()


def test_the_other_side_of_a_conflict_is_freed(agent: AgentHandle) -> None:
    """R-20, R-22: a conflicted row may be rejected; its partner loses the link."""
    agent.memory.set(KEY, DRAWS_5)
    agent.memory.set("other/key", DRAWS_9)
    agent.memory.reject(KEY)

    row = row_of(agent, "other/key")
    assert (row.status, row.conflict_with) == ("active", ())


def test_its_duplicates_are_judged_again(agent: AgentHandle) -> None:
    """R-24: a duplicate of a wrong row is not wrong by that."""
    agent.memory.set(KEY, NIGHT)
    agent.memory.set("other/key", NIGHT_AGAIN)
    agent.memory.reject(memory_id=row_of(agent, KEY).memory_id)

    row = row_of(agent, "other/key")
    assert (row.status, row.value, row.duplicate_of) == ("active", NIGHT_AGAIN, "")


@pytest.mark.parametrize("mode", ["read_only", "no_delete"])
def test_a_lock_refuses_it(agent: AgentHandle, mode: str) -> None:
    """R-42."""
    agent.memory.set(KEY, NIGHT)
    agent.memory.lock(KEY, mode=mode, reason="checked")
    with pytest.raises(Locked):
        agent.memory.reject(KEY)
    assert agent.memory.get(KEY) is not None


def test_by_key_it_is_the_row_that_answers(store: Loom, agent: AgentHandle) -> None:
    """R-05: within what the caller may write."""
    mine = agent.memory.set(KEY, 1).memory_id
    theirs = store.agent("bob", org="acme", namespace="lab")
    theirs.memory.set(KEY, 2)

    assert agent.memory.reject(KEY).memory_id == mine
    assert row_of(theirs, KEY).value == 2


def test_a_row_of_another_user_answers_as_missing(store: Loom, agent: AgentHandle) -> None:
    """R-04."""
    eve = store.agent("ada", org="acme", namespace="lab", user_id="eve")
    theirs = eve.memory.set(KEY, NIGHT).memory_id
    cases: tuple[dict[str, Any], ...] = (
        {"memory_id": theirs},
        {"memory_id": "x"},
        {"memory_key": KEY},
    )
    for given in cases:
        with pytest.raises(NotFound):
            agent.memory.reject(**given)
    more: tuple[dict[str, Any], ...] = ({}, {"memory_key": KEY, "memory_id": theirs})
    for given in more:
        with pytest.raises(InvalidRequest):
            agent.memory.reject(**given)


def test_a_row_that_is_gone_cannot_be_rejected(agent: AgentHandle) -> None:
    """R-20: tombstoned and rejected rows have no such arrow."""
    first = agent.memory.set(KEY, NIGHT).memory_id
    agent.memory.delete(KEY)
    second = agent.memory.set("other/key", ELSEWHERE).memory_id
    agent.memory.reject("other/key")
    for memory_id in (first, second):
        with pytest.raises(IllegalTransition):
            agent.memory.reject(memory_id=memory_id)


def test_it_can_be_tried(store: Loom, agent: AgentHandle) -> None:
    """R-35."""
    agent.memory.set(KEY, NIGHT)
    before = contents_of(store)
    tried = agent.memory.reject(KEY, dry_run=True)
    assert contents_of(store) == before
    assert (tried.dry_run, tried.version, tried.status) == (True, 0, "rejected")
