"""One change to many memories, chosen by filters."""

from __future__ import annotations

from typing import Any, Final

import pytest

from loom import AgentHandle, Caller, Loom, Role
from loom.errors import Blacklisted, Forbidden, InvalidRequest
from loom.settings import Settings
from loom.testing.fakes import ChosenEmbedder, FakeClock
from loom.testing.stores import acting_as, audit_of, contents_of, versions_of
from tests.operations.conftest import Opener
from tests.operations.looking import row_of
from tests.operations.texts import DRAWS_5, DRAWS_9, ELSEWHERE, NIGHT, NIGHT_AGAIN

ACTIONS: Final[list[tuple[str, dict[str, Any]]]] = [
    ("delete", {}),
    ("expire", {}),
    ("lock", {"reason": "an inquiry", "mode": "no_delete"}),
    ("label", {"add_tags": ["seen"], "remove_tags": ["new"]}),
    ("demote", {"factor": 0.25}),
]


@pytest.fixture
def filled(agent: AgentHandle) -> AgentHandle:
    agent.memory.set("a/1", NIGHT, tags=["new", "Kind:x"])
    agent.memory.set("a/2", ELSEWHERE, tags=["new"])
    agent.memory.set("b/1", "Lamps are counted in June.", tags=["New"])
    return agent


@pytest.mark.parametrize("action,given", ACTIONS)
def test_a_preview_names_them_and_changes_nothing(
    store: Loom, filled: AgentHandle, action: str, given: dict[str, Any]
) -> None:
    """Issue 3, part 4: unless it is told to go on."""
    before = contents_of(store)
    out = filled.memory.apply(action, tags=["new"], **given)

    assert (out.dry_run, out.changed, out.matched) == (True, 0, 2)
    assert out.memory_keys == ("a/1", "a/2")
    assert contents_of(store) == before


@pytest.mark.parametrize("action,given", ACTIONS)
def test_every_match_is_changed_and_no_other(
    filled: AgentHandle, action: str, given: dict[str, Any]
) -> None:
    """A-179: tags are compared exactly."""
    other = row_of(filled, "b/1")
    out = filled.memory.apply(action, tags=["new"], dry_run=False, **given)

    assert (out.changed, out.memory_keys, out.kept) == (2, ("a/1", "a/2"), ())
    assert row_of(filled, "b/1") == other
    version = filled.memory.history("a/1")[0]
    row = filled.memory.get("a/1")
    if action in ("delete", "expire"):
        assert row is None
        event = "deleted" if action == "delete" else "expired"
        assert (version.event, version.status) == (event, "tombstoned")
        return
    assert row is not None
    assert (row.value, row.status, row.reinforcement_count) == (NIGHT, "active", 1)
    match action:
        case "lock":
            assert (row.lock_mode, row.lock_reason) == ("no_delete", "an inquiry")
        case "label":
            assert (version.event, row.tags) == ("labelled", ("Kind:x", "seen"))
        case "demote":
            assert (version.event, row.confidence) == ("labelled", 0.25)
    assert [hit.memory_key for hit in filled.memory.search(NIGHT).hits] == ["a/1"]


def test_a_label_that_is_there_writes_no_version(filled: AgentHandle) -> None:
    before = row_of(filled, "a/1").version
    filled.memory.apply("label", tags=["new"], add_tags=["new"], dry_run=False)
    assert row_of(filled, "a/1").version == before


def test_filters_narrow_together(filled: AgentHandle) -> None:
    """As a list's do, and `tags_match` with them."""
    both = filled.memory.apply("delete", tags=["new", "New"], tags_match="any", prefix="b")
    assert both.memory_keys == ("b/1",)
    assert filled.memory.apply("delete", tags=["new", "Kind:x"]).memory_keys == ("a/1",)


def test_no_filter_is_refused_unless_everything_is_meant(
    store: Loom, filled: AgentHandle
) -> None:
    """P09: an error, not a wipe."""
    before = contents_of(store)
    none: tuple[dict[str, Any], ...] = (
        {},
        {"tags": []},
        {"prefix": ""},
        {"tags_match": "any"},
        {"status": "*"},
    )
    for given in none:
        with pytest.raises(InvalidRequest):
            filled.memory.apply("delete", dry_run=False, **given)
    assert contents_of(store) == before
    assert filled.memory.apply("delete", everything=True, dry_run=False).changed == 3


