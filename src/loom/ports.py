"""What the core needs from outside: a clock, ids, an embedder, a judge.

Each port is a small protocol with a deterministic stand-in in `loom.testing`. No port is
ever called while a write lock is held.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from loom.model.entries import Vector
from loom.model.thresholds import Thresholds

__all__ = [
    "Calibrated",
    "Clock",
    "Embedder",
    "Ids",
    "SystemClock",
    "SystemIds",
    "Weightless",
]


@runtime_checkable
class Clock(Protocol):
    """Tells the time. It may step back; versions rise all the same (R-15)."""

    def now_ns(self) -> int:
        """Nanoseconds since the epoch, UTC."""
        ...


@runtime_checkable
class Ids(Protocol):
    """Gives ids that are never given twice."""

    def new(self) -> str:
        """A UUIDv7 in its usual text form."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors.

    Attributes:
        name: names the space; a store is bound to it (R-40).
        dimension: the length of a vector.
    """

    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str], /) -> Vector:
        """Vectors of the texts.

        Args:
            texts: any Unicode texts, the empty one included.

        Returns:
            (n, d) float32, a row a text in the same order, rows of length 1.
        """
        ...


@runtime_checkable
class Calibrated(Protocol):
    """An embedder that knows its own thresholds, measured on labelled pairs."""

    @property
    def thresholds(self) -> Thresholds: ...


@runtime_checkable
class Weightless(Protocol):
    """An embedder that learnt nothing, so that its cosines hold no surprises.

    Attributes:
        weightless: whether it is one.
    """

    @property
    def weightless(self) -> bool: ...


class SystemClock:
    """The machine's clock."""

    def now_ns(self) -> int:
        """Nanoseconds since the epoch, UTC."""
        return time.time_ns()


class SystemIds:
    """Random UUIDv7 ids (RFC 9562): 48 bits of milliseconds, 74 random bits."""

    def new(self) -> str:
        """A UUIDv7 in its usual text form."""
        milliseconds = time.time_ns() // 1_000_000
        random = int.from_bytes(os.urandom(10), "big") & ((1 << 74) - 1)
        high, low = random >> 62, random & ((1 << 62) - 1)
        number = (milliseconds << 80) | (7 << 76) | (high << 64) | (2 << 62) | low
        text = f"{number:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
