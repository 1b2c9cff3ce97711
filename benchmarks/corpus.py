"""Texts and vectors to measure with: made here, the same every time, no model needed.

Vectors lie in clusters on the unit sphere. Two of one cluster have a cosine of about
`WITHIN`, which is below any threshold: a measured write is judged against real
neighbours and found clear, as most writes are.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

__all__ = ["DIMENSION", "Corpus", "Given", "Item", "Vector", "make_corpus"]

Vector = NDArray[np.float32]

DIMENSION: Final = 384
#: Mean cosine of two vectors of one cluster.
WITHIN: Final = 0.6
#: How many vectors share a cluster.
CLUSTER: Final = 50

_SUBJECTS: Final = (
    *("billing", "checkout", "ingest", "search", "login", "report", "export", "audit"),
    *("mobile", "gateway", "ledger", "catalog", "pricing", "support", "metrics", "queue"),
)
_THINGS: Final = (
    *("service", "pipeline", "dashboard", "runbook", "schema", "worker", "cluster"),
    *("contract", "interface", "scheduler", "archive", "policy", "template"),
)
_VERBS: Final = (
    *("belongs to", "is reviewed by", "depends on", "was moved to", "is hosted in"),
    *("reports to", "is paid for by", "is backed up by", "was renamed by"),
)
_PLACES: Final = (
    *("the Lisbon office", "the platform group", "the night shift", "a contractor"),
    *("the data council", "the northern region", "the release desk", "the safety team"),
)
_TAILS: Final = (
    *("since the spring review", "until the next audit", "by a written agreement"),
    *("on the advice of legal", "after two outages", "for the pilot customers"),
)


@frozen(slots=True)
class Item:
    """One memory to write."""

    namespace: str
    key: str
    text: str
    #: Shape (DIMENSION,), length 1.
    vector: Vector = field(eq=False, repr=False)


class Given:
    """An embedder whose vectors are known beforehand."""

    def __init__(self, name: str = "given-1", dimension: int = DIMENSION) -> None:
        self.name = name
        self.dimension = dimension
        self._vectors: dict[str, Vector] = {}

    def learn(self, text: str, vector: Vector) -> None:
        """From now on `text` has this vector."""
        self._vectors[text] = vector

    def embed(self, texts: Sequence[str], /) -> Vector:
        """Vectors of the texts, (n, d) float32."""
        return np.asarray([self._vectors[text] for text in texts], dtype=np.float32)


@frozen(slots=True)
class Corpus:
    """Items, and queries that lie near some of them."""

    items: tuple[Item, ...]
    #: Text and vector of each query.
    queries: tuple[tuple[str, Vector], ...]

    def teach(self, given: Given) -> None:
        """Let the embedder know every text of the corpus."""
        for item in self.items:
            given.learn(item.text, item.vector)
        for text, vector in self.queries:
            given.learn(text, vector)


def make_corpus(
    size: int, *, namespaces: int = 1, queries: int = 200, seed: int = 7
) -> Corpus:
    """A corpus of `size` items, spread evenly over the namespaces.

    Args:
        size: how many items.
        namespaces: how many namespaces they fall into, in turn.
        queries: how many queries; each shares a cluster with some items.
        seed: two corpora of one seed and size are equal, of two seeds disjoint.
    """
    rng = np.random.default_rng(seed)
    words = random.Random(seed)
    clusters = max(1, size // CLUSTER)
    centres = _unit(rng.standard_normal((clusters, DIMENSION), dtype=np.float32))
    vectors = _around(centres, rng.integers(0, clusters, size), rng)
    items = tuple(
        Item(f"ns{i % namespaces}", f"bench/{seed}/{i}", _sentence(words, seed, i), v)
        for i, v in enumerate(vectors)
    )
    asked = _around(centres, rng.integers(0, clusters, queries), rng)
    return Corpus(items, tuple((_question(words, i), v) for i, v in enumerate(asked)))


def _around(centres: Vector, which: NDArray[np.int64], rng: np.random.Generator) -> Vector:
    noise = _unit(rng.standard_normal((len(which), DIMENSION), dtype=np.float32))
    mixed = np.sqrt(WITHIN) * centres[which] + np.sqrt(1 - WITHIN) * noise
    return _unit(mixed.astype(np.float32))


def _unit(rows: Vector) -> Vector:
    lengths: Vector = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / lengths


def _sentence(words: random.Random, seed: int, i: int) -> str:
    return (
        f"The {words.choice(_SUBJECTS)} {words.choice(_THINGS)} {seed}-{i} "
        f"{words.choice(_VERBS)} {words.choice(_PLACES)} {words.choice(_TAILS)}."
    )


def _question(words: random.Random, i: int) -> str:
    return (
        f"Which {words.choice(_SUBJECTS)} {words.choice(_THINGS)} "
        f"{words.choice(_VERBS)} {words.choice(_PLACES)}? ({i})"
    )
