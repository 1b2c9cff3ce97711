"""What keys and values show of how a namespace is used; the findings of its audit.

All of them are hints for a person: a key that was made by a machine hides what it is
about, a numbered copy hides a revision, a list hides facts that could be found one by one,
and a label in a key cannot be filtered by.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from attrs import frozen

from loom.model.json_values import Json
from loom.model.keys import is_hash_made, numbered_copy

__all__ = ["KeyFinding", "findings_of"]

#: From so many items a text, or a list of single words, is several facts rather than one.
_SEVERAL: Final = 3
#: From so many items a list of sentences or of mappings is.
_SEVERAL_SENTENCES: Final = 2
_BULLET: Final = re.compile(r"^[ \t]*(?:[-*•–‣◦]|\[[ x]\])[ \t]+\S*[^\W\d_]", re.MULTILINE)
_NUMBERED: Final = re.compile(r"^[ \t]*\(?(\d{1,3})[.):][ \t]+\S", re.MULTILINE)
_NUMBERED_INLINE: Final = re.compile(r"(?:^|\s)\(?(\d{1,2})[.)]\s+(?=\S*[^\W\d_])")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
#: Signs of a programming language, whose semicolons part no facts.
_CODE: Final = re.compile(r"[=<>{}]|\w\(|\breturn\b|^[+@]", re.MULTILINE)
#: Parts of keys under which a row of steps is one thing.
_ORDERED: Final = re.compile(
    r"procedures?|runbooks?|how-?to|checklists?|recipes?|instructions?|playbooks?"
)
_DATED: Final = re.compile(
    r"(?:19|20)\d{2}[-_.](?:0[1-9]|1[0-2])(?:[-_.](?:0[1-9]|[12]\d|3[01]))?(?:T[\d:.]+Z?)?"
    r"|(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
    r"|(?:19|20)\d{2}-?(?:q[1-4]|w[0-5]\d)",
    re.IGNORECASE,
)
_DATE_IN_PARTS: Final = re.compile(
    r"(?:^|/)((?:19|20)\d{2}/(?:0[1-9]|1[0-2])(?:/\d{2})?)(?=/)"
)
#: A label with its kind before it, written as in a tag, or one of the usual ones.
_LABELLED: Final = re.compile(
    r"(?:tag|label|priority|prio|status|state|type|kind|category|severity|env|lang|source"
    r"|topic|team|owner|case|project|lifecycle|confidence)[:=].+"
    r"|(?:tag|label|hashtag)s?[-_.].+"
    r"|(?:priority|prio|severity|sev|importance|confidence)[-_.]?"
    r"(?:very-?)?(?:high(?:est)?|low(?:est)?|medium|normal|urgent|critical|major|minor|p?\d)"
    r"|(?:status|state)[-_.](?:todo|done|open|closed|pending|resolved|wip|blocked|draft|active"
    r"|inactive|archived|deprecated|obsolete|in-?progress|new|approved|rejected)"
    r"|(?:env|environment|stage)[-_.](?:prod|production|staging|dev|development|test|qa)"
    r"|(?:lang|language|locale)[-_.][a-z]{2}(?:[-_][a-z]{2})?",
    re.IGNORECASE,
)
_STANDINGS: Final = frozenset(
    (
        "todo done open closed pending resolved unresolved wip in-progress in_progress blocked"
        " draft archived deprecated obsolete active inactive urgent important critical"
        " high medium low high-priority low-priority p0 p1 p2 p3"
    ).split()
)
#: Endings that say by themselves that this is a copy.
_COPY: Final = re.compile(
    r"(?:[-_.]?\(copy[-_]?\d*\)|[-_.]copy(?:[-_.]?(?:of|\d+))?|[-_.]?\(\d{1,2}\)"
    r"|[-_.]final[-_.]?(?:\d{1,2}|final)|[-_.](?:bak|backup)\d*|~)\Z",
    re.IGNORECASE,
)
#: Endings that make a copy where the key without them is there as well.
_COPY_OF_ONE: Final = re.compile(
    r"(?:[-_.](?:final|new(?:er|est)?|old|latest|updated?|revised|fixed|orig(?:inal)?|tmp|temp"
    r"|draft|rev[-_.]?\d{1,2}|r\d{1,2}|ver(?:sion)?[-_.]?\d{1,2}|v\d+(?:\.\d+)+|[2-9]|0[2-9])"
    r"|(?<=[a-z]{3})[2-9])\Z",
    re.IGNORECASE,
)


@frozen(kw_only=True, slots=True)
class KeyFinding:
    """One thing about one key, in words that quote no value."""

    #: `hash_keys`, `numbered_copies`, `list_values` or `facets_in_keys`.
    code: str
    message: str
    #: Other keys it has to do with.
    related: tuple[str, ...] = ()


def findings_of(
    memory_key: str, value: Json, keys: AbstractSet[str], user_id: str = "-"
) -> Iterator[KeyFinding]:
    """What a key and its value show.

    Args:
        memory_key: the key.
        value: what stands under it; None where that is not to be looked at.
        keys: all keys of the namespace, to name the one that a copy is of.
        user_id: whose memory it is; `-` for nobody's.

    >>> [f.code for f in findings_of("plan-v2", "Sow peas.", {"plan", "plan-v2"})]
    ['numbered_copies']
    """
    if is_hash_made(memory_key):
        yield KeyFinding(
            code="hash_keys",
            message=(
                "The key looks made from a hash or a random id, so a changed value gets "
                "another key and its history is lost. Name the subject and the attribute."
            ),
        )
    original = _original(memory_key, keys)
    if original is not None:
        yield _copied(original, keys)
    if _holds_several(memory_key, value):
        yield KeyFinding(
            code="list_values",
            message=(
                "The value is a list of several facts under one key: each is found, revised "
                "and contradicted only as part of the whole. Give each a key of its own."
            ),
        )
    facets = _facets(memory_key, user_id)
    if facets:
        named = ", ".join(f"'{facet}'" for facet in facets)
        yield KeyFinding(
            code="facets_in_keys",
            message=(
                f"The key holds labels ({named}) that no filter finds there. Put them in "
                "tags, entities or valid_at, and leave the subject and the attribute."
            ),
        )


def _copied(original: str, keys: AbstractSet[str]) -> KeyFinding:
    related = (original,) if original in keys else ()
    told = f"under '{original}'" if related else "under the key without that ending"
    return KeyFinding(
        code="numbered_copies",
        message=(
            f"The key is a numbered copy, which hides a revision. Write {told}: every "
            "version is kept there."
        ),
        related=related,
    )


def _original(memory_key: str, keys: AbstractSet[str]) -> str | None:
    """The key that this one is a copy of by its ending; None if it is no copy.

    It may be empty, where nothing but the ending is there.
    """
    numbered = numbered_copy(memory_key)
    if numbered:
        return numbered
    copied = _COPY.search(memory_key)
    if copied and copied.start() and memory_key[copied.start() - 1] != "/":
        return memory_key[: copied.start()]
    found = _COPY_OF_ONE.search(memory_key)
    base = memory_key[: found.start()] if found else ""
    return base if base in keys else None


def _holds_several(memory_key: str, value: Json) -> bool:
    if isinstance(value, list):
        return _are_several(value)
    if isinstance(value, dict):
        return len(value) >= _SEVERAL and all(map(str.isdecimal, value))
    if not isinstance(value, str) or _is_ordered(memory_key, value):
        return False
    if _CODE.search(value):
        return False
    return (
        len(_BULLET.findall(value)) >= _SEVERAL
        or _counts_up(_NUMBERED.findall(value))
        or _counts_up(_NUMBERED_INLINE.findall(value))
        or _has_clauses(value)
    )


def _are_several(items: list[Json]) -> bool:
    """Texts or mappings throughout; numbers in a row are one thing, such as a place."""
    if not all(isinstance(item, str | dict) and item for item in items):
        return False
    sentences = [i for i in items if not isinstance(i, str) or len(i.split()) >= _SEVERAL]
    return len(items) >= _SEVERAL or len(sentences) >= _SEVERAL_SENTENCES


def _is_ordered(memory_key: str, text: str) -> bool:
    """Whether the items are the steps of one thing, which belong together."""
    words = re.split(r"[/_.:-]", memory_key.casefold())
    if any(map(_ORDERED.fullmatch, words)) or "how-to" in memory_key.casefold():
        return True
    return text.lstrip("#* \n").casefold().startswith(("steps", "how to", "to "))


def _counts_up(numbers: list[str]) -> bool:
    """Whether the numbers begin a list: one, two, three."""
    return [int(n) for n in numbers[:_SEVERAL]] == list(range(1, _SEVERAL + 1))


def _has_clauses(text: str) -> bool:
    parts = [part for part in text.split(";") if part.strip()]
    return len(parts) >= _SEVERAL and all(
        len(_WORD.findall(part)) >= _SEVERAL for part in parts
    )


def _facets(memory_key: str, user_id: str) -> tuple[str, ...]:
    """Parts of the key that are dates, standings, labels, or the user's own id.

    A date or a standing at the end may be what the key is about, as in `ticket/12/open`.
    """
    segments = memory_key.split("/")
    found = [
        segment
        for position, segment in enumerate(segments, start=1)
        if _is_label(segment, user_id)
        or (position < len(segments) and _is_date_or_standing(segment))
    ]
    return (*found, *_DATE_IN_PARTS.findall(memory_key))


def _is_label(segment: str, user_id: str) -> bool:
    folded = segment.casefold()
    if user_id != "-" and folded.removeprefix("user").lstrip("-_:=") == user_id.casefold():
        return True
    return _LABELLED.fullmatch(segment) is not None


def _is_date_or_standing(segment: str) -> bool:
    return segment.casefold() in _STANDINGS or _DATED.fullmatch(segment) is not None
