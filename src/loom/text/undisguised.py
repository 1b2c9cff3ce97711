"""Texts without their disguise: what a reader sees, in characters that patterns know.

A number is the same number in full-width digits, with no-break spaces, with dashes from
another block or with invisible characters between its digits. Shapes are looked for in the
text that `undisguised` makes; it is never stored.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

__all__ = ["undisguised"]

#: Lines and paragraphs, spaces, dashes.
_PLAIN_OF_CATEGORY: Final = {"Zl": "\n", "Zp": "\n", "Zs": " ", "Pd": "-"}
_BEYOND_ASCII: Final = re.compile(r"[^\x00-\x7f]")
#: Up to so many kinds of character, replacing each over the text is the faster way.
_FEW: Final = 16
#: Drawn over the character before them, or not at all: a grapheme joiner, the frame of a
#: key cap, the choice between a text and a picture.
_INVISIBLE: Final = frozenset("\u034f\u20e3\u115f\u1160\u3164\uffa0") | frozenset(
    map(chr, range(0xFE00, 0xFE10))
)


def undisguised(text: str) -> str:
    """The text in plain spaces, dashes, digits and letters; most texts come back as is.

    Each character is taken by itself, so this is linear in the length whatever the text.

    >>> undisguised("４１１１\u00a01111–1\u200b111")
    '4111 1111-1111'
    """
    if text.isascii():
        return text
    plain = {c: p for c in set(_BEYOND_ASCII.findall(text)) if (p := _plain(c)) != c}
    if len(plain) > _FEW:
        return text.translate({ord(c): p for c, p in plain.items()})
    for character, replacement in plain.items():
        text = text.replace(character, replacement)
    return text


@lru_cache(maxsize=4096)
def _plain(character: str) -> str:
    """What a character stands for, in ASCII where there is such a thing."""
    category = unicodedata.category(character)
    if category == "Cf" or character in _INVISIBLE:
        return ""
    if category in _PLAIN_OF_CATEGORY:
        return _PLAIN_OF_CATEGORY[category]
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    return _compatible(character)


def _compatible(character: str) -> str:
    """Its compatibility form if that is ASCII; what is raised or lowered stays apart."""
    if character == "\N{MINUS SIGN}":
        return "-"
    if character == "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}":
        return "I"  # its lower case is two characters long, and would shift all after it
    if unicodedata.decomposition(character).startswith(("<super>", "<sub>")):
        return character
    form = unicodedata.normalize("NFKC", character)
    return form if form.isascii() else character
