"""Correcting, pinning and locking the row of a key."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from loom import AgentHandle, Caller, Loom, Role
from loom.errors import Forbidden, Locked, NotFound, PinnedConflict
from loom.testing.fakes import FakeClock
from loom.testing.stores import acting_as, audit_of, contents_of
from tests.operations.texts import (
    DRAWS_5,
    DRAWS_9,
    ELSEWHERE,
    NIGHT,
    NIGHT_AGAIN,
    NIGHT_SHOUTED,
)

HERE: dict[str, Any] = {"org": "acme", "namespace": "lab"}
WRITER = Caller(subject="w", roles={"acme/lab": Role.WRITER})


def _value(agent: AgentHandle, key: str) -> Any:
    row = agent.memory.get(key)
    assert row is not None
    return row.value


def test_an_update_corrects_the_row_by_key_or_by_id(agent: AgentHandle) -> None:
    """A-82, A-102: memory.update by key, memory.update_by_id by id; the same check."""
    first = agent.memory.set("k/a", NIGHT, tags=["t"])
    by_key = agent.memory.update("k/a", ELSEWHERE)
    by_id = agent.memory.update_by_id(first.memory_id, DRAWS_5)
    row = agent.memory.get("k/a")

    assert first.memory_id == by_key.memory_id == by_id.memory_id
    assert row is not None
    assert (row.value, row.tags) == (DRAWS_5, ("t",))
    agent.memory.set("k/other", DRAWS_9)
    assert agent.memory.update("k/a", NIGHT).conflict_verdict == "clear"
    assert (
        agent.memory.update_by_id(first.memory_id, DRAWS_5).conflict_verdict == "conflict"
    )


def test_an_update_creates_nothing(agent: AgentHandle) -> None:
    """A-82: it corrects what is there; a deleted row is not."""
    with pytest.raises(NotFound):
        agent.memory.update("k/a", NIGHT)
    out = agent.memory.set("k/a", NIGHT)
    agent.memory.delete("k/a")
    with pytest.raises(NotFound):
        agent.memory.update("k/a", ELSEWHERE)
    with pytest.raises(NotFound):
        agent.memory.update_by_id(out.memory_id, ELSEWHERE)


def test_a_change_by_key_acts_on_the_row_that_get_answers(store: Loom) -> None:
    """R-05: within the own user; `actor` records who did it, the row keeps its writer."""
    ada, bob = (store.agent(name, **HERE) for name in ("ada", "bob"))
    first = ada.memory.set("k/a", NIGHT)
    out = bob.memory.update("k/a", ELSEWHERE)
    row = bob.memory.get("k/a")

    assert out.memory_id == first.memory_id
    assert row is not None
    assert row.agent == "ada"
    assert ada.memory.count() == 1
    bob.memory.pin("k/a")
    bob.memory.lock("k/a", reason="kept")
    row = ada.memory.get("k/a")
    assert row is not None
    assert (row.pinned, row.lock_reason) == (True, "kept")


def test_the_own_row_comes_before_a_newer_one_of_another_agent(store: Loom) -> None:
    """R-05: the caller's own identity first."""
    ada, bob = (store.agent(name, **HERE) for name in ("ada", "bob"))
    ada.memory.set("k/a", NIGHT)
    bob.memory.set("k/a", ELSEWHERE)
    ada.memory.update("k/a", DRAWS_5)

    assert _value(ada, "k/a") == DRAWS_5
    assert _value(bob, "k/a") == ELSEWHERE


@pytest.mark.parametrize(
    "other", [{"user_id": "v"}, {"user_id": "-"}, {"namespace": "ops"}]
)
def test_a_change_never_reaches_a_row_of_another_user(
    store: Loom, other: dict[str, str]
) -> None:
    """R-04, P21: refused with the same answer as a missing key or id."""
    mine = store.agent("ada", **{**HERE, "user_id": "u"})
    theirs = store.agent("ada", **{**HERE, "user_id": "u", **other})
    out = theirs.memory.set("k/a", NIGHT)
    before = contents_of(store)

    for call in (
        lambda: mine.memory.update("k/a", ELSEWHERE),
        lambda: mine.memory.pin("k/a"),
        lambda: mine.memory.lock("k/a", reason="kept"),
        lambda: mine.memory.unlock("k/a"),
        lambda: mine.memory.update_by_id(out.memory_id, ELSEWHERE),
    ):
        with pytest.raises(NotFound):
            call()
    messages = set()
    for memory_id in (out.memory_id, "00000000-0000-7000-8000-000000000000"):
        with pytest.raises(NotFound) as caught:
            mine.memory.update_by_id(memory_id, ELSEWHERE)
        messages.add(caught.value.message)
    assert len(messages) == 1
    assert contents_of(store) == before


