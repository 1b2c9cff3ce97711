"""Claims on trial: kept beside what a key holds, taken or turned down by somebody."""

from __future__ import annotations

import pytest

from loom import AgentHandle, Loom
from loom.errors import (
    Blacklisted,
    IllegalTransition,
    InvalidRequest,
    Locked,
    NotFound,
    PinnedConflict,
)
from loom.testing.stores import audit_of, contents_of
from tests.operations.looking import row_of
from tests.operations.texts import (
    BREAD,
    BUTTER,
    DRAWS_5,
    DRAWS_9,
    ELSEWHERE,
    NIGHT,
    NIGHT_AGAIN,
    NIGHT_SHOUTED,
)

KEY = "pump/hours"


def _propose(agent: AgentHandle, value: str = ELSEWHERE, key: str = KEY) -> str:
    return agent.memory.set(key, value, proposed=True).memory_id


def test_a_proposal_is_not_served_until_it_is_decided(agent: AgentHandle) -> None:
    """A-74, A-147, R-23."""
    out = agent.memory.set(KEY, NIGHT, proposed=True)

    assert out.status == "proposed"
    assert out.memory_id in out.next
    assert agent.memory.get(KEY) is None
    assert agent.memory.get_by_id(out.memory_id) is None
    assert agent.memory.search(NIGHT).hits == ()
    assert agent.memory.count() == 0
    (row,) = agent.memory.list(status="proposed").items
    assert (row.value, row.memory_id) == (NIGHT, out.memory_id)
    (hit,) = agent.memory.search(NIGHT, include_proposed=True).hits
    assert hit.status == "proposed"


def test_a_proposal_never_displaces_what_its_key_holds(agent: AgentHandle) -> None:
    """R-23: it has an id of its own, and the row is as it was, locks and pins included."""
    held = agent.memory.pin(KEY, NIGHT)
    agent.memory.lock(KEY, reason="checked")
    before = agent.memory.get(KEY)

    out = agent.memory.set(KEY, ELSEWHERE, proposed=True)

    assert out.memory_id != held.memory_id
    assert agent.memory.get(KEY) == before


def test_a_proposal_says_what_it_would_be_up_against(agent: AgentHandle) -> None:
    """R-33: the verdict and the peers are advice; nothing is linked by it."""
    agent.memory.set("pump/power", DRAWS_5)

    out = agent.memory.set(KEY, DRAWS_9, proposed=True)

    assert (out.conflict_verdict, out.status) == ("conflict", "proposed")
    assert [peer.memory_key for peer in out.peers] == ["pump/power"]
    row = agent.memory.get("pump/power")
    assert row is not None
    assert (row.status, row.conflict_with) == ("active", ())


def test_the_blacklist_guards_a_proposal(agent: AgentHandle) -> None:
    """R-30: it guards every way in."""
    agent.blacklist.add("wolves")
    with pytest.raises(Blacklisted):
        _propose(agent)


def test_what_a_key_says_already_is_not_put_on_trial(agent: AgentHandle) -> None:
    """R-30: nothing is written, and the answer says so."""
    agent.memory.set(KEY, NIGHT)
    out = agent.memory.set(KEY, NIGHT, proposed=True)

    assert (out.conflict_verdict, out.noop) == ("restated", True)
    assert agent.memory.list(status="proposed").items == ()


def test_a_proposal_made_twice_is_counted(agent: AgentHandle) -> None:
    """R-31 in its spirit: one proposal, stated twice."""
    first, again = _propose(agent), _propose(agent)

    assert first == again
    (row,) = agent.memory.list(status="proposed").items
    assert row.reinforcement_count == 2
    assert _propose(agent, BREAD) != first


def test_compare_and_set_has_nothing_to_compare_with(agent: AgentHandle) -> None:
    """R-36: a proposal replaces nothing."""
    with pytest.raises(InvalidRequest):
        agent.memory.set(KEY, NIGHT, proposed=True, if_match_sha256="0" * 64)


