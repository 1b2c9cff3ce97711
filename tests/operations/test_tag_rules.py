"""What the registry of a namespace says of rows with a tag."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

import pytest

from loom import AgentHandle
from loom.testing.fakes import FakeClock
from tests.operations.looking import row_of, written
from tests.operations.texts import (
    DRAWS_5,
    DRAWS_7,
    DRAWS_9,
    ELSEWHERE,
    NIGHT,
    NIGHT_AGAIN,
    NIGHT_SHOUTED,
)

KEY: Final = "pump/hours"
HERE: Final[dict[str, Any]] = {"org": "acme", "namespace": "lab"}


def _register(agent: AgentHandle, policy: str, **more: Any) -> None:
    agent.namespace.register(default_conflict_policy=policy, **more)


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


@pytest.mark.parametrize("second", [DRAWS_9, ELSEWHERE], ids=["against", "apart"])
def test_a_tag_that_keeps_copies_is_still_judged_for_contradictions(
    agent: AgentHandle, second: str
) -> None:
    """A-176: dedup is about copies alone."""
    _register(agent, "auto_reinforce", tag_registry={"quote": {"dedup": False}})
    agent.memory.set("pump/power", DRAWS_5)
    out = agent.memory.set("quote/1", second, tags=["quote"])

    expected = "conflict" if second == DRAWS_9 else "clear"
    assert out.conflict_verdict == expected


def test_a_key_stated_again_is_counted_though_its_tag_keeps_copies(
    agent: AgentHandle,
) -> None:
    """A-95, A-176: the same row is no copy."""
    _register(agent, "auto_reinforce", tag_registry={"quote": {"dedup": False}})
    agent.memory.set("quote/1", NIGHT, tags=["quote"])
    out = agent.memory.set("quote/1", NIGHT)

    assert (out.conflict_verdict, out.reinforcement_count) == ("restated", 2)


@pytest.mark.parametrize(
    "said",
    [
        {"clear_expiry": True},
        {"ttl_seconds": 86_400.0 * 90},
        {"tags": ["case", "more"]},
        {},
    ],
    ids=["cleared", "later", "more tags", "nothing"],
)
def test_no_rewrite_outlives_a_retention(
    agent: AgentHandle, clock: FakeClock, said: dict[str, Any]
) -> None:
    """A-175, R-41: it counts from the first write, and the writer may only say less."""
    _register(agent, "auto_reinforce", tag_registry={"case": {"retention_days": 30}})
    agent.memory.set(KEY, NIGHT, tags=["case"])
    end = clock.now + timedelta(days=30)
    clock.advance(timedelta(days=20).total_seconds())
    agent.memory.set(KEY, ELSEWHERE, **said)

    assert row_of(agent, KEY).expires_at == end


def test_a_retention_begins_with_the_tag(agent: AgentHandle, clock: FakeClock) -> None:
    """A-175: a tag that is given later ends the row by the row's own beginning."""
    _register(agent, "auto_reinforce", tag_registry={"case": {"retention_days": 30}})
    agent.memory.set(KEY, NIGHT)
    began = clock.now
    clock.advance(timedelta(days=5).total_seconds())
    agent.memory.update(KEY, ELSEWHERE, tags=["case"])

    assert row_of(agent, KEY).expires_at == began + timedelta(days=30)


def test_after_a_retention_the_key_begins_afresh(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """A-175, R-20: not served any more, and a new write has a whole window again."""
    _register(agent, "auto_reinforce", tag_registry={"case": {"retention_days": 30}})
    agent.memory.set(KEY, NIGHT, tags=["case"])
    clock.advance(timedelta(days=30).total_seconds())
    assert agent.memory.get(KEY) is None

    out = agent.memory.set(KEY, NIGHT, tags=["case"])
    assert (out.conflict_verdict, out.reinforcement_count) == ("clear", 1)
    assert agent.memory.get(KEY) is not None


@pytest.mark.parametrize("write", ["set", "bulk_set", "pin", "proposed"])
def test_a_tag_rules_every_way_in(agent: AgentHandle, clock: FakeClock, write: str) -> None:
    """A-175, A-176, R-23: in bulk, pinned, and once a proposal is taken."""
    rules = {"log": {"conflict_policy": "append_only", "retention_days": 30}}
    _register(agent, "auto_reinforce", tag_registry=rules)
    agent.memory.set("pump/power", DRAWS_5)
    match write:
        case "bulk_set":
            entry = {"memory_key": KEY, "value": DRAWS_9, "tags": ["log"]}
            agent.memory.bulk_set([entry])
        case "proposed":
            trial = agent.memory.set(KEY, DRAWS_9, tags=["log"], proposed=True)
            agent.memory.proposal_decide(trial.memory_id, "accept")
        case _:
            getattr(agent.memory, write)(KEY, DRAWS_9, tags=["log"])
    row = row_of(agent, KEY)

    assert (row.status, row.conflict_with) == ("active", ())
    assert row.expires_at == clock.now + timedelta(days=30)


def test_a_tag_may_ask_for_the_newest_alone(agent: AgentHandle) -> None:
    """A-176, A-110: only rows written with it retire what they contradict."""
    rules = {"state": {"conflict_policy": "newest_wins"}}
    _register(agent, "manual_review", tag_registry=rules)
    agent.memory.set("pump/power", DRAWS_5)
    assert agent.memory.set("a/1", DRAWS_9).conflict_verdict == "conflict"
    out = agent.memory.set("a/2", DRAWS_7, tags=["state"])

    assert out.conflict_verdict == "refines"
    assert [row.memory_key for row in agent.memory.list().items] == ["a/2"]


def test_a_tag_is_known_in_one_normal_form(agent: AgentHandle) -> None:
    """R-02, A-177: composed and decomposed letters are one; another case is another tag."""
    rules = {"caf\u00e9": {"conflict_policy": "append_only"}}
    _register(agent, "auto_reinforce", tag_registry=rules)
    agent.memory.set(KEY, NIGHT)

    out = agent.memory.set("a/1", NIGHT_SHOUTED, tags=["cafe\u0301"])
    assert (out.conflict_verdict, out.status) == ("clear", "active")
    assert agent.memory.set("a/2", NIGHT_SHOUTED, tags=["CAF\u00c9"]).noop


@pytest.mark.parametrize("same_key", [False, True], ids=["close", "same key"])
@pytest.mark.parametrize("policy", ["manual_review", "append_only"])
def test_a_tag_protects_the_row_that_carries_it_from_being_retired(
    agent: AgentHandle, policy: str, same_key: bool
) -> None:
    """A-176, R-44: what a tag leaves to a person is not retired by an untagged write."""
    rules = {"legal": {"conflict_policy": policy}}
    _register(agent, "newest_wins", tag_registry=rules)
    agent.memory.set("pump/power", DRAWS_5, tags=["legal"])
    key = "pump/power" if same_key else "meter/reading"
    agent.memory.set(key, DRAWS_9, agent="bob")

    assert agent.memory.list(status="superseded").items == ()
