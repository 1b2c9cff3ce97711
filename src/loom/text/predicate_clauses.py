"""A text as sentences of plain words: what predicates are looked for in.

Contractions are written out, possessive endings and the marks that end a clause are words
of their own, and what asks or depends on a condition is left out. Words are case-folded;
capital letters only ever speak against a reading, where a name would have one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from attrs import frozen

__all__ = ["BOUNDARIES", "Sentence", "sentences_of"]

#: Characters and sentences of a text that are looked at; statements stand at the front.
_LONGEST: Final = 2_000
_MOST_SENTENCES: Final = 24
#: Longer runs without a full stop are data or code, of which the beginning will do.
_MOST_WORDS: Final = 160

_FENCED: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_BREAKS: Final = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*•#>]|\d+[.)]))|\n")
_OPENING: Final = "\"'“”‘«([{*_`~-—–•>#"
_CLOSING: Final = "\"'“”’»)]}*_`~.,;:!?…—–"
_ENDS: Final = frozenset(".!?…;")
_ABBREVIATIONS: Final = frozenset(
    "dr. mr. mrs. ms. prof. st. vs. e.g. i.e. etc. no. jan. feb. mar. apr. jun. jul. aug."
    " sep. sept. oct. nov. dec. a.m. p.m. approx. inc. ltd. corp. co. jr. sr. u.s. u.k."
    "".split()
)
_SHORTENED: Final = {
    "won't": ("will", "not"),
    "can't": ("can", "not"),
    "shan't": ("shall", "not"),
    "ain't": ("is", "not"),
    "cannot": ("can", "not"),
    "dont": ("do", "not"),
    "doesnt": ("does", "not"),
    "didnt": ("did", "not"),
    "isnt": ("is", "not"),
    "wasnt": ("was", "not"),
    "let's": ("let", "us"),
    "i'd": ("i", "would"),
    "im": ("i", "am"),
    "ive": ("i", "have"),
    "anymore": ("any", "more"),
    "o'clock": ("o'clock",),
}
_ENDINGS: Final = {
    "n't": "not",
    "'m": "am",
    "'re": "are",
    "'ve": "have",
    "'ll": "will",
    "'d": "would",
}
_IS: Final = frozenset("it he she that there here what who where how this".split())

#: Words at which a clause ends or begins.
BOUNDARIES: Final = frozenset(
    ", : — and but or so because since while whereas although though that which who whom"
    " whose when where if unless until whether as than then after before once instead"
    " rather except despite yet plus via".split()
)
_ASKING: Final = frozenset(
    "what how why who which whose where when is are am was were do does did can could"
    " should would will shall may might has have had any".split()
)
#: The same behind "and", where "is" and "have" may well go on stating.
_ASKING_FIRMLY: Final = frozenset("what how why where can could should would".split())
#: What a question begins with though the mark at its end is missing.
_ASKING_FIRST: Final = _ASKING - frozenset("may when".split())
_CONDITIONS: Final = frozenset(
    "if unless suppose supposing assuming imagine when example e.g hypothetically".split()
)


@frozen(slots=True)
class Sentence:
    """The words of one sentence, case-folded; marks within it are words of their own."""

    words: tuple[str, ...]
    #: As written; what a contraction holds stands in its first word.
    written: tuple[str, ...]

    @property
    def is_cased(self) -> bool:
        """Whether capital letters within it mark names."""
        return any(map(_is_capital, self.written[1:]))

    @property
    def is_neat(self) -> bool:
        """Whether its writer uses capital letters at all, so that names would have one."""
        return any(map(_is_capital, self.written))


def _is_capital(word: str) -> bool:
    return word[:1].isupper() and word not in ("I", "I'm", "I've", "I'd", "I'll")


def sentences_of(text: str) -> Iterator[Sentence]:
    """The sentences that state something, without their questions and conditions.

    >>> [s.words for s in sentences_of("I don't know. I'm in Rome, can you help?")]
    [('i', 'do', 'not', 'know'), ('i', 'am', 'in', 'rome')]
    """
    if len(text) > _LONGEST:
        text = text[:_LONGEST].rsplit(maxsplit=1)[0]
    if "```" in text:
        text = _FENCED.sub("\n", text)
    lines = _BREAKS.split(text) if "\n" in text else [text]
    found = (sentence for line in lines for sentence in _sentences(line))
    return islice(found, _MOST_SENTENCES)


def _sentences(line: str) -> Iterator[Sentence]:
    words: list[str] = []
    written: list[str] = []
    for raw in line.split():
        core = raw.strip(_CLOSING).lstrip(_OPENING)
        folded = core.lower()
        if core:
            if raw[0] in "(—–" and words:
                _mark(words, written)
            for word in _expanded(folded):
                words.append(word)
                written.append(core)
        end = raw[-1] if core else raw[0]
        if not core and words and raw in ("-", "—", "–", "->", ":"):
            _mark(words, written)
        elif end in _ENDS or (end in "\"'”)*_" and raw.rstrip("\"'”)*_")[-1:] in _ENDS):
            if raw.lower() in _ABBREVIATIONS or (
                len(core) == 1 and end == "." and core != "I"
            ):
                continue
            yield from _stated(words, written, asked="?" in raw)
            words, written = [], []
        elif core and end in ",:—–)":
            words.append(":" if end == ":" else ",")
            written.append(end)
    yield from _stated(words, written, asked=False)


def _mark(words: list[str], written: list[str]) -> None:
    words.append(",")
    written.append(",")


def _expanded(word: str) -> tuple[str, ...]:
    if word in _SHORTENED:
        return _SHORTENED[word]
    if "’" in word:
        word = word.replace("’", "'")
        if word in _SHORTENED:
            return _SHORTENED[word]
    if "'" not in word:
        return (word,)
    if word.endswith("'s"):
        head = word[:-2]
        return (head, "is" if head in _IS else "'s") if head else ()
    for ending, meant in _ENDINGS.items():
        if word.endswith(ending) and len(word) > len(ending):
            return word[: -len(ending)], meant
    return (word.rstrip("'"),)


def _stated(words: list[str], written: list[str], *, asked: bool) -> Iterator[Sentence]:
    """The part of a sentence that states: up to its question, none if all depends on it."""
    if not words or words[0] in _CONDITIONS or words[0] in _ASKING_FIRST:
        return
    stop = min(len(words), _MOST_WORDS)
    if asked:
        starts = (
            at
            for at in range(1, stop)
            if words[at] in (_ASKING if words[at - 1] in (",", ":") else _ASKING_FIRMLY)
            and words[at - 1] in (",", "and", "but", "so", ":")
        )
        stop = next(starts, 0)
    while stop and words[stop - 1] in (",", ":", "and", "but", "so"):
        stop -= 1
    if stop:
        yield Sentence(tuple(words[:stop]), tuple(written[:stop]))
