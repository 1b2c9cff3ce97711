"""Keys: readable paths that name one attribute of one subject (R-02)."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from loom.errors import InvalidRequest

__all__ = ["is_hash_made", "key_advisories", "numbered_copy", "parse_key"]

_LONGEST: Final = 512
_NUMBERED_COPY: Final = re.compile(r"(?:[-_./]|^)v\d+$", re.IGNORECASE)
#: A run of hexadecimal digits with both digits and letters, as long as a short hash.
_HEX_RUN: Final = re.compile(
    r"(?<![0-9a-z])(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{12,}(?![0-9a-z])"
)
_UUID: Final = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_BASE64_RUN: Final = re.compile(r"[A-Za-z0-9_-]{32,}")


def parse_key(value: object) -> str:
    """The key in NFC, if it is one.

    Raises:
        InvalidRequest: naming what is wrong with which part.
    """
    if not isinstance(value, str):
        msg = "memory_key must be a string such as 'user/preferences/editor'."
        raise InvalidRequest(msg, field="memory_key")
    key = value if value.isascii() else unicodedata.normalize("NFC", value)
    problem = _problem(key)
    if problem:
        msg = f"memory_key {problem}; write a path such as 'user/preferences/editor'."
        raise InvalidRequest(msg, field="memory_key")
    return key


def _problem(key: str) -> str:
    if not key:
        return "is empty"
    if len(key) > _LONGEST:
        return f"is longer than {_LONGEST} characters"
    for position, segment in enumerate(key.split("/"), start=1):
        if not segment:
            return f"has an empty segment at position {position}"
        if segment in (".", ".."):
            return f"has the segment '{segment}' at position {position}"
    if not key.isprintable() or " " in key:
        return _bad_character(key)
    return ""


def _bad_character(key: str) -> str:
    for index, character in enumerate(key):
        category = unicodedata.category(character)
        if character.isspace() or category in ("Cc", "Cs", "Zl", "Zp", "Zs"):
            return (
                f"has white space or a control character (U+{ord(character):04X}) at "
                f"position {index + 1}"
            )
    return ""


def key_advisories(key: str) -> tuple[str, ...]:
    """Advice on keys that are accepted but hide revisions; empty for a good key.

    >>> key_advisories("user/preferences/editor")
    ()
    >>> key_advisories("plan-v2")[0].split(":")[0]
    'numbered_copy'
    """
    found = []
    if _NUMBERED_COPY.search(key):
        found.append(
            "numbered_copy: the key ends in a version number, which hides a revision; "
            "write to the unnumbered key and its history keeps every version."
        )
    if is_hash_made(key):
        found.append(
            "hash_keys: the key looks made from a hash, so a changed value would get "
            "another key; name the subject and the attribute instead."
        )
    return tuple(found)


def numbered_copy(key: str) -> str:
    """The key that a key with a version number at its end is a copy of; empty for others.

    >>> numbered_copy("plan-v2"), numbered_copy("plan")
    ('plan', '')
    """
    found = _NUMBERED_COPY.search(key)
    return key[: found.start()] if found else ""


def is_hash_made(key: str) -> bool:
    """Whether a part of the key looks like a hash or a random id."""
    folded = key.lower()
    if _HEX_RUN.search(folded) or _UUID.search(folded):
        return True
    return any(
        any(c.isdigit() for c in run)
        and any(c.isupper() for c in run)
        and any(c.islower() for c in run)
        for run in _BASE64_RUN.findall(key)
    )
