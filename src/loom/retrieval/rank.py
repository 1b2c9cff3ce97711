"""What moves a row among those that answer: tags the caller would like, or would not.

Terms are shares of the fused score, so they are bounded. Among rows that the same legs
found, one liked tag is worth six places near the top and any number of them less than
thirteen; one unliked tag is worth sixty. They are laid on after the gate and before the
cut, so none lets a row in or throws one out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from attrs import frozen

from loom.model.readable import Readable
from loom.retrieval.fuse import Fused

__all__ = ["DEMOTION", "MOST_BOOST", "Ranked", "TagPreference", "Term"]

#: The most that liked tags add, as a share of the fused score; exclusive. The first adds
#: half of it, and each further one half of what is left.
MOST_BOOST: Final = 0.2
#: What unliked tags take off, as a share of the fused score, however many there are: a row
#: that both legs put first counts like one that a single leg did.
DEMOTION: Final = 0.5


@frozen(kw_only=True, slots=True)
class Term(Readable):
    """What moved a row, beside the legs."""

    #: As in `score_components`: `tags_soft` or `demote_tags`.
    name: str
    #: What it adds to the score; negative where it sinks.
    contribution: float
    #: The tags of the row that it is for.
    tags: tuple[str, ...]


@frozen(kw_only=True, slots=True, hash=False)
class Ranked:
    """A fused row with the terms that moved it."""

    fused: Fused
    terms: tuple[Term, ...] = ()

    @property
    def score(self) -> float:
        """The legs' contributions and the terms' together."""
        return self.fused.score + sum(term.contribution for term in self.terms)


@frozen(kw_only=True, slots=True)
class TagPreference:
    """Tags that a search likes and dislikes, each exactly as written."""

    soft: tuple[str, ...] = ()
    demoted: tuple[str, ...] = ()

    def rank(self, found: Iterable[Fused]) -> tuple[Ranked, ...]:
        """The rows, best first; equal scores by version, newest first, then id (R-51)."""
        ranked = [Ranked(fused=one, terms=self._terms(one)) for one in found]
        if any(one.terms for one in ranked):
            ranked.sort(key=_place)
        return tuple(ranked)

    def _terms(self, fused: Fused) -> tuple[Term, ...]:
        liked = _shared(self.soft, fused.row.tags)
        unliked = _shared(self.demoted, fused.row.tags)
        shares = (
            ("tags_soft", MOST_BOOST * (1 - 0.5 ** len(liked)), liked),
            ("demote_tags", -DEMOTION if unliked else 0.0, unliked),
        )
        return tuple(
            Term(name=name, contribution=share * fused.score, tags=tags)
            for name, share, tags in shares
            if tags
        )


def _shared(wanted: Sequence[str], tags: Sequence[str]) -> tuple[str, ...]:
    return tuple(tag for tag in wanted if tag in tags)


def _place(one: Ranked) -> tuple[float, int, str]:
    row = one.fused.row
    return (-one.score, -row.version, row.memory_id)
