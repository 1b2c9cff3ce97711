"""Statements of what is or is had: "is blue", "is done", "am 34", "have two kids"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from loom.text.predicate_actions import is_age
from loom.text.predicate_clauses import BOUNDARIES
from loom.text.predicate_families import COUNTED_BY, Kind
from loom.text.predicate_products import is_version, version_in
from loom.text.predicate_spans import (
    FILLERS,
    Clause,
    Found,
    fits,
    stop_of_phrase,
    stop_of_value,
    without_adjunct,
    word_at,
)
from loom.text.predicate_subjects import PREPOSITIONS, USER, about
from loom.text.predicate_words import (
    OCCUPATIONS,
    PASSING,
    RELATIVES,
    STATES,
    SYNONYMS,
    UNCOUNTED,
)
from loom.text.quantities import NUMBERS
from loom.text.stems import stem

__all__ = ["COUNTING", "count_in", "dose_in", "state_in"]

#: Words behind which a number may be how many somebody has.
COUNTING: Final = COUNTED_BY | frozenset("have has own got there".split())

_ARTICLES: Final = ("a", "an")
#: Fillers that are part of a state: "is up", "is down".
_STATE_WORDS: Final = frozenset("at up down out set over back".split())
_SKIPPED: Final = FILLERS - _STATE_WORDS
_AFTER_STATE: Final = BOUNDARIES | frozenset(
    "now today again on in at since for by with already from".split()
)
#: Adjectives behind a measure, and what it measures.
_EXTENTS: Final = {
    "complete": "completion",
    "done": "completion",
    "tall": "height",
    "high": "height",
    "long": "length",
    "wide": "width",
    "deep": "depth",
    "heavy": "weight",
}
_FARTHEST_EXTENT: Final = 3
_BRANDED: Final = frozenset(
    (
        "car laptop computer bike truck van motorcycle camera guitar watch tablet printer"
        " router keyboard tv monitor scooter"
    ).split()
)
_MOST_NAMES: Final = 2
_LONGEST_ROLE: Final = 5
_LONGEST_COUNTED: Final = 5
_FARTHEST_PLACE: Final = 7


def state_in(clause: Clause) -> Found | None:
    """What a form of "be" says of its subject without a noun that names an attribute."""
    words, whose = clause.words, clause.whose
    if clause.subject.words == ("there",):
        return count_in(clause)
    start = clause.at + 1
    while word_at(words, start) in _SKIPPED:
        start += 1
    if not whose or clause.subject.is_absent or start >= len(words) or clause.verb == ":":
        return None
    # What was closed, merged or approved is so still.
    lasts = words[start] in STATES and words[start].endswith("ed")
    is_past = clause.verb in ("was", "were") and not lasts
    if words[start] == "on" and is_version(word_at(words, start + 2)):
        return version_in(clause, start + 1, stop_of_phrase(words, start), is_past=is_past)
    return (
        _complete(words, whose, start, is_past=is_past)
        or _model(clause, whose, start, is_past=is_past)
        or _on_diet(words, whose, start, is_past=is_past)
        or _listed(words, whose, start, is_past=is_past)
        or _aged(words, whose, start, is_past=is_past)
        or _occupied(words, whose, start, is_past=is_past)
    )


def _listed(words: Sequence[str], whose: str, start: int, *, is_past: bool) -> Found | None:
    """One of the states of an axis: progress, colour, diet, marital status."""
    at = start + (words[start] in _ARTICLES)
    pair = "-".join(words[at : at + 2])
    word = pair if pair in STATES else word_at(words, at)
    if word not in STATES:
        return None
    stop = at + 1 + (word == pair and "-" in pair)
    family, _, axis = STATES[word][0].partition(" ")
    if at > start and family != "diet":
        return None
    if not _may_be(family, whose) or not _ends_state(words, stop, family):
        return None
    return Found(
        subject=whose, family=family, qualifier=axis, start=at, stop=stop, is_past=is_past
    )


def _complete(
    words: Sequence[str], whose: str, start: int, *, is_past: bool
) -> Found | None:
    """`is 40% complete`, `is 172 cm tall`."""
    if not words[start][0].isdigit():
        return None
    reach = range(start + 1, min(start + _FARTHEST_EXTENT, len(words)))
    stop = next((at for at in reach if words[at] in _EXTENTS), None)
    if stop is None:
        return None
    return Found(
        subject=whose,
        family="measure",
        qualifier=_EXTENTS[words[stop]],
        start=start,
        stop=stop,
        is_past=is_past,
    )


def _model(clause: Clause, whose: str, start: int, *, is_past: bool) -> Found | None:
    """`my car is a Volvo`: a thing somebody has one of, and its make."""
    words, phrase = clause.words, clause.subject.words
    stop = without_adjunct(words, start + 1, stop_of_phrase(words, start))
    is_one = phrase[-1:] and phrase[-1] in _BRANDED and len(phrase) > 1
    if not is_one or words[start] not in _ARTICLES:
        return None
    if not fits(Kind.NAME, clause.sentence, start + 1, stop):
        return None
    if clause.sentence.is_neat and not clause.sentence.written[start + 1][:1].isupper():
        return None
    return Found(subject=whose, family="model", start=start + 1, stop=stop, is_past=is_past)


def _on_diet(
    words: Sequence[str], whose: str, start: int, *, is_past: bool
) -> Found | None:
    """`is on a keto diet`."""
    if words[start] != "on" or word_at(words, start + 3) != "diet":
        return None
    return Found(
        subject=whose, family="diet", start=start + 2, stop=start + 3, is_past=is_past
    )


def _may_be(family: str, whose: str) -> bool:
    """Whether the subject can have a state of the family."""
    if family in ("status", "colour"):
        return whose != USER
    names = whose.split()
    return len(names) <= _MOST_NAMES or not RELATIVES.isdisjoint(names)


def _ends_state(words: Sequence[str], stop: int, family: str) -> bool:
    behind = word_at(words, stop)
    if behind in ("and", "or", ",") and word_at(words, stop + 1) in STATES:
        return False
    return not behind or behind in _AFTER_STATE or (family == "diet" and behind == "diet")


def _aged(words: Sequence[str], whose: str, start: int, *, is_past: bool) -> Found | None:
    start += words[start] == "aged"
    if not is_age(word_at(words, start)):
        return None
    behind = word_at(words, start + 1)
    is_person = whose == USER or not RELATIVES.isdisjoint(whose.split())
    is_alone = not behind or behind in BOUNDARIES or behind == "now"
    in_years = tuple(words[start + 1 : start + 3]) == ("years", "old")
    if not in_years and not (is_person and is_alone):
        return None
    return Found(subject=whose, family="age", start=start, stop=start + 1, is_past=is_past)


def _occupied(
    words: Sequence[str], whose: str, start: int, *, is_past: bool
) -> Found | None:
    """`is a nurse`, `is the new head nurse`: an article and an occupation."""
    if words[start] not in ("a", "an", "the") or len(whose.split()) > _MOST_NAMES:
        return None
    stop = without_adjunct(words, start + 1, stop_of_phrase(words, start))
    if word_at(words, stop) in ("and", "or", "of", "for"):
        return None
    if not start + 1 < stop <= start + _LONGEST_ROLE:
        return None
    if words[stop - 1] not in OCCUPATIONS:
        return None
    return Found(subject=whose, family="role", start=start + 1, stop=stop, is_past=is_past)


# ----------------------------------------------------------------------------- counts


def count_in(clause: Clause) -> Found | None:
    """`have two kids`, `have completed 15 problems`: how many of one thing so far."""
    words, verb = clause.words, clause.verb
    whose = _who_counts(clause)
    if not whose or clause.subject.is_infinitive:
        return None
    start = _number_at(words, clause.at + 1)
    if verb == "saved" and word_at(words, start)[:1] in tuple("$€£"):
        return Found(
            subject=whose, family="count", qualifier="save", start=start, stop=start + 1
        )
    if not _is_number(word_at(words, start)):
        return None
    what = _counted(words, _behind_whole(words, start + 1))
    if not what or not UNCOUNTED.isdisjoint((what[0], what[-1])):
        return None
    if whose == USER and not PASSING.isdisjoint((what[0], what[-1])):
        return None
    done: tuple[str, ...] = (verb,) if verb in COUNTED_BY else ()
    if not done and what[-1] in COUNTED_BY and len(what) > 1:
        done, what = what[-1:], what[:-1]
    named = {stem(SYNONYMS.get(word, word)) for word in (*done, *what)}
    return Found(
        subject=whose,
        family="count",
        qualifier=" ".join(sorted(named)),
        start=start,
        stop=start + 1,
        topic=stem(what[-1]),
    )


def _who_counts(clause: Clause) -> str:
    words, at = clause.words, clause.at
    if clause.subject.words == ("there",):
        reach = range(at + 2, min(at + _FARTHEST_PLACE, len(words)))
        inner = next((k for k in reach if words[k] in ("in", "on")), None)
        place = () if inner is None else words[inner + 1 : stop_of_phrase(words, inner + 1)]
        return about(place) or ""
    if clause.subject.is_absent and clause.verb not in COUNTED_BY:
        return ""
    if clause.verb == "got" and not clause.has("have", "has"):
        return ""
    return clause.whose


def _number_at(words: Sequence[str], at: int) -> int:
    """Where the number may stand: behind fillers and "a total of"."""
    while word_at(words, at) in FILLERS:
        at += 1
    return at + 3 if tuple(words[at : at + 3]) == ("a", "total", "of") else at


def _behind_whole(words: Sequence[str], at: int) -> int:
    """Behind "of the 8" in "3 of the 8 modules"."""
    if word_at(words, at) != "of":
        return at
    at += 1 + (word_at(words, at + 1) in ("the", "my", "our", "all"))
    return at + _is_number(word_at(words, at))


def _is_number(word: str) -> bool:
    return word.replace(",", "").isdigit() or word in NUMBERS


def _counted(words: Sequence[str], start: int) -> tuple[str, ...]:
    """The nouns behind a number, and the participle that may follow them."""
    stop = start
    while (
        stop < len(words)
        and stop - start < _LONGEST_COUNTED - 1
        and words[stop] not in BOUNDARIES
        and words[stop] not in PREPOSITIONS
        and words[stop] not in FILLERS
        and words[stop] not in ("this", "last", "these", "since")
    ):
        stop += 1
    return tuple(words[start:stop])


def dose_in(clause: Clause) -> Found | None:
    """`I take 10 mg of the medication`."""
    words, start = clause.words, clause.at + 1
    stop = stop_of_value(words, start)
    if clause.verb not in ("take", "takes") or not word_at(words, start)[:1].isdigit():
        return None
    of = next((at for at in range(start, stop) if words[at] == "of"), None)
    what = None if of is None else about(words[of + 1 : stop])
    if not what or not clause.whose or clause.subject.is_infinitive:
        return None
    return Found(
        subject=clause.whose,
        family="measure",
        qualifier=f"dose {what}",
        start=start,
        stop=stop,
    )
