"""A namespace taken as a snapshot and written back: whole, once, and no better than it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import attrs
import pytest

import loom
from loom import AgentHandle, Caller, Loom, Role
from loom.errors import Blacklisted, Forbidden, InvalidRequest
from loom.faces.snapshots import snapshot_lines
from loom.operations.snapshots import Snapshot
from loom.testing.fakes import ChosenEmbedder, FakeClock, SeededIds
from loom.testing.stores import versions_of
from tests.operations.conftest import Opener
from tests.operations.texts import (
    DRAWS_5,
    DRAWS_9,
    ELSEWHERE,
    NIGHT,
    NIGHT_AGAIN,
    PLACES,
)

#: What a restore may change of a row: when and by whom it was written here.
STAMPED: Final = frozenset(
    {
        *("version", "parent", "event", "updated_at", "actor", "source_class"),
        *("source_trace", "verified_by", "namespace"),
    }
)


@pytest.fixture
def filled(store: Loom) -> Loom:
    agent = store.agent("ada", org="acme", namespace="lab")
    memory = agent.memory
    agent.namespace.register(
        default_conflict_policy="manual_review",
        type_registry={"decision": {"conflict_threshold": 0.9}},
        tag_registry={"brief": {"retention_days": 3}},
    )
    memory.set("pump/rate", DRAWS_9, tags=["kind:number"], confidence=0.4)
    memory.set("pump/other", DRAWS_5)
    memory.set("pump/night", NIGHT, metadata={"seen": [1, {"deep": True}]})
    memory.set("pump/again", NIGHT_AGAIN)
    memory.set("gone", ELSEWHERE)
    memory.delete("gone")
    memory.set("pump/rate", "The pump draws 11 amperes.")
    memory.set("trial/one", ELSEWHERE, proposed=True)
    bob = store.agent("bob", org="acme", namespace="lab", user_id="ana")
    bob.memory.set("pump/rate", NIGHT)
    memory.lock("pump/night", reason="audited")
    return store


def _ada(store: Loom, namespace: str = "lab", **said: Any) -> AgentHandle:
    return store.agent("ada", org="acme", namespace=namespace, **said)


def _parts(agent: AgentHandle, **said: Any) -> list[Snapshot]:
    parts = [agent.namespace.snapshot(**said)]
    while parts[-1].cursor is not None:
        parts.append(agent.namespace.snapshot(**said, cursor=parts[-1].cursor))
    return parts


def _rows(store: Loom, namespace: str = "lab") -> list[dict[str, Any]]:
    """Every row of a namespace, without what a restore may change."""
    every = _ada(store, namespace, user_id="*").memory.list(status="*", limit=1_000).items
    every = tuple(sorted(every, key=lambda row: row.memory_id))
    return [{n: v for n, v in dict(row).items() if n not in STAMPED} for row in every]


@pytest.mark.parametrize("limit", [1, 3, 10_000])
def test_an_empty_store_holds_the_same_after_a_restore(
    filled: Loom, opened: Opener, limit: int
) -> None:
    """B-318, B-323: every row comes back with what it says and how it stands."""
    other = opened(ids=SeededIds(1))

    out = _ada(other).namespace.restore("lab", _parts(_ada(filled), limit=limit))

    assert out.restored
    assert _rows(other) == _rows(filled)
    assert (out.memories, out.counts) == (len(_rows(filled)), {"imported": out.memories})


def test_the_history_comes_along_when_it_is_asked_for(filled: Loom, opened: Opener) -> None:
    """B-318: the whole history by flag; without it the newest version of each alone."""
    whole, newest = opened(ids=SeededIds(1)), opened(ids=SeededIds(2))
    _ada(whole).namespace.restore("lab", _parts(_ada(filled), history=True))
    _ada(newest).namespace.restore("lab", _parts(_ada(filled)))

    def said(store: Loom) -> list[Any]:
        return [v.value for v in _ada(store).memory.history("pump/rate")]

    assert said(whole) == said(filled)
    assert said(newest) == said(filled)[:1]


def test_restored_rows_are_imported_by_the_caller_and_never_lifted(
    store: Loom, opened: Opener
) -> None:
    """B-328, R-47: asserted becomes imported, external stays; the actor is the restorer."""
    memory = _ada(store).memory
    memory.set("one", NIGHT)
    memory.set("two", ELSEWHERE, source_class="external")
    other = opened(caller=Caller(subject="keeper"), ids=SeededIds(1))

    _ada(other).namespace.restore("lab", _ada(store).namespace.snapshot())

    one, two = _ada(other).memory.get("one"), _ada(other).memory.get("two")
    assert one is not None
    assert two is not None
    assert (one.source_class, two.source_class) == ("imported", "external")
    assert {one.actor, two.actor} == {"process:keeper"}


def test_a_snapshot_has_settings_grants_and_an_audit_tail(filled: Loom) -> None:
    """B-319, B-320, B-321: what the namespace says, its grants, the newest entries."""
    agent = _ada(filled)
    part = agent.namespace.snapshot(include_audit_tail_n=3)

    assert part.settings is not None
    assert part.settings.default_conflict_policy == "manual_review"
    assert part.grants == ()
    assert [e.version for e in part.audit_tail] == sorted(
        (e.version for e in part.audit_tail), reverse=True
    )
    assert len(part.audit_tail) == 3
    assert part.audit_tail[0].operation == "memory.lock"
    assert agent.namespace.snapshot(include_audit_tail_n=0).audit_tail == ()
    assert len(agent.namespace.snapshot().audit_tail) > 3


def test_settings_are_restored_into_a_namespace_that_says_nothing(
    filled: Loom, opened: Opener
) -> None:
    """B-319: the type configuration comes along; what the target says already stays."""
    snapshot = _ada(filled).namespace.snapshot()
    fresh, settled = opened(ids=SeededIds(1)), opened(ids=SeededIds(2))
    _ada(settled).namespace.register(default_conflict_policy="append_only")

    assert _ada(fresh).namespace.restore("lab", snapshot).settings == "restored"
    assert _ada(settled).namespace.restore("lab", snapshot).settings == "kept"

    said = _ada(fresh).namespace.get()
    assert said.type_registry["decision"].conflict_threshold == 0.9
    assert said.tag_registry["brief"].retention_days == 3
    assert _ada(settled).namespace.get().default_conflict_policy == "append_only"


def test_the_same_snapshot_is_restored_once(filled: Loom, opened: Opener) -> None:
    """B-324: idempotent on snapshot_id, even if the target was changed since."""
    other = opened(ids=SeededIds(1))
    snapshot = _ada(filled).namespace.snapshot()
    _ada(other).namespace.restore("lab", snapshot)
    _ada(other).memory.delete("pump/other")
    before = versions_of(other)

    again = _ada(other).namespace.restore("lab", snapshot)

    assert not again.restored
    assert versions_of(other) == before
    assert _ada(other).namespace.restore("elsewhere", snapshot).restored


def test_a_copy_in_the_same_store_has_ids_of_its_own(filled: Loom) -> None:
    """R-03: an id is never used twice; links lead to the copies."""
    out = _ada(filled).namespace.restore("copy", _ada(filled).namespace.snapshot())

    here, there = (
        {row.memory_key + row.user_id + row.beside[:0]: row for row in rows}
        for rows in (
            _ada(filled, user_id="*").memory.list(status="*").items,
            _ada(filled, "copy", user_id="*").memory.list(status="*").items,
        )
    )
    assert out.renamed == len(there) == len(here)
    assert {r.memory_id for r in here.values()}.isdisjoint(
        r.memory_id for r in there.values()
    )
    ids = {row.memory_id for row in there.values()}
    for row in there.values():
        assert set(row.conflict_with) <= ids
        assert row.duplicate_of in {*ids, ""}
    assert there["pump/again-"].duplicate_of == there["pump/night-"].memory_id


def test_rebind_agent_gives_every_row_another_writer(filled: Loom, opened: Opener) -> None:
    """B-327: the rows' agent is the new one, and they stand as they stood."""
    other = opened(ids=SeededIds(1))

    _ada(other).namespace.restore(
        "lab", _ada(filled).namespace.snapshot(), rebind_agent="neo"
    )

    every = _ada(other, user_id="*").memory.list(status="*").items
    assert {row.agent for row in every} == {"neo"}
    assert len(every) == len(_rows(filled))


