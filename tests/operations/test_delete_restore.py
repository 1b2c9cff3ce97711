"""Deleting a key, and bringing it back."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from loom import AgentHandle, Loom
from loom.errors import Blacklisted, Locked, NotFound, PinnedConflict, RestoreWindowPassed
from loom.testing.fakes import FakeClock
from loom.testing.stores import audit_of, contents_of, versions_of
from tests.operations.texts import (
    BREAD,
    DRAWS_5,
    DRAWS_7,
    DRAWS_9,
    ELSEWHERE,
    NIGHT,
    NIGHT_AGAIN,
)

WINDOW = timedelta(days=14).total_seconds()
HERE = {"org": "acme", "namespace": "lab"}


def _gone(agent: AgentHandle, key: str, memory_id: str, word: str) -> bool:
    return (
        agent.memory.get(key) is None
        and agent.memory.get_by_id(memory_id) is None
        and all(row.memory_key != key for row in agent.memory.list().items)
        and all(hit.memory_key != key for hit in agent.memory.search(word).hits)
        and agent.memory.count(prefix=key) == 0
    )


def test_a_deleted_key_is_served_on_no_path(agent: AgentHandle, clock: FakeClock) -> None:
    """A-83, A-76, A-157, A-238: not by key, id, list, count or search; the row says when."""
    out = agent.memory.set("k/wolves", ELSEWHERE)
    clock.advance(60)
    deleted = agent.memory.delete("k/wolves")

    assert (deleted.found, deleted.count) == (True, 1)
    assert [row.memory_id for row in deleted.rows] == [out.memory_id]
    assert _gone(agent, "k/wolves", out.memory_id, "wolves")
    (row,) = agent.memory.list(status="tombstoned").items
    assert row.tombstoned_at == clock.now


def test_a_delete_is_a_version_and_shows_in_the_history(agent: AgentHandle) -> None:
    """B-252, A-15, A-160: the old value stays readable there."""
    agent.memory.set("k/a", NIGHT)
    agent.memory.delete("k/a")
    newest, oldest = agent.memory.history("k/a")

    assert (newest.event, newest.status, newest.value) == ("deleted", "tombstoned", NIGHT)
    assert newest.tombstoned_at is not None
    assert (oldest.event, oldest.status, oldest.tombstoned_at) == (
        "created",
        "active",
        None,
    )


def test_deleting_nothing_is_no_error_and_leaves_nothing(
    agent: AgentHandle, store: Loom
) -> None:
    """R-06: `found=False`."""
    agent.memory.set("k/a", NIGHT)
    agent.memory.delete("k/a")
    before = contents_of(store)
    for key in ("k/a", "k/never"):
        out = agent.memory.delete(key)
        assert (out.found, out.count, out.rows, out.version) == (False, 0, (), 0)
    assert contents_of(store) == before


def test_a_delete_takes_the_key_s_rows_of_every_agent_of_the_user(store: Loom) -> None:
    """R-06: counted and named; afterwards `get` answers nothing of what could be written."""
    ada, bob = (store.agent(name, user_id="u", **HERE) for name in ("ada", "bob"))
    in_session = store.agent("ada", user_id="u", session_id="s", **HERE)
    ada.memory.set("k/a", "Ada wrote this about the river.")
    bob.memory.set("k/a", "Bob holds another view of mountains.")
    in_session.memory.set("k/a", "A third entry speaks of deserts.")
    out = ada.memory.delete("k/a")

    assert out.count == 3
    assert {(row.agent, row.session_id) for row in out.rows} == {
        ("ada", ""),
        ("bob", ""),
        ("ada", "s"),
    }
    assert bob.memory.get("k/a") is None
    assert len({v.version for v in versions_of(store) if v.event == "deleted"}) == 1


def test_mine_only_narrows_a_delete_to_the_own_agent_and_session(store: Loom) -> None:
    """R-06: the others' rows stay."""
    ada, bob = (store.agent(name, user_id="u", **HERE) for name in ("ada", "bob"))
    in_session = store.agent("ada", user_id="u", session_id="s", **HERE)
    for i, handle in enumerate((ada, bob, in_session)):
        handle.memory.set("k/a", f"Entry number {i} tells of quite other matters.")
    out = ada.memory.delete("k/a", mine_only=True)

    assert [(row.agent, row.session_id) for row in out.rows] == [("ada", "")]
    assert ada.memory.count(prefix="k/a") == 2


