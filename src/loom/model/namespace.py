"""What a namespace says of the memories in it: its conflict policy, thresholds and tags.

A namespace needs no registration: one that was never registered has the defaults of
`NamespaceRow`. Settings come as plain JSON and are checked here, once.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, TypeGuard, TypeVar

import attrs
from attrs import field, frozen

from loom.errors import InvalidRequest
from loom.model.json_values import FrozenDict, freeze
from loom.model.memory_types import parse_memory_type
from loom.model.readable import Readable

__all__ = [
    "ConflictPolicy",
    "NamespaceRow",
    "TagRule",
    "TypeRule",
    "check_threshold_order",
    "parse_conflict_policy",
    "parse_description",
    "parse_retention",
    "parse_tag_registry",
    "parse_threshold",
    "parse_type_registry",
]

R = TypeVar("R", bound=Readable)

#: The largest registry, and the longest name and description in it.
_MOST_RULES: Final = 1_000
_LONGEST_TAG: Final = 1_000
_LONGEST_DESCRIPTION: Final = 2_000
#: A hundred years: an end beyond it is no end, and calendars run out of years.
_MOST_DAYS: Final = 36_525.0


class ConflictPolicy(StrEnum):
    """What a contradiction does in a namespace, or to rows of a tag."""

    #: Both rows are linked and flagged, for a resolver or else for review (R-45).
    AUTO_REINFORCE = "auto_reinforce"
    #: Both rows are linked and flagged; a person decides.
    MANUAL_REVIEW = "manual_review"
    #: The newest claim takes the place of what it contradicts (R-44).
    NEWEST_WINS = "newest_wins"
    #: Nothing is judged.
    APPEND_ONLY = "append_only"


@frozen(kw_only=True, slots=True)
class TagRule(Readable):
    """What a tag says of the rows that carry it; None leaves it to the namespace."""

    conflict_policy: ConflictPolicy | None = None
    #: False keeps a claim that is known already as a row of its own.
    dedup: bool | None = None
    #: Days after its write when a row leaves service; positive.
    retention_days: float | None = None


@frozen(kw_only=True, slots=True)
class TypeRule(Readable):
    """What a namespace says of a memory type: thresholds, cosines from 0 to 1, inclusive."""

    conflict_threshold: float | None = None
    duplicate_threshold: float | None = None
    #: As a tag's, where no tag of the row says any.
    retention_days: float | None = None


def _frozen_tags(given: Mapping[str, TagRule]) -> Mapping[str, TagRule]:
    return given if isinstance(given, FrozenDict) else FrozenDict(given)


def _frozen_types(given: Mapping[str, TypeRule]) -> Mapping[str, TypeRule]:
    return given if isinstance(given, FrozenDict) else FrozenDict(given)


@frozen(kw_only=True, slots=True, hash=False)
class NamespaceRow(Readable):
    """One version of what a namespace says; by default what an unregistered one says."""

    org: str
    namespace: str
    version: int = 0
    parent: int = 0
    #: Who wrote this version.
    actor: str = ""
    #: When the namespace was registered first; None where it never was.
    created_at: datetime | None = None
    updated_at: datetime | None = None
    description: str = ""
    default_conflict_policy: ConflictPolicy = ConflictPolicy.AUTO_REINFORCE
    #: Pinned cosines, 0 to 1, inclusive; None is not pinned.
    conflict_threshold: float | None = None
    duplicate_threshold: float | None = None
    #: Days after its write when a row leaves service, where neither a tag of it nor its type
    #: says any; None keeps it (no row ends by age unless somebody says so).
    retention_days: float | None = None
    #: From a tag, as it is written, to its rule.
    tag_registry: Mapping[str, TagRule] = field(factory=FrozenDict, converter=_frozen_tags)
    #: From a memory type to its rule.
    type_registry: Mapping[str, TypeRule] = field(
        factory=FrozenDict, converter=_frozen_types
    )
    #: False where the namespace was never registered, and these are the defaults.
    registered: bool = True


def parse_conflict_policy(value: object, *, name: str) -> ConflictPolicy:
    """A policy by its name.

    Raises:
        InvalidRequest: there is none of that name; the message lists those there are.
    """
    if not isinstance(value, str) or value not in set(ConflictPolicy):
        msg = f"{name} must be one of: {', '.join(ConflictPolicy)}."
        raise InvalidRequest(msg, field=name)
    return ConflictPolicy(value)


def parse_threshold(value: object, *, name: str) -> float | None:
    """A cosine from 0 to 1, both inclusive; None stays so.

    Raises:
        InvalidRequest: it is no such number.
    """
    if value is None:
        return None
    if not _is_number(value) or not 0.0 <= value <= 1.0:
        msg = f"{name} must be a cosine from 0 to 1, or None where it is not pinned."
        raise InvalidRequest(msg, field=name)
    return float(value)


def check_threshold_order(
    conflict: float | None, duplicate: float | None, *, name: str
) -> None:
    """Let the pair pass if texts that are one are also about the same.

    Raises:
        InvalidRequest: both are pinned, and the conflict threshold is the greater one.
    """
    if conflict is not None and duplicate is not None and conflict > duplicate:
        msg = (
            f"{name}: conflict_threshold must not be above duplicate_threshold; texts "
            "that are the same are about the same."
        )
        raise InvalidRequest(msg, field="conflict_threshold")


def parse_description(value: object) -> str:
    """What a namespace is for, in words.

    Raises:
        InvalidRequest: it is no text of at most 2,000 characters.
    """
    if not isinstance(value, str) or len(value) > _LONGEST_DESCRIPTION:
        msg = (
            f"description must be a string of at most {_LONGEST_DESCRIPTION:,} characters."
        )
        raise InvalidRequest(msg, field="description")
    freeze(value, field="description")
    return value


def parse_tag_registry(value: object) -> Mapping[str, TagRule]:
    """Rules by tag: `{"case": {"conflict_policy": "append_only", "dedup": False}}`.

    Args:
        value: a mapping of mappings or of `TagRule`; tags are kept in NFC, in the case
            they are written in, as the rows' own are.

    Raises:
        InvalidRequest: naming the tag's field that is unknown or malformed.
    """
    return _registry(value, "tag_registry", _parse_tag, _parse_tag_rule)


def parse_type_registry(value: object) -> Mapping[str, TypeRule]:
    """Rules by memory type: `{"decision": {"conflict_threshold": 0.9}}`.

    Raises:
        InvalidRequest: naming the type's field that is unknown or malformed.
    """
    return _registry(value, "type_registry", _parse_type, _parse_type_rule)


def _registry(
    value: object,
    name: str,
    parse_name: Callable[[object], str],
    parse_rule: Callable[[Mapping[str, object], str], R],
) -> Mapping[str, R]:
    if not isinstance(value, Mapping):
        msg = f"{name} must be a mapping from names to their rules."
        raise InvalidRequest(msg, field=name)
    if len(value) > _MOST_RULES:
        msg = f"{name} has more than {_MOST_RULES:,} entries."
        raise InvalidRequest(msg, field=name)
    found: dict[str, R] = {}
    for given, rule in value.items():
        named = parse_name(given)
        if named in found:
            msg = f"{name} names one entry twice, in two spellings of its accents."
            raise InvalidRequest(msg, field=name)
        found[named] = parse_rule(_said(rule, name, named), f"{name}[{named!r}]")
    return FrozenDict(found)


def _said(rule: object, name: str, named: str) -> Mapping[str, object]:
    if isinstance(rule, TagRule | TypeRule):
        return dict(rule)
    if isinstance(rule, Mapping):
        return rule
    msg = f"{name}[{named!r}] must be a mapping of what the rule says."
    raise InvalidRequest(msg, field=name)


def _parse_tag(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST_TAG:
        msg = (
            "tag_registry must name each tag by a non-empty string of at most "
            f"{_LONGEST_TAG:,} characters."
        )
        raise InvalidRequest(msg, field="tag_registry")
    freeze(value, field="tag_registry")
    return unicodedata.normalize("NFC", value)


def _parse_type(value: object) -> str:
    try:
        return parse_memory_type(value)
    except InvalidRequest as error:
        msg = f"type_registry: {error.message}"
        raise InvalidRequest(msg, field="type_registry") from None


def _parse_tag_rule(said: Mapping[str, object], name: str) -> TagRule:
    _refuse_unknown(said, TagRule, name)
    policy, dedup = said.get("conflict_policy"), said.get("dedup")
    if dedup is not None and not isinstance(dedup, bool):
        msg = f"{name}.dedup must be true or false."
        raise InvalidRequest(msg, field="dedup")
    if policy is not None:
        policy = parse_conflict_policy(policy, name=f"{name}.conflict_policy")
    return TagRule(
        conflict_policy=policy,
        dedup=dedup,
        retention_days=parse_retention(
            said.get("retention_days"), name=f"{name}.retention_days"
        ),
    )


def _parse_type_rule(said: Mapping[str, object], name: str) -> TypeRule:
    _refuse_unknown(said, TypeRule, name)
    rule = TypeRule(
        **{
            part: parse_threshold(said.get(part), name=f"{name}.{part}")
            for part in ("conflict_threshold", "duplicate_threshold")
        },
        retention_days=parse_retention(
            said.get("retention_days"), name=f"{name}.retention_days"
        ),
    )
    check_threshold_order(rule.conflict_threshold, rule.duplicate_threshold, name=name)
    return rule


def _refuse_unknown(said: Mapping[str, object], rule: type[Any], name: str) -> None:
    known = [part.name for part in attrs.fields(rule)]
    if not set(said) <= set(known):
        msg = f"{name} has a field that is unknown; a rule may say: {', '.join(known)}."
        raise InvalidRequest(msg, field=name.partition("[")[0])


def parse_retention(value: object, *, name: str) -> float | None:
    """Days that a row is kept; None keeps it.

    Raises:
        InvalidRequest: it is no number of days above 0.
    """
    if value is None:
        return None
    if not _is_number(value) or not 0.0 < value <= _MOST_DAYS:
        msg = f"{name} must be a number of days above 0, at most {_MOST_DAYS:,.0f}."
        raise InvalidRequest(msg, field="retention_days")
    return float(value)


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
