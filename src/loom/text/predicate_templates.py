"""Statements of single-valued predicates, found in the words of a sentence.

At each verb the templates are tried in turn: a noun that names an attribute ("the deadline
for X is ..."), a verb with its preposition ("lives in"), a state that "is" leads to ("is
blue"), a number of things ("have two kids").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from attrs import evolve

from loom.text.predicate_actions import action_in
from loom.text.predicate_attributes import ATTRIBUTING, attribute_in
from loom.text.predicate_clauses import BOUNDARIES, Sentence
from loom.text.predicate_families import CHANGES, FAMILIES, Kind
from loom.text.predicate_mentions import MENTIONED, mentions, resolved
from loom.text.predicate_spans import (
    BEING,
    Clause,
    Found,
    may_be_value,
    stop_of_phrase,
    without_adjunct,
    word_at,
)
from loom.text.predicate_states import COUNTING, count_in, dose_in, state_in
from loom.text.predicate_subjects import Subject, about, subject_before
from loom.text.predicate_verbs import FORMS
from loom.text.predicate_words import SCOPES, STATES, SYNONYMS
from loom.text.quantities import WEEKDAYS
from loom.text.stems import stem

__all__ = ["found_in"]

_VERBS: Final = frozenset({*FORMS, *ATTRIBUTING, *COUNTING})
_FORMERLY: Final = frozenset("childhood formerly previously originally ago youth".split())
_DATED: Final = frozenset({Kind.VALUE, Kind.TIME})
_PERIODS: Final = frozenset("year month week quarter season summer winter".split())
_AS_A: Final = frozenset("child kid teenager student".split())
_NOW: Final = CHANGES | {"now"}
_SCOPED: Final = frozenset({Kind.VALUE, Kind.ANY, Kind.STATE})
_REACHING: Final = frozenset({Kind.VALUE, Kind.ANY, Kind.TIME})
#: Times at which anything may be otherwise: where one lives in summer.
_SEASONS: Final = frozenset(
    "summer winter weekday weekdays weekend weekends morning evening".split()
)
_NO_REACH: Final = frozenset(
    (
        "now a an example sure real good me us this that total general average addition"
        " size length width height"
    ).split()
)
_FOR: Final = frozenset({"for"})
#: "5 MB for images", "$40 in Europe", "5 points on Monday".
_SCOPING: Final = frozenset("for in on".split())
_FARTHEST: Final = 7
_LONGEST_REACH: Final = 4
_EACH_WEEKDAY: Final = frozenset(f"{day}s" for day in WEEKDAYS if day.endswith("day"))
_AROUND: Final = 4


def found_in(sentence: Sentence) -> Iterator[Found]:
    """The statements of a sentence, in order."""
    carried: Subject | None = None
    for at, word in enumerate(sentence.words):
        if word in MENTIONED:
            yield from mentions(sentence, at)
        if word not in _VERBS:
            continue
        subject = subject_before(sentence.words, at)
        if subject.is_elided and carried is not None:
            subject = evolve(subject, words=carried.words, is_former=carried.is_former)
        elif subject.words in ((), ("it",)) and word in ATTRIBUTING:
            subject = resolved(sentence.words, subject)
        elif subject.words:
            carried = subject
        if subject.is_doubtful or subject.is_denied:
            continue
        clause = Clause(sentence=sentence, at=at, subject=subject)
        found = _found(clause)
        if found is not None and not _is_to_come(clause, found):
            yield _placed(clause, found)


def _found(clause: Clause) -> Found | None:
    """By the first template that fits."""
    verb, words = clause.verb, clause.words
    is_state = verb in BEING or (
        verb in ("has", "have") and word_at(words, clause.at + 1) in STATES
    )
    return (
        (attribute_in(clause) if verb in ATTRIBUTING else None)
        or (action_in(clause) if verb in FORMS else None)
        or (state_in(clause) if is_state else None)
        or (count_in(clause) if verb in COUNTING else None)
        or (dose_in(clause) if verb in FORMS else None)
    )


def _is_to_come(clause: Clause, found: Found) -> bool:
    """Whether it will hold and does not yet; a date holds before its time."""
    dated = FAMILIES[found.family].kind in (Kind.TIME, Kind.HOURS)
    return clause.has("will") and not dated and clause.verb not in ("held", "take")


def _placed(clause: Clause, found: Found) -> Found:
    """The finding with where and when it holds."""
    found = _reaching(clause.words, found)
    words, at, subject = clause.words, clause.at, clause.subject
    scopes = _scopes(clause, found)
    is_past = found.is_past or subject.is_former or subject.is_ended
    return evolve(
        found,
        qualifier=" ".join(filter(None, (found.qualifier, *scopes))),
        is_past=is_past
        or found.is_ended
        or _is_long_ago(words[at:])
        or (FAMILIES[found.family].kind in _DATED and _is_of_before(words[at:])),
        is_ended=subject.is_ended or found.is_ended,
        is_update=found.is_update
        or not _NOW.isdisjoint(words[max(0, at - 2) : max(at + 1, found.start)]),
    )


def _is_long_ago(words: Sequence[str]) -> bool:
    """`as a child`, `years ago`, `previously`."""
    if not _FORMERLY.isdisjoint(words):
        return True
    return any(
        word in _AS_A and words[at - 2 : at] == ("as", "a") for at, word in enumerate(words)
    )


def _is_of_before(words: Sequence[str]) -> bool:
    """`last year`: a number of then, where a move of then still holds."""
    return "yesterday" in words or any(
        word == "last" and word_at(words, at + 1) in _PERIODS
        for at, word in enumerate(words)
    )


def _scopes(clause: Clause, found: Found) -> list[str]:
    """Words beside the statement that say where it applies: staging, weekends."""
    words = clause.words
    before = words[max(0, clause.subject.start - _AROUND + 1) : found.start]
    around = (*before, *words[found.stop : found.stop + _AROUND])
    scopes = {SYNONYMS.get(word, word) for word in around if word in SCOPES}
    if FAMILIES[found.family].kind not in _SCOPED:
        scopes &= _SEASONS
    # "on Mondays" is when it holds, "on Monday" when it happens.
    scopes |= {
        word
        for at, word in enumerate(words)
        if word in _EACH_WEEKDAY or (word in WEEKDAYS and word_at(words, at - 1) == "every")
    }
    told = {*found.subject.split(), *found.qualifier.split()}
    return sorted(word for word in scopes if word not in told and stem(word) not in told)


def _reaching(words: Sequence[str], found: Found) -> Found:
    """The finding with what its value is said for: "5 MB for images"."""
    family = FAMILIES[found.family]
    reaches = not family.is_personal or found.family == "count"
    if family.kind not in _REACHING or not reaches or found.family == "version":
        return found
    behind = _SCOPING if family.kind is not Kind.TIME else _FOR
    for at in range(found.start + 1, min(found.start + _FARTHEST, len(words) - 1)):
        if words[at] in BOUNDARIES:
            break
        if words[at] not in behind or words[at + 1] in _NO_REACH:
            continue
        if words[at] == "for" and may_be_value(words[at + 1]):
            continue
        stop = without_adjunct(words, at + 1, stop_of_phrase(words, at + 1))
        said = words[at + 1 : stop] if stop - at <= _LONGEST_REACH else ()
        what = about(said) or " ".join(said)
        if found.subject:
            return evolve(found, qualifier=f"{found.qualifier} {what}".strip())
        return evolve(found, subject=what)
    return found