@pytest.mark.parametrize(
    "other",
    [{"user_id": "v"}, {"user_id": "-"}, {"namespace": "ops"}, {"org": "beta"}],
    ids=str,
)
def test_a_delete_stays_within_the_own_user(store: Loom, other: dict[str, str]) -> None:
    """R-04, R-06: rows of others are neither deleted nor counted."""
    mine = {**HERE, "user_id": "u"}
    elsewhere = store.agent("ada", **{**mine, **other})
    elsewhere.memory.set("k/a", NIGHT)

    assert not store.agent("ada", **mine).memory.delete("k/a").found
    row = elsewhere.memory.get("k/a")
    assert row is not None
    assert row.value == NIGHT


def test_nobody_s_session_deletes_only_what_is_its_own(store: Loom) -> None:
    """R-04, R-06: for `"-"` with a session: that session."""
    for session in ("", "s", "t"):
        store.agent("ada", session_id=session, **HERE).memory.set(
            "k/a", f"An entry of session {session or 'none'} about other matters."
        )
    out = store.agent("ada", session_id="s", **HERE).memory.delete("k/a")

    assert [row.session_id for row in out.rows] == ["s"]


def test_every_deleted_row_has_its_audit_row(store: Loom) -> None:
    """B-330: one for each row, of one version."""
    for name in ("ada", "bob"):
        store.agent(name, **HERE).memory.set("k/a", f"{name} speaks of other matters here.")
    before = audit_of(store)
    out = store.agent("ada", **HERE).memory.delete("k/a")

    entries = [a for a in audit_of(store) if a not in before]
    assert {(a.agent, a.verdict, a.version) for a in entries} == {
        ("ada", "deleted", out.version),
        ("bob", "deleted", out.version),
    }


def test_one_locked_row_keeps_the_whole_group(store: Loom) -> None:
    """A-134, R-06: nothing is deleted."""
    ada, bob = (store.agent(name, **HERE) for name in ("ada", "bob"))
    ada.memory.set("k/a", NIGHT)
    bob.memory.set("k/a", ELSEWHERE)
    bob.memory.lock("k/a", mode="no_delete", reason="kept")

    with pytest.raises(Locked):
        ada.memory.delete("k/a")
    assert ada.memory.count() == 2


def test_own_duplicates_go_along_and_are_counted(agent: AgentHandle) -> None:
    """R-24: a deleted fact does not come back as its own copy."""
    agent.memory.set("pump/hours", NIGHT)
    copy = agent.memory.set("k/copy", NIGHT_AGAIN)
    out = agent.memory.delete("pump/hours")

    assert out.count == 2
    assert [(row.memory_key, row.as_duplicate) for row in out.rows] == [
        ("pump/hours", False),
        ("k/copy", True),
    ]
    assert _gone(agent, "k/copy", copy.memory_id, "pump")


def test_others_duplicates_stand_on_their_own_from_then_on(store: Loom) -> None:
    """R-24: judged again in the same commit."""
    ada, bob, cyd = (store.agent(name, **HERE) for name in ("ada", "bob", "cyd"))
    ada.memory.set("pump/hours", NIGHT)
    first = bob.memory.set("k/bob", NIGHT_AGAIN)
    cyd.memory.set("k/cyd", "The pump runs at the night.")
    out = ada.memory.delete("pump/hours")
    row = bob.memory.get("k/bob")

    assert out.count == 1
    assert row is not None
    assert (row.memory_id, row.status, row.version) == (
        first.memory_id,
        "active",
        out.version,
    )


def test_deleting_one_side_ends_the_conflict(agent: AgentHandle) -> None:
    """R-22: and only its own link."""
    one = agent.memory.set("k/5", DRAWS_5)
    agent.memory.set("k/7", DRAWS_7)
    other = agent.memory.set("k/9", DRAWS_9)
    agent.memory.delete("k/7")
    left, right = agent.memory.get("k/5"), agent.memory.get("k/9")

    assert left is not None
    assert right is not None
    assert left.conflict_with == (other.memory_id,)
    assert right.conflict_with == (one.memory_id,)
    agent.memory.delete("k/9")
    left = agent.memory.get("k/5")
    assert left is not None
    assert (left.status, left.conflict_with) == ("active", ())


