"""Redaction and erasure leave nothing behind."""

from __future__ import annotations

from pathlib import Path

from loom.model.audit import AuditRow
from loom.model.json_values import freeze
from loom.model.status import Event
from loom.storage.batch import Batch, Scrub
from loom.storage.contract import Storage
from loom.storage.query import (
    Match,
    Select,
    Versions,
)
from loom.storage.tables import AUDIT, MEMORY
from loom.storage.where import Equal
from loom.testing.suite_base import (
    ANYWHERE,
    SuiteBase,
)
from loom.testing.writing import WHOLE, Drafter, StepClock

__all__ = ["ScrubSuite"]


class ScrubSuite(SuiteBase):
    """The only changes to stored bytes."""

    def test_a_scrub_leaves_nothing_of_the_text(
        self, tmp_path: Path, clock: StepClock, drafter: Drafter
    ) -> None:
        """R-21, R-62, rule 19: rows, vectors, postings, and the bytes behind them."""
        secret, kept = "correct-horse-battery", "ordinary words"
        storage = self.open(tmp_path / "scrub", clock)
        row = drafter.row("k", secret)
        entries = [
            drafter.entry(row, [1, 0, 0, 0], secret),
            drafter.entry(row, [0, 1, 0, 0], secret, ordinal=0),
        ]
        (row,) = drafter.put(storage, row, entries=entries)
        new = drafter.revised(row, kept)
        (new,) = drafter.put(
            storage, new, entries=[drafter.entry(new, [0, 0, 1, 0], "ordinary words")]
        )
        assert secret.encode() in self.raw_bytes(tmp_path / "scrub", storage)
        done = storage.scrub(
            [
                Scrub(
                    table=MEMORY,
                    where=Equal("content_sha256", row.content_sha256),
                    replace={"value": freeze({"redacted": True}), "tags": ()},
                    reason="test",
                )
            ]
        )
        assert (done.rows, done.vectors, done.chunks) == (1, 1, 1)
        history = storage.select(Select(table=MEMORY, view=Versions())).rows
        assert [r.value for r in history] == [kept, {"redacted": True}]
        assert history[1].content_sha256 == row.content_sha256
        assert storage.vector(row.memory_id, row.content_sha256) is None
        assert storage.vector(new.memory_id, new.content_sha256) is not None
        assert storage.match(Match(scopes=ANYWHERE, terms=(secret,), view=Versions())) == ()
        assert storage.count(Select(table=AUDIT)) == 2
        raw = self.raw_bytes(tmp_path / "scrub", storage)
        assert secret.encode() not in raw
        assert kept.encode() in raw
        drafter.put(storage, drafter.revised(new, "goes on"))
        storage.close()
        if storage.capabilities.durable:
            again = self.open(tmp_path / "scrub", clock)
            assert again.count(Select(table=MEMORY, view=Versions())) == 3
            again.close()

    def test_an_erasure_removes_rows_and_keeps_what_others_share(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        (one,) = drafter.put(storage, drafter.row("k", "same"))
        entry = drafter.entry(drafter.row("j", "other"), [0, 1, 0, 0], "other")
        del entry
        first = drafter.row("j", "shared")
        (first,) = drafter.put(
            storage, first, entries=[drafter.entry(first, [1, 0, 0, 0], "w")]
        )
        again = first.next_version(0, Event.RESTATED)
        (again,) = drafter.put(storage, again)
        gone = Equal("version", first.version)
        done = storage.scrub([Scrub(table=MEMORY, where=gone, replace=None, reason="t")])
        assert (done.rows, done.vectors) == (1, 0)
        assert storage.select(Select(table=MEMORY, view=Versions())).rows == (again, one)
        assert storage.vector(again.memory_id, again.content_sha256) is not None
        whole = Equal("memory_id", again.memory_id)
        done = storage.scrub([Scrub(table=MEMORY, where=whole, replace=None, reason="t")])
        assert (done.rows, done.vectors) == (1, 1)
        assert storage.row(again.address) is None
        assert storage.select(Select(table=MEMORY)).rows == (one,)
        drafter.put(storage, drafter.row("j", "afresh"))

    def test_audit_entries_and_small_rows_can_be_scrubbed(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        (one,) = drafter.put(storage, drafter.row("secret/key", "v"))
        with storage.writing(WHOLE) as writing:
            refusal = AuditRow(
                version=writing.stamp,
                operation="memory.set",
                org="acme",
                memory_key="secret/key",
                actor="a",
                refused="LOCKED",
            )
            receipt = writing.stage(Batch(rows=(refusal,)))
        receipt.wait()
        done = storage.scrub(
            [
                Scrub(
                    table=AUDIT,
                    where=Equal("memory_key", "secret/key"),
                    replace={"memory_key": "[erased]"},
                    reason="t",
                )
            ]
        )
        assert done.rows == 2
        rows = storage.select(Select(table=AUDIT)).rows
        assert [row.memory_key for row in rows] == ["[erased]", "[erased]"]
        assert [row.refused for row in rows] == ["LOCKED", ""]
        assert storage.row(one.memory_id) == one
