"""LiveStorage over journals that fail: rules 5 to 14 and 18."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest

from loom.backends.duckdb.journal import DuckJournal
from loom.backends.live.group import LiveStorage
from loom.backends.live.journal import Journal, Staged
from loom.backends.memory import ListJournal
from loom.errors import StorageError, StoreUnavailable
from loom.model.identity import Address
from loom.model.memory import MemoryRow
from loom.model.status import Event
from loom.storage.batch import Batch, Receipt
from loom.storage.contract import Capabilities, CommitFailed
from loom.storage.query import Match, Nearest, Select, Versions
from loom.storage.tables import MEMORY
from loom.testing.faults import Broken, Fault, FaultyJournal
from loom.testing.suite_threads import together
from loom.testing.writing import SCOPE, WHOLE, Drafter, StepClock, retried

SPACE, DIMENSION = "suite", 4
PROMISES = Capabilities(
    backend="test",
    durable=False,
    atomic=True,
    serialisable=True,
    compare_and_set=True,
    exact_search=True,
    multi_process=False,
)


@pytest.fixture
def drafter() -> Drafter:
    return Drafter(space=SPACE, dimension=DIMENSION)


def over(journal: Journal) -> LiveStorage:
    return LiveStorage(
        journal,
        capabilities=PROMISES,
        clock=StepClock(step_ns=1),
        space=SPACE,
        dimension=DIMENSION,
    )


def never(_group: Sequence[Staged]) -> Fault:
    return Fault.NONE


@pytest.fixture(params=["memory", "duckdb"])
def inner(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Journal]:
    if request.param == "memory":
        yield ListJournal(space=SPACE, dimension=DIMENSION)
        return
    journal = DuckJournal(str(tmp_path / "store.duckdb"), space=SPACE)
    yield journal
    journal.close()


def state(storage: LiveStorage) -> tuple[str, str]:
    """The view's digest, and that of a view built anew from the journal."""
    return storage.fingerprint(), storage.rebuilt_fingerprint()


def test_a_failed_commit_leaves_nothing_and_is_judged_again_alone(
    inner: Journal, drafter: Drafter
) -> None:
    """Rule 11."""
    faults = [Fault.BEFORE]
    journal = FaultyJournal(inner, lambda _: faults.pop() if faults else Fault.NONE)
    storage = over(journal)
    row = drafter.row("k", "v")
    entries = [drafter.entry(row, [1, 0, 0, 0], "word")]
    with storage.writing(WHOLE) as writing:
        (staged,), receipt = drafter.stage(writing, row, entries=entries)
    with pytest.raises(CommitFailed) as caught:
        receipt.wait()
    assert isinstance(caught.value.__cause__, Broken)
    assert storage.row(row.address) is None
    assert storage.match(Match(scopes=(SCOPE,), terms=("word",))) == ()
    assert len(set(state(storage))) == 1
    with storage.writing(WHOLE, alone=True) as writing:
        assert writing.row(row.address) is None
        (again,), receipt = drafter.stage(writing, row, entries=entries)
    receipt.wait()
    assert again.version > staged.version
    assert storage.row(row.address) == again
    assert len(set(state(storage))) == 1


def test_a_dry_run_after_a_failed_commit_waits_for_nothing(drafter: Drafter) -> None:
    """Rule 10: what was abandoned is no part of what the block saw."""
    faults = [Fault.BEFORE]
    inner = ListJournal(space=SPACE, dimension=DIMENSION)
    storage = over(FaultyJournal(inner, lambda _: faults.pop() if faults else Fault.NONE))
    with storage.writing(WHOLE) as writing:
        (row,), receipt = drafter.stage(writing, drafter.row("k", "v"))
    with pytest.raises(CommitFailed):
        receipt.wait()
    with storage.writing(WHOLE) as writing:
        assert writing.row(row.address) is None
        receipt = writing.settled()
    receipt.wait()


