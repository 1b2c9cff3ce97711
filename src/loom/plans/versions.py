"""The row version that a draft becomes."""

from __future__ import annotations

from typing import Any

from loom.model.masking import UNFOUND
from loom.model.memory import MemoryRow
from loom.model.sensitivity import HIGH
from loom.model.status import Event, Status
from loom.model.unset import said
from loom.plans.changes import Changes
from loom.policies.facts import Draft, Facts
from loom.policies.verdicts import Clear, Conflict, Duplicate, Refines

__all__ = ["begun", "content_of", "own_row", "secrecy_of"]


def content_of(draft: Draft) -> dict[str, Any]:
    """What a version says, and who says it; no standing."""
    return {
        "value": draft.value,
        "content_sha256": draft.claim.content_sha256,
        "canonical_sha256": draft.claim.canonical_sha256,
        "slots": draft.claim.slots,
        "searchable": draft.searchable,
        "chunks": draft.chunks,
        "actor": draft.actor,
        "source_class": draft.source_class,
        "reinforcement_count": 1,
        "event_reason": draft.reason,
        **draft.details.said(),
        "memory_type": draft.memory_type,
    }


def secrecy_of(draft: Draft) -> dict[str, Any]:
    """What a row that says the same already becomes where the draft is secret."""
    if said(draft.details.sensitivity, "") != HIGH:
        return {}
    return {**UNFOUND, "sensitivity_stated": draft.details.sensitivity_stated is True}


def own_row(
    draft: Draft,
    facts: Facts,
    verdict: Duplicate | Refines | Conflict | Clear,
    changes: Changes,
) -> MemoryRow:
    """The version of the row under the key; a conflict's links come with `join`."""
    fields: dict[str, Any] = {
        **content_of(draft),
        "conflict_with": (),
        "allowed_with": (),
        "status": Status.ACTIVE,
        "duplicate_of": "",
    }
    if isinstance(verdict, Duplicate):
        fields["status"] = Status.DUPLICATE
        fields["duplicate_of"] = verdict.of.memory_id
    if facts.live_head is not None:
        run_id = draft.identity.run_id or facts.live_head.run_id
        event = Event.REVISED if facts.accepts is None else Event.ACCEPTED
        return changes.change(facts.live_head, event, run_id=run_id, **fields)
    dead = facts.head
    if dead is not None:
        changes.know((dead,))
    memory_id = draft.new_id if dead is None else dead.memory_id
    return changes.put(begun(draft, facts, memory_id, fields, dead=dead))


def _beginning(facts: Facts, dead: MemoryRow | None) -> Event:
    if facts.accepts is not None:
        return Event.ACCEPTED
    return Event.RENEWED if dead is not None and dead.is_live() else Event.CREATED


def begun(
    draft: Draft,
    facts: Facts,
    memory_id: str,
    fields: dict[str, Any],
    *,
    dead: MemoryRow | None = None,
    event: Event | None = None,
) -> MemoryRow:
    """A row that begins, or begins afresh where one that ended keeps its id and history."""
    return MemoryRow(
        org=draft.address.org,
        namespace=draft.address.namespace,
        agent=draft.address.agent,
        user_id=draft.address.user_id,
        session_id=draft.address.session_id,
        memory_key=draft.address.memory_key,
        run_id=draft.identity.run_id,
        memory_id=memory_id,
        version=facts.stamp,
        parent=0 if dead is None else dead.version,
        event=event or _beginning(facts, dead),
        created_at=facts.now if dead is None else dead.created_at,
        updated_at=facts.now,
        **fields,
    )
