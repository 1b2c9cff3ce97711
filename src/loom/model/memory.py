"""One row: one version of one memory.

Every change makes a new `MemoryRow` of the same `memory_id` with a higher version;
nothing is edited in place (R-21). `parent` is the version it replaced, so that storage
can tell a lost race from an ordinary write.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

import attrs
from attrs import field, frozen

from loom.model.identity import Address, Identity, ScopeKey
from loom.model.json_values import FrozenDict, Json
from loom.model.memory_types import SEMANTIC
from loom.model.provenance import SourceClass
from loom.model.readable import Readable
from loom.model.status import LIVE_STATUSES, SERVED_STATUSES, Event, Status
from loom.model.times import instant_of

__all__ = ["IMPORT_TRACE", "LockMode", "MemoryRow"]


#: Where an imported row's `source_trace` keeps what it was before: the store's own words.
IMPORT_TRACE: Final = "imported_from"


class LockMode(StrEnum):
    """What a lock refuses."""

    #: A changed value, changed details, a changed expiry, and deletion.
    READ_ONLY = "read_only"
    #: Deletion; the value may change.
    NO_DELETE = "no_delete"


@frozen(kw_only=True, slots=True, hash=False)
class MemoryRow(Readable):
    """One version of one memory. Texts are NFC where they are names, verbatim else."""

    # Who it belongs to and how it is named.
    org: str
    namespace: str
    agent: str
    user_id: str
    session_id: str
    run_id: str = ""
    memory_key: str
    #: Empty for the key's own row; its own memory id where it is kept beside that one, as
    #: proposals and facts filed into history are (R-23).
    beside: str = ""
    #: UUIDv7 text, given with the first version and never reused (R-03).
    memory_id: str

    # What it says.
    value: Json
    memory_type: str = SEMANTIC
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    #: 0 to 1, both inclusive.
    confidence: float = 1.0
    #: Anything else the writer wants to keep beside the claim.
    metadata: FrozenDict = field(factory=FrozenDict)
    #: Slots that hold one value at a time and that it fills, as `text/predicates.py` names
    #: them; sorted.
    slots: tuple[str, ...] = ()
    #: `high`, `medium`, `low`, or empty: nothing sensitive was stated or found (R-46).
    sensitivity: str = ""
    #: A writer stated that level, so detection does not replace it.
    sensitivity_stated: bool = False

    # Where it stands.
    status: Status = Status.ACTIVE
    pinned: bool = False
    #: Ids of the rows it contradicts; symmetric (R-22), sorted.
    conflict_with: tuple[str, ...] = ()
    #: Id of the row that answers for it; empty unless the status is `duplicate`.
    duplicate_of: str = ""
    #: Id of the row that replaced it; empty while nothing has.
    superseded_by: str = ""
    #: `memory_id:content_sha256` of rows it may contradict: somebody looked and allowed it
    #: (R-60); sorted.
    allowed_with: tuple[str, ...] = ()
    #: How often the claim was stated; 1 for the first time (R-31).
    reinforcement_count: int = 1

    # Versions.
    #: Nanoseconds since the epoch (R-15).
    version: int = 0
    #: The version this one replaces; 0 for the first.
    parent: int = 0
    #: Why this version was written.
    event: Event = Event.CREATED
    #: The reason that was given with that event; of this version alone.
    event_reason: str = ""

    # When: on the record ...
    created_at: datetime
    updated_at: datetime
    #: When another row replaced it.
    invalid_at: datetime | None = None
    tombstoned_at: datetime | None = None
    #: When what this version said was removed, and why; the versions beside it are others.
    redacted_at: datetime | None = None
    redaction_reason: str = ""
    expires_at: datetime | None = None
    #: What a sweep does once it has expired: `tombstone`, or `keep` it unserved.
    on_expire: str = "tombstone"
    # ... and in the world; None is unknown.
    valid_at: datetime | None = None
    valid_to: datetime | None = None
    temporal_anchor: datetime | None = None

    # Where it came from.
    actor: str
    source_class: SourceClass = SourceClass.ASSERTED
    source_resource_id: str = ""
    source_trace: FrozenDict = field(factory=FrozenDict)
    #: Over the RFC 8785 JSON of the value (R-11).
    content_sha256: str
    #: Over the canonical form (R-12), or the content hash where the value is no text:
    #: two rows with the same one say the same.
    canonical_sha256: str

    #: Who vouched for it, and for which content; empty while nobody has.
    verified_by: str = ""
    verified_sha256: str = ""

    # Guards.
    lock_mode: LockMode | None = None
    lock_until: datetime | None = None
    lock_reason: str = ""
    locked_by: str = ""

    # Search.
    #: Whether the version has embedding entries (see `Embedded`).
    searchable: bool = True
    #: How many verbatim chunks it has beside the entry of its excerpt.
    chunks: int = 0

    # Set by a read for its caller; never stored.
    #: The duplicate's key that this row was asked by, when it answers for another.
    resolved_from: str = ""
    #: The caller's `if_changed_from` hash is still the current one.
    unchanged: bool = False
    #: Its value was left out, because it is sensitive and was not asked for by key.
    masked: bool = False

    @property
    def address(self) -> Address:
        """The storage identity."""
        return Address(
            self.org,
            self.namespace,
            self.agent,
            self.user_id,
            self.session_id,
            self.memory_key,
            self.beside,
        )

    @property
    def writer(self) -> Identity:
        """Whose row it is, and in which run it was written."""
        return Identity(
            org=self.org,
            namespace=self.namespace,
            agent=self.agent,
            user_id=self.user_id,
            session_id=self.session_id,
            run_id=self.run_id,
        )

    @property
    def scope(self) -> ScopeKey:
        """The rows it is searched and compared with."""
        return ScopeKey(self.org, self.namespace, self.user_id, self.memory_type)

    @property
    def written_at(self) -> datetime:
        """When this version was written: its version as an instant."""
        return instant_of(self.version)

    @property
    def world_date(self) -> datetime:
        """The best known date in the world: `valid_at`, anchor, or first write."""
        return self.valid_at or self.temporal_anchor or self.created_at

    @property
    def mark(self) -> str:
        """Which row says what: the name under which another may be allowed beside it."""
        return f"{self.memory_id}:{self.content_sha256}"

    @property
    def tags_folded(self) -> tuple[str, ...]:
        """Tags in the case that `list` compares them in."""
        return tuple(tag.casefold() for tag in self.tags)

    @property
    def verification(self) -> str:
        """`human` or `process` vouched for this content, `stale` for another, or `none`."""
        if not self.verified_by:
            return "none"
        if self.verified_sha256 != self.content_sha256:
            return "stale"
        return self.verified_by.partition(":")[0]

    def is_live(self) -> bool:
        """Whether its status is one that is in use, whatever its end."""
        return self.status in LIVE_STATUSES

    @property
    def ends_at(self) -> datetime | None:
        """When it leaves service by itself: its expiry or the end of its validity."""
        ends = [end for end in (self.expires_at, self.valid_to) if end is not None]
        return min(ends, default=None)

    def is_current(self, now: datetime) -> bool:
        """Whether a set under its key revises it: live, and not past its end.

        A row past its end is as good as deleted, swept or not (R-20), so a set there
        begins afresh.
        """
        return self.is_live() and not self.is_past(now)

    def is_served(self, now: datetime) -> bool:
        """Whether reads answer with it at `now` (R-20: expiry needs no sweep)."""
        return self.status in SERVED_STATUSES and not self.is_past(now)

    def is_past(self, now: datetime) -> bool:
        """Whether its expiry or the end of its validity has come."""
        return (self.expires_at is not None and self.expires_at <= now) or (
            self.valid_to is not None and self.valid_to <= now
        )

    def is_locked(self, now: datetime) -> bool:
        """Whether a lock is in force at `now`."""
        return self.lock_mode is not None and (
            self.lock_until is None or now < self.lock_until
        )

    def next_version(self, version: int, event: Event, **changes: Any) -> MemoryRow:
        """This row, changed, as the version that replaces it."""
        return attrs.evolve(
            self,
            version=version,
            parent=self.version,
            event=event,
            updated_at=instant_of(version),
            **{"event_reason": "", **_unredacted(changes), **changes},
        )


def _unredacted(changes: Mapping[str, Any]) -> dict[str, Any]:
    """What says something anew is not redacted; what repeats a version is as it was."""
    return {"redacted_at": None, "redaction_reason": ""} if "value" in changes else {}
