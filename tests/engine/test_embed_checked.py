"""Whatever an embedder does, what comes out is sound or an error (R-39)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from attrs import frozen

from loom.embedders.lexical import LexicalEmbedder
from loom.engine.embedding import embed_checked
from loom.errors import EmbeddingFailed
from loom.model.entries import Vector

SECRET = "the safe opens with 7731"


@frozen
class Answering:
    """An embedder that answers whatever it is told to."""

    answer: Callable[[Sequence[str]], object]
    name: str = "answering-1"
    dimension: int = 3

    def embed(self, texts: Sequence[str], /) -> Vector:
        return self.answer(texts)  # type: ignore[return-value]


def test_sound_vectors_pass_as_they_are() -> None:
    texts = ["one", "two words", ""]
    checked = embed_checked(LexicalEmbedder(), texts)
    np.testing.assert_allclose(checked, LexicalEmbedder().embed(texts), atol=1e-7)
    assert checked.dtype == np.float32
    assert checked.flags.c_contiguous


def test_no_texts_ask_nothing() -> None:
    def never(texts: Sequence[str]) -> object:
        raise AssertionError

    assert embed_checked(Answering(never), []).shape == (0, 3)


@pytest.mark.parametrize(
    "answer",
    [
        [[1, 0, 0]],
        np.array([[0, 1, 0]], dtype=np.float64),
        np.asfortranarray(np.array([[0, 0, 1]], dtype=np.float16)),
        [[1.004, 0, 0]],
        [[0.6, 0.8001, 0]],
    ],
)
def test_other_kinds_and_small_drift_are_mended(answer: object) -> None:
    checked = embed_checked(Answering(lambda _: answer), ["x"])
    assert checked.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(checked, axis=1), 1.0, atol=1e-6)


@pytest.mark.parametrize(
    "answer, complaint",
    [
        ([[1, 0, 0], [1, 0, 0]], "shape"),
        ([[1, 0]], "shape"),
        ([1, 0, 0], "shape"),
        ([], "shape"),
        ([[float("nan"), 0, 0]], "not finite"),
        ([[float("inf"), 0, 0]], "not finite"),
        ([[0, 0, 0]], "length 0"),
        ([[2, 0, 0]], "length 2"),
        ([[1, 0, 0], [1, 0]], "ValueError"),
        ([["a", "b", "c"]], "ValueError"),
        (None, "shape"),
    ],
)
def test_nonsense_is_refused_by_name(answer: object, complaint: str) -> None:
    """R-39: an embedder that fails fails the call."""
    with pytest.raises(EmbeddingFailed, match=complaint) as caught:
        embed_checked(Answering(lambda _: answer), [SECRET])
    assert "answering-1" in caught.value.message
    assert SECRET not in caught.value.message


@pytest.mark.parametrize("kind", [ValueError, RuntimeError, OSError, KeyError, MemoryError])
def test_what_the_embedder_raises_is_the_cause_and_no_text_leaks(
    kind: type[Exception],
) -> None:
    """R-39: the call fails with EmbeddingFailed; a message never holds a stored value."""

    def fail(texts: Sequence[str]) -> object:
        raise kind(texts[0])

    with pytest.raises(EmbeddingFailed) as caught:
        embed_checked(Answering(fail), [SECRET])
    assert isinstance(caught.value.__cause__, kind)
    assert SECRET not in str(caught.value)
    assert SECRET not in str(caught.value.details)
    assert caught.value.code == "EMBEDDING_FAILED"


def test_an_interrupt_is_no_failure_of_the_embedder() -> None:
    def stop(texts: Sequence[str]) -> object:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        embed_checked(Answering(stop), ["x"])


def test_the_answer_is_the_callers_own() -> None:
    """R-17: changing what an embedder keeps never changes what was handed out."""
    kept = np.array([[1, 0, 0]], dtype=np.float32)
    checked = embed_checked(Answering(lambda _: kept), ["x"])
    kept[:] = 0
    assert checked.tolist() == [[1, 0, 0]]
