"""Blacklist patterns as rows."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from attrs import frozen

from loom.model.readable import Readable

__all__ = ["PatternRow", "PatternScope", "PatternType"]


class PatternType(StrEnum):
    """How a pattern is read."""

    SUBSTRING = "substring"
    #: Linear-time regular expressions (RE2 syntax: no back-references, no look-around).
    REGEX = "regex"


class PatternScope(StrEnum):
    """Where a pattern refuses."""

    NAMESPACE = "namespace"
    ORG = "org"
    GLOBAL = "global"


@frozen(kw_only=True, slots=True)
class PatternRow(Readable):
    """One version of one pattern."""

    pattern_id: str
    version: int = 0
    parent: int = 0
    #: Empty for a global pattern.
    org: str
    #: Empty for a global or an org-wide pattern.
    namespace: str
    pattern: str
    pattern_type: PatternType = PatternType.SUBSTRING
    scope: PatternScope = PatternScope.NAMESPACE
    #: Whether keys are matched as well as what is written under them.
    match_keys: bool = False
    reason: str = ""
    actor: str
    created_at: datetime
    removed_at: datetime | None = None
