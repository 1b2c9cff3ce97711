"""Search terms: what the lexical leg stores of a text, and what a query asks for.

One rule makes both, so a row that holds what was typed is found by it, in any script:

- a word is its English stem, case-folded; a word with accents is found with and without;
- a compound (`don't`, `user_id`, `fooBar`, `GB/s`, an address, a path) is a term as a
  whole and again in its parts;
- scripts that write no spaces give every letter and every pair of neighbours, so any word
  inside them is found;
- a symbol or emoji is a term of its own.

Terms of a word do not depend on its neighbours, which is why they can be cached.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, pairwise
from typing import Final

from loom.model.entries import Terms
from loom.text.scripts import is_dense, is_mark, units_of
from loom.text.stems import stem

__all__ = ["LONGEST_QUERY", "MOST_QUERY_TERMS", "query_terms", "terms_of"]

#: Characters of a query that are looked at; more do not make it more precise.
LONGEST_QUERY: Final = 4096
#: Distinct terms a query asks for at most: the first ones.
MOST_QUERY_TERMS: Final = 256

#: Longer words are kept by their beginning, in rows and queries alike.
_LONGEST_TERM: Final = 64
#: Longer words are rare and would fill the cache.
_LONGEST_CACHED: Final = 64

_STOP_WORDS: Final = frozenset(
    (
        "a an the and or but if of to in on at by for from with as is are was were be been am"
        " do does did has have had will would can could shall should may might must"
        " i me my you your he him his she her it its we us our they them their"
        " this that these those there here what which who whom whose when where why how"
        " not no so than then too very just about into over"
    ).split()
)
_STOP_TERMS: Final = frozenset(map(stem, _STOP_WORDS)) | {"s", "t"}

_ASCII_WORD: Final = re.compile(r"(?:[A-Z]?[a-z]+|[A-Z]+)\Z")
#: Edges of a word that belong to its neighbours: quotation marks, brackets, punctuation.
_EDGES: Final = "\"'“”„‘’‚«»‹›`´()[]{}<>.,;:!?…¿¡。，、；：！？（）［］「」『』【】《》〈〉।॥۔؟،؛·-–—_*~|\\/^"
#: What splits a compound into segments, and segments into parts.
_SEGMENT: Final = re.compile(r"[/\\@?&=#,;:|()\[\]{}<>\"“”!%*$€£¥+~^…]+|->|--+")
_PART: Final = re.compile(r"[\W_]+")
#: `gb/s` is what is looked for in `5gb/s`.
_LEADING_NUMBER: Final = re.compile(r"\A[$€£¥+-]?[\d.,]+(?=[^\d.,])")
#: Borders inside a part: `fooBar`, `HTTPServer`, `5gb`, `v2`.
_INNER: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[A-Z]")
_BORDER: Final = re.compile(r"['_]+|(?<=\D)(?=\d)|(?<=\d)(?=\D)")
_MOST_INNER: Final = 4
_SIGNS: Final = frozenset("*%&=<>~^|$+#@\\")
_PLAIN_LATIN: Final = str.maketrans(
    {
        "ł": "l",
        "ø": "o",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "æ": "ae",
        "œ": "oe",
        "ı": "i",
        "ħ": "h",
    }
)
#: Full-width and other letter forms that only look different.
_LETTER_FORMS: Final = re.compile("[\ufb00-\ufdff\ufe70-\ufefc\uff01-\uffee]")
_ARABIC_FORMS: Final = str.maketrans({"ى": "ي", "ک": "ك", "ی": "ي", "ة": "ه", "ـ": None})
_APOSTROPHES: Final = str.maketrans("’ʼ＇", "'''")
_ACCENTED: Final = re.compile("[a-z\u0370-\u03ff\u0400-\u052f]")
_JOINER: Final = "\u200d"
_INVISIBLE: Final = frozenset("\ufe0e\ufe0f\u200c\u2060\ufeff\u00ad\u200e\u200f\u20e3")
_SKIN: Final = range(0x1F3FB, 0x1F400)
_FLAGS: Final = range(0x1F1E6, 0x1F200)


def terms_of(text: str) -> Terms:
    """The search terms of a text, in order, repeats kept.

    >>> terms_of("Billing deploys at 5GB/s")
    ('bill', 'deploy', 'at', '5gb/s', 'gb/s', '5gb', '5', 'gb', 's')
    >>> terms_of("Café 東京")
    ('café', 'cafe', '東', '京', '東京')
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return tuple(chain.from_iterable(map(_terms_of_word, text.split())))


