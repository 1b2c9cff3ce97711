"""From a verdict on a write to the rows, entries and answer it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

import attrs

from loom.errors import InvalidRequest
from loom.model.audit import AuditRow
from loom.model.entries import EXCERPT, Embedded
from loom.model.keys import key_advisories
from loom.model.masking import UNFOUND, is_secret
from loom.model.memory import MemoryRow
from loom.model.provenance import lower_class
from loom.model.status import Event, Status
from loom.plans.answers import next_step, notice, peer_views
from loom.plans.auditing import audit_entry
from loom.plans.cascade import Surroundings, Weighing, fate_of, settle
from loom.plans.changes import Changes
from loom.plans.material import Material, entries_for
from loom.plans.outcomes import SetOutcome
from loom.plans.plan import Plan
from loom.plans.versions import begun, content_of, own_row, secrecy_of
from loom.policies.facts import Draft, Facts
from loom.policies.verdicts import (
    Clear,
    Conflict,
    Duplicate,
    Filed,
    Merge,
    Refines,
    Refuse,
    Restated,
    Verdict,
    name_of,
)
from loom.storage.batch import Batch

__all__ = [
    "audit_of",
    "plan_write",
    "refusal_of",
    "retire",
    "written",
]


def plan_write(
    draft: Draft, facts: Facts, verdict: Verdict, material: Material
) -> Plan[SetOutcome]:
    """The plan of a set, update, pin or bulk entry."""
    match verdict:
        case Refuse():
            return Plan(batch=refusal_of(draft, facts, verdict), refusal=verdict)
        case Restated():
            return _restate(draft, facts, verdict, material)
        case Merge():
            return _merge(draft, facts, verdict, material)
        case Filed():
            return _file(draft, facts, verdict, material)
        case Duplicate() | Refines() | Conflict() | Clear():
            return _insert(draft, facts, verdict, material)
        case _:
            assert_never(verdict)


def refusal_of(draft: Draft, facts: Facts, verdict: Refuse) -> Batch:
    """One audit entry: key, code, actor; no content hash (R-30)."""
    entry = audit_of(draft, facts.stamp, refused=verdict.error.code)
    return Batch(rows=(entry,))


def audit_of(
    draft: Draft,
    stamp: int,
    *,
    row: MemoryRow | None = None,
    verdict: str = "",
    refused: str = "",
) -> AuditRow:
    """The hash-only entry of one write: about `row`, or about the key it refused."""
    return audit_entry(
        stamp=stamp,
        operation=draft.operation,
        actor=draft.actor,
        run_id=draft.identity.run_id,
        about=row or draft.address,
        verdict=verdict,
        refused=refused,
    )


def _restate(
    draft: Draft, facts: Facts, verdict: Restated, material: Material
) -> Plan[SetOutcome]:
    changes = Changes(facts.stamp)
    row = changes.change(
        verdict.row,
        Event.RESTATED,
        reinforcement_count=verdict.row.reinforcement_count + 1,
        actor=draft.actor,
        source_class=lower_class(verdict.row.source_class, draft.source_class),
        **draft.details.said(),
    )
    _replace(changes, facts, row, facts.elders, material)
    row = changes.current(row.memory_id) or row
    if row.ends_at != verdict.row.ends_at:
        _settle_end(changes, verdict.row, row, material)
        row = changes.current(row.memory_id) or row
    return written(draft, facts, changes, row, verdict)


def _settle_end(
    changes: Changes, before: MemoryRow, row: MemoryRow, material: Material
) -> None:
    """What another end means: no duplicate may vanish with the row that answers for it."""
    weighing = material.weighing
    if material.own is not None:
        own = attrs.evolve(material.own, row=row)
        changes.know(peer.row for peer in own.peers)
        found = weighing.weigh(changes, own, pins=True)
        fate_of(changes, own, found, Event.RESTATED, weighing)
    around = Surroundings(dependents=material.around.dependents)
    settle(changes, before, around, weighing, keeps=before.conflict_with)


def _merge(
    draft: Draft, facts: Facts, verdict: Merge, material: Material
) -> Plan[SetOutcome]:
    changes = Changes(facts.stamp)
    peer = verdict.peer
    # A write that pins wants its claim kept, and the peer is what keeps it.
    pins = draft.pins and peer.is_live() and not peer.is_locked(facts.now)
    row = changes.change(
        peer,
        Event.REINFORCED,
        reinforcement_count=peer.reinforcement_count + 1,
        pinned=peer.pinned or pins,
        **secrecy_of(draft),
    )
    if peer.is_live():
        others = [e for e in facts.elders if e.memory_id != peer.memory_id]
        _replace(changes, facts, row, others, material)
        row = changes.current(row.memory_id) or row
    elif facts.accepts is not None:
        _supersede_taken(changes, facts.accepts, row, facts, draft.reason)
    return written(draft, facts, changes, row, verdict)


def _replace(
    changes: Changes,
    facts: Facts,
    row: MemoryRow,
    gone: Sequence[MemoryRow],
    material: Material,
) -> None:
    """The rows that the written one takes the place of, and the proposal it takes."""
    retire(changes, gone, by=row, leaving=material.leaving, weighing=material.weighing)
    buried = facts.buries
    if buried is not None:
        changes.change(
            buried,
            Event.RESOLVED,
            status=Status.TOMBSTONED,
            tombstoned_at=facts.now,
            conflict_with=(),
            event_reason=row.event_reason,
        )
        around = material.leaving.get(buried.memory_id, Surroundings())
        settle(changes, buried, around, material.weighing)
    taken = facts.accepts
    if taken is not None and taken.memory_id != row.memory_id:
        _supersede_taken(changes, taken, row, facts, row.event_reason)


def _supersede_taken(
    changes: Changes, taken: MemoryRow, by: MemoryRow, facts: Facts, reason: str
) -> MemoryRow:
    """The proposal that was taken; another row holds what it says, or something newer."""
    return changes.change(
        taken,
        Event.ACCEPTED,
        status=Status.SUPERSEDED,
        superseded_by=by.memory_id,
        invalid_at=facts.now,
        event_reason=reason,
        **(UNFOUND if is_secret(by) else {}),
    )


def retire(
    changes: Changes,
    gone: Sequence[MemoryRow],
    *,
    by: MemoryRow,
    leaving: Mapping[str, Surroundings],
    weighing: Weighing,
) -> None:
    """Supersede rows whose place another takes, and settle what depended on them (R-24)."""
    for row in gone:
        changes.change(
            row,
            Event.SUPERSEDED,
            status=Status.SUPERSEDED,
            superseded_by=by.memory_id,
            invalid_at=by.written_at,
            conflict_with=(),
            duplicate_of="",
        )
    for row in gone:
        around = leaving.get(row.memory_id, Surroundings())
        settle(changes, row, around, weighing)


def _file(
    draft: Draft, facts: Facts, verdict: Filed, material: Material
) -> Plan[SetOutcome]:
    """A row beside the key's own, superseded by it from the first.

    A proposal that is taken is such a row already.
    """
    changes = Changes(facts.stamp)
    if facts.accepts is not None:
        row = _supersede_taken(changes, facts.accepts, verdict.under, facts, draft.reason)
        return written(draft, facts, changes, row, verdict)
    fields = {
        **_level_of(facts.live_head),
        **content_of(draft),
        "pinned": False,
        "beside": draft.new_id,
        "status": Status.SUPERSEDED,
        "superseded_by": verdict.under.memory_id,
        "invalid_at": facts.now,
    }
    row = changes.put(begun(draft, facts, draft.new_id, fields, event=Event.FILED))
    return written(draft, facts, changes, row, verdict, entries_for(row, material))


def _level_of(row: MemoryRow | None) -> dict[str, object]:
    """The level that was stated of a key's row holds for its history too (R-46)."""
    if row is None or not row.sensitivity_stated:
        return {}
    return {"sensitivity": row.sensitivity, "sensitivity_stated": True}


