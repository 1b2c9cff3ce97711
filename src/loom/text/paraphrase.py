"""Whether two texts are one statement in other words, as far as words show it.

Beyond articles and spelling, which `same_words` forgives: a verb that goes on or is plain
(`is playing`, `plays`), words of one meaning (`bike`, `bicycle`), a preposition of place
for a like one (`in the rain`, `through the rain`), a participle for its sentence (`a fox
running`, `a fox is running`), a compound in one word or two, a phrase put first. One side
may also add words to what the other says; how many is counted, for the judge to weigh.

What may not differ is all else: values, denials, names, modal verbs, tense, number of
things, who does it to whom (R-34), nor may a word come in that turns what is said
(`plans to`, `almost`) or that joins another thing to it (`and`, `or`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import zip_longest
from typing import Final

from attrs import frozen

from loom.text.lemmas import Form, form_of, lemma_stem
from loom.text.reading import Reading, Word
from loom.text.synonyms import meaning_of

__all__ = ["Additions", "additions"]

#: Content words that the first and the second text add.
Additions = tuple[int, int]

#: They only hold a sentence together: a text with and one without them say the same.
_GLUE: Final = frozenset(
    (
        "is are am 's 're 'm being there who that which just actually simply quite"
        " currently"
    ).split()
)
#: Contractions of a pronoun and `is`, which `'s` alone does not show.
_WITH_IS: Final = {
    f"{word}'s": word for word in "it he she that there what who here where".split()
}
_PLAIN_FORMS: Final = {"does": "do", "doing": "do", "has": "have", "having": "have"}
#: Prepositions of place that are taken for each other before what they place.
_PLACE: Final = frozenset(
    "in on at into onto upon across through along within inside over".split()
)
_PLACED: Final = "@"
#: What a preposition of place does not stand before: there it is part of the verb, or all
#: that is said (`the light is on`).
_NOT_PLACED: Final = _PLACE | frozenset("to off out up down and or but if when".split())
_PAST_BEING: Final = frozenset("was were been".split())
#: Begins a phrase that may stand elsewhere in the sentence.
_OPENS_PHRASE: Final = frozenset({_PLACED, "with", "from", "for", "after", "before"})
#: Groups of things that say no more than the things: `a slice of bread`.
_PARTS: Final = frozenset("slice piece group set bunch pair".split())
#: Forms of one word that may stand for each other, beside equal ones.
_LIKE_FORMS: Final = (
    frozenset({Form.ING, Form.S}),
    frozenset({Form.ING, Form.PLAIN}),
)
#: Function words that may come in with what is added.
_MAY_COME_IN: Final = frozenset(
    f"{_PLACED} of to for with from by as his her its their some any".split()
)
#: Words that turn what a sentence says, so that it says another thing with them.
_TURNING: Final = (
    "plan want try attempt hope wish intend consider almost nearly former fake suppose"
    " supposedly allege allegedly claim say think believe suspect fear threaten promise offer"
    " agree fail refuse pretend maybe perhaps possible possibly probably likely unlikely"
    " potential propose expect first last next previous new old ex more less most least many"
    " few half part partly except instead rather until before after than like stop start begin"
    " end finish cancel delay postpone another different second later earlier usually often"
    " sometimes rarely always draft test staging production development outside without never"
    " against unless although though virtual virtually would-be soon yet already again"
)
#: Meanings of verbs that say no more of a place than `is`.
_POSTURES: Final = frozenset({"stand", "sit", "lie", "locat", "situat"})
#: Verbs whose preposition is a part of them: `turn on` is not `turn in`.
_PHRASAL: Final = frozenset(
    (
        "turn take put get look check log bring give hold keep set pick call break carry"
        " hand sign work pass come"
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
    if one.marks != two.marks or one.asks != two.asks or _lack_each(one, two):
        return None
    first, second = _units(one), _units(two)
    if min(len(first), len(second)) < _LEAST:
        return None
    if _places(first) != _places(second) and _contents(first) == _contents(second):
        first, second = _without_places(first), _without_places(second)
    if len(first) > len(second):
        added = _least_added(second, first)
        return None if added is None else (added, 0)
    added = _least_added(first, second)
    return None if added is None else (0, added)


def _lack_each(one: Reading, two: Reading) -> bool:
    """Whether each has content that the other lacks, or one has too much: a quick look."""
    first = one.meanings - two.meanings - _silent()
    second = two.meanings - one.meanings - _silent()
    return bool(first and second) or len(first) + len(second) > _MOST_ADDED


@cache
def _silent() -> frozenset[str]:
    return frozenset(map(lemma_stem, _GLUE | _PARTS))


@cache
def _turning() -> frozenset[str]:
    return frozenset(meaning_of(lemma_stem(word)) for word in _TURNING.split())


def _least_added(shorter: Sequence[_Unit], longer: Sequence[_Unit]) -> int | None:
    added = _added(shorter, longer)
    if added is None:
        for turned in _turned(shorter, longer):
            if _added(turned, longer) == 0:
                return 0
    return added


def _turned(units: Sequence[_Unit], longer: Sequence[_Unit]) -> Iterator[Sequence[_Unit]]:
    """The same words in an order that says the same, if there are as many.

    `red and blue` for `blue and red`; a phrase put first, or a phrase put last.
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
    added = _comes_in(shorter, longer, exactly=False)
    if added is not None and any(longer[place].has_content for place in added):
        added = _comes_in(shorter, longer, exactly=True)
    if added is None or _adds_a_head(longer, added):
        return None
    count = sum(longer[place].has_content for place in added)
    return count if count <= _MOST_ADDED else None


