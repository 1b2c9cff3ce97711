"""From a verdict on a write to the rows, entries and answer it means."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, assert_never

import attrs
from attrs import field, frozen

from loom.errors import InvalidRequest
from loom.model.audit import AuditRow
from loom.model.entries import EXCERPT, Embedded, Terms, Vector
from loom.model.keys import key_advisories
from loom.model.memory import MemoryRow
from loom.model.provenance import lower_class
from loom.model.status import Event, Status
from loom.plans.auditing import audit_entry
from loom.plans.cascade import Dependent, Surroundings, Weighing, fate_of, settle
from loom.plans.changes import Changes
from loom.plans.outcomes import PeerView, SetOutcome
from loom.plans.plan import Plan
from loom.policies.facts import Draft, Facts
from loom.policies.relations import Relations
from loom.policies.verdicts import (
    Clear,
    Conflict,
    Duplicate,
    Judged,
    Merge,
    Refuse,
    Restated,
    Verdict,
    name_of,
)
from loom.storage.batch import Batch

__all__ = [
    "Material",
    "Passage",
    "audit_of",
    "next_step",
    "peer_views",
    "plan_write",
    "refusal_of",
]

_SHOWN = 5


@frozen(kw_only=True, slots=True)
class Passage:
    """A passage of the draft's text, embedded and tokenised before the lock."""

    ordinal: int
    start: int
    stop: int
    vector: Vector = field(eq=False, hash=False)
    terms: Terms


@frozen(kw_only=True, slots=True)
class Material:
    """What a plan is made of beside the draft and the facts."""

    passages: tuple[Passage, ...]
    space: str
    around: Surroundings
    weighing: Weighing
    #: The row itself with its peers, where it is a duplicate that is given another end.
    own: Dependent | None = None


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
            return _merge(draft, facts, verdict)
        case Duplicate() | Conflict() | Clear():
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
    if row.ends_at != verdict.row.ends_at:
        _settle_end(changes, verdict.row, row, material)
        row = changes.current(row.memory_id) or row
    return _written(draft, facts, changes, row, verdict)


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


def _merge(draft: Draft, facts: Facts, verdict: Merge) -> Plan[SetOutcome]:
    changes = Changes(facts.stamp)
    peer = verdict.peer
    # A write that pins wants its claim kept, and the peer is what keeps it.
    pinned = peer.pinned or (draft.pins and not peer.is_locked(facts.now))
    row = changes.change(
        peer,
        Event.REINFORCED,
        reinforcement_count=peer.reinforcement_count + 1,
        pinned=pinned,
    )
    return _written(draft, facts, changes, row, verdict)


def _insert(
    draft: Draft,
    facts: Facts,
    verdict: Duplicate | Conflict | Clear,
    material: Material,
) -> Plan[SetOutcome]:
    changes = Changes(facts.stamp)
    row = _own_row(draft, facts, verdict, changes)
    if material.passages:
        material.weighing.vectors[row.memory_id] = material.passages[0].vector
    against = verdict.peers if isinstance(verdict, Conflict) else ()
    changes.know(against)
    changes.join(row.memory_id, (peer.memory_id for peer in against))
    if facts.head is not None and facts.head.is_live():
        keeps = [peer.memory_id for peer in against]
        settle(changes, facts.head, material.around, material.weighing, keeps=keeps)
    entries = tuple(
        Embedded(
            memory_id=row.memory_id,
            content_sha256=row.content_sha256,
            ordinal=passage.ordinal,
            start=passage.start,
            stop=passage.stop,
            space=material.space,
            vector=passage.vector,
            terms=passage.terms,
        )
        for passage in material.passages
    )
    row = changes.current(row.memory_id) or row
    return _written(draft, facts, changes, row, verdict, entries)


def _own_row(
    draft: Draft,
    facts: Facts,
    verdict: Duplicate | Conflict | Clear,
    changes: Changes,
) -> MemoryRow:
    """The version of the row under the key; a conflict's links come with `join`."""
    fields: dict[str, Any] = {
        "value": draft.value,
        "content_sha256": draft.claim.content_sha256,
        "canonical_sha256": draft.claim.canonical_sha256,
        "searchable": draft.searchable,
        "chunks": draft.chunks,
        "actor": draft.actor,
        "source_class": draft.source_class,
        "reinforcement_count": 1,
        "conflict_with": (),
        "status": Status.ACTIVE,
        "duplicate_of": "",
        **draft.details.said(),
        "memory_type": draft.memory_type,
    }
    if isinstance(verdict, Duplicate):
        fields["status"] = Status.DUPLICATE
        fields["duplicate_of"] = verdict.of.memory_id
    if facts.live_head is not None:
        run_id = draft.identity.run_id or facts.live_head.run_id
        return changes.change(facts.live_head, Event.REVISED, run_id=run_id, **fields)
    return changes.put(_first_version(draft, facts, changes, fields))


