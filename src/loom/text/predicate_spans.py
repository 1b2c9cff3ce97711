"""What was found in a sentence, and where its object begins and ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from attrs import frozen

from loom.text.predicate_clauses import BOUNDARIES, Sentence
from loom.text.predicate_families import Kind
from loom.text.predicate_subjects import USER, Subject, about
from loom.text.predicate_words import NOT_NAMES, NOT_PLACES, SETTINGS, STATES, TOOLS
from loom.text.quantities import MONTHS, NUMBERS, WEEKDAYS

__all__ = [
    "BEING",
    "FILLERS",
    "Clause",
    "Found",
    "behind_fillers",
    "fits",
    "may_be_value",
    "stop_of_phrase",
    "stop_of_value",
    "without_adjunct",
    "word_at",
]

#: Verbs that say of a thing what it is; a colon does as well.
BEING: Final = frozenset(
    "is are am was were equals remains became becomes stands : be".split()
)
#: Words between a verb and its object that change neither.
FILLERS: Final = frozenset(
    (
        "now currently still also already just only actually officially been being back up"
        " down forward out exactly about around approximately roughly over under at set"
        " recently again probably later once more even nearly almost usually always"
    ).split()
)
_LONGEST_PHRASE: Final = 8
_LONGEST_VALUE: Final = 10
_LONGEST_NAME: Final = 5
_LONGEST_SETTING: Final = 3
#: Among these the value of a setting begins.
_FIRST_WORDS: Final = 2
#: Words of an address that begins with its number: 5 King Street.
_STREET_ADDRESS: Final = 3
_SHORTEST_ADJECTIVE: Final = 6
_ADJUNCTS: Final = frozenset(
    (
        "with for from using during in on at now currently these by since again today any of"
        " to"
    ).split()
)
_ADJECTIVAL: Final = tuple("ing ful ous ive able ible less ated ized ly".split())
#: Words that no object of a form of "be" begins with.
_NO_OBJECTS: Final = frozenset(
    (
        "in on at with from by about above over into through for to going being having"
        " doing very really quite so too always often sometimes usually never not his her"
        " its their that this these those what who i we he she they it important crucial"
        " critical necessary as like unlike within without until tbd unknown undecided"
        " something someone everything nothing hard difficult easy getting better worse"
    ).split()
)
_TIMES_OF_DAY: Final = frozenset("noon midnight midday".split())


@frozen(kw_only=True, slots=True)
class Found:
    """A slot and where in the sentence its object stands (word positions)."""

    subject: str
    family: str
    qualifier: str = ""
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
    #: Where the value stands that it had before: "from A to B"; (0, 0) if nowhere.
    former: tuple[int, int] = (0, 0)


@frozen(kw_only=True, slots=True)
class Clause:
    """A verb of a sentence and its subject."""

    sentence: Sentence
    #: Position of the verb.
    at: int
    subject: Subject

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the whole sentence."""
        return self.sentence.words

    @property
    def verb(self) -> str:
        """The verb as it stands."""
        return self.sentence.words[self.at]

    @property
    def whose(self) -> str:
        """The canonical subject: the user where none is named, "" where none can be."""
        return USER if self.subject.is_absent else about(self.subject.words) or ""

    @property
    def is_past(self) -> bool:
        """Whether "was" or "were" is its verb or auxiliary."""
        return self.verb in ("was", "were") or self.has("was", "were")

    def has(self, *auxiliaries: str) -> bool:
        """Whether one of the auxiliaries stands before the verb."""
        return not self.subject.auxiliaries.isdisjoint(auxiliaries)


def word_at(words: Sequence[str], at: int) -> str:
    """The word at a position, "" outside."""
    return words[at] if 0 <= at < len(words) else ""


def behind_fillers(words: Sequence[str], at: int) -> int:
    """The first position from `at` on that holds no filler."""
    while word_at(words, at) in FILLERS:
        at += 1
    return at


def stop_of_phrase(words: Sequence[str], start: int) -> int:
    """Where a phrase ends at the latest: at the end of its clause."""
    stop = start
    while (
        stop < len(words)
        and stop - start < _LONGEST_PHRASE
        and words[stop] not in BOUNDARIES
    ):
        stop += 1
    return stop


