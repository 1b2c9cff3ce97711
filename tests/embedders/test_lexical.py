"""The embedder without weights keeps the port's promises (facts 4, R-40)."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.embedders import cosines, measured_thresholds, read_sts, spearman
from loom.embedders import lexical
from loom.embedders.lexical import LexicalEmbedder
from loom.errors import InvalidRequest
from loom.model.entries import Vector
from loom.ports import Calibrated, Embedder

TEXTS = (
    "The ledger closes on the last working day of each month.",
    "Ledgers are closed monthly, on the final working day.",
    "Marta prefers tea without sugar.",
    "発注は毎週月曜日です",
    "",
)
#: Of the vectors of TEXTS: the sha256 of all signs, and the cosine of each with the next.
GOLDEN_SIGNS = "796649fa013e371e3b133d0c8df2be92389df7f67e5ff0e571efde44731a0238"
GOLDEN_COSINES = [0.802036, -0.039815, -0.16234, 0.010709]

any_text = st.text(st.characters())


def one(text: str) -> Vector:
    row: Vector = LexicalEmbedder().embed([text])[0]
    return row


def cosine(left: str, right: str) -> float:
    return float(one(left) @ one(right))


def test_it_is_an_embedder_that_knows_its_thresholds() -> None:
    """R-40: the lexical embedder ships thresholds of its own."""
    embedder = LexicalEmbedder()
    assert isinstance(embedder, Embedder)
    assert isinstance(embedder, Calibrated)
    assert (embedder.name, embedder.dimension) == ("lexical-1", 512)
    assert 0 < embedder.thresholds.conflict < embedder.thresholds.duplicate < 1
    assert embedder.thresholds.source == "embedder:lexical-1"


@given(st.lists(any_text, max_size=5), st.sampled_from([64, 100, 512]))
def test_any_texts_get_rows_of_length_one(texts: list[str], dimension: int) -> None:
    matrix = LexicalEmbedder(dimension=dimension).embed(texts)
    assert matrix.shape == (len(texts), dimension)
    assert matrix.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(matrix, axis=1), 1.0, atol=1e-6)


@given(any_text)
def test_composition_does_not_move_a_vector(text: str) -> None:
    """Facts 3.6: NFC and NFD are one text."""
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert np.array_equal(one(composed), one(decomposed))


@pytest.mark.parametrize(
    "left, right",
    [
        ("Billing deploys weekly.", "BILLING DEPLOYS WEEKLY"),
        ("The well-known 'red' button!", "the well known red button"),
        ("It isn't ready", "It isn\u2019t ready."),
        ("10,000 users", "10000 users"),
        ("a 16GB node", "A 16 GB node"),
    ],
)
def test_case_and_punctuation_do_not_move_a_vector(left: str, right: str) -> None:
    assert cosine(left, right) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("blank", [" ", "\n\t", "...", "\u200b", "\ud800"])
def test_texts_without_words_have_the_row_of_the_empty_text(blank: str) -> None:
    assert np.array_equal(one(blank), one(""))


def test_the_empty_text_is_like_no_other() -> None:
    others = LexicalEmbedder().embed([text for text in TEXTS if text])
    assert np.abs(others @ one("")).max() < 0.2


def test_shared_words_and_spellings_bring_texts_together() -> None:
    closing, closed, tea = (one(text) for text in TEXTS[:3])
    assert closing @ closed > 0.7
    assert closing @ tea < 0.2
    assert cosine("kubernetes upgrade", "kubernets upgrade") > 0.7
    assert cosine("resume of Zoë", "résumé of Zoe") > 0.35


def test_word_order_matters_a_little() -> None:
    assert 0.9 < cosine("Ada manages Bob", "Bob manages Ada") < 0.9999


def test_a_narrower_statement_of_one_rule_is_close_enough_to_conflict() -> None:
    """R-33: two windows of one service meet at the measured threshold."""
    wide = "Payroll runs only on Mondays and Wednesdays, never on Sundays."
    narrow = "Payroll runs only on Wednesdays."
    thresholds = LexicalEmbedder().thresholds
    assert thresholds.conflict <= cosine(wide, narrow) < thresholds.duplicate


def test_a_word_said_often_does_not_drown_the_others() -> None:
    assert cosine("deploy " * 50 + "staging", "staging") > 0.1


@given(st.lists(any_text, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_the_batch_does_not_move_a_vector(texts: list[str], random: Random) -> None:
    shuffled = list(range(len(texts)))
    random.shuffle(shuffled)
    matrix = LexicalEmbedder().embed([texts[at] for at in shuffled])
    for row, at in enumerate(shuffled):
        np.testing.assert_allclose(matrix[row], one(texts[at]), atol=1e-6)


def test_batches_beyond_one_slice_keep_their_order() -> None:
    texts = [f"entry number {count} of ward {count % 7}" for count in range(600)]
    matrix = LexicalEmbedder().embed(texts)
    for at in (0, 255, 256, 511, 599):
        np.testing.assert_allclose(matrix[at], one(texts[at]), atol=1e-6)


def test_no_texts_give_no_rows() -> None:
    assert LexicalEmbedder().embed([]).shape == (0, 512)


def test_other_processes_and_hash_seeds_give_the_same_bytes() -> None:
    """Stored vectors must be met again by those of another process."""
    program = (
        "import sys, hashlib, json; from loom.embedders.lexical import LexicalEmbedder;"
        "texts = json.loads(sys.stdin.read());"
        "print(hashlib.sha256(LexicalEmbedder().embed(texts).tobytes()).hexdigest())"
    )
    source = str(Path(lexical.__file__).parents[2])
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            input=str(list(TEXTS)).replace("'", '"'),
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": source},
            capture_output=True,
            check=True,
            encoding="utf-8",
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert said == {hashlib.sha256(LexicalEmbedder().embed(TEXTS).tobytes()).hexdigest()}


def test_the_features_behind_the_name_have_not_changed() -> None:
    """R-40: vectors are stored under the name; other features need another name."""
    signs = np.sign(np.round(LexicalEmbedder().embed(TEXTS), 5)).astype(np.int8)
    assert hashlib.sha256(signs.tobytes()).hexdigest() == GOLDEN_SIGNS
    similar = [float(a @ b) for a, b in pairwise(LexicalEmbedder().embed(TEXTS))]
    assert similar == pytest.approx(GOLDEN_COSINES, abs=1e-5)


def test_threads_share_it_without_harm() -> None:
    texts = [
        f"note {count}: shelf {count % 13} holds jar {count % 29}" for count in range(200)
    ]
    expected = LexicalEmbedder().embed(texts)
    lexical._word.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: LexicalEmbedder().embed(texts), range(16)))
    assert all(np.array_equal(answer, expected) for answer in answers)


@pytest.mark.parametrize("dimension", [0, 63, -512, 512.0, True, "512"])
def test_a_dimension_that_is_none_is_refused(dimension: object) -> None:
    with pytest.raises(InvalidRequest, match="dimension"):
        LexicalEmbedder(dimension=dimension)  # type: ignore[arg-type]


def test_another_dimension_is_another_space() -> None:
    """R-40: a store is bound to a name and a dimension."""
    assert LexicalEmbedder(dimension=256).name == "lexical-1-256"


def test_it_grades_likeness_as_people_do(shared_data: Path) -> None:
    """Facts 4: Spearman on STS-B is about .7 without weights."""
    pairs = read_sts("dev")
    assert spearman(cosines(LexicalEmbedder(), pairs), [p.grade for p in pairs]) > 0.76


def test_the_thresholds_are_the_measured_ones(shared_data: Path) -> None:
    """R-40: thresholds of the lexical embedder are measured."""
    assert LexicalEmbedder().thresholds == measured_thresholds(LexicalEmbedder())
