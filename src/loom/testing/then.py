"""What was true or known at an instant, in plain Python: the oracle of replays (R-54).

Written from the rulings over a list of all versions, with no index, view or predicate.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime

from loom.model.identity import Address
from loom.model.memory import MemoryRow
from loom.model.times import instant_of

__all__ = ["known_then", "true_then"]

_SERVED = ("active", "conflicted")


def known_then(versions: Iterable[MemoryRow], at: datetime) -> list[MemoryRow]:
    """What a list answered with: rows written by then, in use and not past their end."""
    newest = _newest(row for row in versions if instant_of(row.version) <= at)
    return [
        row for row in newest.values() if row.status in _SERVED and not _is_past(row, at)
    ]


def true_then(
    versions: Iterable[MemoryRow], at: datetime, known_at: datetime | None = None
) -> list[MemoryRow]:
    """What was true at an instant, as known now or at another instant of the record."""
    known = [
        row for row in versions if known_at is None or instant_of(row.version) <= known_at
    ]
    heads = _newest(known)
    by_identity: dict[Address, list[MemoryRow]] = defaultdict(list)
    for memory_id, head in heads.items():
        mine = [row for row in known if row.memory_id == memory_id]
        row = max(
            (row for row in mine if row.world_date <= at),
            key=lambda row: (row.world_date, row.version),
            default=None,
        )
        if row is not None and _was_true(row, head, known, at):
            by_identity[row.address.own].append(row)
    return [
        max(rows, key=lambda row: (row.world_date, row.version, row.memory_id))
        for rows in by_identity.values()
    ]


def _was_true(
    row: MemoryRow, head: MemoryRow, known: Sequence[MemoryRow], at: datetime
) -> bool:
    if row.status in ("duplicate", "proposed", "rejected") or _is_past(row, at):
        return False
    for one in (row, head):
        if one.status == "tombstoned" and one.event != "expired":
            return False
    if head.status == "rejected":
        return False
    return head.status != "superseded" or _retired_on(head, known) > at


def _retired_on(head: MemoryRow, known: Sequence[MemoryRow]) -> datetime:
    """The date of what took its place, in the version that took it."""
    assert head.invalid_at is not None
    taking = [
        row
        for row in known
        if row.memory_id == head.superseded_by
        and instant_of(row.version) <= head.invalid_at
    ]
    newest = max(taking, key=lambda row: row.version, default=None)
    return head.invalid_at if newest is None else newest.world_date


def _newest(versions: Iterable[MemoryRow]) -> dict[str, MemoryRow]:
    newest: dict[str, MemoryRow] = {}
    for row in versions:
        known = newest.get(row.memory_id)
        if known is None or known.version < row.version:
            newest[row.memory_id] = row
    return newest


def _is_past(row: MemoryRow, at: datetime) -> bool:
    return any(end is not None and end <= at for end in (row.expires_at, row.valid_to))