def test_accepting_revises_the_row_of_the_key(agent: AgentHandle) -> None:
    """A-151, R-23: one version of the key's own row, in its own history."""
    held = agent.memory.set(KEY, NIGHT, tags=["kept"])
    proposal = _propose(agent)

    out = agent.memory.proposal_decide(proposal, "accept", reason="seen by two")

    assert (out.memory_id, out.status) == (held.memory_id, "active")
    row = agent.memory.get(KEY)
    assert row is not None
    assert (row.value, row.memory_id, row.tags) == (ELSEWHERE, held.memory_id, ("kept",))
    taken = agent.memory.list(status="superseded").items
    assert [(t.memory_id, t.superseded_by) for t in taken] == [(proposal, held.memory_id)]
    assert taken[0].invalid_at == row.updated_at
    newest = agent.memory.history(KEY)[:2]
    assert [(v.event, v.event_reason) for v in newest] == [("accepted", "seen by two")] * 2
    assert [hit.value for hit in agent.memory.search(ELSEWHERE).hits] == [ELSEWHERE]


def test_accepting_for_a_new_key_makes_the_proposal_its_row(agent: AgentHandle) -> None:
    """A-151: proposed becomes active, with the id it had."""
    proposal = _propose(agent)
    out = agent.memory.proposal_decide(proposal, "accept")

    assert out.memory_id == proposal
    row = agent.memory.get(KEY)
    assert row is not None
    assert (row.memory_id, row.status, row.beside) == (proposal, "active", "")
    assert agent.memory.set(KEY, NIGHT).memory_id == proposal
    assert agent.memory.list(status="proposed").items == ()


def test_accepting_for_a_deleted_key_begins_its_row_afresh(agent: AgentHandle) -> None:
    """R-20: a key whose head is tombstoned may be set again."""
    held = agent.memory.set(KEY, NIGHT, tags=["old"])
    agent.memory.delete(KEY)
    out = agent.memory.proposal_decide(_propose(agent), "accept")

    row = agent.memory.get(KEY)
    assert row is not None
    assert (out.memory_id, row.value, row.tags) == (held.memory_id, ELSEWHERE, ())


def test_accepting_what_is_contradicted_on_trial_links_both(agent: AgentHandle) -> None:
    """A-152: proposed becomes conflicted."""
    proposal = _propose(agent, DRAWS_9)
    other = agent.memory.set("pump/power", DRAWS_5)

    out = agent.memory.proposal_decide(proposal, "accept")

    assert out.status == "conflicted"
    assert out.write is not None
    assert out.write.conflict_verdict == "conflict"
    peer = agent.memory.get("pump/power")
    assert peer is not None
    assert peer.conflict_with == (out.memory_id,)
    own = agent.memory.get_by_id(out.memory_id)
    assert own is not None
    assert own.conflict_with == (other.memory_id,)


def test_accepting_what_is_known_elsewhere_reinforces_it(agent: AgentHandle) -> None:
    """R-31: a new key merges into the row that says so already."""
    proposal = _propose(agent, NIGHT)
    known = agent.memory.set("other/key", NIGHT_SHOUTED)

    out = agent.memory.proposal_decide(proposal, "accept")

    assert out.memory_id == known.memory_id
    row = agent.memory.get("other/key")
    assert row is not None
    assert row.reinforcement_count == 2
    (taken,) = agent.memory.list(status="superseded").items
    assert taken.superseded_by == known.memory_id


def test_accepting_a_near_copy_makes_a_duplicate(agent: AgentHandle) -> None:
    """A-151, R-33: it is judged as any claim is."""
    agent.memory.set("other/key", NIGHT)
    out = agent.memory.proposal_decide(_propose(agent, NIGHT_AGAIN), "accept")

    assert out.status == "duplicate"
    row = agent.memory.get(KEY)
    assert row is not None
    assert row.resolved_from == KEY


