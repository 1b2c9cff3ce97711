"""The words of the lexical space, frozen with its name.

Vectors are stored, so what a text's features are may never change under a name. This
module therefore leans on nothing that may: no stemmer of another package, no hash of the
interpreter, not even the tokens that search uses, which are free to get better. A change
here that moves any vector needs a new name in `lexical`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

__all__ = ["UNSPACED", "folded", "is_function_word", "stem", "words"]

#: Words that bind others together and say little by themselves.
_FUNCTION_WORDS: Final = frozenset(
    """
    a an the and or but if then else than so as while because
    of in on at to for from by with without about into onto over under up down out off
    between through during before after above below again
    am is are was were be been being do does did doing done have has had having
    will would shall should can could may might must ought
    it its itself this that these those there here
    i you he she we they me him her us them my your his our their mine yours ours theirs
    who whom whose which what when where why how
    not no nor never none neither
    very just also only own same such some any each all both either every other more most
    too quite rather still already yet
    """.split()
)

_UNSPACED: Final = (
    "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\U00020000-\U0003ffff"
)
#: A run of a script written without spaces: kana, Han, Thai, Lao, Burmese, Khmer.
UNSPACED: Final = re.compile(f"[{_UNSPACED}]+")
_RUNS: Final = re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")
_APOSTROPHES: Final = str.maketrans("\u2019\u2018\u02bc\uff07", "''''")
_NEGATED: Final = re.compile(r"\bcan't\b|\bcannot\b|\bwon't\b|\bshan't\b|n't\b")
_WHOLE: Final = {
    "can't": "can not",
    "cannot": "can not",
    "won't": "will not",
    "shan't": "shall not",
}
_SHORTENED: Final = re.compile(r"'(?:s|re|ve|ll|d|m)\b")
#: A number with its separators, a word (C++ and C# too), or a symbol that bears meaning.
#: Beyond ASCII all that is left by `_spelled` belongs to a word or stands between spaces.
_WORD: Final = re.compile(
    r"\d+(?:[.,:]\d+)*|[^\x00-`{-\x7f\s\d]+(?:\+\+(?!\w)|#(?!\w))?|[%$+<=>]"
)
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_DIACRITICS: Final = re.compile("[\u0300-\u036f]+")


def words(text: str) -> list[str]:
    """The words of a text, in order; case, punctuation and composition do not matter.

    Contractions are opened, thousands lose their separators, numbers part from their
    units, a run of a script without spaces becomes its overlapping pairs of characters.

    >>> words("It doesn't need 16GB, Anna's laptop!")
    ['it', 'does', 'not', 'need', '16', 'gb', 'anna', 'laptop']
    """
    plain = text.casefold() if text.isascii() else _spelled(text)
    if "n" in plain and ("n't" in plain or "cannot" in plain):
        plain = _NEGATED.sub(lambda found: _WHOLE.get(found[0], " not"), plain)
    if "'" in plain:
        plain = _SHORTENED.sub("", plain)
    found = _WORD.findall(plain)
    if "," in plain:
        found = [_without_thousands(word) for word in found]
    if plain.isascii():
        return found
    return [part for word in found for part in _parts(word)]


def _without_thousands(word: str) -> str:
    return word.replace(",", "") if _THOUSANDS.fullmatch(word) else word


def _spelled(text: str) -> str:
    """Case-folded NFC in which marks stay in their word and all that is no word is gone."""
    caseless = unicodedata.normalize("NFD", text).casefold()
    composed = unicodedata.normalize("NFC", caseless).translate(_APOSTROPHES)
    return "".join([c if c.isascii() else _shape(c) for c in composed])


@lru_cache(maxsize=4096)
def _shape(character: str) -> str:
    """What a non-ASCII character becomes before words are looked for."""
    category = unicodedata.category(character)
    if category == "Cf" or "\ufe00" <= character <= "\ufe0f":
        return ""
    if category[0] in "PZC":
        return " "
    return f" {character} " if category[0] == "S" else character


def _parts(word: str) -> list[str]:
    parts: list[str] = []
    for run in _RUNS.findall(word):
        if len(run) > 2 and UNSPACED.match(run):
            parts += [run[at : at + 2] for at in range(len(run) - 1)]
        else:
            parts.append(run)
    return parts


def is_function_word(word: str) -> bool:
    """Whether a word or symbol carries little of what a text is about."""
    return word in _FUNCTION_WORDS or not (word[0].isalnum() or len(word) > 1)


def folded(word: str) -> str:
    """The word without width, ligatures and accents.

    >>> folded("café")
    'cafe'
    """
    if word.isascii():
        return word
    return _DIACRITICS.sub("", unicodedata.normalize("NFKD", word))


_ENDINGS: Final = (
    *("ational", "ization", "fulness", "ousness", "iveness"),
    *("ement", "ation", "ment", "ness", "able", "ible", "ably", "ally"),
    *("ity", "ive", "ful", "ous", "ion", "ly", "er", "or", "al", "ic"),
)


def stem(word: str) -> str:
    """An English word without its inflection and its commonest ending.

    Words of other scripts and spellings stay. It is lighter than Porter's and as good on
    graded pairs; what matters is that one word's forms share a stem.

    >>> [stem(word) for word in ("deploys", "deployed", "deployment", "studies")]
    ['deploi', 'deploi', 'deploi', 'studi']
    """
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    bare = _without_tense(_singular(word))
    for ending in _ENDINGS:
        if bare.endswith(ending) and len(bare) - len(ending) >= 4:
            bare = bare[: -len(ending)]
            break
    return _last_vowel(bare)


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "shes", "ches", "zes", "oes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _without_tense(word: str) -> str:
    for ending in ("ing", "ed"):
        bare = word[: -len(ending)]
        if not word.endswith(ending) or len(bare) < 2 or bare.endswith("e"):
            continue
        if not any(letter in "aeiouy" for letter in bare):
            return word
        if len(bare) == 2:
            return bare if ending == "ing" and bare[-1] in "aiouy" else bare + "e"
        doubled = bare[-1] == bare[-2] and bare[-1] not in "lsz" and len(bare) > 3
        return bare[:-1] if doubled else bare
    return word


def _last_vowel(word: str) -> str:
    if len(word) < 4:
        return word
    if word[-1] == "e":
        return word[:-1]
    return word[:-1] + "i" if word[-1] == "y" else word
