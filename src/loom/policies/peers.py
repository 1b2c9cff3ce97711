"""The verdict over all close rows at once (R-32, R-33)."""

from __future__ import annotations

from collections.abc import Iterable

import attrs
from attrs import frozen

from loom.model.thresholds import Thresholds
from loom.policies.facts import Claim, Draft, Facts, Peer
from loom.policies.pin import pinned_conflict
from loom.policies.relations import EvidenceJudge, Judge, Relations
from loom.policies.verdicts import (
    Clear,
    Conflict,
    Duplicate,
    Judged,
    Merge,
    Verdict,
)

__all__ = ["PeerCheck"]

_ANSWERS = (Relations.CANONICAL, Relations.SAME)
_CLOSE = (Relations.SAME, Relations.CONFLICT, Relations.COMPATIBLE)


@frozen(slots=True)
class PeerCheck:
    """Compares a claim with its peers, closest first; always has an opinion."""

    judge_of: Judge = EvidenceJudge()

    def judge(self, draft: Draft, facts: Facts) -> Verdict:
        """The verdict on a draft."""
        return self.weigh(
            draft.claim,
            facts.peers,
            facts.thresholds,
            pins=draft.pins,
            revises=facts.live_head is not None,
        )

    def weigh(
        self,
        claim: Claim,
        peers: Iterable[Peer],
        thresholds: Thresholds,
        *,
        pins: bool,
        revises: bool,
    ) -> Verdict:
        """The verdict on a claim.

        Args:
            claim: what would be stored.
            peers: live rows to compare with, closest first.
            thresholds: in force for the namespace and type.
            pins: the write itself pins.
            revises: the claim has a row of its own already, so it cannot vanish into
                another by a merge (R-31): it becomes that row's duplicate.
        """
        judged = tuple(self._relate(claim, peer, thresholds) for peer in peers)

        canonical = _first(judged, Relations.CANONICAL)
        if canonical is not None:
            if revises:
                return Duplicate(of=canonical.peer.row, judged=judged)
            return Merge(peer=canonical.peer.row, judged=judged)
        pinned = next(
            (j for j in judged if j.peer.row.pinned and j.relation in _CLOSE), None
        )
        if pinned is not None and not pins:
            return pinned_conflict(pinned.peer.row, judged)
        same = _first(judged, Relations.SAME)
        if same is not None:
            return Duplicate(of=same.peer.row, judged=judged)
        against = tuple(j.peer.row for j in judged if j.relation == Relations.CONFLICT)
        if against:
            return Conflict(peers=against, judged=judged)
        return Clear(judged=judged)

    def _relate(self, claim: Claim, peer: Peer, thresholds: Thresholds) -> Judged:
        found = self.judge_of.relate(claim, peer.claim, peer.similarity, thresholds)
        if found.kind in _ANSWERS and claim.outlasts(peer.claim):
            # It would vanish with the row that answers for it.
            found = attrs.evolve(
                found, kind=Relations.APART, note="it says the same, but ends sooner"
            )
        return Judged(peer=peer, found=found)


def _first(judged: tuple[Judged, ...], relation: Relations) -> Judged | None:
    return next((j for j in judged if j.relation == relation), None)