@pytest.mark.parametrize(
    "action,given",
    [
        ("purge", {}),
        ("lock", {}),
        ("lock", {"reason": "x", "mode": "no"}),
        ("label", {}),
        ("demote", {"factor": 2}),
        ("delete", {"dry_run": "no"}),
    ],
)
def test_a_malformed_call_leaves_nothing(
    store: Loom, filled: AgentHandle, action: str, given: dict[str, Any]
) -> None:
    """R-30."""
    before = contents_of(store)
    with pytest.raises(InvalidRequest):
        filled.memory.apply(action, prefix="a", **{"dry_run": False, **given})
    assert contents_of(store) == before


@pytest.mark.parametrize("action,given", ACTIONS)
def test_what_a_lock_keeps_is_named(
    filled: AgentHandle, action: str, given: dict[str, Any]
) -> None:
    """R-42: a read-only lock keeps details too."""
    filled.memory.lock("a/1", reason="checked")
    out = filled.memory.apply(action, prefix="a", dry_run=False, **given)

    assert (out.matched, out.changed, out.kept) == (2, 1, ("a/1",))
    assert row_of(filled, "a/1").lock_mode == "read_only"


@pytest.mark.parametrize("action,given", ACTIONS)
def test_a_preview_knows_what_a_lock_will_keep(
    store: Loom, filled: AgentHandle, action: str, given: dict[str, Any]
) -> None:
    """R-35, R-42: it is the same plan, and nothing is written."""
    filled.memory.lock("a/1", reason="checked")
    before = contents_of(store)
    out = filled.memory.apply(action, prefix="a", **given)

    assert (out.matched, out.changed, out.kept) == (2, 0, ("a/1",))
    assert out.memory_keys == ("a/2",)
    assert "1 row" in out.next
    assert contents_of(store) == before


def test_a_label_may_be_put_on_what_may_not_be_deleted(filled: AgentHandle) -> None:
    """R-42: `no_delete` refuses deletion alone."""
    filled.memory.lock("a/1", mode="no_delete", reason="evidence")
    out = filled.memory.apply("label", prefix="a", add_tags=["seen"], dry_run=False)
    assert (out.changed, out.kept) == (2, ())


def test_the_blacklist_guards_labels(store: Loom, filled: AgentHandle) -> None:
    """R-30: it guards every way in."""
    filled.blacklist.add("hunter2")
    before = contents_of(store)
    with pytest.raises(Blacklisted):
        filled.memory.apply("label", prefix="a", add_tags=["hunter2"], dry_run=False)
    assert contents_of(store) == before


def test_what_depended_on_a_row_is_judged_again(agent: AgentHandle) -> None:
    """R-22, R-24."""
    agent.memory.set("x/1", NIGHT)
    agent.memory.set("y/1", NIGHT_AGAIN)
    agent.memory.set("x/2", DRAWS_5)
    agent.memory.set("y/2", DRAWS_9)
    agent.memory.apply("delete", prefix="x", dry_run=False)

    assert row_of(agent, "y/1").status == "active"
    assert (row_of(agent, "y/2").status, row_of(agent, "y/2").conflict_with) == (
        "active",
        (),
    )


def test_each_row_can_be_restored_by_itself(filled: AgentHandle) -> None:
    """R-61: one commit a row."""
    filled.memory.apply("delete", prefix="a", dry_run=False)
    assert filled.memory.restore("a/2").count == 1
    assert filled.memory.get("a/1") is None


def test_a_cap_is_said_and_the_rest_follows(opened: Opener, clock: FakeClock) -> None:
    """R-55."""
    agent = opened(settings=Settings(sweep_cap=2)).agent("ada")
    for n in range(5):
        agent.memory.set(f"k/{n}", n)
    outs = [agent.memory.apply("delete", prefix="k", dry_run=False) for _ in range(3)]
    assert [(out.changed, out.truncated) for out in outs] == [
        (2, True),
        (2, True),
        (1, False),
    ]


