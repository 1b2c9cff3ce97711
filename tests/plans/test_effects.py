"""From a verdict to the rows, entries and answer it means."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

import attrs
import numpy as np
import pytest

from loom.errors import InvalidRequest, Locked
from loom.model.audit import AuditRow
from loom.model.entries import EXCERPT
from loom.model.memory import LockMode, MemoryRow
from loom.model.provenance import SourceClass
from loom.model.status import Event, Status
from loom.plans.cascade import Surroundings, Weighing
from loom.plans.effects import plan_write
from loom.plans.material import Material, Passage
from loom.plans.outcomes import SetOutcome
from loom.plans.plan import Plan
from loom.policies.facts import Draft, Facts
from loom.policies.peers import PeerCheck
from loom.policies.relations import Relation, Relations
from loom.policies.verdicts import (
    Clear,
    Conflict,
    Duplicate,
    Judged,
    Merge,
    Refuse,
    Restated,
    Verdict,
)
from tests.policies.given import LEVELS, NOW, STAMP, a_draft, a_peer, a_row, the_facts

SECRET = "the zebra crosses at dawn"
PEER = a_row("The pump rests at night.", key="peer/1")
OTHER = a_row("The pump sleeps at night.", key="peer/2")


def _passage(ordinal: int = EXCERPT) -> Passage:
    vector = np.array([1.0, 0.0], dtype=np.float32)
    return Passage(ordinal=ordinal, start=0, stop=5, vector=vector, terms=("pump",))


def _material(*passages: Passage, around: Surroundings | None = None) -> Material:
    return Material(
        passages=passages or (_passage(),),
        space="space-1",
        around=around or Surroundings(),
        weighing=Weighing(check=PeerCheck(), thresholds=LEVELS),
    )


def _plan(
    draft: Draft, facts: Facts, verdict: Verdict, material: Material | None = None
) -> Plan[SetOutcome]:
    return plan_write(draft, facts, verdict, material or _material())


def _memories(plan: Plan[SetOutcome]) -> list[MemoryRow]:
    assert plan.batch is not None
    return [row for row in plan.batch.rows if isinstance(row, MemoryRow)]


def _audits(plan: Plan[SetOutcome]) -> list[AuditRow]:
    assert plan.batch is not None
    return [row for row in plan.batch.rows if isinstance(row, AuditRow)]


def _answer(plan: Plan[SetOutcome]) -> SetOutcome:
    assert plan.outcome is not None
    return plan.outcome


HEAD = a_row(SECRET, tags=("t",))
CASES: list[tuple[str, Any, Any, Verdict]] = [
    ("clear", a_draft(SECRET), the_facts(), Clear()),
    ("restated", a_draft(SECRET), the_facts(head=HEAD), Restated(HEAD)),
    ("merge", a_draft(SECRET), the_facts(), Merge(peer=PEER)),
    ("duplicate", a_draft(SECRET), the_facts(), Duplicate(of=PEER)),
    ("conflict", a_draft(SECRET), the_facts(), Conflict(peers=(PEER, OTHER))),
    ("clear", a_draft(SECRET), the_facts(head=a_row("Old.")), Clear()),
]
IDS = ["clear", "restated", "merge", "duplicate", "conflict", "revision"]


@pytest.mark.parametrize("name, draft, facts, verdict", CASES, ids=IDS)
def test_every_write_leaves_one_audit_row_without_its_value(
    name: str, draft: Draft, facts: Facts, verdict: Verdict
) -> None:
    """B-330, A-103: key, id, content hash, actor, source class, verdict; never the value."""
    plan = _plan(draft, facts, verdict)
    (audit,) = _audits(plan)

    assert audit.verdict == name
    assert audit.refused == ""
    assert (audit.actor, audit.source_class) == ("process:local", "asserted")
    assert audit.content_sha256 == _answer(plan).content_sha256
    assert audit.memory_id == _answer(plan).memory_id
    assert "zebra" not in json.dumps(dict(audit))


@pytest.mark.parametrize("name, draft, facts, verdict", CASES, ids=IDS)
def test_all_rows_of_a_write_carry_one_version(
    name: str, draft: Draft, facts: Facts, verdict: Verdict
) -> None:
    """R-15: stamped when the write is staged, one for all rows."""
    plan = _plan(draft, facts, verdict)

    assert plan.batch is not None
    assert {getattr(row, "version", None) for row in plan.batch.rows} == {STAMP}
    assert _answer(plan).version == STAMP
    assert _answer(plan).conflict_verdict == name
    assert _answer(plan).next


def test_a_refusal_leaves_one_audit_row_with_its_code_and_no_hash() -> None:
    """R-30: key, code, actor; no content hash."""
    plan = _plan(a_draft(SECRET), the_facts(), Refuse(Locked, "It is locked."))

    assert plan.batch is not None
    (audit,) = plan.batch.rows
    assert isinstance(audit, AuditRow)
    assert (audit.memory_key, audit.refused) == ("pump/hours", "LOCKED")
    assert audit.actor == "process:local"
    assert (audit.content_sha256, audit.memory_id, audit.source_class) == ("", "", "")
    assert plan.outcome is None
    assert plan.batch.vectors == ()


def test_a_clear_write_makes_an_active_row_with_its_entry() -> None:
    """A-144, A-16, A-27: a memory row, one embedding entry with a vector of the value."""
    plan = _plan(a_draft(SECRET), the_facts(), Clear())
    (row,) = _memories(plan)

    assert (row.status, row.event, row.parent) == (Status.ACTIVE, Event.CREATED, 0)
    assert row.memory_id == "id-new"
    assert row.created_at == row.updated_at == NOW
    assert row.reinforcement_count == 1
    assert plan.batch is not None
    (entry,) = plan.batch.vectors
    assert (entry.memory_id, entry.content_sha256) == (row.memory_id, row.content_sha256)
    assert (entry.ordinal, entry.space) == (EXCERPT, "space-1")


def test_a_long_value_s_chunks_are_written_in_the_same_call() -> None:
    """A-17, R-13: and their number is told."""
    material = _material(_passage(), _passage(0), _passage(1))
    plan = _plan(attrs.evolve(a_draft(SECRET), chunks=2), the_facts(), Clear(), material)

    assert plan.batch is not None
    assert [e.ordinal for e in plan.batch.vectors] == [EXCERPT, 0, 1]
    assert _answer(plan).chunks_written == 2
    assert _memories(plan)[0].chunks == 2


def test_a_restatement_adds_a_version_and_counts_it() -> None:
    """A-95: a version with reinforcement_count + 1; no entry is written anew."""
    head = a_row(SECRET, reinforcement_count=4, tags=("t",), pinned=True)
    plan = _plan(a_draft(SECRET, confidence=0.25), the_facts(head=head), Restated(head))
    (row,) = _memories(plan)

    assert (row.reinforcement_count, row.event) == (5, Event.RESTATED)
    assert (row.tags, row.pinned, row.confidence) == (("t",), True, 0.25)
    assert row.parent == head.version
    assert plan.batch is not None
    assert plan.batch.vectors == ()


def test_a_restatement_never_lifts_the_source_class() -> None:
    """R-47: nothing lifts one."""
    head = a_row(SECRET, source_class=SourceClass.EXTERNAL)
    plan = _plan(a_draft(SECRET), the_facts(head=head), Restated(head))
    assert _memories(plan)[0].source_class is SourceClass.EXTERNAL

    head = a_row(SECRET)
    draft = a_draft(SECRET, source_class=SourceClass.DERIVED)
    plan = _plan(draft, the_facts(head=head), Restated(head))
    assert _memories(plan)[0].source_class is SourceClass.DERIVED


def test_a_merge_writes_nothing_under_the_key_and_reinforces_the_peer() -> None:
    """A-107, A-108: the peer is reinforced and `merged_into_key` names it."""
    plan = _plan(a_draft(SECRET), the_facts(), Merge(peer=PEER))
    (row,) = _memories(plan)
    answer = _answer(plan)

    assert row == PEER.next_version(STAMP, Event.REINFORCED, reinforcement_count=2)
    assert (answer.noop, answer.merged_into_key) == (True, "peer/1")
    assert answer.memory_key == "pump/hours"
    assert (answer.memory_id, answer.content_sha256) == (
        PEER.memory_id,
        PEER.content_sha256,
    )


def test_a_duplicate_points_at_its_canonical_row_which_stays_as_it_is() -> None:
    """A-146, A-72: `duplicate_of`."""
    plan = _plan(a_draft(SECRET), the_facts(), Duplicate(of=PEER))
    (row,) = _memories(plan)

    assert (row.status, row.duplicate_of) == (Status.DUPLICATE, PEER.memory_id)
    assert "peer/1" in _answer(plan).next


def test_a_conflict_links_every_peer_from_both_sides() -> None:
    """A-145, A-148, R-22: both rows become conflicted, in one commit."""
    plan = _plan(a_draft(SECRET), the_facts(), Conflict(peers=(PEER, OTHER)))
    rows = {row.memory_id: row for row in _memories(plan)}

    assert rows["id-new"].conflict_with == tuple(sorted((PEER.memory_id, OTHER.memory_id)))
    for peer in (PEER, OTHER):
        assert rows[peer.memory_id].conflict_with == ("id-new",)
        assert rows[peer.memory_id].event is Event.RELINKED
        assert rows[peer.memory_id].value == peer.value
    assert {row.status for row in rows.values()} == {Status.CONFLICTED}
    assert _answer(plan).status == "conflicted"


def test_a_revision_resets_what_belonged_to_the_old_value() -> None:
    """R-31: reinforcement to 1, conflict and duplicate links; other fields stay."""
    partner = a_row("Other.", key="p", status=Status.CONFLICTED, conflict_with=("me",))
    head = a_row(
        "Old.",
        memory_id="me",
        status=Status.CONFLICTED,
        conflict_with=(partner.memory_id,),
        reinforcement_count=7,
        tags=("t",),
        confidence=0.5,
    )
    around = Surroundings(linked=(partner,))
    plan = _plan(a_draft(SECRET), the_facts(head=head), Clear(), _material(around=around))
    rows = {row.memory_id: row for row in _memories(plan)}

    assert (rows["me"].status, rows["me"].conflict_with) == (Status.ACTIVE, ())
    assert (rows["me"].reinforcement_count, rows["me"].duplicate_of) == (1, "")
    assert (rows["me"].tags, rows["me"].confidence) == (("t",), 0.5)
    assert rows["me"].event is Event.REVISED
    assert (rows[partner.memory_id].status, rows[partner.memory_id].conflict_with) == (
        Status.ACTIVE,
        (),
    )


def test_a_dead_head_starts_afresh_under_its_old_id() -> None:
    """R-20, R-03: a new version, live; the id is the identity's for ever."""
    created = STAMP - 5 * 10**9
    dead = a_row(
        "Old.", status=Status.TOMBSTONED, tags=("t",), pinned=True, version=created
    )
    dead = dead.next_version(created + 10**9, Event.DELETED, tombstoned_at=NOW)
    (row,) = _memories(_plan(a_draft(SECRET), the_facts(head=dead), Clear()))

    assert row.memory_id == dead.memory_id
    assert (row.parent, row.created_at) == (dead.version, dead.created_at)
    assert (row.tags, row.pinned, row.tombstoned_at) == ((), False, None)
    assert (row.event, row.status) == (Event.CREATED, Status.ACTIVE)


