"""One change to many memories, chosen by filters."""

from __future__ import annotations

from typing import Any, Final

import pytest

from loom import AgentHandle, Caller, Loom, Role
from loom.errors import Blacklisted, Forbidden, InvalidRequest
from loom.settings import Settings
from loom.testing.fakes import FakeClock
from loom.testing.stores import acting_as, contents_of
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
