"""Texts to vectors through the embedder port: before the lock, one call for many drafts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from loom.engine.env import Context
from loom.engine.vectors import embed_checked
from loom.plans.draft import Prepared, unembedded, with_vectors

__all__ = ["embed_checked", "embedded"]


def embedded(
    context: Context, prepared: Sequence[Prepared], *, sure: bool = False
) -> list[Prepared]:
    """The same drafts with their passages.

    Args:
        context: the call.
        prepared: the drafts.
        sure: the drafts are known to be searchable, whatever they look like.

    Raises:
        EmbeddingFailed: the embedder raised or answered nonsense (R-39).
    """
    spans = [unembedded(one.draft, sure=sure) for one in prepared]
    texts = [
        one.draft.claim.text[span.start : span.stop]
        for one, of_draft in zip(prepared, spans, strict=True)
        for _, span in of_draft
    ]
    if texts and context.env.calibration is not None:
        context.env.calibration.settle()
    vectors = iter(embed_checked(context.env.embedder, texts) if texts else ())
    return [
        with_vectors(one, of_draft, islice(vectors, len(of_draft)))
        for one, of_draft in zip(prepared, spans, strict=True)
    ]
