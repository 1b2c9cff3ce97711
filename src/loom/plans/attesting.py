"""Vouching for what a row says, and taking that back."""

from __future__ import annotations

from attrs import frozen

from loom.errors import IllegalTransition
from loom.model.masking import shown_hash
from loom.model.memory import MemoryRow
from loom.model.readable import Readable
from loom.model.status import Event
from loom.plans.changes import Changes
from loom.plans.lifecycle import Act
from loom.plans.plan import Plan

__all__ = ["VerifyOutcome", "plan_verify"]


@frozen(kw_only=True, slots=True, hash=False)
class VerifyOutcome(Readable):
    """Who vouches for a row now."""

    memory_key: str
    memory_id: str
    version: int
    #: False where it was so already: nothing was written.
    changed: bool
    #: `human`, `process`, `stale`, `restored` or `none`.
    verification: str
    verified_by: str
    verified_sha256: str


def plan_verify(
    act: Act, row: MemoryRow, *, revoke: bool, reason: str
) -> Plan[VerifyOutcome]:
    """Bind the actor to the content that the row has now; or nobody to any.

    The claim keeps its writer: the actor of the row stays, whoever vouches for it. A lock
    does not stand against it, since what the row says stays.

    Raises:
        IllegalTransition: the row is out of use or past its end.
    """
    if not row.is_current(act.now):
        msg = (
            f"The row under '{row.memory_key}' is out of use, so there is nothing to vouch "
            "for. Restore it or write it again first."
        )
        raise IllegalTransition(msg, memory_id=row.memory_id, status=str(row.status))
    wanted = ("", "") if revoke else (act.actor, row.content_sha256)
    if wanted == (row.verified_by, row.verified_sha256):
        return Plan(outcome=_outcome(row, changed=False))
    changes = Changes(act.stamp)
    changed = changes.change(
        row,
        Event.REVOKED if revoke else Event.VERIFIED,
        verified_by=wanted[0],
        verified_sha256=wanted[1],
        event_reason=reason,
    )
    batch = act.batch(changes, [changed])
    return Plan(batch=batch, outcome=_outcome(changed, changed=True))


def _outcome(row: MemoryRow, *, changed: bool) -> VerifyOutcome:
    return VerifyOutcome(
        memory_key=row.memory_key,
        memory_id=row.memory_id,
        version=row.version,
        changed=changed,
        verification=row.verification,
        verified_by=row.verified_by,
        verified_sha256=shown_hash(row) if row.verified_sha256 else "",
    )
