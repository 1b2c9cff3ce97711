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

#: Items from which a text or a list is several facts rather than one.
_SEVERAL: Final = 3
_BULLET: Final = re.compile(r"^\s*(?:[-*•–]|\d{1,3}[.)])\s+\S", re.MULTILINE)
_DATED: Final = re.compile(
    r"(?:19|20)\d{2}-\d{2}(?:-\d{2})?(?:T[\d:.]+Z?)?|(?:19|20)\d{6}|(?:19|20)\d{2}-?q[1-4]",
    re.IGNORECASE,
)
_LABELLED: Final = re.compile(
    r"(?:tag|label|priority|prio|status|state|type|kind|category|severity|env|lang|source)"
    r"[-_=:.].+",
    re.IGNORECASE,
)
#: Endings that make a copy where the key without them is there as well.
_COPY: Final = re.compile(
    r"[-_.](?:copy|final|new|old|latest|updated|\d{1,2})+$", re.IGNORECASE
)
_STANDINGS: Final = frozenset(
    "todo done open closed pending resolved wip blocked draft archived deprecated obsolete"
    " urgent important critical high medium low".split()
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
    """
    if is_hash_made(memory_key):
        yield KeyFinding(
            code="hash_keys",
            message=(
                "The key looks made from a hash or a random id, so a changed value gets "
                "another key and its history is lost. Name the subject and the attribute."
            ),
        )
    base = numbered_copy(memory_key) or _plain_copy(memory_key, keys)
    if base:
        related = (base,) if base in keys else ()
        told = f"under '{base}'" if related else "under the key without the number"
        yield KeyFinding(
            code="numbered_copies",
            message=(
                f"The key is a numbered copy, which hides a revision. Write {told}: every "
                "version is kept there."
            ),
            related=related,
        )
    if _holds_several(value):
        yield KeyFinding(
            code="list_values",
            message=(
                "The value is a list of several facts under one key: each is found, revised "
                "and contradicted only as part of the whole. Give each a key of its own."
            ),
        )
    facets = tuple(s for s in memory_key.split("/")[:-1] if _is_facet(s, user_id))
    if facets:
        named = ", ".join(f"'{facet}'" for facet in facets)
        yield KeyFinding(
            code="facets_in_keys",
            message=(
                f"The key holds labels ({named}) that no filter finds there. Put them in "
                "tags, entities or valid_at, and leave the subject and the attribute."
            ),
        )


def _plain_copy(memory_key: str, keys: AbstractSet[str]) -> str:
    """The key that this one is a copy of by its ending, if there is such a key."""
    base = _COPY.sub("", memory_key)
    return base if base != memory_key and base in keys else ""


def _holds_several(value: Json) -> bool:
    if isinstance(value, list):
        texts = [item for item in value if isinstance(item, str | dict)]
        return len(texts) >= _SEVERAL and len(texts) == len(value)
    if not isinstance(value, str):
        return False
    if len(_BULLET.findall(value)) >= _SEVERAL:
        return True
    parts = [part for part in value.split(";") if len(part.split()) >= _SEVERAL]
    return len(parts) >= _SEVERAL


def _is_facet(segment: str, user_id: str) -> bool:
    """A date, a standing, a label with its kind before it, or the user's own id."""
    if user_id != "-" and segment == user_id:
        return True
    folded = segment.casefold()
    return bool(
        folded in _STANDINGS or _DATED.fullmatch(segment) or _LABELLED.fullmatch(segment)
    )
