"""What makes a row findable: the embedding entries of its value.

A searchable version has one entry for its excerpt (at most 1,200 characters) and, if its
text is longer, one for each verbatim chunk (R-13). Entries are addressed by content:
memory id, content hash and ordinal. A later version with the same hash shares them, and
they are kept for every version until redaction or erasure (R-16).
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

__all__ = ["EXCERPT", "Embedded", "Terms", "Vector"]

#: float32; a matrix holds one row a text. Rows have length 1.
Vector: TypeAlias = NDArray[np.float32]
#: Search terms of a text, in order, repeats kept: their count is the term frequency.
Terms: TypeAlias = tuple[str, ...]

#: The ordinal of the excerpt's entry; chunks count from 0.
EXCERPT: Final = -1


@frozen(kw_only=True, slots=True)
class Embedded:
    """One entry: the vector and the search terms of one passage of one content."""

    memory_id: str
    content_sha256: str
    ordinal: int = EXCERPT
    #: Where the passage lies in the row's text: from `start`, before `stop` (characters).
    start: int
    stop: int
    #: Name of the embedder that made the vector; vectors of two spaces never meet.
    space: str
    #: Shape (d,), length 1.
    vector: Vector = field(eq=False, hash=False, repr=False)
    terms: Terms = ()
