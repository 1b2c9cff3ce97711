"""Deleting and restoring: changes of standing, not of what is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import attrs
from attrs import frozen

from loom.errors import NotFound, RestoreWindowPassed
from loom.model.audit import AuditRow
from loom.model.identity import Identity
from loom.model.masking import shown_hash
from loom.model.memory import MemoryRow
from loom.model.patterns import PatternRow
from loom.model.status import Event, Status
from loom.model.thresholds import DENSE_FALLBACK
from loom.plans.answers import next_step, peer_views
from loom.plans.auditing import audit_entry
from loom.plans.cascade import (
    Dependent,
    Surroundings,
    Weighing,
    fate_of,
    of_one_task,
    settle,
)
from loom.plans.changes import Changes
from loom.plans.outcomes import (
    DeletedRow,
    DeleteOutcome,
    RestoreOutcome,
    SetOutcome,
)
from loom.plans.plan import Plan
from loom.policies.blacklist import texts_of
from loom.policies.chain import Policy, decide
from loom.policies.facts import Claim, Draft, Facts
from loom.policies.lock import refuses_delete
from loom.policies.peers import PeerCheck
from loom.policies.verdicts import Refuse, Verdict, name_of
from loom.storage.batch import Batch

__all__ = [
    "Act",
    "plan_delete",
    "plan_restore",
    "restore_refusals",
]


@frozen(kw_only=True, slots=True)
class Act:
    """Who does what to a key, and when."""

    operation: str
    identity: Identity
    actor: str
    memory_key: str
    stamp: int
    now: datetime

    def audit(self, row: MemoryRow, ordinal: int) -> AuditRow:
        """The entry for one of the rows it was about."""
        return audit_entry(
            stamp=self.stamp,
            operation=self.operation,
            actor=self.actor,
            run_id=self.identity.run_id,
            about=row,
            verdict=row.event,
            ordinal=ordinal,
        )

    def refusal(self, refuse: Refuse) -> Batch:
        """The batch that records a refusal."""
        entry = audit_entry(
            stamp=self.stamp,
            operation=self.operation,
            actor=self.actor,
            run_id=self.identity.run_id,
            about=self.identity.address(self.memory_key),
            refused=refuse.error.code,
        )
        return Batch(rows=(entry,))

    def batch(self, changes: Changes, primary: Sequence[MemoryRow]) -> Batch:
        """All changed rows, with an audit entry for each that the call was about."""
        entries = tuple(self.audit(row, i) for i, row in enumerate(primary))
        return Batch(rows=(*changes.rows(), *entries))


def plan_delete(
    act: Act,
    rows: Sequence[MemoryRow],
    around: Mapping[str, Surroundings],
    weighing: Weighing,
) -> Plan[DeleteOutcome]:
    """Tombstone every live row given, and what depends on it (R-06, R-24).

    The caller's own duplicates of a deleted row go with it, unless a lock keeps them; all
    other duplicates are judged again.

    Args:
        act: who deletes which key.
        rows: the live rows under the key, within what the caller may write.
        around: what depends on each row, by memory id.
        weighing: how duplicates are judged again.
    """
    for row in rows:
        refuse = refuses_delete(row, act.now)
        if refuse is not None:
            return Plan(batch=act.refusal(refuse), refusal=refuse)
    if not rows:
        return Plan(outcome=_nothing_deleted(act))
    changes = Changes(act.stamp)
    for row in rows:
        _bury(act, changes, row)
    own = [
        dependent.row
        for row in rows
        for dependent in around[row.memory_id].dependents
        if _goes_along(act, dependent.row, changes)
    ]
    for row in own:
        _bury(act, changes, row)
    for row in (*rows, *own):
        settle(changes, row, around.get(row.memory_id, Surroundings()), weighing)
    gone = [changes.current(r.memory_id) or r for r in (*rows, *own)]
    outcome = DeleteOutcome(
        memory_key=act.memory_key,
        found=True,
        count=len(gone),
        rows=tuple(_gone(row, as_duplicate=i >= len(rows)) for i, row in enumerate(gone)),
        version=act.stamp,
        next=f"memory.restore('{act.memory_key}') brings it back within the restore window.",
    )
    return Plan(batch=act.batch(changes, gone), outcome=outcome)


def _nothing_deleted(act: Act) -> DeleteOutcome:
    return DeleteOutcome(
        memory_key=act.memory_key,
        found=False,
        count=0,
        next="Nothing was deleted: no live row of yours is under this key.",
    )


def _gone(row: MemoryRow, *, as_duplicate: bool) -> DeletedRow:
    return DeletedRow(
        memory_key=row.memory_key,
        memory_id=row.memory_id,
        agent=row.agent,
        session_id=row.session_id,
        as_duplicate=as_duplicate,
    )


def _goes_along(act: Act, row: MemoryRow, changes: Changes) -> bool:
    already = changes.current(row.memory_id)
    if already is not None and not already.is_live():
        return False
    user_id, session_id = act.identity.user_id, act.identity.session_id
    own = row.agent == act.identity.agent and row.user_id == user_id
    mine = own and of_one_task(row, user_id, session_id)
    return mine and not row.is_locked(act.now)


def _bury(act: Act, changes: Changes, row: MemoryRow) -> None:
    changes.change(
        row,
        Event.DELETED,
        status=Status.TOMBSTONED,
        tombstoned_at=act.now,
        conflict_with=(),
        duplicate_of="",
        actor=act.actor,
    )


def plan_restore(
    act: Act,
    group: Sequence[Dependent],
    refusals: Sequence[Refuse],
    weighing: Weighing,
    window: timedelta,
    *,
    clear_expiry: bool = False,
) -> Plan[RestoreOutcome]:
    """Revive the rows that one delete took, or a superseded one; each is judged again.

    What was superseded comes back in conflict with what took its place (R-06, R-61).

    Args:
        act: who restores which key.
        group: the rows, each with its peers.
        refusals: what the guards before the peer check object to.
        weighing: how the rows are judged.
        window: how long after the delete a restore is possible.
        clear_expiry: whether an expiry that the rows carry is removed.

    Raises:
        NotFound: nothing under the key is deleted or superseded.
    """
    if not group:
        raise _nothing_to_restore(act)
    late = _too_late(act, group, window)
    for refuse in ([late] if late else []) + list(refusals):
        return Plan(batch=act.refusal(refuse), refusal=refuse)
    changes = Changes(act.stamp)
    verdicts: list[Verdict] = []
    fields: dict[str, Any] = {
        "tombstoned_at": None,
        "invalid_at": None,
        "superseded_by": "",
        "actor": act.actor,
    }
    if clear_expiry:
        fields["expires_at"] = None
    for dead in group:
        changes.know((dead.row, *(peer.row for peer in dead.peers)))
        # It is judged as it will be: without the expiry that is cleared, it outlasts more.
        risen = attrs.evolve(dead, row=attrs.evolve(dead.row, **fields))
        verdict = weighing.weigh(changes, risen, pins=dead.row.pinned)
        if isinstance(verdict, Refuse):
            return Plan(batch=act.refusal(verdict), refusal=verdict)
        back = fate_of(changes, dead, verdict, Event.RESTORED, weighing, **fields)
        _face_successor(changes, dead, back)
        verdicts.append(verdict)
    # A row that came back first may be linked by one that came back after it.
    alive = [changes.current(d.row.memory_id) or d.row for d in group]
    outcome = RestoreOutcome(
        memory_key=act.memory_key,
        count=len(alive),
        version=act.stamp,
        rows=tuple(map(_restored, alive, verdicts)),
        next=_after_restore(alive, act.now),
    )
    return Plan(batch=act.batch(changes, alive), outcome=outcome)


def _nothing_to_restore(act: Act) -> NotFound:
    msg = (
        f"No deleted or superseded row of yours is under '{act.memory_key}'; nothing to "
        "restore. What was rejected or redacted is not: write it again with memory.set."
    )
    return NotFound(msg, memory_key=act.memory_key)


def _face_successor(changes: Changes, dead: Dependent, back: MemoryRow) -> None:
    """Two beliefs about one thing are now served: that must be visible (R-61)."""
    successor = dead.successor
    if successor is None or back.status is Status.DUPLICATE:
        return
    changes.know((successor,))
    changes.join(back.memory_id, (successor.memory_id,))


def _restored(row: MemoryRow, verdict: Verdict) -> SetOutcome:
    return SetOutcome(
        namespace=row.namespace,
        memory_key=row.memory_key,
        memory_id=row.memory_id,
        version=row.version,
        content_sha256=shown_hash(row),
        status=row.status,
        conflict_verdict=name_of(verdict),
        pinned=row.pinned,
        duplicate_of=row.duplicate_of,
        reinforcement_count=row.reinforcement_count,
        peers=peer_views(verdict),
        next=next_step(verdict, row),
    )


def restore_refusals(
    lens: Sequence[Policy],
    act: Act,
    rows: Sequence[MemoryRow],
    patterns: Sequence[PatternRow],
) -> list[Refuse]:
    """What the guards of the restore lens object to; peers are compared later."""
    guards = [policy for policy in lens if not isinstance(policy, PeerCheck)]
    found: list[Refuse] = []
    for row in rows:
        draft = _draft_of(act, row)
        facts = Facts(
            stamp=act.stamp,
            now=act.now,
            thresholds=DENSE_FALLBACK,
            head=row,
            patterns=tuple(patterns),
        )
        verdict = decide(guards, draft, facts)
        if isinstance(verdict, Refuse):
            found.append(verdict)
    return found


def _draft_of(act: Act, row: MemoryRow) -> Draft:
    """A stored row as the claim it makes again."""
    return Draft(
        operation=act.operation,
        identity=act.identity,
        actor=act.actor,
        source_class=row.source_class,
        address=row.address,
        new_id=row.memory_id,
        value=row.value,
        claim=Claim.of(row),
        memory_type=row.memory_type,
        pins=row.pinned,
        texts=texts_of(row),
    )


def _too_late(act: Act, group: Sequence[Dependent], window: timedelta) -> Refuse | None:
    dates = [d.row.tombstoned_at for d in group if d.row.tombstoned_at is not None]
    if not dates or act.now - max(dates) <= window:
        return None
    deleted_at = max(dates)
    message = (
        f"The row under '{act.memory_key}' was deleted more than {window.days} days ago "
        "and can no longer be restored. Its history still shows what it said: write it "
        "again with memory.set."
    )
    details = {"memory_key": act.memory_key, "deleted_at": deleted_at}
    return Refuse(RestoreWindowPassed, message, details)


def _after_restore(rows: Sequence[MemoryRow], now: datetime) -> str:
    if any(row.is_past(now) for row in rows):
        return "It is back, but its expiry has passed, so reads do not serve it."
    if any(row.status is Status.CONFLICTED for row in rows):
        return "It is back, in conflict with what was written since: see the peers."
    return "Nothing to do: it is served again."
