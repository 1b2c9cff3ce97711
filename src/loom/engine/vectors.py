"""The one door through which vectors come in: nothing malformed gets past it (R-39)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from loom.errors import EmbeddingFailed
from loom.model.entries import Vector
from loom.ports import Embedder

__all__ = ["embed_checked"]

#: How far from 1 a row's length may be and still pass for rounding.
_DRIFT: Final = 1e-2
#: How far from 1 a row's length may be and stay as it is.
_EXACT: Final = 1e-6


def embed_checked(embedder: Embedder, texts: Sequence[str]) -> Vector:
    """Vectors of the texts, or an error that names the embedder and no text.

    Args:
        embedder: anything that claims to be one.
        texts: what to embed; none answers an empty matrix without a call.

    Returns:
        (n, d) float32, C-contiguous, rows of length 1 within 1e-6: the caller's own, so
        that nothing the embedder keeps can change it. Lengths off by up to 1 % are
        mended.

    Raises:
        EmbeddingFailed: the embedder raised, or answered another number of rows, another
            dimension, something that is no number, or rows that are not of length 1.
    """
    if not texts:
        return np.empty((0, embedder.dimension), dtype=np.float32)
    answer = _asked(embedder, texts)
    expected = (len(texts), embedder.dimension)
    if answer.shape != expected:
        raise _refused(embedder, f"a matrix of shape {answer.shape}, not {expected}")
    lengths = np.linalg.norm(answer, axis=1)
    if not np.isfinite(lengths).all():
        raise _refused(embedder, "numbers that are not finite")
    drift = np.abs(lengths - 1.0)
    if (drift > _DRIFT).any():
        row = int(np.argmax(drift))
        raise _refused(embedder, f"row {row} of length {lengths[row]:.4g}, not 1")
    if (drift > _EXACT).any():
        answer = answer / lengths[:, None]
    return np.array(answer, dtype=np.float32, order="C")


def _asked(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float64]:
    try:
        return np.asarray(embedder.embed(texts), dtype=np.float64)
    except EmbeddingFailed:
        raise
    except Exception as error:
        # The message of the cause may quote a text; only its kind is repeated here.
        msg = (
            f"the embedder {embedder.name} failed with {type(error).__name__}; nothing was "
            "written. Try again when it works."
        )
        raise EmbeddingFailed(msg, embedder=embedder.name) from error


def _refused(embedder: Embedder, what: str) -> EmbeddingFailed:
    msg = f"the embedder {embedder.name} answered {what}; nothing was written."
    return EmbeddingFailed(msg, embedder=embedder.name)