def test_a_commit_that_took_effect_in_spite_of_its_error_is_published_once(
    inner: Journal, drafter: Drafter
) -> None:
    """Rule 12: the journal is asked before anybody tries again."""
    faults = [Fault.AFTER]
    storage = over(FaultyJournal(inner, lambda _: faults.pop() if faults else Fault.NONE))
    (row,) = drafter.put(storage, drafter.row("k", "v"))
    assert storage.row(row.address) == row
    assert storage.count(Select(table=MEMORY, view=Versions())) == 1
    assert len(set(state(storage))) == 1


def test_a_commit_nobody_can_know_of_closes_the_store(drafter: Drafter) -> None:
    """Rule 12: every call is refused until it is opened again, and then it is right."""
    inner = ListJournal(space=SPACE, dimension=DIMENSION)
    journal = FaultyJournal(inner, lambda _: Fault.AFTER)
    storage = over(journal)
    journal.silent = True
    with storage.writing(WHOLE) as writing:
        (row,), receipt = drafter.stage(writing, drafter.row("k", "v"))
    with pytest.raises(StoreUnavailable):
        receipt.wait()
    for call in (
        lambda: storage.row(row.address),
        lambda: storage.count(Select(table=MEMORY)),
        lambda: storage.writing(WHOLE).__enter__(),
        lambda: storage.load([]),
    ):
        with pytest.raises(StoreUnavailable):
            call()
    assert over(inner).row(row.address) == row


def test_an_interrupt_in_the_middle_of_a_commit_settles_it_first(
    drafter: Drafter,
) -> None:
    """Rule 12: whatever the exception; leadership is given back."""
    inner = ListJournal(space=SPACE, dimension=DIMENSION)
    raised: list[type[BaseException]] = [KeyboardInterrupt]

    class Interrupted(FaultyJournal):
        def append(self, group: Sequence[Staged], /) -> None:
            self.inner.append(group)
            if raised:
                raise raised.pop()

    storage = over(Interrupted(inner, never))
    with storage.writing(WHOLE) as writing:
        (row,), receipt = drafter.stage(writing, drafter.row("k", "v"))
    with pytest.raises(KeyboardInterrupt):
        receipt.wait()
    receipt.wait()
    assert storage.row(row.address) == row
    drafter.put(storage, drafter.row("j", "w"))


def _refused(receipt: Receipt) -> None:
    with pytest.raises(CommitFailed):
        receipt.wait()


def test_everything_staged_behind_a_failed_group_fails_with_it(drafter: Drafter) -> None:
    """Rule 11: what rested on it cannot stand."""
    inner = ListJournal(space=SPACE, dimension=DIMENSION)
    faults = [Fault.BEFORE]
    journal = FaultyJournal(inner, lambda _: faults.pop() if faults else Fault.NONE)
    journal.hold.clear()
    storage = over(journal)
    with storage.writing(WHOLE) as writing:
        (one,), first = drafter.stage(writing, drafter.row("k", "one"))
    leader = threading.Thread(target=lambda: _refused(first))
    leader.start()
    with storage.writing(WHOLE) as writing:
        assert writing.row(one.address) == one
        _, second = drafter.stage(writing, drafter.revised(one, "two"))
        dry = writing.settled()
    with storage.writing(WHOLE) as writing:
        resting = writing.settled()
    journal.hold.set()
    leader.join()
    for receipt in (first, second, dry, resting):
        with pytest.raises(CommitFailed):
            receipt.wait()
    assert storage.row(one.address) is None
    assert len(set(state(storage))) == 1


def test_a_poisoned_write_fails_only_itself(drafter: Drafter) -> None:
    """Rule 11: the others of its group are committed when judged again, alone."""
    inner = ListJournal(space=SPACE, dimension=DIMENSION)

    def choose(group: Sequence[Staged]) -> Fault:
        rows = [row for staged in group for row in staged.batch.rows]
        poisoned = any(isinstance(r, MemoryRow) and r.memory_key == "k3" for r in rows)
        return Fault.BEFORE if poisoned else Fault.NONE

    storage = over(FaultyJournal(inner, choose))

    def work(number: int) -> bool:
        row = drafter.row(f"k{number}", number)
        try:
            retried(storage, lambda writing: drafter.stage(writing, row), times=3)
        except AssertionError:
            return False
        return True

    assert together(8, work) == [number != 3 for number in range(8)]
    assert storage.count(Select(table=MEMORY)) == 7
    assert len(set(state(storage))) == 1


