"""The one table of transitions, and the one definition of what is served."""

from __future__ import annotations

import itertools
from typing import Final

import pytest

from loom.errors import IllegalTransition
from loom.model.status import (
    ARROWS,
    LIVE_STATUSES,
    PEER_STATUSES,
    SERVED_STATUSES,
    Event,
    Status,
    allows,
)
from loom.plans.changes import Changes
from tests.policies.given import a_row

ACTIVE, CONFLICTED, DUPLICATE = Status.ACTIVE, Status.CONFLICTED, Status.DUPLICATE
SUPERSEDED, PROPOSED = Status.SUPERSEDED, Status.PROPOSED
REJECTED, TOMBSTONED = Status.REJECTED, Status.TOMBSTONED
STANDING: Final = (ACTIVE, CONFLICTED)
LIVE: Final = (ACTIVE, CONFLICTED, DUPLICATE)
#: What a key's row can be when it is set again.
DEAD: Final = (SUPERSEDED, REJECTED, TOMBSTONED)

#: What each event may do, written out by hand from the page's diagram and the rulings.
LEGAL: Final[dict[Event, set[tuple[Status | None, Status]]]] = {
    Event.CREATED: {(before, after) for before in (None, *DEAD) for after in LIVE},
    Event.REVISED: {(before, after) for before in LIVE for after in LIVE},
    Event.RENEWED: {(before, after) for before in LIVE for after in LIVE},
    Event.RELINKED: {
        (ACTIVE, CONFLICTED),
        *((CONFLICTED, ACTIVE), (CONFLICTED, CONFLICTED)),
        *((DUPLICATE, ACTIVE), (DUPLICATE, CONFLICTED), (DUPLICATE, DUPLICATE)),
    },
    Event.RESTATED: {
        *((before, after) for before in STANDING for after in STANDING),
        *((DUPLICATE, after) for after in LIVE),
    },
    Event.REINFORCED: {
        *((before, after) for before in STANDING for after in STANDING),
        *((PROPOSED, PROPOSED), (SUPERSEDED, SUPERSEDED)),
    },
    Event.PROPOSED: {(None, PROPOSED)},
    Event.ACCEPTED: {
        *((before, after) for before in (*LIVE, *DEAD, PROPOSED) for after in LIVE),
        (PROPOSED, SUPERSEDED),
    },
    Event.REJECTED: {(before, REJECTED) for before in (*LIVE, PROPOSED)},
    Event.SUPERSEDED: {(before, SUPERSEDED) for before in LIVE},
    Event.FILED: {(None, SUPERSEDED)},
    Event.RESOLVED: {(CONFLICTED, after) for after in (ACTIVE, CONFLICTED, TOMBSTONED)},
    Event.LABELLED: {(before, before) for before in LIVE},
    Event.EXPIRED: {(before, TOMBSTONED) for before in (*LIVE, PROPOSED)},
    Event.DELETED: {(before, TOMBSTONED) for before in LIVE},
    Event.SWEPT: {(before, TOMBSTONED) for before in (*LIVE, PROPOSED)},
    Event.RESTORED: {
        (before, after) for before in (TOMBSTONED, SUPERSEDED) for after in LIVE
    },
    Event.LOCKED: {(ACTIVE, ACTIVE), (CONFLICTED, CONFLICTED)},
    Event.UNLOCKED: {(before, before) for before in LIVE},
    Event.VERIFIED: {(before, before) for before in LIVE},
    Event.REVOKED: {(before, before) for before in LIVE},
    Event.IMPORTED: {(before, after) for before in (None, *Status) for after in Status},
}
PAIRS: Final = [
    (event, before, after)
    for event in Event
    for before, after in itertools.product((None, *Status), Status)
]


@pytest.mark.parametrize("event, before, after", PAIRS)
def test_every_pair_of_statuses_has_an_arrow_or_is_refused(
    event: Event, before: Status | None, after: Status
) -> None:
    """R-20: one table is the only judge; what it does not have is `IllegalTransition`."""
    legal = (before, after) in LEGAL[event]
    changes = Changes(stamp=9)
    row = a_row(status=before or after, memory_id="m", version=1)
    if before is not None:
        changes.know([row])

    assert allows(event, before, after) is legal
    if legal:
        written = changes.put(row.next_version(9, event, status=after))
        assert written.status is after
        return
    with pytest.raises(IllegalTransition) as caught:
        changes.put(row.next_version(9, event, status=after))
    assert caught.value.code == "ILLEGAL_TRANSITION"
    assert changes.rows() == ()


def test_every_event_has_its_arrows() -> None:
    """R-20: a new event is not forgotten in the table."""
    assert set(ARROWS) == set(Event)


def test_a_first_write_is_born_live() -> None:
    """A-144, A-145, A-146: new to active, conflicted or duplicate; never to a tombstone."""
    born = ARROWS[Event.CREATED][None]

    assert born == {ACTIVE, CONFLICTED, DUPLICATE}


def test_a_conflicted_row_may_be_deleted() -> None:
    """R-20: beyond the page's diagram."""
    assert allows(Event.DELETED, CONFLICTED, TOMBSTONED)


def test_a_dead_key_may_be_set_again_and_restored() -> None:
    """R-20, A-159: a tombstoned head takes a new version, live."""
    assert allows(Event.CREATED, TOMBSTONED, ACTIVE)
    assert allows(Event.RESTORED, TOMBSTONED, ACTIVE)
    assert not allows(Event.REVISED, TOMBSTONED, ACTIVE)
    assert not allows(Event.RELINKED, TOMBSTONED, ACTIVE)


def test_a_key_whose_row_ended_begins_afresh() -> None:
    """R-20, R-41: renewed is an event of rows that are live; a dead one is created again."""
    assert allows(Event.RENEWED, ACTIVE, CONFLICTED)
    assert not allows(Event.RENEWED, TOMBSTONED, ACTIVE)
    assert not allows(Event.RENEWED, None, ACTIVE)
    assert not allows(Event.CREATED, ACTIVE, ACTIVE)


def test_a_row_is_relinked_only_by_gaining_or_losing_a_conflict_or_its_canonical_row() -> (
    None
):
    """R-22, R-24: an active row gains a conflict; none but a duplicate becomes a duplicate."""
    assert ARROWS[Event.RELINKED][ACTIVE] == {CONFLICTED}
    assert ARROWS[Event.RELINKED][CONFLICTED] == {ACTIVE, CONFLICTED}
    assert ARROWS[Event.RELINKED][DUPLICATE] == set(LIVE)


def test_the_served_set_is_active_and_conflicted() -> None:
    """A-80, A-70, A-71, A-72, A-76: served in one place; duplicate and tombstoned not."""
    assert {ACTIVE, CONFLICTED} == SERVED_STATUSES


def test_peers_are_active_or_conflicted() -> None:
    """R-32: a duplicate or a dead row is nobody's peer."""
    assert {ACTIVE, CONFLICTED} == PEER_STATUSES


def test_a_duplicate_is_live_for_its_own_key() -> None:
    """R-20: a set under its key revises it rather than starting afresh."""
    assert set(LIVE) == LIVE_STATUSES
