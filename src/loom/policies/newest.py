"""Under `newest_wins` a key holds one belief at a time, whoever writes it (R-44)."""

from __future__ import annotations

from attrs import frozen

from loom.model.unset import UNSET
from loom.policies.facts import Draft, Facts
from loom.policies.lock import locked
from loom.policies.pin import pinned_conflict
from loom.policies.verdicts import Filed, Merge, Refuse

__all__ = ["Backfill", "HeldElders"]


@frozen(slots=True)
class HeldElders:
    """A pinned or locked row of the key is never retired by another's write (R-42)."""

    def judge(self, draft: Draft, facts: Facts) -> Refuse | None:  # noqa: ARG002
        """Refuse a write that would have to retire such a row."""
        for row in facts.elders:
            if row.is_locked(facts.now):
                return locked(row, "replaced")
            if row.pinned:
                return pinned_conflict(row)
        return None


@frozen(slots=True)
class Backfill:
    """A fact stated to be older than what the key holds goes into its history."""

    def judge(self, draft: Draft, facts: Facts) -> Filed | Merge | None:
        """Filed, or the same fact filed once more; None for one that is not older."""
        stated = draft.details.valid_at
        if stated is UNSET or stated is None:
            return None
        held = [row for row in (facts.live_head, *facts.elders) if row is not None]
        if not held:
            return None
        newest = max(held, key=lambda row: (row.world_date, row.version))
        if stated >= newest.world_date:
            return None
        if facts.filed is not None:
            return Merge(peer=facts.filed)
        return Filed(under=newest)
