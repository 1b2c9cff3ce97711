"""How a namespace is kept, and whether its rows are sound."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

import loom
from loom import AgentHandle, Caller, Loom, Role
from loom.errors import Forbidden, InvalidRequest
from loom.model.json_values import freeze
from loom.model.memory import MemoryRow
from loom.model.status import Event, Status
from loom.storage.batch import Batch, Scrub, WriteScope
from loom.storage.tables import MEMORY
from loom.storage.where import In
from loom.testing.fakes import FakeClock
from loom.testing.stores import acting_as, audit_of, contents_of
from tests.operations.conftest import Opener
from tests.operations.looking import row_of
from tests.operations.texts import DRAWS_5, DRAWS_9, ELSEWHERE, NIGHT, NIGHT_AGAIN

DAY = 86_400.0


# ------------------------------------------------------------------------------ the audit


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


# ------------------------------------------------------------------------- the validation


def test_a_store_in_use_is_sound(store: Loom, agent: AgentHandle, clock: FakeClock) -> None:
    """R-22, R-24: after every kind of change, and nothing is changed by looking."""
    agent.memory.set("a/1", NIGHT)
    agent.memory.set("a/2", NIGHT_AGAIN)
    agent.memory.set("b/1", DRAWS_5)
    agent.memory.set("b/2", DRAWS_9)
    agent.memory.set("c/1", ELSEWHERE, sensitivity="high", ttl_seconds=60)
    agent.memory.set("c/2", {"situation": "a leak", "steps": ["shut", "call"]})
    agent.memory.delete("a/1")
    agent.memory.restore("a/1")
    agent.memory.reject("b/1")
    clock.advance(61)
    agent.namespace.sweep()
    before = contents_of(store)

    out = agent.namespace.validate()

    assert (out.ok, out.findings, out.examined) == (True, (), 6)
    assert contents_of(store) == before


@pytest.mark.parametrize(
    "broken,code",
    [
        ({"value": freeze("another text altogether")}, "content_hash"),
        ({"canonical_sha256": "0" * 64}, "canonical_hash"),
        ({"memory_type": "procedural"}, "not_a_procedure"),
        (
            {"status": Status.CONFLICTED, "conflict_with": ("nobody",)},
            "one_sided_conflict",
        ),
        ({"status": Status.CONFLICTED}, "conflict_without_peer"),
        ({"status": Status.DUPLICATE, "duplicate_of": "nobody"}, "duplicate_astray"),
        ({"status": Status.SUPERSEDED, "superseded_by": "nobody"}, "superseded_astray"),
        ({"searchable": True, "content_sha256": "1" * 64}, "not_embedded"),
        ({"conflict_with": ("nobody",)}, "link_without_conflict"),
        ({"sensitivity": "high", "searchable": False}, "secret_searchable"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_a_row_that_something_else_changed_is_found(
    opened: Opener, broken: dict[str, Any], code: str
) -> None:
    """R-21, R-22: each with its code; written past all rules, as a damaged file would be."""
    store = opened()
    agent = store.agent("ada", org="acme", namespace="lab")
    agent.memory.set("a/1", NIGHT)
    _force(store, row_of(agent, "a/1"), broken)

    out = agent.namespace.validate()

    assert code in out.counts
    finding = next(f for f in out.findings if f.code == code)
    assert finding.memory_key == "a/1"
    assert "another text" not in finding.message


def test_what_a_row_refers_to_may_be_gone(store: Loom, agent: AgentHandle) -> None:
    """R-22, R-24: rows that an erasure took, past all rules."""
    for key, value in (("a/1", NIGHT), ("a/2", NIGHT_AGAIN), ("b/1", DRAWS_5)):
        agent.memory.set(key, value)
    gone = {row_of(agent, "a/1").memory_id, agent.memory.set("b/2", DRAWS_9).memory_id}
    where = In("memory_id", tuple(sorted(gone)))
    store._env.storage.scrub([Scrub(table=MEMORY, where=where, replace=None, reason="x")])

    out = agent.namespace.validate()

    assert out.examined == 2
    assert {(f.code, f.memory_key) for f in out.findings} == {
        ("duplicate_astray", "a/2"),
        ("one_sided_conflict", "b/1"),
    }
    assert {i for f in out.findings for i in f.related} == gone


def _told_again(agent: AgentHandle, key: str, value: Any) -> None:
    agent.memory.set(key, value)


def _begun_again(agent: AgentHandle, key: str, value: Any) -> None:
    agent.memory.delete(key)
    agent.memory.set(key, value)


def _restored(agent: AgentHandle, key: str, value: Any) -> None:
    agent.memory.delete(key)
    agent.memory.restore(key)


@pytest.mark.parametrize(
    "broken,advice,follow",
    [
        ({"value": freeze("another text")}, "memory.set", _begun_again),
        ({"canonical_sha256": "0" * 64}, "memory.set", _begun_again),
        ({"memory_type": "procedural"}, "again", _told_again),
        (
            {"status": Status.CONFLICTED, "conflict_with": ("nobody",)},
            "memory.restore",
            _restored,
        ),
        ({"status": Status.CONFLICTED}, "memory.restore", _restored),
        ({"conflict_with": ("nobody",)}, "memory.restore", _restored),
        (
            {"status": Status.DUPLICATE, "duplicate_of": "nobody"},
            "memory.restore",
            _restored,
        ),
    ],
)
def test_what_a_finding_advises_mends_it(
    store: Loom,
    agent: AgentHandle,
    broken: dict[str, Any],
    advice: str,
    follow: Callable[[AgentHandle, str, Any], None],
) -> None:
    """R-55: the words that say what to do are true."""
    agent.memory.set("a/1", NIGHT)
    _force(store, row_of(agent, "a/1"), broken)
    findings = agent.namespace.validate().findings
    assert findings
    assert all(advice in finding.message for finding in findings)

    follow(agent, "a/1", NIGHT)

    assert agent.namespace.validate().ok
    assert (row_of(agent, "a/1").value, row_of(agent, "a/1").status) == (NIGHT, "active")


def test_a_validation_lists_some_and_counts_all(store: Loom, agent: AgentHandle) -> None:
    """R-55: no silent caps."""
    for n in range(4):
        agent.memory.set(f"a/{n}", f"Row {n} is about {n} things.")
        _force(store, row_of(agent, f"a/{n}"), {"canonical_sha256": "0" * 64})
    out = agent.namespace.validate(limit=3)
    assert (len(out.findings), out.truncated) == (3, True)
    assert dict(out.counts) == {"canonical_hash": 4}


def test_a_survey_sees_what_its_handle_may_see(store: Loom) -> None:
    """R-04."""
    for user in ("ana", "eve"):
        handle = store.agent("ada", org="acme", namespace="lab", user_id=user)
        handle.memory.set("plan/launch-v2", NIGHT)
    ana = store.agent("ada", org="acme", namespace="lab", user_id="ana")
    everybody = store.agent("ada", org="acme", namespace="lab", user_id="*")
    elsewhere = store.agent("ada", org="acme", namespace="ops", user_id="*")
    for handle, seen in ((ana, 1), (everybody, 2), (elsewhere, 0)):
        assert handle.namespace.audit().examined == seen
        assert handle.namespace.audit().counts.get("numbered_copies", 0) == seen
        assert handle.namespace.validate().examined == seen


def test_many_rows_are_surveyed_in_a_moment(agent: AgentHandle) -> None:
    """Issue 3, part 4: five thousand, read and unread; generous, to catch a quadratic."""
    entries = [{"memory_key": f"k/{n}", "value": n} for n in range(5_000)]
    agent.memory.bulk_set(entries)
    for n in range(0, 5_000, 5):
        agent.memory.get(f"k/{n}")
    begun = time.monotonic()
    audited = agent.namespace.audit(unread_for_days=0, limit=1)
    checked = agent.namespace.validate()
    assert time.monotonic() - begun < 10
    assert (audited.examined, checked.examined, checked.ok) == (5_000, 5_000, True)


def _force(store: Loom, row: MemoryRow, broken: dict[str, Any]) -> None:
    storage = store._env.storage
    with storage.writing(WriteScope(org="acme", namespaces=("lab",))) as writing:
        new = row.next_version(writing.stamp, Event.IMPORTED)
        receipt = writing.stage(Batch(rows=(attrs.evolve(new, **broken),)))
    receipt.wait()
