"""What a person decides about stored rows: wrong, on trial, one of two, or both."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from loom.errors import IllegalTransition
from loom.model.masking import is_secret, shown_hash
from loom.model.memory import MemoryRow
from loom.model.status import Event, Status
from loom.plans.cascade import Surroundings, Weighing, settle
from loom.plans.changes import Changes
from loom.plans.lifecycle import Act
from loom.plans.outcomes import DecisionOutcome
from loom.plans.plan import Plan
from loom.policies.lock import locked, refuses_delete
from loom.policies.verdicts import Refuse

__all__ = ["Resolution", "check_pair", "plan_reject", "plan_resolve", "resolved_text"]


class Resolution(StrEnum):
    """What to make of two rows in conflict (R-60)."""

    #: The named row stands; its peer goes.
    REVISE = "revise"
    #: The named row goes; its peer stands.
    CONTRACT = "contract"
    #: Both stand, and are not flagged again until one of them changes.
    ALLOW = "allow"


def plan_reject(
    act: Act, row: MemoryRow, around: Surroundings, weighing: Weighing, reason: str
) -> Plan[DecisionOutcome]:
    """Mark a row, live or on trial, as wrong; what depended on it is judged again (R-24)."""
    if row.is_locked(act.now):
        refuse = locked(row, "rejected")
        return Plan(batch=act.refusal(refuse), refusal=refuse)
    changes = Changes(act.stamp)
    rejected = changes.change(
        row,
        Event.REJECTED,
        status=Status.REJECTED,
        invalid_at=act.now,
        conflict_with=(),
        duplicate_of="",
        actor=act.actor,
        event_reason=reason,
    )
    if row.is_live():
        settle(changes, row, around, weighing)
    outcome = _outcome(
        rejected,
        decision="reject",
        reason=reason,
        next=_after_rejection(row),
    )
    return Plan(batch=act.batch(changes, [rejected]), outcome=outcome)


def _after_rejection(row: MemoryRow) -> str:
    if row.status is Status.PROPOSED:
        return f"It is turned down; what '{row.memory_key}' holds is as it was."
    return (
        f"No read serves it; the history of '{row.memory_key}' keeps it. Write what is right "
        "with memory.set."
    )


def check_pair(row: MemoryRow, peer: MemoryRow, action: Resolution, now: datetime) -> None:
    """The two must still be in conflict, and the one that is to stand must not have ended.

    Raises:
        IllegalTransition: they are not, or no longer; or nothing would stand.
    """
    linked = peer.memory_id in row.conflict_with and row.memory_id in peer.conflict_with
    stays = peer if action is Resolution.CONTRACT else row
    if linked and (action is Resolution.ALLOW or stays.is_current(now)):
        return
    msg = (
        f"The rows under '{row.memory_key}' and '{peer.memory_key}' are not in conflict, or "
        "no longer are, or the one that would stand is past its end. See conflicts.list for "
        "what is left to decide."
    )
    raise IllegalTransition(msg, memory_id=row.memory_id, peer_id=peer.memory_id)


def plan_resolve(
    act: Act,
    row: MemoryRow,
    peer: MemoryRow,
    action: Resolution,
    around: Mapping[str, Surroundings],
    weighing: Weighing,
    reason: str,
) -> Plan[DecisionOutcome]:
    """Decide a conflict without a new value (R-60).

    Args:
        act: who decides.
        row: the row that the caller named first.
        peer: the other side.
        action: what to make of them.
        around: what depends on each of the two, by memory id.
        weighing: how duplicates of the one that goes are judged again.
        reason: why, for the history.
    """
    changes = Changes(act.stamp)
    changes.know((row, peer))
    if action is Resolution.ALLOW:
        _allow(act, changes, row, peer, reason)
    else:
        stays, goes = (row, peer) if action is Resolution.REVISE else (peer, row)
        refuse = refuses_delete(goes, act.now)
        if refuse is not None:
            return _refused(act, refuse)
        changes.change(
            goes,
            Event.RESOLVED,
            status=Status.TOMBSTONED,
            tombstoned_at=act.now,
            conflict_with=(),
            actor=act.actor,
            event_reason=reason,
        )
        _unlink(act, changes, stays, goes, reason)
        settle(changes, goes, around[goes.memory_id], weighing)
    sides = [changes.current(r.memory_id) or r for r in (row, peer)]
    outcome = _outcome(
        sides[0],
        decision=action,
        reason=reason,
        peer=sides[1],
        next=resolved_text(action, sides[0], sides[1]),
    )
    return Plan(batch=act.batch(changes, sides), outcome=outcome)


def _refused(act: Act, refuse: Refuse) -> Plan[DecisionOutcome]:
    return Plan(batch=act.refusal(refuse), refusal=refuse)


def _unlink(
    act: Act,
    changes: Changes,
    row: MemoryRow,
    peer: MemoryRow,
    reason: str,
    **fields: Any,
) -> None:
    """The row without its link to the peer; active if that was its last one (R-22)."""
    rest = tuple(i for i in row.conflict_with if i != peer.memory_id)
    changes.change(
        row,
        Event.RESOLVED,
        conflict_with=rest,
        status=Status.CONFLICTED if rest else Status.ACTIVE,
        actor=act.actor,
        event_reason=reason,
        **fields,
    )


def _allow(
    act: Act, changes: Changes, row: MemoryRow, peer: MemoryRow, reason: str
) -> None:
    for one, other in ((row, peer), (peer, row)):
        # A mark holds a plain hash, and a secret is compared with nothing.
        marks = () if is_secret(other) else (other.mark,)
        allowed = tuple(sorted({*one.allowed_with, *marks}))
        _unlink(act, changes, one, other, reason, allowed_with=allowed)


def resolved_text(action: Resolution, row: MemoryRow, peer: MemoryRow) -> str:
    """What came of a decision, in one sentence."""
    match action:
        case Resolution.ALLOW:
            return (
                f"Both '{row.memory_key}' and '{peer.memory_key}' stand; the pair is not "
                "flagged again until one of them changes."
            )
        case Resolution.REVISE:
            stays, goes = row, peer
        case Resolution.CONTRACT:
            stays, goes = peer, row
    left = len(stays.conflict_with)
    rest = f" It still contradicts {left} more." if left else ""
    return (
        f"{_named(stays, goes)} stands; {_named(goes, stays)} is deleted, and "
        f"memory.restore brings it back within the restore window.{rest}"
    )


def _named(row: MemoryRow, other: MemoryRow) -> str:
    """A row by its key, and by its writer where the other one has the same key."""
    if row.memory_key != other.memory_key:
        return f"'{row.memory_key}'"
    return f"'{row.memory_key}' by {row.agent}"


def _outcome(
    row: MemoryRow,
    *,
    decision: str,
    reason: str,
    next: str,  # noqa: A002 - the answer's public name
    peer: MemoryRow | None = None,
) -> DecisionOutcome:
    return DecisionOutcome(
        memory_key=row.memory_key,
        memory_id=row.memory_id,
        version=row.version,
        status=row.status,
        content_sha256=shown_hash(row),
        decision=str(decision),
        reason=reason,
        peer_id="" if peer is None else peer.memory_id,
        peer_key="" if peer is None else peer.memory_key,
        peer_status="" if peer is None else peer.status,
        next=next,
    )