def test_of_two_agents_rows_of_one_key_the_newest_has_it_after_a_rebind(
    store: Loom, opened: Opener, clock: FakeClock
) -> None:
    """B-327: nothing is lost: the other stands in the history of the key."""
    store.agent("bob", org="acme", namespace="lab").memory.set("pump/rate", NIGHT)
    clock.advance(1)
    _ada(store).memory.set("pump/rate", ELSEWHERE)
    other = opened(ids=SeededIds(1))

    out = _ada(other).namespace.restore(
        "lab", _ada(store).namespace.snapshot(), rebind_agent="neo"
    )

    memory = other.agent("neo", org="acme", namespace="lab").memory
    row = memory.get("pump/rate")
    assert row is not None
    assert (row.value, out.filed) == (ELSEWHERE, 1)
    values = {v.value: v.status for v in memory.history("pump/rate")}
    assert values == {ELSEWHERE: "active", NIGHT: "superseded"}


def test_a_restored_row_is_found_at_once(filled: Loom, opened: Opener) -> None:
    """B-322: the target embeds under its own model."""
    other = opened(ids=SeededIds(1))

    _ada(other).namespace.restore("lab", _ada(filled).namespace.snapshot())

    assert _ada(other).memory.search(DRAWS_5).hits[0].value == DRAWS_5