def _in(hours: int) -> datetime:
    return NOW + timedelta(hours=hours)


def test_a_head_that_ended_starts_afresh_and_leaves_its_partner() -> None:
    """R-20, R-22, R-41: as a dead one, with an event of its own; its links end with it."""
    partner = a_row("Partner.", key="p", status=Status.CONFLICTED, conflict_with=("old",))
    head = a_row(
        "Old.",
        memory_id="old",
        expires_at=NOW,
        tags=("t",),
        status=Status.CONFLICTED,
        conflict_with=(partner.memory_id,),
    )
    material = _material(around=Surroundings(linked=(partner,)))
    rows = _memories(_plan(a_draft(SECRET), the_facts(head=head), Clear(), material))
    row, other = rows

    assert (row.memory_id, row.parent, row.created_at) == (
        "old",
        head.version,
        head.created_at,
    )
    assert (row.event, row.status, row.conflict_with) == (Event.RENEWED, Status.ACTIVE, ())
    assert (row.tags, row.expires_at, row.reinforcement_count) == ((), None, 1)
    assert (other.status, other.conflict_with) == (Status.ACTIVE, ())


@pytest.mark.parametrize("locked", [False, True])
def test_a_write_that_pins_and_merges_pins_the_row_that_keeps_its_claim(
    locked: bool,
) -> None:
    """A-15, R-42: unless a lock keeps that row as it is."""
    lock = {"lock_mode": LockMode.NO_DELETE} if locked else {}
    peer = a_row("The pump rests.", key="peer/3", **lock)
    plan = _plan(a_draft(SECRET, pins=True), the_facts(), Merge(peer=peer))
    (row,) = _memories(plan)

    assert (row.pinned, _answer(plan).pinned) == (not locked, not locked)
    (plain,) = _memories(_plan(a_draft(SECRET), the_facts(), Merge(peer=peer)))
    assert not plain.pinned


