"""Statements of single-valued predicates, found in the words of a sentence.

Three templates find them all: a noun that names an attribute ("the deadline for X is ..."),
a verb with its preposition ("lives in"), and a state that "is" leads to ("is blue").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from attrs import evolve, frozen

from loom.text.predicate_clauses import BOUNDARIES, Sentence
from loom.text.predicate_families import (
    ATTRIBUTES,
    CHANGES,
    CHOICES,
    COUNTED_BY,
    FAMILIES,
    NOT_NAMES,
    NOT_PLACES,
    OCCUPATIONS,
    PASSING,
    RELATIVES,
    SCOPES,
    STATES,
    SYNONYMS,
    TOOLS,
    UNCOUNTED,
    Kind,
)
from loom.text.predicate_subjects import (
    DETERMINERS,
    PREPOSITIONS,
    USER,
    Subject,
    about,
    is_doubted,
    subject_before,
)
from loom.text.predicate_verbs import FORMS, Form, Role
from loom.text.quantities import MONTHS, NUMBERS, WEEKDAYS
from loom.text.stems import stem

__all__ = ["Found", "found_in"]


@frozen(kw_only=True, slots=True)
class Found:
    """A slot and where in the sentence its object stands (word positions)."""

    subject: str
    family: str
    qualifier: str
    start: int
    stop: int
    is_past: bool = False
    is_ended: bool = False
    #: The statement leaves no room for a second value.
    is_firm: bool = True
    #: It tells of a change: "now", "moved to", "the new".
    is_update: bool = False
    #: The noun by which a shorter mention would call the slot.
    topic: str = ""


_BEING: Final = frozenset(
    "is are am was were equals remains became becomes stands : be".split()
)
_FILLERS: Final = frozenset(
    (
        "now currently still also already just only actually officially been being back up"
        " down forward out exactly about around approximately roughly over under at set"
        " recently again probably later once more even nearly almost usually always"
    ).split()
)
_CHILDHOOD: Final = frozenset("childhood formerly previously originally ago youth".split())


def found_in(sentence: Sentence) -> Iterator[Found]:
    """The statements of a sentence, in order."""
    words = sentence.words
    carried: Subject | None = None
    for at, word in enumerate(words):
        forms = FORMS.get(word)
        if word in _MENTIONED:
            yield from _mentions(sentence, at)
        if (
            forms is None
            and word not in _BEING
            and word not in CHANGES
            and word not in _MORE
        ):
            continue
        subject = subject_before(words, at)
        if subject.is_elided and carried is not None:
            subject = evolve(subject, words=carried.words, is_former=carried.is_former)
        elif subject.words in (("it",), ()) and word in _ATTRIBUTING:
            subject = _resolved(words, subject, at)
        elif subject.words:
            carried = subject
        if subject.is_doubtful or subject.is_denied:
            continue
        for found in _readings(sentence, at, subject, forms):
            yield _scoped(found, sentence, subject, at)


_MORE: Final = frozenset("have has 've own went turned there now ".split()) | COUNTED_BY


def _readings(
    sentence: Sentence, at: int, subject: Subject, forms: tuple[Form, ...] | None
) -> Iterator[Found]:
    """The first template that fits; a noun that names an attribute goes before verbs."""
    words = sentence.words
    found = None
    if words[at] in _ATTRIBUTING and not (
        words[at] == "now" and not _is_value_next(words, at)
    ):
        found = _attribute(sentence, at, subject)
    if found is None and forms is not None:
        found = next(filter(None, (_verb(sentence, at, subject, f) for f in forms)), None)
    if found is None and (
        words[at] in _BEING
        or (
            words[at] in ("has", "have")
            and words[at + 1 : at + 2]
            and words[at + 1] in STATES
        )
    ):
        found = _state(sentence, at, subject)
    if found is None and words[at] in _MORE:
        found = _count(sentence, at, subject)
    if found is not None:
        yield found


_ATTRIBUTING: Final = _BEING | CHANGES | {"now"}


def _is_value_next(words: Sequence[str], at: int) -> bool:
    return at + 1 < len(words) and _may_be_value(words[at + 1])


def _scoped(found: Found, sentence: Sentence, subject: Subject, at: int) -> Found:
    """The finding with where it applies, and whether it is over."""
    words = sentence.words
    around = (
        *words[max(0, subject.start - 3) : found.start],
        *words[found.stop : found.stop + 4],
    )
    scopes = sorted({SYNONYMS.get(w, w) for w in around if w in SCOPES})
    qualifier = found.qualifier
    family = FAMILIES[found.family]
    if family.kind not in _SCOPED_KINDS:
        scopes = [scope for scope in scopes if scope in _SEASONS]
    reach = (
        _reach(words, found)
        if family.kind in _REACHING_KINDS and not family.is_personal
        else ""
    )
    if reach and not found.subject:
        found = evolve(found, subject=reach)
    elif reach:
        scopes.append(reach)
    if scopes:
        have = set(f"{found.subject} {qualifier}".split())
        more = [word for word in scopes if word not in have and stem(word) not in have]
        qualifier = " ".join([*filter(None, [qualifier]), *more])
    later = words[at:]
    past = found.is_past or subject.is_former or not _CHILDHOOD.isdisjoint(later)
    past = past or any(
        later[k : k + 2] == ("as", "a")
        and later[k + 2 : k + 3]
        and later[k + 2] in ("child", "kid", "teenager", "student")
        for k in range(len(later))
    )
    return evolve(
        found,
        qualifier=qualifier,
        is_past=past or subject.is_ended,
        is_ended=subject.is_ended,
        is_update=found.is_update
        or words[at] in CHANGES
        or not _NOW.isdisjoint(words[at - 2 if at > 2 else 0 : found.start]),
    )


_SCOPED_KINDS: Final = (Kind.VALUE, Kind.ANY, Kind.STATE)
_REACHING_KINDS: Final = (Kind.VALUE, Kind.ANY, Kind.TIME)
_SEASONS: Final = frozenset(
    "summer winter weekday weekdays weekend weekends morning evening".split()
)
_NO_REACH: Final = frozenset("now the a an example sure real good me us this that".split())


def _reach(words: Sequence[str], found: Found) -> str:
    """What the value is said for: "5 MB for images"."""
    for at in range(found.start + 1, min(found.start + 7, len(words) - 1)):
        if words[at] in BOUNDARIES:
            return ""
        if (
            words[at] == "for"
            and words[at + 1] not in _NO_REACH
            and not _may_be_value(words[at + 1])
        ):
            stop = _without_adjunct(words, at + 1, _stop_of_phrase(words, at + 1))
            return (about(words[at + 1 : stop]) or "") if stop - at <= 4 else ""
    return ""


_NEW: Final = frozenset("new updated revised latest".split())
_NOW: Final = frozenset("now anew changed updated".split()) | CHANGES
_INNER_CLAUSE: Final = frozenset("i we you he she they have has".split())

# --------------------------------------------------------------------------- mentions

#: Families whose value may stand beside the noun: "the $5,000 budget", "a quota of 100".
_MENTIONED: Final = frozenset(
    noun
    for noun, family in ATTRIBUTES.items()
    if family in ("time", "limit", "measure", "price", "pay")
)
_PRESUPPOSED: Final = frozenset("my our the".split())


def _resolved(words: Sequence[str], subject: Subject, at: int) -> Subject:
    """What "it" or "which" stands for: the attribute that was mentioned last."""
    border = words[subject.start - 1] if subject.start else ""
    if not subject.words and border != "which":
        return subject
    for head in range(subject.start - 1, max(-1, subject.start - 14), -1):
        if words[head] in _MENTIONED and words[head - 1] not in ("to",):
            first, stop = _phrase_around(words, head)
            return evolve(
                subject, words=tuple(words[first:stop]), is_doubtful=False, is_elided=False
            )
    return subject


def _phrase_around(words: Sequence[str], head: int) -> tuple[int, int]:
    """Where the noun phrase with the head begins and ends, with its first adjunct."""
    first = head
    while first and head - first < 5 and not _ends_phrase(words[first - 1]):
        first -= 1
        if words[first] in DETERMINERS or words[first] in ("a", "an"):
            break
    stop = head + 1
    if stop < len(words) and words[stop] in ("for", "of", "on", "in", "with"):
        stop += 1
        while (
            stop < len(words)
            and stop - head < 7
            and words[stop] not in BOUNDARIES | PREPOSITIONS
            and words[stop] not in FORMS
        ):
            stop += 1
    return first, stop


def _ends_phrase(word: str) -> bool:
    return (
        word in BOUNDARIES
        or word in PREPOSITIONS
        or word in FORMS
        or word in CHANGES
        or word in _MORE
        or word in _BEING
    )


def _mentions(sentence: Sentence, head: int) -> Iterator[Found]:
    """`my April 20 deadline for X`, `65% test coverage`, `a quota of 1,200 calls a day`."""
    words = sentence.words
    first, stop = _phrase_around(words, head)
    if any(w in _BEING or w in CHANGES for w in words[stop : stop + 3]):
        return  # what is said of it is its value
    if stop < head + 2 and words[head + 1 : head + 2] and words[head + 1] in ATTRIBUTES:
        return
    inner = next((k for k in range(first, head) if _may_be_value(words[k])), None)
    if inner is not None:
        last = max(k for k in range(inner, head) if _may_be_value(words[k]))
        end = last + 1
        while end < head and (words[end] in _UNIT_WORDS or "/" in words[end]):
            end += 1
        owned = words[first] in DETERMINERS or "'s" in words[first:inner]
        phrase = (*words[first : inner if owned else first], *words[end:stop])
        yield from _mention(sentence, first, phrase, inner, max(end, inner + 1), head)
        return
    for at in range(head + 1, min(stop + 1, len(words) - 1)):
        if words[at] in ("of", "on", "at") and _may_be_value(words[at + 1]):
            yield from _mention(
                sentence,
                first,
                words[first:at],
                at + 1,
                _stop_of_value(words, at + 1),
                head,
            )
            return


_UNIT_WORDS: Final = frozenset(
    "calls requests words minutes hours days seconds per minute hour day week month year am pm a percent".split()
)


def _mention(
    sentence: Sentence, first: int, phrase: Sequence[str], start: int, stop: int, head: int
) -> Iterator[Found]:
    words = sentence.words
    if phrase and phrase[0] in ("a", "an"):
        phrase = phrase[1:]
    if is_doubted(words, first) and words[first] not in _PRESUPPOSED:
        return
    noun = _noun(phrase)
    if (
        noun is None
        or not noun.topic
        or noun.family not in ("time", "limit", "measure", "price")
    ):
        return
    found = _checked(sentence, noun, start, stop, past=False)
    if found is not None:
        firm = noun.family in ("limit", "price") or noun.topic == "deadline"
        yield evolve(found, is_firm=(firm and bool(noun.subject)) or noun.is_new)


# ------------------------------------------------------------------------- attributes


def _attribute(sentence: Sentence, at: int, subject: Subject) -> Found | None:
    """`The deadline for X is 5 March`, `I moved the deadline to 5 March`, and reversed."""
    words = sentence.words
    if words[at] in CHANGES and (subject.is_user or subject.is_absent):
        return _changed(sentence, at)
    start = at + 1
    changes = words[at] in CHANGES
    while start < len(words) and words[start] in _FILLERS | CHANGES:
        changes = changes or words[start] in CHANGES
        start += 1
    noun = _noun(subject.words)
    if noun is None:
        return (
            None
            if changes
            else _reversed(sentence, at, start) or _measured(sentence, at, subject, start)
        )
    if changes or words[start : start + 1] in (("to",), ("for",), ("from",), ("until",)):
        start = _behind_to(words, start)
    if noun.family == "residence" and words[start : start + 1] in (("in",), ("at",)):
        start += 1
    if noun.family == "phone":
        kind = next(
            (
                k
                for k in range(start, min(start + 3, len(words)))
                if TOOLS.get(words[k]) == "phone"
            ),
            None,
        )
        if kind is not None:
            return Found(
                subject=noun.subject,
                family="tool",
                qualifier="phone",
                start=kind,
                stop=kind + 1,
            )
    return _filled(sentence, noun, start, past=words[at] in ("was", "were") and not changes)


def _measured(sentence: Sentence, at: int, subject: Subject, start: int) -> Found | None:
    """`My shoe size is 42`: whatever is said to be a number is one number at a time."""
    words = sentence.words
    phrase = subject.words
    if (
        words[at] not in ("is", "are", "was", "stands")
        or len(phrase) < 2
        or len(phrase) > 6
    ):
        return None
    definite = phrase[0] in ("my", "our", "the") or "'s" in phrase
    if not definite or start >= len(words) or not words[start].lstrip("$€£~")[:1].isdigit():
        return None
    if not phrase[-1].isalpha() or phrase[-1] in RELATIVES:
        return None
    whose = about(phrase)
    if not whose or words[start + 1 : start + 3] == ("years", "old"):
        return None
    stop = _stop_of_value(words, start)
    if any(
        w in MONTHS or w.endswith(("am", "pm", "st", "nd", "rd", "th")) or ":" in w
        for w in words[start:stop]
    ):
        return None
    return Found(
        subject=whose,
        family="measure",
        qualifier="",
        start=start,
        stop=stop,
        is_past=words[at] == "was",
    )


def _changed(sentence: Sentence, at: int) -> Found | None:
    """`changed my deadline (from A) to B`."""
    words = sentence.words
    stop = at + 1
    ends = ("to", "from", "until")
    while stop < len(words) and words[stop] not in BOUNDARIES and words[stop] not in ends:
        stop += 1
    if stop >= len(words) or words[stop] not in ends:
        return None
    noun = _noun(words[at + 1 : stop])
    start = _behind_to(words, stop)
    if noun is not None:
        return _filled(sentence, noun, start, past=False)
    return _changed_thing(sentence, at, stop, start)


def _changed_thing(sentence: Sentence, at: int, stop: int, start: int) -> Found | None:
    """`upgraded Python to 3.12`, `migrated the shop to Azure`, `renamed Falcon to Heron`."""
    words = sentence.words
    whose = about(words[at + 1 : stop])
    if not whose or start >= len(words):
        return None
    verb = words[at]
    if _is_version(words, start) and verb in _VERSIONED:
        return Found(
            subject=whose, family="version", qualifier="", start=start, stop=start + 1
        )
    if TOOLS.get(words[start]) in _PLACES_OF_THINGS:
        family = _PLACES_OF_THINGS[TOOLS[words[start]]]
        return Found(
            subject=whose, family=family, qualifier="", start=start, stop=start + 1
        )
    if verb in _FAMILIES_OF_CHANGES:
        noun = _Noun(whose, _FAMILIES_OF_CHANGES[verb], "")
        return _filled(sentence, noun, start, past=False)
    return None


_VERSIONED: Final = frozenset("upgraded downgraded updated bumped moved migrated".split())
_PLACES_OF_THINGS: Final = {"database": "database", "cloud": "host"}
_FAMILIES_OF_CHANGES: Final = {
    "renamed": "name",
    "promoted": "role",
    "assigned": "assignee",
    "reassigned": "assignee",
    "rescheduled": "time",
    "postponed": "time",
    "relocated": "residence",
}


def _behind_to(words: Sequence[str], start: int) -> int:
    """Where the new value begins: `from A to B`, `to B`, `for B`."""
    if words[start : start + 1] == ("from",):
        for at in range(start + 1, min(start + 8, len(words))):
            if words[at] == "to":
                return at + 1
        return len(words)
    at = start
    while at < len(words) and words[at] in _BEFORE_VALUE:
        at += 1
    if at + 1 < len(words) and words[at] in _REACHING and _may_be_value(words[at + 1]):
        return at + 1
    return at


_BEFORE_VALUE: Final = _FILLERS | {"until", "to", "for", "on", "at", "by", "be"}
_REACHING: Final = frozenset("accommodate allow reach handle include hold".split())


@frozen(slots=True)
class _Noun:
    subject: str
    family: str
    qualifier: str
    topic: str = ""
    is_new: bool = False


def _noun(phrase: Sequence[str]) -> _Noun | None:
    """The attribute a noun phrase names: whose, which family, which one."""
    stop = next((k for k, w in enumerate(phrase) if w in PREPOSITIONS and k), len(phrase))
    if not stop:
        return None
    named, behind = _undated(phrase[:stop]), tuple(phrase[stop:])
    if not named:
        return None
    head = named[-1]
    mark = max((k for k, w in enumerate(named) if w == "'s"), default=-1)
    owner = named[: mark + 1]
    rest = named[mark + 1 : -1]
    if not owner and rest and rest[0] in DETERMINERS:
        owner, rest = rest[:1], rest[1:]
    return _favourite(owner, rest, head, behind) or _plain_noun(owner, rest, head, behind)


def _undated(phrase: Sequence[str]) -> tuple[str, ...]:
    """The phrase without the value it had: "the April 20 deadline", "the $500 budget"."""
    return tuple(
        word
        for at, word in enumerate(phrase)
        if not (
            word in MONTHS
            or (
                word[0].isdigit()
                and (
                    phrase[at - 1] in MONTHS
                    or phrase[at + 1 : at + 2]
                    and phrase[at + 1] in MONTHS
                )
            )
            or word[0] in "$€£"
            or word[-1] == "%"
        )
    )


_FAVOURITES: Final = frozenset("favourite favorite preferred".split())
_KINDS_OF_TOOL: Final = frozenset({*TOOLS.values(), "ide", "language", "os"})


def _favourite(
    owner: Sequence[str], rest: Sequence[str], head: str, behind: Sequence[str]
) -> _Noun | None:
    if _FAVOURITES.isdisjoint(rest):
        if head in ("editor", "ide", "browser", "shell") and owner:
            whose = about((*owner, *behind))
            return whose and _Noun(whose, "tool", "editor" if head == "ide" else head)
        return None
    whose = about(owner)
    which = [
        w
        for w in (*rest, head)
        if w not in _FAVOURITES and w not in ("all-time", "absolute")
    ]
    if whose is None:
        return None
    kind = " ".join(SYNONYMS.get(w, w) for w in which)
    if kind in TOOLS.values() or kind == "ide":
        return _Noun(whose, "tool", "editor" if kind == "ide" else kind)
    return _Noun(whose, "favourite", " ".join(stem(w) for w in kind.split()))


_GENERIC_HEADS: Final = frozenset(
    "time date start end number title extension total count size rate state phase".split()
)
_COMPOUNDS: Final = frozenset(
    "name date time title number language address count host status manager".split()
)


def _plain_noun(
    owner: Sequence[str], rest: Sequence[str], head: str, behind: Sequence[str]
) -> _Noun | None:
    family = ATTRIBUTES.get(head)
    if head == "number" and behind[:1] == ("of",):
        return _counted(owner, behind)
    if head in _COMPOUNDS:
        family = _of_compound(head, rest, behind, family)
    if family is None:
        return None
    modifiers = [
        SYNONYMS.get(w, w) for w in rest if ATTRIBUTES.get(w) != family or family in _OWN
    ]
    if family == "residence" and head not in ("home", "hometown", "residence"):
        phrase = (
            *owner,
            *rest,
            *(() if head in ("location", "venue") else (head,)),
            *behind,
        )
        place_of = about(phrase)
        return _Noun(place_of, family, "") if place_of else None
    if FAMILIES[family].is_personal:
        whose = about((*owner, *behind)) if (*owner, *behind) else ""
        if not whose:
            return None
        qualifier = " ".join(stem(w) for w in modifiers if w not in _PLAIN_MODIFIERS)
        if family == "name" and head != "name":
            qualifier = f"{head} {qualifier}".strip()
        return _Noun(whose, family, qualifier)
    whose = about((*owner, *rest, *behind))
    if whose is None or (head in _GENERIC_HEADS and not any(map(str.isalpha, whose))):
        return None
    is_new = not _NEW.isdisjoint((*owner, *rest))
    return _Noun(whose, family, _HEADS.get(head, head), head, is_new)


#: Families whose compounds are told apart by nouns that are heads elsewhere.
_OWN: Final = frozenset({"measure", "limit", "price", "time"})
_PLAIN_MODIFIERS: Final = frozenset(
    "phone mobile contact email e-mail new current job real full official main home".split()
)
_HEADS: Final = {
    "due": "deadline",
    "maximum": "limit",
    "max": "limit",
    **dict.fromkeys(
        "owner maintainer lead leader head manager assignee colour color database db".split(),
        "",
    ),
    **dict.fromkeys(
        "datastore host hosting provider price cost version status".split(), ""
    ),
}


def _of_compound(
    head: str, rest: Sequence[str], behind: Sequence[str], family: str | None
) -> str | None:
    last = rest[-1] if rest else ""
    if head == "manager" and behind:
        return "lead"
    if head == "status" and last in ("relationship", "marital"):
        return "relationship"
    if head == "number":
        plain = not rest or last in (
            "phone",
            "mobile",
            "cell",
            "contact",
            "telephone",
            "new",
        )
        return "phone" if plain else None
    if head == "title":
        return "role" if last == "job" else None
    if head == "language":
        return "native language" if last in ("native", "first", "mother") else None
    if head == "address" and last in ("email", "e-mail"):
        return "email"
    if head in ("date", "time") and last in ("birth",):
        return "birthday"
    return family


def _counted(owner: Sequence[str], behind: Sequence[str]) -> _Noun | None:
    if not _INNER_CLAUSE.isdisjoint(behind):
        return None
    what = about(behind[1:])
    if not what:
        return None
    whose = (about(owner) if owner else "") or USER
    return _Noun(whose, "count", what, stem(behind[1]))


def _reversed(sentence: Sentence, at: int, start: int) -> Found | None:
    """`Teal is my favourite colour`, `Ana is the owner of billing`."""
    words = sentence.words
    if (
        words[start : start + 1]
        and words[start] not in DETERMINERS
        and "'s" not in words[start : start + 3]
    ):
        if ATTRIBUTES.get(words[start]) != "lead" or words[start] == "head":
            return None
    stop = _stop_of_phrase(words, start)
    noun = _noun(words[start:stop])
    if noun is None or FAMILIES[noun.family].kind not in (
        Kind.NAME,
        Kind.WORDS,
        Kind.STATE,
    ):
        return None
    if noun.family in ("name", "role", "address", "residence"):
        return None
    if not noun.subject and noun.qualifier not in _ONE_EACH:
        return None
    begin = at
    while begin and words[begin - 1] not in BOUNDARIES and at - begin < 4:
        begin -= 1
    while begin < at and words[begin] in _FILLERS:
        begin += 1
    end = at
    while end > begin and words[end - 1] in _FILLERS:
        end -= 1
    return _checked(sentence, noun, begin, end, past=words[at] in ("was", "were"))


#: Offices that need no "of": there is one in whatever is meant.
_ONE_EACH: Final = frozenset("ceo cto cfo coo captain treasurer goalkeeper".split())


def _filled(sentence: Sentence, noun: _Noun, start: int, *, past: bool) -> Found | None:
    kind = FAMILIES[noun.family].kind
    words = sentence.words
    if words[start : start + 1] == ("not",) or words[start : start + 1] == ("going",):
        return None
    if noun.family == "partner":
        return None
    if noun.family == "status":
        noun = _status(noun, words, start)
    stop = (
        _stop_of_value(words, start)
        if kind in (Kind.TIME, Kind.VALUE, Kind.ANY, Kind.CONTACT)
        else _stop_of_phrase(words, start)
    )
    if kind in (Kind.PLACE, Kind.NAME, Kind.WORDS, Kind.STATE):
        stop = _without_adjunct(words, start, stop)
    named = kind is Kind.NAME or (
        kind is Kind.ANY
        and noun.topic not in _CONFIGURED
        and not any(map(_may_be_value, words[start:stop]))
    )
    if named and start < len(words) and sentence.is_neat:
        first = start + (words[start] == "the" and start + 1 < stop)
        if not sentence.written[first][:1].isupper():
            return None
    return _checked(sentence, noun, start, stop, past=past)


#: Settings whose values are words in small letters.
_CONFIGURED: Final = frozenset(
    (
        "branch level port region default protocol encoding format theme mode currency"
        " timezone major minor setting nationality citizenship"
    ).split()
)
_SETTINGS: Final = frozenset(
    (
        "master main dark light staging production remote hybrid large small on off high"
        " low full free simple true false open closed async sync strict"
    ).split()
)


def _status(noun: _Noun, words: Sequence[str], start: int) -> _Noun:
    """The status on its axis, so that "the status of X is done" is "X is done"."""
    for word in ("-".join(words[start : start + 2]), *words[start : start + 1]):
        if word in STATES:
            return _Noun(noun.subject, "status", STATES[word][0].partition(" ")[2])
    return noun


def _checked(
    sentence: Sentence, noun: _Noun, start: int, stop: int, *, past: bool
) -> Found | None:
    family = FAMILIES[noun.family]
    if not _fits(family.kind, sentence, start, stop):
        return None
    return Found(
        subject=noun.subject,
        family=noun.family,
        qualifier=noun.qualifier,
        start=start,
        stop=stop,
        is_past=past and not family.is_timeless,
        is_update=noun.is_new,
        topic=noun.topic,
    )


# ------------------------------------------------------------------------------ verbs


def _verb(sentence: Sentence, at: int, subject: Subject, form: Form) -> Found | None:
    words, pattern = sentence.words, form.pattern
    if subject.is_infinitive or not _agrees(form, subject, words, at):
        return None
    start = _object_start(words, at + 1, pattern.prepositions)
    if start is None:
        return None
    stop = _stop_of_phrase(words, start)
    past = form.tense == "past" and not ({"have", "has"} & set(subject.passed))
    past = past and pattern.family != "age" and pattern.qualifier != "joined"
    if pattern.role is Role.PASSIVE:
        past = (
            bool({"was", "were"} & set(subject.passed)) and pattern.family not in _LASTING
        )
    if pattern.role is Role.TOOL:
        return _tool(sentence, at, subject, start, stop)
    if pattern.role is Role.INVERSE:
        return _inverse(sentence, subject, at, start, stop, pattern.family, past)
    is_mine = subject.is_absent or pattern.qualifier == "called"
    whose = USER if is_mine else about(subject.words)
    if not whose:
        return None
    return _of_verb(sentence, at, whose, form, start, stop, past)


#: What has been done to a thing lasts: renamed, promoted, scheduled.
_LASTING: Final = frozenset(
    "name role time version limit owner lead assignee birthday origin colour price".split()
)


def _agrees(form: Form, subject: Subject, words: Sequence[str], at: int) -> bool:
    """Whether the form of the verb states something after this subject."""
    be = not {"am", "is", "are", "was", "were", "been", "got", "be"}.isdisjoint(
        subject.passed
    )
    have = not {"have", "has", "had"}.isdisjoint(subject.passed)
    if form.pattern.qualifier == "called":
        return form.tense in ("base", "s")
    if subject.is_absent and not be and not have:
        return form.tense in ("s", "past") and form.pattern.role is not Role.INVERSE
    match form.tense:
        case "ing":
            return be
        case "past" if form.pattern.role is Role.PASSIVE:
            return be or have or words[at] in CHANGES or words[at] == "settled"
        case "base":
            return not be
        case _:
            return not be or words[at] in CHANGES or words[at] in ("written", "built")


def _object_start(
    words: Sequence[str], at: int, prepositions: frozenset[str]
) -> int | None:
    """Where the object begins, behind one of the prepositions or none."""
    while at < len(words) and words[at] in _FILLERS and words[at] not in prepositions:
        at += 1
    if (
        words[at : at + 1] == ("with",)
        and "in" in words[at + 2 : at + 4]
        and "in" in prepositions
    ):
        at = words.index("in", at)
    if at < len(words) and words[at] == "from" and "to" in prepositions:
        at = next(
            (k for k in range(at + 1, min(at + 7, len(words))) if words[k] == "to"), at
        )
    if at < len(words) and words[at] in prepositions:
        at += 1
        while at < len(words) and (words[at] in _FILLERS or words[at] in prepositions):
            at += 1
    elif "" not in prepositions:
        return None
    return at if at < len(words) else None


def _of_verb(
    sentence: Sentence, at: int, whose: str, form: Form, start: int, stop: int, past: bool
) -> Found | None:
    words, family = sentence.words, form.pattern.family
    qualifier = form.pattern.qualifier
    firm = True
    kind = FAMILIES[family].kind
    if family == "version":
        return _version(sentence, whose, start, stop, past)
    if family == "preference":
        return _preference(sentence, whose, start)
    if family == "name" and qualifier == "called":
        qualifier = ""
        if sentence.is_neat and not sentence.written[start][:1].isupper():
            return None
    if qualifier == "bed" and "bed" not in words[at:start]:
        return None
    if family == "residence" and qualifier == "place":
        qualifier = ""
        if "place" not in words[at:start]:
            return None
    if qualifier == "joined":
        qualifier = ""
        if words[stop : stop + 1] != ("as",) or stop - start > 3:
            return None
    if family == "diet":
        stop = next((k for k in range(start, stop) if words[k] == "diet"), start)
        start += start < stop and words[start] in ("a", "an", "the")
    if family == "vehicle":
        if words[start] not in ("a", "an", "my") or form.tense == "ing":
            return None
        start += 1
    if qualifier == "duration":
        stop = _stop_of_value(words, start)
        if whose == USER and "of" in words[start:stop]:
            what = about(words[words.index("of", start) + 1 : stop])
            return Found(
                subject=whose,
                family="measure",
                qualifier=f"dose {what}",
                start=start,
                stop=stop,
            )
        if (
            whose == USER
            or not words[start][0].isdigit()
            or not set(words[start:stop]) & _DURATIONS
        ):
            return None
    if family in ("residence", "employer", "school"):
        start = _named_place(words, start, stop)
    if family == "host" and form.pattern.prepositions == {"on"}:
        if not any(TOOLS.get(w) == "cloud" for w in words[start:stop]):
            return None
    if (
        family == "database"
        and words[at] not in ("stored", "store", "stores")
        and not any(TOOLS.get(w) == "database" for w in words[start:stop])
    ):
        return None
    if family == "age" and not _is_age(words, start):
        return None
    if family == "pay" and not _is_pay(words, start):
        return None
    if family in ("time", "hours", "birthday"):
        whose, qualifier, family = _of_event(whose, qualifier, family)
        stop = _stop_of_value(words, start)
    if kind is Kind.VALUE or kind is Kind.ANY:
        stop = _stop_of_value(words, start)
    if kind in (Kind.PLACE, Kind.NAME, Kind.WORDS):
        stop = _without_adjunct(words, start, stop)
    if not _fits(FAMILIES[family].kind, sentence, start, stop):
        return None
    past = past and not FAMILIES[family].is_timeless
    if words[at] in CHANGES:
        past = False
    return Found(
        subject=whose,
        family=family,
        qualifier=qualifier,
        start=start,
        stop=stop,
        is_past=past,
        is_firm=firm,
    )


_DURATIONS: Final = frozenset(
    "minute minutes hour hours second seconds days weeks ms min".split()
)


def _of_event(whose: str, qualifier: str, family: str) -> tuple[str, str, str]:
    """`The meeting with Ana is scheduled for`: the event is the noun, not the subject."""
    if qualifier or family == "birthday":
        return whose, qualifier, family
    nouns = whose.split()
    events = [w for w in nouns if w in _EVENT_STEMS]
    if not events:
        return whose, "", family
    rest = [w for w in nouns if w != events[-1] and w != USER]
    return " ".join(rest), _EVENT_STEMS[events[-1]], family


_EVENT_STEMS: Final = {
    stem(n): _HEADS.get(n, n) for n, f in ATTRIBUTES.items() if f == "time"
}


def _version(
    sentence: Sentence, whose: str, start: int, stop: int, past: bool
) -> Found | None:
    """`Production runs Postgres 14`, `we upgraded Python to 3.12`, `is on version 2`."""
    words = sentence.words
    number = next((k for k in range(start, stop) if _is_version(words, k)), None)
    if number is None or number - start > 4:
        return None
    if not (start < number or "." in words[number] or words[number][0] == "v"):
        return None
    product = [
        w
        for w in words[start:number]
        if w not in ("version", "to", "the", "v", "release", "on")
    ]
    if any(w in _NO_PRODUCT or w in MONTHS for w in product):
        return None
    called = " ".join(stem(SYNONYMS.get(w, w)) for w in product)
    if whose == USER:
        if not called:
            return None
        whose, called = called, ""
    after = words[number + 1 : number + 2]
    if after and after[0] not in BOUNDARIES and after[0] not in _AFTER_VERSION:
        return None
    return Found(
        subject=whose,
        family="version",
        qualifier=called,
        start=number,
        stop=number + 1,
        is_past=past,
    )


_NO_PRODUCT: Final = frozenset("a an for in at with by of my our from".split())
_AFTER_VERSION: Final = frozenset(
    "in on for with now at from to everywhere across under locally".split()
)


def _is_version(words: Sequence[str], at: int) -> bool:
    word = words[at].removeprefix("v")
    return (
        word[:1].isdigit()
        and word.replace(".", "").replace("x", "").isalnum()
        and len(word) < 12
        and not word.endswith(("%", "am", "pm", "th", "st", "nd", "rd"))
    )


def _preference(sentence: Sentence, whose: str, start: int) -> Found | None:
    """`prefers tea over coffee`, `prefers dark mode`, `prefers Vim`."""
    words = sentence.words
    stop = _stop_of_phrase(words, start)
    over = next(
        (k for k in range(start, len(words)) if words[k] in ("over", "to", "than")), None
    )
    if over is not None and start < over <= start + 4:
        end = _without_adjunct(words, over + 1, _stop_of_phrase(words, over + 1))
        pair = sorted(
            {
                " ".join(stem(w) for w in side)
                for side in (words[start:over], words[over + 1 : end])
            }
        )
        if len(pair) < 2 or not pair[0]:
            return None
        return Found(
            subject=whose,
            family="preference",
            qualifier=" / ".join(pair),
            start=start,
            stop=over,
        )
    stop = _without_adjunct(words, start, stop)
    kinds = [(k, TOOLS[words[k]]) for k in range(start, stop) if words[k] in TOOLS]
    if stop - start == 1 and words[start] in CHOICES:
        return Found(
            subject=whose,
            family="preference",
            qualifier=CHOICES[words[start]],
            start=start,
            stop=stop,
        )
    if len(kinds) == 1 and "and" not in words[start : stop + 1]:
        k, kind = kinds[0]
        return Found(subject=whose, family="tool", qualifier=kind, start=k, stop=k + 1)
    if stop - start >= 2 and words[stop - 1] in _SORTS:
        return Found(
            subject=whose,
            family="preference",
            qualifier=words[stop - 1],
            start=start,
            stop=stop - 1,
        )
    return None


_SORTS: Final = frozenset(
    "mode theme seat seats indentation format units pronouns spelling".split()
)


def _named_place(words: Sequence[str], start: int, stop: int) -> int:
    """`in a flat in Berlin`: the place that has a name."""
    at = start
    while at < stop and words[at] in ("a", "an", "the", "my", "our"):
        inner = next((k for k in range(at, stop) if words[k] in ("in", "called")), None)
        if inner is None:
            return at if words[at] == "the" else stop
        at = inner + 1
    return at


def _is_age(words: Sequence[str], start: int) -> bool:
    return words[start].isdigit() and len(words[start]) <= 3 or words[start] in NUMBERS


def _is_pay(words: Sequence[str], start: int) -> bool:
    near = words[start : start + 5]
    money = any(w[:1] in "$€£" or w[-1:] in "$€£k" and w[0].isdigit() for w in near)
    return money and any(w in _PAY_WORDS or "/" in w for w in near)


_PAY_WORDS: Final = frozenset(
    "year month week hour annually monthly yearly hourly annum salary".split()
)


def _inverse(
    sentence: Sentence,
    subject: Subject,
    at: int,
    start: int,
    stop: int,
    family: str,
    past: bool,
) -> Found | None:
    """`Ana owns billing` fills the slot of billing."""
    words = sentence.words
    if not subject.words or subject.is_absent or len(subject.words) > 3:
        return None
    stop = _without_adjunct(words, start, stop)
    phrase = words[start:stop]
    if not phrase or phrase[0] in ("a", "an", "to", "by", "that") or len(phrase) > 5:
        return None
    if family == "owner" and subject.is_user and phrase[0] not in ("the", "our"):
        return None
    if any(w[:1].isdigit() or w in NUMBERS for w in phrase):
        return None
    whose = about(phrase)
    if not whose or phrase[-1] in ("and", "or") or words[stop : stop + 1] == ("and",):
        return None
    head = subject.start
    end = head + len(subject.words)
    if subject.is_user:
        return None
    if not _fits(Kind.NAME, sentence, head, end):
        return None
    return Found(
        subject=whose, family=family, qualifier="", start=head, stop=end, is_past=past
    )


def _tool(
    sentence: Sentence, at: int, subject: Subject, start: int, stop: int
) -> Found | None:
    """`switched to Emacs`, `uses Postgres`, `now use VS Code`."""
    words = sentence.words
    whose = USER if subject.is_absent else about(subject.words)
    if not whose:
        return None
    stop = _without_adjunct(words, start, min(stop, start + 4))
    kinds = {TOOLS[w] for w in words[start:stop] if w in TOOLS}
    kind = next(iter(kinds)) if len(kinds) == 1 else ""
    if words[start : start + 2] == ("vs", "code"):
        kind = "editor"
    if not kind or (
        words[stop : stop + 1] in (("and",), (",",))
        and words[stop + 1 : stop + 2]
        and words[stop + 1] in TOOLS
    ):
        return None
    if words[start] in ("a", "an", "my"):
        return None
    using = words[at] in ("use", "uses", "using", "used")
    firm = not using or "now" in subject.passed or _says_only(words, start)
    if words[start : start + 2] == ("vs", "code"):
        stop = start + 2
    else:
        start = next(k for k in range(start, stop) if words[k] in TOOLS)
        stop = start + 1
    if kind == "database" and whose != USER:
        return Found(subject=whose, family="database", qualifier="", start=start, stop=stop)
    if kind == "cloud" and whose != USER and not using:
        return Found(subject=whose, family="host", qualifier="", start=start, stop=stop)
    if using and words[at] == "used" and not {"have", "has"} & set(subject.passed):
        return None
    return Found(
        subject=whose, family="tool", qualifier=kind, start=start, stop=stop, is_firm=firm
    )


def _says_only(words: Sequence[str], start: int) -> bool:
    later = words[start : start + 8]
    return not {
        "instead",
        "main",
        "primary",
        "default",
        "now",
        "exclusively",
        "only",
    }.isdisjoint(later)


# ----------------------------------------------------------------------------- states


def _state(sentence: Sentence, at: int, subject: Subject) -> Found | None:
    """`is blue`, `am married`, `is done`, `am 34`, `is a nurse`."""
    words = sentence.words
    if subject.words == ("there",):
        return _count(sentence, at, subject)
    whose = None if subject.is_absent else about(subject.words)
    if not whose or words[at] == ":":
        return None
    start = at + 1
    while start < len(words) and words[start] in _FILLERS - {
        "at",
        "up",
        "down",
        "out",
        "set",
        "over",
        "back",
    }:
        start += 1
    if start >= len(words):
        return None
    word = words[start]
    past = words[at] in ("was", "were") and not (word in STATES and word.endswith("ed"))
    if word == "on" and _is_version(words, min(start + 2, len(words) - 1)):
        return _version(sentence, whose, start + 1, _stop_of_phrase(words, start), past)
    return (
        _listed(words, whose, subject, start, past)
        or _aged(words, whose, start, past)
        or _occupied(words, whose, subject, start, past)
    )


def _listed(
    words: Sequence[str], whose: str, subject: Subject, start: int, past: bool
) -> Found | None:
    at = start
    if words[at] in ("a", "an") and at + 1 < len(words):
        at += 1
    pair = "-".join(words[at : at + 2])
    word = pair if pair in STATES else words[at]
    if word not in STATES:
        return None
    axis = STATES[word][0]
    length = 2 if word == pair else 1
    after = words[at + length : at + length + 1]
    family, _, which = axis.partition(" ")
    person = whose == USER or (set(whose.split()) & RELATIVES) or len(whose.split()) <= 2
    if after and after[0] not in BOUNDARIES and after[0] not in _AFTER_STATE:
        return None
    if (
        after in (("and",), ("or",), (",",))
        and words[at + length + 1 : at + length + 2]
        and words[at + length + 1] in STATES
    ):
        return None
    if family in ("relationship", "diet") and not person:
        return None
    if (at > start) != (family == "diet" and at > start):
        return None
    if family in ("status", "colour") and whose == USER:
        return None
    if family == "relationship" and after == ("to",):
        return None
    return Found(
        subject=whose,
        family=family,
        qualifier=which,
        start=at,
        stop=at + length,
        is_past=past,
    )


_AFTER_STATE: Final = frozenset(
    "now today again on in at since for by with already from".split()
)


def _aged(words: Sequence[str], whose: str, start: int, past: bool) -> Found | None:
    if words[start] == "aged":
        start += 1
    if start >= len(words) or not _is_age(words, start):
        return None
    after = words[start + 1 : start + 3]
    person = whose == USER or bool(set(whose.split()) & RELATIVES)
    if after == ("years", "old") or (
        person and (not after or after[0] in BOUNDARIES or after[0] == "now")
    ):
        return Found(
            subject=whose,
            family="age",
            qualifier="",
            start=start,
            stop=start + 1,
            is_past=past,
        )
    return None


def _occupied(
    words: Sequence[str], whose: str, subject: Subject, start: int, past: bool
) -> Found | None:
    """`is a nurse`, `is the new head nurse`: an article and an occupation."""
    if words[start] not in ("a", "an", "the") or len(whose.split()) > 2:
        return None
    stop = _stop_of_phrase(words, start)
    stop = _without_adjunct(words, start + 1, stop)
    if words[stop : stop + 1] in (("and",), ("or",), ("of",), ("for",)):
        return None
    if not start + 1 < stop <= start + 5 or words[stop - 1] not in OCCUPATIONS:
        return None
    return Found(
        subject=whose, family="role", qualifier="", start=start + 1, stop=stop, is_past=past
    )


# ----------------------------------------------------------------------------- counts


def _count(sentence: Sentence, at: int, subject: Subject) -> Found | None:
    """`have two kids`, `have completed 15 problems`: how many of one thing so far."""
    words = sentence.words
    if subject.words == ("there",):
        inner = next(
            (k for k in range(at + 2, min(at + 7, len(words))) if words[k] in ("in", "on")),
            None,
        )
        whose = inner and about(words[inner + 1 : _stop_of_phrase(words, inner + 1)])
    else:
        whose = (
            USER if subject.is_absent and words[at] in COUNTED_BY else about(subject.words)
        )
    if not whose or subject.is_infinitive:
        return None
    start = at + 1
    while start < len(words) and (
        words[start] in _FILLERS
        or words[start] == "a"
        and words[start + 1 : start + 2] == ("total",)
    ):
        start += 1
    if start < len(words) and words[at] == "saved" and words[start][0] in "$€£":
        return Found(
            subject=whose, family="count", qualifier="save", start=start, stop=start + 1
        )
    if start >= len(words) or not (
        words[start].replace(",", "").isdigit() or words[start] in NUMBERS
    ):
        return None
    verb = words[at] if words[at] in COUNTED_BY else ""
    stop = start + 1
    while (
        stop < len(words)
        and stop - start < 5
        and words[stop] not in BOUNDARIES
        and words[stop] not in PREPOSITIONS
        and words[stop] not in _FILLERS
    ):
        stop += 1
    what = words[start + 1 : stop]
    if not what or what[0] in UNCOUNTED or what[-1] in UNCOUNTED:
        return None
    if whose == USER and (what[0] in PASSING or what[-1] in PASSING):
        return None
    if not verb and what[-1] in COUNTED_BY and len(what) > 1:
        verb, what = what[-1], what[:-1]
    named = {stem(SYNONYMS.get(w, w)) for w in (verb, *what) if w}
    return Found(
        subject=whose,
        family="count",
        qualifier=" ".join(sorted(named)),
        start=start,
        stop=start + 1,
        topic=stem(what[-1]),
    )


# ------------------------------------------------------------------- where objects end

_STOPS: Final = BOUNDARIES | frozenset("with for from using during".split())


def _stop_of_phrase(words: Sequence[str], start: int) -> int:
    stop = start
    while stop < len(words) and stop - start < 8 and words[stop] not in BOUNDARIES:
        stop += 1
    return stop


def _stop_of_value(words: Sequence[str], start: int) -> int:
    """Where a date or number ends; a comma may stand within it."""
    stop = start
    while stop < len(words) and stop - start < 10:
        word = words[stop]
        if word == "," and stop + 1 < len(words) and _goes_on(words[stop + 1]):
            stop += 1
        elif word in BOUNDARIES or word == "from":
            break
        stop += 1
    return stop


def _goes_on(word: str) -> bool:
    return word[0].isdigit() or word in MONTHS or word in WEEKDAYS or word in ("at", "on")


_ADJUNCTS: Final = frozenset(
    "with for from using during in on at now currently these by since again today of to".split()
)


def _without_adjunct(words: Sequence[str], start: int, stop: int) -> int:
    """The phrase without what is said of when, for whom and where else."""
    for at in range(start + 1, stop):
        if words[at] in _ADJUNCTS and not (words[at] == "of" and at > start + 1):
            return at
    return stop


_LONGEST_NAME: Final = 5
#: Words that no object of a copula begins with.
_NO_OBJECTS: Final = frozenset(
    (
        "in on at with from by about above over into through for to going being having"
        " doing very really quite so too always often sometimes usually never not his her"
        " its their that this these those what who i we he she they it important crucial"
        " critical necessary as like unlike within without until tbd unknown undecided"
        " something someone everything nothing hard difficult easy getting better worse"
    ).split()
)


def _fits(kind: Kind, sentence: Sentence, start: int, stop: int) -> bool:
    """Whether the words can be an object of the kind."""
    words = sentence.words[start:stop]
    if not words:
        return False
    match kind:
        case Kind.TIME | Kind.VALUE | Kind.CONTACT:
            return any(_may_be_value(word) for word in words)
        case Kind.STATE:
            return any(w in STATES or w in TOOLS for w in words)
        case Kind.ANY:
            return any(_may_be_value(word) for word in words) or (
                len(words) <= 3 and (words[0] not in NOT_NAMES or words[0] in _SETTINGS)
            )
        case Kind.WORDS:
            return len(words) <= _LONGEST_NAME and words[0] not in _NO_OBJECTS
        case Kind.PLACE | Kind.NAME:
            return _names(kind, sentence, start, stop)


def _names(kind: Kind, sentence: Sentence, start: int, stop: int) -> bool:
    words = sentence.words[start:stop]
    first = 1 if words[0] == "the" and len(words) > 1 else 0
    if len(words) > _LONGEST_NAME or words[first] in (
        NOT_PLACES if kind is Kind.PLACE else NOT_NAMES
    ):
        return False
    if words[first] in STATES or (
        len(words[first]) > 5 and words[first].endswith(_ADJECTIVAL)
    ):
        return False
    if words[0] in ("a", "an") or (kind is Kind.PLACE and words[first][0].isdigit()):
        return False
    if kind is Kind.PLACE and (
        _goes_on(words[first]) or words[first] in TOOLS or words[first] in NUMBERS
    ):
        return False
    if kind is Kind.NAME and words[first] in NUMBERS and len(words) > 1:
        return False
    if not sentence.is_cased:
        return True
    return (
        sentence.written[start + first][:1].isupper()
        or not sentence.written[start + first][:1].isalpha()
    )


_ADJECTIVAL: Final = (
    "ing",
    "ful",
    "ous",
    "ive",
    "able",
    "ible",
    "less",
    "ated",
    "ized",
    "ly",
)


def _may_be_value(word: str) -> bool:
    return (
        any(char.isdigit() for char in word)
        or word in NUMBERS
        or word in MONTHS
        or word in WEEKDAYS
        or word in ("noon", "midnight", "midday")
        or "@" in word
    )
