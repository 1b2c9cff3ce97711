"""One write, judged: the step between gathering and staging that all lenses share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TypeAlias, TypeVar

import attrs
from attrs import frozen

from loom.engine.embedding import embedded
from loom.engine.env import Context
from loom.engine.gather import (
    beside_of,
    dependent,
    elders_of,
    patterns_for,
    peer_question,
    peers_of,
    surroundings,
    twin_of,
    weighing_of,
)
from loom.engine.ruling import lenses_for, ruling_of
from loom.engine.thresholds import thresholds_in
from loom.engine.write import NeedsVectors, commit, namespace_scope
from loom.model.memory import MemoryRow
from loom.model.status import Status
from loom.model.times import instant_of
from loom.model.unset import UNSET
from loom.plans.cascade import Surroundings
from loom.plans.draft import (
    Prepared,
    as_secret_as,
    is_secret_under,
    says_it_already,
    settled_for,
    tags_of,
)
from loom.plans.effects import plan_write
from loom.plans.material import Material
from loom.plans.outcomes import SetOutcome
from loom.plans.plan import Plan
from loom.plans.proposing import plan_proposal
from loom.policies.chain import decide
from loom.policies.facts import Claim, Draft, Facts, Peer
from loom.policies.lenses import Lens
from loom.policies.rulings import Ruling
from loom.policies.verdicts import Refines, Refuse, Restated, Verdict
from loom.storage.contract import Reader, Writing
from loom.storage.query import Nearest

__all__ = ["Find", "Judging", "plan_in", "spares_embedding", "write"]

_REPEATS = 3
T = TypeVar("T")
#: Finds something at an instant.
Find: TypeAlias = Callable[[Reader, datetime], T]


@frozen(kw_only=True, slots=True, hash=False)
class Judging:
    """How one write is judged.

    Attributes:
        lens: which chain of rules; the namespace's policy says what is in it.
        target: finds the row that is written, at an instant; where there is none, or it
            finds none, the write goes to the caller's own address.
        bulk: whether a live row of the same hash elsewhere is the fact (R-37).
        accepts: finds the proposal that the write takes.
        buries: finds the row that goes with the write, the losing side of a conflict.
    """

    lens: Lens
    target: Find[MemoryRow | None] | None = None
    bulk: bool = False
    accepts: Find[MemoryRow] | None = None
    buries: Find[MemoryRow] | None = None

    @property
    def proposes(self) -> bool:
        """The claim is put on trial: the key's row is not written."""
        return self.lens == "propose"


def write(
    context: Context, prepared: Prepared, judging: Judging, *, dry_run: bool = False
) -> SetOutcome:
    """Judge and write one draft.

    Raises:
        Refused: a guard objects.
        EmbeddingFailed: the embedder failed; nothing was written.
    """
    if prepared.passages is None and not spares_embedding(context, prepared, judging):
        prepared = embedded(context, [prepared])[0]
    for _ in range(_REPEATS):
        ready = prepared
        try:
            return commit(
                context,
                namespace_scope(context),
                lambda writing: plan_in(context, writing, ready, judging),  # noqa: B023
                probes=_probes(context, prepared),
                dry_run=dry_run,
            )
        except NeedsVectors:
            prepared = embedded(context, [prepared], sure=True)[0]
    raise AssertionError  # pragma: no cover - the second round has vectors


def spares_embedding(context: Context, prepared: Prepared, judging: Judging) -> bool:
    """Whether the claim seems to be known already, or to become a secret.

    A look without the lock, which decides nothing. It may save an embedding; and an
    embedder may be somebody else's service, which no secret is sent to (R-46).
    """
    now = context.now()
    storage = context.env.storage
    head = _head(storage, prepared, judging, now)
    ready = _with_secrecy(storage, prepared, head, judging, now)
    if is_secret_under(ready.draft, head, now):
        return True
    return says_it_already(prepared.draft, head, now)


