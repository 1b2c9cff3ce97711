"""Whether two statements contradict each other, shown by their words.

Each rule names one way in which two statements cannot both hold: another value in the same
place, a denial of what the other says, opposites, `only` against more, another filling of
a slot that has one filling at a time. They ask that the rest is much the same, so an
elaboration or another fact about the same person is none; a denial of all of a kind and
another measure of one thing need less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from itertools import groupby, takewhile
from typing import Final

from attrs import frozen

from loom.text.lemmas import Form, form_of
from loom.text.measures import may_be_one_date, measures_otherwise
from loom.text.opposites import opposed_kinds
from loom.text.reading import Reading, Word
from loom.text.synonyms import broader, meaning_of
from loom.text.values import StatedValue

__all__ = [
    "Difference",
    "Slot",
    "contradictions",
    "names_another_subject",
    "tells_of_another_thing",
]

#: Share of the content words of the longer text that both must have.
_MUCH_THE_SAME: Final = 0.5
#: The same where a denial is of one word alone, which may turn up anywhere.
_NEARLY_THE_SAME: Final = 0.75
#: Share of what a clause denies that the other text must say.
_DENIED_ENOUGH: Final = 0.75

#: Values that say which thing is meant rather than something about it.
_NAMING: Final = frozenset({"identifier", "ordinal", "url", "email"})
_DATING: Final = frozenset({"date", "month", "weekday"})
#: Words behind which a subject has one value at a time.
_SINGLE_VALUED: Final = frozenset(
    (
        "is are was were equals prefers prefer lives live located based works named called"
        " set costs cost favorite favourite defaults default born assigned scheduled owner"
        " owned led leads chose chosen picked selected reports"
    ).split()
)
_BEING: Final = frozenset("is are was were am be been".split())
_NUMBERING: Final = frozenset("number no nr".split())
#: Words of a denial of all of a kind that the other text must have, and their share.
_LEAST_OF_KIND: Final = 2
_KIND_ENOUGH: Final = 0.6
_OF_ALL: Final = frozenset("any ever anything anywhere".split())
_OR: Final = frozenset("or nor".split())
_SELF: Final = frozenset("i my me mine".split())
#: `no one`, `somebody`: whoever it is, it adds nothing to what is said.
_ONE: Final = "number:1"
_ANYBODY: Final = frozenset({"person"})
#: Words among which the auxiliary of a statement that begins with its subject stands.
_LONGEST_THING: Final = 7
_AUXILIARIES: Final = frozenset(
    "is are was were has have had will would can could does do did should must".split()
)
#: Words that only say that something is counted.
_COUNTS: Final = frozenset("number count total amount rate value size".split())
#: Words before a slot among which one must be of those.
_NEAR: Final = 3
#: Content words without which a denial of everything is no statement.
_LEAST_CONTENT: Final = 3


@frozen(slots=True)
class Slot:
    """The one passage in which two texts of one pattern differ (word positions)."""

    start: int
    stop_a: int
    stop_b: int


@frozen(kw_only=True, slots=True)
class Difference:
    """In what two readings differ; pairs are first text, second text."""

    values: tuple[tuple[StatedValue, ...], tuple[StatedValue, ...]]
    #: Pairs of stems that exclude each other.
    opposed: frozenset[tuple[str, str]]
    negated: bool
    slot: Slot | None
    #: They begin by naming different things: nothing one says is of the other.
    other_subject: bool
    #: What each tells of is not in the other: a value of the one is not of the other.
    other_thing: bool
    #: They tell of different things, times or ways beside their values.
    qualified: bool


def contradictions(one: Reading, two: Reading, difference: Difference) -> tuple[str, ...]:
    """By what the two cannot both hold, as far as words show it; empty if they can.

    The names are stable: `values`, `antonym`, `negation`, `only`, `template`, `order`,
    `measure`, `never`.
    """
    if difference.other_subject:
        return ()
    return tuple(dict.fromkeys(_shown(one, two, difference)))


def _shown(one: Reading, two: Reading, difference: Difference) -> Iterator[str]:
    shared = _shared(one, two, difference.opposed)
    if shared >= _MUCH_THE_SAME:
        least_denied = 1 if shared >= _NEARLY_THE_SAME else 2
        apart = difference.other_thing or difference.qualified
        if not apart and _other_value(difference):
            yield "values"
        yield from _opposite_or_denied(one, two, difference, least_denied)
        if _excludes(one, difference.values[1]) or _excludes(two, difference.values[0]):
            yield "only"
        if _other_filling(one, two, difference):
            yield "template"
        if _values_exchanged(one, two, difference):
            yield "order"
    elif _denies_all(one, two) or _denies_all(two, one):
        yield "negation"
    if one.denials != two.denials and (_denies_ever(one, two) or _denies_ever(two, one)):
        yield "never"
    if not difference.other_thing and measures_otherwise(one, two):
        yield "measure"


def names_another_subject(one: Reading, two: Reading) -> bool:
    """Whether the two begin by naming different things, so that both may well hold.

    `Server 12` is not `Server 13`, and what Jon prefers says nothing of what Gina does. A
    first word that turns up anywhere in the other text names no other subject.
    """
    numbers = _number_in_name(one), _number_in_name(two)
    if all(numbers):
        return numbers[0] != numbers[1]
    if not one.told or not two.told:
        return False
    first, second = one.told[0], two.told[0]
    return (
        _may_be_subject(first)
        and _may_be_subject(second)
        and first.stem not in two.stems
        and second.stem not in one.stems
        and first.key.removesuffix("'s") not in two.mentioned
        and second.key.removesuffix("'s") not in one.mentioned
    )


def tells_of_another_thing(one: Reading, two: Reading) -> bool:
    """Whether what each tells of, before its first auxiliary, is not in the other at all.

    `The upload limit is 5 MB` states nothing of the download limit.
    """
    first, second = _thing(one), _thing(two)
    return bool(first - two.meanings and second - one.meanings)


def _thing(reading: Reading) -> frozenset[str]:
    """What the content words before the first auxiliary mean; nothing where none is near."""
    found: list[str] = []
    for word in reading.told[:_LONGEST_THING]:
        if word.key in _AUXILIARIES:
            return frozenset(found)
        if word.has_content and word.key not in _COUNTS:
            found.append(meaning_of(word.stem))
        elif word.is_value or (len(word.text) == 1 and word.text.isupper()):
            found.append(word.key)
    return frozenset()


def _may_be_subject(word: Word) -> bool:
    return word.has_content and word.text[0].isupper()


def _number_in_name(reading: Reading) -> str:
    """The number that is part of the name a text begins with: `Server 12`, `fact no. 3`."""
    for at, word in enumerate(reading.told[1:4], start=1):
        before = reading.told[at - 1]
        leads = at == 1 and before.has_content and before.key not in _SINGLE_VALUED
        if word.is_value and word.key.startswith("number:"):
            return word.key if leads or before.key in _NUMBERING else ""
    return ""


def _shared(one: Reading, two: Reading, opposed: frozenset[tuple[str, str]]) -> float:
    """The share of content words both have, opposites aside; 0 where none is shared."""
    first = one.meanings - {meaning_of(word) for word, _ in opposed} - _ANYBODY
    second = two.meanings - {meaning_of(word) for _, word in opposed} - _ANYBODY
    longest = max(len(first), len(second))
    return len(first & second) / longest if longest else 0.0


def _other_value(difference: Difference) -> bool:
    """Another value of one kind on each side; another day of another event is none."""
    sides = [
        [value for value in side if value.kind not in _NAMING] for side in difference.values
    ]
    both = {value.kind for value in sides[0]} & {value.kind for value in sides[1]}
    if both & _DATING and both - _DATING:
        return False
    return any(
        value.kind == other.kind
        and not (value.kind == "date" and may_be_one_date(value.content, other.content))
        for value in sides[0]
        for other in sides[1]
    )


# ------------------------------------------------------------------------------- denial


def _opposite_or_denied(
    one: Reading, two: Reading, difference: Difference, least_denied: int
) -> Iterator[str]:
    """Opposites, or a denial of what the other says; a denied opposite says the same."""
    denied = _all_denied(one), _all_denied(two)
    opposed = [
        (meaning_of(word), meaning_of(other))
        for word, other in difference.opposed
        if frozenset((word, other)) not in opposed_kinds()
    ]
    if any(word not in denied[0] and other not in denied[1] for word, other in opposed):
        yield "antonym"
    elif difference.negated and (
        _denies(one, two, least_denied, {word for word, _ in opposed})
        or _denies(two, one, least_denied, {other for _, other in opposed})
    ):
        yield "negation"


def _all_denied(reading: Reading) -> frozenset[str]:
    return frozenset().union(*_denied(reading))


def _denies_all(one: Reading, two: Reading) -> bool:
    """Whether everything the one says is said by the longer other, but denied."""
    if one.denials == two.denials or len(one.meanings) < _LEAST_CONTENT:
        return False
    return one.meanings <= two.meanings and _denies(one, two, 1, set())


def _denies(one: Reading, two: Reading, least: int, opposed: set[str]) -> bool:
    """Whether a clause of the one denies what the other says without denying it.

    What is denied is what follows the denial in its clause, `least` telling words or
    more, none of which has its opposite in the other text. `She likes soup but not fish`
    denies nothing of `She likes soup`. Who denies that there is a person denies a man.
    """
    said = _said(two)
    others = tuple(_denied(two))
    return any(
        len(denied) >= least
        and not denied & opposed
        and _holds_most_of(said, denied)
        and not any(_holds_most_of(other, denied) for other in others)
        for denied in _denied(one)
    )


def _said(reading: Reading) -> frozenset[str]:
    said = frozenset(meaning_of(w.stem) for w in reading.words if not w.is_denial)
    return said.union(*map(broader, said))


def _holds_most_of(said: AbstractSet[str], denied: frozenset[str]) -> bool:
    return len(denied & said) >= _DENIED_ENOUGH * len(denied)


def _denied(reading: Reading) -> Iterator[frozenset[str]]:
    """Per denial the meanings of the telling words behind it in its clause."""
    for at, word in enumerate(reading.words):
        if word.is_denial:
            yield frozenset(
                meaning_of(w.stem)
                for w in _behind(reading.words, at)
                if w.has_content or w.is_value
            )


def _behind(words: tuple[Word, ...], at: int) -> Iterator[Word]:
    """What follows a denial in its clause; the `one` of `no one` is part of the denial."""
    rest = words[at + 1 :]
    start = 1 if words[at].key == "no" and rest and rest[0].key == _ONE else 0
    return takewhile(lambda w: w.clause == words[at].clause, rest[start:])


def _denies_ever(one: Reading, two: Reading) -> bool:
    """Whether the one denies all of a kind (`never`, `not any`) and the other has one.

    A denial of this or that denies each: `I have never cooked fish or baked bread`.
    """
    if _is_of_self(one) != _is_of_self(two):
        return False
    said, others = _said(two), tuple(_denied(two))
    return any(
        len(denied & said) >= _LEAST_OF_KIND
        and len(denied & said) >= _KIND_ENOUGH * len(denied)
        and not any(_holds_most_of(other, denied) for other in others)
        for denied in _denied_each(one)
    )


def _denied_each(reading: Reading) -> Iterator[frozenset[str]]:
    """Per denial of all of a kind, the meanings of each thing it denies."""
    for at, word in enumerate(reading.words):
        if not word.is_denial:
            continue
        behind = tuple(_behind(reading.words, at))
        if word.key != "never" and _OF_ALL.isdisjoint(w.key for w in behind):
            continue
        for is_or, part in groupby(behind, lambda w: w.key in _OR):
            if not is_or:
                yield frozenset(
                    meaning_of(w.stem) for w in part if w.has_content or w.is_value
                )


def _is_of_self(reading: Reading) -> bool:
    return not _SELF.isdisjoint(reading.stems)


# --------------------------------------------------------------------- values and slots


def _excludes(one: Reading, others: tuple[StatedValue, ...]) -> bool:
    """Whether the one says `only` of values of a kind and the other states one more."""
    kinds = {value.kind for value in others}
    for at, word in enumerate(one.words):
        if word.key == "only":
            following = one.words[at + 1 : at + 4]
            if any(w.is_value and w.key.split(":", 1)[0] in kinds for w in following):
                return True
    return False


def _other_filling(one: Reading, two: Reading, difference: Difference) -> bool:
    """Whether the slot of one pattern is one that has a single filling at a time."""
    slot = difference.slot
    if slot is None or not slot.start:
        return False
    fillings = one.told[slot.start : slot.stop_a], two.told[slot.start : slot.stop_b]
    first, second = (_telling(filling) for filling in fillings)
    if first <= second or second <= first or any(map(_is_manner, fillings)):
        return False  # one says no more than the other, or both may hold at once
    if all(form_of(filling[0].key) is Form.PAST for filling in fillings):
        return False  # much may have been done to one thing
    near = range(max(0, slot.start - _NEAR), slot.start)
    goes_on = any(_goes_on(r.told, at) for r in (one, two) for at in (*near, slot.start))
    return not goes_on and any(one.told[at].key in _SINGLE_VALUED for at in near)


def _telling(words: tuple[Word, ...]) -> frozenset[str]:
    return frozenset(meaning_of(w.stem) for w in words if w.has_content or w.is_value)


def _is_manner(words: tuple[Word, ...]) -> bool:
    return words[0].key.endswith("ly")


def _goes_on(words: tuple[Word, ...], at: int) -> bool:
    """Whether a form in `-ing` tells what somebody is doing: many things go on at once."""
    return words[at].key.endswith("ing") and at > 0 and words[at - 1].key in _BEING


def _values_exchanged(one: Reading, two: Reading, difference: Difference) -> bool:
    """The same words and values, but values stand in each other's places."""
    if any(difference.values) or not any(word.is_value for word in one.words):
        return False
    return Counter(one.sequence) == Counter(two.sequence) and _without_values(
        one
    ) == _without_values(two)


def _without_values(reading: Reading) -> list[str]:
    return [word.key for word in reading.words if not word.is_value]
