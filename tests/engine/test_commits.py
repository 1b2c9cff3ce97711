"""What a write does when its commit fails: judged again, alone, at most three times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from loom import Loom
from loom.backends.live.group import LiveStorage
from loom.backends.memory import ListJournal, open_memory
from loom.errors import Blacklisted, PreconditionFailed, StoreUnavailable
from loom.operations.opening import open_env
from loom.testing.fakes import ChosenEmbedder, FakeClock, SeededIds
from loom.testing.faults import Fault, FaultyJournal
from loom.testing.stores import audit_of, contents_of, versions_of
from tests.operations.texts import DRAWS_5, DRAWS_9, ELSEWHERE, NIGHT, PLACES

#: As often as a write is tried.
TRIES: Final = 3


class Shaky:
    """A store whose next commits fail as they are told to."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        embedder, clock = ChosenEmbedder(PLACES), FakeClock()
        journal = FaultyJournal(
            ListJournal(space=embedder.name, dimension=embedder.dimension),
            lambda _: self.faults.pop(0) if self.faults else Fault.NONE,
        )
        plain = open_memory(clock=clock, space=embedder.name, dimension=embedder.dimension)
        storage = LiveStorage(
            journal,
            capabilities=plain.capabilities,
            clock=clock,
            space=embedder.name,
            dimension=embedder.dimension,
        )
        self.store = Loom(open_env(storage, embedder, clock, ids=SeededIds()), "shaky")
        self.agent = self.store.agent("ada", org="acme", namespace="lab")


@pytest.fixture
def shaky() -> Shaky:
    return Shaky()


WRITES: Final[dict[str, Callable[[Any], Any]]] = {
    "set": lambda m: m.set("k/new", ELSEWHERE),
    "conflict": lambda m: m.set("k/new", DRAWS_9),
    "merge": lambda m: m.set("k/new", NIGHT.upper()),
    "restated": lambda m: m.set("pump/hours", NIGHT),
    "revision": lambda m: m.set("pump/hours", ELSEWHERE),
    "update": lambda m: m.update("pump/hours", ELSEWHERE),
    "pin": lambda m: m.pin("pump/hours"),
    "delete": lambda m: m.delete("pump/hours"),
    "restore": lambda m: m.restore("pump/gone"),
    "lock": lambda m: m.lock("pump/hours", reason="kept"),
    "bulk": lambda m: m.bulk_set(
        [{"memory_key": "b/1", "value": ELSEWHERE}, {"memory_key": "b/2", "value": DRAWS_9}]
    ),
    "atomic": lambda m: m.bulk_set(
        [
            {"memory_key": "b/1", "value": ELSEWHERE},
            {"memory_key": "b/2", "value": DRAWS_9},
        ],
        atomic=True,
    ),
}
ALL = pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())


def _fill(shaky: Shaky) -> None:
    memory = shaky.agent.memory
    memory.set("pump/hours", NIGHT)
    memory.set("pump/power", DRAWS_5)
    memory.set("pump/gone", "Bridges were painted in the summer.")
    memory.delete("pump/gone")


def _told(store: Loom) -> list[tuple[Any, ...]]:
    return [(v.memory_key, v.value, v.status, v.event) for v in versions_of(store)]


@pytest.mark.parametrize("fault", [Fault.BEFORE, Fault.AFTER], ids=["before", "after"])
@ALL
def test_a_write_whose_commit_failed_lands_once(
    write: Callable[[Any], Any], fault: Fault
) -> None:
    """R-38: whole, once, with one audit row, whether or not the commit took effect."""
    steady, shaky = Shaky(), Shaky()
    for one in (steady, shaky):
        _fill(one)
    shaky.faults = [fault]
    write(steady.agent.memory)
    write(shaky.agent.memory)

    assert _told(shaky.store) == _told(steady.store)
    assert [(a.operation, a.memory_key, a.verdict) for a in audit_of(shaky.store)] == [
        (a.operation, a.memory_key, a.verdict) for a in audit_of(steady.store)
    ]


@ALL
def test_a_write_that_cannot_be_committed_leaves_nothing(
    shaky: Shaky, write: Callable[[Any], Any]
) -> None:
    """R-38: after three tries the store is as it was, and the caller is told so."""
    _fill(shaky)
    before = contents_of(shaky.store)
    shaky.faults = [Fault.BEFORE] * (3 * TRIES)
    try:
        codes = {r["code"] for r in write(shaky.agent.memory).results}
    except StoreUnavailable as error:
        codes = {error.code}
    shaky.faults = []

    assert codes == {"STORE_UNAVAILABLE"}
    assert contents_of(shaky.store) == before
    assert shaky.agent.memory.set("k/after", "Life goes on as it did before.").version


def test_two_failures_in_a_row_are_outlived(shaky: Shaky) -> None:
    """R-38: the third try lands."""
    shaky.faults = [Fault.BEFORE] * (TRIES - 1)

    assert shaky.agent.memory.set("k/a", NIGHT).conflict_verdict == "clear"
    assert [v.memory_key for v in versions_of(shaky.store)] == ["k/a"]


@pytest.mark.parametrize("atomic", [False, True])
def test_a_refusal_is_answered_only_once_it_is_recorded(shaky: Shaky, atomic: bool) -> None:
    """R-30: one audit row, also where its first commit failed."""
    shaky.agent.blacklist.add("wolves")
    shaky.faults = [Fault.BEFORE]
    if atomic:
        with pytest.raises(Blacklisted):
            shaky.agent.memory.bulk_set(
                [{"memory_key": "k/a", "value": ELSEWHERE}], atomic=True
            )
    else:
        with pytest.raises(Blacklisted):
            shaky.agent.memory.set("k/a", ELSEWHERE)

    assert [a.refused for a in audit_of(shaky.store)] == ["", "BLACKLISTED"]


def test_a_write_judged_again_is_judged_against_what_is_there_now(shaky: Shaky) -> None:
    """R-36: a precondition that held at the first try is asked again at the second."""
    out = shaky.agent.memory.set("k/a", NIGHT)
    shaky.faults = [Fault.BEFORE]
    landed = shaky.agent.memory.set("k/a", ELSEWHERE, if_match_sha256=out.content_sha256)

    assert landed.conflict_verdict == "clear"
    with pytest.raises(PreconditionFailed):
        shaky.agent.memory.set("k/a", NIGHT, if_match_sha256=out.content_sha256)


def test_versions_rise_over_failed_tries(shaky: Shaky) -> None:
    """R-15: strictly rising, whatever was abandoned in between."""
    for i in range(4):
        shaky.faults = [Fault.BEFORE] * (i % TRIES)
        shaky.agent.memory.set(f"k/{i}", f"Entry {i} tells of a matter of its own.")
    versions = [v.version for v in versions_of(shaky.store)]

    assert versions == sorted(set(versions))
