"""What the embedder's own cosines say: measured once, and kept in the store.

Nothing is embedded when a store is opened. The first text that is embedded for a write
brings the probes with it, and so does the first look at the calibration; a store that was
measured before is only read.
"""

from __future__ import annotations

import threading
from typing import Any, Final

import attrs

from loom.engine.vectors import embed_checked
from loom.errors import StoreUnavailable
from loom.model.facts_of_store import StoreFact
from loom.model.json_values import freeze
from loom.model.thresholds import Distribution, Thresholds
from loom.policies.calibration import (
    adaptive_thresholds,
    calibration_name,
    measured,
    questions,
)
from loom.ports import Embedder, Weightless
from loom.settings import Settings
from loom.storage.batch import Batch, WriteScope
from loom.storage.contract import CommitFailed, Reader, Storage
from loom.storage.query import Select
from loom.storage.tables import STORE_FACT
from loom.storage.where import Equal

__all__ = ["Calibration", "calibration_of"]

_ATTEMPTS: Final = 3


class Calibration:
    """The figures of one store's embedder.

    Args:
        storage: where they are kept.
        embedder: whose they are.

    Attributes:
        distribution: None until they are known.
        thresholds: what they make of the thresholds; None also where they tell nothing.
    """

    def __init__(self, storage: Storage, embedder: Embedder) -> None:
        self._storage = storage
        self._embedder = embedder
        self._lock = threading.Lock()
        self.distribution: Distribution | None = None
        self.thresholds: Thresholds | None = None
        self._take(_recorded(storage, calibration_name(embedder.name)))

    def settle(self) -> None:
        """Know the figures: measured now if no one has. Never call it inside `writing`.

        Raises:
            EmbeddingFailed: the embedder failed.
            StoreUnavailable: the figures could not be written.
        """
        if self.distribution is not None:
            return
        with self._lock:
            if self.distribution is None:
                vectors = embed_checked(self._embedder, questions())
                self._take(self._keep(measured(vectors)))

    def _take(self, found: Distribution | None) -> None:
        if found is not None:
            self.thresholds = adaptive_thresholds(found, self._embedder.name)
            self.distribution = found

    def _keep(self, found: Distribution) -> Distribution:
        """Record the figures; those that another writer recorded first stand."""
        name = calibration_name(self._embedder.name)
        for _ in range(_ATTEMPTS):
            with self._storage.writing(WriteScope(org=None)) as writing:
                there = _recorded(writing, name)
                if there is not None:
                    return there
                value = freeze(attrs.asdict(found))
                row = StoreFact(name=name, value=value, version=writing.stamp)
                receipt = writing.stage(Batch(rows=(row,)))
            try:
                receipt.wait()
            except CommitFailed:
                continue
            return found
        msg = "The embedder's figures could not be written; try again later."
        raise StoreUnavailable(msg)


def _recorded(reader: Reader, name: str) -> Distribution | None:
    facts = reader.select(Select(table=STORE_FACT, where=Equal("name", name))).rows
    if not facts:
        return None
    value: Any = facts[0].value
    return Distribution(**value)


def calibration_of(
    settings: Settings, storage: Storage, embedder: Embedder
) -> Calibration | None:
    """The calibration of an open store; None where its embedder is not to be measured.

    An embedder without weights has learnt nothing that its cosines could show, so its own
    thresholds stand.
    """
    if not settings.adaptive_thresholds:
        return None
    if isinstance(embedder, Weightless) and embedder.weightless:
        return None
    return Calibration(storage, embedder)
