"""Memory types: a free string, of which a few change how a row is kept and found."""

from __future__ import annotations

from typing import Final

from attrs import frozen

from loom.model.identity import checked_name

__all__ = [
    "PROCEDURAL",
    "SEMANTIC",
    "MemoryType",
    "parse_memory_type",
    "type_of",
    "unsearched_types",
]

SEMANTIC: Final = "semantic"
#: Its value must have the form of a procedure (`text/procedures.py`).
PROCEDURAL: Final = "procedural"


@frozen(kw_only=True, slots=True)
class MemoryType:
    """How rows of a type are kept and found."""

    #: Embedded and tokenised on write, so that searches and peer checks can find it.
    embedded: bool = True
    #: Part of a search that names no type.
    in_unfiltered_search: bool = True


_DEFAULT: Final = MemoryType()
_NAMED: Final = {
    "reflection": MemoryType(in_unfiltered_search=False),
    "episodic": MemoryType(embedded=False, in_unfiltered_search=False),
    "profile": MemoryType(embedded=False, in_unfiltered_search=False),
}


def type_of(name: str) -> MemoryType:
    """How rows of that type are kept; any name without an entry is an ordinary one."""
    return _NAMED.get(name, _DEFAULT)


def parse_memory_type(value: object) -> str:
    """A memory type's name.

    Raises:
        InvalidRequest: it is empty, too long or no string.
    """
    return checked_name(value, field="memory_type")


def unsearched_types() -> tuple[str, ...]:
    """The types that a search which names none leaves out."""
    return tuple(n for n, kind in _NAMED.items() if not kind.in_unfiltered_search)
