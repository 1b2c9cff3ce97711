"""Hypothesis strategies for rows, predicates and entries.

Texts are drawn from the awkward end on purpose: quotes, wildcards, scripts, emoji,
control characters where they are allowed.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

import attrs
import numpy as np
from hypothesis import strategies as st

from loom.model.audit import AuditRow
from loom.model.entries import Vector
from loom.model.erasure import ErasureRow, ErasureState
from loom.model.facts_of_store import StoreFact
from loom.model.json_values import freeze, sha256_of
from loom.model.memory import LockMode, MemoryRow
from loom.model.namespace import ConflictPolicy, NamespaceRow, TagRule, TypeRule
from loom.model.patterns import PatternRow, PatternScope, PatternType
from loom.model.provenance import SourceClass
from loom.model.status import Event, Status
from loom.storage.tables import MEMORY
from loom.storage.where import (
    And,
    Compare,
    Equal,
    HasAll,
    HasAny,
    In,
    IsNull,
    Not,
    Or,
    Prefix,
    Where,
)

__all__ = [
    "audit_rows",
    "erasure_rows",
    "instants",
    "json_values",
    "memory_rows",
    "namespace_rows",
    "pattern_rows",
    "store_facts",
    "texts",
    "unit_vectors",
    "wheres",
]

_AWKWARD: Final = (
    "",
    "a",
    "A",
    "a%",
    "a_b",
    "it's",
    'say "no"',
    "back\\slash",
    "x'; DROP TABLE memory_version; --",
    "日本語",
    "العربية",
    "é",
    "é",
    "👩‍👩‍👧",
    "\u2028",
    "{}",
    "null",
    "$.value",
)


def texts(*, min_size: int = 0, max_size: int = 12) -> st.SearchStrategy[str]:
    """Unicode texts without lone surrogates and NUL (R-10)."""
    anything = st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\x00"),
        min_size=min_size,
        max_size=max_size,
    )
    awkward = st.sampled_from([t for t in _AWKWARD if min_size <= len(t) <= max_size])
    return awkward | anything


def instants() -> st.SearchStrategy[datetime]:
    """Aware instants in UTC, to the microsecond, the far ends included."""
    ends = [
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
        datetime(2026, 5, 4, 9, tzinfo=UTC),
        datetime(2026, 5, 4, 9, 0, 0, 1, tzinfo=UTC),
    ]
    return st.sampled_from(ends) | st.datetimes(timezones=st.just(UTC))


def json_values() -> st.SearchStrategy[Any]:
    """JSON values as rows hold them, frozen."""
    leaves = (
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | texts()
    )
    nested = st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(texts(), inner, max_size=3)
        ),
        max_leaves=6,
    )
    return nested.map(freeze)


def _objects() -> st.SearchStrategy[Any]:
    return st.dictionaries(texts(), json_values(), max_size=2).map(freeze)


def _lists() -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(texts(), max_size=3).map(tuple)


def memory_rows(**fixed: st.SearchStrategy[Any]) -> st.SearchStrategy[MemoryRow]:
    """Rows with every stored field drawn.

    Args:
        fixed: strategies for the fields that a test pins down.
    """
    optional = st.none() | instants()
    fields: dict[str, st.SearchStrategy[Any]] = {
        "org": texts(min_size=1),
        "namespace": texts(min_size=1),
        "agent": texts(min_size=1),
        "user_id": texts(min_size=1),
        "session_id": texts(),
        "run_id": texts(),
        "memory_key": texts(min_size=1),
        "memory_id": st.uuids().map(str),
        "value": json_values(),
        "memory_type": st.sampled_from(("semantic", "episodic", "decision")),
        "tags": _lists(),
        "entities": _lists(),
        "files": _lists(),
        "confidence": st.floats(0, 1),
        "metadata": _objects(),
        "status": st.sampled_from(Status),
        "pinned": st.booleans(),
        "conflict_with": _lists(),
        "duplicate_of": texts(),
        "reinforcement_count": st.integers(1, 1 << 40),
        "version": st.integers(1, (1 << 62)),
        "parent": st.integers(0, (1 << 62)),
        "event": st.sampled_from(Event),
        "created_at": instants(),
        "updated_at": instants(),
        "tombstoned_at": optional,
        "expires_at": optional,
        "valid_at": optional,
        "valid_to": optional,
        "temporal_anchor": optional,
        "actor": texts(),
        "source_class": st.sampled_from(SourceClass),
        "source_resource_id": texts(),
        "source_trace": _objects(),
        "content_sha256": texts(min_size=1).map(sha256_of),
        "canonical_sha256": texts(min_size=1).map(sha256_of),
        "lock_mode": st.none() | st.sampled_from(LockMode),
        "lock_until": optional,
        "lock_reason": texts(),
        "locked_by": texts(),
        "searchable": st.booleans(),
        "chunks": st.integers(0, 9),
    }
    return st.builds(MemoryRow, **(fields | fixed))


def audit_rows(**fixed: st.SearchStrategy[Any]) -> st.SearchStrategy[AuditRow]:
    """Audit entries with every field drawn."""
    names = [f.name for f in attrs.fields(AuditRow) if f.name not in ("version", "ordinal")]
    fields: dict[str, st.SearchStrategy[Any]] = dict.fromkeys(names, texts())
    fields["version"] = st.integers(1, 1 << 62)
    fields["ordinal"] = st.integers(0, 99)
    return st.builds(AuditRow, **(fields | fixed))


def pattern_rows(**fixed: st.SearchStrategy[Any]) -> st.SearchStrategy[PatternRow]:
    """Blacklist patterns with every field drawn."""
    fields: dict[str, st.SearchStrategy[Any]] = {
        "pattern_id": st.uuids().map(str),
        "version": st.integers(1, 1 << 62),
        "parent": st.integers(0, 1 << 62),
        "org": texts(),
        "namespace": texts(),
        "pattern": texts(min_size=1),
        "pattern_type": st.sampled_from(PatternType),
        "scope": st.sampled_from(PatternScope),
        "match_keys": st.booleans(),
        "reason": texts(),
        "actor": texts(),
        "created_at": instants(),
        "removed_at": st.none() | instants(),
    }
    return st.builds(PatternRow, **(fields | fixed))


def store_facts(**fixed: st.SearchStrategy[Any]) -> st.SearchStrategy[StoreFact]:
    """Facts of a store with every field drawn."""
    fields: dict[str, st.SearchStrategy[Any]] = {
        "name": texts(min_size=1),
        "value": json_values(),
        "version": st.integers(1, 1 << 62),
        "parent": st.integers(0, 1 << 62),
    }
    return st.builds(StoreFact, **(fields | fixed))


def namespace_rows(**fixed: st.SearchStrategy[Any]) -> st.SearchStrategy[NamespaceRow]:
    """Settings of namespaces with every field drawn."""
    cosines = st.none() | st.floats(0, 1)
    policies = st.sampled_from(ConflictPolicy)
    tag_rules = st.builds(
        TagRule,
        conflict_policy=st.none() | policies,
        dedup=st.none() | st.booleans(),
        retention_days=st.none() | st.floats(0.5, 36_525),
    )
    type_rules = st.builds(
        TypeRule,
        conflict_threshold=cosines,
        duplicate_threshold=cosines,
        retention_days=st.none() | st.floats(0.5, 36_525),
    )
    fields: dict[str, st.SearchStrategy[Any]] = {
        "org": _names(),
        "namespace": _names(),
        "version": st.integers(1, 1 << 62),
        "parent": st.integers(0, 1 << 62),
        "actor": texts(),
        "created_at": st.none() | instants(),
        "updated_at": st.none() | instants(),
        "description": texts(),
        "default_conflict_policy": policies,
        "conflict_threshold": cosines,
        "retention_days": st.none() | st.floats(0.5, 36_525),
        "duplicate_threshold": cosines,
        "tag_registry": st.dictionaries(texts(min_size=1), tag_rules, max_size=3),
        "type_registry": st.dictionaries(texts(min_size=1), type_rules, max_size=3),
    }
    return st.builds(NamespaceRow, **(fields | fixed))


def erasure_rows(**fixed: st.SearchStrategy[Any]) -> st.SearchStrategy[ErasureRow]:
    """Erasures with every field drawn."""
    counts = st.dictionaries(texts(min_size=1), st.integers(0, 1 << 40), max_size=3)
    fields: dict[str, st.SearchStrategy[Any]] = {
        "erasure_id": st.uuids().map(str),
        "version": st.integers(1, 1 << 62),
        "parent": st.integers(0, 1 << 62),
        "org": _names(),
        "subject": texts(),
        "salt": texts(),
        "commitment": texts(),
        "reason": texts(),
        "requested_by": texts(),
        "requested_at": instants(),
        "state": st.sampled_from(ErasureState),
        "counts": counts.map(freeze),
        "counted_by": st.integers(0, 1 << 62),
        "finished_at": st.none() | instants(),
    }
    return st.builds(ErasureRow, **(fields | fixed))


def _names() -> st.SearchStrategy[str]:
    """Parts of an identity (R-01)."""
    return st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)


def unit_vectors(dimension: int) -> st.SearchStrategy[Vector]:
    """float32 vectors of length 1, shape (dimension,)."""

    def unit(numbers: list[int]) -> Vector:
        vector = np.asarray(numbers, np.float32)
        vector[0] += 0 if vector.any() else 1
        made: Vector = vector / np.linalg.norm(vector)
        return made.astype(np.float32)

    sizes = st.lists(st.integers(-3, 3), min_size=dimension, max_size=dimension)
    return sizes.map(unit)


_TEXT: Final = (
    "org",
    "user_id",
    "session_id",
    "memory_key",
    "status",
    "event",
    "lock_mode",
    "duplicate_of",
    "memory_type",
)
_NUMBER: Final = ("version", "parent", "reinforcement_count", "confidence", "chunks")
_TIME: Final = ("created_at", "expires_at", "valid_at", "tombstoned_at", "world_date")
_LIST: Final = ("tags", "tags_folded", "entities", "conflict_with")


def wheres() -> st.SearchStrategy[Where]:
    """Predicates over memory rows: every kind of leaf, nested."""
    return st.recursive(_leaves(), _nested, max_leaves=6)


def _nested(inner: st.SearchStrategy[Where]) -> st.SearchStrategy[Where]:
    parts = st.lists(inner, max_size=3).map(tuple)
    return st.builds(And, parts) | st.builds(Or, parts) | st.builds(Not, inner)


def _leaves() -> st.SearchStrategy[Where]:
    order = st.sampled_from(("<", "<=", ">", ">="))
    text, number = st.sampled_from(_TEXT), st.sampled_from(_NUMBER)
    time, listed = st.sampled_from(_TIME), st.sampled_from(_LIST)
    named = texts() | st.sampled_from(["active", "created", "read_only", "semantic"])
    sized = st.integers(0, 3) | st.integers(0, 1 << 62) | st.just(0.5)
    several = st.lists(texts(), max_size=3).map(tuple)
    return st.one_of(
        st.builds(Equal, text, st.none() | named),
        st.builds(Equal, number, st.none() | sized),
        st.builds(Equal, time, st.none() | instants()),
        st.builds(Equal, st.just("pinned"), st.booleans()),
        st.builds(In, text, st.lists(st.none() | named, max_size=3).map(tuple)),
        st.builds(In, time, st.lists(instants(), max_size=2).map(tuple)),
        st.builds(Compare, text, order, named),
        st.builds(Compare, number, order, st.none() | sized),
        st.builds(Compare, time, order, st.none() | instants()),
        st.builds(Prefix, text, texts(max_size=2)),
        st.builds(HasAny, listed, several),
        st.builds(HasAll, listed, several),
        st.builds(IsNull, st.sampled_from(tuple(MEMORY.fields))),
    )
