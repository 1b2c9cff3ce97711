"""What a `writing` block sees and does, and what a snapshot keeps."""

from __future__ import annotations

import pytest

from loom.errors import StorageError
from loom.storage.contract import Storage
from loom.storage.query import (
    Match,
    Nearest,
    Replay,
    Select,
    Versions,
)
from loom.storage.tables import AUDIT, MEMORY
from loom.testing.suite_base import (
    ANYWHERE,
    SuiteBase,
)
from loom.testing.writing import WHOLE, Drafter

__all__ = ["BlockSuite"]


class BlockSuite(SuiteBase):
    """Visibility, without threads."""

    def test_a_block_sees_what_it_staged_and_nobody_else_does(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """Rule 4."""
        (old,) = drafter.put(storage, drafter.row("k", "old"))
        with storage.writing(WHOLE) as writing:
            new = drafter.revised(old, "new")
            (new,), receipt = drafter.stage(
                writing, new, entries=[drafter.entry(new, [1, 0, 0, 0], "new")]
            )
            assert writing.row(old.address) == new
            assert writing.count(Select(table=MEMORY)) == 1
            for view in (Versions(), Replay()):
                rows = writing.select(Select(table=MEMORY, view=view)).rows
                assert rows == ((new, old) if view == Versions() else (new,))
            then = Select(table=MEMORY, view=Replay(known_by=old.version))
            assert writing.select(then).rows == (old,)
            assert writing.count(Select(table=AUDIT)) == 2
            query = Nearest(scopes=ANYWHERE, vectors=drafter.direction(0))
            assert writing.nearest(query)[0][0].row == new
            words = Match(scopes=ANYWHERE, terms=("new",))
            assert writing.match(words)[0].row == new
            assert storage.row(old.address) == old
            assert storage.nearest(query) == ((),)
            assert storage.match(words) == ()
            assert storage.count(Select(table=AUDIT)) == 1
        receipt.wait()
        assert storage.row(old.address) == new
        assert storage.nearest(query)[0][0].row == new

    def test_an_exception_undoes_all_the_block_staged(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """Rule 15."""
        (old,) = drafter.put(storage, drafter.row("k", "old"))
        with (  # noqa: PT012 - the block is what is tested
            pytest.raises(KeyError),
            storage.writing(WHOLE) as writing,
        ):
            (mid,), _ = drafter.stage(writing, drafter.revised(old, "mid"))
            drafter.stage(writing, drafter.revised(mid, "new"), drafter.row("j", "x"))
            raise KeyError
        assert storage.row(old.address) == old
        assert storage.count(Select(table=MEMORY)) == 1
        drafter.put(storage, drafter.revised(old, "again"))
        assert storage.count(Select(table=MEMORY, view=Versions())) == 2

    def test_waiting_inside_the_block_is_refused(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """Rule 7: it would wait for itself."""
        with storage.writing(WHOLE) as writing:
            _, receipt = drafter.stage(writing, drafter.row("k", "v"))
            with pytest.raises(StorageError):
                receipt.wait()
            with pytest.raises(StorageError), storage.writing(WHOLE):
                pass
        receipt.wait()

    def test_a_dry_run_leaves_every_table_as_it_was(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """Rule 16."""
        drafter.put(storage, drafter.row("k", "v"))
        with storage.writing(WHOLE) as writing:
            assert writing.stamp == writing.stamp
            receipt = writing.settled()
        receipt.wait()
        assert storage.count(Select(table=MEMORY, view=Versions())) == 1
        assert storage.count(Select(table=AUDIT)) == 1

    def test_settled_waits_for_what_the_block_rests_on(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """Rule 10."""
        with storage.writing(WHOLE) as writing:
            (row,), _ = drafter.stage(writing, drafter.row("k", "v"))
        with storage.writing(WHOLE) as writing:
            assert writing.row(row.address) == row
            receipt = writing.settled()
        receipt.wait()
        assert storage.row(row.address) == row

    def test_a_block_of_several_batches_lands_together(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """R-37, rule 15: each entry sees the ones before; versions differ."""
        with storage.writing(WHOLE, alone=True) as writing:
            (one,), _ = drafter.stage(writing, drafter.row("k", "one"))
            (two,), receipt = drafter.stage(writing, drafter.revised(one, "two"))
        receipt.wait()
        assert one.version < two.version
        assert storage.row(one.address) == two
        assert storage.count(Select(table=MEMORY, view=Versions())) == 2

    def test_a_snapshot_stays_still_while_writers_go_on(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """Rule 8."""
        rows = [drafter.row(f"k{at}", f"v{at}") for at in range(5)]
        entries = [
            drafter.entry(row, [1, at, 0, 0], f"word{at}") for at, row in enumerate(rows)
        ]
        rows = drafter.put(storage, *rows, entries=entries)
        with storage.snapshot() as snapshot:
            before = self.everything(snapshot, drafter)
            for row in rows:
                new = drafter.revised(row, "changed", memory_type="decision")
                drafter.put(
                    storage, new, entries=[drafter.entry(new, [0, 1, 0, 0], "changed")]
                )
            drafter.put(storage, drafter.row("new", "new"))
            for turn in range(200):
                extra = drafter.row(f"extra{turn}", turn)
                drafter.put(storage, extra, entries=[drafter.entry(extra, [1, 0, 0, 0])])
            assert self.everything(snapshot, drafter) == before
        assert self.everything(storage, drafter) != before
