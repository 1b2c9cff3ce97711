"""Redaction: whether a version may be scrubbed, which rows say the same, and what is left.

A version is one of several that hold a text: restatements copied it, a proposal that was
taken was copied into its key's row, and a tombstone repeats what it buried. They go
together or not at all (R-62).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

import attrs
from attrs import frozen

from loom.model.audit import AuditRow
from loom.model.json_values import FrozenDict
from loom.model.memory import MemoryRow
from loom.model.readable import Readable
from loom.model.status import Status
from loom.plans.auditing import audit_entry
from loom.plans.plan import Plan
from loom.policies.lock import locked
from loom.storage.batch import Batch

__all__ = [
    "REDACTED",
    "Copies",
    "RedactOutcome",
    "Redaction",
    "not_redacted",
    "plan_redact",
    "scrubbed_fields",
]

#: Stands where a value was.
REDACTED: Final = "[REDACTED]"


@frozen(kw_only=True, slots=True, hash=False)
class RedactOutcome(Readable):
    """What a redaction removed, or why it removed nothing."""

    memory_id: str
    version: int
    #: What the version said is gone, by this call or by one before it.
    redacted: bool
    #: It is what the memory, or a claim on trial beside it, says now.
    refused_head: bool = False
    #: Versions that were scrubbed, of the key's row and of those beside it.
    versions: int = 0
    #: Vectors and chunks that were removed.
    entries: int = 0
    #: Answers of `ask` that quoted it, and precedents: there are none in this store yet.
    cache_rows_deleted: int = 0
    precedent_rows_deleted: int = 0
    #: The file still holds the bytes; `next` says when they go.
    rewrite_pending: bool = False
    next: str = ""


@frozen(kw_only=True, slots=True, hash=False)
class Copies:
    """What was found of a version that is to go.

    Attributes:
        target: the version itself.
        versions: all versions that say the same under its key and are not redacted yet.
        heads: the newest version of each of their rows.
        own: the newest version of the key's own row; None where it has none.
    """

    target: MemoryRow
    versions: tuple[MemoryRow, ...]
    heads: tuple[MemoryRow, ...]
    own: MemoryRow | None


@frozen(kw_only=True, slots=True)
class Redaction:
    """Who redacts what, at which stamp, and why."""

    operation: str
    actor: str
    run_id: str
    reason: str
    stamp: int
    now: datetime


def not_redacted(memory_id: str, version: int) -> RedactOutcome:
    """The answer about what does not exist, or not for this caller: they look alike."""
    return RedactOutcome(
        memory_id=memory_id,
        version=version,
        redacted=False,
        next="No such version is in a namespace that you administer; see memory.history.",
    )


def plan_redact(
    redaction: Redaction, copies: Copies
) -> Plan[tuple[RedactOutcome, tuple[MemoryRow, ...]]]:
    """Refuse, or record that it is redacted; the text goes once that is durable.

    Returns:
        A plan whose outcome is the answer, and the versions to scrub.
    """
    target = copies.target
    kept = (*copies.heads, *(() if copies.own is None else (copies.own,)))
    held = next((head for head in kept if head.is_locked(redaction.now)), None)
    if held is not None:
        refuse = locked(held, "redacted")
        entry = _entry(redaction, target, refused=refuse.error.code)
        return Plan(batch=Batch(rows=(entry,)), refusal=refuse)
    live = next((head for head in copies.heads if _is_said(head, redaction.now)), None)
    if live is not None:
        return Plan(outcome=(_refused_head(target, live), ()))
    outcome = RedactOutcome(
        memory_id=target.memory_id,
        version=target.version,
        redacted=True,
        versions=len(copies.versions),
        next="" if copies.versions else "It had been redacted before.",
    )
    if not copies.versions:
        return Plan(outcome=(outcome, ()))
    batch = Batch(rows=(_entry(redaction, target, verdict="redacted"),))
    return Plan(batch=batch, outcome=(outcome, copies.versions))


def _is_said(head: MemoryRow, now: datetime) -> bool:
    """Whether the row still claims what it says, or is on trial for it."""
    on_trial = head.status is Status.PROPOSED and not head.is_past(now)
    return head.is_current(now) or on_trial


def _refused_head(target: MemoryRow, live: MemoryRow) -> RedactOutcome:
    do = (
        "Reject the proposal that says it first"
        if live.status is Status.PROPOSED
        else f"Delete or rewrite '{live.memory_key}' first"
    )
    return RedactOutcome(
        memory_id=target.memory_id,
        version=target.version,
        redacted=False,
        refused_head=True,
        next=f"This is what memory {live.memory_id} says now. {do}, then redact again.",
    )


def _entry(
    redaction: Redaction, target: MemoryRow, *, verdict: str = "", refused: str = ""
) -> AuditRow:
    """What is recorded: where and whose it was, and no hash of what it said."""
    entry = audit_entry(
        stamp=redaction.stamp,
        operation=redaction.operation,
        actor=redaction.actor,
        run_id=redaction.run_id,
        about=target.address,
        verdict=verdict,
        refused=refused,
    )
    return attrs.evolve(entry, memory_id=target.memory_id)


def scrubbed_fields(redaction: Redaction) -> Mapping[str, object]:
    """What a redacted version says instead; a search keeps nothing of it."""
    return {
        "value": REDACTED,
        "metadata": FrozenDict(),
        "entities": (),
        "slots": (),
        "searchable": False,
        "chunks": 0,
        "redacted_at": redaction.now,
        "redaction_reason": redaction.reason,
    }
