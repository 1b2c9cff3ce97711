"""A namespace in which the newest claim holds, and what it replaced comes back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from loom import AgentHandle, Loom
from loom.errors import Locked, PinnedConflict
from loom.model.memory import MemoryRow
from loom.plans.outcomes import Refusal
from loom.testing.fakes import FakeClock
from loom.testing.stores import contents_of
from tests.operations.conftest import Opener
from tests.operations.texts import (
    DRAWS_5,
    DRAWS_7,
    DRAWS_9,
    ELSEWHERE,
    NIGHT,
    NIGHT_AGAIN,
)

KEY: Final = "pump/hours"
HERE: Final[dict[str, Any]] = {"org": "acme", "namespace": "lab"}
EARLIER: Final = datetime(2026, 1, 5, tzinfo=UTC)
LATER: Final = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
def newest(opened: Opener) -> Loom:
    store = opened()
    store.agent("boss", **HERE).namespace.register(default_conflict_policy="newest_wins")
    return store


def _agent(store: Loom, name: str = "ada", **identity: Any) -> AgentHandle:
    return store.agent(name, **HERE, **identity)


def _live(agent: AgentHandle, key: str = KEY) -> MemoryRow:
    row = agent.memory.get(key)
    assert row is not None
    return row


def _all(store: Loom, **filters: Any) -> tuple[MemoryRow, ...]:
    everybody = store.agent("boss", **HERE, user_id="*")
    rows: tuple[MemoryRow, ...] = everybody.memory.list(**filters).items
    return rows


# ------------------------------------------------------------------ one key, one belief


@pytest.mark.parametrize(
    "first,second",
    [
        ({"name": "ada"}, {"name": "bob"}),
        (
            {"user_id": "ana", "session_id": "s1"},
            {"user_id": "ana", "session_id": "s2"},
        ),
        (
            {"name": "ada", "user_id": "ana"},
            {"name": "bob", "user_id": "ana", "session_id": "s2"},
        ),
        ({"session_id": "s1"}, {"session_id": "s1", "name": "bob"}),
    ],
    ids=["two agents", "two sessions of a user", "both", "two agents of a session"],
)
@pytest.mark.parametrize("values", [(NIGHT, ELSEWHERE), (1, 2)], ids=["texts", "bare"])
def test_the_newest_write_of_a_key_retires_every_older_row(
    newest: Loom, first: dict[str, Any], second: dict[str, Any], values: tuple[Any, Any]
) -> None:
    """A-39, A-155, R-44: whoever wrote it, within one user."""
    old = _agent(newest, **first).memory.set(KEY, values[0])
    out = _agent(newest, **second).memory.set(KEY, values[1])

    assert (out.conflict_verdict, out.status) == ("refines", "active")
    (gone,) = _all(newest, status="superseded")
    assert (gone.memory_id, gone.superseded_by) == (old.memory_id, out.memory_id)
    assert gone.invalid_at == _live(_agent(newest, **second)).updated_at
    assert _live(_agent(newest, **first)).value == values[1]


@pytest.mark.parametrize(
    "first,second",
    [
        ({"user_id": "ana"}, {"user_id": "eve"}),
        ({"user_id": "ana"}, {}),
        ({"session_id": "s1"}, {"session_id": "s2"}),
    ],
    ids=["two users", "a user and nobody", "two sessions of nobody"],
)
def test_rows_of_others_are_left_alone(
    newest: Loom, first: dict[str, Any], second: dict[str, Any]
) -> None:
    """R-44, R-04: nobody's sessions are tasks of their own."""
    _agent(newest, **first).memory.set(KEY, NIGHT)
    out = _agent(newest, **second).memory.set(KEY, ELSEWHERE)

    assert out.conflict_verdict == "clear"
    assert _all(newest, status="superseded") == ()
    assert len(_all(newest)) == 2


def test_every_older_row_goes_at_once(newest: Loom) -> None:
    """A-39: those that stood there before the namespace said so as well."""
    boss = _agent(newest, "boss")
    boss.namespace.register(default_conflict_policy="auto_reinforce")
    for name in ("ada", "bob", "cyd"):
        _agent(newest, name).memory.set(KEY, f"said by {name}")
    boss.namespace.register(default_conflict_policy="newest_wins")

    out = _agent(newest, "dan").memory.set(KEY, "said by dan")

    gone = _all(newest, status="superseded")
    assert {row.superseded_by for row in gone} == {out.memory_id}
    assert {row.version for row in gone} == {out.version}
    assert [row.conflict_with for row in _all(newest)] == [()]