def _with_secrecy(
    reader: Reader,
    prepared: Prepared,
    head: MemoryRow | None,
    judging: Judging,
    now: datetime,
) -> Prepared:
    """The draft, secret where what it meets beside the key's row is."""
    draft = prepared.draft
    address = draft.address if head is None else head.address.own
    if judging.proposes:
        pending = beside_of(reader, address, draft.claim, Status.PROPOSED)
        current = head if head is not None and head.is_current(now) else None
        return as_secret_as(prepared, pending, current)
    if draft.details.valid_at in (UNSET, None):
        return prepared
    return as_secret_as(
        prepared, beside_of(reader, address, draft.claim, Status.SUPERSEDED)
    )


def _head(
    reader: Reader, prepared: Prepared, judging: Judging, now: datetime
) -> MemoryRow | None:
    """The row that is written, if it is there."""
    found = None if judging.target is None else judging.target(reader, now)
    return found or reader.row(prepared.draft.address)


def _probes(context: Context, prepared: Prepared) -> Nearest | None:
    if not prepared.passages:
        return None
    draft = prepared.draft
    vectors = prepared.passages[0].vector[None, :]
    return peer_question(context, draft.address, draft.memory_type, vectors, context.now())


def plan_in(
    context: Context, writing: Writing, prepared: Prepared, judging: Judging
) -> Plan[SetOutcome]:
    """Gather, judge and plan one draft against what the block sees.

    Raises:
        NeedsVectors: the draft must be embedded first.
    """
    now = instant_of(writing.stamp)
    accepts = None if judging.accepts is None else judging.accepts(writing, now)
    # A proposal for a key that never had a row becomes that row itself.
    head = _head(writing, prepared, judging, now) or accepts
    address = prepared.draft.address if head is None else head.address.own
    tags = tags_of(prepared.draft, head, now)
    ruling = ruling_of(writing, address, tags)
    prepared = _with_secrecy(writing, prepared, head, judging, now)
    # What is on trial keeps nothing else of the row beside which it lies.
    kept = None if judging.proposes else head
    ready = settled_for(prepared, kept, address, now, ruling)
    if judging.proposes:  # pins are asked when it is taken
        ready = attrs.evolve(ready, draft=attrs.evolve(ready.draft, pins=True))
    facts = _undisturbed(
        attrs.evolve(
            _facts(context, writing, ready, head, judging, ruling),
            accepts=accepts,
            buries=None if judging.buries is None else judging.buries(writing, now),
        )
    )
    verdict = decide(lenses_for(context, ruling).chain(judging.lens), ready.draft, facts)
    changes_row = not isinstance(verdict, Refuse | Restated)
    lacking = ready.passages is None or (ready.draft.searchable and not ready.passages)
    if changes_row and lacking:
        raise NeedsVectors
    if judging.proposes:
        material = _material(context, ready)
        return plan_proposal(ready.draft, facts, verdict, material)
    material = _around(context, writing, ready, facts, verdict)
    return plan_write(ready.draft, facts, verdict, material)


def _undisturbed(facts: Facts) -> Facts:
    """The facts without the row that goes with the write: nothing is made of it.

    It is compared with nothing, and retired by nothing but the decision itself.
    """
    if facts.buries is None:
        return facts
    gone = facts.buries.memory_id
    return attrs.evolve(
        facts,
        peers=tuple(peer for peer in facts.peers if peer.row.memory_id != gone),
        elders=tuple(row for row in facts.elders if row.memory_id != gone),
    )


def _material(context: Context, ready: Prepared) -> Material:
    return Material(
        passages=ready.passages or (),
        space=context.env.embedder.name,
        around=Surroundings(),
        weighing=weighing_of(context),
    )