@pytest.mark.parametrize("hold", ["pin", "lock", "blacklist"])
def test_a_guard_objects_when_a_proposal_is_taken(agent: AgentHandle, hold: str) -> None:
    """R-23, R-30: accepting is a revision, through all guards; refused, it stays on trial."""
    agent.memory.set(KEY, NIGHT)
    proposal = _propose(agent)
    if hold == "pin":
        agent.memory.pin(KEY)
    elif hold == "lock":
        agent.memory.lock(KEY, reason="checked")
    else:
        agent.blacklist.add("wolves")
    errors = {"pin": PinnedConflict, "lock": Locked, "blacklist": Blacklisted}

    with pytest.raises(errors[hold]):
        agent.memory.proposal_decide(proposal, "accept")

    assert row_of(agent, KEY).value == NIGHT
    assert agent.memory.list(status="proposed").items[0].memory_id == proposal


def test_rejecting_leaves_the_key_as_it_was(agent: AgentHandle) -> None:
    """A-75, A-153."""
    agent.memory.set(KEY, NIGHT)
    before = agent.memory.get(KEY)
    proposal = _propose(agent)

    out = agent.memory.proposal_decide(proposal, "reject", reason="nobody saw it")

    assert (out.status, out.decision, out.reason) == ("rejected", "reject", "nobody saw it")
    assert agent.memory.get(KEY) == before
    assert agent.memory.search(ELSEWHERE, include_proposed=True).hits == ()
    newest = agent.memory.history(KEY)[0]
    assert (newest.memory_id, newest.event) == (proposal, "rejected")


@pytest.mark.parametrize("first", ["accept", "reject"])
@pytest.mark.parametrize("second", ["accept", "reject"])
def test_a_proposal_is_decided_once(agent: AgentHandle, first: str, second: str) -> None:
    """R-20: an illegal transition writes nothing."""
    agent.memory.set(KEY, NIGHT)
    proposal = _propose(agent)
    agent.memory.proposal_decide(proposal, first)
    with pytest.raises(IllegalTransition):
        agent.memory.proposal_decide(proposal, second)


def test_an_id_that_is_no_proposal_of_the_caller_is_an_error(
    store: Loom, agent: AgentHandle
) -> None:
    """R-04: rows of others answer as missing ones do."""
    live = agent.memory.set(KEY, NIGHT)
    theirs = store.agent("ada", org="acme", namespace="lab", user_id="eve")
    hidden = theirs.memory.set("x/y", ELSEWHERE, proposed=True).memory_id

    with pytest.raises(IllegalTransition):
        agent.memory.proposal_decide(live.memory_id, "accept")
    for missing in (hidden, "nothing"):
        with pytest.raises(NotFound):
            agent.memory.proposal_decide(missing, "accept")
    with pytest.raises(InvalidRequest):
        agent.memory.proposal_decide(hidden, "perhaps")


@pytest.mark.parametrize("decision", ["accept", "reject"])
def test_a_decision_can_be_tried(store: Loom, agent: AgentHandle, decision: str) -> None:
    """R-35: the answer, and nothing written."""
    agent.memory.set(KEY, NIGHT)
    proposal = _propose(agent)
    before = contents_of(store)

    tried = agent.memory.proposal_decide(proposal, decision, dry_run=True)
    assert contents_of(store) == before
    done = agent.memory.proposal_decide(proposal, decision)

    assert (tried.dry_run, tried.version) == (True, 0)
    assert (tried.status, tried.memory_id) == (done.status, done.memory_id)


def test_a_decision_is_audited_once(store: Loom, agent: AgentHandle) -> None:
    """R-30: one entry, about the row that was written."""
    proposal = _propose(agent)
    agent.memory.proposal_decide(proposal, "accept")

    entries = [e for e in audit_of(store) if e.operation == "memory.proposal_decide"]
    assert [(e.memory_id, e.verdict) for e in entries] == [(proposal, "clear")]


def test_an_administrator_decides_for_every_user(store: Loom) -> None:
    """R-04: review takes a namespace, and the role."""
    ana = store.agent("ada", org="acme", namespace="lab", user_id="ana")
    proposal = _propose(ana, BUTTER, "ana/soup")
    everybody = store.agent("boss", org="acme", namespace="lab", user_id="*")

    everybody.memory.proposal_decide(proposal, "accept")

    row = ana.memory.get("ana/soup")
    assert row is not None
    assert (row.value, row.agent, row.user_id) == (BUTTER, "ada", "ana")
