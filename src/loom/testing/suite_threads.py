"""Many threads: one order of writes, and readers that never see half of one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import attrs

from loom.model.memory import MemoryRow
from loom.model.status import Status
from loom.storage.contract import Storage
from loom.storage.query import Match, Nearest, Select, Versions
from loom.storage.tables import AUDIT, MEMORY
from loom.storage.where import Equal
from loom.testing.suite_base import ANYWHERE, SuiteBase
from loom.testing.writing import Drafter, retried

__all__ = ["ThreadSuite", "together"]


def together(count: int, work: Callable[[int], object]) -> list[Any]:
    """Run `work(number)` in so many threads that begin at once; their answers in order."""
    start = threading.Barrier(count)
    answers: list[Any] = [None] * count
    errors: list[BaseException] = []

    def run(number: int) -> None:
        try:
            start.wait()
            answers[number] = work(number)
        except BaseException as error:  # noqa: BLE001 - it is raised below
            errors.append(error)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return answers


@contextmanager
def _beside(work: Callable[[], object], count: int = 2) -> Iterator[None]:
    """Repeat `work` in threads for as long as the block lasts; their errors are raised."""
    over = threading.Event()
    errors: list[BaseException] = []

    def run() -> None:
        try:
            while not over.is_set():
                work()
        except BaseException as error:  # noqa: BLE001 - it is raised below
            errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]


class ThreadSuite(SuiteBase):
    """Rules 4 to 10 under load."""

    def test_sixteen_threads_on_one_key_make_one_chain(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """R-36: each version replaces the one before; nothing is lost."""
        if not storage.capabilities.compare_and_set:
            return
        (first,) = drafter.put(storage, drafter.row("k", -1))

        def work(number: int) -> None:
            for turn in range(5):

                def attempt(writing: Any, turn: int = turn) -> Any:
                    head = writing.row(first.address)
                    row = drafter.revised(head, [number, turn])
                    entries = [drafter.entry(row, [1, number, turn, 0], f"t{number}")]
                    return drafter.stage(writing, row, entries=entries)

                (row,) = retried(storage, attempt)
                assert storage.row(first.address).version >= row.version  # type: ignore[union-attr]

        together(16, work)
        query = Select(table=MEMORY, where=Equal("memory_key", "k"), view=Versions())
        chain = storage.select(query).rows
        assert len(chain) == 81
        assert [row.parent for row in chain[:-1]] == [row.version for row in chain[1:]]
        assert storage.count(Select(table=AUDIT)) == 81

    def test_one_winner_a_round_among_holders_of_one_version(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """R-36: exactly one of 16 finds the hash it holds."""
        if not storage.capabilities.compare_and_set:
            return
        (row,) = drafter.put(storage, drafter.row("k", "start"))
        for turn in range(5):
            held = row

            def work(number: int, held: MemoryRow = held, turn: int = turn) -> bool:
                def attempt(writing: Any) -> Any:
                    head = writing.row(held.address)
                    if head.content_sha256 != held.content_sha256:
                        return False, writing.settled()
                    _, receipt = drafter.stage(
                        writing, drafter.revised(head, [turn, number])
                    )
                    return True, receipt

                return bool(retried(storage, attempt))

            assert sum(together(16, work)) == 1
            found = storage.row(held.address)
            assert found is not None
            row = found

    def test_sixteen_threads_with_one_fact_write_one_row(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """A peer that is staged is seen by the next block."""
        if not storage.capabilities.serialisable:
            return
        drafts = [drafter.row(f"k{number}", "the same fact") for number in range(16)]

        def work(number: int) -> None:
            row = drafts[number]
            entry = drafter.entry(row, [1, 0, 0, 0], "same")
            query = Nearest(scopes=ANYWHERE, vectors=drafter.direction(0), at_least=0.99)

            def attempt(writing: Any) -> Any:
                if writing.nearest(query)[0]:
                    return None, writing.settled()
                return drafter.stage(writing, row, entries=[entry])

            retried(storage, attempt)
            assert storage.count(Select(table=MEMORY)) == 1

        together(16, work)

    def test_readers_never_see_half_a_batch(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """R-22, rule 8: a conflict pair is linked on both sides or on neither."""
        if not storage.capabilities.atomic:
            return
        left, right = drafter.row("left", 0), drafter.row("right", 0)
        entries = [drafter.entry(r, [1, 0, 0, 0], "pair") for r in (left, right)]
        left, right = drafter.put(storage, left, right, entries=entries)
        checks = [0]

        def read() -> None:
            with storage.snapshot() as snapshot:
                rows = [snapshot.row(left.address), snapshot.row(right.memory_id)]
                rows += snapshot.select(Select(table=MEMORY)).rows
                near = snapshot.nearest(
                    Nearest(scopes=ANYWHERE, vectors=drafter.direction(0))
                )
                rows += [n.row for n in near[0]]
                found = snapshot.match(Match(scopes=ANYWHERE, terms=("pair",)))
                rows += [n.row for n in found]
                assert len(rows) == 8
                assert len({row.version for row in rows if row is not None}) == 1
                assert len({row.conflict_with == () for row in rows if row}) == 1
            checks[0] += 1

        def write(number: int) -> None:
            for turn in range(20):

                def attempt(writing: Any, turn: int = turn) -> Any:
                    a, b = writing.row(left.address), writing.row(right.address)
                    linked = (number + turn) % 2
                    return drafter.stage(
                        writing,
                        _linked(drafter, a, b, linked),
                        _linked(drafter, b, a, linked),
                    )

                retried(storage, attempt)

        with _beside(read):
            together(4, write)
        assert checks[0] > 0
        assert storage.count(Select(table=MEMORY, view=Versions())) == 2 + 2 * 80

    def test_a_read_after_an_answer_holds_the_write(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """Rule 9: callers read their own writes, by every path."""

        def work(number: int) -> None:
            for turn in range(5):
                row = drafter.row(f"k{number}/{turn}", turn)
                entry = drafter.entry(row, [1, number, turn, 0], f"n{number}t{turn}")
                (row,) = drafter.put(storage, row, entries=[entry])
                assert storage.row(row.address) == row
                words = Match(scopes=ANYWHERE, terms=(f"n{number}t{turn}",))
                assert [n.row for n in storage.match(words)] == [row]
                mine = Equal("memory_id", row.memory_id)
                query = Select(table=MEMORY, where=mine, view=Versions())
                assert storage.select(query).rows == (row,)

        together(16, work)
        assert storage.count(Select(table=MEMORY)) == 80


def _linked(drafter: Drafter, row: MemoryRow, peer: MemoryRow, linked: int) -> MemoryRow:
    return attrs.evolve(
        drafter.revised(row, row.value),
        status=Status.CONFLICTED if linked else Status.ACTIVE,
        conflict_with=(peer.memory_id,) if linked else (),
    )
