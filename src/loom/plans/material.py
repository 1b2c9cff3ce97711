"""What a plan is made of beside its draft and its facts: vectors, and what depends on rows."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from loom.model.entries import Embedded, Terms, Vector
from loom.model.memory import MemoryRow
from loom.plans.cascade import Dependent, Surroundings, Weighing

__all__ = ["Material", "Passage", "entries_for"]


@frozen(kw_only=True, slots=True)
class Passage:
    """A passage of the draft's text, embedded and tokenised before the lock."""

    ordinal: int
    start: int
    stop: int
    vector: Vector = field(eq=False, hash=False)
    terms: Terms


@frozen(kw_only=True, slots=True)
class Material:
    """What a plan is made of beside the draft and the facts."""

    passages: tuple[Passage, ...]
    space: str
    around: Surroundings
    weighing: Weighing
    #: The row itself with its peers, where it is a duplicate that is given another end.
    own: Dependent | None = None
    #: What depends on each row that the write retires, by memory id.
    leaving: Mapping[str, Surroundings] = field(factory=dict)


def entries_for(row: MemoryRow, material: Material) -> tuple[Embedded, ...]:
    """The entries of the content that a plan writes."""
    return tuple(
        Embedded(
            memory_id=row.memory_id,
            content_sha256=row.content_sha256,
            ordinal=passage.ordinal,
            start=passage.start,
            stop=passage.stop,
            space=material.space,
            vector=passage.vector,
            terms=passage.terms,
        )
        for passage in material.passages
    )