def _around(
    context: Context, writing: Writing, ready: Prepared, facts: Facts, verdict: Verdict
) -> Material:
    """The material, with what depends on each row that the write moves."""
    material = _material(context, ready)
    if isinstance(verdict, Refuse):
        return material
    retired = verdict.retired if isinstance(verdict, Refines) else ()
    buried = () if facts.buries is None else (facts.buries,)
    leaving = {
        row.memory_id: surroundings(context, writing, row, facts.now)
        for row in (*facts.elders, *retired, *buried)
    }
    head = facts.head
    around, own = Surroundings(), None
    moves_end = isinstance(verdict, Restated) and (
        ready.draft.claim.ends_at != verdict.row.ends_at
    )
    moves = moves_end or not isinstance(verdict, Restated)
    if moves and head is not None and head.is_live():
        around = surroundings(context, writing, head, facts.now)
        if moves_end and head.status is Status.DUPLICATE:
            # As it will be: its tags may keep it apart from now on.
            tags = tags_of(ready.draft, head, facts.now)
            own = dependent(context, writing, attrs.evolve(head, tags=tags), facts.now)
    return attrs.evolve(material, around=around, own=own, leaving=leaving)


def _facts(
    context: Context,
    reader: Writing,
    ready: Prepared,
    head: MemoryRow | None,
    judging: Judging,
    ruling: Ruling,
) -> Facts:
    draft = ready.draft
    now = instant_of(reader.stamp)
    twin = None
    if judging.bulk and context.env.settings.bulk_dedup_scope == "identity":
        twin = twin_of(reader, draft, now)
    peers = _peers(context, reader, ready, head, judging)
    elders: tuple[MemoryRow, ...] = ()
    shielded: frozenset[str] = frozenset()
    if ruling.retires_elders and not judging.proposes:
        elders = elders_of(reader, draft.address, now)
        shielded = _shielded(reader, (*elders, *(peer.row for peer in peers)))
    return Facts(
        stamp=reader.stamp,
        now=now,
        thresholds=thresholds_in(context.env, reader, draft.address, draft.memory_type),
        head=head,
        twin=twin,
        elders=tuple(row for row in elders if row.memory_id not in shielded),
        shielded=shielded,
        filed=_filed(reader, draft, judging, ruling),
        peers=peers,
        patterns=patterns_for(reader, draft.address.org, draft.address.namespace),
    )


def _shielded(reader: Reader, rows: Iterable[MemoryRow]) -> frozenset[str]:
    """Rows whose own tags leave their contradictions to a person, or to nobody."""
    found: set[str] = set()
    for row in rows:
        own = ruling_of(reader, row.address, row.tags) if row.tags else None
        if own is not None and own.by_tag and not own.retires_elders:
            found.add(row.memory_id)
    return frozenset(found)


def _filed(
    reader: Reader, draft: Draft, judging: Judging, ruling: Ruling
) -> MemoryRow | None:
    """The row beside the key's own that says exactly this: on trial, or of that date."""
    if judging.proposes:
        pending = beside_of(reader, draft.address, draft.claim, Status.PROPOSED)
        # It would end with the one on trial, which ends sooner.
        stands = (row for row in pending if not draft.claim.outlasts(Claim.of(row)))
        return next(stands, None)
    valid_at = draft.details.valid_at
    if not ruling.retires_elders or valid_at is UNSET or valid_at is None:
        return None
    filed = beside_of(reader, draft.address, draft.claim, Status.SUPERSEDED)
    return next((row for row in filed if row.valid_at == valid_at), None)


def _peers(
    context: Context,
    reader: Writing,
    ready: Prepared,
    head: MemoryRow | None,
    judging: Judging,
) -> tuple[Peer, ...]:
    draft = ready.draft
    now = instant_of(reader.stamp)
    if not ready.passages:
        return ()
    # A claim on trial does not take the type of the key's row for its own.
    same_type = head is not None and head.memory_type == draft.memory_type
    if same_type and says_it_already(draft, head, now):
        return ()
    own = draft.new_id if head is None or judging.proposes else head.memory_id
    return peers_of(
        context,
        reader,
        draft.address,
        draft.memory_type,
        draft.claim,
        ready.passages[0].vector,
        now,
        own_id=own,
    )
