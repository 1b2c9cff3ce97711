"""Memories of an export, checked as a stranger's words.

Nothing that a file says of itself is trusted: hashes are taken again, names, numbers and
times are checked.
"""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise
from typing import Any, Final
from uuid import UUID

import attrs
from attrs import frozen

from loom.errors import InvalidRequest
from loom.model.files import parse_file
from loom.model.identity import checked_name
from loom.model.json_values import FrozenDict, freeze, sha256_of
from loom.model.keys import parse_key
from loom.model.masking import UNFOUND, is_secret
from loom.model.memory import MemoryRow
from loom.model.memory_types import parse_memory_type, type_of
from loom.model.readable import Readable
from loom.model.sensitivity import HIGH, LEVELS, parse_sensitivity
from loom.model.status import Status
from loom.text.canonical import canonical_sha256, text_of
from loom.text.chunking import chunks_of
from loom.text.entities import canonical_entities
from loom.text.predicates import slots
from loom.text.sensitivity import detect
from loom.text.statements import is_bare

__all__ = ["ExportedMemory", "checked_memory"]

_LONGEST_TEXT: Final = 1_000
_MOST_TEXTS: Final = 1_000


@frozen(kw_only=True, slots=True, hash=False)
class ExportedMemory(Readable):
    """One memory of an export."""

    #: Its newest version, whatever its status.
    head: MemoryRow
    #: The versions before it, oldest first; empty where history was not asked for.
    history: tuple[MemoryRow, ...] = ()

    @property
    def versions(self) -> tuple[MemoryRow, ...]:
        """All of them, oldest first."""
        return (*self.history, self.head)


def checked_memory(
    memory: ExportedMemory, *, org: str, namespace: str, max_bytes: int, detects: bool
) -> ExportedMemory:
    """The memory as it would stand in a namespace here, every field checked.

    Args:
        memory: as a file gave it.
        org: where it is to stand.
        namespace: where it is to stand.
        max_bytes: the largest canonical JSON of a value.
        detects: whether sensitive content is looked for where no level was stated.

    Raises:
        InvalidRequest: a field is malformed, a value does not have its hash, or the
            versions are not those of one memory in their order.
    """
    rows = [
        _checked(
            attrs.evolve(row, org=org, namespace=namespace), max_bytes, detects=detects
        )
        for row in memory.versions
    ]
    head = rows[-1]
    if is_secret(head):  # so is what says the same
        same = head.content_sha256
        rows = [attrs.evolve(r, **UNFOUND) if r.content_sha256 == same else r for r in rows]
    one = all(
        r.memory_id == head.memory_id and r.address.own == head.address.own for r in rows
    )
    rising = all(a.version < b.version for a, b in pairwise(rows))
    if not one or not rising:
        msg = "the versions of an exported memory are not those of one row in their order."
        raise InvalidRequest(msg, memory_key=head.memory_key)
    return ExportedMemory(head=head, history=tuple(rows[:-1]))


def _checked(row: MemoryRow, max_bytes: int, *, detects: bool) -> MemoryRow:
    value = freeze(row.value, max_bytes=max_bytes)
    content = sha256_of(value)
    if content != row.content_sha256:
        msg = (
            "the value does not have the content_sha256 beside it; give an edited line as "
            "a plain entry with memory_key and value."
        )
        raise InvalidRequest(msg, field="content_sha256")
    _check_numbers(row)
    _check_times(row)
    memory_type = parse_memory_type(row.memory_type)
    sensitivity = _sensitivity(row, detects=detects)
    entities = canonical_entities(_texts(row.entities, "entities"))
    searchable = type_of(memory_type).embedded and sensitivity != HIGH
    text = text_of(value)
    return attrs.evolve(
        row,
        agent=checked_name(row.agent, field="agent"),
        user_id=checked_name(row.user_id, field="user_id"),
        session_id=checked_name(row.session_id, field="session_id", empty=True),
        run_id=checked_name(row.run_id, field="run_id", empty=True),
        memory_key=parse_key(row.memory_key),
        memory_id=_id(row.memory_id),
        value=value,
        memory_type=memory_type,
        tags=_texts(row.tags, "tags"),
        entities=() if sensitivity == HIGH else entities,
        files=tuple(dict.fromkeys(map(parse_file, _texts(row.files, "files")))),
        conflict_with=tuple(sorted({_id(i) for i in row.conflict_with})),
        duplicate_of=_id(row.duplicate_of) if row.duplicate_of else "",
        superseded_by=_id(row.superseded_by) if row.superseded_by else "",
        metadata=_object(row.metadata, "metadata", max_bytes),
        source_trace=_object(row.source_trace, "source_trace", max_bytes),
        redacted_at=None,  # what says something is not redacted
        redaction_reason="",
        source_resource_id=_text(row.source_resource_id, "source_resource_id"),
        lock_reason=_text(row.lock_reason, "lock_reason"),
        locked_by=_text(row.locked_by, "locked_by"),
        actor=_text(row.actor, "actor"),
        verified_by=_text(row.verified_by, "verified_by"),
        verified_sha256=_text(row.verified_sha256, "verified_sha256"),
        canonical_sha256=canonical_sha256(value, content),
        searchable=searchable,
        chunks=len(chunks_of(text)) if searchable else 0,
        on_expire=_on_expire(row.on_expire),
        sensitivity=sensitivity,
        sensitivity_stated=row.sensitivity_stated and bool(sensitivity),
        slots=slots(text) if searchable and not is_bare(value) else (),
        beside=row.memory_id if row.beside else "",
        allowed_with=_texts(row.allowed_with, "allowed_with"),
        event_reason=_text(row.event_reason, "event_reason"),
    )