class _Counting(ChosenEmbedder):
    """Counts what it embeds."""

    def __init__(self) -> None:
        super().__init__(PLACES)
        self.texts = 0

    def embed(self, texts: Any) -> Any:
        self.texts += len(texts)
        return super().embed(texts)


@pytest.mark.parametrize("included", [True, False])
def test_vectors_that_come_along_are_not_made_again(
    filled: Loom, opened: Opener, included: bool
) -> None:
    """B-322: include_embeddings is off by default; on, the same embedder need not embed."""
    agent = _ada(filled)
    parts = _parts(agent, **({"include_embeddings": True} if included else {}))
    assert all(bool(part.vectors) == included for part in parts)
    embedder = _Counting()
    other = opened(embedder=embedder, ids=SeededIds(1))

    embedder.texts = 0
    _ada(other).namespace.restore("lab", parts)

    assert (embedder.texts == 0) == included
    assert _ada(other).memory.search(DRAWS_5).hits[0].value == DRAWS_5


def test_a_secret_is_left_out_and_counted(store: Loom) -> None:
    """R-46: it leaves the store through get alone."""
    memory = _ada(store).memory
    memory.set("door", "The code of the door is 4711.", sensitivity="high")
    memory.set("pump", NIGHT)

    part = _ada(store).namespace.snapshot()

    assert part.withheld == 1
    assert "4711" not in "".join(snapshot_lines([part]))
    assert [m.head.memory_key for m in part.memories] == ["pump"]


def test_one_refusal_undoes_the_whole_restore(filled: Loom, opened: Opener) -> None:
    """R-30: the blacklist guards this way in too, and all or nothing is written."""
    other = opened(ids=SeededIds(1))
    _ada(other).blacklist.add("amperes", reason="never")
    before = versions_of(other)

    with pytest.raises(Blacklisted):
        _ada(other).namespace.restore("lab", _parts(_ada(filled), limit=2))

    assert versions_of(other) == before
    assert not _ada(other).namespace.get().registered


def test_a_key_that_says_something_else_here_is_revised(
    filled: Loom, opened: Opener
) -> None:
    """B-323: written back as versions: the key's own history goes on."""
    other = opened(ids=SeededIds(1))
    _ada(other).memory.set("pump/other", ELSEWHERE)

    out = _ada(other).namespace.restore("lab", _ada(filled).namespace.snapshot())

    assert [v.value for v in _ada(other).memory.history("pump/other")] == [
        DRAWS_5,
        ELSEWHERE,
    ]
    assert sum(out.counts.values()) == len(_rows(filled))


def _dropped(parts: list[Snapshot]) -> list[Snapshot]:
    return [parts[0], *parts[2:]]


def _cut(parts: list[Snapshot]) -> list[Snapshot]:
    return parts[:-1]


def _swapped(parts: list[Snapshot]) -> list[Snapshot]:
    return [parts[1], parts[0], *parts[2:]]


def _doubled(parts: list[Snapshot]) -> list[Snapshot]:
    return [*parts, parts[-1]]


def _thinned(parts: list[Snapshot]) -> list[Snapshot]:
    return [attrs.evolve(parts[0], memories=()), *parts[1:]]


