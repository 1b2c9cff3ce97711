"""Secrets that a text calls so: `password: ...`, "the token is ...", "... as my password".

The noun alone says nothing: policies, forms and code speak of passwords all day. What
decides is the value beside it (`loom.text.secret_values`) and how it stands there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from attrs import frozen

from loom.text.anchors import places
from loom.text.secret_values import is_opaque, is_password

__all__ = ["has_told_secret"]

#: From a word to what must stand at its place for it to name a password, a token, a key.
#: A pattern may look back to the words before it.
_STRONG: Final = {
    "pass": re.compile(
        r"pass(?:[ _-]?(?:word|wd|phrase)|wort|(?<=mot de pass)e|(?<![a-z]pass)(?=[:=]|[\"'] ?:))"
    ),
    "pwd": re.compile(r"(?<![a-z])pwd"),
    "pw": re.compile(r"(?<![a-z])pw(?=[\"']? ?[:=])"),
    "kennwort": re.compile("kennwort"),
    "senha": re.compile(r"(?<![a-z])senha"),
    "wachtwoord": re.compile("wachtwoord"),
}
#: As above, in letters that an ASCII text does not have.
_STRONG_BEYOND_ASCII: Final = {
    word: re.compile(word)
    for word in ("contraseña", "hasło", "пароль", "密码", "密碼", "パスワード", "비밀번호")
}
_WEAK: Final = {
    "secret": re.compile(r"(?:(?<![a-z])|(?<=client)|(?<=auth)|(?<=api))secret"),
    "token": re.compile(
        r"(?:(?<![a-z])|(?<=access)|(?<=auth)|(?<=api)|(?<=refresh)|(?<=bot)|(?<=id))token"
    ),
    "credential": re.compile(r"(?<![a-z])credential"),
    "key": re.compile(
        r"(?:(?<=api)|(?<=access)|(?<=secret)|(?<=private)|(?<=auth)|(?<=encryption)"
        r"|(?<=api[ _-])|(?<=access[ _-])|(?<=secret[ _-])|(?<=private[ _-])|(?<=auth[ _-])"
        r"|(?<=encryption[ _-])|(?<=signing[ _-])|(?<=master[ _-])|(?<=account[ _-])"
        r"|(?<=licen[sc]e[ _-])|(?<=deploy[ _-])|(?<=service[ _-])|(?<=admin[ _-])"
        r"|(?<=account)|(?<=_)(?=key[\"']? ?[:=]))key"
    ),
}
#: From the noun to its value: a few words, a bracket, closing quotes; a sign or a verb.
_TAIL: Final = re.compile(
    r"s?(?P<more>(?:[ _-][a-z0-9'’]{1,20}+){0,6}?)(?: ?\([^()\n\x00]{1,30}\))?[\"'`\]]{0,2} ?"
    r"(?:(?P<assigned>:=|=>|->|:|={1,3}|→)"
    r"|(?<=[ \"'`)])(?:(?:is|was|are)(?: (?:now|still|just|set to|changed to))?"
    r"|(?:changed|set|reset|updated) to)(?::|(?= )))[ \t]{0,3}"
)
_VALUE: Final = re.compile(
    r"[\"'`“‘](?P<quoted>[^\"'`“”’\n\x00]{1,200})[\"'`”’]"
    r"|(?P<bare><[^<>\n\x00]{1,80}>|[^\s\"`“”<>,;&\x00]{1,200})"
)
_CLAUSE_END: Final = re.compile(
    r"[ \t]*(?:[\n\r\x00,;.|)\]}\"'`&!?]|\Z|(?:and|but|or|so|for)\b)"
)
_BESIDE: Final = re.compile(r"s? (?P<bare>[^\s\"'`“”<>,;:=\x00]{6,64})")
_BEFORE: Final = re.compile(
    r"(?:\A|[\s\"'`(\x00])(?P<bare>[^\s\"'`()\x00]{6,64})[\"'`]? (?:is|as) "
    r"(?:my|our|the|his|her|their|your)(?: [a-z-]{1,16}){0,3} ?\Z"
)
_OWNED: Final = re.compile(
    r"(?<![a-z])(?:my|our|his|her|their|[a-z]{2,20}['’]s)(?: [a-z-]{1,16}){0,3} ?\Z"
)
_PHRASE: Final = re.compile(
    r"(?:pass ?phrase|seed phrase|recovery phrase|mnemonic)(?: [a-z]{1,12}+){0,4}? ?(?::|=|is) ?"
    r"[\"'`]?(?P<words>[a-z]{3,12}+(?: [a-z]{3,12}+){3,23})[\"'`]?[.!]? ?(?:[\n\x00]|\Z)"
)
#: What is said of a secret without telling it; as much for the words of a name.
_ABOUT: Final = frozenset(
    (
        "policy policies length rule rules requirement requirements manager managers hint reset"
        " expiry expiration rotation strength algorithm hash hashing type types format field"
        " fields count limit id ids url uri endpoint file path name prompt screen page form"
        " protected protection usage budget must should cannot can needs need requires require"
        " minimum maximum expires expire ttl lifetime age window size bucket position index that"
        " which if when not no never isn't wasn't"
    ).split()
)
#: Tokens and keys of other trades: of tables, of paging, of design, of language models.
_OTHER_TOKEN: Final = re.compile(
    r"(?:public|primary|foreign|sort|partition|group|cache|object|row|index|unique|dispatch"
    r"|page|cursor|continuation|sync|design|next|stop|end|pad|mask|special|max|per|input"
    r"|output|nft|syntax|each|every)[ _-]\Z"
)
_PHRASE_WORDS: Final = frozenset(
    "the is are in of should must kept with that this and not was has have from your".split()
)
_OPERATOR: Final = re.compile("[=<>()]")
_DIGIT: Final = re.compile("[0-9]")
_WORD: Final = re.compile("[a-z']+")
_CLOSING: Final = ".,;:!?)]}\"'`"


@frozen(kw_only=True, slots=True)
class _Value:
    """What stands where a secret would be, and how."""

    text: str
    #: Behind it and its quotation mark.
    stop: int
    #: A sign leads to it, or it is said to be somebody's own.
    is_pointed_at: bool
    is_last: bool
    is_quoted: bool


def has_told_secret(text: str, folded: str) -> bool:
    """Whether a secret is told by what it is called.

    Args:
        text: undisguised.
        folded: the same in lower case, of the same length.
    """
    strong = _STRONG if folded.isascii() else _STRONG | _STRONG_BEYOND_ASCII
    return (
        _has_called(text, folded, strong, is_strong=True)
        or _has_called(text, folded, _WEAK, is_strong=False)
        or (("phrase" in folded or "mnemonic" in folded) and _has_phrase(folded))
    )


def _has_called(
    text: str, folded: str, nouns: Mapping[str, re.Pattern[str]], *, is_strong: bool
) -> bool:
    """Whether a secret stands at one of the nouns.

    A noun inside a value that was looked at is no noun, and no text is read over and over.
    """
    for word, pattern in nouns.items():
        if word not in folded:
            continue
        reached = 0
        for place in places(folded, word):
            noun = pattern.match(folded, place) if place >= reached else None
            if noun is None:
                continue
            found = _value_of(text, folded, noun)
            if found is not None:
                reached = found.stop
                if _is_secret(found, is_strong=is_strong):
                    return True
            if is_strong and _has_neighbour(text, folded, noun):
                return True
    return False


def _has_phrase(folded: str) -> bool:
    return any(
        not _PHRASE_WORDS.intersection(found["words"].split())
        for found in _PHRASE.finditer(folded)
    )


def _value_of(text: str, folded: str, noun: re.Match[str]) -> _Value | None:
    """What the text gives as the value of the noun, if it is spoken of as a secret."""
    if _OTHER_TOKEN.search(folded, max(0, noun.start() - 14), noun.start()):
        return None
    tail = _TAIL.match(folded, noun.end())
    found = _VALUE.match(text, tail.end()) if tail is not None else None
    if tail is None or found is None:
        return None
    if not _ABOUT.isdisjoint(_WORD.findall(tail["more"])):
        return None
    if noun[0] in ("pass", "pw") and not _is_unlike_words(
        (found["quoted"] or found["bare"]).strip()
    ):
        return None
    quoted, bare = found["quoted"], found["bare"]
    core = quoted or bare.rstrip(_CLOSING) or bare
    is_cut = quoted is None and core != bare
    return _Value(
        text=core,
        stop=found.end(),
        is_pointed_at=tail["assigned"] is not None
        or _OWNED.search(folded, max(0, noun.start() - 50), noun.start()) is not None,
        is_last=is_cut or _CLAUSE_END.match(text, found.end()) is not None,
        is_quoted=quoted is not None,
    )


def _is_secret(found: _Value, *, is_strong: bool) -> bool:
    if not is_strong:
        return is_opaque(found.text)
    return is_password(
        found.text,
        is_pointed_at=found.is_pointed_at,
        is_last=found.is_last,
        is_quoted=found.is_quoted,
    )


def _has_neighbour(text: str, folded: str, noun: re.Match[str]) -> bool:
    """Right behind the noun, or before it: "use ... as the password"."""
    if not _DIGIT.search(folded, max(0, noun.start() - 110), noun.end() + 66):
        return False
    after = _BESIDE.match(text, noun.end())
    if after is not None and _is_unlike_words(after["bare"].rstrip(_CLOSING)):
        return True
    start = noun.start()
    if not folded.endswith((" ", "-"), 0, start):
        return False
    before = _BEFORE.search(folded, max(0, start - 110), start)
    return before is not None and _is_unlike_words(before["bare"])


def _is_unlike_words(value: str) -> bool:
    """Digits among letters, in a word that is no version, measure or name of a method."""
    if _OPERATOR.search(value):
        return False
    letters = sum(map(str.isalpha, value))
    has_digit = any(map(str.isdecimal, value))
    return letters >= 2 and has_digit and is_password(value)