def _sensitivity(row: MemoryRow, *, detects: bool) -> str:
    """The level that was stated, else the more sensitive of the file's and what is found."""
    level = parse_sensitivity(row.sensitivity)
    if not detects or (row.sensitivity_stated and level):
        return level
    return max(level, detect(row.value, row.memory_key).level, key=("", *LEVELS).index)


def _on_expire(value: object) -> str:
    if value not in ("tombstone", "keep"):
        msg = "on_expire must be 'tombstone' or 'keep'."
        raise InvalidRequest(msg, field="on_expire")
    return str(value)


def _check_numbers(row: MemoryRow) -> None:
    whole = {"version": 1, "parent": 0, "reinforcement_count": 1}
    for name, least in whole.items():
        number = _untyped(row, name)
        if isinstance(number, bool) or not isinstance(number, int) or number < least:
            msg = f"{name} must be a whole number of at least {least}."
            raise InvalidRequest(msg, field=name)
    pinned, confidence = _untyped(row, "pinned"), _untyped(row, "confidence")
    if not isinstance(pinned, bool):
        msg = "pinned must be true or false."
        raise InvalidRequest(msg, field="pinned")
    if not isinstance(confidence, float) or not 0.0 <= confidence <= 1.0:
        msg = "confidence must be a number from 0 to 1."
        raise InvalidRequest(msg, field="confidence")


def _untyped(row: MemoryRow, name: str) -> Any:
    """A field that a file gave, whatever its annotation promises."""
    return getattr(row, name)


def _check_times(row: MemoryRow) -> None:
    if (
        row.valid_at is not None
        and row.valid_to is not None
        and row.valid_to < row.valid_at
    ):
        msg = "valid_to lies before valid_at; a claim cannot end before it begins."
        raise InvalidRequest(msg, field="valid_to")
    for name in ("created_at", "updated_at"):
        if not isinstance(_untyped(row, name), datetime):
            msg = f"{name} is missing; an exported row has both."
            raise InvalidRequest(msg, field=name)
    if row.status is Status.TOMBSTONED and row.tombstoned_at is None:
        msg = "a tombstoned row needs tombstoned_at."
        raise InvalidRequest(msg, field="tombstoned_at")


def _id(value: object) -> str:
    try:
        known = UUID(value) if isinstance(value, str) else None
    except ValueError:
        known = None
    if known is None or str(known) != value:
        msg = "a memory id is no UUID in its usual text form."
        raise InvalidRequest(msg, field="memory_id")
    return str(known)


def _text(value: object, name: str) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST_TEXT:
        msg = f"{name} must be a string of at most {_LONGEST_TEXT} characters."
        raise InvalidRequest(msg, field=name)
    freeze(value, field=name)
    return value


def _texts(values: object, name: str) -> tuple[str, ...]:
    if not isinstance(values, tuple) or len(values) > _MOST_TEXTS or not all(values):
        msg = f"{name} must be a list of at most {_MOST_TEXTS} non-empty strings."
        raise InvalidRequest(msg, field=name)
    return tuple(dict.fromkeys(_text(value, name) for value in values))


def _object(value: object, name: str, max_bytes: int) -> FrozenDict:
    checked = freeze(value, field=name, max_bytes=max_bytes)
    if not isinstance(checked, FrozenDict):
        msg = f"{name} must be a mapping."
        raise InvalidRequest(msg, field=name)
    return checked