def test_a_pin_stores_and_pins_in_one_call(agent: AgentHandle) -> None:
    """A-85: a new key, with details."""
    out = agent.memory.pin("k/a", NIGHT, tags=["t"])
    row = agent.memory.get("k/a")

    assert out.pinned
    assert row is not None
    assert (row.pinned, row.tags, row.value) == (True, ("t",), NIGHT)
    assert agent.memory.set("k/b", ELSEWHERE, pinned=True).pinned


def test_a_pin_without_a_value_pins_what_is_there(agent: AgentHandle) -> None:
    """A-85, A-15: as a version; null is a value like any other."""
    agent.memory.set("k/a", NIGHT)
    agent.memory.pin("k/a")
    row = agent.memory.get("k/a")
    assert row is not None
    assert (row.pinned, row.value) == (True, NIGHT)

    agent.memory.pin("k/b", None)
    row = agent.memory.get("k/b")
    assert row is not None
    assert row.value is None


def test_a_pinned_row_is_not_replaced_by_its_key(agent: AgentHandle) -> None:
    """A-89, A-129: by a write that does not itself pin, in bulk neither."""
    agent.memory.pin("k/a", NIGHT)
    with pytest.raises(PinnedConflict):
        agent.memory.set("k/a", ELSEWHERE)
    (result,) = agent.memory.bulk_set([{"memory_key": "k/a", "value": ELSEWHERE}]).results

    assert result["code"] == "PINNED_CONFLICT"
    assert _value(agent, "k/a") == NIGHT


def test_an_update_changes_a_pinned_row_and_keeps_the_pin(agent: AgentHandle) -> None:
    """A-131: and only `pinned=False` takes it off."""
    agent.memory.pin("k/a", NIGHT)
    assert agent.memory.update("k/a", ELSEWHERE).pinned
    row = agent.memory.get("k/a")
    assert row is not None
    assert (row.pinned, row.value) == (True, ELSEWHERE)

    assert not agent.memory.update("k/a", ELSEWHERE, pinned=False).pinned
    assert agent.memory.set("k/a", NIGHT).conflict_verdict == "clear"


def test_a_set_cannot_take_a_pin_off(agent: AgentHandle) -> None:
    """A-129, R-30: that would change what the pin protects."""
    agent.memory.pin("k/a", NIGHT)
    with pytest.raises(PinnedConflict):
        agent.memory.set("k/a", NIGHT, pinned=False)


def test_a_pin_changes_a_pinned_row_and_pins_again(agent: AgentHandle) -> None:
    """A-132, R-42: a write that itself pins passes pin guards, peers' too."""
    agent.memory.pin("k/a", DRAWS_5)
    assert agent.memory.pin("k/a", NIGHT).pinned
    assert agent.memory.set("k/a", DRAWS_5, pinned=True).pinned
    out = agent.memory.pin("k/b", DRAWS_9)

    assert (out.conflict_verdict, out.pinned) == ("conflict", True)


def test_an_update_does_not_pass_another_row_s_pin(agent: AgentHandle) -> None:
    """A-130: the row's own pin does not stand against it, a close pinned peer does."""
    agent.memory.pin("k/a", DRAWS_5)
    agent.memory.pin("k/b", NIGHT)

    with pytest.raises(PinnedConflict):
        agent.memory.update("k/b", DRAWS_9)


def test_a_pinned_duplicate_s_key_still_resolves(agent: AgentHandle) -> None:
    """A-72: a pin may make a duplicate; its key answers through the canonical row."""
    agent.memory.set("k/a", NIGHT)
    out = agent.memory.pin("k/b", NIGHT_AGAIN)

    assert (out.status, out.pinned) == ("duplicate", True)
    assert _value(agent, "k/b") == NIGHT


def _copied(agent: AgentHandle) -> tuple[str, str]:
    """Ids of a row under `k/a` and of a duplicate of it under `k/b`."""
    first = agent.memory.set("k/a", NIGHT)
    return first.memory_id, agent.memory.set("k/b", NIGHT_AGAIN).memory_id


def test_a_change_by_a_duplicate_s_key_acts_on_the_row_that_answers(
    agent: AgentHandle,
) -> None:
    """R-05, A-72: update, pin, lock and unlock act on what `get` answers."""
    first, copy = _copied(agent)

    assert agent.memory.pin("k/b").memory_id == first
    assert agent.memory.lock("k/b", "no_delete", reason="kept").memory_id == first
    assert agent.memory.unlock("k/b").memory_id == first
    assert agent.memory.pin("k/b", NIGHT, tags=["t"]).memory_id == first
    out = agent.memory.update("k/b", ELSEWHERE)
    assert (out.memory_id, out.memory_key) == (first, "k/a")
    row = agent.memory.get_by_id(copy)
    assert row is not None
    assert (row.value, row.status, row.pinned) == (NIGHT_AGAIN, "active", False)


