"""The queue of contradictions, and deciding them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from loom import AgentHandle, Caller, Loom, Role
from loom.errors import (
    Blacklisted,
    Forbidden,
    IllegalTransition,
    InvalidRequest,
    Locked,
    NotFound,
)
from loom.model.memory import MemoryRow
from loom.operations.conflicts import ConflictPair
from loom.testing.fakes import FakeClock
from loom.testing.stores import acting_as, contents_of
from tests.operations.texts import DRAWS_5, DRAWS_7, DRAWS_9, ELSEWHERE, NIGHT, NIGHT_AGAIN

A, B, C = "pump/power", "meter/reading", "note/seven"


def _row(agent: AgentHandle, key: str) -> MemoryRow:
    row = agent.memory.get(key)
    assert row is not None
    return row


def _opposed(agent: AgentHandle) -> tuple[str, str]:
    """Two rows in conflict; their ids, the older first."""
    first = agent.memory.set(A, DRAWS_5)
    second = agent.memory.set(B, DRAWS_9)
    assert second.conflict_verdict == "conflict"
    return first.memory_id, second.memory_id


# ------------------------------------------------------------------------------- list


def test_a_contradiction_is_listed_once_with_both_sides_and_why(agent: AgentHandle) -> None:
    """A-126: who, when, what, and the reasons."""
    first, second = _opposed(agent)
    agent.memory.set("clear/one", ELSEWHERE)

    (pair,) = agent.conflicts.list().items

    assert pair.peer is not None
    assert {pair.row.memory_id, pair.peer.memory_id} == {first, second}
    assert (pair.row.value, pair.peer.value) == (DRAWS_9, DRAWS_5)
    assert pair.relation == "conflict"
    assert any("9" in reason and "5" in reason for reason in pair.reasons)
    assert pair.similarity == pytest.approx(0.9, abs=0.01)


def test_three_that_contradict_each_other_are_three_pairs(agent: AgentHandle) -> None:
    """R-55: every pair, over pages of any size, each once."""
    _opposed(agent)
    agent.memory.set(C, DRAWS_7)
    whole = agent.conflicts.list().items
    found = {frozenset((p.row.memory_key, p.peer.memory_key)) for p in whole if p.peer}

    assert found == {frozenset((A, B)), frozenset((A, C)), frozenset((B, C))}
    for size in (1, 2, 3):
        pages: list[ConflictPair] = []
        cursor: str | None = None
        while True:
            page = agent.conflicts.list(limit=size, cursor=cursor)
            pages.extend(page.items)
            cursor = page.cursor
            if cursor is None:
                break
            assert len(page.items) == size
        assert pages == list(whole)


def test_a_list_is_narrowed_by_a_path(agent: AgentHandle) -> None:
    """The later side's key counts."""
    _opposed(agent)
    everything = agent.conflicts.list().items
    sides = [p for p in ("pump", "meter") if agent.conflicts.list(prefix=p).items]

    assert len(sides) == 1
    assert agent.conflicts.list(prefix=sides[0]).items == everything
    assert agent.conflicts.list(prefix="no/such").items == ()


def test_only_what_the_caller_sees_is_listed(store: Loom, agent: AgentHandle) -> None:
    """R-04: a user's handle sees that user's and nobody's; all users take an administrator."""
    eve = store.agent("eva", org="acme", namespace="lab", user_id="eve")
    _opposed(eve)
    everybody = store.agent("boss", org="acme", namespace="lab", user_id="*")

    assert agent.conflicts.list().items == ()
    assert len(eve.conflicts.list().items) == len(everybody.conflicts.list().items) == 1
    writer = Caller(subject="w", roles={"acme/lab": Role.WRITER})
    weak = acting_as(store, writer).agent("boss", org="acme", namespace="lab", user_id="*")
    with pytest.raises(Forbidden):
        weak.conflicts.list()


@pytest.mark.parametrize("ending", [A, B], ids=["the earlier side", "the later side"])
def test_what_is_past_its_end_waits_for_no_decision(
    agent: AgentHandle, clock: FakeClock, ending: str
) -> None:
    """R-20: no read serves it, so nobody is asked about it, swept or not."""
    for key, value in ((A, DRAWS_5), (B, DRAWS_9)):
        agent.memory.set(key, value, ttl_seconds=60 if key == ending else None)
    assert len(agent.conflicts.list().items) == 1
    clock.advance(60)

    assert agent.conflicts.list().items == ()
    agent.namespace.sweep()
    assert agent.conflicts.list().items == ()
    assert {row.status for row in agent.memory.list().items} == {"active"}


