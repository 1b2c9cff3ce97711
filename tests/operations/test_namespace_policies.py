"""What a namespace, a tag or a run makes of the rules."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

import pytest

from loom import AgentHandle, Loom
from loom.errors import Blacklisted, Locked, PinnedConflict, PreconditionFailed
from loom.testing.fakes import FakeClock
from tests.operations.looking import written
from tests.operations.texts import (
    DRAWS_5,
    DRAWS_9,
    ELSEWHERE,
    NIGHT,
    NIGHT_AGAIN,
    NIGHT_SHOUTED,
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


def test_append_only_judges_nothing(agent: AgentHandle) -> None:
    """A-46, R-45: neither a restatement nor a peer; a set on a key is still a version."""
    _register(agent, "append_only")
    first = agent.memory.set(KEY, NIGHT)
    again = agent.memory.set(KEY, NIGHT)
    copy = agent.memory.set("other/key", NIGHT_SHOUTED)
    near = agent.memory.set("third/key", NIGHT_AGAIN)
    agent.memory.set("pump/power", DRAWS_5)
    against = agent.memory.set("meter/reading", DRAWS_9)

    for out in (first, again, copy, near, against):
        assert (out.conflict_verdict, out.status, out.peers) == ("clear", "active", ())
    assert (again.memory_id, again.version > first.version) == (first.memory_id, True)
    assert len(agent.memory.history(KEY)) == 2
    assert agent.memory.count() == 5


def test_append_only_in_bulk_keeps_every_entry(agent: AgentHandle) -> None:
    """A-46, R-37."""
    _register(agent, "append_only")
    entries = [{"memory_key": f"log/{i}", "value": NIGHT} for i in range(3)]
    assert agent.memory.bulk_set(entries).counts == {"clear": 3}
    assert agent.memory.count() == 3


def test_append_only_restores_without_judging(agent: AgentHandle) -> None:
    """R-45."""
    _register(agent, "append_only")
    agent.memory.set("pump/power", DRAWS_5)
    agent.memory.delete("pump/power")
    agent.memory.set("meter/reading", DRAWS_9)
    assert agent.memory.restore("pump/power").rows[0].status == "active"


def test_append_only_keeps_its_guards(agent: AgentHandle) -> None:
    """R-45: it skips restatement and peers, not guards."""
    _register(agent, "append_only")
    agent.memory.pin("a/pinned", NIGHT)
    with pytest.raises(PinnedConflict):
        agent.memory.set("a/pinned", ELSEWHERE)
    agent.memory.set("a/locked", 1)
    agent.memory.lock("a/locked", reason="checked")
    with pytest.raises(Locked):
        agent.memory.set("a/locked", 2)
    with pytest.raises(PreconditionFailed):
        agent.memory.set("a/new", 2, if_match_sha256="0" * 64)
    agent.blacklist.add("wolves")
    with pytest.raises(Blacklisted):
        agent.memory.set("a/wolves", ELSEWHERE)


def test_a_policy_holds_from_its_registration_on(agent: AgentHandle) -> None:
    """A-121: what was judged before stays as it was judged."""
    agent.memory.set("pump/power", DRAWS_5)
    agent.memory.set("meter/reading", DRAWS_9)
    _register(agent, "newest_wins")
    assert len(agent.conflicts.list().items) == 1


# ----------------------------------------------------------------------------- the tags


def test_a_tag_has_a_policy_of_its_own(agent: AgentHandle) -> None:
    """A-176: the tag's word goes before the namespace's."""
    rules = {"log": {"conflict_policy": "append_only"}}
    _register(agent, "auto_reinforce", tag_registry=rules)
    agent.memory.set("pump/power", DRAWS_5)

    assert agent.memory.set("log/1", DRAWS_9, tags=["log"]).conflict_verdict == "clear"
    assert agent.memory.set("log/2", DRAWS_9, tags=["Log"]).conflict_verdict != "clear"


def test_of_several_tags_the_most_careful_policy_holds(agent: AgentHandle) -> None:
    """A-176: nothing is retired where a tag asks for review."""
    rules = {
        "fresh": {"conflict_policy": "newest_wins"},
        "legal": {"conflict_policy": "manual_review"},
    }
    _register(agent, "append_only", tag_registry=rules)
    agent.memory.set("pump/power", DRAWS_5)
    both = agent.memory.set("meter/reading", DRAWS_9, tags=["fresh", "legal"])
    assert both.conflict_verdict == "conflict"


def test_carried_tags_count(agent: AgentHandle) -> None:
    """R-31: an omitted field keeps its value, and its rules."""
    _register(
        agent, "auto_reinforce", tag_registry={"log": {"conflict_policy": "append_only"}}
    )
    agent.memory.set("pump/power", DRAWS_5)
    agent.memory.set("log/1", NIGHT, tags=["log"])
    assert agent.memory.set("log/1", DRAWS_9).conflict_verdict == "clear"
    assert agent.memory.set("log/1", DRAWS_9, tags=[]).conflict_verdict != "clear"


@pytest.mark.parametrize("value", [NIGHT_SHOUTED, NIGHT_AGAIN])
def test_a_tag_keeps_copies_apart(agent: AgentHandle, value: str) -> None:
    """A-176: neither merged nor a duplicate, in a point write and in bulk."""
    _register(agent, "auto_reinforce", tag_registry={"quote": {"dedup": False}})
    agent.memory.set(KEY, NIGHT)
    out = agent.memory.set("quote/1", value, tags=["quote"])
    entry = {"memory_key": "quote/2", "value": NIGHT, "tags": ["quote"]}
    (bulk,) = agent.memory.bulk_set([entry]).results

    assert (out.conflict_verdict, out.status) == ("clear", "active")
    assert (written(bulk).conflict_verdict, written(bulk).status) == ("clear", "active")
    assert agent.memory.count() == 3


def test_a_tag_has_a_retention(agent: AgentHandle, clock: FakeClock) -> None:
    """A-175, A-239: the owner sets when the row leaves; a sooner end of its writer holds."""
    rules = {"case": {"retention_days": 30}, "brief": {"retention_days": 2}}
    _register(agent, "auto_reinforce", tag_registry=rules)
    agent.memory.set("a/1", NIGHT, tags=["case"])
    agent.memory.set("a/2", ELSEWHERE, tags=["case", "brief"])
    agent.memory.set("a/3", DRAWS_5, tags=["case"], ttl_seconds=60)
    agent.memory.set("a/4", "Sheep graze below the dam.", tags=["other"])

    ends = {row.memory_key: row.expires_at for row in agent.memory.list().items}
    assert ends == {
        "a/1": clock.now + timedelta(days=30),
        "a/2": clock.now + timedelta(days=2),
        "a/3": clock.now + timedelta(seconds=60),
        "a/4": None,
    }
    clock.advance(timedelta(days=31).total_seconds())
    assert [row.memory_key for row in agent.memory.list().items] == ["a/4"]


# ------------------------------------------------------------------------------- the run


def _in_run(store: Loom, run_id: str) -> AgentHandle:
    return store.agent("ada", org="acme", namespace="lab", run_id=run_id)


@pytest.mark.parametrize("bulk", [False, True], ids=["set", "bulk_set"])
def test_a_claim_known_from_another_run_is_a_duplicate(store: Loom, bulk: bool) -> None:
    """A-127: stored, so that the run finds what it wrote."""
    known = _in_run(store, "r1").memory.set(KEY, NIGHT)
    if bulk:
        entry = {"memory_key": "other/key", "value": NIGHT}
        out = written(_in_run(store, "r2").memory.bulk_set([entry]).results[0])
    else:
        out = _in_run(store, "r2").memory.set("other/key", NIGHT_SHOUTED)

    assert (out.conflict_verdict, out.status) == ("duplicate", "duplicate")
    assert out.duplicate_of == known.memory_id


@pytest.mark.parametrize("run_id", ["r1", ""])
def test_a_claim_of_the_same_run_or_of_none_merges(store: Loom, run_id: str) -> None:
    """A-127: only a run keeps its own copy."""
    _in_run(store, "r1").memory.set(KEY, NIGHT)
    out = _in_run(store, run_id).memory.set("other/key", NIGHT_SHOUTED)
    assert (out.conflict_verdict, out.noop) == ("merge", True)


def test_a_read_of_a_run_finds_its_duplicate(store: Loom) -> None:
    """A-128, R-50: by list, count and search; reads that name no run do not."""
    _in_run(store, "r1").memory.set(KEY, NIGHT)
    reader = _in_run(store, "r2")
    reader.memory.set("other/key", NIGHT_SHOUTED)

    assert [r.memory_key for r in reader.memory.list(by_run="r2").items] == ["other/key"]
    assert reader.memory.count(by_run="r2") == 1
    hits = reader.memory.search(NIGHT, by_run="r2").hits
    assert [(hit.memory_key, hit.status) for hit in hits] == [("other/key", "duplicate")]
    assert [r.memory_key for r in reader.memory.list().items] == [KEY]
