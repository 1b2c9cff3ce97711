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

from loom.model.json_values import Json
from loom.model.thresholds import Thresholds
from loom.policies.facts import Claim
from loom.text.predicates import Rival, rival
from loom.text.statements import Comparison, compare, share_specifics, share_words

__all__ = [
    "CosineJudge",
    "EvidenceJudge",
    "Judge",
    "Relation",
    "Relations",
    "Skims",
]


#: The note of a relation between two bare values of one key.
SAME_KEY: Final = "another value under the same key"
#: The note of a conflict between texts that have little else in common.
FROM_AFAR: Final = "the texts are not much alike otherwise"


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
    #: The slot that both fill and that has one filling at a time.
    rival: Rival | None = None
    #: The parts that spoke, by short stable names: `canonical`, `bare`, `cosine`, `words`,
    #: `paraphrase`, `names`, `template`, `predicate:<family>`, and those of
    #: `loom.text.contradictions`.
    parts: tuple[str, ...] = ()

    @property
    def replaces(self) -> bool:
        """Whether the newer can take the place of the older: they fill one place otherwise.

        Texts that are not much alike otherwise may be of two things, so both are kept.
        """
        if self.kind is not Relations.CONFLICT or self.note == FROM_AFAR:
            return False
        if self.note == SAME_KEY or self.rival is not None:
            return True
        return self.found is not None and self.found.contradicts

    @property
    def reasons(self) -> tuple[str, ...]:
        """Plain phrases: the number and its threshold, then what differs."""
        said = [_frame(self.similarity, self.thresholds)]
        if self.rival is not None:
            said.append(f"two fillings of one slot: {self.rival.reason}")
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


@runtime_checkable
class Skims(Protocol):
    """A judge that can tell at a glance that it would find two texts apart.

    Whatever it passes over is not gathered: a write beside many rows that are merely alike
    is spared reading them. What is found by its key, its canonical form or a slot is
    always gathered.
    """

    def worth_reading(
        self, new: Claim, value: Json, similarity: float, thresholds: Thresholds, /
    ) -> bool:
        """Whether `relate` might find anything but apart, of a value under another key."""
        ...


def _settled(new: Claim, old: Claim, similarity: float) -> Relation | None:
    """What both judges agree on: canonical matches and bare values (R-12, R-34)."""
    same_key = new.memory_key == old.memory_key
    bare = new.bare or old.bare
    if new.canonical_sha256 == old.canonical_sha256:
        if not bare or same_key:
            kind, part, note = Relations.CANONICAL, "canonical", "same canonical form"
        else:
            kind, part, note = Relations.APART, "bare", _BARE
    elif not bare:
        return None
    elif same_key:
        kind, part, note = Relations.CONFLICT, "bare", SAME_KEY
    else:
        kind, part, note = Relations.APART, "bare", _BARE
    return Relation(kind=kind, similarity=similarity, note=note, parts=(part,))


_BARE: Final = "a bare value means what its key says"


#: Contradictions so specific that they count among texts that are not much alike.
_FAR_PARTS: Final = frozenset({"measure", "never"})


