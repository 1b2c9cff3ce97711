"""Vectors of texts, kept on disk between runs: embedding is what a run spends its time on."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import numpy as np
from attrs import field, frozen

from loom.model.entries import Vector
from loom.ports import Embedder

__all__ = ["KeptVectors"]

KEPT_IN: Final = Path(tempfile.gettempdir()) / "loom-vectors"
_AT_ONCE: Final = 512


@frozen
class KeptVectors:
    """An embedder's vectors by text; what is new is embedded once and kept.

    Attributes:
        embedder: gives the vectors. A file is kept for each name of one.
        folder: where the files lie.
    """

    embedder: Embedder
    folder: Path = KEPT_IN
    _known: dict[str, Vector] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        """Read what earlier runs kept."""
        if self._file.exists():
            with np.load(self._file, allow_pickle=False) as kept:
                self._known.update(zip(kept["texts"].tolist(), kept["rows"], strict=True))

    @property
    def _file(self) -> Path:
        return self.folder / f"{self.embedder.name}.npz"

    def learn(self, texts: Iterable[str]) -> None:
        """Embed what is not known yet, and keep it."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if not new:
            return
        for start in range(0, len(new), _AT_ONCE):
            part = new[start : start + _AT_ONCE]
            self._known.update(zip(part, self.embedder.embed(part), strict=True))
        self.folder.mkdir(parents=True, exist_ok=True)
        np.savez(
            self._file,
            texts=np.array(list(self._known)),
            rows=np.stack(list(self._known.values())),
        )

    def vector(self, text: str) -> Vector:
        """The vector of a text that was learnt."""
        return self._known[text]

    def cosine(self, one: str, two: str) -> float:
        """The cosine of two texts that were learnt."""
        return float(np.dot(self._known[one], self._known[two]))
