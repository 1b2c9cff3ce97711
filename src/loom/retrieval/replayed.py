"""What was served at an instant: on the world's axis, on the record's, or on both (R-54).

On the record's axis ("knowledge time") the store is as it was: every change of standing is
a version, so the versions written by then say who was live. On the world's axis ("valid
time") it is asked what was true then, as far as is known now: of each identity the version
with the greatest world date at or before the instant. What was deleted or rejected since is
known to be wrong and never served; what was superseded counts until its successor's date;
an expiry is an end on either axis, swept or not. Intervals are half-open. This module is
pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from attrs import frozen

from loom.model.memory import MemoryRow
from loom.model.status import Event, Status
from loom.model.times import last_version_at
from loom.retrieval.served import not_past, served_at
from loom.storage.query import Heads, Replay, View
from loom.storage.where import ALWAYS, Equal, In, Not, Where, all_of, any_of, holds

__all__ = ["AsOf", "Basis", "Replayed", "gone_since", "outdone", "retired_by"]

#: Of the version that was true: what became of it later is looked up beside it.
_WAS_TRUE = (Status.ACTIVE, Status.CONFLICTED, Status.SUPERSEDED)
_EXPIRED = all_of(Equal("status", Status.TOMBSTONED), Equal("event", Event.EXPIRED))


class Basis(StrEnum):
    """Which axis is replayed."""

    #: What was true then.
    VALID_TIME = "valid_time"
    #: What the store had learned by then.
    KNOWLEDGE_TIME = "knowledge_time"
    #: What was held true of the one instant, as known by the other.
    BOTH = "both"


@frozen(kw_only=True, slots=True)
class AsOf:
    """An instant on one axis or on both; None is the present."""

    true_at: datetime | None = None
    known_at: datetime | None = None

    @property
    def view(self) -> View:
        """The versions it asks about."""
        return Replay(known_by=self._known_by, true_at=self.true_at)

    @property
    def standing_view(self) -> View:
        """The newest versions that were known: they say what became of each row."""
        return Heads() if self.known_at is None else Replay(known_by=self._known_by)

    @property
    def now(self) -> datetime:
        """The instant that decides what is past its end.

        Raises:
            ValueError: it names no instant.
        """
        now = self.true_at or self.known_at
        if now is None:
            raise ValueError
        return now

    @property
    def _known_by(self) -> int | None:
        return None if self.known_at is None else last_version_at(self.known_at)


@frozen(kw_only=True, slots=True)
class Replayed:
    """A replay, with the rows that it must not serve.

    Attributes:
        excluded: ids of rows that were gone, replaced by the instant, or outdone by
            another row of their identity; empty on the record's axis.
    """

    as_of: AsOf
    excluded: frozenset[str] = frozenset()

    def standing(self, also: Iterable[Status] = ()) -> Where:
        """What was served, as a predicate of the versions of `as_of.view`."""
        now = self.as_of.now
        if self.as_of.true_at is None:
            return served_at(now, tuple(also))
        true = In("status", tuple(sorted({*_WAS_TRUE, *also})))
        return all_of(any_of((true, _EXPIRED)), not_past(now), self.open())

    def open(self) -> Where:
        """The rows that are not excluded."""
        if not self.excluded:
            return ALWAYS
        return Not(In("memory_id", tuple(sorted(self.excluded))))

    def is_open(self, row: MemoryRow) -> bool:
        """Whether a version is neither past its end nor excluded."""
        return row.memory_id not in self.excluded and not row.is_past(self.as_of.now)

    def serves(self, row: MemoryRow) -> bool:
        """Whether `standing` holds of a version."""
        return holds(self.standing(), row)


def gone_since() -> Where:
    """Rows known to be wrong, by the newest version that was known of them."""
    deleted = all_of(Equal("status", Status.TOMBSTONED), Not(Equal("event", Event.EXPIRED)))
    return any_of((deleted, Equal("status", Status.REJECTED)))


def retired_by(
    at: datetime,
    superseded: Iterable[MemoryRow],
    successors: Mapping[str, Sequence[MemoryRow]],
) -> frozenset[str]:
    """Superseded rows whose successor's date had come by an instant.

    Args:
        at: the instant in the world.
        superseded: newest versions of superseded rows.
        successors: versions of the rows that took their places, by id, oldest first. The
            one that counts is the one in force when the place was taken.
    """
    return frozenset(
        row.memory_id
        for row in superseded
        if _date_of_retirement(row, successors.get(row.superseded_by, ())) <= at
    )


def _date_of_retirement(row: MemoryRow, successor: Sequence[MemoryRow]) -> datetime:
    retired_at = row.invalid_at or row.updated_at
    last = last_version_at(retired_at)
    in_force = [version for version in successor if version.version <= last]
    return in_force[-1].world_date if in_force else retired_at


def outdone(candidates: Iterable[MemoryRow]) -> frozenset[str]:
    """Of the versions of one identity, all but the one with the greatest world date.

    Ties go to the newest version. Rows kept beside a key's own are of the key's identity.
    """
    best: dict[object, MemoryRow] = {}
    ids: set[str] = set()
    for row in candidates:
        ids.add(row.memory_id)
        known = best.get(row.address.own)
        if known is None or _rank(known) < _rank(row):
            best[row.address.own] = row
    return frozenset(ids - {row.memory_id for row in best.values()})


def _rank(row: MemoryRow) -> tuple[datetime, int, str]:
    return (row.world_date, row.version, row.memory_id)
