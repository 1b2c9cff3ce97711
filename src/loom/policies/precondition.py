"""Compare-and-set: the write lands only on the row its writer read (R-36)."""

from __future__ import annotations

from attrs import frozen

from loom.errors import PreconditionFailed
from loom.model.masking import shown_hash
from loom.policies.facts import Draft, Facts
from loom.policies.verdicts import Refuse

__all__ = ["Precondition"]


@frozen(slots=True)
class Precondition:
    """`if_match_sha256` must be the hash of the live row; with no live row it fails."""

    def judge(self, draft: Draft, facts: Facts) -> Refuse | None:
        """Refuse a write whose writer read something else."""
        if draft.if_match_sha256 is None:
            return None
        head = facts.live_head
        if head is not None and head.content_sha256 == draft.if_match_sha256:
            return None
        key = draft.address.memory_key
        if head is None:
            message = (
                f"There is no live row under '{key}' to match the hash given. Write "
                "without if_match_sha256 to create it."
            )
            return Refuse(PreconditionFailed, message, {"memory_key": key})
        message = (
            f"The row under '{key}' changed after it was read: its hash is not the one "
            "given. Read it again and decide again."
        )
        details = {"memory_key": key, "content_sha256": shown_hash(head)}
        return Refuse(PreconditionFailed, message, details)
