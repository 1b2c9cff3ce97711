"""How the memories of a namespace are keyed, filled and used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import loom
from loom import AgentHandle, Caller, Loom, Role
from loom.errors import Forbidden, InvalidRequest
from loom.testing.fakes import FakeClock
from loom.testing.stores import acting_as, audit_of
from tests.operations.looking import row_of
from tests.operations.texts import ELSEWHERE, NIGHT, NIGHT_AGAIN

DAY = 86_400.0


@pytest.mark.parametrize(
    "key,value,code",
    [
        ("note/9f86d081884c7d659a2f", NIGHT, "hash_keys"),
        ("fact/01890a5d-ac96-774b-bcce-b302099a8057", NIGHT, "hash_keys"),
        ("plan/launch-v2", NIGHT, "numbered_copies"),
        ("plan/launch_v3", NIGHT, "numbered_copies"),
        ("plan/launch/v4", NIGHT, "numbered_copies"),
        ("shop/needs", ["milk and eggs", "bread", "tea"], "list_values"),
        ("shop/text", "- milk and eggs\n- a loaf of bread\n- green tea", "list_values"),
        ("shop/steps", "1. go there\n2. buy bread\n3. come back", "list_values"),
        ("shop/row", "buy two eggs; call old Tom; fix the car", "list_values"),
        ("report/2026-05-01/sales", NIGHT, "facets_in_keys"),
        ("task/done/boat", NIGHT, "facets_in_keys"),
        ("task/priority-high/boat", NIGHT, "facets_in_keys"),
        ("tag-sea/boat/name", NIGHT, "facets_in_keys"),
    ],
)
def test_what_a_key_or_value_hides_is_found(
    agent: AgentHandle, key: str, value: Any, code: str
) -> None:
    """A-36, A-37, A-47: with what to do, and no value in it."""
    agent.memory.set(key, value)
    out = agent.namespace.audit()

    assert dict(out.counts) == {code: 1}
    (finding,) = out.findings
    assert (finding.code, finding.memory_key) == (code, key)
    assert finding.memory_id == row_of(agent, key).memory_id
    assert str(value) not in finding.message
    assert not out.ok


@pytest.mark.parametrize(
    "key,value",
    [
        ("user/preferences/editor", NIGHT),
        ("service/auth/deadbeef", NIGHT),
        ("server/v8/engine", NIGHT),
        ("team/seven", ["one", "two"]),
        ("place/coordinates", [52.1, 4.3, 12.0]),
        ("say/it", "He came; he saw."),
        ("boat/status", "open"),
        ("year/2026", NIGHT),
        ("low/tide", NIGHT[:3]),
    ],
)
def test_an_ordinary_key_is_left_alone(agent: AgentHandle, key: str, value: Any) -> None:
    """A-36, A-37, A-47: near misses. A standing at a key's end is an attribute."""
    agent.memory.set(key, value)
    found = [f.code for f in agent.namespace.audit().findings]
    assert found in ([], ["facets_in_keys"] if key.startswith("low/") else [])


def test_a_copy_names_the_key_it_is_of(agent: AgentHandle) -> None:
    """A-37: a plain ending counts only where the key without it is there."""
    for key in ("plan/launch", "plan/launch-v2", "plan/launch-final", "plan/sea-new"):
        agent.memory.set(key, f"{key} is what it says")
    found = {f.memory_key: f.related for f in agent.namespace.audit().findings}
    assert found == {
        "plan/launch-v2": ("plan/launch",),
        "plan/launch-final": ("plan/launch",),
    }


def test_what_nobody_ever_read_is_found(agent: AgentHandle, clock: FakeClock) -> None:
    """Issue 3, part 4: get, get_by_id and search count as reads; a list names everything."""
    ids = {
        key: agent.memory.set(key, value).memory_id
        for key, value in (
            ("a/get", "Alpha is one."),
            ("a/id", "Beta is two."),
            ("a/search", NIGHT),
            ("a/never", ELSEWHERE),
        )
    }
    clock.advance(31 * DAY)
    agent.memory.set("a/new", "Gamma is three.")
    agent.memory.get("a/get")
    agent.memory.get_by_id(ids["a/id"])
    assert agent.memory.search(NIGHT, top_k=1).hits
    agent.memory.list()

    found = [f for f in agent.namespace.audit().findings if f.code == "never_read"]
    assert [f.memory_key for f in found] == ["a/never"]
    everything = agent.namespace.audit(unread_for_days=0).counts
    assert everything["never_read"] == 1


def test_a_duplicate_s_key_reads_the_row_that_answers(agent: AgentHandle) -> None:
    """R-05: who reads by another key reads the canonical row."""
    agent.memory.set("a/1", NIGHT)
    agent.memory.set("a/2", NIGHT_AGAIN)
    agent.memory.get("a/2")
    assert row_of(agent, "a/2").memory_key == "a/1"
    assert "never_read" not in agent.namespace.audit(unread_for_days=0).counts


def test_a_try_and_a_preview_read_nothing(agent: AgentHandle, clock: FakeClock) -> None:
    """Decision 0015: only what is answered to a caller counts."""
    agent.memory.set("a/1", NIGHT)
    clock.advance(1)
    agent.memory.set("a/2", NIGHT, dry_run=True)
    agent.memory.count()
    agent.memory.history("a/1")
    agent.memory.apply("delete", prefix="a")
    agent.namespace.export()
    assert agent.namespace.audit(unread_for_days=0).counts == {"never_read": 1}


def test_reads_are_remembered_once_and_over_a_restart(tmp_path: Path) -> None:
    """Decision 0015: one audit entry a memory, written when the store closes."""
    path = tmp_path / "m.duckdb"
    for _ in range(3):
        with loom.open(path) as store:
            agent = store.agent("ada")
            if agent.memory.get("a/b") is None:
                agent.memory.set("a/b", NIGHT)
            agent.memory.get("a/b")
            agent.memory.get("a/b")
            assert "never_read" not in agent.namespace.audit(unread_for_days=0).counts
    with loom.open(path) as store:
        marks = [e for e in audit_of(store) if e.verdict == "first_read"]
        assert [(e.memory_key, e.operation, e.content_sha256) for e in marks] == [
            ("a/b", "memory.get", "")
        ]


def test_an_audit_lists_some_and_counts_all(agent: AgentHandle) -> None:
    """R-55: no silent caps."""
    for n in range(5):
        agent.memory.set(f"plan/x{n}-v2", n)
    out = agent.namespace.audit(limit=2)
    assert (len(out.findings), dict(out.counts)) == (2, {"numbered_copies": 5})
    assert (out.truncated, out.examined) == (True, 5)
    for bad in ({"limit": 0}, {"unread_for_days": -1}, {"unread_for_days": "x"}):
        with pytest.raises(InvalidRequest):
            agent.namespace.audit(**bad)


@pytest.mark.parametrize("which", ["audit", "validate"])
def test_a_survey_takes_an_administrator(store: Loom, which: str) -> None:
    """R-07."""
    weak = acting_as(store, Caller(subject="w", roles={"acme/lab": Role.WRITER}))
    agent = weak.agent("ada", org="acme", namespace="lab")
    with pytest.raises(Forbidden):
        getattr(agent.namespace, which)()
