"""Deciding about stored rows: gathered, planned and committed."""

from __future__ import annotations

from datetime import datetime

import attrs

from loom.engine.env import Context
from loom.engine.gather import surroundings, weighing_of
from loom.engine.judging import Judging, write
from loom.engine.lifecycle import act_in
from loom.engine.targets import answering_row
from loom.engine.write import commit
from loom.errors import IllegalTransition, InvalidRequest, NotFound
from loom.model.identity import ANY
from loom.model.memory import MemoryRow
from loom.model.provenance import Role
from loom.model.status import Status
from loom.model.times import instant_of
from loom.plans.deciding import (
    Resolution,
    check_pair,
    plan_reject,
    plan_resolve,
)
from loom.plans.draft import Prepared, Words, prepare
from loom.plans.outcomes import DecisionOutcome, SetOutcome, without_hash
from loom.plans.plan import Plan
from loom.plans.proposing import words_of
from loom.retrieval.scope import sees, writable
from loom.storage.batch import WriteScope
from loom.storage.contract import Reader, Writing
from loom.storage.where import holds

__all__ = ["accept", "decline", "reject", "resolve", "row_to_decide"]


def row_to_decide(context: Context, reader: Reader, memory_id: str) -> MemoryRow:
    """The row of an id that the caller may decide about, whatever its status.

    That is a row the caller may write, or, for an administrator with `user_id="*"`, any
    of the namespace.

    Raises:
        NotFound: there is none; rows of others answer as missing ones do.
    """
    identity = context.identity
    row = reader.row(memory_id)
    if identity.user_id == ANY:
        context.require(Role.ADMIN, identity.org, identity.namespace)
        mine = row is not None and sees(identity, row)
    else:
        mine = row is not None and holds(writable(identity), row)
    if row is None or not mine:
        msg = "No row that you may decide about has that id; see conflicts.list."
        raise NotFound(msg, memory_id=memory_id[:64])
    return row


def _as_writer_of(context: Context, row: MemoryRow) -> Context:
    """The call in the place of a row's writer; the actor stays who it is."""
    return attrs.evolve(context, identity=row.writer)


def _proposal(context: Context, reader: Reader, memory_id: str) -> MemoryRow:
    row = row_to_decide(context, reader, memory_id)
    if row.status is not Status.PROPOSED:
        msg = (
            f"The row under '{row.memory_key}' is {row.status}, not proposed: it has been "
            "decided. See memory.list(status='proposed') for what is left."
        )
        raise IllegalTransition(msg, memory_id=memory_id[:64], status=str(row.status))
    return row


def accept(
    context: Context, operation: str, memory_id: str, *, reason: str, dry_run: bool
) -> DecisionOutcome:
    """Take a proposal: a revision of its key, or the key's first row (R-23).

    Raises:
        NotFound: there is no such row.
        IllegalTransition: it is no proposal, or no longer.
        Refused: a guard objects to what it says.
    """
    found = _proposal(context, context.env.storage, memory_id)
    inner = _as_writer_of(context, found)
    prepared = _drafted(inner, operation, words_of(found), found.memory_id, reason)

    def still(reader: Reader, now: datetime) -> MemoryRow:
        row = _proposal(context, reader, memory_id)
        if not row.is_past(now):
            return row
        # Taken, it would end what the key holds and stand for nothing.
        msg = (
            f"The proposal under '{row.memory_key}' is past its end and can no longer be "
            "taken. Propose it again, or reject it."
        )
        raise IllegalTransition(msg, memory_id=memory_id[:64], status=str(row.status))

    judging = Judging(lens="expand", accepts=still)
    return _by_writing(write(inner, prepared, judging, dry_run=dry_run), "accept", reason)


def _by_writing(done: SetOutcome, decision: str, reason: str) -> DecisionOutcome:
    """The answer of a decision that wrote a claim."""
    done = without_hash(done)
    return DecisionOutcome(
        memory_key=done.memory_key,
        memory_id=done.memory_id,
        version=done.version,
        status=done.status,
        content_sha256=done.content_sha256,
        decision=decision,
        reason=reason,
        write=done,
        next=done.next,
    )


def _drafted(
    context: Context, operation: str, words: Words, new_id: str, reason: str
) -> Prepared:
    settings = context.env.settings
    return prepare(
        words,
        operation=operation,
        identity=context.identity,
        actor=context.env.caller.actor,
        new_id=new_id,
        max_bytes=settings.max_value_bytes,
        detects=settings.sensitivity_autodetect,
        reason=reason,
    )


def decline(
    context: Context, operation: str, memory_id: str, *, reason: str, dry_run: bool
) -> DecisionOutcome:
    """Turn a proposal down; its key's row is as it was.

    Raises:
        NotFound: there is no such row.
        IllegalTransition: it is no proposal, or no longer.
    """
    found = _proposal(context, context.env.storage, memory_id)
    return _rejected(context, operation, found, reason=reason, dry_run=dry_run)


