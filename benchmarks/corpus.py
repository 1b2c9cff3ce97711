"""Texts and vectors to measure with: made here, the same every time, no model needed.

Vectors lie in clusters on the unit sphere. Two of one cluster have a cosine of about
`WITHIN`, which is below any threshold: a measured write is judged against real
neighbours and found clear, as most writes are.
"""

from __future__ import annotations

import itertools
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

#: Distinct words; the n-th is drawn with a chance that falls as 1/n, as in real texts.
VOCABULARY: Final = 5_000
_SYLLABLES: Final = (
    *("ba", "cor", "del", "fin", "gra", "hol", "jun", "kel", "lam", "mor", "nid", "pos"),
    *("qua", "rin", "sul", "tam", "ver", "wil", "yor", "zem"),
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
    size: int, *, beside: int = 0, namespaces: int = 1, queries: int = 200, seed: int = 7
) -> Corpus:
    """A corpus of `size` items, spread evenly over the namespaces.

    Args:
        size: how many items.
        beside: the size of a corpus whose clusters these items fall into; 0 is its own.
        namespaces: how many namespaces they fall into, in turn.
        queries: how many queries; each shares a cluster with some items.
        seed: two corpora of one seed and size are equal, of two seeds disjoint.
    """
    rng = np.random.default_rng(seed)
    words = _Words(seed)
    clusters = max(1, (beside or size) // CLUSTER)
    centres = _unit(
        np.random.default_rng(0).standard_normal((clusters, DIMENSION), dtype=np.float32)
    )
    vectors = _around(centres, rng.integers(0, clusters, size), rng)
    items = tuple(
        Item(f"ns{i % namespaces}", f"bench/{seed}/{i}", _sentence(words), v)
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


class _Words:
    """Made-up words, so that sentences share subjects and attributes only by chance."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        made = random.Random(0)
        words = {
            "".join(made.choices(_SYLLABLES, k=made.choice((2, 3, 3, 4))))
            for _ in range(2 * VOCABULARY)
        }
        self._words = sorted(words)[:VOCABULARY]
        made.shuffle(self._words)
        self._weights = list(
            itertools.accumulate(1 / n for n in range(1, len(self._words) + 1))
        )

    def draw(self, count: int) -> list[str]:
        """Words as they come in a text."""
        return self._random.choices(self._words, cum_weights=self._weights, k=count)

    def name(self) -> str:
        """A name that hardly comes twice."""
        return "".join(self._random.choices(_SYLLABLES, k=5)).capitalize()


def _sentence(words: _Words) -> str:
    a, b, c, d, e, f = words.draw(6)
    return f"{words.name()} keeps the {a} {b} with a {c} {d}, near the {e} {f}."


def _question(words: _Words, number: int) -> str:
    a, b, c = words.draw(3)
    return f"who keeps the {a} {b} near the {c} ({number})?"
