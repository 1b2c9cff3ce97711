"""Rows kept beside a key's own row, and the one way in which a row changes its place (R-23)."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from loom.errors import StorageError
from loom.model.identity import Address
from loom.model.memory import MemoryRow
from loom.model.status import Event, Status
from loom.storage.batch import Batch
from loom.storage.contract import Storage
from loom.storage.query import Select, Versions
from loom.storage.tables import MEMORY
from loom.storage.where import Equal
from loom.testing.suite_base import SuiteBase
from loom.testing.writing import WHOLE, Drafter, StepClock

__all__ = ["PlaceSuite"]


def _beside(drafter: Drafter, key: str = "k") -> MemoryRow:
    """A proposal, not stamped yet."""
    row = drafter.row(key, "on trial")
    return attrs.evolve(row, beside=row.memory_id, status=Status.PROPOSED)


def _taken(row: MemoryRow) -> MemoryRow:
    return row.next_version(0, Event.ACCEPTED, beside="", status=Status.ACTIVE)


def _own(row: MemoryRow) -> Address:
    return row.address.own


def _staged(storage: Storage, row: MemoryRow, *, fails: bool = False) -> None:
    """Stage one row in a block, which then goes wrong if it is to."""
    with storage.writing(WHOLE) as writing:
        stamped = attrs.evolve(row, version=writing.stamp)
        writing.stage(Batch(rows=(stamped,)))
        assert writing.row(_own(row)) == stamped
        if fails:
            raise ZeroDivisionError


class PlaceSuite(SuiteBase):
    """Addresses, and moving into a key's own."""

    def test_rows_beside_a_key_are_apart_from_its_own(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """R-23: each by its own address and id, all by the key."""
        rows = drafter.put(
            storage, drafter.row("k", "held"), _beside(drafter), _beside(drafter)
        )
        for row in rows:
            assert storage.row(row.address) == row
            assert storage.row(row.memory_id) == row
        found = storage.select(Select(table=MEMORY, where=Equal("memory_key", "k"))).rows
        assert {row.memory_id for row in found} == {row.memory_id for row in rows}

    def test_a_row_moves_into_the_free_place_of_its_key(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """R-23: from that version on; a snapshot of before sees it where it was."""
        (one,) = drafter.put(storage, _beside(drafter))
        with storage.snapshot() as before:
            (two,) = drafter.put(storage, _taken(one))
            assert before.row(_own(one)) is None
            assert before.row(one.address) == one
            assert before.row(one.memory_id) == one
        assert storage.row(_own(one)) == two
        assert storage.row(one.address) is None
        assert storage.row(one.memory_id) == two
        (three,) = drafter.put(storage, drafter.revised(two, "goes on"))
        assert storage.row(_own(one)) == three
        versions = storage.select(Select(table=MEMORY, view=Versions())).rows
        assert versions == (three, two, one)

    def test_a_row_takes_no_place_that_is_not_free(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """An address has one memory id: nothing is written."""
        _, one = drafter.put(storage, drafter.row("k", "held"), _beside(drafter))
        other = attrs.evolve(_taken(one), memory_key="elsewhere")
        for wrong in (_taken(one), other):
            with pytest.raises(StorageError):
                _staged(storage, wrong)
        assert storage.row(one.memory_id) == one

    def test_a_move_that_was_undone_never_was(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """R-38: a block that fails leaves the row where it was, and the place free."""
        (one,) = drafter.put(storage, _beside(drafter))
        with pytest.raises(ZeroDivisionError):
            _staged(storage, _taken(one), fails=True)
        assert storage.row(_own(one)) is None
        assert storage.row(one.address) == one
        (first,) = drafter.put(storage, drafter.row("k", "another one"))
        assert storage.row(_own(one)) == first

    def test_a_moved_row_is_where_it_moved_after_a_restart(
        self, tmp_path: Path, clock: StepClock, drafter: Drafter
    ) -> None:
        """R-38."""
        storage = self.open(tmp_path / "moved", clock)
        if not storage.capabilities.durable:
            pytest.skip("the backend does not outlive the process")
        (one,) = drafter.put(storage, _beside(drafter))
        (two,) = drafter.put(storage, _taken(one))
        storage.close()
        again = self.open(tmp_path / "moved", clock)
        assert again.row(_own(one)) == two
        assert again.row(one.address) is None
        again.close()