@pytest.mark.parametrize("action,given", ACTIONS)
def test_each_row_is_changed_once_over_all_runs(
    opened: Opener, action: str, given: dict[str, Any]
) -> None:
    """R-55: `cursor` goes on after rows that still match, and after rows of one key."""
    store = opened(settings=Settings(sweep_cap=2))
    for user in ("ana", "ben", "eve"):
        for key in ("k/1", "k/2"):
            store.agent("ada", user_id=user).memory.set(key, user, tags=["new", user])
    store.agent("ada", user_id="ben").memory.lock("k/1", reason="kept")
    boss = store.agent("boss", user_id="*")
    cursor, changed, kept = None, 0, 0
    for _ in range(3):
        out = boss.memory.apply(action, prefix="k", dry_run=False, cursor=cursor, **given)
        changed, kept, cursor = changed + out.changed, kept + len(out.kept), out.cursor
        assert out.truncated is (cursor is not None)

    assert (changed, kept, cursor) == (5, 1, None)
    versions = [v for v in versions_of(store) if v.event not in ("created", "locked")]
    if action != "lock":
        assert len(versions) == len({v.memory_id for v in versions}) == 5
    else:
        locks = [v for v in versions_of(store) if v.event == "locked"]
        assert len(locks) == len({v.memory_id for v in locks}) == 6


def test_a_forged_cursor_is_refused(filled: AgentHandle) -> None:
    """R-30."""
    for cursor in ("x", "", "WzEsMiwzXQ"):
        with pytest.raises(InvalidRequest):
            filled.memory.apply("delete", prefix="a", cursor=cursor)


@pytest.mark.parametrize("action,given", ACTIONS[3:])
def test_what_is_no_claim_is_compared_with_nothing(
    store: Loom,
    agent: AgentHandle,
    embedder: ChosenEmbedder,
    action: str,
    given: dict[str, Any],
) -> None:
    """R-22: a label and a factor move no verdict, no link and no entry."""
    agent.memory.set("x/1", NIGHT, tags=["new"])
    agent.memory.set("x/2", NIGHT_AGAIN, tags=["new"])
    agent.memory.set("y/1", DRAWS_5, tags=["new"])
    agent.memory.set("y/2", DRAWS_9, tags=["new"])
    every: dict[str, Any] = {"status": "*"}
    before = {r.memory_id: r for r in agent.memory.list(**every).items}
    vectors, texts = contents_of(store)["vectors"], embedder.texts

    agent.memory.apply(action, prefix="x", dry_run=False, **every, **given)
    agent.memory.apply(action, prefix="y", dry_run=False, **every, **given)

    after = {r.memory_id: r for r in agent.memory.list(**every).items}
    assert (contents_of(store)["vectors"], embedder.texts) == (vectors, texts)
    for memory_id, row in after.items():
        old = before[memory_id]
        standing = ("status", "conflict_with", "duplicate_of", "reinforcement_count")
        for name in standing:
            assert getattr(row, name) == getattr(old, name)
        assert row.version > old.version


def test_each_changed_row_is_audited_as_its_own(store: Loom, filled: AgentHandle) -> None:
    """R-30: who did it, to which row."""
    ids = {row_of(filled, key).memory_id for key in ("a/1", "a/2")}
    filled.memory.apply("delete", prefix="a", dry_run=False)
    entries = [e for e in audit_of(store) if e.operation == "memory.apply"]
    assert {e.memory_id for e in entries} == ids
    assert {(e.actor, e.verdict) for e in entries} == {("process:local", "deleted")}


def test_a_user_s_handle_reaches_its_own_and_the_star_reaches_all(store: Loom) -> None:
    """R-04, P09."""
    ana = store.agent("ada", org="acme", namespace="lab", user_id="ana")
    eve = store.agent("ada", org="acme", namespace="lab", user_id="eve")
    everybody = store.agent("boss", org="acme", namespace="lab", user_id="*")
    ana.memory.set("k/1", NIGHT)
    eve.memory.set("k/1", NIGHT)

    assert ana.memory.apply("delete", prefix="k", dry_run=False).changed == 1
    assert (ana.memory.get("k/1"), row_of(eve, "k/1").value) == (None, NIGHT)
    assert everybody.memory.apply("delete", prefix="k", dry_run=False).changed == 1
    assert eve.memory.get("k/1") is None


def test_it_takes_an_administrator(store: Loom) -> None:
    """R-07."""
    weak = acting_as(store, Caller(subject="w", roles={"acme/lab": Role.WRITER}))
    with pytest.raises(Forbidden):
        weak.agent("ada", org="acme", namespace="lab").memory.apply("delete", prefix="a")
