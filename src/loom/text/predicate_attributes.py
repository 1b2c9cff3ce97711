"""Statements about an attribute: "the deadline is 5 March", "I moved it to 12 March"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attrs import evolve

from loom.text.predicate_clauses import BOUNDARIES, Sentence
from loom.text.predicate_families import ATTRIBUTES, CHANGES, FAMILIES, Kind
from loom.text.predicate_nouns import Noun, noun_of
from loom.text.predicate_products import is_version
from loom.text.predicate_spans import (
    BEING,
    FILLERS,
    Clause,
    Found,
    behind_fillers,
    fits,
    may_be_value,
    stop_of_phrase,
    stop_of_value,
    without_adjunct,
    word_at,
)
from loom.text.predicate_subjects import DETERMINERS, about
from loom.text.predicate_words import NOT_NAMES, RELATIVES, STATES, TOOLS
from loom.text.quantities import MONTHS

__all__ = ["ATTRIBUTING", "attribute_in", "checked"]

_CHANGING: Final = frozenset("moving rescheduling postponing pushing shifting".split())
#: Words behind which the value of an attribute may stand.
ATTRIBUTING: Final = BEING | CHANGES | _CHANGING | {"now"}

_BETWEEN: Final = FILLERS | CHANGES | {"moving"}
_VALUED: Final = frozenset({Kind.TIME, Kind.HOURS, Kind.VALUE, Kind.ANY, Kind.CONTACT})
_TOWARDS: Final = frozenset("to from until".split())
_BEFORE_VALUE: Final = FILLERS | frozenset("until to for on at by be".split())
_REACHING: Final = frozenset("accommodate allow reach handle include hold".split())
_FARTHEST_TO: Final = 8
#: What a thing that is no attribute gets by a change.
_PLACES_OF_THINGS: Final = {"database": "database", "cloud": "host"}
_VERSIONED: Final = frozenset("upgraded downgraded updated bumped moved migrated".split())
_FAMILIES_OF_CHANGES: Final = {
    "renamed": "name",
    "promoted": "role",
    "assigned": "assignee",
    "reassigned": "assignee",
    "rescheduled": "time",
    "postponed": "time",
    "relocated": "residence",
}
#: Families that are stated the other way round: "Ana is the owner of billing".
_REVERSIBLE: Final = frozenset({Kind.NAME, Kind.WORDS, Kind.STATE})
_NOT_REVERSED: Final = frozenset("name role address residence".split())
_UNSETTLED: Final = frozenset(
    "not never going supposed likely unlikely expected meant said believed possibly".split()
)
_LONGEST_FRONT: Final = 4
#: Offices that need no "of": there is one in whatever is meant.
_ONE_EACH: Final = frozenset("ceo cto cfo coo captain treasurer goalkeeper".split())
#: Settings whose values are words in small letters.
_CONFIGURED: Final = frozenset(
    (
        "branch level port region default protocol encoding format theme mode currency"
        " timezone major minor setting nationality citizenship language"
    ).split()
)
_LONGEST_MEASURED: Final = 6
_MEASURING: Final = frozenset("is are was stands".split())
_NO_MEASURES: Final = ("am", "pm", "st", "nd", "rd", "th")


def attribute_in(clause: Clause) -> Found | None:
    """What a clause says of an attribute, in any of its word orders."""
    words, verb = clause.words, clause.verb
    if verb == "now" and not may_be_value(word_at(words, clause.at + 1)):
        return None
    if verb in CHANGES and (clause.subject.is_user or clause.subject.is_absent):
        return _changed(clause)
    if verb in _CHANGING:
        # What is about to happen holds only of dates: it is the date that is told.
        found = _changed(clause) if clause.has("am", "are") else None
        return found if found and found.family == "time" else None
    start, changes = _behind_verb(words, clause.at)
    noun = noun_of(clause.subject.words)
    if noun is None:
        if changes:
            # "fell 2 points" gives no new value, "fell to 2 points" does.
            towards = word_at(words, start) in ("to", "from")
            return _measured(clause, _behind_to(words, start)) if towards else None
        return _reversed(clause, start) or _measured(clause, start)
    former = _former_in(words, clause.subject.start, clause.at)
    if changes or word_at(words, start) in ("to", "for", "from", "until"):
        former = _from(words, start) or former
        start = _behind_to(words, start)
    if noun.family == "residence" and word_at(words, start) in ("in", "at"):
        start += 1
    is_past = verb in ("was", "were") and not changes
    found = _model_of_phone(noun, words, start) or _filled(
        clause, noun, start, is_past=is_past
    )
    return found and evolve(found, former=former)


def _behind_verb(words: Sequence[str], at: int) -> tuple[int, bool]:
    """Where the object may begin, and whether the verb tells of a change."""
    changes = words[at] in CHANGES
    start = at + 1
    while word_at(words, start) in _BETWEEN:
        changes = changes or words[start] in CHANGES
        start += 1
    return start, changes


def _behind_to(words: Sequence[str], start: int) -> int:
    """Where the new value begins: `from A to B`, `to B`, `for B`."""
    if word_at(words, start) == "from":
        reach = range(start + 1, min(start + _FARTHEST_TO, len(words)))
        return next((at + 1 for at in reach if words[at] == "to"), len(words))
    at = start
    while word_at(words, at) in _BEFORE_VALUE:
        at += 1
    is_verb = word_at(words, at) in _REACHING and may_be_value(word_at(words, at + 1))
    return at + is_verb


def _from(words: Sequence[str], start: int) -> tuple[int, int] | None:
    """Where the value of `from A to B` stands that is no more."""
    behind = _behind_to(words, start)
    is_range = word_at(words, start) == "from" and behind < len(words)
    return (start + 1, behind - 1) if is_range else None


def _former_in(words: Sequence[str], start: int, stop: int) -> tuple[int, int]:
    """Where it stands in `the April 20 deadline`."""
    values = [at for at in range(start, stop) if may_be_value(words[at])]
    return (values[0], values[-1] + 1) if values else (0, 0)


def _model_of_phone(noun: Noun, words: Sequence[str], start: int) -> Found | None:
    """`My phone is an iPhone` gives no number."""
    if noun.family != "phone":
        return None
    for at in range(start, min(start + 3, len(words))):
        if TOOLS.get(words[at]) == "phone":
            return Found(
                subject=noun.subject,
                family="tool",
                qualifier="phone",
                start=at,
                stop=at + 1,
            )
    return None


# --------------------------------------------------------------------- what is filled in


def _filled(
    clause: Clause, noun: Noun, start: int, *, is_past: bool = False
) -> Found | None:
    """The attribute with the object that begins at `start`."""
    words, kind = clause.words, FAMILIES[noun.family].kind
    # "My wife is tired" names nobody.
    if noun.family == "partner" or word_at(words, start) in _UNSETTLED:
        return None
    if noun.family == "status":
        noun = _on_axis(noun, words, start)
    if kind in _VALUED:
        stop = stop_of_value(words, start)
    else:
        stop = without_adjunct(words, start, stop_of_phrase(words, start))
    if not _is_named_if_needed(clause, noun, start, stop):
        return None
    return checked(clause.sentence, noun, start, stop, is_past=is_past)


def _on_axis(noun: Noun, words: Sequence[str], start: int) -> Noun:
    """The status on its axis, so that "the status of X is done" is "X is done"."""
    for word in ("-".join(words[start : start + 2]), word_at(words, start)):
        if word in STATES:
            return Noun(noun.subject, "status", STATES[word][0].partition(" ")[2])
    return noun


def _is_named_if_needed(clause: Clause, noun: Noun, start: int, stop: int) -> bool:
    """Whether a capital stands where only a name is an answer: "my manager is Bob"."""
    words, kind = clause.words, FAMILIES[noun.family].kind
    needed = kind is Kind.NAME or (
        kind is Kind.ANY
        and noun.topic not in _CONFIGURED
        and not any(map(may_be_value, words[start : min(start + 2, stop)]))
    )
    if needed and word_at(words, start) in NOT_NAMES:
        return False
    if not needed or start >= len(words) or not clause.sentence.is_neat:
        return True
    first = start + (words[start] == "the" and start + 1 < stop)
    written = clause.sentence.written[first]
    return written[:1].isupper() or not written.isalpha()


def checked(
    sentence: Sentence, noun: Noun, start: int, stop: int, *, is_past: bool
) -> Found | None:
    """The finding, if the words can be an object of the family."""
    family = FAMILIES[noun.family]
    if not fits(family.kind, sentence, start, stop):
        return None
    return Found(
        subject=noun.subject,
        family=noun.family,
        qualifier=noun.qualifier,
        start=start,
        stop=stop,
        is_past=is_past and not family.is_timeless,
        is_update=noun.is_new,
        topic=noun.topic,
    )


# ------------------------------------------------------------------- other word orders


def _changed(clause: Clause) -> Found | None:
    """`changed my deadline (from A) to B`."""
    words = clause.words
    stop = clause.at + 1
    while (
        stop < len(words) and words[stop] not in BOUNDARIES and words[stop] not in _TOWARDS
    ):
        stop += 1
    if word_at(words, stop) not in _TOWARDS:
        return None
    phrase, start = words[clause.at + 1 : stop], _behind_to(words, stop)
    former = _from(words, stop) or _former_in(words, clause.at + 1, stop)
    noun = noun_of(phrase)
    if noun is not None:
        found = _filled(clause, noun, start)
        return found and evolve(found, former=former)
    return _changed_thing(clause, about(phrase), start)


def _changed_thing(clause: Clause, whose: str | None, start: int) -> Found | None:
    """`upgraded Python to 3.12`, `migrated the shop to Azure`, `renamed Falcon to Heron`."""
    words, verb = clause.words, clause.verb
    if not whose or start >= len(words):
        return None
    family = _PLACES_OF_THINGS.get(TOOLS.get(words[start], ""), "")
    if is_version(words[start]) and verb in _VERSIONED:
        family = "version"
    if family:
        return Found(subject=whose, family=family, start=start, stop=start + 1)
    if verb in _FAMILIES_OF_CHANGES:
        return _filled(clause, Noun(whose, _FAMILIES_OF_CHANGES[verb], ""), start)
    return None


def _reversed(clause: Clause, start: int) -> Found | None:
    """`Teal is my favourite colour`, `Ana is the owner of billing`."""
    words = clause.words
    noun = _noun_behind(words, start)
    if noun is None or noun.family in _NOT_REVERSED:
        return None
    if FAMILIES[noun.family].kind not in _REVERSIBLE:
        return None
    if not noun.subject and noun.qualifier not in _ONE_EACH:
        return None
    first = clause.at
    while (
        first and words[first - 1] not in BOUNDARIES and clause.at - first < _LONGEST_FRONT
    ):
        first -= 1
    first, last = behind_fillers(words, first), clause.at
    while last > first and words[last - 1] in FILLERS:
        last -= 1
    return checked(
        clause.sentence, noun, first, last, is_past=clause.verb in ("was", "were")
    )


def _noun_behind(words: Sequence[str], start: int) -> Noun | None:
    """The attribute behind the verb: somebody's, or an office that stands alone."""
    first = word_at(words, start)
    is_office = ATTRIBUTES.get(first) == "lead" and first != "head"
    if first in DETERMINERS or "'s" in words[start : start + 3] or is_office:
        return noun_of(words[start : stop_of_phrase(words, start)])
    return None


