"""The entries of one content in the form the live view and the journals keep.

An `Embedded` names an embedder; a store is opened for one of them, its *space*. Of all
the entries kept for a content, those of the space are used; where it has none, the ones
written last are, for their terms alone: a vector of another space is never compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

import numpy as np
from attrs import field, frozen

from loom.errors import StorageError
from loom.model.entries import Embedded, Terms, Vector

__all__ = [
    "Content",
    "Passage",
    "by_content",
    "checked_vector",
    "pack_terms",
    "passages_of",
    "unpack_terms",
]

#: Memory id and content hash: what entries are addressed by.
Content: TypeAlias = tuple[str, str]

#: Between two terms. A term is a piece of text between separators, so it holds none.
_SEPARATOR: Final = "\x1f"
#: Between two passages, in the journal's column.
_RESERVED: Final = ("\x1f", "\x1e")


@frozen(slots=True)
class Passage:
    """One entry as this store uses it."""

    ordinal: int
    start: int
    stop: int
    #: The terms, packed: `unpack_terms` gives them back.
    packed: str
    #: (d,) float32 of length 1; None where the store's space has no vector.
    vector: Vector | None = field(eq=False, hash=False, repr=False)


def pack_terms(terms: Terms) -> str:
    """The terms as one text, a tenth of a tuple's size.

    >>> unpack_terms(pack_terms(("deploy", "on", "tuesdays")))
    ('deploy', 'on', 'tuesdays')

    Raises:
        StorageError: a term is empty or holds a reserved control character.
    """
    packed = _SEPARATOR.join(terms)
    if terms and (
        packed.count(_SEPARATOR) != len(terms) - 1 or _RESERVED[1] in packed or "" in terms
    ):
        msg = "a search term is empty or holds U+001E or U+001F; split the text there."
        raise StorageError(msg)
    return packed


def unpack_terms(packed: str) -> Terms:
    """The terms of a packed text."""
    return tuple(packed.split(_SEPARATOR)) if packed else ()


def checked_vector(entry: Embedded, dimension: int) -> Vector:
    """The entry's vector as contiguous float32.

    Raises:
        StorageError: its shape is not `(dimension,)` or a component is not finite.
    """
    vector = np.ascontiguousarray(entry.vector, dtype=np.float32)
    if vector.shape != (dimension,):
        msg = (
            f"a vector of space {entry.space!r} has shape {vector.shape}, but the store "
            f"keeps vectors of {dimension} components."
        )
        raise StorageError(msg, dimension=dimension)
    if not np.isfinite(vector).all():
        msg = f"a vector of space {entry.space!r} holds a component that is not finite."
        raise StorageError(msg)
    return vector


def by_content(entries: Iterable[Embedded]) -> dict[Content, list[Embedded]]:
    """Entries gathered by what they are addressed by, in the order given."""
    found: dict[Content, list[Embedded]] = {}
    for entry in entries:
        found.setdefault((entry.memory_id, entry.content_sha256), []).append(entry)
    return found


def passages_of(
    entries: Iterable[Embedded], *, space: str, dimension: int
) -> tuple[Passage, ...]:
    """What a store of this space uses of the entries of one content.

    Args:
        entries: of one content, oldest first.
        space: name of the store's embedder.
        dimension: length of its vectors.
    """
    spaces: dict[str, dict[int, Embedded]] = {}
    for entry in entries:
        spaces.setdefault(entry.space, {})[entry.ordinal] = entry
    if not spaces:
        return ()
    used: Mapping[int, Embedded] = spaces.get(space) or spaces[next(reversed(spaces))]
    return tuple(
        Passage(
            entry.ordinal,
            entry.start,
            entry.stop,
            pack_terms(entry.terms),
            checked_vector(entry, dimension) if entry.space == space else None,
        )
        for _, entry in sorted(used.items())
    )
