"""LangGraph's store over SQLite, with its vector extension; also what langmem writes to.

langmem has no place of its own for memories: its tools call `put` and `search` of a
LangGraph store, so its costs are these plus those of a language model.
"""

from __future__ import annotations

import importlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

from benchmarks.corpus import Given, Item, Vector

__all__ = ["LanggraphSqlite"]


def _connect(path: Path) -> Any:
    """A connection as the store's own `from_conn_string` makes it.

    Some builds of Python cannot load extensions, which its vector search needs; there
    the same library comes from a wheel. Both leave SQLite's default durability.
    """
    if hasattr(sqlite3.Connection, "enable_load_extension"):
        connect: Any = sqlite3.connect
    else:
        connect = importlib.import_module("pysqlite3").connect
    return connect(str(path), check_same_thread=False, isolation_level=None)


class LanggraphSqlite:
    """One SQLite file."""

    name: ClassVar[str] = "langgraph sqlite"
    legs: ClassVar[str] = "vector (exact)"
    module: ClassVar[str] = "langgraph.store.sqlite"
    distributions: ClassVar[tuple[str, ...]] = ("langgraph", "langgraph-checkpoint-sqlite")

    def __init__(self, connection: Any, store: Any, given: Given) -> None:
        self._connection = connection
        self._store = store
        self._given = given

    @classmethod
    def open(cls, path: Path, dimension: int) -> Self:
        path.mkdir(parents=True, exist_ok=True)
        given = Given(dimension=dimension)
        connection = _connect(path / "store.sqlite")
        store = SqliteStore(
            connection,
            index={
                "dims": dimension,
                "embed": lambda texts: given.embed(list(texts)).tolist(),
                "fields": ["text"],  # as documented
                "text_fields": ["text"],  # as read by 3.1
            },
        )
        store.setup()
        return cls(connection, store, given)

    def write(self, item: Item) -> None:
        self._given.learn(item.text, item.vector)
        self._store.put(("bench", item.namespace), item.key, {"text": item.text})

    def write_batch(self, items: Sequence[Item]) -> None:
        for item in items:
            self._given.learn(item.text, item.vector)
        # SQLite bounds how many values one statement may bind.
        for start in range(0, len(items), 1000):
            self._store.batch(
                [
                    PutOp(("bench", item.namespace), item.key, {"text": item.text})
                    for item in items[start : start + 1000]
                ]
            )

    def settle(self) -> None:
        """SQLite needs nothing."""

    def search(self, namespace: str, vector: Vector, text: str, k: int) -> list[str]:
        self._given.learn(text, vector)
        found = self._store.search(("bench", namespace), query=text, limit=k)
        return [item.key for item in found]

    def get(self, namespace: str, key: str) -> str | None:
        found = self._store.get(("bench", namespace), key)
        return None if found is None else found.value["text"]

    def close(self) -> None:
        self._connection.close()
