"""The in-memory backend against the suite every backend answers to."""

from __future__ import annotations

import pickle
from pathlib import Path

from loom.backends.live.group import LiveStorage
from loom.backends.memory import ListJournal, open_memory
from loom.ports import Clock
from loom.storage.contract import Storage
from loom.testing.suite import StorageSuite


class TestMemory(StorageSuite):
    def open(self, place: Path, clock: Clock) -> LiveStorage:
        del place
        return open_memory(clock=clock, space=self.space, dimension=self.dimension)

    def raw_bytes(self, place: Path, storage: Storage) -> bytes:
        del place
        assert isinstance(storage, LiveStorage)
        assert isinstance(storage.journal, ListJournal)
        return pickle.dumps(storage.journal)
