"""Real notes of long conversations, each beside those noted before it.

LoCoMo's conversations come with observations: sentences of what each speaker said of
themselves, as an agent would store them. Nobody labelled them, but few contradict each
other, so what is called a conflict or one among them deserves reading.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.pairs import DATA, Pair
from benchmarks.vectors import KeptVectors

__all__ = ["Written", "notes", "writes"]

#: A note, and the earlier ones that a write of it would be judged against.
Written = tuple[Pair, ...]
#: Peers that a write is judged against at most (R-32).
PEERS: Final = 50


def notes(data: Path = DATA) -> tuple[tuple[str, ...], ...]:
    """Per conversation the distinct observations in their order."""
    text = (data / "locomo" / "locomo_dev.json").read_text(encoding="utf-8")
    every = (dict.fromkeys(_sentences(c["observation"])) for c in json.loads(text))
    return tuple(tuple(told) for told in every)


def _sentences(told: Any) -> Iterator[str]:
    """An observation is a sentence and the turns it rests on."""
    if isinstance(told, dict):
        for part in told.values():
            yield from _sentences(part)
    elif isinstance(told, list) and len(told) == 2 and isinstance(told[0], str):
        yield told[0]
    elif isinstance(told, list):
        for part in told:
            yield from _sentences(part)


def writes(vectors: KeptVectors, floor: float, data: Path = DATA) -> Iterator[Written]:
    """Each note but the first beside its nearest earlier ones at or above a cosine."""
    for told in notes(data):
        vectors.learn(told)
        matrix = np.stack([vectors.vector(note) for note in told])
        for at in range(1, len(told)):
            cosines = matrix[:at] @ matrix[at]
            nearest = np.argsort(-cosines)[:PEERS]
            yield tuple((told[n], told[at]) for n in nearest if cosines[n] >= floor)
