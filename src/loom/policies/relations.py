"""What one claim is to another, by similarity and by what the words show (R-33).

A cosine says that two texts are about one thing, not whether they agree: "16 GB" and
"64 GB" lie closer than most paraphrases. The evidence judge therefore asks the words what
differs and takes the cosine as the frame. The cosine judge is the plain reading of the
source page, one setting away: `loom.open(..., judge=CosineJudge())`.

A judge runs while the write lock is held, so it must be pure and quick.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Protocol, runtime_checkable

from attrs import frozen

from loom.model.thresholds import Thresholds
from loom.policies.facts import Claim
from loom.text.statements import Comparison, compare, share_words

__all__ = ["CosineJudge", "EvidenceJudge", "Judge", "Relation", "Relations"]


class Relations(StrEnum):
    """The ways two claims can stand to each other."""

    #: One says what the other says: same canonical form.
    CANONICAL = "canonical"
    #: Near-identical, and nothing in them differs.
    SAME = "same"
    #: About one thing, and they say otherwise.
    CONFLICT = "conflict"
    #: About one thing, and both can be true.
    COMPATIBLE = "compatible"
    #: Not about one thing.
    APART = "apart"


@frozen(kw_only=True, slots=True)
class Relation:
    """A finding and what it rests on; put into words only where it is shown."""

    kind: Relations
    #: Cosine.
    similarity: float
    #: What it was measured against; None where the numbers did not matter.
    thresholds: Thresholds | None = None
    #: A reason of another sort, in a plain phrase.
    note: str = ""
    #: What the words showed, where they were compared.
    found: Comparison | None = None

    @property
    def reasons(self) -> tuple[str, ...]:
        """Plain phrases: the number and its threshold, then what differs."""
        said = [_frame(self.similarity, self.thresholds)]
        if self.note:
            said.append(self.note)
        return tuple(said) if self.found is None else (*said, *self.found.reasons())


@runtime_checkable
class Judge(Protocol):
    """Says what two claims are to each other."""

    def floor(self, thresholds: Thresholds, /) -> float:
        """The cosine below which peers need not be gathered."""
        ...

    def relate(
        self, new: Claim, old: Claim, similarity: float, thresholds: Thresholds, /
    ) -> Relation:
        """What the new claim is to the old one."""
        ...


def _settled(new: Claim, old: Claim, similarity: float) -> Relation | None:
    """What both judges agree on: canonical matches and bare values (R-12, R-34)."""
    same_key = new.memory_key == old.memory_key
    bare = new.bare or old.bare
    if new.canonical_sha256 == old.canonical_sha256:
        if not bare or same_key:
            kind, note = Relations.CANONICAL, "same canonical form"
        else:
            kind, note = Relations.APART, _BARE
    elif not bare:
        return None
    elif same_key:
        kind, note = Relations.CONFLICT, "another value under the same key"
    else:
        kind, note = Relations.APART, _BARE
    return Relation(kind=kind, similarity=similarity, note=note)


_BARE: Final = "a bare value means what its key says"


@frozen(kw_only=True, slots=True)
class EvidenceJudge:
    """Lets the words decide within the frame that similarity gives.

    Attributes:
        reach: how far below the conflict threshold a contradiction that the words show
            still counts (cosine).
    """

    reach: float = 0.2

    def floor(self, thresholds: Thresholds) -> float:
        """The conflict threshold less the reach."""
        return max(0.0, thresholds.conflict - self.reach)

    def relate(
        self, new: Claim, old: Claim, similarity: float, thresholds: Thresholds
    ) -> Relation:
        """Same, conflict, compatible or apart, with the evidence."""
        settled = _settled(new, old, similarity)
        if settled is not None:
            return settled
        if similarity < thresholds.conflict and not share_words(new.text, old.text):
            return Relation(
                kind=Relations.APART,
                similarity=similarity,
                thresholds=thresholds,
                note="few words in common",
            )
        found = compare(new.text, old.text)
        return Relation(
            kind=self._weigh(found, similarity, thresholds),
            similarity=similarity,
            thresholds=thresholds,
            found=found,
        )

    def _weigh(
        self, found: Comparison, similarity: float, thresholds: Thresholds
    ) -> Relations:
        if similarity >= thresholds.duplicate and found.may_be_one:
            return Relations.SAME
        if found.contradicts and similarity >= self.floor(thresholds):
            return Relations.CONFLICT
        if similarity < thresholds.conflict:
            return Relations.APART
        # One side may tell more than the other, or tell it of somebody else.
        otherwise = all(found.values) or (found.template and all(found.names))
        otherwise = otherwise and not found.other_subject
        return Relations.CONFLICT if otherwise else Relations.COMPATIBLE


@frozen(slots=True)
class CosineJudge:
    """The two thresholds alone, as the source page words it."""

    def floor(self, thresholds: Thresholds) -> float:
        """The conflict threshold."""
        return thresholds.conflict

    def relate(
        self, new: Claim, old: Claim, similarity: float, thresholds: Thresholds
    ) -> Relation:
        """Close and different is a conflict, whatever the words show."""
        settled = _settled(new, old, similarity)
        if settled is not None:
            return settled
        kind, found = Relations.APART, None
        if similarity >= thresholds.conflict:
            found = compare(new.text, old.text)
            one = similarity >= thresholds.duplicate and found.may_be_one
            kind = Relations.SAME if one else Relations.CONFLICT
        return Relation(
            kind=kind, similarity=similarity, thresholds=thresholds, found=found
        )


def _frame(similarity: float, thresholds: Thresholds | None) -> str:
    if thresholds is None:
        return f"cosine {similarity:.3f}"
    if similarity >= thresholds.duplicate:
        place = f"at or above the duplicate threshold {thresholds.duplicate:.3f}"
    elif similarity >= thresholds.conflict:
        place = f"at or above the conflict threshold {thresholds.conflict:.3f}"
    else:
        place = f"below the conflict threshold {thresholds.conflict:.3f}"
    return f"cosine {similarity:.3f}, {place} ({thresholds.source})"
