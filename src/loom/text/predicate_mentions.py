"""Values that stand beside a noun: "my April 20 deadline", "a quota of 1,200 calls a day".

Such a mention presupposes what it tells, so it counts even where the sentence worries,
asks or wishes. It is no firm statement of anything that may happen twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from attrs import evolve

from loom.text.predicate_attributes import checked
from loom.text.predicate_clauses import BOUNDARIES, Sentence
from loom.text.predicate_families import ATTRIBUTES, CHANGES, COUNTED_BY
from loom.text.predicate_nouns import noun_of
from loom.text.predicate_spans import (
    BEING,
    Found,
    may_be_value,
    stop_of_value,
    word_at,
)
from loom.text.predicate_subjects import (
    DETERMINERS,
    PREPOSITIONS,
    Subject,
    is_doubted,
)
from loom.text.predicate_verbs import FORMS

__all__ = ["MENTIONED", "mentions", "resolved"]

_FAMILIES: Final = frozenset("time limit measure price".split())
#: Nouns beside which a value may stand.
MENTIONED: Final = frozenset(n for n, family in ATTRIBUTES.items() if family in _FAMILIES)

_PRESUPPOSED: Final = frozenset("my our the".split())
_ADJUNCTS: Final = frozenset("for of on in with".split())
_BEFORE_VALUE: Final = frozenset("of on at".split())
_ENDS: Final = (
    BOUNDARIES
    | PREPOSITIONS
    | CHANGES
    | COUNTED_BY
    | BEING
    | frozenset("have has own there".split())
)
_UNITS: Final = frozenset(
    (
        "calls requests words minutes hours days seconds per minute hour day week month year"
        " am pm a percent"
    ).split()
)
_MOST_BEFORE: Final = 5
_MOST_BEHIND: Final = 7
_MOST_BACK: Final = 14


def mentions(sentence: Sentence, head: int) -> Iterator[Found]:
    """The value that stands beside the noun at a position, if one does."""
    words = sentence.words
    first, stop = _phrase_around(words, head)
    # What is said of it is its value; and the head of "deadline date" is "date".
    said = any(word in BEING or word in CHANGES for word in words[stop : stop + 3])
    if said or word_at(words, head + 1) in ATTRIBUTES:
        return
    inner = [at for at in range(first, head) if may_be_value(words[at])]
    if inner:
        end = inner[-1] + 1
        while end < head and (words[end] in _UNITS or "/" in words[end]):
            end += 1
        owned = words[first] in DETERMINERS or "'s" in words[first : inner[0]]
        before = words[first : inner[0]] if owned else ()
        yield from _mention(sentence, first, (*before, *words[end:stop]), inner[0], end)
        return
    for at in range(head + 1, min(stop + 1, len(words) - 1)):
        if words[at] in _BEFORE_VALUE and may_be_value(words[at + 1]):
            end = stop_of_value(words, at + 1)
            yield from _mention(sentence, first, words[first:at], at + 1, end)
            return


def _mention(
    sentence: Sentence, first: int, phrase: Sequence[str], start: int, stop: int
) -> Iterator[Found]:
    if phrase and phrase[0] in ("a", "an"):
        phrase = phrase[1:]
    if sentence.words[first] not in _PRESUPPOSED and is_doubted(sentence.words, first):
        return
    noun = noun_of(phrase)
    if noun is None or not noun.topic or noun.family not in _FAMILIES:
        return
    found = checked(sentence, noun, start, stop, is_past=False)
    if found is not None:
        single = noun.family in ("limit", "price") or noun.topic == "deadline"
        yield evolve(found, is_firm=(single and bool(noun.subject)) or noun.is_new)


def resolved(words: Sequence[str], subject: Subject) -> Subject:
    """The subject that "it" or "which" stands for: the attribute mentioned last."""
    if not subject.words and word_at(words, subject.start - 1) != "which":
        return subject
    for head in range(subject.start - 1, max(-1, subject.start - _MOST_BACK), -1):
        if words[head] in MENTIONED and word_at(words, head - 1) != "to":
            first, stop = _phrase_around(words, head)
            return evolve(
                subject, words=tuple(words[first:stop]), is_doubtful=False, is_elided=False
            )
    return subject


def _phrase_around(words: Sequence[str], head: int) -> tuple[int, int]:
    """Where the noun phrase with the head begins and ends, with its first adjunct."""
    first = head
    while first and head - first < _MOST_BEFORE and not _ends(words[first - 1]):
        first -= 1
        if words[first] in DETERMINERS or words[first] in ("a", "an"):
            break
    stop = head + 1
    if word_at(words, stop) in _ADJUNCTS:
        stop += 1
        while (
            stop < len(words)
            and stop - head < _MOST_BEHIND
            and words[stop] not in BOUNDARIES
            and words[stop] not in PREPOSITIONS
            and words[stop] not in FORMS
        ):
            stop += 1
    return first, stop


def _ends(word: str) -> bool:
    return word in _ENDS or word in FORMS
