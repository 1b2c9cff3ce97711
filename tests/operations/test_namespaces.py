"""A namespace says what holds in it, and what it says is kept, listed and audited."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import loom
from loom import AgentHandle, Caller, Loom, Role
from loom.errors import Forbidden, InvalidRequest
from loom.model.namespace import ConflictPolicy, NamespaceRow
from loom.storage.query import Select, Versions
from loom.storage.tables import NAMESPACE
from loom.testing.fakes import FakeClock
from loom.testing.stores import acting_as, audit_of, contents_of
from tests.operations.conftest import Opener
from tests.operations.texts import DRAWS_5, DRAWS_9

RULES: dict[str, Any] = {
    "description": "What the lab knows of its pumps.",
    "default_conflict_policy": "newest_wins",
    "conflict_threshold": 0.8,
    "duplicate_threshold": 0.95,
    "tag_registry": {"case": {"dedup": False, "retention_days": 30}},
    "type_registry": {"decision": {"conflict_threshold": 0.9}},
}


def test_a_namespace_that_was_never_registered_has_the_defaults(
    agent: AgentHandle,
) -> None:
    """A-126."""
    found = agent.namespace.get()
    assert found["registered"] is False
    assert found == NamespaceRow(org="acme", namespace="lab", registered=False)
    assert agent.namespace.list().items == ()


def test_what_is_registered_is_got_back(agent: AgentHandle, clock: FakeClock) -> None:
    """Issue 3, part 4."""
    out = agent.namespace.register(**RULES)
    found = agent.namespace.get()
    assert out.settings == found
    assert (out.created, out.noop) == (True, False)
    assert set(out.changed) == set(RULES)
    assert found.registered
    assert found.default_conflict_policy is ConflictPolicy.NEWEST_WINS
    assert found.tag_registry["case"]["retention_days"] == 30
    assert found.type_registry["decision"]["conflict_threshold"] == 0.9
    assert found.actor == "process:local"
    assert found.created_at == found.updated_at


def test_what_is_left_out_stays_and_none_clears(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-31 in its spirit: an omitted field keeps its value, an empty one clears it."""
    first = agent.namespace.register(**RULES).settings
    clock.advance(3600)
    out = agent.namespace.register(
        default_conflict_policy=None, tag_registry=None, conflict_threshold=None
    )
    now = out.settings
    assert set(out.changed) == {
        "default_conflict_policy",
        "tag_registry",
        "conflict_threshold",
    }
    assert now.default_conflict_policy is ConflictPolicy.AUTO_REINFORCE
    assert (now.tag_registry, now.conflict_threshold) == ({}, None)
    assert now.description == RULES["description"]
    assert now.duplicate_threshold == 0.95
    assert (now.parent, now.created_at) == (first.version, first.created_at)
    assert now.updated_at is not None
    assert first.updated_at is not None
    assert now.updated_at - first.updated_at == timedelta(hours=1)


def test_a_registry_that_is_given_replaces_the_one_before(agent: AgentHandle) -> None:
    agent.namespace.register(tag_registry={"a": {"dedup": False}, "b": {}})
    out = agent.namespace.register(tag_registry={"b": {"retention_days": 2}})
    assert list(out.settings.tag_registry) == ["b"]


def test_saying_the_same_again_writes_nothing(store: Loom, agent: AgentHandle) -> None:
    """Idempotent; only the first registration of a namespace without rules is a write."""
    assert agent.namespace.register().created
    agent.namespace.register(**RULES)
    before = contents_of(store)
    for again in (RULES, {}, {"default_conflict_policy": "newest_wins"}):
        out = agent.namespace.register(**again)
        assert (out.noop, out.changed, out.created) == (True, (), False)
    assert contents_of(store) == before


def test_every_version_is_kept_and_every_change_audited(
    store: Loom, agent: AgentHandle
) -> None:
    """Design: append-only like everything else, one audit entry a write."""
    for policy in ("newest_wins", "append_only", None):
        agent.namespace.register(default_conflict_policy=policy)
    storage = store._env.storage
    versions = storage.select(Select(table=NAMESPACE, view=Versions())).rows
    assert [row.default_conflict_policy.value for row in versions] == [
        "auto_reinforce",
        "append_only",
        "newest_wins",
    ]
    entries = [e for e in audit_of(store) if e.operation == "namespace.register"]
    assert [e.verdict for e in entries] == ["registered", "revised", "revised"]
    assert {(e.org, e.namespace, e.agent, e.actor) for e in entries} == {
        ("acme", "lab", "ada", "process:local")
    }
    assert [e.version for e in entries] == sorted(row.version for row in versions)


@pytest.mark.parametrize(
    "arguments, named",
    [
        ({"default_conflict_policy": "newest"}, "manual_review"),
        ({"default_conflict_policy": 3}, "default_conflict_policy"),
        ({"conflict_threshold": 1.5}, "conflict_threshold"),
        ({"duplicate_threshold": "high"}, "duplicate_threshold"),
        ({"conflict_threshold": 0.9, "duplicate_threshold": 0.8}, "must not be above"),
        ({"conflict_threshold": 0.96}, "must not be above"),
        ({"description": 5}, "description"),
        ({"tag_registry": {"case": {"polcy": "append_only"}}}, "unknown"),
        ({"type_registry": {"*": {}}}, "type_registry"),
        ({"org": "*"}, "org"),
        ({"namespace": ""}, "namespace"),
    ],
)
def test_a_malformed_registration_leaves_nothing(
    store: Loom, agent: AgentHandle, arguments: dict[str, Any], named: str
) -> None:
    """R-30."""
    agent.namespace.register(duplicate_threshold=0.95)
    before = contents_of(store)
    with pytest.raises(InvalidRequest) as caught:
        agent.namespace.register(**arguments)
    assert named in caught.value.message
    assert contents_of(store) == before


