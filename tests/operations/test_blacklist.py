"""Patterns that refuse what is written from then on, and the sweep of what is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from loom import AgentHandle, Caller, Loom, Role, Settings
from loom.errors import Blacklisted, Forbidden, NotFound
from loom.testing.fakes import FakeClock
from loom.testing.stores import acting_as, audit_of, contents_of, versions_of
from tests.operations.conftest import Opener
from tests.operations.texts import DRAWS_5, DRAWS_9, ELSEWHERE, NIGHT, NIGHT_AGAIN

HERE: dict[str, Any] = {"org": "acme", "namespace": "lab"}
SECRET = "The password is Hunter2, do not tell."


def _refused(agent: AgentHandle, value: Any = SECRET, key: str = "k/new") -> bool:
    try:
        agent.memory.set(key, value, dry_run=True)
    except Blacklisted:
        return True
    return False


def test_a_pattern_refuses_every_future_write_that_matches(agent: AgentHandle) -> None:
    """A-86, A-91: substring or regex; each way in; what is stored already stays."""
    agent.memory.set("k/old", SECRET)
    agent.blacklist.add("hunter2", reason="leaked password")
    agent.blacklist.add(r"\bcode-\d{4}\b", pattern_type="regex")

    for value in (SECRET, {"a": ["HUNTER2"]}, "my Code-4711 here"):
        assert _refused(agent, value)
    assert not _refused(agent, "my code-471 here")
    with pytest.raises(Blacklisted) as caught:
        agent.memory.set("k/new", SECRET)
    assert caught.value.details["reason"] == "leaked password"
    assert agent.memory.get("k/old") is not None


@pytest.mark.parametrize(
    "field, held, plain",
    [
        ("tags", ["Hunter2"], []),
        ("entities", ["Hunter2"], []),
        ("files", ["notes/hunter2.txt"], []),
        ("metadata", {"a": [{"b": "hunter2"}]}, {}),
        ("source_resource_id", "doc:hunter2", ""),
        ("source_trace", {"line": "hunter2"}, {}),
        ("memory_type", "hunter2", "semantic"),
    ],
)
def test_a_write_is_refused_for_what_it_carries_forward(
    agent: AgentHandle, field: str, held: Any, plain: Any
) -> None:
    """R-30, R-31, R-43: a new version would hold it, whether it is said again or kept."""
    agent.memory.set("k/a", NIGHT, **{field: held})
    agent.blacklist.add("hunter2")

    writes: list[Callable[[], object]] = [
        lambda: agent.memory.set("k/a", ELSEWHERE),
        lambda: agent.memory.set("k/a", NIGHT),
        lambda: agent.memory.update("k/a", ELSEWHERE),
        lambda: agent.memory.pin("k/a"),
    ]
    for write in writes:
        with pytest.raises(Blacklisted):
            write()
    assert agent.memory.set("k/a", ELSEWHERE, **{field: plain}).status == "active"


def test_what_ended_carries_nothing_forward_to_be_refused_for(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-20, R-43: a fresh start holds only what it says; so does a revision of the value."""
    agent.memory.set("k/a", NIGHT, tags=["hunter2"], ttl_seconds=60)
    agent.memory.set("k/value", SECRET)
    agent.blacklist.add("hunter2")
    clock.advance(60)

    assert agent.memory.set("k/a", DRAWS_5).status == "active"
    assert agent.memory.set("k/value", ELSEWHERE).status == "active"


def test_keys_are_matched_only_if_asked(agent: AgentHandle) -> None:
    """R-43: keys only if asked."""
    agent.blacklist.add("hunter2")
    assert not _refused(agent, NIGHT, "k/hunter2")
    agent.blacklist.add("forbidden", match_keys=True)
    assert _refused(agent, NIGHT, "k/Forbidden-things")


def test_a_pattern_reaches_its_scope(store: Loom) -> None:
    """R-43, A-91: its namespace, its org, or the store; no other."""
    places = {
        (org, namespace): store.agent("ada", org=org, namespace=namespace)
        for org in ("acme", "beta")
        for namespace in ("lab", "ops")
    }

    def refusing() -> set[tuple[str, str]]:
        return {place for place, agent in places.items() if _refused(agent)}

    lab = places["acme", "lab"]
    for scope, expected in (
        ("namespace", {("acme", "lab")}),
        ("org", {("acme", "lab"), ("acme", "ops")}),
        ("global", set(places)),
    ):
        pattern = lab.blacklist.add("hunter2", scope=scope).pattern
        assert refusing() == expected
        assert {p for p, a in places.items() if a.blacklist.list()} == expected
        lab.blacklist.remove(pattern.pattern_id)
    assert refusing() == set()


