"""What namespaces say is kept like everything else: versions, compare-and-set, scrubs."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import attrs
import pytest

from loom.errors import StorageError
from loom.model.namespace import ConflictPolicy, NamespaceRow, TagRule, TypeRule
from loom.storage.batch import Batch, Scrub
from loom.storage.contract import Storage
from loom.storage.query import Order, Replay, Select, Versions
from loom.storage.tables import NAMESPACE
from loom.storage.where import Equal, all_of
from loom.testing.suite_base import SuiteBase
from loom.testing.writing import WHOLE, Drafter, StepClock

__all__ = ["NamespaceSuite"]

_AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def _row(namespace: str, org: str = "acme", description: str = "first") -> NamespaceRow:
    return NamespaceRow(
        org=org,
        namespace=namespace,
        actor="process:local",
        created_at=_AT,
        updated_at=_AT,
        description=description,
        default_conflict_policy=ConflictPolicy.NEWEST_WINS,
        conflict_threshold=0.8,
        tag_registry={
            "case": TagRule(
                conflict_policy=ConflictPolicy.APPEND_ONLY, dedup=False, retention_days=30.0
            ),
            "Case": TagRule(),
        },
        type_registry={"decision": TypeRule(duplicate_threshold=0.99)},
    )


def _put(storage: Storage, *rows: NamespaceRow) -> tuple[NamespaceRow, ...]:
    with storage.writing(WHOLE) as writing:
        stamped = tuple(attrs.evolve(row, version=writing.stamp) for row in rows)
        receipt = writing.stage(Batch(rows=stamped))
        assert writing.select(_named(rows[0])).rows == (stamped[0],)
    receipt.wait()
    return stamped


def _named(row: NamespaceRow) -> Select[NamespaceRow]:
    here = all_of(Equal("org", row.org), Equal("namespace", row.namespace))
    return Select(table=NAMESPACE, where=here)


class NamespaceSuite(SuiteBase):
    """Rows named by two fields."""

    def test_a_namespace_keeps_every_version(self, storage: Storage) -> None:
        """Two names may share either part; each has its own head and history."""
        one, two, other = _put(storage, _row("a"), _row("b"), _row("a", org="umbrella"))
        (new,) = _put(storage, attrs.evolve(one, parent=one.version, description="second"))
        assert storage.select(_named(one)).rows == (new,)
        assert storage.select(_named(two)).rows == (two,)
        assert storage.select(_named(other)).rows == (other,)
        assert storage.select(_named(_row("c"))).rows == ()
        history = attrs.evolve(_named(one), view=Versions())
        assert storage.select(history).rows == (new, one)
        then = attrs.evolve(_named(one), view=Replay(known_by=one.version))
        assert storage.select(then).rows == (one,)
        assert storage.count(Select(table=NAMESPACE)) == 3

    def test_namespaces_are_listed_in_pages(self, storage: Storage) -> None:
        _put(storage, *(_row(name) for name in ("c", "a", "b")))
        _put(storage, _row("a", org="umbrella"))
        mine: Select[NamespaceRow] = Select(
            table=NAMESPACE,
            where=Equal("org", "acme"),
            order=(Order("namespace"),),
            limit=2,
        )
        for view in (mine.view, Replay()):
            first = storage.select(attrs.evolve(mine, view=view))
            assert [row.namespace for row in first.rows] == ["a", "b"]
            rest = storage.select(attrs.evolve(mine, view=view, after=first.next))
            assert [row.namespace for row in rest.rows] == ["c"]
            assert rest.next is None

    def test_a_stale_parent_is_refused(self, storage: Storage) -> None:
        """Compare-and-set by version, as for every other row."""
        (one,) = _put(storage, _row("a"))
        _put(storage, attrs.evolve(one, parent=one.version, description="second"))
        for parent in (0, one.version):
            with storage.writing(WHOLE) as writing:
                stale = attrs.evolve(one, parent=parent, version=writing.stamp)
                with pytest.raises(StorageError):
                    writing.stage(Batch(rows=(stale,)))
        with storage.writing(WHOLE) as writing:
            twin = attrs.evolve(_row("z"), version=writing.stamp)
            with pytest.raises(StorageError):
                writing.stage(Batch(rows=(twin, twin)))

    def test_a_copy_brings_its_namespaces(self, storage: Storage) -> None:
        """R-15: copying keeps versions, and copying twice changes nothing."""
        one = attrs.evolve(_row("a"), version=1000)
        two = attrs.evolve(one, version=2000, parent=1000, description="second")
        batches = [Batch(rows=(two,)), Batch(rows=(one,))]
        assert storage.load(batches) == 2
        assert storage.load(batches) == 0
        assert storage.select(_named(one)).rows == (two,)
        with pytest.raises(StorageError):
            storage.load([Batch(rows=(attrs.evolve(two, description="other"),))])

    def test_a_scrub_leaves_nothing_of_a_description(
        self, tmp_path: Path, clock: StepClock, drafter: Drafter
    ) -> None:
        """R-62: an erasure reaches what a namespace says of itself, and keeps the rest."""
        gone = "correct-horse-battery"
        storage = self.open(tmp_path / "scrub", clock)
        (memory,) = drafter.put(storage, drafter.row("k", "v"))
        (one,) = _put(storage, _row("a", description=gone))
        (two,) = _put(storage, attrs.evolve(one, parent=one.version, description="now"))
        assert gone.encode() in self.raw_bytes(tmp_path / "scrub", storage)
        done = storage.scrub(
            [
                Scrub(
                    table=NAMESPACE,
                    where=Equal("version", one.version),
                    replace={"description": ""},
                    reason="test",
                )
            ]
        )
        assert done.rows == 1
        history = attrs.evolve(_named(one), view=Versions())
        assert storage.select(history).rows == (two, attrs.evolve(one, description=""))
        assert gone.encode() not in self.raw_bytes(tmp_path / "scrub", storage)
        assert storage.row(memory.address) == memory
        storage.close()

    def test_namespaces_outlive_the_process(self, tmp_path: Path, clock: StepClock) -> None:
        storage = self.open(tmp_path / "again", clock)
        if not storage.capabilities.durable:
            storage.close()
            pytest.skip("the backend does not outlive the process")
        (one,) = _put(storage, _row("a"))
        (two,) = _put(storage, attrs.evolve(one, parent=one.version, description="now"))
        storage.close()
        storage = self.open(tmp_path / "again", clock)
        assert storage.select(_named(one)).rows == (two,)
        _put(storage, attrs.evolve(two, parent=two.version, description="later"))
        assert storage.count(attrs.evolve(_named(one), view=Versions())) == 3
        storage.close()
