"""Statements by a verb: "lives in Rome", "works for Acme", "is owned by Ana"."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from loom.text.predicate_families import ATTRIBUTES, CHANGES, COUNTED_BY, FAMILIES, Kind
from loom.text.predicate_nouns import HEADS
from loom.text.predicate_products import preference_in, tool_in, version_in
from loom.text.predicate_spans import (
    BEING,
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
from loom.text.predicate_verbs import FORMS, Form, Role
from loom.text.predicate_words import TOOLS
from loom.text.quantities import NUMBERS
from loom.text.stems import stem

__all__ = ["action_in", "is_age"]

#: What has been done to a thing lasts: renamed, promoted, scheduled.
_LASTING: Final = frozenset(
    "name role time version limit owner lead assignee birthday origin colour price".split()
)
#: What was once reached still holds: turned 35, joined Acme.
_REACHED: Final = frozenset("turned joined started got settled responsible".split())
_STAYS: Final = frozenset("residence employer school".split())
_GOING_ON: Final = frozenset("since for always".split())
_BE: Final = "am is are was were been got be".split()
_HAVE: Final = "have has had".split()
_VALUED: Final = frozenset({Kind.VALUE, Kind.ANY, Kind.TIME, Kind.HOURS, Kind.CONTACT})
_FARTHEST_TO: Final = 7
_LONGEST_OWNER: Final = 3
_LONGEST_OWNED: Final = 5
#: "The project lead is Ana", "led to", "leads by", "owns a car".
_NOT_OWNED: Final = frozenset("a an to by that is was are were has will s".split())
_BEHIND_OWNED: Final = frozenset("with from by since now currently today".split())
_LONGEST_AGE: Final = 3
_NEAR: Final = 5
_ARTICLES: Final = frozenset("a an the my our".split())
_PLACES_WITH_ARTICLE: Final = frozenset(
    (
        "netherlands uk us usa united uae philippines bahamas maldives gambia czech hague"
        " bronx bay congo north south east west"
    ).split()
)
_STORING: Final = frozenset("stored store stores".split())
_DURATIONS: Final = frozenset(
    "minute minutes hour hours second seconds days weeks ms min".split()
)
_PAY_WORDS: Final = frozenset(
    "year month week hour annually monthly yearly hourly annum salary".split()
)
_MONEY: Final = "$€£"
_EVENT_STEMS: Final = {
    stem(noun): HEADS.get(noun, noun)
    for noun, family in ATTRIBUTES.items()
    if family == "time"
}

#: Where an object begins and ends; None where the words are no such object.
Span = tuple[int, int] | None
_Narrower = Callable[[Clause, int, int], Span]


def action_in(clause: Clause) -> Found | None:
    """What the verb of a clause states, by the first of its patterns that fits."""
    if clause.subject.is_infinitive:
        return None
    forms = FORMS.get(clause.verb, ())
    return next(filter(None, (_by_form(clause, form) for form in forms)), None)


def _by_form(clause: Clause, form: Form) -> Found | None:
    pattern = form.pattern
    if not _agrees(clause, form):
        return None
    start = _object_start(clause.words, clause.at + 1, pattern.prepositions)
    if start is None:
        return None
    stop = stop_of_phrase(clause.words, start)
    is_past = _is_past(clause, form)
    if pattern.role is Role.TOOL:
        return tool_in(clause, start, stop)
    if pattern.role is Role.INVERSE:
        return _inverse(clause, pattern.family, start, stop, is_past=is_past)
    return _of_family(clause, form, start, stop, is_past=is_past)


def _of_family(
    clause: Clause, form: Form, start: int, stop: int, *, is_past: bool
) -> Found | None:
    match form.pattern.family:
        case "version":
            return version_in(clause, start, stop, is_past=is_past)
        case "preference":
            return preference_in(clause, start)
        case _:
            return _plain(clause, form, start, stop, is_past=is_past)


def _agrees(clause: Clause, form: Form) -> bool:
    """Whether the form of the verb states something after this subject."""
    be, have = clause.has(*_BE), clause.has(*_HAVE)
    is_passive = form.pattern.role is Role.PASSIVE
    if form.pattern.is_of_user:
        return form.tense in ("base", "s")
    if clause.subject.is_absent and not be and not have:
        return form.tense in ("s", "past") and form.pattern.role is not Role.INVERSE
    if form.tense == "ing":
        return be
    if form.tense == "past" and is_passive:
        return be or have or clause.verb in _DONE
    return not be or (form.tense != "base" and clause.verb in _DONE)


#: Participles that may be the verb of a sentence, or stand behind "be" as well.
_DONE: Final = CHANGES | frozenset(
    "settled written rewritten ported built responsible".split()
)


def _is_past(clause: Clause, form: Form) -> bool:
    """Whether the verb tells of what may have changed since."""
    if clause.verb in CHANGES or clause.verb in _REACHED:
        return False
    if form.pattern.role is Role.PASSIVE:
        return clause.is_past and form.pattern.family not in _LASTING
    if form.tense != "past" or not clause.has("have", "has"):
        return form.tense == "past"
    # "has lived in Rome" is over unless "since" or "for" says that it goes on.
    is_stay = form.pattern.family in _STAYS
    return is_stay and _GOING_ON.isdisjoint(clause.words[clause.at :])


def _object_start(
    words: Sequence[str], at: int, prepositions: frozenset[str]
) -> int | None:
    """Where the object begins, behind one of the prepositions or none."""
    while word_at(words, at) in FILLERS and words[at] not in prepositions:
        at += 1
    # "lives with us in Rome", "moved from Rome to Oslo"
    if word_at(words, at) == "with" and "in" in prepositions:
        at = next((k for k in (at + 2, at + 3) if word_at(words, k) == "in"), at)
    if word_at(words, at) == "from" and "to" in prepositions:
        reach = range(at + 1, min(at + _FARTHEST_TO, len(words)))
        at = next((k for k in reach if words[k] == "to"), at)
    if word_at(words, at) in prepositions and at < len(words):
        while word_at(words, at) in FILLERS or word_at(words, at) in prepositions:
            if at >= len(words):
                break
            at += 1
    elif "" not in prepositions:
        return None
    return at if at < len(words) else None


def _plain(
    clause: Clause, form: Form, start: int, stop: int, *, is_past: bool
) -> Found | None:
    """The subject's slot with the object, if it is one of the pattern."""
    family, qualifier = form.pattern.family, form.pattern.qualifier
    whose = USER if form.pattern.is_of_user else clause.whose
    narrow = _NARROWERS.get(form.pattern.narrower or family)
    span = narrow(clause, start, stop) if narrow else (start, stop)
    if not whose or span is None or _is_listed(clause.words, span[1]):
        return None
    if family in ("time", "hours"):
        whose, family, qualifier = _of_event(whose, family, qualifier)
    if qualifier == "duration" and whose == USER:
        return None
    start, stop = span
    kind = FAMILIES[family].kind
    if kind in _VALUED:
        stop = stop_of_value(clause.words, start)
    elif kind is not Kind.STATE:
        stop = without_adjunct(clause.words, start, stop)
    if not fits(kind, clause.sentence, start, stop):
        return None
    return Found(
        subject=whose,
        family=family,
        qualifier=qualifier,
        start=start,
        stop=stop,
        is_past=is_past and not FAMILIES[family].is_timeless,
        is_ended=form.pattern.role is Role.ENDED,
    )


