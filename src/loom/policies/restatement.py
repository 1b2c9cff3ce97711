"""A value that the store already holds, to the byte."""

from __future__ import annotations

from attrs import frozen

from loom.policies.facts import Claim, Draft, Facts
from loom.policies.verdicts import Merge, Restated

__all__ = ["BulkTwin", "Restatement"]


@frozen(slots=True)
class Restatement:
    """The live row under the key says exactly this: it is stated once more."""

    def judge(self, draft: Draft, facts: Facts) -> Restated | None:
        """Restated, if the hashes are equal."""
        head = facts.live_head
        if head is None or head.content_sha256 != draft.claim.content_sha256:
            return None
        if head.memory_type != draft.memory_type or head.searchable != draft.searchable:
            return None  # it would be kept and compared elsewhere: judge it there
        return Restated(head)


@frozen(slots=True)
class BulkTwin:
    """In a bulk write, a live row of the same hash elsewhere is the fact (R-37)."""

    def judge(self, draft: Draft, facts: Facts) -> Merge | None:
        """Merge into the twin, unless the key's own row is being revised (R-31)."""
        twin = facts.twin
        if twin is None or facts.live_head is not None:
            return None
        if draft.claim.outlasts(Claim.of(twin)) or draft.is_of_another_run(twin):
            return None
        if draft.claim.bare and twin.memory_key != draft.address.memory_key:
            return None
        return Merge(peer=twin)
