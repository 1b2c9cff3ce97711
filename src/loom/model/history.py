"""A version as history shows it."""

from __future__ import annotations

from datetime import datetime

import attrs
from attrs import frozen

from loom.model.json_values import Json
from loom.model.memory import MemoryRow
from loom.model.readable import Readable

__all__ = ["Version"]


@frozen(kw_only=True, slots=True, hash=False)
class Version(Readable):
    """One change of one row."""

    #: Nanoseconds since the epoch, strictly rising per row.
    version: int
    #: The version it replaced; 0 for the first.
    parent: int
    written_at: datetime
    #: Of the row's first version; repeats on every one.
    created_at: datetime
    #: Why it was written: created, revised, restated, deleted, ...
    event: str
    #: The reason that was given with that event.
    event_reason: str
    status: str
    value: Json
    memory_key: str
    memory_id: str
    memory_type: str
    tags: tuple[str, ...]
    confidence: float
    pinned: bool
    reinforcement_count: int
    valid_at: datetime | None
    valid_to: datetime | None
    expires_at: datetime | None
    tombstoned_at: datetime | None
    content_sha256: str
    agent: str
    user_id: str
    session_id: str
    run_id: str
    actor: str
    source_class: str
    source_resource_id: str
    conflict_with: tuple[str, ...]
    duplicate_of: str
    superseded_by: str
    #: Its own memory id where it is kept beside the key's row, as a proposal is.
    beside: str
    sensitivity: str
    #: The value was left out, because it is secret (R-46).
    masked: bool
    invalid_at: datetime | None
    verification: str

    @classmethod
    def of(cls, row: MemoryRow) -> Version:
        """The version a row is."""
        return cls(**{name: getattr(row, name) for name in _NAMES})


_NAMES = tuple(field.name for field in attrs.fields(Version))
