"""Stems of English words: the Porter2 ("English Snowball") rules, written out.

Stored terms are compared with terms made years later, so the stems must never change
under us: no library's next version may decide what a row is found by. The rules are those
that Martin Porter published; a test holds them together with an independent
implementation over a large vocabulary.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

__all__ = ["stem"]

_IRREGULAR: Final = {
    "skis": "ski",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "idly": "idl",
    "gently": "gentl",
    "ugly": "ugli",
    "early": "earli",
    "only": "onli",
    "singly": "singl",
} | {word: word for word in "sky news howe atlas cosmos bias andes".split()}
_WHOLE: Final = frozenset(
    "inning outing canning herring earring proceed exceed succeed".split()
)
_SHORTEST: Final = 3

_REGION: Final = re.compile(r"[aeiouy][^aeiouy]")
_LONG_PREFIX: Final = re.compile(r"gener|commun|arsen")
_CONSONANT_Y: Final = re.compile(r"(^|[aeiouy])y")
_VOWEL: Final = re.compile(r"[aeiouy]")
_SHORT_SYLLABLE: Final = re.compile(
    r"(?:^[aeiouy][^aeiouy]|[^aeiouy][aeiouy][^aeiouywxY])$"
)
_DOUBLED: Final = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")

#: Longest ending first; a rule applies to the first ending that fits, in R1.
_STEP_2: Final = (
    ("ization", "ize"),
    ("ational", "ate"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("iveness", "ive"),
    ("tional", "tion"),
    ("biliti", "ble"),
    ("lessli", "less"),
    ("entli", "ent"),
    ("ation", "ate"),
    ("alism", "al"),
    ("aliti", "al"),
    ("ousli", "ous"),
    ("iviti", "ive"),
    ("fulli", "ful"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("abli", "able"),
    ("izer", "ize"),
    ("ator", "ate"),
    ("alli", "al"),
    ("bli", "ble"),
    ("ogi", "og"),
    ("li", ""),
)
_STEP_3: Final = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("alize", "al"),
    ("icate", "ic"),
    ("iciti", "ic"),
    ("ative", ""),
    ("ical", "ic"),
    ("ness", ""),
    ("ful", ""),
)
_STEP_4: Final = (
    *("ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate"),
    *("iti", "ous", "ive", "ize", "ion", "al", "er", "ic"),
)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of a lower-case English word; other words come back as they are.

    >>> [stem(word) for word in ("deploys", "deployed", "deployment", "ponies")]
    ['deploy', 'deploy', 'deploy', 'poni']
    """
    if len(word) < _SHORTEST or not word.isascii():
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    word = _step_1a(_CONSONANT_Y.sub(r"\1Y", _without_possessive(word)))
    if word in _WHOLE:
        return word
    r1, r2 = _regions(word)
    word = _step_1c(_step_1b(word, r1))
    word = _replaced(word, _STEP_2, r1, r2)
    word = _replaced(word, _STEP_3, r1, r2)
    return _step_5(_step_4(word, r2), r1, r2).lower()


def _without_possessive(word: str) -> str:
    word = word.removeprefix("'")
    for ending in ("'s'", "'s", "'"):
        if word.endswith(ending):
            return word[: -len(ending)]
    return word


def _regions(word: str) -> tuple[int, int]:
    """Where R1 and R2 begin: each behind a vowel and a consonant."""
    prefix = _LONG_PREFIX.match(word)
    first = prefix or _REGION.search(word)
    r1 = first.end() if first else len(word)
    second = _REGION.search(word, r1)
    return r1, second.end() if second else len(word)


def _step_1a(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")):
        return word[:-1] if _VOWEL.search(word[:-2]) else word
    return word


def _step_1b(word: str, r1: int) -> str:
    for ending in ("eedly", "eed"):
        if word.endswith(ending):
            at = len(word) - len(ending)
            return word[:at] + "ee" if at >= r1 else word
    for ending in ("ingly", "edly", "ing", "ed"):
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return _mended(rest, r1) if _VOWEL.search(rest) else word
    return word


def _mended(rest: str, r1: int) -> str:
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if rest.endswith(_DOUBLED):
        return rest[:-1]
    if r1 >= len(rest) and _SHORT_SYLLABLE.search(rest):
        return rest + "e"
    return rest


def _step_1c(word: str) -> str:
    if word[-1:] in ("y", "Y") and len(word) > 2 and word[-2] not in "aeiouy":
        return word[:-1] + "i"
    return word


def _replaced(word: str, rules: tuple[tuple[str, str], ...], r1: int, r2: int) -> str:
    for ending, shorter in rules:
        if word.endswith(ending):
            at = len(word) - len(ending)
            return (
                word[:at] + shorter if at >= r1 and _allowed(word, at, ending, r2) else word
            )
    return word


def _allowed(word: str, at: int, ending: str, r2: int) -> bool:
    if ending == "li":
        return word[at - 1] in "cdeghkmnrt"
    if ending == "ogi":
        return word[at - 1] == "l"
    return at >= r2 if ending == "ative" else True


def _step_4(word: str, r2: int) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            at = len(word) - len(ending)
            fits = at >= r2 and (ending != "ion" or word[at - 1] in "st")
            return word[:at] if fits else word
    return word


def _step_5(word: str, r1: int, r2: int) -> str:
    at = len(word) - 1
    if word.endswith("e"):
        gone = at >= r2 or (at >= r1 and not _SHORT_SYLLABLE.search(word[:at]))
        return word[:at] if gone else word
    return word[:at] if word.endswith("ll") and at >= r2 else word
