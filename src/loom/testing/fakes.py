"""Stand-ins for the ports: a clock that is set, ids that repeat, vectors that are chosen.

They let a test say what it means: this hour passes, these two texts are near, now the
embedder fails. None of them needs a test framework.

```python
clock = FakeClock()
embedder = ChosenEmbedder(
    {"Ana likes pea soup": ("soup", 0.0), "Ana eats it": ("soup", 0.02)}
)
store = loom.open(":memory:", embedder=embedder, clock=clock, ids=SeededIds())
clock.advance(3600)
```
"""

from __future__ import annotations

import hashlib
import random
import threading
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np

from loom.model.entries import Vector
from loom.model.thresholds import DENSE_FALLBACK, Thresholds

__all__ = ["ChosenEmbedder", "FakeClock", "SeededIds"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_START: Final = datetime(2026, 3, 2, 9, tzinfo=UTC)


class FakeClock:
    """A clock that stands still until it is moved; it may be moved back.

    Args:
        at: where it stands at first; an aware datetime.
    """

    def __init__(self, at: datetime = _START) -> None:
        self._ns = 0
        self.set(at)

    def now_ns(self) -> int:
        """Nanoseconds since the epoch, UTC."""
        return self._ns

    @property
    def now(self) -> datetime:
        """The microsecond it stands at."""
        return _EPOCH + timedelta(microseconds=self._ns // 1000)

    def set(self, at: datetime) -> None:
        """Let it stand at an aware datetime, earlier or later than now."""
        self._ns = (at - _EPOCH) // timedelta(microseconds=1) * 1000

    def advance(self, seconds: float = 0.0, *, ns: int = 0) -> None:
        """Move it; negative amounts move it back."""
        self._ns += round(seconds * 1_000_000_000) + ns


class SeededIds:
    """UUIDv7 ids that rise, and are the same for the same seed.

    Args:
        seed: where the random bits come from.
    """

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)
        self._given = 0
        self._lock = threading.Lock()

    def new(self) -> str:
        """The next id."""
        with self._lock:
            self._given += 1
            count, bits = self._given, self._random.getrandbits(74)
        high, low = bits >> 62, bits & ((1 << 62) - 1)
        number = (count << 80) | (7 << 76) | (high << 64) | (2 << 62) | low
        text = f"{number:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


class ChosenEmbedder:
    """An embedder whose cosines are chosen.

    A text is placed on the line of a family. Two texts of one family at the places `p` and
    `q` have the cosine `1 - |p - q|`, to the nearest 1/128 and exact in float32; texts of
    two families, and texts that were not placed, have cosines near 0 (standard deviation
    1/16). The same text has the same vector in every process.

    Args:
        places: from a text to its family and its place there, 0 to 2.
        thresholds: what the embedder says of itself; None lets the settings decide.
        name: of its space.

    Attributes:
        failing: whether the next calls raise.
        calls: how often `embed` was called.
        texts: how many texts it was given.
    """

    dimension: Final = 256

    def __init__(
        self,
        places: Mapping[str, tuple[str, float]] | None = None,
        *,
        thresholds: Thresholds = DENSE_FALLBACK,
        name: str = "chosen-1",
    ) -> None:
        self.name = name
        self.thresholds = thresholds
        self.failing = False
        self.calls = 0
        self.texts = 0
        self._places = dict(places or {})

    def place(self, text: str, family: str, place: float = 0.0) -> None:
        """Place one more text."""
        self._places[text] = (family, place)

    def embed(self, texts: Sequence[str], /) -> Vector:
        """Vectors of the texts, (n, 256).

        Raises:
            RuntimeError: it was told to fail.
        """
        self.calls += 1
        self.texts += len(texts)
        if self.failing:
            msg = "this embedder was told to fail"
            raise RuntimeError(msg)
        rows = [self._vector(text) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), self.dimension)

    def _vector(self, text: str) -> Vector:
        family, place = self._places.get(text, (f"\x00{text}", 0.0))
        signs = _signs(family, self.dimension)
        # Components are ±1/16 and each turned one takes 2/256 off the cosine, so every
        # sum of products is exact, in whatever order an engine adds them up.
        signs[: round(place * self.dimension / 2)] *= -1
        return signs / np.float32(self.dimension**0.5)


def _signs(family: str, dimension: int) -> Vector:
    digest = hashlib.sha256(family.encode("utf-8", "surrogatepass")).digest()
    bits = np.unpackbits(np.frombuffer(digest, dtype=np.uint8))[:dimension]
    return bits.astype(np.float32) * 2 - 1
