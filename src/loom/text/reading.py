"""One text read once: its words, values, names, denials, in the order they stand.

What two statements have in common is found by comparing two readings; see `statements`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import zip_longest
from typing import Final

from attrs import evolve, field, frozen

from loom.text.canonical import canonical_form
from loom.text.lemmas import lemma_stem
from loom.text.opposites import NEGATIONS
from loom.text.scripts import DENSE, is_dense, units_of
from loom.text.synonyms import meaning_of
from loom.text.values import StatedValue, located_values

__all__ = ["FUNCTION_WORDS", "Reading", "Word", "read"]

_LONGEST_CACHED: Final = 2_000

#: Words without content of their own. They still count when two texts are taken for one.
FUNCTION_WORDS: Final = frozenset(
    (
        "a an the and or but if of to in on at by for from with as into onto upon about over"
        " under between through during is are was were be been being am do does did done"
        " has have had having will would can could shall should may might must"
        " i me my mine you your yours he him his she her hers it its we us our ours they them"
        " their theirs this that these those there here what which who whom whose when where"
        " why how so than then too very just also only even still all both each every any some"
        " one ones up down out off while because although though since until till again ever"
        " own such same other s t ll ve re d m"
    ).split()
)
#: Words that may come and go without changing what is said.
_EMPTY_WORDS: Final = frozenset("a an the that please also very really".split())

_WORD: Final = re.compile(
    '[^\\s"“”„«»‹›`´.,;:!?…()\\[\\]{}<>=+*/\\\\%&|^~—–\\-_#@$€£¥≤≥≠→←，。、；：！？「」『』（）।॥؟،؛·•]+'
    "|[<>=!]=|->|=>|[<>=+*/%&|^~≤≥≠→←#$€£¥]+"
)
_SENTENCE_END: Final = re.compile(r"[.!?…:\n•]\W*\Z")
_CLAUSE_BREAK: Final = re.compile(
    r"[.;!?,:—–\n。；！？，、]|(?i:\b(?:but|and|while|whereas|although|though|because|so)\b)"
)
#: What between two values makes a range, ratio or path of them.
_BINDING: Final = frozenset("- – — : .. ... … . ; \\".split())
_DASH: Final = "-"
_MARK: Final = re.compile(
    r"(?<!\S)[-!@.~:/\\?]+(?=[^\W\d])|(?<!\S)[^\w\s]+(?!\S)|\(\)|\[\]|\{\}"
)
#: Marks that values account for.
_WITH_NUMBERS: Final = frozenset("% $ € £ ¥ °".split())
_HAS_DENSE: Final = re.compile(f"[{DENSE}]")
_DENSE_DENIALS: Final = re.compile(
    "不|没有?|沒有?|无|無|未|别|勿|ません|なかった|ない|않|^안$|못|없|아니|ไม่|ไร้"
)
#: Ending of a word to the word it stands for. `'s` and `'d` may stand for several.
_CONTRACTIONS: Final = {
    "n't": "not",
    "nt": "not",
    "not": "not",
    "'re": "are",
    "'ve": "have",
    "'ll": "will",
    "'m": "am",
}
#: Words without an apostrophe that are contractions all the same.
_RUN_TOGETHER: Final = frozenset(
    (
        "cannot dont doesnt didnt isnt arent wasnt werent havent hasnt hadnt cant couldnt"
        " shouldnt wouldnt wont"
    ).split()
)
#: Contractions whose verb lost letters.
_SHORTENED: Final = {
    "can't": "can",
    "cant": "can",
    "won't": "will",
    "wont": "will",
    "shan't": "shall",
    "ain't": "is",
}
_SHARE_OF_TITLES: Final = 0.6
_TITLE_LEAST: Final = 4


@frozen(slots=True)
class Word:
    """A word, value or symbol of a text."""

    #: What it is compared by: case-folded word, or kind and content of a value.
    key: str
    #: As written.
    text: str
    start: int
    #: Stem of the base form of a word; the key of anything else.
    stem: str
    is_value: bool = False
    is_name: bool = False
    is_denial: bool = False
    #: It begins a sentence, so its capital letter says nothing.
    is_first: bool = False
    #: Which clause of the text it stands in, counted from 0.
    clause: int = 0

    @property
    def has_content(self) -> bool:
        """Whether it says something by itself and is neither value nor denial."""
        return not (self.is_value or self.is_denial or self.key in FUNCTION_WORDS)


@frozen(kw_only=True, slots=True)
class Reading:
    """What a text says, as far as words show it."""

    canonical: str
    words: tuple[Word, ...]
    values: tuple[StatedValue, ...]
    #: The words that change what is said: all but articles and the like.
    told: tuple[Word, ...]
    #: Their keys, in plain order: a fronted phrase stands last.
    sequence: tuple[str, ...]
    #: Marks that are no punctuation: `--` of `--force`, `!` of `!x`, a quoted `","`, `{}`.
    marks: tuple[str, ...]
    #: Stem to first writing of each content word.
    content: dict[str, str] = field(hash=False)
    stems: frozenset[str]
    #: What the content words mean: one stem for words that say the same.
    meanings: frozenset[str]
    #: What each word is called by, possessives aside.
    mentioned: frozenset[str]
    #: Of the words that may name somebody or something: that, and the writing.
    named: tuple[tuple[str, str], ...]
    denials: int
    #: It holds a question mark.
    asks: bool


def read(text: str) -> Reading:
    """The reading of a text. Readings of short texts are kept."""
    return _cached(text) if len(text) <= _LONGEST_CACHED else _reading(text)


def _reading(text: str) -> Reading:
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    words = _named(list(_words(text)))
    told = tuple(_without_empty(words, text))
    content: dict[str, str] = {}
    for word in words:
        if word.has_content:
            content.setdefault(word.stem, word.text)
    canonical = canonical_form(text)
    return Reading(
        canonical=canonical,
        words=words,
        values=tuple(dict.fromkeys(located.value for located in located_values(text))),
        told=told,
        sequence=tuple(word.key for word in _in_plain_order(told, text)),
        marks=tuple(m for m in _MARK.findall(canonical) if m not in _WITH_NUMBERS),
        content=content,
        stems=frozenset(word.stem for word in words),
        meanings=frozenset(map(meaning_of, content)),
        mentioned=frozenset(word.key.removesuffix("'s") for word in words),
        named=tuple(
            (word.key.removesuffix("'s"), word.text)
            for word in words
            if word.is_name or _is_letter_of_its_own(word)
        ),
        denials=sum(_denies(words, at) for at in range(len(words))),
        asks=any(mark in text for mark in "?？؟"),
    )


def _is_letter_of_its_own(word: Word) -> bool:
    """A letter of a script without capitals may be part of a name, so it counts as one."""
    return not word.is_value and not word.is_denial and is_dense(word.text[0])


_cached: Final = lru_cache(maxsize=4_096)(_reading)


# ---------------------------------------------------------------------------- the words


def _words(text: str) -> Iterator[Word]:
    """The words with their clauses, and whether each begins a sentence."""
    breaks = [match.start() for match in _CLAUSE_BREAK.finditer(text)]
    clause = at = 0
    for word in _all_words(text):
        while clause < len(breaks) and breaks[clause] < word.start:
            clause += 1
        is_first = not at or _SENTENCE_END.search(text[at : word.start]) is not None
        at = word.start + len(word.text)
        # Written out, since `evolve` takes as long as all the rest.
        yield Word(
            word.key,
            word.text,
            word.start,
            word.stem,
            is_value=word.is_value,
            is_denial=word.is_denial,
            is_first=is_first,
            clause=clause,
        )


def _all_words(text: str) -> Iterator[Word]:
    for start, stop, value in _gaps_and_values(text):
        if value is None:
            yield from _gap(text, start, stop)
        else:
            key = f"{value.kind}:{value.content}"
            yield Word(key, value.text, start, key, is_value=True)


def _gap(text: str, start: int, stop: int) -> Iterator[Word]:
    """The words between two values; a mark there makes one thing of them."""
    mark = text[start:stop].strip()
    if mark in _BINDING and start > 0 and stop < len(text):
        named = _DASH if mark in "–—" else mark
        yield Word(named, mark, start, named)
        return
    for match in _WORD.finditer(text, start, stop):
        yield from _split(match.group(), match.start())


def _gaps_and_values(text: str) -> Iterator[tuple[int, int, StatedValue | None]]:
    at = 0
    for located in located_values(text):
        yield at, located.start, None
        yield located.start, located.stop, located.value
        at = located.stop
    yield at, len(text), None


def _split(written: str, start: int) -> Iterator[Word]:
    """The words of one written word: `don't` is two, a run of Chinese many."""
    if _HAS_DENSE.search(written):
        yield from _dense_words(written, start)
        return
    bare = written.strip("'’‘")
    if not bare:
        return
    start += written.find(bare)
    folded = bare.casefold().replace("’", "'")
    if "'" not in folded and folded not in _RUN_TOGETHER:
        yield _word(folded, bare, start)
        return
    for ending, meant in _CONTRACTIONS.items():
        if folded.endswith(ending) and ("'" in ending or folded in _RUN_TOGETHER):
            cut = len(bare) - len(ending)
            if cut:
                head = _SHORTENED.get(folded, folded[: -len(ending)])
                yield _word(head, bare[:cut], start)
            yield _word(meant, bare[cut:], start + cut)
            return
    yield _word(folded, bare, start)


def _word(folded: str, written: str, start: int) -> Word:
    return Word(folded, written, start, lemma_stem(folded), is_denial=folded in NEGATIONS)


def _dense_words(written: str, start: int) -> Iterator[Word]:
    """Each letter of a script without spaces is a word; denials may take several."""
    at = 0
    for match in _DENSE_DENIALS.finditer(written):
        yield from _units(written[at : match.start()], start + at)
        folded = match.group().casefold()
        yield Word(folded, match.group(), start + match.start(), folded, is_denial=True)
        at = match.end()
    yield from _units(written[at:], start + at)


def _units(run: str, start: int) -> Iterator[Word]:
    latin = ""
    for unit in units_of(run):
        if is_dense(unit[0]):
            if latin:
                yield _word(latin.casefold(), latin, start - len(latin))
                latin = ""
            folded = unit.casefold()
            yield Word(folded, unit, start, folded)
        else:
            latin += unit
        start += len(unit)
    if latin:
        yield _word(latin.casefold(), latin, start - len(latin))


# ------------------------------------------------------------------- names and denials


def _named(words: list[Word]) -> tuple[Word, ...]:
    """The words with names marked: a capital letter that its place does not explain."""
    spelled = [word for word in words if not word.is_value and word.text[0].isalpha()]
    capital = sum(word.text[0].isupper() for word in spelled)
    # Headings and shouting: there capitals say nothing.
    if capital >= _TITLE_LEAST and capital > _SHARE_OF_TITLES * len(spelled):
        return tuple(words)
    return tuple(evolve(word, is_name=True) if _is_name(word) else word for word in words)


def _is_name(word: Word) -> bool:
    return (
        word.text[0].isupper()
        and not (word.is_value or word.is_denial or word.is_first)
        and word.key not in FUNCTION_WORDS
    )


def _denies(words: tuple[Word, ...], at: int) -> bool:
    """Whether the word denies: not in `not only`, `or not`, `may or may not`, `No. 5`."""
    word = words[at]
    if not word.is_denial:
        return False
    after = words[at + 1] if at + 1 < len(words) else None
    before = [previous.key for previous in words[max(0, at - 2) : at]]
    if word.key == "not":
        return not ((after and after.key == "only") or "or" in before)
    return not (word.text == "No" and after and after.is_value and not word.is_first)


# ------------------------------------------------------------------------- the sequence


def _without_empty(words: tuple[Word, ...], text: str) -> Iterator[Word]:
    """The words but for articles; the `A` of `vitamin A` is none."""
    for word, following in zip_longest(words, words[1:]):
        end = word.start + len(word.text)
        stands_before = following is not None and text[end : following.start] == " "
        is_letter = word.text == "A" and not word.is_first
        if word.key not in _EMPTY_WORDS or is_letter or not stands_before:
            yield word


_FRONTED: Final = frozenset("on in at during since until before after by".split())
_LONGEST_FRONTED: Final = 5


def _in_plain_order(words: tuple[Word, ...], text: str) -> tuple[Word, ...]:
    """`On 7 May, Ana ran` in the order of `Ana ran on 7 May`."""
    if not words or words[0].key not in _FRONTED:
        return words
    for at in range(1, min(_LONGEST_FRONTED, len(words) - 1) + 1):
        before = words[at - 1]
        between = text[before.start + len(before.text) : words[at].start]
        if "," in between:
            if at == 1 or any(word.clause > words[at].clause for word in words[at:]):
                return words
            return words[at:] + words[:at]
    return words
