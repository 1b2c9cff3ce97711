"""Patterns that refuse every write they match (R-43).

Patterns are matched against the case-folded NFC text of everything the caller wrote, with
punctuation kept. Regular expressions run on RE2, whose time is linear in the text, so a
hostile pattern or value cannot stall a writer.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from attrs import frozen

from loom.errors import Blacklisted, InvalidRequest
from loom.model.json_values import FrozenDict, leaf_texts
from loom.model.memory import IMPORT_TRACE, MemoryRow
from loom.model.patterns import PatternRow, PatternType
from loom.policies.facts import Draft, Facts
from loom.policies.verdicts import Refuse

__all__ = [
    "BlacklistGuard",
    "blacklisted",
    "check_pattern",
    "folded",
    "matching",
    "pattern_finds",
    "texts_by_field",
    "texts_of",
    "written_texts",
]

_LONGEST: Final = 2_000
#: A pattern that matches all of these would refuse every write.
_PROBES: Final = ("a", "Z", "7", "é", "水", "🜚", "- -", "a b")


def folded(text: str) -> str:
    """The form that patterns are compared in."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


@lru_cache(maxsize=4096)
def _regex(pattern: str) -> Any:
    import re2  # noqa: PLC0415 - a compiled module, loaded with the first pattern

    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    return re2.compile(unicodedata.normalize("NFC", pattern), options)


def check_pattern(pattern: object, pattern_type: PatternType) -> str:
    """A pattern that can be stored.

    Raises:
        InvalidRequest: it is empty, too long, no valid expression, or matches everything.
    """
    if not isinstance(pattern, str) or not pattern.strip():
        msg = "pattern is empty; a pattern names the text to refuse."
        raise InvalidRequest(msg, field="pattern")
    if len(pattern) > _LONGEST or "\x00" in pattern or not _is_unicode(pattern):
        msg = f"pattern is longer than {_LONGEST} characters or is no plain text."
        raise InvalidRequest(msg, field="pattern")
    if pattern_type is PatternType.REGEX:
        _check_regex(pattern)
    return pattern


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _check_regex(pattern: str) -> None:
    import re2  # noqa: PLC0415 - as above

    try:
        compiled = _regex(pattern)
    except re2.error:
        msg = (
            "pattern is no regular expression in RE2 syntax (which has no look-around and "
            "no back-references)."
        )
        raise InvalidRequest(msg, field="pattern") from None
    if compiled.search("") or all(compiled.search(probe) for probe in _PROBES):
        msg = "pattern matches every text, so it would refuse every write; narrow it."
        raise InvalidRequest(msg, field="pattern")


def pattern_finds(pattern: PatternRow, texts: Iterable[str]) -> bool:
    """Whether the pattern matches one of the texts, which are in the forms compared."""
    if pattern.pattern_type is PatternType.SUBSTRING:
        needle = folded(pattern.pattern)
        return any(needle in text for text in texts)
    compiled = _regex(pattern.pattern)
    return any(compiled.search(text) for text in texts)


def matching(
    patterns: Iterable[PatternRow], texts: Iterable[str], memory_key: str
) -> PatternRow | None:
    """The first pattern that refuses what is written under the key."""
    patterns = tuple(patterns)
    if not patterns:
        return None
    said = [form for text in texts for form in _forms(text)]
    with_key = [*said, *_forms(memory_key)]
    for pattern in patterns:
        if pattern_finds(pattern, with_key if pattern.match_keys else said):
            return pattern
    return None


def _forms(text: str) -> tuple[str, ...]:
    """What is searched: the folded text, and the text itself where folding rewrites it.

    An expression itself cannot be folded (its escapes would change their meaning), so one
    with a letter that folds to others, as `ß` does to `ss`, never matches folded text.
    """
    if text.isascii():
        return (folded(text),)
    return folded(text), unicodedata.normalize("NFC", text)


@frozen(slots=True)
class BlacklistGuard:
    """No write that a pattern matches, a restatement included."""

    def judge(self, draft: Draft, facts: Facts) -> Refuse | None:
        """Refuse what matches; the message names the pattern's id, never its text."""
        found = matching(facts.patterns, draft.texts, draft.address.memory_key)
        return None if found is None else blacklisted(found, draft.address.memory_key)


def blacklisted(pattern: PatternRow, memory_key: str) -> Refuse:
    """The refusal, with the pattern's id and the reason it was given."""
    reason = f' Reason given: "{pattern.reason}".' if pattern.reason else ""
    message = (
        f"The write under '{memory_key}' matches blacklist pattern {pattern.pattern_id} "
        f"({pattern.scope}).{reason} Leave the matching part out, or ask an administrator "
        "to remove the pattern."
    )
    details = {
        "memory_key": memory_key,
        "pattern_id": pattern.pattern_id,
        "scope": str(pattern.scope),
        "reason": pattern.reason,
    }
    return Refuse(Blacklisted, message, details)


def written_texts(*values: Any) -> tuple[str, ...]:
    """Every text in the values a caller wrote: texts, lists of texts, JSON."""
    found: list[str] = []
    for value in values:
        if isinstance(value, tuple):
            found.extend(value)
        elif value is not None and not isinstance(value, datetime):
            found.extend(leaf_texts(value))
    return tuple(found)


def texts_by_field(row: MemoryRow) -> dict[str, Any]:
    """What a writer gave beside the value and the key, field by field."""
    trace = {n: v for n, v in row.source_trace.items() if n != IMPORT_TRACE}
    return {
        "memory_type": row.memory_type,
        "tags": row.tags,
        "entities": row.entities,
        "files": row.files,
        "metadata": row.metadata,
        "source_resource_id": row.source_resource_id,
        "source_trace": FrozenDict(trace),
    }


def texts_of(row: MemoryRow) -> tuple[str, ...]:
    """Every text of a stored row that a writer gave; not the key."""
    return written_texts(row.value, *texts_by_field(row).values())
