"""Locks on stored rows: put, tightened, loosened, lifted (R-42)."""

from __future__ import annotations

from datetime import datetime

from attrs import field, frozen

from loom.errors import Forbidden
from loom.model.memory import LockMode, MemoryRow
from loom.model.status import Event
from loom.plans.changes import Changes
from loom.plans.lifecycle import Act
from loom.plans.outcomes import LockOutcome
from loom.plans.plan import Plan

__all__ = ["LockTerms", "plan_lock", "plan_unlock"]


@frozen(kw_only=True, slots=True)
class LockTerms:
    """What a lock forbids, until when, and why."""

    mode: LockMode
    until: datetime | None
    reason: str
    locked_by: str = field(default="")

    def is_looser_than(self, row: MemoryRow) -> bool:
        """Whether it would let through what the row's lock now refuses."""
        weaker = row.lock_mode is LockMode.READ_ONLY and self.mode is LockMode.NO_DELETE
        if row.lock_until is None:
            return weaker or self.until is not None
        return weaker or (self.until is not None and self.until < row.lock_until)


def plan_lock(
    act: Act, row: MemoryRow, terms: LockTerms, *, admin: bool
) -> Plan[LockOutcome]:
    """Lock a row; only an administrator loosens a lock in force (R-42).

    Raises:
        Forbidden: the new terms are looser and the caller is no administrator.
    """
    if row.is_locked(act.now) and terms.is_looser_than(row) and not admin:
        msg = (
            f"The row under '{row.memory_key}' is locked more tightly than that; only an "
            "administrator loosens a lock."
        )
        raise Forbidden(msg, memory_key=row.memory_key)
    return _relocked(act, row, Event.LOCKED, terms)


def plan_unlock(act: Act, row: MemoryRow) -> Plan[LockOutcome]:
    """Lift a lock; a row without one is left as it is."""
    if row.lock_mode is None:
        return Plan(outcome=_lock_outcome(row))
    return _relocked(act, row, Event.UNLOCKED, None)


def _relocked(
    act: Act, row: MemoryRow, event: Event, terms: LockTerms | None
) -> Plan[LockOutcome]:
    changes = Changes(act.stamp)
    changed = changes.change(
        row,
        event,
        lock_mode=terms.mode if terms else None,
        lock_until=terms.until if terms else None,
        lock_reason=terms.reason if terms else "",
        locked_by=(terms.locked_by or act.actor) if terms else "",
        actor=act.actor,
    )
    return Plan(batch=act.batch(changes, [changed]), outcome=_lock_outcome(changed))


def _lock_outcome(row: MemoryRow) -> LockOutcome:
    return LockOutcome(
        memory_key=row.memory_key,
        memory_id=row.memory_id,
        version=row.version,
        lock_mode=row.lock_mode or "",
        lock_until=row.lock_until,
        lock_reason=row.lock_reason,
        locked_by=row.locked_by,
    )
