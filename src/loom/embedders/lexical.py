"""An embedder without weights: what two texts share in words and spellings.

A text becomes a bag of hashed features: stems, pairs of neighbouring stems and the
character n-grams of each word, function words with little weight, repetitions with the
square root of their count. Each feature is added to one of the dimensions with a sign of
its own, so that collisions cancel on average, and the sum is brought to length 1.

It tells near-duplicates and texts about the same named things from the rest. It knows
nothing of meaning: a paraphrase in other words is far away. Take `minilm` for that.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import Final

import numpy as np
from attrs import Attribute, field, frozen
from numpy.typing import NDArray

from loom.embedders.words import UNSPACED, folded, is_function_word, stem, words
from loom.errors import InvalidRequest
from loom.model.entries import Vector
from loom.model.thresholds import Thresholds

__all__ = ["LexicalEmbedder"]

_FUNCTION_WEIGHT: Final = 0.15
_PAIR_WEIGHT: Final = 0.2
#: The share of a word's n-grams together, beside its stem's 1.
_SPELLING_WEIGHT: Final = 0.7
_GRAM_LENGTHS: Final = (2, 3)
_LONGEST_WORD: Final = 64
_ROWS_AT_ONCE: Final = 256
_LEAST_DIMENSION: Final = 64
_LEAST_LENGTH: Final = 1e-9

_Hashes = NDArray[np.uint64]
_Weights = NDArray[np.float64]


@frozen(slots=True)
class _Word:
    """The features of one word: first its stem's, then those of its n-grams."""

    hashes: _Hashes
    weights: _Weights
    key: int
    weight: float


@frozen(kw_only=True, slots=True)
class LexicalEmbedder:
    """Hashed words as an `Embedder` that is `Calibrated`.

    Equal texts have equal vectors on every machine, in every process and batch, up to
    rounding; so have texts that differ in case, punctuation or Unicode composition only.

    Attributes:
        dimension: the length of a vector, at least 64. Thresholds were measured at 512;
            smaller spaces blur them.

    Raises:
        InvalidRequest: the dimension is no whole number from 64 upwards.
    """

    dimension: int = field(default=512)

    @dimension.validator
    def _large_enough(self, attribute: Attribute[int], value: int) -> None:
        if type(value) is not int or value < _LEAST_DIMENSION:
            msg = f"{attribute.name} must be a whole number from {_LEAST_DIMENSION} up."
            raise InvalidRequest(msg, field=attribute.name)

    @property
    def name(self) -> str:
        """Names the features and, unless it is 512, the dimension."""
        return "lexical-1" if self.dimension == 512 else f"lexical-1-{self.dimension}"

    @property
    def weightless(self) -> bool:
        """True: it counts words, and has learnt nothing of them."""
        return True

    @property
    def thresholds(self) -> Thresholds:
        """Cosines measured by `benchmarks/embedders.py`."""
        return _MEASURED

    def embed(self, texts: Sequence[str], /) -> Vector:
        """(n, d) float32, a row a text, rows of length 1; no words give a fixed row."""
        matrix = np.empty((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), _ROWS_AT_ONCE):
            part = texts[start : start + _ROWS_AT_ONCE]
            matrix[start : start + len(part)] = _embedded(part, self.dimension)
        return matrix


_MEASURED: Final = Thresholds(conflict=0.74, duplicate=0.91, source="embedder:lexical-1")


def _embedded(texts: Sequence[str], dimension: int) -> _Weights:
    """The rows of one batch; sums run in each text's own order, whatever the batch."""
    bags = [_bag(words(text)) for text in texts]
    hashes = np.concatenate([hashes for hashes, _ in bags])
    weights = np.concatenate([weights for _, weights in bags])
    row = np.repeat(np.arange(len(bags)), [len(hashes) for hashes, _ in bags])
    # The remainder uses the low bits, the sign the highest one: they are independent.
    place = row * dimension + (hashes % np.uint64(dimension)).astype(np.int64)
    signed = np.where(hashes >> np.uint64(63), -weights, weights)
    summed = np.bincount(place, signed, minlength=len(bags) * dimension)
    # Without any weights at all, bincount counts in whole numbers.
    rows = summed.astype(np.float64).reshape(len(bags), dimension)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    void = lengths < _LEAST_LENGTH
    rows[void], lengths[void] = _void(dimension), 1.0
    unit: _Weights = rows / lengths[:, None]
    return unit


def _bag(text_words: Sequence[str]) -> tuple[_Hashes, _Weights]:
    """The features of a text and their weights, before they are folded into a row."""
    if not text_words:
        return _NOTHING
    features = {word: _word(word) for word in text_words}
    counts = Counter(text_words)
    alone = [
        features[word].weights * math.sqrt(count) if count > 1 else features[word].weights
        for word, count in counts.items()
    ]
    hashes = [features[word].hashes for word in counts]
    pairs = Counter(pairwise(text_words))
    if pairs:
        hashes.append(_pair_hashes((features[a].key, features[b].key) for a, b in pairs))
        alone.append(
            np.array(
                [
                    _PAIR_WEIGHT
                    * math.sqrt(features[a].weight * features[b].weight * count)
                    for (a, b), count in pairs.items()
                ]
            )
        )
    return np.concatenate(hashes), np.concatenate(alone)


_NOTHING: Final = (np.empty(0, np.uint64), np.empty(0, np.float64))


@lru_cache(maxsize=1 << 14)
def _word(word: str) -> _Word:
    weight = _FUNCTION_WEIGHT if is_function_word(word) else 1.0
    root = stem(word)
    grams = [] if is_function_word(word) else _grams(folded(word))
    hashes = [_hashed(f"w{root}"), *(_hashed(f"g{gram}") for gram in grams)]
    each = weight * _SPELLING_WEIGHT / math.sqrt(len(grams) or 1)
    return _Word(
        np.array(hashes, np.uint64),
        np.array([weight, *([each] * len(grams))]),
        hashes[0],
        weight,
    )


def _grams(word: str) -> list[str]:
    """Pieces of a word's spelling, its edges marked; single characters if unspaced."""
    if UNSPACED.fullmatch(word):
        return list(word)
    marked = f"<{word[:_LONGEST_WORD]}>"
    return [
        marked[at : at + length]
        for length in _GRAM_LENGTHS
        for at in range(len(marked) - length + 1)
    ]


def _hashed(feature: str) -> int:
    digest = blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _pair_hashes(keys: Iterable[tuple[int, int]]) -> _Hashes:
    """A hash for each ordered pair of hashes: a multiply and shift mix, modulo 2**64."""
    both = np.array(list(keys), np.uint64)
    mixed = both[:, 0] * np.uint64(0x9E3779B97F4A7C15) + both[:, 1]
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(0xD6E8FEB86659FD93)
    mixed ^= mixed >> np.uint64(32)
    return mixed


@lru_cache(maxsize=8)
def _void(dimension: int) -> _Weights:
    """The row of a text without words: all dimensions alike, signs drawn once for all."""
    drawn = np.array([_hashed(f"v{place}") >> 63 for place in range(dimension)])
    return (1.0 - 2.0 * drawn) / math.sqrt(dimension)
