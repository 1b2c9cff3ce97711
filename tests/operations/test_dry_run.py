"""A dry run answers what the write would answer, and leaves every table as it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from loom import AgentHandle, Loom
from loom.errors import NotFound
from loom.testing.fakes import FakeClock
from loom.testing.stores import contents_of
from tests.operations.texts import (
    BREAD,
    BUTTER,
    DRAWS_5,
    DRAWS_7,
    DRAWS_9,
    ELSEWHERE,
    NIGHT,
    NIGHT_AGAIN,
    NIGHT_SHOUTED,
)

#: A long value, a revision in conflict, duplicates to be judged again, and so on.
LONG: Final = " ".join(f"Sentence number {i} stands here." for i in range(100))
WRITES: Final[dict[str, Callable[[Any], Any]]] = {
    "clear": lambda m: m.set("k/new", ELSEWHERE),
    "clear-near": lambda m: m.set("k/new", BUTTER),
    "chunks": lambda m: m.set("k/new", LONG),
    "restated": lambda m: m.set("pump/hours", NIGHT, tags=["more"]),
    "merge": lambda m: m.set("k/new", NIGHT_SHOUTED),
    "duplicate": lambda m: m.set("k/new", NIGHT_AGAIN),
    "conflict": lambda m: m.set("k/new", DRAWS_7),
    "revision": lambda m: m.set("pump/hours", ELSEWHERE),
    "revision-of-a-side": lambda m: m.set("pump/power", ELSEWHERE),
    "revision-to-duplicate": lambda m: m.set("ana/soup", NIGHT_SHOUTED),
    "advised": lambda m: m.set("k/new-v2", ELSEWHERE),
    "update": lambda m: m.update("pump/hours", ELSEWHERE, confidence=0.5),
    "pin": lambda m: m.pin("pump/hours", ELSEWHERE),
    "pin-as-is": lambda m: m.pin("pump/hours"),
    "delete": lambda m: m.delete("pump/power"),
    "delete-with-duplicates": lambda m: m.delete("pump/hours"),
    "delete-nothing": lambda m: m.delete("k/new"),
    "restore": lambda m: m.restore("pump/gone"),
    "restore-clearing": lambda m: m.restore("pump/gone", clear_expiry=True),
}
#: What may differ: a dry run makes no version and keeps no id.
FREE: Final = {"version", "dry_run", "memory_id", "rows"}


class _Trying:
    """`memory.*`, every call a dry run."""

    def __init__(self, agent: AgentHandle) -> None:
        self._memory = agent.memory

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._memory, name)
        return lambda *args, **kwargs: method(*args, dry_run=True, **kwargs)


@pytest.fixture
def filled(agent: AgentHandle) -> AgentHandle:
    agent.memory.set("pump/hours", NIGHT)
    agent.memory.set("pump/schedule", NIGHT_AGAIN)
    agent.memory.set("pump/power", DRAWS_5)
    agent.memory.set("machines/pump", DRAWS_9)
    agent.memory.set("ana/soup", BREAD)
    agent.memory.set("pump/gone", "The pump stood on the northern wall.", ttl_seconds=60)
    agent.memory.delete("pump/gone")
    return agent


def _comparable(answer: Any) -> dict[str, Any]:
    found = {name: value for name, value in dict(answer).items() if name not in FREE}
    for i, row in enumerate(answer.get("rows", ())):
        inner = dict(row)
        inner.pop("version", None)
        found[f"row {i}"] = inner
    return found


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_a_dry_run_gives_exactly_the_answer_of_the_write(
    filled: AgentHandle, store: Loom, write: Callable[[Any], Any]
) -> None:
    """R-35, A-99: for every operation that has it; every check ran, nothing was written."""
    before = contents_of(store)
    tried = write(_Trying(filled))
    assert contents_of(store) == before

    done = write(filled.memory)
    assert _comparable(tried) == _comparable(done)
    assert (tried.dry_run, tried.version) == (True, 0)
    assert not done.dry_run


def test_a_dry_run_by_id_is_as_good(filled: AgentHandle, store: Loom) -> None:
    """R-35: `update_by_id`."""
    row = filled.memory.get("pump/hours")
    assert row is not None
    before = contents_of(store)
    tried = filled.memory.update_by_id(row.memory_id, ELSEWHERE, dry_run=True)
    assert contents_of(store) == before

    done = filled.memory.update_by_id(row.memory_id, ELSEWHERE)
    assert _comparable(tried) == _comparable(done)
    assert tried.memory_id == done.memory_id


def test_a_dry_run_of_nothing_is_the_same_error(filled: AgentHandle, store: Loom) -> None:
    """R-35: errors included."""
    before = contents_of(store)
    for call in (filled.memory.restore, filled.memory.pin):
        with pytest.raises(NotFound):
            call("k/none", dry_run=True)
    assert contents_of(store) == before


def test_a_probe_under_another_key_finds_the_fact_and_an_update_with_its_hash_lands(
    store: Loom,
) -> None:
    """A-348: the first example of the page: conflict, with the first fact closest."""
    here = {"org": "acme", "namespace": "lab"}
    ada, bob = store.agent("ada", **here), store.agent("bob", **here)
    first = ada.memory.set("pump/power", DRAWS_5)
    probe = bob.memory.set("machines/pump", DRAWS_9, dry_run=True)

    assert probe.conflict_verdict == "conflict"
    assert probe.peers[0].memory_key == "pump/power"
    assert probe.peers[0].content_sha256 == first.content_sha256
    landed = bob.memory.update(
        "pump/power", DRAWS_9, if_match_sha256=probe.peers[0].content_sha256
    )
    assert landed.memory_id == first.memory_id
    assert ada.memory.count() == 1


def test_a_dry_run_stands_for_its_moment(filled: AgentHandle, clock: FakeClock) -> None:
    """R-35: at that moment: what changes later changes the answer."""
    tried = filled.memory.set("k/new", DRAWS_7, dry_run=True)
    filled.memory.delete("pump/power")
    filled.memory.delete("machines/pump")
    clock.advance(1)

    assert tried.conflict_verdict == "conflict"
    assert filled.memory.set("k/new", DRAWS_7).conflict_verdict == "clear"
