"""Other places to keep memories, each behind the same few verbs.

Every peer runs as it is shipped: its own default durability and index, given vectors, no
model, no network, no telemetry. A namespace is what the peer offers for it: a collection
or table of its own, a namespace, a user.
"""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Final, Protocol, Self, runtime_checkable

from benchmarks.corpus import Item, Vector

__all__ = ["PEERS", "Peer", "load_peer", "quiet"]

#: From a peer's name to the class that speaks to it, imported when it is asked for.
PEERS: Final = {
    "chroma": "benchmarks.peers.chroma:Chroma",
    "lancedb": "benchmarks.peers.lance:Lance",
    "langgraph": "benchmarks.peers.langgraph_sqlite:LanggraphSqlite",
    "mem0": "benchmarks.peers.mem_zero:MemZero",
    "qdrant": "benchmarks.peers.qdrant_local:QdrantLocal",
}


@runtime_checkable
class Peer(Protocol):
    """One library, with one store of it open."""

    #: How tables name it.
    name: ClassVar[str]
    #: What its search looks at, such as `vector` or `vector + words`.
    legs: ClassVar[str]
    #: What a user imports, and what a user installs.
    module: ClassVar[str]
    distributions: ClassVar[tuple[str, ...]]

    @classmethod
    def open(cls, path: Path, dimension: int) -> Self:
        """Open or make a store in a folder of its own."""
        ...

    def write(self, item: Item) -> None:
        """Keep one item; returns when the peer says it is kept."""
        ...

    def write_batch(self, items: Sequence[Item]) -> None:
        """Keep many items by the fastest way the peer offers."""
        ...

    def settle(self) -> None:
        """Do what the peer's manual asks for between loading much and searching."""
        ...

    def search(self, namespace: str, vector: Vector, text: str, k: int) -> list[str]:
        """Keys of the k best items, best first."""
        ...

    def get(self, namespace: str, key: str) -> str | None:
        """The text under a key."""
        ...

    def close(self) -> None:
        """Let go of the store."""
        ...


def quiet() -> None:
    """Switch off telemetry, tracing and downloads before any peer is imported."""
    os.environ.update(
        {
            "ANONYMIZED_TELEMETRY": "False",
            "DO_NOT_TRACK": "1",
            "HF_HUB_OFFLINE": "1",
            "LANGCHAIN_TRACING_V2": "false",
            "LANGSMITH_TRACING": "false",
            "MEM0_TELEMETRY": "False",
        }
    )
    os.environ.setdefault("MEM0_DIR", tempfile.mkdtemp(prefix="mem0-"))


def load_peer(name: str) -> type[Peer]:
    """The class of a peer.

    Raises:
        ImportError: it is not installed; `pip install '.[bench]'` brings it.
    """
    quiet()
    module, _, attribute = PEERS[name].partition(":")
    loaded: type[Peer] = getattr(importlib.import_module(module), attribute)
    return loaded
