"""What a row's status may be, who is served, and which change leads where.

This is the only table of transitions (R-20) and the only definition of the served set.
A new status is a member here and its arrows; `assert_never` and the arrow-coverage test
name every place that must then answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

__all__ = [
    "ARROWS",
    "LIVE_STATUSES",
    "PEER_STATUSES",
    "SERVED_STATUSES",
    "Event",
    "Status",
    "allows",
]


class Status(StrEnum):
    """The standing of one row version."""

    #: The live belief.
    ACTIVE = "active"
    #: Close to a peer that says something else; linked by `conflict_with`.
    CONFLICTED = "conflicted"
    #: Says what a canonical row says; `duplicate_of` answers for it.
    DUPLICATE = "duplicate"
    #: Deleted by its writer or swept by a blacklist.
    TOMBSTONED = "tombstoned"


class Event(StrEnum):
    """Why a version was written."""

    CREATED = "created"
    REVISED = "revised"
    #: A set on a row that was past its end: it begins afresh.
    RENEWED = "renewed"
    RESTATED = "restated"
    #: Another write was merged into this row.
    REINFORCED = "reinforced"
    #: Only the row's standing towards a peer changed.
    RELINKED = "relinked"
    DELETED = "deleted"
    SWEPT = "swept"
    RESTORED = "restored"
    LOCKED = "locked"
    UNLOCKED = "unlocked"
    IMPORTED = "imported"


#: What reads answer with unless a flag asks for more.
SERVED_STATUSES: Final = frozenset({Status.ACTIVE, Status.CONFLICTED})
#: Whom a new claim is compared with (R-32).
PEER_STATUSES: Final = frozenset({Status.ACTIVE, Status.CONFLICTED})
#: A set on a row of these statuses is a revision of it; on any other it starts afresh.
LIVE_STATUSES: Final = frozenset({Status.ACTIVE, Status.CONFLICTED, Status.DUPLICATE})

_LIVE: Final = (Status.ACTIVE, Status.CONFLICTED, Status.DUPLICATE)
_WRITE: Final = frozenset(_LIVE)

#: For each event, from where (None: no row yet) to where it may lead.
ARROWS: Final[Mapping[Event, Mapping[Status | None, frozenset[Status]]]] = MappingProxyType(
    {
        Event.CREATED: {None: _WRITE, Status.TOMBSTONED: _WRITE},
        Event.REVISED: dict.fromkeys(_LIVE, _WRITE),
        Event.RENEWED: dict.fromkeys(_LIVE, _WRITE),
        Event.RESTATED: {
            **{s: frozenset({s}) for s in PEER_STATUSES},
            # It may be given an end that its canonical row does not reach.
            Status.DUPLICATE: _WRITE,
        },
        Event.REINFORCED: {s: frozenset({s}) for s in PEER_STATUSES},
        Event.RELINKED: {
            Status.ACTIVE: frozenset({Status.CONFLICTED}),
            Status.CONFLICTED: frozenset({Status.ACTIVE, Status.CONFLICTED}),
            Status.DUPLICATE: _WRITE,
        },
        Event.DELETED: dict.fromkeys(_LIVE, frozenset({Status.TOMBSTONED})),
        Event.SWEPT: dict.fromkeys(_LIVE, frozenset({Status.TOMBSTONED})),
        Event.RESTORED: {Status.TOMBSTONED: _WRITE},
        # A lock on a duplicate's key is put on its canonical row.
        Event.LOCKED: {s: frozenset({s}) for s in PEER_STATUSES},
        Event.UNLOCKED: {s: frozenset({s}) for s in _LIVE},
        Event.IMPORTED: dict.fromkeys((None, *Status), frozenset(Status)),
    }
)


def allows(event: Event, before: Status | None, after: Status) -> bool:
    """Whether the table has this arrow."""
    return after in ARROWS[event].get(before, frozenset())