def test_a_deleted_key_set_again_is_a_new_live_version(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-20, R-03, P13: the same id, every field afresh, and no duplicate of a dead row."""
    first = agent.memory.pin("k/a", NIGHT, tags=["t"], ttl_seconds=600)
    born = clock.now
    agent.memory.delete("k/a")
    clock.advance(60)
    again = agent.memory.set("k/a", NIGHT)
    row = agent.memory.get("k/a")

    assert (again.conflict_verdict, again.memory_id) == ("clear", first.memory_id)
    assert row is not None
    assert (row.tags, row.pinned, row.expires_at, row.tombstoned_at) == (
        (),
        False,
        None,
        None,
    )
    assert (row.created_at, row.reinforcement_count) == (born, 1)
    assert [v.event for v in agent.memory.history("k/a")] == [
        "created",
        "deleted",
        "created",
    ]
    assert [h.memory_key for h in agent.memory.search("pump").hits] == ["k/a"]


def test_a_restored_row_is_served_as_it_was(agent: AgentHandle) -> None:
    """A-84, A-159, A-245: a version of its own; all other columns carried forward."""
    out = agent.memory.set("k/a", NIGHT, tags=["t"], confidence=0.5)
    agent.memory.delete("k/a")
    restored = agent.memory.restore("k/a")
    row = agent.memory.get("k/a")

    assert (restored.count, restored.rows[0].conflict_verdict) == (1, "clear")
    assert row is not None
    assert (row.memory_id, row.value, row.tags) == (out.memory_id, NIGHT, ("t",))
    assert (row.confidence, row.status, row.tombstoned_at) == (0.5, "active", None)
    assert row.event == "restored"
    assert [h.memory_key for h in agent.memory.search(NIGHT).hits] == ["k/a"]


@pytest.mark.parametrize("late, restored", [(0.0, True), (0.000001, False)])
def test_the_window_is_open_until_exactly_fourteen_days(
    agent: AgentHandle, clock: FakeClock, late: float, restored: bool
) -> None:
    """A-84, A-159: the last microsecond is within."""
    agent.memory.set("k/a", NIGHT)
    agent.memory.delete("k/a")
    (tomb,) = agent.memory.list(status="tombstoned").items
    assert tomb.tombstoned_at is not None
    clock.set(tomb.tombstoned_at)
    clock.advance(WINDOW + late)

    if restored:
        assert agent.memory.restore("k/a").count == 1
    else:
        with pytest.raises(RestoreWindowPassed):
            agent.memory.restore("k/a")


def test_a_restore_revives_exactly_the_group_of_the_newest_delete(store: Loom) -> None:
    """R-06: rows deleted before stay deleted; own duplicates that went along return."""
    ada, bob = (store.agent(name, **HERE) for name in ("ada", "bob"))
    ada.memory.set("k/a", BREAD)
    bob.memory.set("k/a", ELSEWHERE)
    bob.memory.delete("k/a", mine_only=True)
    ada.memory.set("k/copy", "Ana likes her pea soup with the fresh bread.")
    out = ada.memory.delete("k/a")
    restored = ada.memory.restore("k/a")

    assert restored.count == out.count
    assert {r.memory_id for r in restored.rows} == {r.memory_id for r in out.rows}
    assert [row.agent for row in ada.memory.list(prefix="k/a").items] == ["ada"]


def test_own_duplicates_come_back_with_their_canonical_row(agent: AgentHandle) -> None:
    """R-06, R-24: exactly that group, each judged again in the same commit."""
    agent.memory.set("pump/hours", NIGHT)
    agent.memory.set("k/copy", NIGHT_AGAIN)
    agent.memory.delete("pump/hours")
    restored = agent.memory.restore("pump/hours")

    assert restored.count == 2
    statuses = {row.memory_key: row.status for row in agent.memory.list(status="*").items}
    assert sorted(statuses.values()) == ["active", "duplicate"]


def test_a_restore_runs_the_peer_check(agent: AgentHandle) -> None:
    """R-61: what was said since is met: as duplicate, in conflict, or refused by a pin."""
    agent.memory.set("k/a", DRAWS_5)
    agent.memory.delete("k/a")
    since = agent.memory.set("k/since", DRAWS_9)
    restored = agent.memory.restore("k/a")
    row, other = agent.memory.get("k/a"), agent.memory.get("k/since")

    assert restored.rows[0].conflict_verdict == "conflict"
    assert row is not None
    assert other is not None
    assert row.conflict_with == (since.memory_id,)
    assert other.conflict_with == (row.memory_id,)

    agent.memory.delete("k/a")
    agent.memory.pin("k/since", DRAWS_9)
    with pytest.raises(PinnedConflict):
        agent.memory.restore("k/a")


def test_rows_of_one_group_that_contradict_each_other_are_told_as_they_end(
    store: Loom,
) -> None:
    """R-06, R-61: the answer tells each row's status after all of them came back."""
    ada, bob = (store.agent(name, **HERE) for name in ("ada", "bob"))
    ada.memory.set("k/a", DRAWS_5)
    bob.memory.set("k/a", DRAWS_9)
    ada.memory.delete("k/a")
    restored = ada.memory.restore("k/a")

    assert [row.status for row in restored.rows] == ["conflicted", "conflicted"]
    assert [row.status for row in ada.memory.list().items] == ["conflicted", "conflicted"]
    assert "conflict" in restored.next


def test_a_restore_runs_the_blacklist(agent: AgentHandle) -> None:
    """R-30, R-61: the blacklist guards every way in."""
    agent.memory.set("k/a", "harmless words are here", tags=["Hunter2"])
    agent.memory.delete("k/a")
    agent.blacklist.add("hunter2")

    with pytest.raises(Blacklisted):
        agent.memory.restore("k/a")


def test_a_past_expiry_is_cleared_only_when_told(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-61, R-20: else the row is back, and not served."""
    agent.memory.set("k/a", NIGHT, ttl_seconds=60)
    agent.memory.delete("k/a")
    clock.advance(61)
    assert "expiry" in agent.memory.restore("k/a").next
    assert agent.memory.get("k/a") is None
    agent.memory.delete("k/a")
    agent.memory.restore("k/a", clear_expiry=True)
    row = agent.memory.get("k/a")

    assert row is not None
    assert row.expires_at is None


def test_a_live_key_has_nothing_to_restore(agent: AgentHandle) -> None:
    """A-84: neither has one that was set again."""
    agent.memory.set("k/a", NIGHT)
    with pytest.raises(NotFound):
        agent.memory.restore("k/a")
    agent.memory.delete("k/a")
    agent.memory.set("k/a", ELSEWHERE)
    with pytest.raises(NotFound):
        agent.memory.restore("k/a")


def test_another_user_cannot_restore(store: Loom) -> None:
    """R-04: a dead row of others answers as a missing one does."""
    store.agent("ada", user_id="u", **HERE).memory.set("k/a", NIGHT)
    store.agent("ada", user_id="u", **HERE).memory.delete("k/a")

    with pytest.raises(NotFound):
        store.agent("ada", user_id="v", **HERE).memory.restore("k/a")


def test_the_same_text_in_two_namespaces_is_deleted_in_one(store: Loom) -> None:
    """R-04, P11: the other keeps its row and its vectors."""
    one, two = (store.agent("ada", namespace=name) for name in ("one", "two"))
    for agent in (one, two):
        agent.memory.set("k/a", NIGHT)
    one.memory.delete("k/a")

    assert one.memory.search(NIGHT).hits == ()
    assert [h.memory_key for h in two.memory.search(NIGHT, legs=["vector"]).hits] == ["k/a"]


def test_one_user_s_rows_survive_another_s_deletes(store: Loom) -> None:
    """R-04, P09: on every path."""
    ada, bob = (store.agent("x", user_id=user, **HERE) for user in ("a", "b"))
    for i in range(10):
        for handle in (ada, bob):
            handle.memory.set(f"k/{i}", f"Fact number {i} is about a matter of its own.")
    for i in range(10):
        ada.memory.delete(f"k/{i}")

    assert (ada.memory.count(), bob.memory.count()) == (0, 10)
    assert len(bob.memory.search("matter", top_k=20).hits) == 10
    assert ada.memory.search("matter").hits == ()
    assert all(bob.memory.get(f"k/{i}") for i in range(10))


def test_nothing_is_ever_lost_by_saying_it_twice(agent: AgentHandle) -> None:
    """R-33, P01: two identical writes are one row; the opposite leaves both readable."""
    likes, hates = "Ana likes pea soup.", "Ana hates pea soup."
    agent.memory.set("ana/soup", likes)
    assert agent.memory.set("ana/soup", likes).reinforcement_count == 2
    agent.memory.set("ana/soup", hates)
    history: list[Any] = [v.value for v in agent.memory.history("ana/soup")]

    assert agent.memory.count() == 1
    assert history == [hates, likes, likes]