def _comes_in(
    shorter: Sequence[_Unit], longer: Sequence[_Unit], *, exactly: bool
) -> list[int] | None:
    """Where the longer has what the shorter lacks; None if it may not come in there."""
    at = 0
    added: list[int] = []
    for place, unit in enumerate(longer):
        if at < len(shorter) and _alike(shorter[at], unit, exactly=exactly):
            at += 1
        elif not _may_come_in(longer, place):
            return None
        else:
            added.append(place)
    return added if at == len(shorter) else None


def _adds_a_head(units: Sequence[_Unit], added: Sequence[int]) -> bool:
    """Whether a thing comes in of which the rest now tells: `the lid of` the box."""
    return any(
        units[place].has_content and place + 1 in added and not units[place + 1].has_content
        for place in added
    )


def _alike(a: _Unit, b: _Unit, *, exactly: bool) -> bool:
    """Whether two units say the same; beside words that come in, `cut` is not `cutting`."""
    if a.meaning != b.meaning:
        return False
    forms = frozenset({a.form, b.form})
    return len(forms) == 1 or forms in (_LIKE_FORMS[:1] if exactly else _LIKE_FORMS)


def _may_come_in(units: Sequence[_Unit], at: int) -> bool:
    """Whether a unit may be added: no verb form, nothing joined, nothing that turns."""
    unit = units[at]
    if not unit.has_content:
        return unit.meaning in _MAY_COME_IN
    joined = any(near.meaning in {"and", "or"} for near in units[max(0, at - 1) : at + 2])
    says_what_is = unit.form in {Form.PLAIN, Form.S} or unit.meaning in _POSTURES
    return says_what_is and not joined and unit.meaning not in _turning()


def _places(units: Sequence[_Unit]) -> int:
    return sum(unit.meaning == _PLACED for unit in units)


def _contents(units: Sequence[_Unit]) -> int:
    return sum(unit.has_content for unit in units)


def _without_places(units: Sequence[_Unit]) -> tuple[_Unit, ...]:
    return tuple(unit for unit in units if unit.meaning != _PLACED)


# ----------------------------------------------------------------------------- the units


def _units(reading: Reading) -> tuple[_Unit, ...]:
    words = reading.told
    units = [(word, unit) for word, unit in _placed_units(words) if unit is not None]
    return _active([word for word, _ in units], [unit for _, unit in units])


def _placed_units(words: tuple[Word, ...]) -> Iterator[tuple[Word, _Unit | None]]:
    before = None
    for word, following in zip_longest(words, words[1:]):
        silent = _is_silent(before, word, following)
        yield word, None if silent else _unit(before, word, following)
        before = word


def _unit(before: Word | None, word: Word, following: Word | None) -> _Unit:
    key = _WITH_IS.get(word.key, word.key)
    if key in _PLACE and following is not None and following.key not in _NOT_PLACED:
        is_of_verb = before is not None and before.stem in _PHRASAL
        return _Unit(key if is_of_verb else _PLACED)
    if not word.has_content:
        return _Unit(_PLAIN_FORMS.get(key, key))
    meaning = word.stem if word.is_name else meaning_of(word.stem)
    return _Unit(meaning, form_of(key), has_content=not word.is_name)


def _is_silent(before: Word | None, word: Word, following: Word | None) -> bool:
    if _WITH_IS.get(word.key, word.key) in _GLUE:
        return True
    if word.key == "up":  # `chops up the wood`, but `the site is up`
        return before is not None and before.has_content and following is not None
    if word.key in _PARTS:
        return following is not None and following.key == "of"
    return word.key == "of" and before is not None and before.key in _PARTS


def _active(words: Sequence[Word], units: Sequence[_Unit]) -> tuple[_Unit, ...]:
    """`The bell is rung by Ana` as `Ana rings the bell`; anything else as it is.

    In the past it stays as it is: there the tense lies in the verb that would go.
    """
    for at in range(2, len(units) - 1):
        verb = units[at - 1]
        if words[at].key == "by" and verb.form is Form.PAST and verb.has_content:
            if any(unit.meaning in _PAST_BEING for unit in units[:at]):
                break
            acts = _Unit(verb.meaning, Form.ING, has_content=True)
            return (*units[at + 1 :], acts, *units[: at - 1])
    return tuple(units)