@pytest.mark.parametrize(
    "said", [{"valid_to": _in(1)}, {"valid_at": _in(3)}], ids=["to", "at"]
)
def test_an_end_before_the_beginning_is_refused_said_or_carried(said: Any) -> None:
    """R-14: `valid_to` before `valid_at`, whichever of them the row already has."""
    kept: dict[str, Any] = {"valid_at" if "valid_to" in said else "valid_to": _in(2)}
    head = a_row("Old.", **kept)

    with pytest.raises(InvalidRequest):
        _plan(a_draft(SECRET, **said), the_facts(head=head), Clear())


def test_an_end_that_has_passed_is_not_carried_into_a_fresh_start() -> None:
    """R-20, R-14: so it cannot precede the beginning that is said now."""
    head = a_row("Old.", valid_to=NOW)
    (row,) = _memories(
        _plan(a_draft(SECRET, valid_at=_in(2)), the_facts(head=head), Clear())
    )

    assert (row.valid_at, row.valid_to, row.event) == (_in(2), None, Event.RENEWED)


def test_at_most_five_peers_are_shown_closest_first() -> None:
    """A-100, R-32: the five closest, with what they say and why they count."""
    peers = [a_peer(a_row(f"Text {i}.", key=f"p/{i}"), 0.99 - i / 100) for i in range(8)]
    judged = tuple(
        Judged(
            peer=p,
            found=Relation(kind=Relations.APART, similarity=p.similarity, note="why"),
        )
        for p in peers
    )
    shown = _answer(_plan(a_draft(SECRET), the_facts(), Clear(judged=judged))).peers

    assert [p.memory_key for p in shown] == [f"p/{i}" for i in range(5)]
    assert [p.similarity for p in shown] == sorted(p.similarity for p in shown)[::-1]
    assert shown[0].value == "Text 0."
    assert shown[0].reasons == ("cosine 0.990", "why")


def test_the_peer_that_decided_is_among_those_shown() -> None:
    """A-100, R-33: seven closer rows that are compatible do not hide the contradiction."""
    peers = [a_peer(a_row(f"Text {i}.", key=f"p/{i}"), 0.99 - i / 100) for i in range(8)]
    kinds = [Relations.COMPATIBLE] * 7 + [Relations.CONFLICT]
    judged = tuple(
        Judged(peer=p, found=Relation(kind=kind, similarity=p.similarity))
        for p, kind in zip(peers, kinds, strict=True)
    )
    verdict = Conflict(peers=(peers[7].row,), judged=judged)
    shown = _answer(_plan(a_draft(SECRET), the_facts(), verdict)).peers

    assert [p.memory_key for p in shown] == ["p/0", "p/1", "p/2", "p/3", "p/7"]