def _is_listed(words: Sequence[str], stop: int) -> bool:
    """Whether more objects follow: `at Acme and at Globex`, `in Rome, Paris and Oslo`."""
    if word_at(words, stop) == ",":
        stop = next((k for k in (stop + 2, stop + 3) if word_at(words, k) == "and"), stop)
    if word_at(words, stop) not in ("and", "or"):
        return False
    is_object = word_at(words, stop + 1) in PREPOSITIONS
    return is_object or not (set(words[stop + 1 : stop + 4]) & _GOING_ON_TO_SAY)


#: Words of which another statement has one at its beginning.
_GOING_ON_TO_SAY: Final = frozenset({*FORMS, *CHANGES, *BEING, *COUNTED_BY}) | frozenset(
    "have has had i we my our he she it they do does did will can like likes love".split()
)


def _of_event(whose: str, family: str, qualifier: str) -> tuple[str, str, str]:
    """`The meeting with Ana starts at`: the event is the noun, and Ana tells which."""
    words = whose.split()
    event = next((word for word in reversed(words) if word in _EVENT_STEMS), None)
    if qualifier not in ("", "start") or event is None:
        return whose, family, qualifier
    rest = [word for word in words if word != event]
    if len(rest) > 1 and rest[0] == USER:
        rest = rest[1:]
    return " ".join(rest), "time", _EVENT_STEMS[event]


def _inverse(
    clause: Clause, family: str, start: int, stop: int, *, is_past: bool
) -> Found | None:
    """`Ana owns billing` fills the slot of billing."""
    words, subject = clause.words, clause.subject
    # "the team in Oslo" is what is led.
    ends = (at for at in range(start, stop) if words[at] in _BEHIND_OWNED)
    stop = next(ends, stop)
    owned = words[start:stop]
    if not 0 < len(subject.words) <= _LONGEST_OWNER or subject.is_user:
        return None
    if not 0 < len(owned) <= _LONGEST_OWNED or word_at(words, stop) in ("and", "or"):
        return None
    if owned[0] in _NOT_OWNED:
        return None
    if any(word[:1].isdigit() or word in NUMBERS for word in owned):
        return None
    end = subject.start + len(subject.words)
    whose = about(owned)
    if not whose or not fits(Kind.NAME, clause.sentence, subject.start, end):
        return None
    return Found(
        subject=whose, family=family, start=subject.start, stop=end, is_past=is_past
    )