def _insert(
    draft: Draft,
    facts: Facts,
    verdict: Duplicate | Refines | Conflict | Clear,
    material: Material,
) -> Plan[SetOutcome]:
    changes = Changes(facts.stamp)
    row = own_row(draft, facts, verdict, changes)
    if material.passages:
        material.weighing.vectors[row.memory_id] = material.passages[0].vector
    retired = verdict.retired if isinstance(verdict, Refines) else ()
    # Before links are made and ended: what goes is then no partner any more.
    _replace(changes, facts, row, (*facts.elders, *retired), material)
    against = _against(verdict)
    changes.know(against)
    changes.join(row.memory_id, (peer.memory_id for peer in against))
    if facts.head is not None and facts.head.is_live():
        keeps = [peer.memory_id for peer in against]
        settle(changes, facts.head, material.around, material.weighing, keeps=keeps)
    row = changes.current(row.memory_id) or row
    return written(draft, facts, changes, row, verdict, entries_for(row, material))


def _against(verdict: Verdict) -> tuple[MemoryRow, ...]:
    match verdict:
        case Conflict(peers=peers):
            return peers
        case Refines(against=against):
            return against
        case _:
            return ()


def written(
    draft: Draft,
    facts: Facts,
    changes: Changes,
    row: MemoryRow,
    verdict: Verdict,
    entries: tuple[Embedded, ...] = (),
) -> Plan[SetOutcome]:
    """The batch of a write and its answer; `row` is the one that the write is about.

    Raises:
        InvalidRequest: the row would end before it begins.
    """
    _check_interval(row)
    name = name_of(verdict)
    audit = audit_of(draft, facts.stamp, row=row, verdict=name)
    merged = row.memory_key if isinstance(verdict, Merge) else ""
    outcome = SetOutcome(
        namespace=row.namespace,
        memory_key=draft.address.memory_key,
        memory_id=row.memory_id,
        version=row.version,
        content_sha256=row.content_sha256,
        status=row.status,
        conflict_verdict=name,
        pinned=row.pinned,
        duplicate_of=row.duplicate_of,
        superseded_by=row.superseded_by,
        retyped_from=draft.retyped_from,
        sensitivity=row.sensitivity,
        merged_into_key=merged,
        noop=isinstance(verdict, Merge),
        reinforcement_count=row.reinforcement_count,
        peers=peer_views(verdict),
        chunks_written=sum(entry.ordinal != EXCERPT for entry in entries),
        advisories=key_advisories(draft.address.memory_key),
        next=notice(row, facts.now) or next_step(verdict, row),
    )
    batch = Batch(rows=(*changes.rows(), audit), vectors=entries)
    return Plan(batch=batch, outcome=outcome)


def _check_interval(row: MemoryRow) -> None:
    """The end of validity, said now or carried forward, must not precede its beginning."""
    if (
        row.valid_at is not None
        and row.valid_to is not None
        and row.valid_to < row.valid_at
    ):
        msg = "valid_to lies before valid_at; a claim cannot end before it begins."
        raise InvalidRequest(msg, field="valid_to")
