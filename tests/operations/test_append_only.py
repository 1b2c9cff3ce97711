"""A namespace in which nothing is judged: every write stands."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

import pytest

from loom import AgentHandle, Loom
from loom.errors import Blacklisted, Locked, PinnedConflict, PreconditionFailed
from loom.testing.fakes import FakeClock
from tests.operations.looking import row_of
from tests.operations.texts import (
    DRAWS_5,
    DRAWS_9,
    ELSEWHERE,
    NIGHT,
    NIGHT_AGAIN,
    NIGHT_SHOUTED,
)

KEY: Final = "pump/hours"
HERE: Final[dict[str, Any]] = {"org": "acme", "namespace": "lab"}


@pytest.fixture
def log(agent: AgentHandle) -> AgentHandle:
    """Somebody in a namespace that only appends."""
    agent.namespace.register(default_conflict_policy="append_only")
    return agent


def test_append_only_judges_nothing(log: AgentHandle) -> None:
    """A-46, R-45: neither a restatement nor a peer; a set on a key is still a version."""
    first = log.memory.set(KEY, NIGHT)
    again = log.memory.set(KEY, NIGHT)
    copy = log.memory.set("other/key", NIGHT_SHOUTED)
    near = log.memory.set("third/key", NIGHT_AGAIN)
    log.memory.set("pump/power", DRAWS_5)
    against = log.memory.set("meter/reading", DRAWS_9)

    for out in (first, again, copy, near, against):
        assert (out.conflict_verdict, out.status, out.peers) == ("clear", "active", ())
    assert (again.memory_id, again.version > first.version) == (first.memory_id, True)
    assert len(log.memory.history(KEY)) == 2
    assert log.memory.count() == 5


def test_append_only_in_bulk_keeps_every_entry(log: AgentHandle) -> None:
    """A-46, R-37: copies of one claim in one call."""
    entries = [{"memory_key": f"log/{i}", "value": NIGHT} for i in range(3)]
    assert log.memory.bulk_set(entries).counts == {"clear": 3}
    assert log.memory.count() == 3


def test_append_only_restores_without_judging(log: AgentHandle) -> None:
    """R-45, R-61: what comes back stands beside what came since."""
    log.memory.set("pump/power", DRAWS_5)
    log.memory.delete("pump/power")
    log.memory.set("meter/reading", DRAWS_9)
    assert log.memory.restore("pump/power").rows[0].status == "active"


def test_append_only_keeps_its_guards(log: AgentHandle) -> None:
    """R-45: it skips restatement and peers, not guards."""
    log.memory.pin("a/pinned", NIGHT)
    with pytest.raises(PinnedConflict):
        log.memory.set("a/pinned", ELSEWHERE)
    log.memory.set("a/locked", 1)
    log.memory.lock("a/locked", reason="checked")
    with pytest.raises(Locked):
        log.memory.set("a/locked", 2)
    with pytest.raises(PreconditionFailed):
        log.memory.set("a/new", 2, if_match_sha256="0" * 64)
    log.blacklist.add("wolves")
    with pytest.raises(Blacklisted):
        log.memory.set("a/wolves", ELSEWHERE)


@pytest.mark.parametrize("how", ["update", "update_by_id", "pin"])
def test_a_correction_is_not_judged_either(log: AgentHandle, how: str) -> None:
    """A-46, R-45: any write."""
    log.memory.set("pump/power", DRAWS_5)
    name = log.memory.set(KEY, NIGHT).memory_id if how == "update_by_id" else KEY
    log.memory.set(KEY, NIGHT)
    out = getattr(log.memory, how)(name, DRAWS_9)

    assert (out.conflict_verdict, out.status, out.peers) == ("clear", "active", ())
    assert row_of(log, KEY).value == DRAWS_9
    assert log.conflicts.list().items == ()


def test_two_writers_of_a_key_both_stand(log: AgentHandle, store: Loom) -> None:
    """A-46: nobody's row is retired or linked; each is answered its own (R-05)."""
    bob = store.agent("bob", **HERE)
    log.memory.set(KEY, 5)
    assert bob.memory.set(KEY, 9).conflict_verdict == "clear"

    assert (row_of(log, KEY).value, row_of(bob, KEY).value) == (5, 9)
    assert {row.status for row in log.memory.list().items} == {"active"}


def test_a_proposal_is_taken_unjudged(log: AgentHandle) -> None:
    """R-23, R-45: it revises its key, and nothing is compared."""
    log.memory.set("pump/power", DRAWS_5)
    log.memory.set(KEY, NIGHT)
    trial = log.memory.set(KEY, DRAWS_9, proposed=True)
    out = log.memory.proposal_decide(trial.memory_id, "accept")

    assert (trial.peers, out.write and out.write.peers) == ((), ())
    assert (row_of(log, KEY).value, row_of(log, KEY).status) == (DRAWS_9, "active")


def test_a_backdated_entry_stands_where_it_was_put(
    log: AgentHandle, clock: FakeClock
) -> None:
    """R-44, R-45: filing into history is what `newest_wins` does, and only that."""
    log.memory.set(KEY, NIGHT)
    out = log.memory.set(KEY, ELSEWHERE, valid_at=clock.now - timedelta(days=30))

    assert (out.status, row_of(log, KEY).value) == ("active", ELSEWHERE)
    assert log.memory.list(status="superseded").items == ()


def test_what_was_judged_before_is_set_free_as_everywhere(agent: AgentHandle) -> None:
    """R-22, R-24: links end when a side leaves, whatever policy holds by then."""
    agent.memory.set("pump/power", DRAWS_5)
    agent.memory.set("meter/reading", DRAWS_9)
    agent.memory.set(KEY, NIGHT)
    agent.memory.set("bob/copy", NIGHT_AGAIN, agent="bob")
    agent.namespace.register(default_conflict_policy="append_only")

    agent.memory.set("pump/power", ELSEWHERE)
    agent.memory.delete(KEY)

    meter, copy = row_of(agent, "meter/reading"), row_of(agent, "bob/copy")
    assert (meter.status, meter.conflict_with) == ("active", ())
    assert (copy.status, copy.duplicate_of, copy.value) == ("active", "", NIGHT_AGAIN)


def test_a_dry_run_answers_the_same(log: AgentHandle) -> None:
    """R-35."""
    log.memory.set(KEY, NIGHT)
    tried = log.memory.set("other/key", NIGHT_SHOUTED, dry_run=True)

    assert (tried.conflict_verdict, tried.status) == ("clear", "active")
    assert log.memory.count() == 1
