"""Thresholds from an embedder's own cosines."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.embedders.lexical import LexicalEmbedder
from loom.embedders.minilm import MiniLMEmbedder
from loom.model.thresholds import Distribution
from loom.policies.calibration import adaptive_thresholds, measured, questions
from loom.text.canonical import canonical_form
from loom.text.probes import PROBES


def _unit(rows: Any) -> Any:
    matrix = np.asarray(rows, dtype=np.float64)
    return (matrix / np.linalg.norm(matrix, axis=1)[:, None]).astype(np.float32)


def _pairs(texts: Sequence[str]) -> Any:
    """Counts of pairs of letters: a stand-in for a user's own embedder."""
    rows = np.zeros((len(texts), 512))
    for at, text in enumerate(texts):
        for pair in zip(text.lower(), text.lower()[1:], strict=False):
            rows[at, (ord(pair[0]) * 31 + ord(pair[1])) % 512] += 1
    return _unit(rows)


def _noise(texts: Sequence[str]) -> Any:
    digests = [hashlib.sha256(text.encode()).digest() for text in texts]
    return _unit([np.frombuffer(d, np.uint8) - 127.5 for d in digests])


def _tilted(vectors: Any, by: float) -> Any:
    """All vectors moved to one side, as many a model's lie."""
    return _unit(np.concatenate((np.full((len(vectors), 1), by), vectors), axis=1))


def test_the_probes_are_of_many_fields_and_no_two_are_alike() -> None:
    """A-116: 40 to 60 sentences, each once."""
    texts = questions()
    assert 40 <= len(texts) <= 60
    assert len({canonical_form(text) for text in texts}) == len(texts)
    assert len({probe.claim.split()[0:2][-1] for probe in PROBES}) == len(PROBES)


@pytest.mark.parametrize(
    "embedder", [LexicalEmbedder(), MiniLMEmbedder()], ids=["lexical", "minilm"]
)
def test_the_figures_agree_with_thresholds_measured_on_labelled_pairs(
    embedder: Any,
) -> None:
    """A-116: what sixty sentences say is what thousands of pairs said."""
    found = adaptive_thresholds(measured(embedder.embed(questions())), embedder.name)
    assert found is not None
    assert found.conflict == pytest.approx(embedder.thresholds.conflict, abs=0.04)
    assert found.duplicate == pytest.approx(embedder.thresholds.duplicate, abs=0.02)
    assert found.source == f"adaptive:{embedder.name}"


def test_another_embedder_gets_thresholds_of_its_own() -> None:
    """A-116."""
    found = adaptive_thresholds(measured(_pairs(questions())), "pairs")
    assert found is not None
    assert 0.75 < found.conflict < found.duplicate < 0.97


@pytest.mark.parametrize("by", [1.0, 2.0, 3.0])
def test_a_space_that_lies_to_one_side_is_read_as_it_is(by: float) -> None:
    """Its unrelated texts have cosines that are contradictions elsewhere."""
    vectors = MiniLMEmbedder().embed(questions())
    straight = adaptive_thresholds(measured(vectors), "e")
    tilted = adaptive_thresholds(measured(_tilted(vectors, by)), "e")
    assert straight is not None
    assert tilted is not None
    assert straight.conflict < tilted.conflict < tilted.duplicate <= 0.99


@pytest.mark.parametrize(
    "vectors",
    [
        _noise(questions()),
        np.tile(np.array([1.0, 0.0], np.float32), (len(questions()), 1)),
        _tilted(_pairs(questions()), 40.0),
        _unit(np.random.default_rng(7).normal(size=(len(questions()), 8))),
    ],
    ids=["noise", "constant", "flat", "random"],
)
def test_cosines_that_tell_nothing_decide_nothing(vectors: Any) -> None:
    """A-117: the fallback holds then."""
    assert adaptive_thresholds(measured(vectors), "e") is None


def test_an_embedder_that_sees_no_values_gets_room_above_contradictions() -> None:
    """A restatement must stand above what merely looks like it."""
    figures = Distribution(
        edition=1,
        sentences=60,
        background_mean=0.1,
        background_sd=0.1,
        related=0.5,
        rival=0.9,
        restated=0.88,
    )
    found = adaptive_thresholds(figures, "e")
    assert found is not None
    assert (found.conflict, found.duplicate) == (0.9, 0.95)


@given(*[st.floats(-1, 1) for _ in range(4)], st.floats(0, 0.5))
def test_no_figures_give_thresholds_out_of_bounds(
    mean: float, related: float, rival: float, restated: float, sd: float
) -> None:
    """Never above .99, and the conflict threshold always the lower one."""
    found = adaptive_thresholds(
        Distribution(
            edition=1,
            sentences=60,
            background_mean=mean,
            background_sd=sd,
            related=related,
            rival=rival,
            restated=restated,
        ),
        "e",
    )
    if found is not None:
        assert 0 < found.conflict < found.duplicate <= 0.99
        assert found.conflict >= mean


def test_the_same_answers_give_the_same_figures() -> None:
    vectors = LexicalEmbedder().embed(questions())
    assert measured(vectors) == measured(vectors.copy())
