"""Many threads on one store: one winner, one row, and no reader sees half a write."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, TypeVar

import pytest

from loom import AgentHandle, Loom
from loom.errors import LoomError, PreconditionFailed
from loom.model.memory import MemoryRow
from loom.plans.outcomes import SetOutcome
from loom.ports import SystemClock, SystemIds
from loom.storage.query import Select
from loom.storage.tables import MEMORY
from loom.testing.fakes import ChosenEmbedder, SeededIds
from loom.testing.stage import behind
from tests.operations.conftest import Opener

R = TypeVar("R")
THREADS: Final = 16
ROUNDS: Final = 20


@pytest.fixture
def store(opened: Opener) -> Loom:
    """A store with the machine's clock and ids, as a busy process has it."""
    return opened(clock=SystemClock(), ids=SystemIds())


def together(calls: Sequence[Callable[[], R]]) -> list[R | LoomError]:
    """What each call answers or is refused with, all of them begun at once."""
    gate = threading.Barrier(len(calls))

    def one(call: Callable[[], R]) -> R | LoomError:
        gate.wait(timeout=30)
        try:
            return call()
        except LoomError as error:
            return error

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(one, calls))


def _writers(store: Loom) -> list[AgentHandle]:
    return [store.agent("ada", org="acme", namespace="lab") for _ in range(THREADS)]


def _each(
    writers: Sequence[AgentHandle], write: Callable[[AgentHandle, int], R]
) -> list[R | LoomError]:
    """What each writer's write is answered with, all of them begun at once."""
    return together([partial(write, writer, n) for n, writer in enumerate(writers)])


def test_of_many_holders_of_one_hash_one_wins_each_round(store: Loom) -> None:
    """R-36: compare-and-set; the others are refused and change nothing."""
    writers = _writers(store)
    memory = writers[0].memory
    memory.set("counter/owner", "nobody has it yet at all")

    def claim(writer: AgentHandle, n: int, *, held: str, turn: int) -> SetOutcome:
        value = f"thread {n} has it in turn {turn} of the game"
        return writer.memory.set("counter/owner", value, if_match_sha256=held)

    for turn in range(ROUNDS):
        before = memory.get("counter/owner")
        assert before is not None
        answers = _each(writers, partial(claim, held=before.content_sha256, turn=turn))
        won = [answer for answer in answers if not isinstance(answer, LoomError)]
        assert len(won) == 1
        assert all(
            isinstance(a, PreconditionFailed) for a in answers if isinstance(a, LoomError)
        )
        row = memory.get("counter/owner")
        assert row is not None
        assert row.content_sha256 == won[0].content_sha256

    assert len(memory.history("counter/owner")) == ROUNDS + 1


def test_one_fact_under_many_keys_at_once_is_one_row(store: Loom) -> None:
    """R-33, design rule 4: a writer sees what is staged before it, so none slips past the
    peer check; every other writer reinforces the one row."""
    writers = _writers(store)

    def learn(writer: AgentHandle, n: int, *, turn: int) -> SetOutcome:
        # No two turns have a word in common, so their facts are about different things.
        words = (
            f"{chr(ord('a') + turn)}{word}" for word in ("olive", "drum", "stone", "lamp")
        )
        return writer.memory.set(f"turn/{turn}/{n}", " ".join(words))

    for turn in range(ROUNDS):
        answers = _each(writers, partial(learn, turn=turn))
        verdicts = sorted(
            a.conflict_verdict for a in answers if not isinstance(a, LoomError)
        )
        assert verdicts == ["clear", *["merge"] * (THREADS - 1)]
        (row,) = writers[0].memory.list(prefix=f"turn/{turn}").items
        assert row.reinforcement_count == THREADS


def test_many_writers_of_one_key_leave_a_chain_of_versions(store: Loom) -> None:
    """R-15, A-95: no restatement is lost, and each version names the one before it."""
    writers = _writers(store)

    for _ in range(3):
        _each(writers, lambda w, _: w.memory.set("same/key", "the one thing they all say"))

    history = writers[0].memory.history("same/key")[::-1]
    assert [version.reinforcement_count for version in history] == list(
        range(1, 3 * THREADS + 1)
    )
    versions = [version.version for version in history]
    assert [version.parent for version in history] == [0, *versions[:-1]]
    assert len({version.memory_id for version in history}) == 1


