"""Locks on the row under the key (R-42)."""

from __future__ import annotations

from datetime import datetime

from attrs import frozen

from loom.errors import Locked
from loom.model.memory import LockMode, MemoryRow
from loom.policies.facts import Draft, Facts
from loom.policies.verdicts import Refuse

__all__ = ["LockGuard", "locked", "refuses_delete"]


@frozen(slots=True)
class LockGuard:
    """A read-only row takes no changed value and no changed detail; it may be restated.

    A row past its end takes no write while any lock holds: it would begin afresh, without
    the lock.
    """

    def judge(self, draft: Draft, facts: Facts) -> Refuse | None:
        """Refuse a change of a row that a lock keeps as it is, or the loss of one."""
        if facts.buries is not None and facts.buries.is_locked(facts.now):
            return locked(facts.buries, "deleted")
        head = facts.head
        if head is None or not head.is_live() or not head.is_locked(facts.now):
            return None
        if not head.is_current(facts.now):
            return locked(head, "begun afresh")
        if head.lock_mode is not LockMode.READ_ONLY:
            return None
        same_value = draft.claim.content_sha256 == head.content_sha256
        if same_value and not draft.details.changed_in(head):
            return None
        return locked(head, "changed")


def refuses_delete(row: MemoryRow, now: datetime) -> Refuse | None:
    """Both modes refuse a delete while they are in force."""
    return locked(row, "deleted") if row.is_locked(now) else None


def locked(row: MemoryRow, what: str) -> Refuse:
    """The refusal, with the lock's reason and end."""
    until = f" until {row.lock_until.isoformat()}" if row.lock_until else ""
    message = (
        f"The row under '{row.memory_key}' is locked ({row.lock_mode}){until} and cannot "
        f"be {what}. Reason given: '{row.lock_reason}'. An administrator can unlock it with "
        "memory.unlock."
    )
    details = {
        "memory_key": row.memory_key,
        "mode": str(row.lock_mode),
        "reason": row.lock_reason,
        "lock_until": row.lock_until,
        "locked_by": row.locked_by,
    }
    return Refuse(Locked, message, details)
