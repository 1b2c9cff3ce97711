"""Qdrant's client in its local mode: one collection a namespace, exact cosine."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar, Self

from qdrant_client import QdrantClient, models

from benchmarks.corpus import Item, Vector

__all__ = ["QdrantLocal"]


def _id(key: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, key))


class QdrantLocal:
    """A folder of Qdrant's local mode."""

    name: ClassVar[str] = "qdrant"
    legs: ClassVar[str] = "vector (exact)"
    module: ClassVar[str] = "qdrant_client"
    distributions: ClassVar[tuple[str, ...]] = ("qdrant-client",)

    def __init__(self, client: Any, dimension: int) -> None:
        self._client = client
        self._dimension = dimension
        self._known: set[str] = set()

    @classmethod
    def open(cls, path: Path, dimension: int) -> Self:
        return cls(QdrantClient(path=str(path)), dimension)

    def _collection(self, namespace: str) -> str:
        name = f"bench-{namespace}"
        if name not in self._known:
            if not self._client.collection_exists(name):
                self._client.create_collection(
                    name,
                    vectors_config=models.VectorParams(
                        size=self._dimension, distance=models.Distance.COSINE
                    ),
                )
            self._known.add(name)
        return name

    def write(self, item: Item) -> None:
        self.write_batch((item,))

    def write_batch(self, items: Sequence[Item]) -> None:
        ordered = sorted(items, key=lambda item: item.namespace)
        for namespace, group in groupby(ordered, key=lambda item: item.namespace):
            points = [
                models.PointStruct(
                    id=_id(item.key),
                    vector=item.vector.tolist(),
                    payload={"key": item.key, "text": item.text},
                )
                for item in group
            ]
            self._client.upsert(self._collection(namespace), points=points)

    def settle(self) -> None:
        """The local mode needs nothing."""

    def search(self, namespace: str, vector: Vector, text: str, k: int) -> list[str]:
        del text
        found = self._client.query_points(
            self._collection(namespace), query=vector, limit=k, with_payload=True
        )
        return [point.payload["key"] for point in found.points]

    def get(self, namespace: str, key: str) -> str | None:
        found = self._client.retrieve(self._collection(namespace), ids=[_id(key)])
        return found[0].payload["text"] if found else None

    def close(self) -> None:
        self._client.close()