def test_a_set_or_a_change_by_id_acts_on_the_duplicate_itself(agent: AgentHandle) -> None:
    """R-31, A-102: a set is the caller's own identity, an id names one row."""
    first, copy = _copied(agent)

    assert agent.memory.update_by_id(copy, ELSEWHERE).memory_id == copy
    assert agent.memory.set("k/b", NIGHT_AGAIN).memory_id == copy
    assert agent.memory.set("k/b", DRAWS_5).memory_id == copy
    row = agent.memory.get("k/a")
    assert row is not None
    assert (row.memory_id, row.value) == (first, NIGHT)


def test_a_duplicate_that_nothing_answers_for_is_changed_itself(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-05, R-20: its canonical row was given an end, and that has come."""
    _, copy = _copied(agent)
    agent.memory.set("k/a", NIGHT, ttl_seconds=60)
    clock.advance(60)

    assert agent.memory.update("k/b", ELSEWHERE).memory_id == copy
    assert _value(agent, "k/b") == ELSEWHERE


def test_a_served_row_of_the_key_comes_before_another_agent_s_newer_duplicate(
    store: Loom,
) -> None:
    """R-05: a change must not reach the row of another key past the one `get` answers."""
    ada, bob, cyd = (store.agent(name, **HERE) for name in ("ada", "bob", "cyd"))
    ada.memory.set("k/else", NIGHT)
    answer = ada.memory.set("k/a", ELSEWHERE)
    assert bob.memory.set("k/a", NIGHT_AGAIN).status == "duplicate"

    row = cyd.memory.get("k/a")
    assert row is not None
    assert row.memory_id == answer.memory_id
    assert cyd.memory.update("k/a", DRAWS_5).memory_id == answer.memory_id
    assert _value(ada, "k/else") == NIGHT


def test_a_pin_through_a_duplicate_finds_its_row_past_an_own_one_of_that_key(
    store: Loom,
) -> None:
    """R-05: the key that was asked for is what is looked up again under the lock.

    It never ended when the row that answers was looked up by its own key instead.
    """
    ada, bob = (store.agent(name, **HERE) for name in ("ada", "bob"))
    first = ada.memory.set("k/a", NIGHT)
    own = bob.memory.set("k/a", ELSEWHERE)
    assert bob.memory.set("k/b", NIGHT_AGAIN).duplicate_of == first.memory_id

    assert bob.memory.pin("k/b").memory_id == first.memory_id
    row = bob.memory.get("k/a")
    assert row is not None
    assert (row.memory_id, row.pinned) == (own.memory_id, False)


def test_a_change_by_a_duplicate_s_key_is_judged_under_the_key_it_lands_on(
    store: Loom,
) -> None:
    """R-34, R-05: what a bare value says lies in the key of its row."""
    ada, bob = (store.agent(name, **HERE) for name in ("ada", "bob"))
    ada.memory.set("k/a", NIGHT)
    bob.memory.set("k/a", 7)
    bob.memory.set("k/b", NIGHT_AGAIN)
    out = bob.memory.update("k/b", 5)

    assert (out.memory_key, out.conflict_verdict) == ("k/a", "conflict")
    assert _value(ada, "k/a") == 5


def test_a_write_that_pins_and_merges_pins_the_row_that_keeps_its_claim(
    agent: AgentHandle,
) -> None:
    """A-85, A-129, R-42: what was pinned stays, though under the key that had it first."""
    first = agent.memory.set("k/a", NIGHT)
    out = agent.memory.pin("k/b", NIGHT_SHOUTED)

    assert (out.conflict_verdict, out.memory_id, out.pinned) == (
        "merge",
        first.memory_id,
        True,
    )
    with pytest.raises(PinnedConflict):
        agent.memory.set("k/a", ELSEWHERE)
    assert agent.memory.set("k/c", NIGHT_SHOUTED).pinned


@pytest.mark.parametrize("mode", ["read_only", "no_delete"])
def test_a_write_that_pins_and_merges_leaves_a_locked_row_unpinned(
    agent: AgentHandle, mode: str
) -> None:
    """A-88, R-42: it is reinforced, which changes nothing that the lock keeps."""
    agent.memory.set("k/a", NIGHT)
    agent.memory.lock("k/a", mode, reason="audit")
    out = agent.memory.set("k/b", NIGHT_SHOUTED, pinned=True)

    assert (out.conflict_verdict, out.pinned, out.reinforcement_count) == (
        "merge",
        False,
        2,
    )


def test_a_lock_refuses_what_its_mode_says(agent: AgentHandle) -> None:
    """A-134, A-88, R-42: read_only refuses change, expiry and deletion; no_delete deletion."""
    agent.memory.set("k/read", NIGHT)
    agent.memory.set("k/kept", ELSEWHERE)
    lock = agent.memory.lock("k/read", reason="audit")
    agent.memory.lock("k/kept", mode="no_delete", reason="law")

    assert (lock.lock_mode, lock.lock_reason) == ("read_only", "audit")
    assert (lock.lock_until, lock.locked_by) == (None, "process:local")
    for call in (
        lambda: agent.memory.set("k/read", DRAWS_5),
        lambda: agent.memory.set("k/read", NIGHT, ttl_seconds=5),
        lambda: agent.memory.update("k/read", DRAWS_5),
        lambda: agent.memory.pin("k/read"),
        lambda: agent.memory.delete("k/read"),
        lambda: agent.memory.delete("k/kept"),
    ):
        with pytest.raises(Locked) as caught:
            call()
        assert caught.value.details["reason"] in ("audit", "law")
    assert agent.memory.set("k/kept", DRAWS_5).conflict_verdict == "clear"
    row = agent.memory.get("k/kept")
    assert row is not None
    assert row.lock_mode == "no_delete"


@pytest.mark.parametrize("term", ["ttl_seconds", "until"])
def test_a_lock_lapses_at_lock_until(
    agent: AgentHandle, clock: FakeClock, term: str
) -> None:
    """A-135, R-42: in force before that instant, and not from it on."""
    agent.memory.set("k/a", NIGHT)
    end = clock.now + timedelta(seconds=60)
    terms: dict[str, Any] = {"ttl_seconds": 60, "until": end}
    lock = agent.memory.lock("k/a", reason="audit", **{term: terms[term]})
    assert lock.lock_until == end
    clock.set(end - timedelta(microseconds=1))
    with pytest.raises(Locked):
        agent.memory.set("k/a", ELSEWHERE)
    clock.set(end)
    assert agent.memory.set("k/a", ELSEWHERE).conflict_verdict == "clear"
    assert agent.memory.delete("k/a").found


def test_an_unlocked_row_is_free_again(agent: AgentHandle, store: Loom) -> None:
    """A-245: lock and unlock are versions; unlocking what is not locked is none."""
    agent.memory.set("k/a", NIGHT)
    agent.memory.lock("k/a", reason="audit")
    out = agent.memory.unlock("k/a")

    assert (out.lock_mode, out.lock_reason) == ("", "")
    before = contents_of(store)
    agent.memory.unlock("k/a")
    assert contents_of(store) == before
    agent.memory.set("k/a", ELSEWHERE)
    events = [v.event for v in agent.memory.history("k/a")]
    assert events == ["revised", "unlocked", "locked", "created"]
    assert [a.verdict for a in audit_of(store)] == ["clear", "locked", "unlocked", "clear"]


def test_only_an_admin_loosens_a_lock(store: Loom) -> None:
    """R-42, R-07: a writer may lock and tighten, and not unlock."""
    writer = acting_as(store, WRITER).agent("ada", **HERE)
    admin = store.agent("ada", **HERE)
    writer.memory.set("k/a", NIGHT)
    writer.memory.lock("k/a", mode="no_delete", reason="law", ttl_seconds=60)
    writer.memory.lock("k/a", reason="audit", ttl_seconds=60)

    looser: list[Callable[[], object]] = [
        lambda: writer.memory.lock("k/a", mode="no_delete", reason="x", ttl_seconds=90),
        lambda: writer.memory.lock("k/a", reason="x", ttl_seconds=30),
        lambda: writer.memory.unlock("k/a"),
    ]
    for call in looser:
        with pytest.raises(Forbidden):
            call()
    row = admin.memory.get("k/a")
    assert row is not None
    assert (row.lock_mode, row.lock_reason) == ("read_only", "audit")
    admin.memory.lock("k/a", mode="no_delete", reason="x")
    assert admin.memory.unlock("k/a").lock_mode == ""


def test_a_lapsed_lock_may_be_replaced_by_a_writer(store: Loom, clock: FakeClock) -> None:
    """R-42: it holds nobody any more."""
    writer = acting_as(store, WRITER).agent("ada", **HERE)
    writer.memory.set("k/a", NIGHT)
    writer.memory.lock("k/a", reason="audit", ttl_seconds=60)
    clock.advance(61)

    assert writer.memory.lock("k/a", mode="no_delete", reason="x", ttl_seconds=5).lock_mode
