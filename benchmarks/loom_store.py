"""loom behind the verbs of a peer, through its public face."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar, Self

import loom
from benchmarks.corpus import Given, Item, Vector
from loom.storage.contract import Storage

__all__ = ["ORG", "LoomStore"]

ORG = "bench"


class LoomStore:
    """One DuckDB file."""

    name: ClassVar[str] = "loom"
    legs: ClassVar[str] = "vector (exact) + words"
    module: ClassVar[str] = "loom"
    distributions: ClassVar[tuple[str, ...]] = ("loom-agent-memory",)

    def __init__(self, store: Any, given: Given) -> None:
        self.store = store
        self._given = given
        self._agents: dict[str, Any] = {}
        #: How often each verdict was given: a benchmark of refusals would measure nothing.
        self.verdicts: Counter[str] = Counter()

    @classmethod
    def open(cls, path: Path, dimension: int) -> Self:
        path.mkdir(parents=True, exist_ok=True)
        given = Given(dimension=dimension)
        return cls(loom.open(str(path / "memory.duckdb"), embedder=given), given)

    @property
    def storage(self) -> Storage:
        """The place below the face, for what only the storage contract can be asked."""
        storage: Storage = self.store._env.storage  # noqa: SLF001 - no public way below the face
        return storage

    def memory(self, namespace: str) -> Any:
        """The operations on memories of one namespace."""
        if namespace not in self._agents:
            agent = self.store.agent("bench", org=ORG, namespace=namespace)
            self._agents[namespace] = agent
        return self._agents[namespace].memory

    def write(self, item: Item) -> None:
        self._given.learn(item.text, item.vector)
        out = self.memory(item.namespace).set(item.key, item.text)
        self.verdicts[out.conflict_verdict] += 1

    def write_batch(self, items: Sequence[Item]) -> None:
        for item in items:
            self._given.learn(item.text, item.vector)
        ordered = sorted(items, key=lambda item: item.namespace)
        for namespace, group in groupby(ordered, key=lambda item: item.namespace):
            entries = [{"memory_key": item.key, "value": item.text} for item in group]
            outcome = self.memory(namespace).bulk_set(entries)
            self.verdicts.update(outcome.counts)

    def settle(self) -> None:
        """The index is always whole."""

    def search(self, namespace: str, vector: Vector, text: str, k: int) -> list[str]:
        self._given.learn(text, vector)
        found = self.memory(namespace).search(text, top_k=k)
        return [hit.memory_key for hit in found.hits]

    def get(self, namespace: str, key: str) -> str | None:
        row = self.memory(namespace).get(key)
        return None if row is None else row.value

    def close(self) -> None:
        self.store.close()
