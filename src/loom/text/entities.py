"""The canonical form of a named thing, under which its spellings are one.

`Billing Services`, `the billing service` and `Billing-Service's` are one entity. Lower
case, articles at the beginning, possessives and punctuation go, white space is one space,
and the head noun, which is the last word, is singular.

What makes a name a name stays: signs between letters or digits (`node.js`, `at&t`,
`ci/cd`, `a@b.org`, `std::vector`), `+` and `#` behind them (`c++`, `c#`), one dot before a
name (`.net`), and a hyphen beside a single letter (`e-mail`, `x-ray`, `a-team`); any other
hyphen or underscore is a space, so that `billing-service` is the `billing service`. Only
English articles and plurals are known: `la`, `los`, `die` begin too many names.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from loom.text.canonical import folded
from loom.text.plurals import singular

__all__ = ["canonical_entities", "canonical_entity"]

_ARTICLES: Final = frozenset(("the", "a", "an"))
_APOSTROPHES: Final = str.maketrans(dict.fromkeys("’‘ʼʻ＇`´′", "'"))
_POSSESSIVE: Final = re.compile(r"'s(?=\W|$)")
#: A comma inside a number: `1,000`.
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
#: Single letters with dots between and after them: `u.s.a.`, `j.r.r.`.
_INITIALS: Final = re.compile(r"(?<![\w.])[^\W\d_](?:\.[^\W\d_])+\.?(?![\w.])")
#: `a.` before a name is an initial, `a` an article.
_FIRST_INITIAL: Final = re.compile(r"a\.(?=\s+\S)")
_AMPERSAND: Final = re.compile(r"(?<=\S)\s+&\s+(?=\S)")

#: What a character is, as a letter: of a word, a dot, `+` or `#`, another sign that joins,
#: a hyphen, or a gap.
_WORD: Final = "w"
_DOT: Final = "d"
_PLUS: Final = "p"
_JOIN: Final = "j"
_HYPHEN: Final = "h"
_GAP: Final = " "
_SIGNS: Final = {
    ".": _DOT,
    **dict.fromkeys("+#", _PLUS),
    **dict.fromkeys("/&:@", _JOIN),
    **dict.fromkeys("-‐‑‒–—―−", _HYPHEN),
}
_PIECE: Final = re.compile(r"(?:(?<![dwjp])d)?w+(?:(?:d|[jp]{1,2}d?)w+)*p*")

#: Names whose last word is no plural, although the word by itself would be.
_NAMES: Final = frozenset(
    name.strip()
    for name in """
    windows; microsoft windows; ms windows; microsoft teams; ms teams; google docs
    google sheets; google slides; google maps; apple maps; google forms; google photos
    github actions; github pages; github issues; gitlab pages; cloudflare workers
    cloudflare pages; amazon web services; new orleans; los angeles; buenos aires
    united states; united nations; bill gates; melinda gates; steve jobs; ruby on rails
    tom hanks; tom waits; niagara falls; beverly hills; alice springs
    """.replace("\n", ";").split(";")
)


@lru_cache(maxsize=65_536)
def canonical_entity(name: str) -> str:
    """The form in which an entity is stored and looked for; it is its own canonical form.

    Empty only for a name without a letter or a digit.

    >>> [canonical_entity(n) for n in ("Billing Services", "The billing service's")]
    ['billing service', 'billing service']
    >>> [canonical_entity(n) for n in ("C++", ".NET", "Node.js", "AT&T", "O’Brien")]
    ['c++', '.net', 'node.js', 'at&t', 'obrien']
    """
    form = _once(name)
    while (again := _once(form)) != form:
        form = again
    return form


def canonical_entities(names: Iterable[str]) -> tuple[str, ...]:
    """The canonical forms in their order, each once; a name without letters is left out.

    >>> canonical_entities(["Billing Services", "!", "billing service", "Ana"])
    ('billing service', 'ana')
    """
    forms = dict.fromkeys(map(canonical_entity, names))
    return tuple(form for form in forms if form)


def _once(name: str) -> str:
    text = folded(_visible(name)).translate(_APOSTROPHES)
    text = _POSSESSIVE.sub(_unless_alone, text).replace("'", "")
    text = _THOUSANDS.sub("", text)
    text = _INITIALS.sub(lambda found: found[0].replace(".", ""), text)
    text = _AMPERSAND.sub(" and ", text)
    pieces = _pieces(text)
    if pieces and _FIRST_INITIAL.match(text.lstrip()) and pieces[0] == "a":
        pieces[0] = "a."
    pieces = _without_articles(pieces)
    form = unicodedata.normalize("NFC", " ".join(pieces))
    return form if form in _NAMES else _with_singular_head(form)


def _unless_alone(possessive: re.Match[str]) -> str:
    """Nothing, behind a word; an `'s` that belongs to none is kept."""
    before = possessive.string[: possessive.start()]
    owner = "" if before[-1:].isspace() else "".join(before.split()[-1:])
    return "" if any(map(str.isalnum, owner)) else possessive[0]


def _visible(name: str) -> str:
    """The name without marks of layout: joiners of width zero, directions."""
    if name.isascii():
        return name
    return "".join(c for c in name if unicodedata.category(c) != "Cf")


def _pieces(text: str) -> list[str]:
    """The words, each with the signs that belong to it."""
    kinds = "".join(map(_kind, text))
    found: list[str] = []
    end = -1
    for piece in _PIECE.finditer(kinds):
        word = text[piece.start() : piece.end()]
        hyphen = kinds[end : piece.start()] == _HYPHEN if end >= 0 else False
        if hyphen and (_is_letter(word) or _is_letter(found[-1].rpartition("-")[2])):
            found[-1] = f"{found[-1]}-{word}"
        elif any(map(str.isalnum, word)):
            found.append(word)
        else:
            continue
        end = piece.end()
    return found


def _kind(character: str) -> str:
    if character.isalnum() or unicodedata.category(character).startswith("M"):
        return _WORD
    return _SIGNS.get(character, _GAP)


def _is_letter(word: str) -> bool:
    return len(word) == 1 and word.isalpha()


def _without_articles(pieces: list[str]) -> list[str]:
    first = 0
    while first < len(pieces) - 1 and pieces[first] in _ARTICLES:
        first += 1
    return pieces[first:]


def _with_singular_head(form: str) -> str:
    start = max(form.rfind(" "), form.rfind("-")) + 1
    return form[:start] + singular(form[start:])
