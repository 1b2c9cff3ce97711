"""mem0 without a language model: `infer=False`, vectors given, Qdrant's local mode.

That is its default store; a namespace is a user. Its `add` takes one text at a time, so a
batch is a loop, and large fills go to its vector store directly with the payload that
`add` would have made.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Final, Self

from langchain_core.embeddings import Embeddings
from mem0 import Memory

from benchmarks.corpus import Given, Item, Vector

__all__ = ["MemZero"]

#: From this many items on, a batch is a fill.
_FILL: Final = 500


class _StandIn(Embeddings):  # type: ignore[misc] # the peer is no part of the test environment
    """The given vectors in the shape that mem0's adapter for LangChain takes."""

    def __init__(self, given: Given) -> None:
        self._given = given

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = self._given.embed(texts).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


class MemZero:
    """A folder of mem0's: Qdrant's files and a SQLite history."""

    name: ClassVar[str] = "mem0"
    legs: ClassVar[str] = "vector (exact)"
    module: ClassVar[str] = "mem0"
    distributions: ClassVar[tuple[str, ...]] = ("mem0ai",)

    def __init__(self, memory: Any, given: Given) -> None:
        self._memory = memory
        self._given = given
        self._ids: dict[str, str] = {}

    @classmethod
    def open(cls, path: Path, dimension: int) -> Self:
        path.mkdir(parents=True, exist_ok=True)
        given = Given(dimension=dimension)
        memory = Memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {
                        "path": str(path / "qdrant"),
                        "embedding_model_dims": dimension,
                        "on_disk": True,
                    },
                },
                "embedder": {"provider": "langchain", "config": {"model": _StandIn(given)}},
                # Built but never called: `infer=False`.
                "llm": {"provider": "openai", "config": {"api_key": "unused"}},
                "history_db_path": str(path / "history.sqlite"),
            }
        )
        return cls(memory, given)

    def write(self, item: Item) -> None:
        self._given.learn(item.text, item.vector)
        added = self._memory.add(
            item.text, user_id=item.namespace, metadata={"key": item.key}, infer=False
        )
        self._ids[item.key] = added["results"][0]["id"]

    def write_batch(self, items: Sequence[Item]) -> None:
        if len(items) < _FILL:
            for item in items:
                self.write(item)
            return
        now = datetime.now(UTC).isoformat()
        ids = [str(uuid.uuid4()) for _ in items]
        self._ids.update(zip((item.key for item in items), ids, strict=True))
        self._memory.vector_store.insert(
            vectors=[item.vector.tolist() for item in items],
            ids=ids,
            payloads=[
                {
                    "data": item.text,
                    "hash": hashlib.md5(item.text.encode()).hexdigest(),  # noqa: S324 - mem0's own choice
                    "created_at": now,
                    "updated_at": now,
                    "user_id": item.namespace,
                    "role": "user",
                    "key": item.key,
                }
                for item in items
            ],
        )

    def settle(self) -> None:
        """Qdrant's local mode needs nothing."""

    def search(self, namespace: str, vector: Vector, text: str, k: int) -> list[str]:
        self._given.learn(text, vector)
        found = self._memory.search(text, top_k=k, filters={"user_id": namespace})
        return [hit["metadata"]["key"] for hit in found["results"]]

    def get(self, namespace: str, key: str) -> str | None:
        del namespace
        found = self._memory.get(self._ids[key])
        return None if found is None else found["memory"]

    def close(self) -> None:
        self._memory.close()
        self._memory.vector_store.client.close()
