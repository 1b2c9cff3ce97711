"""What a store holds and answers, in plain words, so that the oracle's can be held beside it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import attrs

from loom.model.audit import AuditRow
from loom.model.identity import Address
from loom.model.memory import MemoryRow
from loom.plans.outcomes import SweepOutcome
from loom.testing.answers import Entry, Standing, Swept
from loom.testing.sayings import SAYINGS
from loom.testing.steps import Put

__all__ = [
    "BY_HASH",
    "entry_of",
    "instant",
    "micros",
    "place_of",
    "said_of",
    "standing",
    "swept_of",
]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
#: From a content hash to the name of the saying; of a secret the hash is left out.
BY_HASH: Final = {"": "", **{s.sha256: s.name for s in SAYINGS.values()}}


def entry_of(row: AuditRow, ids: Mapping[str, Address]) -> Entry:
    """An audit entry in plain words."""
    where = (row.org, row.namespace, row.agent, row.user_id, row.session_id)
    born = {memory_id: n for n, memory_id in enumerate(ids)}
    return Entry(
        version=row.version,
        ordinal=row.ordinal,
        operation=row.operation,
        at=Address(*where, row.memory_key),
        of=born.get(row.memory_id),
        saying=BY_HASH.get(row.content_sha256, "?"),
        verdict=row.verdict,
        refused=row.refused,
    )


def standing(row: MemoryRow, ids: Mapping[str, Address]) -> Standing:
    """A stored version in plain words."""
    return Standing(
        at=place_of(row, list(ids).index(row.memory_id)) if row.beside else row.address,
        saying=BY_HASH[row.content_sha256],
        memory_type=row.memory_type,
        tags=row.tags,
        sensitivity=row.sensitivity,
        sensitivity_stated=row.sensitivity_stated,
        run_id=row.run_id,
        status=str(row.status),
        pinned=row.pinned,
        conflict_with=frozenset(ids[i] for i in row.conflict_with),
        duplicate_of=ids[row.duplicate_of] if row.duplicate_of else None,
        superseded_by=ids[row.superseded_by] if row.superseded_by else None,
        allowed_with=frozenset(
            (ids[memory_id], BY_HASH[content])
            for memory_id, _, content in (m.partition(":") for m in row.allowed_with)
        ),
        searchable=row.searchable,
        count=row.reinforcement_count,
        version=row.version,
        parent=row.parent,
        event=str(row.event),
        created_at=micros(row.created_at) or 0,
        invalid_at=micros(row.invalid_at),
        tombstoned_at=micros(row.tombstoned_at),
        expires_at=micros(row.expires_at),
        valid_at=micros(row.valid_at),
        valid_to=micros(row.valid_to),
        on_expire=row.on_expire,
        lock_mode=None if row.lock_mode is None else str(row.lock_mode),
        lock_until=micros(row.lock_until),
    )


def place_of(row: MemoryRow, born: int) -> Address:
    """Where a row lives; one beside a key's own is named by the how-manieth row it is."""
    return attrs.evolve(row.address, beside=f"#{born}" if row.beside else "")


def micros(at: datetime | None) -> int | None:
    """Microseconds since the epoch."""
    return None if at is None else (at - _EPOCH) // timedelta(microseconds=1)


def swept_of(out: SweepOutcome) -> Swept:
    """A sweep in plain words."""
    return Swept(
        count=out.swept, keys=frozenset(out.swept_keys), kept=frozenset(out.kept_locked)
    )


def said_of(put: Put, now: datetime) -> dict[str, Any]:
    """Arguments of a write at an instant, beside its key and value: only what was said."""
    until = None if put.valid_for is None else now + timedelta(seconds=put.valid_for)
    said: dict[str, Any] = {
        "memory_type": put.memory_type,
        "tags": put.tags,
        "pinned": put.pinned,
        "ttl_seconds": put.ttl,
        "valid_at": None if put.valid_at is None else instant(put.valid_at),
        "valid_to": until,
        "on_expire": put.on_expire,
        "sensitivity": put.sensitivity,
        "if_match_sha256": put.if_match and put.if_match.sha256,
    }
    said = {name: value for name, value in said.items() if value is not None}
    return said | ({"clear_expiry": True} if put.clear_expiry else {})


def instant(at: int) -> datetime:
    """The instant of some microseconds since the epoch."""
    return _EPOCH + timedelta(microseconds=at)