def test_writers_waiting_together_share_a_commit(drafter: Drafter) -> None:
    """Rule 6: one leads, the others' batches go with its next commit."""
    journal = FaultyJournal(ListJournal(space=SPACE, dimension=DIMENSION), never)
    storage = over(journal)
    journal.hold.clear()

    def work(number: int) -> None:
        drafter.put(storage, drafter.row(f"k{number}", number))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 10
    while len(storage.unpublished) < 8 and time.monotonic() < deadline:
        time.sleep(0.001)
    journal.hold.set()
    for thread in threads:
        thread.join()
    assert sum(journal.groups) == 8
    assert len(journal.groups) <= 2


def test_a_lone_writer_commits_at_once(drafter: Drafter) -> None:
    """Rule 6: no timer, no thread."""
    before = threading.active_count()
    storage = over(ListJournal(space=SPACE, dimension=DIMENSION))
    drafter.put(storage, drafter.row("k", "v"))
    assert threading.active_count() == before


def test_what_is_staged_and_never_waited_for_is_committed_on_close(
    tmp_path: Path, drafter: Drafter
) -> None:
    journal = DuckJournal(str(tmp_path / "store.duckdb"), space=SPACE)
    storage = over(journal)
    with storage.writing(WHOLE) as writing:
        (row,), _ = drafter.stage(writing, drafter.row("k", "v"))
    storage.close()
    again = over(DuckJournal(str(tmp_path / "store.duckdb"), space=SPACE))
    assert again.row(row.address) == row
    again.close()


@pytest.mark.parametrize("seed", range(3))
def test_after_any_history_the_view_is_what_a_rebuild_makes(
    inner: Journal, seed: int
) -> None:
    """Rules 11 to 14: 30 % of the commits fail, before or after they took effect."""
    drafter = Drafter(space=SPACE, dimension=DIMENSION)
    journal = FaultyJournal.at_random(inner, share=0.3, seed=seed)
    storage = over(journal)
    acknowledged = _history(storage, drafter, seed)
    for address, row in acknowledged.items():
        found = storage.row(address)
        assert found is not None
        assert found.version >= row.version
    versions = storage.select(Select(table=MEMORY, view=Versions())).rows
    assert {r.version for r in acknowledged.values()} <= {r.version for r in versions}
    live, rebuilt = state(storage)
    assert live == rebuilt
    journal.choose = never
    storage.load([Batch(rows=(attrs.evolve(drafter.row("loaded", 1), version=5),))])
    live, rebuilt = state(storage)
    assert live == rebuilt


def _history(storage: LiveStorage, drafter: Drafter, seed: int) -> dict[Address, MemoryRow]:
    """Writers that create, revise, revert, retype, restate and hide rows."""
    acknowledged: dict[Address, MemoryRow] = {}
    guard = threading.Lock()
    drafts = [drafter.row(f"k{at}", 0) for at in range(6)]

    def work(number: int) -> None:
        drawn = random.Random(seed * 100 + number)
        for _ in range(25):
            draft = drawn.choice(drafts)

            def attempt(writing: Any, draft: MemoryRow = draft) -> Any:
                return _step(writing, drafter, draft, drawn)

            (row,) = retried(storage, attempt)
            with guard:
                old = acknowledged.get(row.address)
                if old is None or old.version < row.version:
                    acknowledged[row.address] = row

    together(4, work)
    return acknowledged


def _step(writing: Any, drafter: Drafter, draft: MemoryRow, drawn: random.Random) -> Any:
    head = writing.row(draft.address)
    if head is None:
        entries = drafter.entries_of(draft, [1, 0, 0, 0])
        return drafter.stage(writing, draft, entries=entries)
    if drawn.random() < 0.2:
        return drafter.stage(writing, head.next_version(0, Event.RESTATED))
    row = drafter.revised(
        head,
        drawn.randrange(4),
        memory_type=drawn.choice(("semantic", "semantic", "decision")),
        searchable=drawn.random() < 0.9,
    )
    known = writing.vector(row.memory_id, row.content_sha256) is not None
    entries = () if known else drafter.entries_of(row, [1, drawn.random(), 0, 0])
    return drafter.stage(writing, row, entries=entries)