# ----------------------------------------------------------------- what an object must be


def _named_place(clause: Clause, start: int, stop: int) -> Span:
    """`in a flat in Berlin`: the place that has a name."""
    words, at = clause.words, start
    while at < stop and words[at] in _ARTICLES:
        inner = next((k for k in range(at, stop) if words[k] in ("in", "called")), None)
        if inner is None:
            return (at, stop) if words[at] == "the" else None
        at = inner + 1
    return at, stop


def _home(clause: Clause, start: int, stop: int) -> Span:
    """`in the Netherlands`, not `in the garden`."""
    span = _named_place(clause, start, stop)
    if span is None or word_at(clause.words, span[0]) != "the":
        return span
    return span if word_at(clause.words, span[0] + 1) in _PLACES_WITH_ARTICLE else None


def _written_name(clause: Clause, start: int, stop: int) -> Span:
    """`Call me Bee`, not `call me crazy`."""
    sentence = clause.sentence
    is_name = sentence.written[start][:1].isupper() or not sentence.is_neat
    return (start, stop) if is_name else None


def _bedtime(clause: Clause, start: int, stop: int) -> Span:
    return (start, stop) if "bed" in clause.words[clause.at : start] else None


def _venue(clause: Clause, start: int, stop: int) -> Span:
    """`takes place in Lisbon`."""
    return (start, stop) if "place" in clause.words[clause.at : start] else None


def _new_job(clause: Clause, start: int, stop: int) -> Span:
    """`started a new job at Acme`, not `started a course at Acme`."""
    is_job = not {"job", "working"}.isdisjoint(clause.words[clause.at : start])
    return (start, stop) if is_job else None


def _joined(clause: Clause, start: int, stop: int) -> Span:
    """`joined Acme as an engineer`; other things that are joined are no employers."""
    is_job = word_at(clause.words, stop) == "as" and stop - start <= _LONGEST_OWNER
    return (start, stop) if is_job else None


def _diet(clause: Clause, start: int, stop: int) -> Span:
    """`follows a keto diet`."""
    words = clause.words
    end = next((at for at in range(start, stop) if words[at] == "diet"), start)
    first = start + (words[start] in _ARTICLES)
    return (first, end) if first < end else None


def _vehicle(clause: Clause, start: int, stop: int) -> Span:
    """`drives a Honda`."""
    is_one = clause.words[start] in ("a", "an", "my") and not clause.verb.endswith("ing")
    return (start + 1, stop) if is_one else None


def _duration(clause: Clause, start: int, stop: int) -> Span:
    """`takes 10 minutes`."""
    words = clause.words
    lasts = words[start][0].isdigit() and not _DURATIONS.isdisjoint(words[start:stop])
    return (start, stop) if lasts else None


def _cloud(clause: Clause, start: int, stop: int) -> Span:
    """`runs on AWS`, not `runs on Linux`."""
    named = clause.verb not in ("run", "runs", "running", "ran") or any(
        TOOLS.get(word) == "cloud" for word in clause.words[start:stop]
    )
    return (start, stop) if named else None


def _store(clause: Clause, start: int, stop: int) -> Span:
    """`is backed by Postgres`, not `is backed by investors`."""
    named = clause.verb in _STORING or any(
        TOOLS.get(word) == "database" for word in clause.words[start:stop]
    )
    return (start, stop) if named else None


def _age(clause: Clause, start: int, stop: int) -> Span:
    return (start, stop) if is_age(clause.words[start]) else None


def is_age(word: str) -> bool:
    """Whether the word is a number of years somebody may have lived."""
    return (word.isdigit() and len(word) <= _LONGEST_AGE) or word in NUMBERS


def _pay(clause: Clause, start: int, stop: int) -> Span:
    """`earns $90,000 a year`, not `made $20 on the side`."""
    near = clause.words[start : start + _NEAR]
    money = any(
        word[0] in _MONEY or (word[0].isdigit() and word[-1] in "$€£k") for word in near
    )
    paid = money and any(word in _PAY_WORDS or "/" in word for word in near)
    return (start, stop) if paid else None


#: What the object of a family, or of one verb, must be.
_NARROWERS: Final[Mapping[str, _Narrower]] = {
    "residence": _home,
    "employer": _named_place,
    "school": _named_place,
    "called": _written_name,
    "bed": _bedtime,
    "place": _venue,
    "joined": _joined,
    "new job": _new_job,
    "diet": _diet,
    "vehicle": _vehicle,
    "duration": _duration,
    "host": _cloud,
    "database": _store,
    "age": _age,
    "pay": _pay,
}