def test_patterns_are_listed_oldest_first_and_removed_ones_when_asked(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """A-86: blacklist.list; what was lifted is kept as history."""
    first = agent.blacklist.add("aaa", reason="one").pattern
    clock.advance(1)
    second = agent.blacklist.add("bbb").pattern
    clock.advance(1)
    removed = agent.blacklist.remove(first.pattern_id).pattern

    assert [p.pattern_id for p in agent.blacklist.list()] == [second.pattern_id]
    both = agent.blacklist.list(include_removed=True)
    assert [p.pattern for p in both] == ["aaa", "bbb"]
    assert removed.removed_at == clock.now
    assert (first.reason, first.actor) == ("one", "process:local")


def test_a_lifted_pattern_refuses_no_more(agent: AgentHandle) -> None:
    """A-86: and cannot be lifted twice."""
    pattern = agent.blacklist.add("hunter2").pattern
    agent.blacklist.remove(pattern.pattern_id)

    assert not _refused(agent)
    with pytest.raises(NotFound):
        agent.blacklist.remove(pattern.pattern_id)


def test_an_equal_pattern_is_kept_once(agent: AgentHandle, store: Loom) -> None:
    """A-86: adding it again is a no-op, until it was removed."""
    first = agent.blacklist.add("hunter2")
    before = contents_of(store)
    again = agent.blacklist.add("hunter2")

    assert (first.noop, again.noop) == (False, True)
    assert again.pattern.pattern_id == first.pattern.pattern_id
    assert contents_of(store) == before
    agent.blacklist.remove(first.pattern.pattern_id)
    assert not agent.blacklist.add("hunter2").noop


def test_adding_and_removing_leave_one_audit_row_each_without_the_pattern(
    agent: AgentHandle, store: Loom
) -> None:
    """B-330: a pattern may hold the secret it keeps out."""
    pattern = agent.blacklist.add("hunter2").pattern
    agent.blacklist.remove(pattern.pattern_id)

    assert [(a.operation, a.verdict, a.memory_id) for a in audit_of(store)] == [
        ("blacklist.add", "added", pattern.pattern_id),
        ("blacklist.remove", "removed", pattern.pattern_id),
    ]
    assert "hunter2" not in repr(audit_of(store))


def test_a_sweep_tombstones_what_is_stored_and_matches(
    agent: AgentHandle, store: Loom
) -> None:
    """A-137, A-157: case, form and shape as in a write; the rest stays."""
    agent.memory.set("k/secret", SECRET)
    agent.memory.set("k/nested", {"deep": ["hunter2"]})
    agent.memory.set("k/tag", ELSEWHERE, tags=["hunter2"])
    agent.memory.set("k/fine", NIGHT)
    out = agent.blacklist.add("HUNTER2", sweep=True).sweep

    assert out is not None
    assert (out.swept, out.swept_truncated, out.kept_locked) == (3, False, ())
    assert set(out.swept_keys) == {"k/secret", "k/nested", "k/tag"}
    assert [row.memory_key for row in agent.memory.list().items] == ["k/fine"]
    assert agent.memory.search("password").hits == ()
    swept = [v for v in versions_of(store) if v.event == "swept"]
    assert len({v.version for v in swept}) == 3
    assert [a.verdict for a in audit_of(store)].count("swept") == 3
    assert agent.memory.history("k/secret")[0].event == "swept"


def test_a_sweep_reaches_every_user_of_its_scope_and_no_other(store: Loom) -> None:
    """R-43, A-137: an administrative operation takes a namespace."""
    for user in ("-", "u", "v"):
        store.agent("ada", user_id=user, **HERE).memory.set("k/a", SECRET)
    elsewhere = store.agent("ada", org="acme", namespace="ops")
    elsewhere.memory.set("k/a", SECRET)
    admin = store.agent("ada", **HERE)
    out = admin.blacklist.add("hunter2", sweep=True).sweep

    assert out is not None
    assert out.swept == 3
    assert elsewhere.memory.count() == 1


def test_a_sweep_by_itself_takes_the_patterns_in_force(agent: AgentHandle) -> None:
    """A-137: of what came in before the pattern; again, there is nothing left."""
    agent.memory.set("k/a", SECRET)
    agent.blacklist.add("hunter2")

    assert agent.blacklist.sweep().swept == 1
    assert agent.blacklist.sweep().swept == 0


def test_a_sweep_stops_at_its_cap_and_says_so(opened: Opener) -> None:
    """R-43, R-55: no silent cap; called again it goes on."""
    agent = opened(settings=Settings(sweep_cap=2)).agent("ada")
    for i in range(5):
        agent.memory.set(f"k/{i}", f"Note {i} says hunter2 to everybody who listens.")
    agent.blacklist.add("hunter2")
    outs = [agent.blacklist.sweep() for _ in range(3)]

    assert [(o.swept, o.swept_truncated) for o in outs] == [
        (2, True),
        (2, True),
        (1, False),
    ]


def test_a_cap_that_is_met_exactly_is_no_truncation(opened: Opener) -> None:
    """R-55: it says whether it finished."""
    agent = opened(settings=Settings(sweep_cap=2)).agent("ada")
    for i in range(2):
        agent.memory.set(f"k/{i}", f"Note {i} says hunter2 to everybody who listens.")
    agent.blacklist.add("hunter2")

    assert agent.blacklist.sweep().swept_truncated is False


def test_a_sweep_leaves_locked_rows_and_names_them(agent: AgentHandle) -> None:
    """A-134, A-137: they match and stay."""
    agent.memory.set("k/a", SECRET)
    agent.memory.set("k/b", "Another line with hunter2 in the middle.")
    agent.memory.lock("k/a", mode="no_delete", reason="evidence")
    out = agent.blacklist.add("hunter2", sweep=True).sweep

    assert out is not None
    assert (out.swept_keys, out.kept_locked) == (("k/b",), ("k/a",))
    assert agent.memory.get("k/a") is not None


def test_a_swept_side_of_a_conflict_frees_the_other(agent: AgentHandle) -> None:
    """R-22, R-24: a sweep cascades as a delete does."""
    agent.memory.set("k/5", DRAWS_5)
    agent.memory.set("k/9", DRAWS_9)
    agent.memory.set("k/hours", NIGHT)
    agent.memory.set("k/copy", NIGHT_AGAIN)
    agent.blacklist.add("9 kW", sweep=True)
    agent.blacklist.add("the pump runs", sweep=True)
    left, copy = agent.memory.get("k/5"), agent.memory.get("k/copy")

    assert left is not None
    assert (left.status, left.conflict_with) == ("active", ())
    assert copy is not None
    assert (copy.status, copy.memory_key) == ("active", "k/copy")


def test_a_swept_row_comes_back_only_after_the_pattern_is_lifted(
    agent: AgentHandle,
) -> None:
    """A-159, R-30: restore runs the blacklist."""
    agent.memory.set("k/a", SECRET)
    pattern = agent.blacklist.add("hunter2", sweep=True).pattern
    with pytest.raises(Blacklisted):
        agent.memory.restore("k/a")
    agent.blacklist.remove(pattern.pattern_id)

    assert agent.memory.restore("k/a").count == 1


@pytest.mark.parametrize(
    "roles, allowed",
    [
        ({"acme/lab": Role.WRITER}, set()),
        ({"acme/lab": Role.ADMIN}, {"namespace"}),
        ({"acme/*": Role.ADMIN}, {"namespace", "org"}),
        ({"*": Role.ADMIN}, {"namespace", "org", "global"}),
    ],
    ids=["writer", "namespace", "org", "store"],
)
def test_a_scope_is_changed_by_its_administrator(
    store: Loom, roles: dict[str, Role], allowed: set[str]
) -> None:
    """R-07, R-43: namespace by its admin, org by the org's, global by the store's."""
    agent = acting_as(store, Caller(subject="x", roles=roles)).agent("ada", **HERE)
    everybody = store.agent("ada", **HERE)
    done = set()
    for scope in ("namespace", "org", "global"):
        pattern = everybody.blacklist.add("held", scope=scope).pattern
        try:
            agent.blacklist.add("hunter2", scope=scope)
            agent.blacklist.remove(pattern.pattern_id)
        except Forbidden:
            everybody.blacklist.remove(pattern.pattern_id)
            continue
        done.add(scope)

    assert done == allowed


def test_a_handle_bound_to_one_user_changes_no_pattern(store: Loom) -> None:
    """R-43: what everybody may write is not one user's to say."""
    bound = store.agent("ada", user_id="u", **HERE)
    pattern = store.agent("ada", **HERE).blacklist.add("hunter2").pattern

    with pytest.raises(Forbidden):
        bound.blacklist.add("other")
    with pytest.raises(Forbidden):
        bound.blacklist.remove(pattern.pattern_id)
    assert _refused(bound)


def test_another_namespace_s_pattern_answers_as_a_missing_one(store: Loom) -> None:
    """R-04: it is neither seen nor lifted."""
    lab, ops = (store.agent("ada", org="acme", namespace=n) for n in ("lab", "ops"))
    pattern = lab.blacklist.add("hunter2").pattern

    assert ops.blacklist.list() == ()
    with pytest.raises(NotFound):
        ops.blacklist.remove(pattern.pattern_id)


def test_a_sweep_may_be_asked_for_a_pattern_that_is_there(agent: AgentHandle) -> None:
    """A-137: adding an equal pattern is a no-op, its sweep is not."""
    agent.memory.set("k/a", SECRET)
    agent.blacklist.add("hunter2")
    out = agent.blacklist.add("hunter2", sweep=True)

    assert out.noop
    assert out.sweep is not None
    assert out.sweep.swept == 1
