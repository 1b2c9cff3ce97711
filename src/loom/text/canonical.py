"""When two texts are one text: the canonical form, and the text of a value.

The form forgets only what changes nothing that is said: case, white space, quotation
marks, and sentence punctuation at the edges of words (R-12). Symbols and whatever stands
inside a token stay, because there a character is the fact: `x < 5`, `C#`, `-5`, `.5`,
`27:10`, `6'` against `6"`. Where a mark could be either, it stays: a missed merge costs
one row more, a wrong one costs a fact.
"""

from __future__ import annotations

import hashlib
import unicodedata
from typing import Final

from loom.model.json_values import Json, canonical_json

__all__ = ["canonical_form", "canonical_sha256", "folded", "text_of"]

_DOUBLE: Final = '"“”„‟«»〝〞〟＂❝❞「」『』'
_SINGLE: Final = "'‘’‚‛‹›`´＇❛❜"
_QUOTES: Final = frozenset(_DOUBLE + _SINGLE)
#: May end a sentence, so one standing alone at the end of a text says nothing.
_ENDS: Final = frozenset(".!?…。．｡！？‽⁇⁈⁉‼؟۔।॥።։")
_MARKS: Final = _ENDS | frozenset(",;:，、；：､،؛፣፤፥")
#: Opens a sentence or resumes one; other marks before a word (`.5`, `!x`, `:memory:`) are
#: part of it.
_OPENERS: Final = frozenset("¿¡…")
_ELLIPSIS: Final = "..."
_DOMAIN: Final = b"loom:canonical-text\x00"


def canonical_form(text: str) -> str:
    """The form under which texts that say the same in the same words are equal (R-12).

    It is taken over the whole text, and it is its own canonical form.

    >>> canonical_form('  "Ana LIKES  pea soup." ')
    'ana likes pea soup'
    >>> canonical_form("x < .5, C# at 27:10!")
    'x < .5 c# at 27:10'
    """
    tokens = folded(text).split()
    kept: list[str] = []
    open_quotes = 0
    for token in tokens:
        core, open_quotes = _core(token, open_quotes)
        if core:
            kept.append(core)
    while kept and _ENDS.issuperset(kept[-1]):
        kept.pop()
    return " ".join(kept) or " ".join(tokens)


def canonical_sha256(value: Json, content_sha256: str) -> str:
    """The hash by which values merge: of the canonical form of a text, else its own (R-12).

    Args:
        value: the stored value.
        content_sha256: its content hash, answered for whatever is no text.

    Returns:
        64 hexadecimal digits. A text's never equals any value's content hash.
    """
    if not isinstance(value, str):
        return content_sha256
    form = canonical_form(value).encode("utf-8", "surrogatepass")
    return hashlib.sha256(_DOMAIN + form).hexdigest()


def folded(text: str) -> str:
    """The text without case, in NFC: the same of every spelling of one letter.

    >>> folded("STRASSE") == folded("Straße")
    True
    """
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFD", text).casefold()
    # Folding can bring letters that decompose or fold again (ΐ, ͅ); the second round is
    # a fixed point for every character there is.
    again = unicodedata.normalize("NFD", decomposed).casefold()
    return unicodedata.normalize("NFC", again)


def text_of(value: Json) -> str:
    """The text that is embedded, tokenised and chunked: a text as it is, else its lines.

    Objects become `name: value` lines in the order of their names, with the path to a
    nested value joined by dots, so that equal values have equal texts and every word and
    number can be found.

    >>> print(text_of({"port": 8080, "hosts": ["a", "b"], "tls": {"on": True}}))
    hosts: a, b
    port: 8080
    tls.on: true
    """
    if isinstance(value, str):
        return value
    return "\n".join(_lines("", value))


def _core(token: str, open_quotes: int) -> tuple[str, int]:
    """The token without the marks at its edges, and the quotations still open after it."""
    if token[0].isalnum() and token[-1].isalnum():
        return token, open_quotes
    start = _start_of_word(token)
    if start == len(token):
        return _without_word(token), open_quotes
    open_quotes += sum(mark in _QUOTES for mark in token[:start])
    stop = len(token)
    while stop > start:
        mark = token[stop - 1]
        if mark in _QUOTES:
            if not open_quotes and token[stop - 2].isdigit():
                break  # feet or inches: nothing was quoted
            open_quotes = max(0, open_quotes - 1)
        elif mark not in _MARKS:
            break
        stop -= 1
    return token[start:stop], open_quotes


def _start_of_word(token: str) -> int:
    """Where the word begins: past quotation marks and sentence openers.

    The length of the token, if it has nothing but marks.
    """
    start = 0
    while start < len(token):
        if token[start] in _QUOTES or token[start] in _OPENERS:
            start += 1
        elif token.startswith(_ELLIPSIS, start):
            start = len(token) - len(token[start:].lstrip("."))
        else:
            break
    rest = token[start:]
    return len(token) if all(mark in _MARKS or mark in _QUOTES for mark in rest) else start


def _without_word(token: str) -> str:
    """What is left of a token of marks alone: `","` and `""` are quoted and so are said."""
    inner = "".join(mark for mark in token if mark not in _QUOTES)
    quotes = len(token) - len(inner)
    if quotes < 2:
        return inner
    return f'"{inner}"'


def _lines(path: str, value: Json) -> list[str]:
    if isinstance(value, dict) and value:
        names = sorted(value)
        return [
            line for n in names for line in _lines(f"{path}.{n}" if path else n, value[n])
        ]
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        return [line for item in value for line in _lines(path, item)]
    stated = ", ".join(map(_scalar, value)) if isinstance(value, list) else _scalar(value)
    return [f"{path}: {stated}" if path else stated]


def _scalar(value: Json) -> str:
    return value if isinstance(value, str) else canonical_json(value).decode()
