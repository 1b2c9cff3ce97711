"""One write, judged: the step between gathering and staging that all lenses share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from attrs import frozen

from loom.engine.embedding import embedded
from loom.engine.env import Context
from loom.engine.gather import (
    dependent,
    patterns_for,
    peer_question,
    peers_of,
    surroundings,
    twin_of,
    weighing_of,
)
from loom.engine.write import NeedsVectors, commit, namespace_scope
from loom.model.memory import MemoryRow
from loom.model.status import Status
from loom.model.times import instant_of
from loom.plans.cascade import Surroundings
from loom.plans.draft import Prepared, says_it_already, settled_for
from loom.plans.effects import Material, plan_write
from loom.plans.outcomes import SetOutcome
from loom.plans.plan import Plan
from loom.policies.chain import Policy, decide
from loom.policies.facts import Facts, Peer
from loom.policies.verdicts import Refuse, Restated
from loom.storage.contract import Reader, Writing
from loom.storage.query import Nearest

__all__ = ["Judging", "plan_in", "seems_known", "write"]

_REPEATS = 3


@frozen(kw_only=True, slots=True, hash=False)
class Judging:
    """How one write is judged.

    Attributes:
        lens: the rules, in order.
        target: finds the row that is written, at an instant; where there is none, or it
            finds none, the write goes to the caller's own address.
        bulk: whether a live row of the same hash elsewhere is the fact (R-37).
    """

    lens: Sequence[Policy]
    target: Callable[[Reader, datetime], MemoryRow | None] | None = None
    bulk: bool = False


def write(
    context: Context, prepared: Prepared, judging: Judging, *, dry_run: bool = False
) -> SetOutcome:
    """Judge and write one draft.

    Raises:
        Refused: a guard objects.
        EmbeddingFailed: the embedder failed; nothing was written.
    """
    if prepared.passages is None and not seems_known(context, prepared, judging):
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
            prepared = embedded(context, [prepared])[0]
    raise AssertionError  # pragma: no cover - the second round has vectors


def seems_known(context: Context, prepared: Prepared, judging: Judging) -> bool:
    """A look without the lock, which may save an embedding; the lock decides."""
    now = context.now()
    head = _head(context.env.storage, prepared, judging, now)
    return says_it_already(prepared.draft, head, now)


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
    head = _head(writing, prepared, judging, now)
    address = prepared.draft.address if head is None else head.address
    ready = settled_for(prepared, head, address, now)
    facts = _facts(context, writing, ready, head, judging)
    verdict = decide(judging.lens, ready.draft, facts)
    changes_row = not isinstance(verdict, Refuse | Restated)
    if changes_row and ready.passages is None:
        raise NeedsVectors
    moves_end = isinstance(verdict, Restated) and (
        ready.draft.claim.ends_at != verdict.row.ends_at
    )
    around, own = Surroundings(), None
    if (changes_row or moves_end) and head is not None and head.is_live():
        around = surroundings(context, writing, head, facts.now)
        if moves_end and head.status is Status.DUPLICATE:
            own = dependent(context, writing, head, facts.now)
    material = Material(
        passages=ready.passages or (),
        space=context.env.embedder.name,
        around=around,
        weighing=weighing_of(context),
        own=own,
    )
    return plan_write(ready.draft, facts, verdict, material)


def _facts(
    context: Context,
    reader: Writing,
    ready: Prepared,
    head: MemoryRow | None,
    judging: Judging,
) -> Facts:
    draft = ready.draft
    now = instant_of(reader.stamp)
    twin = None
    if judging.bulk and context.env.settings.bulk_dedup_scope == "identity":
        twin = twin_of(reader, draft.address, draft.claim, now)
    return Facts(
        stamp=reader.stamp,
        now=now,
        thresholds=context.env.thresholds,
        head=head,
        twin=twin,
        peers=_peers(context, reader, ready, head),
        patterns=patterns_for(reader, draft.address.org, draft.address.namespace),
    )


def _peers(
    context: Context, reader: Writing, ready: Prepared, head: MemoryRow | None
) -> tuple[Peer, ...]:
    draft = ready.draft
    now = instant_of(reader.stamp)
    if not ready.passages or says_it_already(draft, head, now):
        return ()
    return peers_of(
        context,
        reader,
        draft.address,
        draft.memory_type,
        draft.claim,
        ready.passages[0].vector,
        now,
        own_id=head.memory_id if head is not None else draft.new_id,
    )