def reject(
    context: Context,
    operation: str,
    *,
    memory_key: str | None,
    memory_id: str | None,
    reason: str,
    dry_run: bool,
) -> DecisionOutcome:
    """Mark the row of a key, or of an id, as wrong.

    Raises:
        NotFound: there is no such live row.
        IllegalTransition: it is neither live nor on trial.
        Locked: a lock keeps it.
    """
    storage = context.env.storage
    if memory_key is not None:
        found = answering_row(context, storage, memory_key, context.now())
    else:
        found = row_to_decide(context, storage, memory_id or "")
    return _rejected(context, operation, found, reason=reason, dry_run=dry_run)


def _rejected(
    context: Context, operation: str, found: MemoryRow, *, reason: str, dry_run: bool
) -> DecisionOutcome:
    inner = _as_writer_of(context, found)

    def plan(writing: Writing) -> Plan[DecisionOutcome]:
        row = row_to_decide(context, writing, found.memory_id)
        now = instant_of(writing.stamp)
        stands = row.is_current(now) or row.status is Status.PROPOSED
        if not stands or row.content_sha256 != found.content_sha256:
            msg = (
                f"The row under '{row.memory_key}' is {row.status} by now, or says "
                "something else. Read it again and decide again."
            )
            raise IllegalTransition(msg, memory_id=row.memory_id, status=str(row.status))
        act = act_in(inner, writing, operation, row.memory_key)
        around = surroundings(inner, writing, row, act.now)
        return plan_reject(act, row, around, weighing_of(inner), reason)

    return commit(inner, _scope(found), plan, dry_run=dry_run)


def resolve(
    context: Context,
    operation: str,
    memory_id: str,
    peer_id: str,
    action: Resolution,
    *,
    words: Words | None,
    reason: str,
    dry_run: bool,
) -> DecisionOutcome:
    """Decide a conflict (R-60).

    Args:
        context: the call.
        operation: its dotted name.
        memory_id: the row that is named first.
        peer_id: the other side.
        action: what to make of them.
        words: makes the words of the first row's new value; None where it keeps its own.
        reason: why.
        dry_run: answer only.

    Raises:
        NotFound: one of the ids names no row that the caller may decide about.
        IllegalTransition: the two are not, or no longer, in conflict.
        Refused: a lock keeps what would go, or a guard objects to the new value.
    """
    if memory_id == peer_id:
        msg = "memory_id and peer_id name one row; a conflict has two sides."
        raise InvalidRequest(msg, field="peer_id")
    row = row_to_decide(context, context.env.storage, memory_id)
    inner = _as_writer_of(context, row)
    if words is not None:
        return _revised(context, inner, operation, row, peer_id, words, reason, dry_run)

    def plan(writing: Writing) -> Plan[DecisionOutcome]:
        now = instant_of(writing.stamp)
        one, other = _pair(context, writing, memory_id, peer_id, action, now)
        act = act_in(inner, writing, operation, one.memory_key)
        around = {
            side.memory_id: surroundings(inner, writing, side, act.now)
            for side in (one, other)
        }
        weighing = weighing_of(inner)
        return plan_resolve(act, one, other, action, around, weighing, reason)

    return commit(inner, _scope(row), plan, dry_run=dry_run)


def _pair(
    context: Context,
    reader: Reader,
    memory_id: str,
    peer_id: str,
    action: Resolution,
    now: datetime,
) -> tuple[MemoryRow, MemoryRow]:
    row = row_to_decide(context, reader, memory_id)
    peer = row_to_decide(context, reader, peer_id)
    check_pair(row, peer, action, now)
    return row, peer


def _revised(
    context: Context,
    inner: Context,
    operation: str,
    row: MemoryRow,
    peer_id: str,
    words: Words,
    reason: str,
    dry_run: bool,  # noqa: FBT001
) -> DecisionOutcome:
    """The first row stands with a new value, and its peer goes, in one commit."""
    named = attrs.evolve(words, memory_key=row.memory_key)
    prepared = _drafted(inner, operation, named, row.memory_id, reason)
    memory_id = row.memory_id

    revise = Resolution.REVISE

    def stands(reader: Reader, now: datetime) -> MemoryRow:
        return _pair(context, reader, memory_id, peer_id, revise, now)[0]

    def goes(reader: Reader, now: datetime) -> MemoryRow:
        return _pair(context, reader, memory_id, peer_id, revise, now)[1]

    judging = Judging(lens="revise", target=stands, buries=goes)
    done = write(inner, prepared, judging, dry_run=dry_run)
    peer = context.env.storage.row(peer_id)
    return attrs.evolve(
        _by_writing(done, str(revise), reason),
        peer_id=peer_id,
        peer_key="" if peer is None else peer.memory_key,
        peer_status=str(Status.TOMBSTONED),
    )


def _scope(row: MemoryRow) -> WriteScope:
    return WriteScope(org=row.org, namespaces=(row.namespace,))
