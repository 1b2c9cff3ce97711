"""Pins: what was pinned is changed only by a write that itself pins, or by update."""

from __future__ import annotations

from attrs import frozen

from loom.errors import PinnedConflict
from loom.model.masking import shown_hash
from loom.model.memory import MemoryRow
from loom.policies.facts import Draft, Facts
from loom.policies.verdicts import Judged, Refuse

__all__ = ["PinGuard", "pinned_conflict"]


@frozen(slots=True)
class PinGuard:
    """A pinned row under the key may be restated, not changed."""

    def judge(self, draft: Draft, facts: Facts) -> Refuse | None:
        """Refuse a changed value or detail under a pinned key."""
        head = facts.live_head
        if head is None or not head.pinned or draft.pins:
            return None
        same_value = draft.claim.content_sha256 == head.content_sha256
        if same_value and not draft.details.changed_in(head):
            return None
        return pinned_conflict(head)


def pinned_conflict(row: MemoryRow, judged: tuple[Judged, ...] = ()) -> Refuse:
    """The refusal; `row` is the pinned row, under the key itself or close to it."""
    message = (
        f"The row under '{row.memory_key}' is pinned and says otherwise. Change it there "
        "with memory.update, which keeps the pin, or with memory.pin; or leave it."
    )
    details = {
        "memory_key": row.memory_key,
        "memory_id": row.memory_id,
        "content_sha256": shown_hash(row),
    }
    return Refuse(PinnedConflict, message, details, judged)