def test_the_same_claim_by_another_reinforces_and_retires_nothing(newest: Loom) -> None:
    """R-33: the canonical match comes first."""
    old = _agent(newest).memory.set(KEY, NIGHT)
    out = _agent(newest, "bob").memory.set(KEY, NIGHT)

    assert (out.conflict_verdict, out.memory_id) == ("merge", old.memory_id)
    assert _live(_agent(newest)).reinforcement_count == 2


@pytest.mark.parametrize("held", ["pin", "lock"])
@pytest.mark.parametrize("how", ["set", "pin", "bulk_set"])
def test_a_held_row_refuses_to_be_replaced(newest: Loom, held: str, how: str) -> None:
    """R-42: a pinned or locked row is never retired by another row's write."""
    ada, bob = _agent(newest), _agent(newest, "bob")
    ada.memory.pin(KEY, NIGHT) if held == "pin" else ada.memory.set(KEY, NIGHT)
    if held == "lock":
        ada.memory.lock(KEY, reason="checked")
    before = contents_of(newest)["memory"]

    if how == "bulk_set":
        (result,) = bob.memory.bulk_set([{"memory_key": KEY, "value": 7}]).results
        assert isinstance(result, Refusal)
        assert result.code in ("PINNED_CONFLICT", "LOCKED")
    elif how == "set" or held == "lock":
        with pytest.raises((PinnedConflict, Locked)):
            getattr(bob.memory, how)(KEY, ELSEWHERE)
    else:
        return  # pin acts on the row that answers, which is the pinned one itself
    assert contents_of(newest)["memory"] == before


# ---------------------------------------------------------------------- close rows


def test_a_close_row_of_another_key_is_retired(newest: Loom) -> None:
    """A-110, A-155: same subject and predicate, another object."""
    agent = _agent(newest)
    old = agent.memory.set("pump/power", DRAWS_5)
    out = agent.memory.set("meter/reading", DRAWS_9)

    assert (out.conflict_verdict, out.status) == ("refines", "active")
    assert agent.memory.get("pump/power") is None
    (gone,) = _all(newest, status="superseded")
    assert (gone.memory_id, gone.superseded_by) == (old.memory_id, out.memory_id)
    assert "pump/power" in out.next


def test_every_match_is_retired(newest: Loom) -> None:
    """R-33: refines retires all of them."""
    agent = _agent(newest)
    agent.namespace.register(default_conflict_policy="manual_review")
    agent.memory.set("a/1", DRAWS_5)
    agent.memory.set("a/2", DRAWS_9)
    agent.namespace.register(default_conflict_policy="newest_wins")

    assert agent.memory.set("a/3", DRAWS_7).conflict_verdict == "refines"
    assert [row.memory_key for row in _all(newest)] == ["a/3"]


def test_a_later_fact_is_not_retired_by_an_earlier_one(newest: Loom) -> None:
    """A-111, A-243: it becomes a conflict, linked both ways."""
    agent = _agent(newest)
    old = agent.memory.set("pump/power", DRAWS_5, valid_at=LATER)
    out = agent.memory.set("meter/reading", DRAWS_9, valid_at=EARLIER)

    assert (out.conflict_verdict, out.status) == ("conflict", "conflicted")
    row = _live(agent, "pump/power")
    assert (row.status, row.conflict_with) == ("conflicted", (out.memory_id,))
    assert row.memory_id == old.memory_id


@pytest.mark.parametrize("held", ["pin", "lock"])
def test_a_held_close_row_is_contradicted_not_retired(newest: Loom, held: str) -> None:
    """R-42: `refines` becomes `conflict`."""
    agent = _agent(newest)
    agent.memory.set("pump/power", DRAWS_5)
    agent.memory.pin("pump/power") if held == "pin" else agent.memory.lock(
        "pump/power", mode="no_delete", reason="evidence"
    )

    out = agent.memory.pin("meter/reading", DRAWS_9)

    assert out.conflict_verdict == "conflict"
    assert _live(agent, "pump/power").conflict_with == (out.memory_id,)


