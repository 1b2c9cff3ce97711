"""The verdict over all close rows at once (R-32, R-33)."""

from __future__ import annotations

from collections.abc import Iterable

import attrs
from attrs import frozen

from loom.model.thresholds import Thresholds
from loom.policies.facts import Claim, Draft, Facts, Peer
from loom.policies.pin import pinned_conflict
from loom.policies.relations import FROM_AFAR, EvidenceJudge, Judge, Relations
from loom.policies.verdicts import (
    Clear,
    Conflict,
    Duplicate,
    Judged,
    Merge,
    Refines,
    Refuse,
    Restated,
    Verdict,
)

__all__ = ["PeerCheck"]

_ANSWERS = (Relations.CANONICAL, Relations.SAME)
_CLOSE = (Relations.SAME, Relations.CONFLICT, Relations.COMPATIBLE)


@frozen(slots=True)
class PeerCheck:
    """Compares a claim with its peers, closest first; always has an opinion.

    Attributes:
        judge_of: says what two claims are to each other.
        retires: a newer claim takes the place of what it contradicts (`newest_wins`).
        dedups: a claim that is known already becomes no row of its own; else it stands
            beside the one that says the same.
    """

    judge_of: Judge = EvidenceJudge()
    retires: bool = False
    dedups: bool = True

    def judge(self, draft: Draft, facts: Facts) -> Verdict:
        """The verdict on a draft."""
        revises = facts.live_head is not None
        elders = {row.memory_id for row in facts.elders}
        judged = self.relate(draft.claim, facts.peers, facts.thresholds)
        others = tuple(
            one
            for one in judged
            if one.peer.row.memory_id not in elders
            # A key's only row, saying the same, is reinforced and not replaced; but a run
            # keeps its own copy, and the other one gives way to it.
            or (
                one.relation is Relations.CANONICAL
                and not revises
                and not draft.is_of_another_run(one.peer.row)
            )
        )
        verdict = _weighed(others, judged, pins=draft.pins, revises=revises)
        if isinstance(verdict, Merge) and draft.is_of_another_run(verdict.peer):
            return Duplicate(of=verdict.peer, judged=judged)
        if not self.retires or isinstance(verdict, Refuse | Merge):
            return verdict
        if _first(others, Relations.CANONICAL) is not None:
            return verdict
        return _retiring(verdict, others, facts, draft.claim)

    def weigh(
        self,
        claim: Claim,
        peers: Iterable[Peer],
        thresholds: Thresholds,
        *,
        pins: bool,
        revises: bool,
    ) -> Verdict:
        """The verdict on a claim that retires nothing.

        Args:
            claim: what would be stored.
            peers: live rows to compare with, closest first.
            thresholds: in force for the namespace and type.
            pins: the write itself pins.
            revises: the claim has a row of its own already, so it cannot vanish into
                another by a merge (R-31): it becomes that row's duplicate.
        """
        judged = self.relate(claim, peers, thresholds)
        return _weighed(judged, judged, pins=pins, revises=revises)

    def relate(
        self, claim: Claim, peers: Iterable[Peer], thresholds: Thresholds
    ) -> tuple[Judged, ...]:
        """What the claim is to each of its peers."""
        return tuple(self._relate(claim, peer, thresholds) for peer in peers)

    def _relate(self, claim: Claim, peer: Peer, thresholds: Thresholds) -> Judged:
        found = self.judge_of.relate(claim, peer.claim, peer.similarity, thresholds)
        if found.kind in _ANSWERS and claim.outlasts(peer.claim):
            # It would vanish with the row that answers for it.
            found = attrs.evolve(
                found, kind=Relations.APART, note="it says the same, but ends sooner"
            )
        elif found.kind in _ANSWERS and not self.dedups:
            found = attrs.evolve(
                found, kind=Relations.APART, note="it says the same; a tag keeps both"
            )
        elif found.kind is Relations.CONFLICT and peer.claim.mark in claim.allowed:
            found = attrs.evolve(
                found, kind=Relations.COMPATIBLE, note="allowed side by side by review"
            )
        return Judged(peer=peer, found=found)


def _weighed(
    others: tuple[Judged, ...], judged: tuple[Judged, ...], *, pins: bool, revises: bool
) -> Verdict:
    """The first that holds of R-33's order, but for `refines`."""
    canonical = _first(others, Relations.CANONICAL)
    if canonical is not None:
        if revises:
            return Duplicate(of=canonical.peer.row, judged=judged)
        return Merge(peer=canonical.peer.row, judged=judged)
    pinned = next((j for j in others if j.peer.row.pinned and _is_close(j)), None)
    if pinned is not None and not pins:
        return pinned_conflict(pinned.peer.row, judged)
    same = _first(others, Relations.SAME)
    if same is not None:
        return Duplicate(of=same.peer.row, judged=judged)
    against = tuple(j.peer.row for j in others if j.relation is Relations.CONFLICT)
    if against:
        return Conflict(peers=against, judged=judged)
    return Clear(judged=judged)


def _is_close(one: Judged) -> bool:
    """Whether a pin on the peer stands against the claim: not on evidence from afar."""
    return one.relation in _CLOSE and one.found.note != FROM_AFAR


def _retiring(
    verdict: Verdict, others: tuple[Judged, ...], facts: Facts, claim: Claim
) -> Verdict:
    """The verdict, made `refines` where the claim takes another's place (R-33, R-44)."""
    judged = () if isinstance(verdict, Restated) else verdict.judged
    against = tuple(j for j in others if j.relation is Relations.CONFLICT)
    retired = tuple(j.peer.row for j in against if _gives_way(j, claim, facts))
    gone = {row.memory_id for row in retired}
    kept = tuple(j.peer.row for j in against if j.peer.row.memory_id not in gone)
    if retired:
        return Refines(retired=retired, against=kept, judged=judged)
    if facts.elders and not isinstance(verdict, Duplicate):
        return Refines(against=kept, judged=judged)
    return verdict


def _gives_way(one: Judged, claim: Claim, facts: Facts) -> bool:
    """Whether a peer is of the same subject and predicate, no newer, and not held."""
    row = one.peer.row
    held = row.pinned or row.is_locked(facts.now) or row.memory_id in facts.shielded
    if held or not one.found.replaces:
        return False
    return row.world_date <= (claim.world_date or facts.now)


def _first(judged: tuple[Judged, ...], relation: Relations) -> Judged | None:
    return next((j for j in judged if j.relation is relation), None)