def _mixed(parts: list[Snapshot]) -> list[Snapshot]:
    return [parts[0], *(attrs.evolve(p, snapshot_id="other") for p in parts[1:])]


def _none(parts: list[Snapshot]) -> list[Snapshot]:
    return parts[:0]


@pytest.mark.parametrize(
    "spoil", [_dropped, _cut, _swapped, _doubled, _thinned, _mixed, _none]
)
def test_what_is_no_whole_snapshot_is_refused_before_anything_is_written(
    filled: Loom, opened: Opener, spoil: Callable[[list[Snapshot]], list[Snapshot]]
) -> None:
    """Issue: a file cut short is refused before anything is written."""
    other = opened(ids=SeededIds(1))
    parts = _parts(_ada(filled), limit=2)
    before = versions_of(other)

    with pytest.raises(InvalidRequest, match="Nothing was restored"):
        _ada(other).namespace.restore("lab", spoil(parts))

    assert versions_of(other) == before


def test_a_file_holds_what_the_parts_hold(
    filled: Loom, opened: Opener, tmp_path: Path
) -> None:
    """Issue: a documented, streamed format, of one part a line."""
    path = tmp_path / "lab.jsonl"
    written = loom.write_snapshot(
        _ada(filled), path, limit=3, history=True, include_embeddings=True
    )
    lines = path.read_text(encoding="utf-8").splitlines()
    other = opened(ids=SeededIds(1))

    out = _ada(other).namespace.restore("lab", loom.read_snapshot(path))

    assert len(lines) == 1 + (written.memories - 1) // 3
    assert (out.memories, out.versions) == (written.memories, written.versions)
    assert _rows(other) == _rows(filled)
    assert [json.loads(line)["part"] for line in lines] == list(range(len(lines)))


@pytest.mark.parametrize("at", [0.1, 0.37, 0.5, 0.8, 0.999])
def test_a_file_cut_or_changed_anywhere_is_refused(
    filled: Loom, opened: Opener, tmp_path: Path, at: float
) -> None:
    """Issue: nothing is written of a file that is not what was written."""
    path = tmp_path / "lab.jsonl"
    loom.write_snapshot(_ada(filled), path, limit=3)
    whole = path.read_bytes()
    place = int(len(whole) * at)
    changed = bytes([whole[place] ^ 1])
    other = opened(ids=SeededIds(1))
    before = versions_of(other)

    for spoiled in (whole[:place], whole[:place] + changed + whole[place + 1 :]):
        path.write_bytes(spoiled)
        with pytest.raises(InvalidRequest):
            _ada(other).namespace.restore("lab", loom.read_snapshot(path))

    assert versions_of(other) == before


def test_the_json_of_a_small_namespace_is_a_payload(filled: Loom, opened: Opener) -> None:
    """B-318: one part, one JSON object."""
    payload = json.loads(next(snapshot_lines([_ada(filled).namespace.snapshot()])))
    other = opened(ids=SeededIds(1))

    assert _ada(other).namespace.restore("lab", loom.read_snapshot(payload)).restored
    with pytest.raises(InvalidRequest, match="read_snapshot"):
        _ada(other).namespace.restore("lab", payload)


def test_pages_show_the_instant_of_the_first(store: Loom) -> None:
    """Issue: what is written while a snapshot is taken is not in it."""
    agent = _ada(store)
    agent.memory.set("one", NIGHT)
    agent.memory.set("two", ELSEWHERE)
    first = agent.namespace.snapshot(limit=1)
    agent.memory.set("two", DRAWS_5)
    agent.memory.set("zed", DRAWS_9)

    second = agent.namespace.snapshot(limit=1, cursor=first.cursor)

    assert [m.head.value for m in second.memories] == [ELSEWHERE]
    assert second.cursor is None


def test_taking_and_restoring_are_an_administrators(opened: Opener) -> None:
    """R-07: of the namespace, and of the target."""
    caller = Caller(subject="w", roles={"acme/lab": Role.WRITER, "acme/own": Role.ADMIN})
    store = opened(caller=caller)
    agent = _ada(store)
    agent.memory.set("one", NIGHT)
    with pytest.raises(Forbidden):
        agent.namespace.snapshot()

    part = _ada(store, "own").namespace.snapshot()
    with pytest.raises(Forbidden):
        _ada(store, "own").namespace.restore("lab", part)