def test_a_pin_of_what_is_there_undoes_no_correction(opened: Opener) -> None:
    """A-132, design rule 4: the value pinned is the one under the lock, not one read before."""

    class Interrupted(SeededIds):
        """Lets somebody else act when an id is asked for, after the request was read."""

        then: Callable[[], object] | None = None

        def new(self) -> str:
            then, self.then = self.then, None
            if then is not None:
                then()
            return super().new()

    ids = Interrupted()
    memory = opened(ids=ids).agent("ada").memory
    memory.set("pump/hours", "The pump runs for six hours a day")
    ids.then = lambda: memory.update("pump/hours", "The pump runs for eight hours a day")

    out = memory.pin("pump/hours")

    row = memory.get("pump/hours")
    assert row is not None
    assert (row.value, row.pinned) == ("The pump runs for eight hours a day", True)
    assert out.content_sha256 == row.content_sha256


def test_a_reader_never_sees_half_a_conflict_pair(opened: Opener) -> None:
    """R-22, R-38, design rule 8: both sides of a link, and both ends of a delete, are one
    write; a snapshot holds all of it or nothing."""
    texts = [f"the tank of hall {n} holds {n}{n} litres of water" for n in range(3)]
    embedder = ChosenEmbedder({text: ("tank", 0.05 * n) for n, text in enumerate(texts)})
    store = opened(clock=SystemClock(), ids=SystemIds(), embedder=embedder)
    done = threading.Event()
    halves: list[MemoryRow] = []
    linked = 0

    def write(n: int) -> None:
        memory = store.agent(f"writer-{n}", org="acme", namespace="lab").memory
        for turn in range(16):
            memory.set(f"tank/{n}", texts[(n + turn) % 3])
            if turn % 4 == 3:
                memory.delete(f"tank/{n}")

    def look() -> None:
        nonlocal linked
        while not done.is_set():
            with behind(store).snapshot() as reader:
                rows = {r.memory_id: r for r in reader.select(Select(table=MEMORY)).rows}
            halves.extend(row for row in rows.values() if _is_half(row, rows))
            linked += any(row.conflict_with for row in rows.values())

    readers = [threading.Thread(target=look) for _ in range(3)]
    for thread in readers:
        thread.start()
    answers = together([partial(write, n) for n in range(8)])
    done.set()
    for thread in readers:
        thread.join(timeout=30)

    assert answers == [None] * 8
    assert linked, "no reader looked while rows were in conflict"
    assert halves == []


def _is_half(row: MemoryRow, rows: dict[str, MemoryRow]) -> bool:
    linked = [rows.get(other) for other in row.conflict_with]
    one_sided = any(o is None or row.memory_id not in o.conflict_with for o in linked)
    return one_sided or (row.status == "conflicted") != bool(linked)


def test_a_writer_reads_what_it_wrote(store: Loom) -> None:
    """A-19, design rule 9: an answer follows the publication, by every path."""

    def write_and_read(n: int) -> None:
        memory = store.agent(f"writer-{n}", org="acme", namespace="lab").memory
        for turn in range(10):
            value = f"note {turn} of writer {n} about its own day"
            out = memory.set(f"note/{n}", value)
            row = memory.get(f"note/{n}")
            by_id = memory.get_by_id(out.memory_id)
            assert row is not None
            assert by_id is not None
            assert row.version == by_id.version == out.version
            found = [hit.memory_id for hit in memory.search(value, top_k=1_000).hits]
            assert out.memory_id in found

    answers = together([partial(write_and_read, n) for n in range(8)])

    assert answers == [None] * 8


def test_bulk_writes_and_single_writes_interleave(store: Loom) -> None:
    """R-37, design rule 15: the same facts by two ways at once are one row each."""
    facts = [f"fact number {n} of the shared list" for n in range(12)]
    bulk, single = (store.agent("ada", org="acme", namespace="lab") for _ in range(2))
    entries = [{"memory_key": f"bulk/{n}", "value": fact} for n, fact in enumerate(facts)]

    def one_by_one() -> None:
        for n, fact in enumerate(facts):
            single.memory.set(f"single/{n}", fact)

    answers = together([lambda: bulk.memory.bulk_set(entries), one_by_one])

    assert not any(isinstance(answer, LoomError) for answer in answers)
    rows = single.memory.list().items
    assert sorted(str(row.value) for row in rows) == sorted(facts)
    assert {row.reinforcement_count for row in rows} == {2}
