"""What follows for other rows when one moves on (R-22, R-24).

Its conflict partners lose the link. Its duplicates have lost the row that answered for
them, so each is judged again, in the same commit and in the order given, seeing what was
decided for the ones before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import attrs
import numpy as np
from attrs import field, frozen

from loom.model.entries import Vector
from loom.model.identity import ANONYMOUS
from loom.model.memory import MemoryRow
from loom.model.status import PEER_STATUSES, Event, Status
from loom.model.thresholds import Thresholds
from loom.model.times import instant_of
from loom.plans.changes import Changes
from loom.policies.facts import Claim, Peer, closest_first
from loom.policies.peers import PeerCheck
from loom.policies.verdicts import Conflict, Duplicate, Merge, Refuse, Verdict

__all__ = ["Dependent", "Surroundings", "Weighing", "fate_of", "of_one_task", "settle"]


@frozen(kw_only=True, slots=True, hash=False)
class Dependent:
    """A row that must be judged again, with what it is judged against."""

    row: MemoryRow
    #: Its excerpt's vector, (d,); None where it has none.
    vector: Vector | None = field(eq=False, default=None)
    peers: tuple[Peer, ...] = ()
    #: Where a tag says so, it stands beside a row that says the same.
    dedups: bool = True
    #: In force for its namespace and type; None leaves them to the plan.
    thresholds: Thresholds | None = None
    #: The live row that stands in its place, where it is superseded.
    successor: MemoryRow | None = None


@frozen(kw_only=True, slots=True, hash=False)
class Surroundings:
    """The rows that depend on a row which may move on."""

    #: The partners of its conflict links.
    linked: tuple[MemoryRow, ...] = ()
    #: The rows it is canonical for.
    dependents: tuple[Dependent, ...] = ()


@frozen(kw_only=True, slots=True)
class Weighing:
    """How claims are compared in this plan."""

    check: PeerCheck
    thresholds: Thresholds
    #: Vectors of rows this plan changes, by memory id; filled as it goes.
    vectors: dict[str, Vector] = field(factory=dict, hash=False)

    def weigh(self, changes: Changes, dependent: Dependent, *, pins: bool) -> Verdict:
        """The verdict on a row that has a claim of its own already."""
        check = self.check
        if not dependent.dedups:
            check = attrs.evolve(check, dedups=False)
        return check.weigh(
            Claim.of(dependent.row),
            self.peers(changes, dependent),
            dependent.thresholds or self.thresholds,
            pins=pins,
            revises=True,
        )

    def peers(self, changes: Changes, dependent: Dependent) -> tuple[Peer, ...]:
        """Its peers as this plan leaves them, closest first; a row without a vector has none."""
        if dependent.vector is None:
            return ()
        own = dependent.row.memory_id
        now = instant_of(changes.stamp)
        changed = {row.memory_id: row for row in changes.rows() if row.memory_id != own}
        found = [p for p in dependent.peers if p.row.memory_id not in changed]
        found.extend(
            peer
            for row in changed.values()
            if _may_be_peer(row, dependent.row, now)
            and (peer := self._as_peer(row, dependent)) is not None
        )
        return closest_first(found)

    def _as_peer(self, row: MemoryRow, dependent: Dependent) -> Peer | None:
        similarity = self._similarity(row, dependent)
        same_key = row.memory_key == dependent.row.memory_key
        same = row.canonical_sha256 == dependent.row.canonical_sha256
        floor = self.check.judge_of.floor(dependent.thresholds or self.thresholds)
        if similarity < floor and not (same_key or same):
            return None
        return Peer(row=row, similarity=similarity, claim=Claim.of(row))

    def _similarity(self, row: MemoryRow, dependent: Dependent) -> float:
        for peer in dependent.peers:
            same_row = peer.row.memory_id == row.memory_id
            if same_row and peer.row.content_sha256 == row.content_sha256:
                return peer.similarity
        other = self.vectors.get(row.memory_id)
        if dependent.vector is None or other is None:
            return -1.0
        return float(np.dot(dependent.vector, other))


def _may_be_peer(row: MemoryRow, of: MemoryRow, now: datetime) -> bool:
    """What the gathering asks of stored rows, of one that this plan changes (R-32)."""
    if row.status not in PEER_STATUSES or row.is_past(now) or row.scope != of.scope:
        return False
    if not row.searchable:
        return False  # a secret one above all
    return of_one_task(row, of.user_id, of.session_id)


def of_one_task(row: MemoryRow, user_id: str, session_id: str) -> bool:
    """Whether a row is of the task that a user and a session name (R-04).

    Nobody's sessions are separate tasks; those of a user, and no session, are one.
    """
    return user_id != ANONYMOUS or not session_id or row.session_id == session_id


def settle(
    changes: Changes,
    moved: MemoryRow,
    around: Surroundings,
    weighing: Weighing,
    *,
    keeps: Iterable[str] = (),
) -> None:
    """Change what depends on a row that moved on.

    Args:
        changes: where the moved row's own new version already is.
        moved: the row's head before it moved.
        around: the rows that depend on it.
        weighing: how the duplicates are judged again.
        keeps: ids it stays in conflict with.
    """
    changes.know(around.linked)
    kept = set(keeps)
    changes.part(moved.memory_id, (i for i in moved.conflict_with if i not in kept))
    for dependent in around.dependents:
        now = changes.current(dependent.row.memory_id) or dependent.row
        if now.duplicate_of == moved.memory_id and now.is_live():
            changes.know((dependent.row, *(p.row for p in dependent.peers)))
            # It may have been given another end by this very write.
            as_it_is = attrs.evolve(dependent, row=now)
            verdict = weighing.weigh(changes, as_it_is, pins=True)
            fate_of(changes, as_it_is, verdict, Event.RELINKED, weighing)


def fate_of(
    changes: Changes,
    dependent: Dependent,
    verdict: Verdict,
    event: Event,
    weighing: Weighing,
    **fields: object,
) -> MemoryRow:
    """Give a row the standing that a verdict on its own claim means for it."""
    row = dependent.row
    if dependent.vector is not None:
        weighing.vectors[row.memory_id] = dependent.vector
    match verdict:
        case Duplicate(of=peer) | Merge(peer=peer):
            standing = {"status": Status.DUPLICATE, "duplicate_of": peer.memory_id}
        case _:
            standing = {"status": Status.ACTIVE, "duplicate_of": ""}
    changed = changes.change(row, event, **{"conflict_with": (), **standing, **fields})
    if isinstance(verdict, Conflict):
        changes.join(row.memory_id, (p.memory_id for p in verdict.peers))
        changed = changes.current(row.memory_id) or changed
    elif isinstance(verdict, Refuse):  # pragma: no cover - callers weigh with pins
        msg = "a refusal is no fate for a stored row."
        raise TypeError(msg)
    return changed