@frozen(kw_only=True, slots=True)
class EvidenceJudge:
    """Lets the words decide within the frame that similarity gives.

    Two statements that fill one slot differently are in conflict whatever the frame.

    Attributes:
        reach: how far below the conflict threshold a contradiction that the words show
            still counts (cosine).
        far_reach: the same where the contradiction itself says what both are about:
            another measure of one thing, a denial of all of a kind.
        restate_reach: how far below the duplicate threshold, but never below the conflict
            threshold, a restatement that the words show still counts as the same (cosine).
        most_left_out: content words of the older text that a restatement of it may leave
            out. It may bring in one at or above the duplicate threshold, below it none.
    """

    reach: float = 0.25
    far_reach: float = 0.4
    restate_reach: float = 0.2
    most_left_out: int = 2

    def floor(self, thresholds: Thresholds) -> float:
        """The conflict threshold less the far reach."""
        return max(0.0, thresholds.conflict - max(self.reach, self.far_reach))

    def worth_reading(
        self, new: Claim, value: Json, similarity: float, thresholds: Thresholds
    ) -> bool:
        """As `Skims.worth_reading`: texts that are close, or have words in common."""
        if new.bare or not isinstance(value, str):
            return False
        if similarity >= thresholds.conflict:
            return True
        if similarity < thresholds.conflict - self.reach:
            return share_specifics(new.text, value)
        return share_words(new.text, value)

    def relate(
        self, new: Claim, old: Claim, similarity: float, thresholds: Thresholds
    ) -> Relation:
        """Same, conflict, compatible or apart, with the evidence."""
        settled = _settled(new, old, similarity)
        if settled is not None:
            return settled
        fills = _rival(new, old)
        if fills is not None:
            return Relation(
                kind=Relations.CONFLICT,
                similarity=similarity,
                thresholds=thresholds,
                found=compare(new.text, old.text),
                rival=fills,
                parts=(_part_of(fills),),
            )
        if similarity < thresholds.conflict:
            far = similarity < self.floor(thresholds)
            if far or not share_words(new.text, old.text):
                return Relation(
                    kind=Relations.APART,
                    similarity=similarity,
                    thresholds=thresholds,
                    note="" if far else "few words in common",
                    parts=("cosine",) if far else ("words",),
                )
        found = compare(new.text, old.text)
        kind, parts = self._weigh(found, similarity, thresholds)
        is_afar = similarity < thresholds.conflict - self.reach
        return Relation(
            kind=kind,
            similarity=similarity,
            thresholds=thresholds,
            note=FROM_AFAR if is_afar and kind is Relations.CONFLICT else "",
            found=found,
            parts=parts,
        )

    def _weigh(
        self, found: Comparison, similarity: float, thresholds: Thresholds
    ) -> tuple[Relations, tuple[str, ...]]:
        """The kind, and the parts that spoke for it."""
        if parts := self._one(found, similarity, thresholds):
            return Relations.SAME, parts
        if parts := self._within_reach(found, similarity, thresholds):
            return Relations.CONFLICT, parts
        if similarity < thresholds.conflict:
            return Relations.APART, ("cosine",)
        if parts := _said_otherwise(found):
            return Relations.CONFLICT, parts
        restates = ("paraphrase",) if found.restates else ()
        return Relations.COMPATIBLE, (*restates, "cosine")

    def _one(
        self, found: Comparison, similarity: float, thresholds: Thresholds
    ) -> tuple[str, ...]:
        """Whether the old text answers for the new one: it says as much or more."""
        is_close = similarity >= thresholds.duplicate
        if is_close and found.may_be_one:
            return ("words", "cosine")
        least = max(thresholds.conflict, thresholds.duplicate - self.restate_reach)
        if found.added is None or not found.restates or similarity < least:
            return ()
        brought_in, left_out = found.added
        answers = brought_in <= is_close and left_out <= self.most_left_out
        return ("paraphrase", "cosine") if answers else ()

    def _within_reach(
        self, found: Comparison, similarity: float, thresholds: Thresholds
    ) -> tuple[str, ...]:
        if similarity >= thresholds.conflict - self.reach:
            return found.shown
        return tuple(part for part in found.shown if part in _FAR_PARTS)


def _said_otherwise(found: Comparison) -> tuple[str, ...]:
    """What differs on both sides of two texts about one thing, if anything.

    Where only one side has it, that side may tell more, or tell it of somebody else.
    """
    if found.other_subject:
        return ()
    if all(found.values):
        return ("values", "cosine")
    return ("template", "names", "cosine") if found.template and all(found.names) else ()


def _rival(new: Claim, old: Claim) -> Rival | None:
    """The slot both fill differently; most texts fill none in common."""
    if not any(slot in old.slots for slot in new.slots):
        return None
    return rival(new.text, old.text)


def _part_of(fills: Rival) -> str:
    """`predicate:residence`, of a slot `user|residence|`."""
    return "predicate:" + fills.slot.split("|")[-2]


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
        parts: tuple[str, ...] = ("cosine",)
        if similarity >= thresholds.conflict:
            found = compare(new.text, old.text)
            one = similarity >= thresholds.duplicate and found.may_be_one
            kind = Relations.SAME if one else Relations.CONFLICT
            parts = ("words", "cosine") if one else ("cosine",)
        return Relation(
            kind=kind,
            similarity=similarity,
            thresholds=thresholds,
            found=found,
            parts=parts,
        )


def _frame(similarity: float, thresholds: Thresholds | None) -> str:
    if thresholds is None:
        return f"cosine {similarity:.3f}"
    source = thresholds.conflict_source
    if similarity >= thresholds.duplicate:
        place = f"at or above the duplicate threshold {thresholds.duplicate:.3f}"
        source = thresholds.duplicate_source
    elif similarity >= thresholds.conflict:
        place = f"at or above the conflict threshold {thresholds.conflict:.3f}"
    else:
        place = f"below the conflict threshold {thresholds.conflict:.3f}"
    return f"cosine {similarity:.3f}, {place} ({source})"