# ---------------------------------------------------------------------------- resolve


def test_revise_keeps_the_row_and_deletes_its_peer(agent: AgentHandle) -> None:
    """A-149, A-150, R-60: the named one stands, active; the other may be restored."""
    first, second = _opposed(agent)
    out = agent.conflicts.resolve(first, second, "revise", reason="measured again")

    assert (out.status, out.peer_status, out.decision) == ("active", "tombstoned", "revise")
    assert _row(agent, A).conflict_with == ()
    assert agent.memory.get(B) is None
    versions = agent.memory.history(A)[0], agent.memory.history(B)[0]
    assert [v.event for v in versions] == ["resolved", "resolved"]
    assert agent.memory.restore(B).rows[0].conflict_verdict == "conflict"


def test_revise_with_a_value_writes_it_in_the_same_commit(agent: AgentHandle) -> None:
    """R-60: the peer goes, and the new value is judged without it."""
    first, second = _opposed(agent)
    out = agent.conflicts.resolve(first, second, "revise", value=DRAWS_7, reason="seen")

    assert out.write is not None
    assert (out.write.conflict_verdict, out.status) == ("clear", "active")
    row = _row(agent, A)
    assert (row.value, row.memory_id, row.version) == (DRAWS_7, first, out.version)
    assert agent.memory.history(B)[0].version == out.version
    assert {agent.memory.history(key)[0].event_reason for key in (A, B)} == {"seen"}
    assert agent.memory.get(B) is None


def test_contract_deletes_the_row_and_frees_its_peer(agent: AgentHandle) -> None:
    """A-150, R-60."""
    first, second = _opposed(agent)
    out = agent.conflicts.resolve(first, second, "contract")

    assert (out.status, out.peer_status) == ("tombstoned", "active")
    assert agent.memory.get(A) is None
    assert (_row(agent, B).status, _row(agent, B).conflict_with) == ("active", ())