def _first_version(
    draft: Draft, facts: Facts, changes: Changes, fields: dict[str, Any]
) -> MemoryRow:
    """A row that begins, or begins afresh where one that ended keeps its id and history."""
    dead = facts.head
    if dead is not None:
        changes.know((dead,))
    return MemoryRow(
        org=draft.address.org,
        namespace=draft.address.namespace,
        agent=draft.address.agent,
        user_id=draft.address.user_id,
        session_id=draft.address.session_id,
        memory_key=draft.address.memory_key,
        run_id=draft.identity.run_id,
        memory_id=draft.new_id if dead is None else dead.memory_id,
        version=facts.stamp,
        parent=0 if dead is None else dead.version,
        event=Event.RENEWED if dead is not None and dead.is_live() else Event.CREATED,
        created_at=facts.now if dead is None else dead.created_at,
        updated_at=facts.now,
        **fields,
    )


def _written(
    draft: Draft,
    facts: Facts,
    changes: Changes,
    row: MemoryRow,
    verdict: Verdict,
    entries: tuple[Embedded, ...] = (),
) -> Plan[SetOutcome]:
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
        merged_into_key=merged,
        noop=isinstance(verdict, Merge),
        reinforcement_count=row.reinforcement_count,
        peers=peer_views(verdict),
        chunks_written=sum(entry.ordinal != EXCERPT for entry in entries),
        advisories=key_advisories(draft.address.memory_key),
        next=_unserved(row, facts.now) or next_step(verdict, row),
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


def peer_views(verdict: Verdict, shown: int = _SHOWN) -> tuple[PeerView, ...]:
    """The rows it was compared with, closest first, as a writer is shown them.

    Where there are more than are shown, those that decided are not left out for closer
    ones that did not.
    """
    judged = () if isinstance(verdict, Restated) else verdict.judged
    if len(judged) > shown:
        kept = sorted(judged, key=lambda one: one.relation not in _DECIDING)[:shown]
        judged = tuple(one for one in judged if any(one is k for k in kept))
    return tuple(_view(one) for one in judged)


_DECIDING: Final = (Relations.CANONICAL, Relations.SAME, Relations.CONFLICT)


def _view(judged: Judged) -> PeerView:
    row = judged.peer.row
    return PeerView(
        memory_key=row.memory_key,
        memory_id=row.memory_id,
        agent=row.agent,
        user_id=row.user_id,
        session_id=row.session_id,
        value=row.value,
        content_sha256=row.content_sha256,
        status=row.status,
        pinned=row.pinned,
        valid_at=row.valid_at,
        similarity=judged.peer.similarity,
        relation=judged.relation,
        reasons=judged.reasons,
    )


def _unserved(row: MemoryRow, now: datetime) -> str:
    """What to do about a row that was written past its end; empty for any other."""
    if not row.is_past(now):
        return ""
    return (
        "It is written, but no read serves it: its expiry or its valid_to has passed. "
        "Write it again with clear_expiry, a new ttl_seconds, or another valid_to."
    )


def next_step(verdict: Verdict, row: MemoryRow) -> str:
    """What a careful caller would do now, in one plain sentence (R-55)."""
    match verdict:
        case Restated():
            return "Nothing to do: the claim was known and is now stated once more."
        case Merge(peer=peer):
            return (
                f"Nothing was written here: use the key '{peer.memory_key}', which says "
                "the same."
            )
        case Duplicate(of=peer):
            return (
                f"Reads of this key answer with '{peer.memory_key}', which says the same; "
                "write there from now on."
            )
        case Conflict(peers=peers):
            keys = ", ".join(f"'{peer.memory_key}'" for peer in peers[:_SHOWN])
            return (
                f"Both sides are served and marked: read {keys}, then update or delete "
                "the one that is wrong."
            )
        case Clear():
            return f"Nothing to do: the claim stands under '{row.memory_key}'."
        case Refuse():
            return verdict.message
        case _:
            assert_never(verdict)
