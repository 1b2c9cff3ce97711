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
    "RETIRED_STATUSES",
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
    #: Replaced by what `superseded_by` names.
    SUPERSEDED = "superseded"
    #: On trial, beside the key's own row, until somebody decides.
    PROPOSED = "proposed"
    #: Found to be wrong by somebody; never served, never restored.
    REJECTED = "rejected"
    #: Deleted by its writer, swept by a blacklist, or expired and swept.
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
    #: Put on trial beside the key's row.
    PROPOSED = "proposed"
    #: A proposal was taken: into the key's row, or as it.
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    #: A newer claim took its place (`newest_wins`).
    SUPERSEDED = "superseded"
    #: Written straight into history: the key holds something newer.
    FILED = "filed"
    #: Somebody decided a conflict it was a side of.
    RESOLVED = "resolved"
    #: Tags or confidence were changed by an administrator, not by a writer.
    LABELLED = "labelled"
    #: Its end had come, and a sweep made that visible.
    EXPIRED = "expired"
    DELETED = "deleted"
    SWEPT = "swept"
    RESTORED = "restored"
    LOCKED = "locked"
    UNLOCKED = "unlocked"
    #: Somebody vouched for what it says.
    VERIFIED = "verified"
    #: An attestation was taken back.
    REVOKED = "revoked"
    IMPORTED = "imported"


#: What reads answer with unless a flag asks for more.
SERVED_STATUSES: Final = frozenset({Status.ACTIVE, Status.CONFLICTED})
#: Whom a new claim is compared with (R-32).
PEER_STATUSES: Final = frozenset({Status.ACTIVE, Status.CONFLICTED})
#: A set on a row of these statuses is a revision of it; on any other it starts afresh.
LIVE_STATUSES: Final = frozenset({Status.ACTIVE, Status.CONFLICTED, Status.DUPLICATE})
#: Out of use; a later end of their validity means nothing more.
RETIRED_STATUSES: Final = frozenset({Status.SUPERSEDED, Status.REJECTED, Status.TOMBSTONED})

_LIVE: Final = (Status.ACTIVE, Status.CONFLICTED, Status.DUPLICATE)
_WRITE: Final = frozenset(_LIVE)
#: What can be buried: what is in use, and what is on trial.
_MORTAL: Final = (*_LIVE, Status.PROPOSED)
_BURIED: Final = frozenset({Status.TOMBSTONED})
_RETIRED: Final = tuple(sorted(RETIRED_STATUSES))

#: For each event, from where (None: no row yet) to where it may lead.
ARROWS: Final[Mapping[Event, Mapping[Status | None, frozenset[Status]]]] = MappingProxyType(
    {
        Event.CREATED: dict.fromkeys((None, *_RETIRED), _WRITE),
        Event.REVISED: dict.fromkeys(_LIVE, _WRITE),
        Event.RENEWED: dict.fromkeys(_LIVE, _WRITE),
        Event.RESTATED: {
            # What it contradicts may go with the same write, and what was a duplicate of
            # that may then contradict it.
            **dict.fromkeys(PEER_STATUSES, PEER_STATUSES),
            # It may be given an end that its canonical row does not reach.
            Status.DUPLICATE: _WRITE,
        },
        Event.REINFORCED: {
            **dict.fromkeys(PEER_STATUSES, PEER_STATUSES),
            # A proposal made twice, and a fact filed twice, are counted, not doubled.
            **{s: frozenset({s}) for s in (Status.PROPOSED, Status.SUPERSEDED)},
        },
        Event.RELINKED: {
            Status.ACTIVE: frozenset({Status.CONFLICTED}),
            Status.CONFLICTED: frozenset({Status.ACTIVE, Status.CONFLICTED}),
            Status.DUPLICATE: _WRITE,
        },
        Event.PROPOSED: {None: frozenset({Status.PROPOSED})},
        Event.ACCEPTED: {
            **dict.fromkeys((*_LIVE, *_RETIRED), _WRITE),
            # It becomes the key's row, or another row takes what it says.
            Status.PROPOSED: _WRITE | {Status.SUPERSEDED},
        },
        Event.REJECTED: dict.fromkeys(_MORTAL, frozenset({Status.REJECTED})),
        Event.SUPERSEDED: dict.fromkeys(_LIVE, frozenset({Status.SUPERSEDED})),
        Event.FILED: {None: frozenset({Status.SUPERSEDED})},
        Event.RESOLVED: {
            Status.CONFLICTED: frozenset({*PEER_STATUSES, Status.TOMBSTONED}),
        },
        Event.LABELLED: {s: frozenset({s}) for s in _LIVE},
        Event.EXPIRED: dict.fromkeys(_MORTAL, _BURIED),
        Event.DELETED: dict.fromkeys(_LIVE, _BURIED),
        Event.SWEPT: dict.fromkeys(_MORTAL, _BURIED),
        Event.RESTORED: dict.fromkeys((Status.TOMBSTONED, Status.SUPERSEDED), _WRITE),
        # A lock on a duplicate's key is put on its canonical row.
        Event.LOCKED: {s: frozenset({s}) for s in PEER_STATUSES},
        Event.UNLOCKED: {s: frozenset({s}) for s in _LIVE},
        Event.VERIFIED: {s: frozenset({s}) for s in _LIVE},
        Event.REVOKED: {s: frozenset({s}) for s in _LIVE},
        Event.IMPORTED: dict.fromkeys((None, *Status), frozenset(Status)),
    }
)


def allows(event: Event, before: Status | None, after: Status) -> bool:
    """Whether the table has this arrow."""
    return after in ARROWS[event].get(before, frozenset())