def test_duplicates_of_a_retired_row_are_judged_again(newest: Loom) -> None:
    """R-24."""
    ada, bob = _agent(newest), _agent(newest, "bob")
    ada.memory.set(KEY, NIGHT)
    ada.memory.set("side/copy", NIGHT_AGAIN)
    bob.memory.set(KEY, ELSEWHERE)

    assert (_live(ada, "side/copy").status, _live(ada, "side/copy").value) == (
        "active",
        NIGHT_AGAIN,
    )


@pytest.mark.parametrize("how", ["update", "pin"])
def test_a_correction_retires_what_it_contradicts_too(newest: Loom, how: str) -> None:
    """A-110: any write of a newer claim."""
    agent = _agent(newest)
    agent.memory.set(KEY, NIGHT)
    agent.memory.set("pump/power", DRAWS_5)
    out = getattr(agent.memory, how)(KEY, DRAWS_9)

    assert out.conflict_verdict == "refines"
    assert agent.memory.get("pump/power") is None


# ---------------------------------------------------------------------- facts from before


def test_a_back_filled_fact_goes_into_history(newest: Loom) -> None:
    """R-44, A-243: the head stays; the older fact is found by flag and in history."""
    agent = _agent(newest)
    held = agent.memory.set(KEY, NIGHT, valid_at=LATER)
    out = agent.memory.set(KEY, ELSEWHERE, valid_at=EARLIER)

    assert (out.status, out.superseded_by) == ("superseded", held.memory_id)
    assert out.memory_id != held.memory_id
    assert (_live(agent).value, _live(agent).version) == (NIGHT, held.version)
    assert agent.memory.search(ELSEWHERE).hits == ()
    (hit,) = agent.memory.search(ELSEWHERE, include_superseded=True).hits
    assert (hit.status, hit.superseded_by) == ("superseded", held.memory_id)
    assert agent.memory.history(KEY)[0].event == "filed"


def test_a_fact_back_filled_twice_is_counted(newest: Loom) -> None:
    """A job that runs again doubles nothing."""
    agent = _agent(newest)
    agent.memory.set(KEY, NIGHT, valid_at=LATER)
    first = agent.memory.set(KEY, ELSEWHERE, valid_at=EARLIER)
    again = agent.memory.set(KEY, ELSEWHERE, valid_at=EARLIER)
    other = agent.memory.set(KEY, ELSEWHERE, valid_at=EARLIER + timedelta(days=1))

    assert (again.memory_id, again.noop, again.reinforcement_count) == (
        first.memory_id,
        True,
        2,
    )
    assert other.memory_id != first.memory_id


def test_the_best_known_dates_are_compared(newest: Loom, clock: FakeClock) -> None:
    """R-44: valid_at, else when it was written first."""
    agent = _agent(newest)
    agent.memory.set(KEY, NIGHT)
    before = clock.now - timedelta(days=1)
    assert agent.memory.set(KEY, ELSEWHERE, valid_at=before).status == "superseded"
    after = clock.now + timedelta(days=1)
    assert agent.memory.set(KEY, ELSEWHERE, valid_at=after).status == "active"
    assert _live(agent).value == ELSEWHERE


def test_another_agents_older_fact_does_not_retire_a_newer_row(newest: Loom) -> None:
    """A-243."""
    held = _agent(newest).memory.set(KEY, NIGHT, valid_at=LATER)
    out = _agent(newest, "bob").memory.set(KEY, ELSEWHERE, valid_at=EARLIER)

    assert (out.status, out.superseded_by) == ("superseded", held.memory_id)
    assert _live(_agent(newest, "bob")).value == NIGHT


def test_an_older_fact_on_trial_is_filed_when_it_is_taken(newest: Loom) -> None:
    """R-23, R-44: the proposal itself goes into history; the head stays."""
    agent = _agent(newest)
    held = agent.memory.set(KEY, NIGHT, valid_at=LATER)
    proposal = agent.memory.set(KEY, ELSEWHERE, valid_at=EARLIER, proposed=True)

    out = agent.memory.proposal_decide(proposal.memory_id, "accept", reason="a diary")

    assert (out.memory_id, out.status) == (proposal.memory_id, "superseded")
    assert (_live(agent).value, _live(agent).version) == (NIGHT, held.version)
    version = agent.memory.history(KEY)[0]
    assert (version.superseded_by, version.event_reason) == (held.memory_id, "a diary")


