"""What a read costs: by key, by vector, by question."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from benchmarks.corpus import Corpus, Vector
from benchmarks.loom_store import ORG, LoomStore
from benchmarks.measure import WARM, Figure, in_turn
from benchmarks.peers import Peer
from loom.model.identity import ScopeKey
from loom.storage.query import Nearest

__all__ = ["point_reads", "recall_of_vectors", "searches", "vector_part"]

#: Reads a round: one alone is shorter than the clock can tell.
READS: Final = 50
FOUND: Final = 10


def point_reads(peers: Sequence[Peer], corpus: Corpus, rounds: int) -> list[Figure]:
    """Reads by key, of keys drawn at random; the figure is one read's share."""
    drawn = random.Random(3)
    asked = [drawn.choices(corpus.items, k=READS) for _ in range(rounds + WARM)]

    def read(peer: Peer, number: int) -> None:
        for item in asked[number]:
            if peer.get(item.namespace, item.key) is None:
                msg = f"{peer.name} lost a row"
                raise LookupError(msg)

    contestants: dict[str, Callable[[int], object]] = {
        peer.name: lambda i, peer=peer: read(peer, i)  # type: ignore[misc]
        for peer in peers
    }
    return [
        Figure(
            what="point read",
            who=who,
            size=len(corpus.items),
            wall=cost.wall / READS,
            cpu=cost.cpu / READS,
        )
        for who, cost in in_turn(contestants, rounds).items()
    ]


def searches(peers: Sequence[Peer], corpus: Corpus, rounds: int) -> list[Figure]:
    """Questions put to one namespace after another."""
    names = sorted({item.namespace for item in corpus.items})

    def ask(peer: Peer, number: int) -> object:
        text, vector = corpus.queries[number % len(corpus.queries)]
        return peer.search(names[number % len(names)], vector, text, FOUND)

    contestants: dict[str, Callable[[int], object]] = {
        peer.name: lambda i, peer=peer: ask(peer, i)  # type: ignore[misc]
        for peer in peers
    }
    legs = {peer.name: peer.legs for peer in peers}
    return [
        Figure(
            what="search",
            who=who,
            size=len(corpus.items),
            wall=cost.wall,
            cpu=cost.cpu,
            note=legs[who],
        )
        for who, cost in in_turn(contestants, rounds).items()
    ]


def _nearest(storage: Any, namespace: str, vector: Vector) -> Any:
    return storage.nearest(
        Nearest(
            scopes=(ScopeKey(ORG, namespace),),
            vectors=np.asarray(vector)[None, :],
            limit=FOUND,
        )
    )


def vector_part(store: LoomStore, corpus: Corpus, rounds: int) -> list[Figure]:
    """The vector leg alone, and the time memory takes to hand over as many numbers."""
    held = np.ascontiguousarray([item.vector for item in corpus.items])
    storage, names = store.storage, sorted({item.namespace for item in corpus.items})
    if len(names) != 1:
        msg = "the vector part is measured over one namespace"
        raise ValueError(msg)
    contestants: dict[str, Callable[[int], object]] = {
        "X.sum()": lambda _: held.sum(),
        "loom": lambda i: _nearest(
            storage, names[0], corpus.queries[i % len(corpus.queries)][1]
        ),
    }
    return [
        Figure(what="vector part", who=who, size=len(held), wall=cost.wall, cpu=cost.cpu)
        for who, cost in in_turn(contestants, rounds).items()
    ]


def recall_of_vectors(store: LoomStore, corpus: Corpus, questions: int = 50) -> float:
    """Share of the ten truly nearest that the vector leg finds."""
    held = np.ascontiguousarray([item.vector for item in corpus.items])
    keys = np.asarray([item.key for item in corpus.items])
    storage, hits = store.storage, 0
    for _, vector in corpus.queries[:questions]:
        true = set(keys[np.argsort(-(held @ vector), kind="stable")[:FOUND]])
        found = _nearest(storage, corpus.items[0].namespace, vector)[0]
        hits += len(true & {near.row.memory_key for near in found})
    asked = min(questions, len(corpus.queries))
    return hits / (asked * min(FOUND, len(held)))
