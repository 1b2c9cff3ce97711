"""Words that say of which thing, time or way a statement holds.

Two values of one kind contradict each other only where the rest is about the same: a limit
for images says nothing of the one for videos, last year's count nothing of this year's,
and what somebody thinks, wishes or used to have nothing of what is.
"""

from __future__ import annotations

from typing import Final

from loom.text.measures import is_of_change
from loom.text.reading import Reading

__all__ = ["qualified_otherwise"]

#: What is no longer, or only might be: said of one side alone, both may hold.
_NOT_NOW: Final = frozenset(
    (
        "previous previously former formerly old earlier last ex once originally initially"
        " might may could would want wants wanted wish wishes hope hopes hoped think thinks"
        " thought believe believes supposed maybe perhaps possibly if unless draft planned"
        " estimated expected"
    ).split()
)
#: Kinds of values that say when, or of which one.
_WHICH: Final = frozenset("date month weekday identifier ordinal".split())


def qualified_otherwise(one: Reading, two: Reading) -> bool:
    """Whether the two tell of different things, times or ways beside their values."""
    if _marks(one) != _marks(two) or _owners(one) != _owners(two):
        return True
    both = _kinds(one, two) & _kinds(two, one)
    if both & _WHICH and both - _WHICH:
        return True  # another day, or another thing by its number, and so another value
    return bool(_own(one, two)) and bool(_own(two, one))


def _marks(reading: Reading) -> bool:
    return any(word.key in _NOT_NOW for word in reading.words)


def _owners(reading: Reading) -> frozenset[str]:
    """Whose things are told of: `my sister's phone` is hers."""
    return frozenset(
        word.stem
        for word in reading.words
        if word.key.endswith(("'s", "’s")) and word.has_content
    )


def _own(one: Reading, two: Reading) -> frozenset[str]:
    """What the one tells of that the other has not: content words and names, not change."""
    words = (
        meaning for meaning in one.meanings - two.meanings if not is_of_change(meaning)
    )
    names = (name for name, _ in one.named if name not in two.mentioned)
    return frozenset((*words, *names))


def _kinds(one: Reading, two: Reading) -> frozenset[str]:
    return frozenset(value.kind for value in one.values if value not in two.values)