def query_terms(text: str) -> Terms:
    """The terms a query asks for: distinct, at most 256, stop words only if alone.

    No text raises; what has no words at all, such as white space, has no terms.

    >>> query_terms("When may billing be deployed?")
    ('bill', 'deploy')
    >>> query_terms("to be or not to be")
    ('to', 'be', 'or', 'not')
    """
    found = dict.fromkeys(terms_of(_beginning(text)))
    telling = [term for term in found if term not in _STOP_TERMS]
    return tuple((telling or list(found))[:MOST_QUERY_TERMS])


def _beginning(text: str) -> str:
    """As much of a query as is looked at, without a word cut in two."""
    if len(text) <= LONGEST_QUERY:
        return text
    words = text[: LONGEST_QUERY + 1].rsplit(maxsplit=1)
    return words[0] if words else ""


def _terms_of_word(word: str) -> Terms:
    if len(word) > _LONGEST_CACHED:
        return _analysed(word)
    return _cached(word)


def _analysed(word: str) -> Terms:
    if _ASCII_WORD.match(word):
        return (stem(word.lower())[:_LONGEST_TERM],)
    core = word.strip(_EDGES)
    if not core:
        return _of_marks(word)
    if core != word:
        return (*_terms_of_word(core), *_signs_at_edges(word, core))
    if word.isascii():
        return tuple(_clipped(_ascii_compound(word)))
    return tuple(_clipped(_any_script(word)))


_cached: Final = lru_cache(maxsize=65_536)(_analysed)


def _clipped(terms: Iterator[str]) -> Iterator[str]:
    return (term[:_LONGEST_TERM] for term in terms if term)


def _of_marks(word: str) -> Terms:
    """A word of marks alone is what somebody may look for: `*`, `--`, `...`."""
    seen = "".join(mark for mark in word if mark.isprintable())
    return (seen[:_LONGEST_TERM],) if seen else ()


def _signs_at_edges(word: str, core: str) -> Iterator[str]:
    at = word.index(core)
    return (sign for sign in word[:at] + word[at + len(core) :] if sign in _SIGNS)


def _ascii_compound(word: str) -> Iterator[str]:
    """The whole, its segments between slashes and the like, their parts, and its signs."""
    word = "".join(filter(str.isprintable, word))
    whole = word.lower()
    given: set[str] = set()
    yield from _new(stem(whole) if whole.isalpha() else whole, given)
    yield from _new(_LEADING_NUMBER.sub("", whole), given)
    for segment in _SEGMENT.split(word):
        yield from _new(segment.strip(_EDGES).lower(), given)
        for part in _PART.split(segment):
            yield from _parts(part, given)
    yield from (sign for sign in word if sign in _SIGNS and sign != whole)


def _parts(part: str, given: set[str]) -> Iterator[str]:
    folded = part.lower()
    yield from _new(stem(folded) if folded.isalpha() else folded, given)
    inner = _INNER.findall(part)
    # Bits of a hexadecimal number are nothing that anybody looks for.
    if 1 < len(inner) <= _MOST_INNER or (len(inner) > 1 and part.isalpha()):
        for piece in inner:
            yield from _new(stem(piece.lower()), given)


def _new(term: str, given: set[str]) -> Iterator[str]:
    if term and term not in given:
        given.add(term)
        yield term


def _any_script(word: str) -> Iterator[str]:
    """Terms of a word with letters beyond ASCII: runs of one kind, each by its own rule."""
    word = word.translate(_APOSTROPHES)
    if _LETTER_FORMS.search(word):
        word = unicodedata.normalize("NFKC", word)
    if word.isascii():
        yield from _terms_of_word(word)
        return
    runs = list(_runs(word))
    joined = [run for kind, run in runs if kind == "letters"]
    if len(runs) > 1 and joined and not any(kind == "dense" for kind, _ in runs):
        yield from _spellings(word)
    for kind, run in runs:
        if kind == "dense":
            yield from _dense(run)
        elif kind == "letters":
            yield from _letters(run)
        else:
            yield from _symbols(run)