def test_dead_entries_are_let_go_of(drafter: Drafter) -> None:
    """Rule 18: more dead than live is compacted, and old versions are not kept."""
    storage = over(ListJournal(space=SPACE, dimension=DIMENSION))
    (row,) = drafter.put(storage, drafter.row("k", 0))
    others = [drafter.row(f"o{at}", at) for at in range(20)]
    drafter.put(
        storage, *others, entries=[drafter.entry(r, [0, 1, 0, 0], "o") for r in others]
    )
    for turn in range(400):
        new = drafter.revised(row, turn + 1)
        entry = drafter.entry(new, [1, turn, 0, 0], f"t{turn}")
        (row,) = drafter.put(storage, new, entries=[entry])
    (partition,) = storage.view.partitions_of((SCOPE,))
    assert partition.table.count < 200
    line = storage.view.line(row.address)
    assert line is not None
    assert line.newest is not None
    older = line.newest.previous
    assert older is None or older.previous is None
    assert len(set(state(storage))) == 1


def test_compaction_waits_for_the_oldest_reader(drafter: Drafter) -> None:
    """Rules 8 and 18."""
    storage = over(ListJournal(space=SPACE, dimension=DIMENSION))
    row = drafter.row("k", 0)
    (row,) = drafter.put(storage, row, entries=[drafter.entry(row, [1, 0, 0, 0], "old")])
    first = row
    with storage.snapshot() as snapshot:
        for turn in range(300):
            new = drafter.revised(row, turn + 1)
            entry = drafter.entry(new, [0, 1, 0, 0], "new")
            (row,) = drafter.put(storage, new, entries=[entry])
        query = Nearest(scopes=(SCOPE,), vectors=drafter.direction(0))
        assert [n.row for n in snapshot.nearest(query)[0]] == [first]
        words = Match(scopes=(SCOPE,), terms=("old", "new"))
        assert [n.row for n in snapshot.match(words)] == [first]
        assert snapshot.row(first.address) == first
        assert snapshot.row(first.memory_id) == first


def test_probes_change_nothing_but_the_time_under_the_lock(drafter: Drafter) -> None:
    """What was computed before the lock is corrected by what was staged since."""
    storage = over(ListJournal(space=SPACE, dimension=DIMENSION))
    rows = [drafter.row(f"k{at}", at) for at in range(30)]
    drafter.put(
        storage,
        *rows,
        entries=[drafter.entry(r, [1, at, 0, 0], "w") for at, r in enumerate(rows)],
    )
    probes = Nearest(scopes=(SCOPE,), vectors=drafter.direction(0), at_least=0.1)
    with storage.writing(WHOLE, probes=probes) as writing:
        new = drafter.row("new", "new")
        drafter.stage(writing, new, entries=[drafter.entry(new, [1, 0, 0, 0], "w")])
        first = writing.row(rows[0].address)
        assert first is not None
        gone = drafter.revised(first, "x")
        drafter.stage(writing, gone, entries=[drafter.entry(gone, [0, 0, 0, 1], "w")])
        with_probes = writing.nearest(probes)
        plain = writing.nearest(
            Nearest(scopes=(SCOPE, SCOPE), vectors=drafter.direction(0), at_least=0.1)
        )
    assert with_probes == plain
    assert with_probes[0][0].row.memory_key == "new"
    assert "k0" not in [near.row.memory_key for near in with_probes[0]]


def test_a_block_cannot_be_used_after_its_end(drafter: Drafter) -> None:
    storage = over(ListJournal(space=SPACE, dimension=DIMENSION))
    with storage.writing(WHOLE) as writing:
        pass
    with pytest.raises(StorageError):
        drafter.stage(writing, drafter.row("k", "v"))