def test_allow_keeps_both_and_does_not_flag_them_again(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """A-149, R-60: not when one is restored, not when one is stated again."""
    first, second = _opposed(agent)
    agent.conflicts.resolve(first, second, "allow")

    assert {_row(agent, key).status for key in (A, B)} == {"active"}
    assert agent.conflicts.list().items == ()
    agent.memory.set(B, DRAWS_9)
    agent.memory.delete(B)
    clock.advance(5)
    assert agent.memory.restore(B).rows[0].conflict_verdict == "clear"
    assert agent.conflicts.list().items == ()


@pytest.mark.parametrize("side", [A, B])
def test_a_changed_value_is_flagged_again(agent: AgentHandle, side: str) -> None:
    """R-60: the pair was allowed as it was."""
    first, second = _opposed(agent)
    agent.conflicts.resolve(first, second, "allow")

    out = agent.memory.update(side, DRAWS_7)

    assert out.conflict_verdict == "conflict"
    assert len(agent.conflicts.list().items) == 1


def test_a_row_with_another_contradiction_stays_conflicted(agent: AgentHandle) -> None:
    """R-22: active only if its set became empty by this."""
    first, second = _opposed(agent)
    third = agent.memory.set(C, DRAWS_7).memory_id
    out = agent.conflicts.resolve(first, second, "revise")

    assert out.status == "conflicted"
    assert _row(agent, A).conflict_with == (third,)
    assert _row(agent, C).conflict_with == (first,)


def test_duplicates_of_the_side_that_goes_are_judged_again(
    store: Loom, agent: AgentHandle
) -> None:
    """R-24: a copy of the losing claim is not lost with it."""
    first = agent.memory.set(A, NIGHT).memory_id
    agent.memory.set("side/copy", NIGHT_AGAIN)
    bob = store.agent("bob", org="acme", namespace="lab")
    second = bob.memory.set(A, 7).memory_id
    assert _row(agent, "side/copy").resolved_from == "side/copy"

    agent.conflicts.resolve(second, first, "revise")

    row = _row(agent, "side/copy")
    assert (row.status, row.value, row.resolved_from) == ("active", NIGHT_AGAIN, "")


@pytest.mark.parametrize("action", ["revise", "contract", "allow"])
def test_a_stale_id_is_an_error(store: Loom, agent: AgentHandle, action: str) -> None:
    """R-60: decided before, changed since, gone, or nobody's business; nothing is written."""
    first, second = _opposed(agent)
    other = agent.memory.set("clear/one", ELSEWHERE).memory_id
    eve = store.agent("eva", org="acme", namespace="lab", user_id="eve")
    theirs = eve.memory.set("k/x", NIGHT).memory_id
    agent.conflicts.resolve(first, second, "allow")
    before = contents_of(store)

    for one, two in ((first, second), (first, other)):
        with pytest.raises(IllegalTransition):
            agent.conflicts.resolve(one, two, action)
    for one, two in ((first, theirs), (theirs, first), (first, "x"), ("x", first)):
        with pytest.raises(NotFound):
            agent.conflicts.resolve(one, two, action)
    with pytest.raises(InvalidRequest):
        agent.conflicts.resolve(first, first, action)
    assert contents_of(store) == before


def test_malformed_decisions_leave_nothing(store: Loom, agent: AgentHandle) -> None:
    """R-30."""
    first, second = _opposed(agent)
    before = contents_of(store)
    with pytest.raises(InvalidRequest):
        agent.conflicts.resolve(first, second, "ignore")
    for action in ("contract", "allow"):
        with pytest.raises(InvalidRequest):
            agent.conflicts.resolve(first, second, action, value=DRAWS_7)
    assert contents_of(store) == before


def test_a_lock_keeps_the_side_that_would_go(agent: AgentHandle) -> None:
    """R-42: with and without a new value for the other side."""
    first, second = _opposed(agent)
    agent.memory.lock(B, mode="no_delete", reason="evidence")
    values: tuple[dict[str, Any], ...] = ({}, {"value": DRAWS_7})
    for value in values:
        with pytest.raises(Locked):
            agent.conflicts.resolve(first, second, "revise", **value)
    with pytest.raises(Locked):
        agent.conflicts.resolve(second, first, "contract")
    assert len(agent.conflicts.list().items) == 1
    assert agent.conflicts.resolve(first, second, "allow").status == "active"


def test_guards_judge_a_new_value(agent: AgentHandle) -> None:
    """R-30: the blacklist guards this way in too; nothing of the decision remains."""
    first, second = _opposed(agent)
    agent.blacklist.add("7 kW")
    with pytest.raises(Blacklisted):
        agent.conflicts.resolve(first, second, "revise", value=DRAWS_7)
    assert (_row(agent, A).value, _row(agent, B).value) == (DRAWS_5, DRAWS_9)


@pytest.mark.parametrize("given", [{}, {"value": DRAWS_7}])
def test_a_decision_can_be_tried(
    store: Loom, agent: AgentHandle, given: dict[str, Any]
) -> None:
    """R-35."""
    first, second = _opposed(agent)
    before = contents_of(store)
    tried = agent.conflicts.resolve(first, second, "revise", dry_run=True, **given)
    assert contents_of(store) == before
    done = agent.conflicts.resolve(first, second, "revise", **given)
    assert (tried.status, tried.peer_status, tried.version) == (
        done.status,
        done.peer_status,
        0,
    )


def test_an_administrator_decides_for_every_user(store: Loom) -> None:
    """R-04: review takes a namespace and the role."""
    eve = store.agent("eva", org="acme", namespace="lab", user_id="eve")
    first, second = _opposed(eve)
    everybody = store.agent("boss", org="acme", namespace="lab", user_id="*")

    everybody.conflicts.resolve(first, second, "revise", value=DRAWS_7)

    row = _row(eve, A)
    assert (row.value, row.agent, row.user_id) == (DRAWS_7, "eva", "eve")


def test_a_deleted_side_comes_back_within_the_window(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-61."""
    first, second = _opposed(agent)
    agent.conflicts.resolve(first, second, "contract")
    clock.advance(timedelta(days=13).total_seconds())
    assert agent.memory.restore(A).rows[0].status == "conflicted"
