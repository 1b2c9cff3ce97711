"""Versions, history, replay, copies, durability."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import attrs
import pytest

from loom.errors import StorageError, StoreUnavailable
from loom.model.audit import AuditRow
from loom.model.facts_of_store import EMBEDDER, StoreFact
from loom.model.json_values import freeze
from loom.model.status import Status
from loom.model.times import last_version_at
from loom.storage.batch import Batch
from loom.storage.contract import Storage
from loom.storage.query import (
    Nearest,
    Replay,
    Select,
    Versions,
)
from loom.storage.tables import AUDIT, MEMORY, STORE_FACT
from loom.storage.where import Equal
from loom.testing.suite_base import (
    ANYWHERE,
    SuiteBase,
)
from loom.testing.writing import WHOLE, Drafter, StepClock

__all__ = ["VersionSuite"]


class VersionSuite(SuiteBase):
    """What was, and that it stays."""

    def test_versions_rise_though_the_clock_stands_or_steps_back(
        self, storage: Storage, drafter: Drafter, clock: StepClock
    ) -> None:
        """R-15, rule 4."""
        clock.step = 0
        seen: list[int] = []
        for back in (0, 0, -5_000_000, 7):
            clock.now += back
            (row,) = drafter.put(storage, drafter.row(f"k{len(seen)}", "v"))
            seen.append(row.version)
        assert seen == sorted(set(seen))

    def test_history_and_replay_are_exact_to_the_microsecond(
        self, storage: Storage, drafter: Drafter, clock: StepClock
    ) -> None:
        """R-15, R-54, P19: two versions one microsecond apart, read at each and before."""
        clock.step = 0
        clock.now = 1_777_885_200_000_001_000
        (one,) = drafter.put(storage, drafter.row("k", "one"))
        clock.now += 1000
        (two,) = drafter.put(storage, drafter.revised(one, "two"))
        mine = Equal("memory_key", "k")
        history = storage.select(Select(table=MEMORY, where=mine, view=Versions())).rows
        assert history == (two, one)
        for at, wanted in (
            (one.written_at - timedelta(microseconds=1), ()),
            (one.written_at, (one,)),
            (two.written_at, (two,)),
        ):
            replay = Replay(known_by=last_version_at(at))
            query = Select(table=MEMORY, where=mine, view=replay)
            assert storage.select(query).rows == wanted
            assert storage.count(query) == len(wanted)

    def test_replay_by_world_date_takes_the_latest_date_then_the_version(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """R-54."""
        day = timedelta(days=1)
        base = drafter.row("k", "base")
        start = base.created_at
        (a,) = drafter.put(storage, attrs.evolve(base, valid_at=start + 10 * day))
        (b,) = drafter.put(storage, drafter.revised(a, "older", valid_at=start + 5 * day))
        (c,) = drafter.put(storage, drafter.revised(b, "same", valid_at=start + 10 * day))
        for days, wanted in ((4, ()), (5, (b,)), (9, (b,)), (10, (c,)), (30, (c,))):
            view = Replay(true_at=start + days * day)
            query = Select(table=MEMORY, where=Equal("memory_id", a.memory_id), view=view)
            assert storage.select(query).rows == wanted
        both = Replay(true_at=start + 30 * day, known_by=b.version)
        assert storage.select(Select(table=MEMORY, view=both)).rows == (a,)
        late = Select(table=MEMORY, where=Equal("value_is", 1), view=both)
        with pytest.raises(Exception):  # noqa: B017, PT011 - an unknown field, whatever the class
            storage.select(late)

    def test_a_replay_filters_the_version_that_stood(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """A predicate on what changes is not applied before the version is chosen."""
        (one,) = drafter.put(storage, drafter.row("k", "one", status=Status.ACTIVE))
        drafter.put(storage, drafter.revised(one, "two", status=Status.TOMBSTONED))
        active = Equal("status", Status.ACTIVE)
        query = Select(table=MEMORY, where=active, view=Replay())
        assert storage.select(query).rows == ()
        then = attrs.evolve(query, view=Replay(known_by=one.version))
        assert storage.select(then).rows == (one,)

    def test_a_row_that_replaces_another_head_is_refused(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """Rule 4: `parent` is the head it sees; a refused batch leaves nothing."""
        (one,) = drafter.put(storage, drafter.row("k", "one"))
        (two,) = drafter.put(storage, drafter.revised(one, "two"))
        stray = drafter.row("other", "x")
        with storage.writing(WHOLE) as writing:
            with pytest.raises(StorageError):
                drafter.stage(writing, stray, drafter.revised(one, "lost race"))
            assert writing.row(stray.address) is None
        assert storage.row(one.address) == two
        assert storage.row(stray.address) is None

    def test_an_id_and_an_address_belong_together(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """R-03."""
        (one,) = drafter.put(storage, drafter.row("k", "one"))
        twin = attrs.evolve(drafter.row("k", "two"), parent=one.version)
        moved = attrs.evolve(drafter.revised(one, "two"), memory_key="elsewhere")
        for wrong in (twin, moved):
            with storage.writing(WHOLE) as writing, pytest.raises(StorageError):
                drafter.stage(writing, wrong)

    def test_one_address_has_one_id_within_a_batch_too(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """R-03."""
        with storage.writing(WHOLE) as writing, pytest.raises(StorageError):
            drafter.stage(writing, drafter.row("k", 1), drafter.row("k", 2))
        assert storage.count(Select(table=MEMORY)) == 0

    def test_a_version_of_its_own_is_refused(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        with storage.writing(WHOLE) as writing:
            row = attrs.evolve(drafter.row("k", "v"), version=writing.stamp + 1)
            with pytest.raises(StorageError):
                writing.stage(Batch(rows=(row,)))

    def test_facts_keep_their_newest_version(self, storage: Storage) -> None:
        """R-40 rests on it."""
        parent = 0
        for name in ("lexical", "minilm"):
            with storage.writing(WHOLE) as writing:
                fact = StoreFact(
                    name=EMBEDDER,
                    value=freeze({"name": name}),
                    version=writing.stamp,
                    parent=parent,
                )
                receipt = writing.stage(Batch(rows=(fact,)))
            receipt.wait()
            parent = fact.version
        assert storage.select(Select(table=STORE_FACT)).rows == (fact,)
        assert storage.count(Select(table=STORE_FACT, view=Versions())) == 2

    def test_loaded_rows_keep_their_versions(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """R-15: copying keeps versions, and copying twice changes nothing."""
        first = attrs.evolve(drafter.row("k", "one"), version=1000)
        second = attrs.evolve(drafter.revised(first, "two"), version=2000)
        other = attrs.evolve(drafter.row("other", "x"), version=1500)
        entry = drafter.entry(second, [1, 0, 0, 0], "two")
        audit = AuditRow(version=2000, operation="memory.set", org="acme", actor="a")
        batches = [
            Batch(rows=(second, audit), vectors=(entry,)),
            Batch(rows=(first,)),
            Batch(rows=(other,)),
        ]
        assert storage.load(batches) == 4
        assert storage.load(batches) == 0
        assert storage.row(first.address) == second
        history = Select(table=MEMORY, where=Equal("memory_key", "k"), view=Versions())
        assert storage.select(history).rows == (second, first)
        near = storage.nearest(Nearest(scopes=ANYWHERE, vectors=drafter.direction(0)))
        assert near[0][0].row == second
        assert storage.select(Select(table=AUDIT)).rows == (audit,)
        (third,) = drafter.put(storage, drafter.revised(second, "three"))
        assert third.version > 2000

    def test_loading_over_other_content_is_refused(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        (row,) = drafter.put(storage, drafter.row("k", "one"))
        other = attrs.evolve(row, value="changed")
        with pytest.raises(StorageError):
            storage.load([Batch(rows=(other,))])
        stranger = attrs.evolve(drafter.row("k", "stranger"), version=77)
        with pytest.raises(StorageError):
            storage.load([Batch(rows=(stranger,))])
        assert storage.row(row.address) == row

    def test_a_store_opened_again_is_the_same(
        self, tmp_path: Path, clock: StepClock, drafter: Drafter
    ) -> None:
        storage = self.open(tmp_path, clock)
        if not storage.capabilities.durable:
            storage.close()
            pytest.skip("the backend does not outlive the process")
        row = drafter.row("k", "v")
        (row,) = drafter.put(
            storage, row, entries=[drafter.entry(row, [1, 2, 0, 0], "a b")]
        )
        (row,) = drafter.put(storage, drafter.revised(row, "w"))
        before = self.everything(storage, drafter)
        storage.close()
        clock.now = 5
        storage = self.open(tmp_path, clock)
        assert self.everything(storage, drafter) == before
        (later,) = drafter.put(storage, drafter.revised(row, "x"))
        assert later.version > row.version
        storage.close()

    def test_a_closed_store_serves_nothing(
        self, tmp_path: Path, clock: StepClock, drafter: Drafter
    ) -> None:
        storage = self.open(tmp_path / "closed", clock)
        row = drafter.row("k", "v")
        storage.close()
        storage.close()
        for call in (
            lambda: storage.row(row.address),
            lambda: storage.select(Select(table=MEMORY)),
            lambda: storage.writing(WHOLE).__enter__(),
        ):
            with pytest.raises(StoreUnavailable):
                call()