def stop_of_value(words: Sequence[str], start: int) -> int:
    """Where a date or number ends; a comma may stand within it."""
    stop = start
    while stop < len(words) and stop - start < _LONGEST_VALUE:
        word = words[stop]
        if word == "," and _goes_on(word_at(words, stop + 1)):
            stop += 1
        elif word in BOUNDARIES or word == "from":
            break
        stop += 1
    return stop


def _goes_on(word: str) -> bool:
    return word[:1].isdigit() or word in MONTHS or word in WEEKDAYS or word in ("at", "on")


def without_adjunct(words: Sequence[str], start: int, stop: int) -> int:
    """Where a phrase ends if what is said of when, for whom and where else is left out."""
    stop = min(stop, len(words))
    for at in range(start + 1, stop):
        if words[at] in _ADJUNCTS and not (words[at] == "of" and at > start + 1):
            return at
    return stop


def may_be_value(word: str) -> bool:
    """Whether the word may be or begin a number, date, time or address."""
    return (
        word in NUMBERS
        or word in MONTHS
        or word in WEEKDAYS
        or word in _TIMES_OF_DAY
        or "@" in word
        or any(map(str.isdigit, word))
    )


def fits(kind: Kind, sentence: Sentence, start: int, stop: int) -> bool:
    """Whether the words from `start` to before `stop` can be an object of the kind."""
    words = sentence.words[start:stop]
    if kind in (Kind.PLACE, Kind.NAME):
        may_name = bool(words) and _may_name(kind, words)
        return may_name and _is_written_as_name(sentence, start, words)
    return bool(words) and _FITS[kind](words)


def _is_time(words: Sequence[str]) -> bool:
    return any(may_be_value(word) and not _is_share(word) for word in words)


def _is_share(word: str) -> bool:
    return word[-1] == "%" or word[0] in "$€£"


def _is_value(words: Sequence[str]) -> bool:
    return any(map(may_be_value, words))


def _is_setting(words: Sequence[str]) -> bool:
    """Whether a value begins the words, or they are a word that may be one."""
    if _is_value(words[:_FIRST_WORDS]):
        return True
    is_value = words[0] not in NOT_NAMES or words[0] in SETTINGS
    return len(words) <= _LONGEST_SETTING and is_value


def _is_state(words: Sequence[str]) -> bool:
    return not STATES.keys().isdisjoint((*words, "-".join(words[:2])))


def _is_phrase(words: Sequence[str]) -> bool:
    return len(words) <= _LONGEST_NAME and words[0] not in _NO_OBJECTS


#: By kind, whether words can be an object; names also depend on how they are written.
_FITS: Final[Mapping[Kind, Callable[[Sequence[str]], bool]]] = {
    Kind.TIME: _is_time,
    Kind.HOURS: _is_time,
    Kind.VALUE: _is_value,
    Kind.CONTACT: _is_value,
    Kind.ANY: _is_setting,
    Kind.STATE: _is_state,
    Kind.WORDS: _is_phrase,
}


def _may_name(kind: Kind, words: Sequence[str]) -> bool:
    first = words[1] if words[0] == "the" and len(words) > 1 else words[0]
    if len(words) > _LONGEST_NAME or words[0] in ("a", "an") or first in STATES:
        return False
    if len(first) >= _SHORTEST_ADJECTIVE and first.endswith(_ADJECTIVAL):
        return False
    if kind is Kind.PLACE:
        if first.isdigit() and len(words) >= _STREET_ADDRESS:
            return not any(map(MONTHS.__contains__, words))
        known = first in NOT_PLACES or first in TOOLS or first in NUMBERS
        return not (known or _goes_on(first))
    return first not in NOT_NAMES and not (first in NUMBERS and len(words) > 1)


def _is_written_as_name(sentence: Sentence, start: int, words: Sequence[str]) -> bool:
    """Where the sentence has names in capitals, a name has one."""
    if not sentence.is_cased:
        return True
    first = sentence.written[start + (words[0] == "the" and len(words) > 1)][:1]
    return first.isupper() or not first.isalpha()