def test_an_unknown_argument_is_no_part_of_the_call(agent: AgentHandle) -> None:
    call: Any = agent.namespace.register
    with pytest.raises(TypeError):
        call(default_policy="newest_wins")


def test_a_handle_of_one_user_does_not_say_what_holds_for_all(store: Loom) -> None:
    """R-07, as for patterns: what everybody's writes follow is nobody's own."""
    bound = store.agent("ada", org="acme", namespace="lab", user_id="ana")
    with pytest.raises(Forbidden):
        bound.namespace.register(description="mine")
    assert bound.namespace.get().registered is False


def test_namespaces_are_apart(store: Loom) -> None:
    """Two of one name in two orgs, and two of one org, say different things."""
    for org, name in (("acme", "lab"), ("acme", "ops"), ("beta", "lab")):
        store.namespace.register(org=org, namespace=name, description=f"{org} {name}")
    for org, name in (("acme", "lab"), ("acme", "ops"), ("beta", "lab")):
        found = store.namespace.get(org=org, namespace=name)
        assert found.description == f"{org} {name}"
    listed = store.namespace.list(org="acme", namespace="lab").items
    assert [row.namespace for row in listed] == ["lab", "ops"]


def test_a_list_goes_on_where_its_page_ended(store: Loom) -> None:
    """R-55: nothing is cut silently."""
    names = [f"n{i:02}" for i in range(7)]
    for name in reversed(names):
        store.namespace.register(org="acme", namespace=name)
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = store.namespace.list(org="acme", limit=3, cursor=cursor)
        seen.extend(row.namespace for row in page.items)
        cursor = page.cursor
        if cursor is None:
            break
    assert seen == names
    for bad in ({"limit": 0}, {"limit": 1001}, {"cursor": "x"}):
        with pytest.raises(InvalidRequest):
            store.namespace.list(org="acme", **bad)


def test_a_list_shows_the_namespaces_of_the_callers_roles(store: Loom) -> None:
    """R-04, R-07: the administrator of the org sees all, others what they may read."""
    for name in ("lab", "ops", "hr"):
        store.namespace.register(org="acme", namespace=name)
    here = {"org": "acme", "namespace": "lab"}
    for roles, seen in (
        ({"acme/lab": Role.VIEWER}, ["lab"]),
        (
            {"acme/lab": Role.VIEWER, "acme/ops": Role.ADMIN, "beta/hr": Role.ADMIN},
            ["lab", "ops"],
        ),
        ({"acme/*": Role.VIEWER}, ["hr", "lab", "ops"]),
        ({"*": Role.ADMIN}, ["hr", "lab", "ops"]),
    ):
        caller = acting_as(store, Caller(subject="x", roles=roles))
        listed = caller.agent("ada", **here).namespace.list().items
        assert [row.namespace for row in listed] == seen


@pytest.mark.parametrize("held", [None, *Role], ids=lambda r: r.name if r else "none")
def test_registering_takes_an_administrator_and_reading_a_viewer(
    store: Loom, held: Role | None
) -> None:
    """R-07."""
    roles = {} if held is None else {"acme/lab": held}
    agent = acting_as(store, Caller(subject="x", roles=roles)).agent(
        "ada", org="acme", namespace="lab"
    )
    for needed, call in (
        (Role.VIEWER, agent.namespace.get),
        (Role.VIEWER, agent.namespace.list),
        (Role.VIEWER, agent.calibration.get),
        (Role.ADMIN, agent.namespace.register),
    ):
        if held is not None and held >= needed:
            call()
            continue
        with pytest.raises(Forbidden):
            call()


def test_what_a_namespace_says_outlives_the_process(tmp_path: Path) -> None:
    path = tmp_path / "memory.duckdb"
    with loom.open(path) as store:
        said = store.namespace.register(org="acme", namespace="lab", **RULES).settings
    with loom.open(path) as store:
        assert store.namespace.get(org="acme", namespace="lab") == said


def test_what_is_said_holds_from_the_next_write_on(agent: AgentHandle) -> None:
    """A-118, A-175: the policy, the thresholds and the rules by tag are asked each write."""
    agent.memory.set("pump/a", DRAWS_5, tags=["case"])
    agent.namespace.register(tag_registry={"case": {"retention_days": 30}})
    out = agent.memory.set("pump/b", DRAWS_9, tags=["case"])
    row = agent.memory.get_by_id(out.memory_id)
    assert row is not None
    assert row.expires_at is not None
    assert row.expires_at - row.created_at == timedelta(days=30)
    kept = agent.memory.get("pump/a")
    assert kept is not None
    assert kept.expires_at is None


def test_many_registrations_at_once_lose_none(opened: Opener) -> None:
    """R-38: each is judged after the one before, so fields of all of them stand."""
    from concurrent.futures import ThreadPoolExecutor

    store = opened()
    calls: list[dict[str, Any]] = [{name: value} for name, value in RULES.items()]
    with ThreadPoolExecutor(len(calls)) as pool:
        list(pool.map(lambda said: store.namespace.register(**said), calls))
    found = store.namespace.get()
    assert found.description == RULES["description"]
    assert found.default_conflict_policy is ConflictPolicy.NEWEST_WINS
    assert (found.conflict_threshold, found.duplicate_threshold) == (0.8, 0.95)
    assert (list(found.tag_registry), list(found.type_registry)) == (["case"], ["decision"])
