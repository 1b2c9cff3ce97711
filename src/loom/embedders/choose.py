"""Which embedder a store opens with."""

from __future__ import annotations

from loom.embedders.lexical import LexicalEmbedder
from loom.errors import InvalidRequest
from loom.ports import Embedder

__all__ = ["choose_embedder"]


def choose_embedder(spec: str | Embedder | None) -> Embedder:
    """The embedder that a caller named or brought.

    Args:
        spec: None or `"lexical"` for hashed words, which need nothing; `"minilm"` for
            the weights of the extra `minilm`; or any `Embedder`, answered as it is.

    Raises:
        InvalidRequest: the name is unknown, its extra is not installed, or the object is
            no embedder.

    >>> choose_embedder(None).name
    'lexical-1'
    """
    if spec is None or spec == "lexical":
        return LexicalEmbedder()
    if spec == "minilm":
        from loom.embedders.minilm import MiniLMEmbedder  # noqa: PLC0415  (when asked for)

        return MiniLMEmbedder()
    if isinstance(spec, Embedder) and not isinstance(spec, type):
        return spec
    msg = (
        "embedder must be None, 'lexical', 'minilm', or an object with a name, a "
        "dimension and embed(texts)."
    )
    raise InvalidRequest(msg, field="embedder")
