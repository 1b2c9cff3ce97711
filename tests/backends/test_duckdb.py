"""The DuckDB backend against the suite every backend answers to."""

from __future__ import annotations

from pathlib import Path

from loom.backends.duckdb import open_duckdb
from loom.ports import Clock
from loom.storage.contract import Storage
from loom.testing.suite import StorageSuite


class TestDuckDB(StorageSuite):
    def open(self, place: Path, clock: Clock) -> Storage:
        place.mkdir(parents=True, exist_ok=True)
        return open_duckdb(
            place / "store.duckdb",
            clock=clock,
            space=self.space,
            dimension=self.dimension,
        )

    def raw_bytes(self, place: Path, storage: Storage) -> bytes:
        del storage
        return b"".join(
            file.read_bytes() for file in sorted(place.iterdir()) if file.is_file()
        )
