"""Interim (the lead's stand-in until the owner's version)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from attrs import field, frozen

__all__ = ["ConflictPolicy", "NamespaceRow", "TagRule", "TypeRule"]


class ConflictPolicy(StrEnum):
    """What a contradiction does."""

    AUTO_REINFORCE = "auto_reinforce"
    MANUAL_REVIEW = "manual_review"
    NEWEST_WINS = "newest_wins"
    APPEND_ONLY = "append_only"


@frozen(kw_only=True, slots=True)
class TagRule:
    """Interim."""

    conflict_policy: ConflictPolicy | None = None
    dedup: bool | None = None
    retention_days: float | None = None


@frozen(kw_only=True, slots=True)
class TypeRule:
    """Interim."""

    conflict_threshold: float | None = None
    duplicate_threshold: float | None = None


@frozen(kw_only=True, slots=True)
class NamespaceRow:
    """Interim."""

    org: str
    namespace: str
    version: int = 0
    parent: int = 0
    actor: str = ""
    created_at: datetime | None = None
    updated_at: datetime | None = None
    description: str = ""
    default_conflict_policy: ConflictPolicy = ConflictPolicy.AUTO_REINFORCE
    conflict_threshold: float | None = None
    duplicate_threshold: float | None = None
    tag_registry: Mapping[str, TagRule] = field(factory=dict)
    type_registry: Mapping[str, TypeRule] = field(factory=dict)
