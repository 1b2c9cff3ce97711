"""Whether two texts are one statement in other words, as far as words show it.

Beyond articles and spelling, which `same_words` forgives: a verb that goes on or is plain
(`is playing`, `plays`), words of one meaning (`bike`, `bicycle`), a preposition of place
for a like one (`in the snow`, `through the snow`), a participle for its sentence (`a dog
running`, `a dog is running`), a compound in one word or two, a phrase put first. One side
may also add words to what the other says; how many is counted, for the judge to weigh.

What may not differ is all else: values, denials, names, modal verbs, tense, number of
things, who does it to whom (R-34), nor may a word come in that turns what is said
(`plans to`, `almost`) or that joins another thing to it (`and`, `or`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from attrs import frozen

from loom.text.lemmas import Form, form_of
from loom.text.reading import Reading, Word
from loom.text.synonyms import meaning_of

__all__ = ["Additions", "additions"]

#: Content words that the first and the second text add.
Additions = tuple[int, int]

#: They only hold a sentence together: a text with and one without them say the same.
_GLUE: Final = frozenset(
    (
        "is are am 's 're 'm being there who that which up just actually simply quite"
        " currently"
    ).split()
)
#: Contractions of a pronoun and `is`, which `'s` alone does not show.
_WITH_IS: Final = {
    f"{word}'s": word for word in "it he she that there what who here where".split()
}
_PLAIN_FORMS: Final = {"does": "do", "doing": "do", "has": "have", "having": "have"}
#: Prepositions of place that are taken for each other.
_PLACE: Final = frozenset(
    "in on at into onto upon across through along within inside over down".split()
)
_PLACED: Final = "@"
#: Begins a phrase that may stand elsewhere in the sentence.
_OPENS_PHRASE: Final = frozenset({_PLACED, "with", "from", "for", "after", "before"})
#: Groups of things that say no more than the things: `a slice of pizza`.
_PARTS: Final = frozenset("slice piece group set bunch pair".split())
#: Forms of one word that may stand for each other, beside equal ones.
_LIKE_FORMS: Final = (
    frozenset({Form.ING, Form.PLAIN}),
    frozenset({Form.ING, Form.S}),
)
#: Function words that may come in with what is added.
_MAY_COME_IN: Final = frozenset(
    f"{_PLACED} of to for with from by as his her its their my your our some any".split()
)
#: Stems that turn what a sentence says, so that it says another thing with them.
_TURNING: Final = frozenset(
    (
        "plan want tri attempt hope wish intend consid almost near former fake suppos"
        " alleg claim said say think believ suspect fear threaten promis offer agre fail"
        " refus pretend maybe perhap possibl probabl like unlik potenti propos expect"
        " first last next previous new old ex more less most least mani few half part"
        " especi except instead rather until befor after than like stop start begin end"
        " finish cancel delay postpon other anoth differ second later earlier usual some"
        " often sometim rare alway draft test stage prod product dev"
    ).split()
)
#: Fewer units than this are too few to tell; to turn a phrase to the front takes more.
_LEAST: Final = 2
_LEAST_TURNED: Final = 5
#: Content words that one text may add at all.
_MOST_ADDED: Final = 2


@frozen(slots=True)
class _Unit:
    """One word as it is compared: what it means and in which form."""

    meaning: str
    form: Form = Form.PLAIN
    has_content: bool = False


def additions(one: Reading, two: Reading) -> Additions | None:
    """How many content words each side adds to one statement; None if it is not one.

    At most one side adds any: the shorter is the longer without them, in the same order.
    """
    if one.marks != two.marks:
        return None
    first, second = tuple(_units(one)), tuple(_units(two))
    if min(len(first), len(second)) < _LEAST:
        return None
    if _places(first) != _places(second):
        first, second = _without_places(first), _without_places(second)
    if len(first) > len(second):
        added = _least_added(second, first)
        return None if added is None else (added, 0)
    added = _least_added(first, second)
    return None if added is None else (0, added)


def _least_added(shorter: Sequence[_Unit], longer: Sequence[_Unit]) -> int | None:
    added = _added(shorter, longer)
    if added is None:
        for turned in _turned(shorter, longer):
            if _added(turned, longer) == 0:
                return 0
    return added


def _turned(units: Sequence[_Unit], longer: Sequence[_Unit]) -> Iterator[Sequence[_Unit]]:
    """The same words in an order that says the same, if there are as many.

    `white and brown` for `brown and white`; a phrase put first, or a phrase put last.
    """
    if len(units) != len(longer):
        return
    for at in range(1, len(units) - 1):
        if units[at].meaning == "and":
            swapped = (units[at + 1], units[at], units[at - 1])
            yield (*units[: at - 1], *swapped, *units[at + 2 :])
    if len(units) < _LEAST_TURNED:
        return
    for at in range(1, len(units)):
        if units[at].meaning == longer[0].meaning:
            yield (*units[at:], *units[:at])
        elif units[at].meaning in _OPENS_PHRASE:
            for stop in range(at + 2, len(units)):
                yield (*units[:at], *units[stop:], *units[at:stop])


def _added(shorter: Sequence[_Unit], longer: Sequence[_Unit]) -> int | None:
    """Content words of the longer that the shorter lacks; None if more than words differ."""
    at = added = 0
    for place, unit in enumerate(longer):
        if at < len(shorter) and _alike(shorter[at], unit):
            at += 1
        elif not _may_come_in(longer, place):
            return None
        else:
            added += unit.has_content
            if added > _MOST_ADDED:
                return None
    return added if at == len(shorter) else None


def _alike(a: _Unit, b: _Unit) -> bool:
    return a.meaning == b.meaning and (
        a.form == b.form or frozenset({a.form, b.form}) in _LIKE_FORMS
    )


def _may_come_in(units: Sequence[_Unit], at: int) -> bool:
    unit = units[at]
    if not unit.has_content:
        return unit.meaning in _MAY_COME_IN
    joined = any(
        near.meaning in {"and", "or"} for near in units[max(0, at - 1) : at + 2]
    )
    return not joined and unit.meaning not in _TURNING


def _places(units: Sequence[_Unit]) -> int:
    return sum(unit.meaning == _PLACED for unit in units)


def _without_places(units: Sequence[_Unit]) -> tuple[_Unit, ...]:
    return tuple(unit for unit in units if unit.meaning != _PLACED)


# ----------------------------------------------------------------------------- the units


def _units(reading: Reading) -> Iterator[_Unit]:
    words = reading.told
    for at, word in enumerate(words):
        key = _WITH_IS.get(word.key, word.key)
        if key in _GLUE or _is_part(words, at) or (at and _is_of_part(words, at)):
            continue
        if key in _PLACE:
            yield _Unit(_PLACED)
        elif not word.has_content:
            yield _Unit(_PLAIN_FORMS.get(key, key))
        else:
            meaning = word.stem if word.is_name else meaning_of(word.stem)
            yield _Unit(meaning, form_of(key), has_content=not word.is_name)


def _is_part(words: tuple[Word, ...], at: int) -> bool:
    follows = at + 1 < len(words) and words[at + 1].key == "of"
    return follows and words[at].key in _PARTS


def _is_of_part(words: tuple[Word, ...], at: int) -> bool:
    return words[at].key == "of" and words[at - 1].key in _PARTS
