"""Which passages of a text are embedded (R-13).

A memory is embedded from an excerpt of at most 1,200 characters. A longer text also gets
verbatim chunks that follow each other without gap or overlap, so that nothing it says is
out of reach of a search. A cut is made after a paragraph, else after a sentence, else
after a word, and never inside what a reader sees as one character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from attrs import frozen

__all__ = ["EXCERPT_LIMIT", "Span", "chunks_of", "excerpt_of"]

#: Characters (code points) of the longest passage that is embedded.
EXCERPT_LIMIT: Final = 1200
#: A better kind of cut is taken only if the passage keeps at least this share of the
#: limit; a paragraph of one line should not make a chunk of its own.
_SMALLEST_SHARE: Final = 0.4

_CUTS: Final = (
    re.compile(r"(?:\r\n|\r|\n|\u2029)[^\S\n\r]*(?:\r\n|\r|\n)\s*|\u2029\s*"),
    re.compile(r"(?:\r\n|\r|\n)\s*"),
    re.compile(r"[.!?…؟۔।॥።][\"'”’»)\]]*\s+|[。！？｡．][”’」』）]*\s*"),
    re.compile(r"\s+|\u200b+|[，、；：]"),
)


@frozen(slots=True)
class Span:
    """A passage of a text: characters from `start`, before `stop`."""

    start: int
    stop: int

    def of(self, text: str) -> str:
        """The passage itself, verbatim."""
        return text[self.start : self.stop]


def excerpt_of(text: str) -> Span:
    """The passage a text is embedded from: all of it, or a beginning that ends well.

    >>> excerpt_of("short").of("short")
    'short'
    """
    return Span(0, _cut_after(text, 0))


def chunks_of(text: str) -> tuple[Span, ...]:
    """Verbatim passages of at most 1,200 characters that together are the text.

    Empty for a text that its excerpt holds whole. A single grapheme cluster longer than
    the limit, which no language has, is cut at the limit.
    """
    if len(text) <= EXCERPT_LIMIT:
        return ()
    spans: list[Span] = []
    start = 0
    while start < len(text):
        stop = _cut_after(text, start)
        spans.append(Span(start, stop))
        start = stop
    return tuple(spans)


def _cut_after(text: str, start: int) -> int:
    """The end of the passage that begins at `start`, which is a cluster's boundary."""
    if len(text) - start <= EXCERPT_LIMIT:
        return len(text)
    boundaries = _boundaries(text, start)
    least = start + int(EXCERPT_LIMIT * _SMALLEST_SHARE)
    for cut in _CUTS:
        for stop in _ends_backwards(cut, text, start, least):
            if stop in boundaries:
                return stop
    return max(boundaries)


def _ends_backwards(
    cut: re.Pattern[str], text: str, start: int, least: int
) -> Iterator[int]:
    limit = start + EXCERPT_LIMIT
    # A break may reach past the limit; it may then be cut off at the limit.
    ends = [min(m.end(), limit) for m in cut.finditer(text, start, limit + 1)]
    return (end for end in reversed(ends) if end >= least)


def _boundaries(text: str, start: int) -> frozenset[int]:
    """Ends of the grapheme clusters of a passage, within the limit of its start."""
    limit = start + EXCERPT_LIMIT
    # One character past the limit tells whether the cluster that ends there ends at all.
    ends = {m.end() for m in _cluster().finditer(text, start, limit + 1)}
    return frozenset(end for end in ends if end <= limit) or frozenset({limit})


@cache
def _cluster() -> Any:
    """The pattern of one grapheme cluster; loaded with the first long text."""
    import regex  # type: ignore[import-untyped]  # noqa: PLC0415 - 20 ms for long texts

    return regex.compile(r"\X")