def _measured(clause: Clause, start: int) -> Found | None:
    """`My shoe size is 42`: whatever is said to be a number is one number at a time."""
    words, phrase = clause.words, clause.subject.words
    if clause.verb not in _MEASURING and clause.verb not in CHANGES:
        return None
    definite = phrase[:1] in (("my",), ("our",), ("the",)) or "'s" in phrase
    # "Maximum retries is 3" needs no article.
    is_heading = (
        clause.verb == "is" and clause.subject.start == 0 and not _is_measure(phrase)
    )
    if not (definite or is_heading) or not 1 < len(phrase) <= _LONGEST_MEASURED:
        return None
    if not phrase[-1].isalpha() or phrase[-1] in RELATIVES:
        return None
    stop = stop_of_value(words, start)
    if not _is_measure(words[start:stop]):
        return None
    whose = about(phrase)
    if not whose:
        return None
    noun = Noun(whose, "measure", "")
    return checked(clause.sentence, noun, start, stop, is_past=clause.verb == "was")


def _is_measure(words: Sequence[str]) -> bool:
    """Whether a number begins it, and neither a date nor an age is what it gives."""
    if not words or not words[0].lstrip("$€£~")[:1].isdigit():
        return False
    if tuple(words[1:3]) == ("years", "old"):
        return False
    return not any(w in MONTHS or w.endswith(_NO_MEASURES) or ":" in w for w in words)
