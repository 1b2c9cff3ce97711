"""LanceDB, local folder: one table a namespace, hybrid search with its own fusion."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar, Self

import lancedb
import pyarrow as pa
from lancedb.index import FTS, BTree

from benchmarks.corpus import Item, Vector

__all__ = ["Lance"]


class Lance:
    """A folder of LanceDB's."""

    name: ClassVar[str] = "lancedb"
    legs: ClassVar[str] = "vector (exact) + words"
    module: ClassVar[str] = "lancedb"
    distributions: ClassVar[tuple[str, ...]] = ("lancedb",)

    def __init__(self, connection: Any, dimension: int) -> None:
        self._connection = connection
        self._schema = pa.schema(
            [
                pa.field("key", pa.string()),
                pa.field("text", pa.string()),
                pa.field("vector", pa.list_(pa.float32(), dimension)),
            ]
        )
        self._tables: dict[str, Any] = {}
        self._settled: set[str] = set()

    @classmethod
    def open(cls, path: Path, dimension: int) -> Self:
        return cls(lancedb.connect(str(path)), dimension)

    def _table(self, namespace: str) -> Any:
        if namespace not in self._tables:
            self._tables[namespace] = self._connection.create_table(
                f"bench_{namespace}", schema=self._schema, exist_ok=True
            )
        return self._tables[namespace]

    def write(self, item: Item) -> None:
        self.write_batch((item,))

    def write_batch(self, items: Sequence[Item]) -> None:
        ordered = sorted(items, key=lambda item: item.namespace)
        for namespace, group in groupby(ordered, key=lambda item: item.namespace):
            self._table(namespace).add(
                [
                    {"key": item.key, "text": item.text, "vector": item.vector.tolist()}
                    for item in group
                ]
            )

    def settle(self) -> None:
        """Build the index over words and merge small files, as its manual asks."""
        for namespace, table in self._tables.items():
            if namespace not in self._settled:
                table.create_index("text", config=FTS())
                table.create_index("key", config=BTree())
                self._settled.add(namespace)
            table.optimize()

    def search(self, namespace: str, vector: Vector, text: str, k: int) -> list[str]:
        table = self._table(namespace)
        if namespace in self._settled:
            query = table.search(query_type="hybrid").vector(vector).text(text)
        else:
            query = table.search(vector)
        return [row["key"] for row in query.limit(k).to_list()]

    def get(self, namespace: str, key: str) -> str | None:
        quoted = key.replace("'", "''")
        rows = self._table(namespace).search().where(f"key = '{quoted}'").limit(1)
        found = rows.to_list()
        return found[0]["text"] if found else None

    def close(self) -> None:
        self._tables.clear()
