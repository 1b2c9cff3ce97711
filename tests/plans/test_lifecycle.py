"""Deleting, restoring and locking as plans."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from loom.errors import Forbidden, NotFound, PinnedConflict, RestoreWindowPassed
from loom.model.audit import AuditRow
from loom.model.memory import LockMode, MemoryRow
from loom.model.status import Event, Status
from loom.plans.cascade import Dependent, Surroundings, Weighing
from loom.plans.lifecycle import Act, plan_delete, plan_restore
from loom.plans.locking import LockTerms, plan_lock, plan_unlock
from loom.policies.peers import PeerCheck
from tests.policies.given import LEVELS, NOW, STAMP, WHO, a_peer, a_row

WINDOW = timedelta(days=14)
MICRO = timedelta(microseconds=1)
VECTOR = np.array([1.0, 0.0], dtype=np.float32)
ACT = Act(
    operation="memory.delete",
    identity=WHO,
    actor="process:local",
    memory_key="pump/hours",
    stamp=STAMP,
    now=NOW,
)


def _weighing() -> Weighing:
    return Weighing(check=PeerCheck(), thresholds=LEVELS)


def _dead(**fields: Any) -> MemoryRow:
    return a_row(status=Status.TOMBSTONED, **{"tombstoned_at": NOW, **fields})


def _restored(row: MemoryRow, *peers: Any, **options: Any) -> Any:
    group = [Dependent(row=row, vector=VECTOR, peers=peers)]
    return plan_restore(ACT, group, [], _weighing(), WINDOW, **options)


@pytest.mark.parametrize(
    "since, restored",
    [(timedelta(0), True), (WINDOW, True), (WINDOW + MICRO, False)],
    ids=["at-once", "at-the-end", "past-it"],
)
def test_the_restore_window_is_fourteen_days_to_the_microsecond(
    since: timedelta, restored: bool
) -> None:
    """A-84, A-159: within 14 days of the delete, the last instant included."""
    plan = _restored(_dead(tombstoned_at=NOW - since))

    assert (plan.refusal is None) is restored
    if not restored:
        assert plan.refusal.error is RestoreWindowPassed
        (audit,) = plan.batch.rows
        assert (audit.refused, audit.content_sha256) == ("RESTORE_WINDOW_PASSED", "")


def test_nothing_deleted_is_not_found() -> None:
    """A-84: there is nothing to restore."""
    with pytest.raises(NotFound):
        plan_restore(ACT, [], [], _weighing(), WINDOW)


def test_a_restored_row_that_somebody_says_by_now_is_a_duplicate() -> None:
    """R-61: restore runs the peer check."""
    dead = _dead()
    same = a_row("the pump runs at night", key="other/key")
    plan = _restored(dead, a_peer(same, 0.99))
    (row,) = [r for r in plan.batch.rows if isinstance(r, MemoryRow)]

    assert (row.status, row.duplicate_of) == (Status.DUPLICATE, same.memory_id)
    assert (row.event, row.tombstoned_at) == (Event.RESTORED, None)


def test_a_restored_row_that_is_contradicted_by_now_is_linked() -> None:
    """R-61, R-22: from both sides."""
    dead = _dead(value="The pump draws 5 kW at night.")
    other = a_row("The pump draws 9 kW at night.", key="other/key")
    plan = _restored(dead, a_peer(other, 0.9))
    rows = {r.memory_id: r for r in plan.batch.rows if isinstance(r, MemoryRow)}

    assert rows[dead.memory_id].conflict_with == (other.memory_id,)
    assert rows[other.memory_id].conflict_with == (dead.memory_id,)
    assert "conflict" in plan.outcome.next


def test_a_close_pinned_row_refuses_a_restore_unless_the_row_itself_is_pinned() -> None:
    """A-109, R-61: a restore is a claim of its own."""
    pinned = a_row("The pump draws 9 kW at night.", key="other/key", pinned=True)
    text = "The pump draws 5 kW at night."

    plan = _restored(_dead(value=text), a_peer(pinned, 0.9))
    assert plan.refusal.error is PinnedConflict
    plan = _restored(_dead(value=text, pinned=True), a_peer(pinned, 0.9))
    assert plan.refusal is None


def test_a_past_expiry_is_cleared_only_when_told() -> None:
    """R-61: else the row is back and not served."""
    dead = _dead(expires_at=NOW - MICRO)

    kept = _restored(dead)
    assert kept.batch.rows[0].expires_at == NOW - MICRO
    assert "expiry" in kept.outcome.next
    assert _restored(dead, clear_expiry=True).batch.rows[0].expires_at is None


def _linked_pair() -> tuple[MemoryRow, MemoryRow]:
    one = a_row(memory_id="one", status=Status.CONFLICTED, conflict_with=("two",))
    two = a_row(
        "The pump runs at noon.",
        key="other/key",
        memory_id="two",
        status=Status.CONFLICTED,
        conflict_with=("one",),
    )
    return one, two


def test_deleting_one_side_of_a_conflict_frees_the_other_in_the_same_commit() -> None:
    """R-22, A-157: a tombstone without links, and its partner active again."""
    one, two = _linked_pair()
    around = {"one": Surroundings(linked=(two,))}
    plan = plan_delete(ACT, [one], around, _weighing())

    assert plan.batch is not None
    rows = {r.memory_id: r for r in plan.batch.rows if isinstance(r, MemoryRow)}
    assert (rows["one"].status, rows["one"].conflict_with) == (Status.TOMBSTONED, ())
    assert rows["one"].tombstoned_at == NOW
    assert (rows["two"].status, rows["two"].conflict_with) == (Status.ACTIVE, ())
    assert {r.version for r in rows.values()} == {STAMP}


def test_one_audit_row_a_deleted_row() -> None:
    """B-330: about the rows deleted, not about those whose links changed."""
    one, two = _linked_pair()
    around = {"one": Surroundings(linked=(two,))}
    plan = plan_delete(ACT, [one], around, _weighing())

    assert plan.batch is not None
    (audit,) = [r for r in plan.batch.rows if isinstance(r, AuditRow)]
    assert (audit.memory_id, audit.verdict) == ("one", "deleted")


def test_a_locked_row_keeps_the_whole_group_from_being_deleted() -> None:
    """A-134: nothing is deleted; one refusal is recorded."""
    free = a_row(agent="bob", memory_id="free")
    held = a_row(lock_mode=LockMode.NO_DELETE, lock_reason="kept")
    plan = plan_delete(ACT, [free, held], {}, _weighing())

    assert plan.refusal is not None
    assert plan.batch is not None
    assert [type(r) for r in plan.batch.rows] == [AuditRow]


def _duplicate(agent: str, **fields: Any) -> MemoryRow:
    return a_row(
        "The pump runs at night!",
        key=f"copy/{agent}",
        agent=agent,
        status=Status.DUPLICATE,
        duplicate_of="canon",
        **fields,
    )


def test_own_duplicates_go_with_a_deleted_row_and_others_are_judged_again() -> None:
    """R-24: the caller's own are counted, others' stand on their own from now on."""
    canon = a_row(memory_id="canon")
    own, other = _duplicate("ada"), _duplicate("bob")
    around = {"canon": Surroundings(dependents=(Dependent(row=own), Dependent(row=other)))}
    plan = plan_delete(ACT, [canon], around, _weighing())

    assert plan.batch is not None
    assert plan.outcome is not None
    rows = {r.memory_id: r for r in plan.batch.rows if isinstance(r, MemoryRow)}
    assert rows[own.memory_id].status is Status.TOMBSTONED
    assert (rows[other.memory_id].status, rows[other.memory_id].duplicate_of) == (
        Status.ACTIVE,
        "",
    )
    assert plan.outcome.count == 2
    assert [r.as_duplicate for r in plan.outcome.rows] == [False, True]


def test_two_orphaned_duplicates_find_each_other() -> None:
    """R-24: judged again in the same commit, as the write leaves the rows."""
    canon = a_row(memory_id="canon")
    first = _duplicate("bob")
    second = _duplicate("cyd")
    around = {
        "canon": Surroundings(
            dependents=(
                Dependent(row=first, vector=VECTOR),
                Dependent(row=second, vector=VECTOR),
            )
        )
    }
    plan = plan_delete(ACT, [canon], around, _weighing())

    assert plan.batch is not None
    rows = {r.memory_id: r for r in plan.batch.rows if isinstance(r, MemoryRow)}
    assert rows[first.memory_id].status is Status.ACTIVE
    assert rows[second.memory_id].duplicate_of == first.memory_id


def test_a_locked_duplicate_does_not_go_along() -> None:
    """A-134, R-24: it is judged again instead."""
    held = _duplicate("ada", lock_mode=LockMode.NO_DELETE, lock_reason="kept")
    around = {"canon": Surroundings(dependents=(Dependent(row=held),))}
    plan = plan_delete(ACT, [a_row(memory_id="canon")], around, _weighing())

    assert plan.batch is not None
    rows = {r.memory_id: r for r in plan.batch.rows if isinstance(r, MemoryRow)}
    assert rows[held.memory_id].status is Status.ACTIVE


def test_deleting_nothing_is_an_answer() -> None:
    """R-06: `found=False`, no error, nothing written."""
    plan = plan_delete(ACT, [], {}, _weighing())

    assert plan.batch is None
    assert plan.outcome is not None
    assert (plan.outcome.found, plan.outcome.count) == (False, 0)


DAY = timedelta(days=1)
READ_ONLY, NO_DELETE = LockMode.READ_ONLY, LockMode.NO_DELETE


@pytest.mark.parametrize(
    "held, asked, looser",
    [
        ((READ_ONLY, None), (NO_DELETE, None), True),
        ((READ_ONLY, None), (READ_ONLY, NOW + DAY), True),
        ((READ_ONLY, NOW + DAY), (READ_ONLY, NOW + DAY - MICRO), True),
        ((READ_ONLY, NOW + DAY), (NO_DELETE, NOW + 2 * DAY), True),
        ((NO_DELETE, NOW + DAY), (READ_ONLY, NOW + DAY - MICRO), True),
        ((READ_ONLY, NOW + DAY), (READ_ONLY, NOW + DAY), False),
        ((READ_ONLY, NOW + DAY), (READ_ONLY, None), False),
        ((NO_DELETE, NOW + DAY), (READ_ONLY, NOW + DAY), False),
        ((NO_DELETE, None), (READ_ONLY, None), False),
        ((READ_ONLY, NOW), (NO_DELETE, NOW + MICRO), False),
    ],
)
def test_only_an_admin_loosens_a_lock_in_force(
    held: tuple[Any, Any], asked: tuple[Any, Any], looser: bool
) -> None:
    """R-42: a lesser mode or an earlier end; a lapsed lock holds nobody."""
    row = a_row(lock_mode=held[0], lock_until=held[1], lock_reason="kept")
    terms = LockTerms(mode=asked[0], until=asked[1], reason="new")

    assert plan_lock(ACT, row, terms, admin=True).batch is not None
    if looser:
        with pytest.raises(Forbidden):
            plan_lock(ACT, row, terms, admin=False)
    else:
        assert plan_lock(ACT, row, terms, admin=False).batch is not None


def test_a_lock_and_an_unlock_are_versions() -> None:
    """A-245, A-134: all other columns carried forward."""
    terms = LockTerms(mode=READ_ONLY, until=NOW + DAY, reason="audit")
    plan = plan_lock(ACT, a_row(tags=("t",)), terms, admin=False)
    assert plan.batch is not None
    row = plan.batch.rows[0]
    assert isinstance(row, MemoryRow)
    assert (row.event, row.lock_reason, row.tags) == (Event.LOCKED, "audit", ("t",))
    assert row.locked_by == "process:local"

    freed = plan_unlock(ACT, row).batch
    assert freed is not None
    assert isinstance(freed.rows[0], MemoryRow)
    assert (freed.rows[0].lock_mode, freed.rows[0].lock_until) == (None, None)
    assert plan_unlock(ACT, a_row()).batch is None
