"""Who or what a statement is about, and whether it states at all.

A subject is the run of words before a verb, read backwards over auxiliaries and adverbs.
What those say (not, might, used to, will) decides whether the statement holds now.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attrs import field, frozen

from loom.text.predicate_clauses import BOUNDARIES
from loom.text.predicate_words import (
    GENERIC_NOUNS,
    MANIFOLD,
    PERSONAL_NOUNS,
    SYNONYMS,
)
from loom.text.stems import stem

__all__ = [
    "DETERMINERS",
    "PREPOSITIONS",
    "USER",
    "Subject",
    "about",
    "is_doubted",
    "subject_before",
]

USER: Final = "user"

_FIRST_PERSON: Final = frozenset({"i", "we"})
_MINE: Final = frozenset("my our mine ours".split())
DETERMINERS: Final = frozenset(
    "the my our your his her its their this that these those".split()
)
PREPOSITIONS: Final = frozenset("of for in on at with from by to about".split())

_DENIALS: Final = frozenset("not never neither nor hardly".split())
_DOUBTS: Final = frozenset(
    (
        "might may could would should can shall must want wants wanted wish wishes wished"
        " hope hopes hoped hoping hopefully plan plans planning considering consider"
        " considered maybe perhaps possibly probably likely intend intends intending try"
        " trying tried tries need needs let unless if whether wonder wondering dream dreams"
        " dreaming imagine suppose pretend almost nearly thinking thought ask asked asking"
        " please going aim aiming aim aims target targets targeting expect expects expecting like help supposed doubt unsure"
        " assume assuming proposed proposes suggest suggested suggests eventually someday"
        " refuse refused unlikely fear ready"
    ).split()
)
_ADVERBS: Final = frozenset(
    (
        "now currently still also just already recently actually officially really only"
        " finally always usually often normally typically generally mostly mainly primarily"
        " presently temporarily permanently both all well definitely happily since later"
        " today again even simply ever successfully formally soon kinda basically further"
    ).split()
)
_AUXILIARIES: Final = frozenset(
    "am is are was were be been being have has had having do does did will get got gets".split()
)
_PASSED: Final = (
    _ADVERBS
    | _AUXILIARIES
    | _DENIALS
    | frozenset("might may could would should can shall must longer no used to".split())
)
#: Verbs and adjectives behind which a statement begins, with or without "that".
_REPORTING: Final = frozenset(
    (
        "said says say know knows knew note noted notes mentioned mention noticed notice"
        " confirmed confirm confirms learned learnt remember remembers heard see saw think"
        " thinks believe believes guess told announced decided reminded remind worried glad"
        " happy sure aware sorry excited proud found out mean means fact update fyi btw"
        " reads states stated explained reports realized realised discovered saying given"
        " noting confirming nervous concerned"
    ).split()
)
_NO_SUBJECTS: Final = frozenset(
    (
        "he she it they you this that these those there someone somebody everyone everybody"
        " anyone anybody nobody something nothing everything who which what one a an some"
        " any many most few several every each another two three four five no both his her"
        " its their your either all other others people him them us me such"
    ).split()
)
_OPENING: Final = frozenset(
    (
        "well yes yeah ok okay hi hello hey so now today currently recently also note"
        " remember update fyi btw actually just oh and but then thanks great sure"
        " yesterday lately meanwhile however"
    ).split()
)
_EMPTY: Final = frozenset(
    (
        "the 's new current latest updated own main primary actual this that final overall"
        " present whole entire revised upcoming initial original next exact official"
        " specific about with and to now still 'm total"
    ).split()
)
_FORMER: Final = frozenset("old former previous ex prior earlier past last".split())
_LONGEST: Final = 10


@frozen(kw_only=True, slots=True)
class Subject:
    """The words before a verb, and what its auxiliaries say."""

    #: The noun phrase; ("i",) for the first person; () if none stands there.
    words: tuple[str, ...]
    #: Position of its first word.
    start: int
    #: Auxiliaries and adverbs between it and the verb, in order.
    passed: tuple[str, ...]
    #: It may be carried over from the clause before.
    is_elided: bool = False
    #: Nothing stands before the verb in the whole sentence.
    is_absent: bool = False
    #: Said as a wish, plan, guess or request.
    is_doubtful: bool = False
    is_denied: bool = False
    #: "used to", "no longer", "not ... any more".
    is_ended: bool = False
    #: An infinitive: "to live".
    is_infinitive: bool = False
    #: Of something former: "my old number".
    is_former: bool = field(default=False)

    @property
    def auxiliaries(self) -> frozenset[str]:
        """The words passed over."""
        return frozenset(self.passed)

    @property
    def is_user(self) -> bool:
        """Whether it is the first person."""
        return self.words in (("i",), ("the", "user"), ("user",))


def subject_before(words: Sequence[str], verb: int) -> Subject:
    """The subject of the verb at a position."""
    end = verb
    while end and words[end - 1] in _PASSED:
        end -= 1
    start = end
    while start and end - start < _LONGEST and not _is_border(words, start - 1):
        start -= 1
    first = start
    while start < end and words[start] in _OPENING:
        start += 1
    phrase = tuple(words[start:end])
    passed = tuple(words[end:verb])
    if phrase and phrase[-1] in _FIRST_PERSON:
        phrase_words: tuple[str, ...] = ("i",)
    else:
        phrase_words = phrase
    used_to = "used" in passed and passed[-1:] == ("to",)
    any_more = "any" in words and _says_any_more(words[verb + 1 :])
    no_longer = "longer" in passed
    denied = not _DENIALS.isdisjoint(passed) or "no" in passed
    return Subject(
        words=phrase_words,
        start=start,
        passed=passed,
        is_elided=not phrase
        and first > 0
        and words[first - 1] in ("and", "but", ",", "then"),
        is_absent=not phrase and first == 0,
        is_doubtful=not _DOUBTS.isdisjoint(phrase)
        or not _DOUBTS.isdisjoint(passed)
        or is_doubted(words, first),
        is_denied=denied and not (no_longer or (any_more and denied)),
        is_ended=used_to or no_longer or (any_more and denied),
        is_infinitive=passed[-1:] == ("to",) and not used_to,
        is_former=not _FORMER.isdisjoint(phrase),
    )


def _says_any_more(words: Sequence[str]) -> bool:
    return any(
        word == "any" and tuple(words[at + 1 : at + 2]) in (("more",), ("longer",))
        for at, word in enumerate(words)
    )


def _is_border(words: Sequence[str], at: int) -> bool:
    word = words[at]
    return word in BOUNDARIES or word in _REPORTING


def is_doubted(words: Sequence[str], start: int) -> bool:
    """Whether what leads up to the phrase asks, wishes or depends."""
    at = start
    while at and words[at - 1] not in (",", ":", "and", "but", "so", "because"):
        at -= 1
    before = words[at:start]
    if any(word in _DOUBTS or word in _DENIALS for word in before):
        return True
    border = before[-1] if before else ""
    if border == "as" and words[start : start + 1] == ("of",):
        return False
    if border in ("which", "who", "whom", "whose", "as", "than", "until", "before"):
        return True
    if border == "that":
        return len(before) > 1 and before[-2] not in _REPORTING
    return False


def about(phrase: Sequence[str]) -> str | None:
    """The canonical text of a noun phrase; None if it names nothing in particular.

    "My" says who is meant only of relatives, pets and of nothing else: my project is the
    project. No words give no text.
    """
    kept: list[str] = []
    mine = False
    for at, word in enumerate(phrase):
        if word in _MINE or word in _FIRST_PERSON or word == USER:
            mine = True
        elif word in _NO_SUBJECTS and not (word == "that" and at == 0):
            return None
        elif word in PREPOSITIONS or word in _EMPTY or word in _FORMER:
            continue
        else:
            kept.append(SYNONYMS.get(word, word))
    if kept and MANIFOLD.issuperset(kept):
        return None
    named = [word for word in kept if word not in GENERIC_NOUNS] or kept
    # Sorted, so that "the deadline of X" is "the X deadline".
    stems = sorted({stem(word) if word.isalpha() else word for word in named})
    if mine and (not stems or not PERSONAL_NOUNS.isdisjoint(kept)):
        stems.insert(0, USER)
    return " ".join(stems)
