"""Chroma, persistent client: one collection a namespace, HNSW over cosine."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar, Self

import chromadb
from chromadb.config import Settings

from benchmarks.corpus import Item, Vector

__all__ = ["Chroma"]


class Chroma:
    """A folder of Chroma's."""

    name: ClassVar[str] = "chroma"
    legs: ClassVar[str] = "vector (HNSW)"
    module: ClassVar[str] = "chromadb"
    distributions: ClassVar[tuple[str, ...]] = ("chromadb",)

    def __init__(self, client: Any) -> None:
        self._client = client
        self._collections: dict[str, Any] = {}

    @classmethod
    def open(cls, path: Path, dimension: int) -> Self:
        del dimension  # taken from the first vector
        settings = Settings(anonymized_telemetry=False)
        return cls(chromadb.PersistentClient(path=str(path), settings=settings))

    def _collection(self, namespace: str) -> Any:
        if namespace not in self._collections:
            self._collections[namespace] = self._client.get_or_create_collection(
                name=f"bench-{namespace}",
                embedding_function=None,
                configuration={"hnsw": {"space": "cosine"}},
            )
        return self._collections[namespace]

    def write(self, item: Item) -> None:
        self.write_batch((item,))

    def write_batch(self, items: Sequence[Item]) -> None:
        most = self._client.get_max_batch_size()
        ordered = sorted(items, key=lambda item: item.namespace)
        for namespace, group in groupby(ordered, key=lambda item: item.namespace):
            rows = list(group)
            for start in range(0, len(rows), most):
                part = rows[start : start + most]
                self._collection(namespace).add(
                    ids=[item.key for item in part],
                    documents=[item.text for item in part],
                    embeddings=[item.vector for item in part],
                )

    def settle(self) -> None:
        """Chroma needs nothing."""

    def search(self, namespace: str, vector: Vector, text: str, k: int) -> list[str]:
        del text
        found = self._collection(namespace).query(query_embeddings=[vector], n_results=k)
        return list(found["ids"][0])

    def get(self, namespace: str, key: str) -> str | None:
        documents = self._collection(namespace).get(ids=[key])["documents"]
        return documents[0] if documents else None

    def close(self) -> None:
        self._collections.clear()
        self._client.close()
