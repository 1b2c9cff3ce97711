"""Tombstoning stored rows that a pattern matches, or whose end has come (R-43, R-20)."""

from __future__ import annotations

from loom.model.memory import MemoryRow
from loom.model.status import Event, Status
from loom.plans.cascade import Surroundings, Weighing, settle
from loom.plans.changes import Changes
from loom.plans.lifecycle import Act
from loom.plans.plan import Plan

__all__ = ["plan_sweep"]


def plan_sweep(
    act: Act,
    row: MemoryRow,
    around: Surroundings,
    weighing: Weighing,
    event: Event = Event.SWEPT,
) -> Plan[bool]:
    """One row a batch, so that each can be restored by itself; false where it is locked."""
    if row.is_locked(act.now):
        return Plan(outcome=False)
    changes = Changes(act.stamp)
    swept = changes.change(
        row,
        event,
        status=Status.TOMBSTONED,
        tombstoned_at=act.now,
        conflict_with=(),
        duplicate_of="",
        actor=act.actor,
    )
    settle(changes, row, around, weighing)
    return Plan(batch=act.batch(changes, [swept]), outcome=True)
