"""Whether two statements give one measure two values: a count, a share, a date, a price.

`The library holds 45 sources` and `I have 52 sources in the library now` have few words in
common, yet both tell how many sources there are. What is measured is told by the value's
kind and unit, the noun counted and the words around; that it moved, by words of change
(`now`, `increased to`, `was moved to`). Without a word of change the words around must
agree more, since two races may well be of different length.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import takewhile
from typing import Final

from attrs import frozen

from loom.text.lemmas import Form, form_of, lemma_stem
from loom.text.reading import Reading, Word

__all__ = ["is_of_change", "may_be_one_date", "measures_otherwise"]

#: Kinds of values that measure something, and whether they tell when.
_MEASURING: Final = frozenset("number quantity percent amount version".split())
_DATING: Final = frozenset("date month weekday time".split())

#: Words that say that something is no longer as it was.
_CHANGE: Final = (
    "now currently recently updated update latest new newly current total anymore instead"
    " increased increase grew grown grow reached reach raised raise risen rise improved improve"
    " decreased decrease dropped drop reduced reduce lowered lower fell fall shrunk cut"
    " moved move rescheduled reschedule postponed postpone delayed delay extended extend"
    " shifted shift changed change adjusted adjust revised revise switched switch upgraded"
    " upgrade bumped bump downgraded expanded expand doubled tripled corrected correct pushed"
    " brought longer already further actually surpassed exceeded recent"
)
#: Stems that say nothing of what is measured.
_EMPTY: Final = (
    "get try want need make sure work think feel know help plan start look go take use include"
    " kinda really bit lot today yesterday tomorrow week month year day time around least about"
    " set have still good first final last daily weekly overall per total average approximately"
    " additional extra more bring keep allow accommodate reflect fit better align reflecting"
)
#: Words behind a number that are part of what is counted, at most.
_LONGEST_NOUN: Final = 3
#: Content words around a value without which it is not told what is measured.
_LEAST_AROUND: Final = 3
#: Of the words around the one value, the share that the other text has: with a word of
#: change, and without.
_ENOUGH_CHANGED: Final = 0.5
_ENOUGH: Final = 0.75
_LEAST_SHARED: Final = 2
_LEAST_SHARED_UNCHANGED: Final = 3


@frozen(slots=True)
class _Measure:
    """A stated value and what it is of."""

    kind: str
    #: Of a quantity its unit, of an amount its currency.
    unit: str
    key: str
    #: Stems of the noun behind a number; empty where none stands there.
    noun: tuple[str, ...]
    #: Stems of the words around that tell what is measured.
    around: frozenset[str]


_Measures = tuple[_Measure, ...]


def measures_otherwise(one: Reading, two: Reading) -> bool:
    """Whether one measure has a value in the one text and another in the other."""
    if not one.values or not two.values:
        return False
    first, second = tuple(_measures(one)), tuple(_measures(two))
    if not first or not second:
        return False
    changed = _tells_change(one), _tells_change(two)
    dated = _has_date_of_its_own(first, second) and _has_date_of_its_own(second, first)
    return any(
        _is_of_one(a, b, one, two, changed=any(changed), dated=dated)
        for a, b in _others(first, second, changed)
    )


def _has_date_of_its_own(measures: _Measures, others: _Measures) -> bool:
    keys = {m.key for m in others}
    return any(m.kind in _DATING and m.key not in keys for m in measures)


def _others(
    first: _Measures, second: _Measures, changed: tuple[bool, bool]
) -> Iterator[tuple[_Measure, _Measure]]:
    """Pairs of other values of one kind and unit.

    Where a value of the kind is in both texts they agree on it, and what else they state
    is of something else; but the text of a change may repeat the old value.
    """
    for kind in {(m.kind, m.unit) for m in first} & {(m.kind, m.unit) for m in second}:
        one = {m.key for m in first if (m.kind, m.unit) == kind}
        two = {m.key for m in second if (m.kind, m.unit) == kind}
        repeats = (one < two and changed[1]) or (two < one and changed[0])
        if one & two and not repeats:
            continue
        for a in first:
            for b in second:
                if a.key in one and b.key in two and _is_other(a, b):
                    yield a, b


def may_be_one_date(one: str, other: str) -> bool:
    """Whether one date is the other with its year or its day left out.

    >>> may_be_one_date("2023-05-07", "????-05-07"), may_be_one_date("2023-05", "2024-05")
    (True, False)
    """
    parts = zip(one.split("-"), other.split("-"), strict=False)
    return all(a == b or a.endswith("????") or b.endswith("????") for a, b in parts)


def _is_other(a: _Measure, b: _Measure) -> bool:
    return a.key != b.key and not (a.kind == "date" and may_be_one_date(a.key, b.key))


def _is_of_one(
    a: _Measure, b: _Measure, one: Reading, two: Reading, *, changed: bool, dated: bool
) -> bool:
    """Whether both are of one thing: the noun counted, and the words around."""
    if a.kind == "number" and not _counts_one_noun(a, b):
        return False
    if not changed and (dated or a.kind in _DATING):
        return False  # another day may well be of another event
    least, enough = (
        (_LEAST_SHARED, _ENOUGH_CHANGED) if changed else (_LEAST_SHARED_UNCHANGED, _ENOUGH)
    )
    return any(
        len(shared) >= least and len(shared) >= enough * len(around)
        for around, others in ((a.around, two.stems), (b.around, one.stems))
        for shared in (around & others,)
    )


def _counts_one_noun(a: _Measure, b: _Measure) -> bool:
    """`12 area problems` and `15 problems`, but not `15 grammar problems`; `reached 15`."""
    first, second = frozenset(a.noun), frozenset(b.noun)
    if not first and not second:
        return True
    if not first or not second:
        return bool(first & b.around or second & a.around)
    shared = first & second
    return bool(shared) and shared in {first, second}


# -------------------------------------------------------------------------- the measures


def _measures(reading: Reading) -> Iterator[_Measure]:
    words = reading.words
    for at, word in enumerate(words):
        kind, _, content = word.key.partition(":")
        if word.is_value and kind in _MEASURING | _DATING:
            has_unit = kind in {"quantity", "amount"}
            yield _Measure(
                kind=kind,
                unit=content.rpartition(" ")[2] if has_unit else "",
                key=word.key,
                noun=_noun_behind(words, at) if kind == "number" else (),
                around=_around(words, at),
            )


def _noun_behind(words: tuple[Word, ...], at: int) -> tuple[str, ...]:
    """The content words that follow at once, up to a verb form."""
    clause = words[at].clause
    behind = takewhile(
        lambda w: w.has_content and w.clause == clause,
        words[at + 1 : at + 1 + _LONGEST_NOUN],
    )
    nouns: list[str] = []
    for word in behind:
        if nouns and form_of(word.key) in {Form.ING, Form.PAST}:
            break
        nouns.append(word.stem)
    return tuple(nouns)


def _around(words: tuple[Word, ...], at: int) -> frozenset[str]:
    """What the clause of a value tells; while that is too little, the clauses around too."""
    found: set[str] = set()
    own = words[at].clause
    for clause in (*range(own, -1, -1), *range(own + 1, words[-1].clause + 1)):
        found |= {w.stem for w in words if w.clause == clause and _tells(w)}
        if len(found) >= _LEAST_AROUND:
            break
    return frozenset(found)


def _tells(word: Word) -> bool:
    return word.has_content and word.stem not in _change() and word.stem not in _empty()


def is_of_change(stem: str) -> bool:
    """Whether a stem is of a word that says that something is no longer as it was."""
    return stem in _change()


def _tells_change(reading: Reading) -> bool:
    return not _change().isdisjoint(reading.stems)


@cache
def _change() -> frozenset[str]:
    return frozenset(map(lemma_stem, _CHANGE.split()))


@cache
def _empty() -> frozenset[str]:
    return frozenset(map(lemma_stem, _EMPTY.split()))