def test_an_older_fact_on_trial_that_was_filed_is_counted_there(newest: Loom) -> None:
    """R-23, R-44: nothing stays on trial once it is decided."""
    agent = _agent(newest)
    agent.memory.set(KEY, NIGHT, valid_at=LATER)
    filed = agent.memory.set(KEY, ELSEWHERE, valid_at=EARLIER)
    proposal = agent.memory.set(KEY, ELSEWHERE, valid_at=EARLIER, proposed=True)

    out = agent.memory.proposal_decide(proposal.memory_id, "accept")

    assert out.memory_id == filed.memory_id
    assert agent.memory.list(status="proposed").items == ()


def test_elsewhere_an_older_date_changes_nothing(agent: AgentHandle) -> None:
    """A-243 is about `newest_wins` alone: in other namespaces a set is a revision."""
    agent.memory.set(KEY, NIGHT, valid_at=LATER)
    out = agent.memory.set(KEY, ELSEWHERE, valid_at=EARLIER)
    assert (out.status, _live(agent).value) == ("active", ELSEWHERE)


# ---------------------------------------------------------------------------- coming back


def test_a_superseded_row_comes_back_beside_its_successor(
    newest: Loom, clock: FakeClock
) -> None:
    """A-156, R-61: linked in conflict with it; no window closes on it."""
    ada, bob = _agent(newest), _agent(newest, "bob")
    old = ada.memory.set(KEY, NIGHT)
    new = bob.memory.set(KEY, ELSEWHERE)
    clock.advance(timedelta(days=60).total_seconds())

    out = ada.memory.restore(KEY)

    assert (out.count, out.rows[0].status) == (1, "conflicted")
    assert _live(ada).memory_id == old.memory_id
    assert (_live(ada).superseded_by, _live(ada).invalid_at) == ("", None)
    assert _live(ada).conflict_with == (new.memory_id,)
    assert _live(bob).conflict_with == (old.memory_id,)


def test_it_is_active_where_its_successor_is_gone(newest: Loom) -> None:
    """A-156."""
    ada, bob = _agent(newest), _agent(newest, "bob")
    ada.memory.set("pump/power", DRAWS_5)
    bob.memory.set("meter/reading", DRAWS_9)
    bob.memory.delete("meter/reading")

    assert ada.memory.restore("pump/power").rows[0].status == "active"


def test_the_live_successor_of_a_successor_is_the_one(newest: Loom) -> None:
    """R-61: its live successor, however long the chain."""
    agent = _agent(newest)
    agent.memory.set("a/1", DRAWS_5)
    agent.memory.set("a/2", DRAWS_7)
    last = agent.memory.set("a/3", DRAWS_9)

    agent.memory.restore("a/1")
    assert last.memory_id in _live(agent, "a/1").conflict_with


def test_a_superseded_key_may_be_set_again(newest: Loom) -> None:
    """R-20: a new version, live, of the same row."""
    agent = _agent(newest)
    old = agent.memory.set("pump/power", DRAWS_5, tags=["old"])
    agent.memory.set("meter/reading", DRAWS_9)
    out = agent.memory.set("pump/power", NIGHT)

    assert (out.memory_id, out.status) == (old.memory_id, "active")
    assert _live(agent, "pump/power").tags == ()


def test_a_superseded_row_is_not_served_by_default(newest: Loom) -> None:
    """A-73, A-237: it says when loom retired it."""
    agent = _agent(newest)
    old = agent.memory.set("pump/power", DRAWS_5)
    agent.memory.set("meter/reading", DRAWS_9)

    assert agent.memory.get_by_id(old.memory_id) is None
    assert [hit.value for hit in agent.memory.search(DRAWS_5).hits] == [DRAWS_9]
    found = agent.memory.search(DRAWS_5, include_superseded=True).hits
    assert {hit.status for hit in found} == {"active", "superseded"}