def _runs(word: str) -> Iterator[tuple[str, str]]:
    """The word cut where the kind of its characters changes; punctuation is left out."""
    kind, run = "", ""
    for char in word:
        of_char = _kind(char, kind)
        if of_char != kind:
            if kind and run:
                yield kind, run
            kind, run = of_char, ""
        run += char
    if kind and run:
        yield kind, run


def _kind(char: str, before: str) -> str:
    if is_mark(char) or char in (_JOINER, "\u200c"):
        return before
    if is_dense(char):
        return "dense"
    if char.isalnum() or char == "_":
        return "letters"
    if unicodedata.category(char)[0] == "S":
        return "symbols"
    return "letters" if char == "'" and before == "letters" else ""


def _dense(run: str) -> Iterator[str]:
    units = units_of(run.casefold())
    yield from units
    yield from (a + b for a, b in pairwise(units))
    if len(units) > 2:
        yield from _korean_word(run, units)


def _korean_word(run: str, units: list[str]) -> Iterator[str]:
    """Korean writes spaces between phrases, so the phrase itself is a term too."""
    if "\uac00" <= units[0] <= "\ud7a3":
        yield run


def _letters(run: str) -> Iterator[str]:
    if run.isascii():
        yield from _terms_of_word(run)
        return
    yield from _spellings(run)
    pieces = [piece for piece in _BORDER.split(run) if piece]
    for piece in pieces if len(pieces) > 1 else ():
        yield from _spellings(piece)


def _spellings(word: str) -> Iterator[str]:
    """The word as it is and without accents, so that either is found by either."""
    folded = _folded(word)
    plain = _plain(folded)
    yield stem(folded) if folded.isascii() and folded.isalpha() else folded
    if plain != folded:
        yield stem(plain) if plain.isascii() and plain.isalpha() else plain


@lru_cache(maxsize=4_096)
def _folded(word: str) -> str:
    """Case-folded NFC; Arabic and Hebrew without their points, which are seldom written."""
    folded = unicodedata.normalize("NFD", word).casefold()
    kept = [c for c in folded if not _is_point(c) and c not in _INVISIBLE]
    return unicodedata.normalize("NFC", "".join(kept).translate(_ARABIC_FORMS))


def _is_point(char: str) -> bool:
    return "\u0591" <= char <= "\u0670" and is_mark(char)


def _plain(folded: str) -> str:
    """Without accents, where the letter below is Latin, Greek or Cyrillic."""
    kept: list[str] = []
    base = ""
    for char in unicodedata.normalize("NFD", folded.translate(_PLAIN_LATIN)):
        if not is_mark(char):
            base = char
        elif _ACCENTED.match(base):
            continue
        kept.append(char)
    return unicodedata.normalize("NFC", "".join(kept))


def _symbols(run: str) -> Iterator[str]:
    """Each symbol, flag and emoji; a joined or toned emoji also by its plain members."""
    for cluster in _emoji(run):
        yield cluster
        members = [c for c in cluster if c != _JOINER and ord(c) not in _SKIN]
        if len(cluster) > 1 and ord(cluster[0]) not in _FLAGS:
            yield from members


def _emoji(run: str) -> list[str]:
    clusters: list[str] = []
    for char in run:
        if char in _INVISIBLE or (not char.isprintable() and char != _JOINER):
            continue
        if clusters and _joins(clusters[-1], char):
            clusters[-1] += char
        elif char != _JOINER:
            clusters.append(char)
    return clusters


def _joins(cluster: str, char: str) -> bool:
    last = cluster[-1]
    if ord(char) in _FLAGS:
        return ord(last) in _FLAGS and len(cluster) % 2 == 1
    return _JOINER in (char, last) or ord(char) in _SKIN or is_mark(char)
