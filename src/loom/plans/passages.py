"""Which passages of a stored row are embedded, and the entries they become."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from loom.model.entries import EXCERPT, Embedded, Vector
from loom.model.memory import MemoryRow
from loom.text.canonical import text_of
from loom.text.chunking import chunks_of, excerpt_of
from loom.text.tokens import terms_of

__all__ = ["Cut", "entries_of", "passages_in"]


@frozen(slots=True)
class Cut:
    """A passage of a row's text that is embedded."""

    ordinal: int
    start: int
    stop: int
    text: str


def passages_in(row: MemoryRow) -> tuple[Cut, ...]:
    """What is embedded of a row: its excerpt, and the chunks of a long text."""
    if not row.searchable:
        return ()
    text = text_of(row.value)
    spans = ((EXCERPT, excerpt_of(text)), *enumerate(chunks_of(text)))
    return tuple(Cut(n, span.start, span.stop, span.of(text)) for n, span in spans)


def entries_of(
    row: MemoryRow, vectors: Iterable[Vector], *, space: str
) -> tuple[Embedded, ...]:
    """The entries of a row's content.

    Args:
        row: a searchable row.
        vectors: one a passage of `passages_in`, (d,), length 1; takes no more than that.
        space: name of the embedder that made them.
    """
    return tuple(
        Embedded(
            memory_id=row.memory_id,
            content_sha256=row.content_sha256,
            ordinal=cut.ordinal,
            start=cut.start,
            stop=cut.stop,
            space=space,
            vector=vector,
            terms=terms_of(cut.text),
        )
        for cut, vector in zip(passages_in(row), vectors, strict=False)
    )
