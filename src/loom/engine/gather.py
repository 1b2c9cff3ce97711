"""Under the lock: what the rules need to know, read from what the block sees."""

from __future__ import annotations

from datetime import datetime

import numpy as np

from loom.engine.env import Context
from loom.engine.ruling import ruling_of
from loom.engine.thresholds import base_of, thresholds_in
from loom.model.entries import Vector
from loom.model.identity import ANONYMOUS, Address, Identity, ScopeKey
from loom.model.memory import MemoryRow
from loom.model.namespace import ConflictPolicy
from loom.model.patterns import PatternRow, PatternScope
from loom.model.sensitivity import HIGH
from loom.model.status import LIVE_STATUSES, PEER_STATUSES, Event, Status
from loom.model.unset import said
from loom.plans.cascade import Dependent, Surroundings, Weighing
from loom.policies.facts import Claim, Draft, Peer, closest_first
from loom.policies.relations import Skims
from loom.retrieval.scope import writable
from loom.retrieval.served import not_past, peers_at
from loom.storage.contract import Reader
from loom.storage.query import Nearest, Order, Select
from loom.storage.tables import MEMORY, PATTERN
from loom.storage.where import And, Equal, HasAny, In, IsNull, Not, Or, Where, all_of

__all__ = [
    "beside_of",
    "deleted_group",
    "dependent",
    "elders_of",
    "live_rows",
    "patterns_for",
    "peer_question",
    "peers_of",
    "surroundings",
    "twin_of",
    "weighing_of",
]


def peer_question(
    context: Context,
    address: Address,
    memory_type: str,
    vectors: Vector,
    now: datetime,
    reader: Reader | None = None,
) -> Nearest:
    """The question for the peers of new claims, one vector (d,) a row of `vectors`.

    Args:
        context: the call.
        address: where the claims would be.
        memory_type: their type.
        vectors: (m, d).
        now: the instant.
        reader: says which thresholds hold; None asks what is published.
    """
    judge = context.env.check.judge_of
    seen = context.env.storage if reader is None else reader
    thresholds = thresholds_in(context.env, seen, address, memory_type)
    return Nearest(
        scopes=(ScopeKey(address.org, address.namespace, address.user_id, memory_type),),
        vectors=vectors,
        where=_peer_where(address, now),
        at_least=judge.floor(thresholds),
        limit=context.env.settings.max_peers_judged,
    )


def _peer_where(address: Address, now: datetime) -> Where:
    """Live rows; for nobody's session, rows of that session alone (R-04)."""
    if address.user_id == ANONYMOUS and address.session_id:
        return all_of(peers_at(now), Equal("session_id", address.session_id))
    return peers_at(now)


def peers_of(
    context: Context,
    reader: Reader,
    address: Address,
    memory_type: str,
    claim: Claim,
    vector: Vector,
    now: datetime,
    *,
    own_id: str,
) -> tuple[Peer, ...]:
    """The rows a claim is compared with, closest first (R-32).

    These are the nearest by vector, and whatever the words alone find: rows of the same
    canonical form, under the same key, or that fill a slot which holds one value at a
    time, however far their vectors lie.
    """
    question = peer_question(context, address, memory_type, vector[None, :], now, reader)
    judge = context.env.check.judge_of
    thresholds = thresholds_in(context.env, reader, address, memory_type)
    skims = judge.worth_reading if isinstance(judge, Skims) else None
    found = {
        near.row.memory_id: Peer(
            row=near.row, similarity=near.score, claim=Claim.of(near.row)
        )
        for near in reader.nearest(question)[0]
        if skims is None or skims(claim, near.row.value, near.score, thresholds)
    }
    most = context.env.settings.max_peers_judged
    for row in _named_alike(reader, address, memory_type, claim, now, most):
        if row.memory_id not in found:
            similarity = _cosine(vector, reader.vector(row.memory_id, row.content_sha256))
            found[row.memory_id] = Peer(row=row, similarity=similarity, claim=Claim.of(row))
    found.pop(own_id, None)
    return closest_first(found.values())


def _named_alike(
    reader: Reader,
    address: Address,
    memory_type: str,
    claim: Claim,
    now: datetime,
    most: int,
) -> list[MemoryRow]:
    scope: tuple[Where, ...] = (
        Equal("org", address.org),
        Equal("namespace", address.namespace),
        Equal("user_id", address.user_id),
        Equal("memory_type", memory_type),
        # A row that no search may find, a secret one above all, is nobody's peer.
        Equal("searchable", value=True),
        _peer_where(address, now),
    )
    rows: list[MemoryRow] = []
    for by in (
        Equal("canonical_sha256", claim.canonical_sha256),
        Equal("memory_key", claim.memory_key),
    ):
        rows.extend(reader.select(Select(table=MEMORY, where=all_of(by, *scope))).rows)
    if claim.slots:
        by_slot = all_of(HasAny("slots", claim.slots), *scope)
        newest = (Order("version", descending=True),)
        query = Select(table=MEMORY, where=by_slot, order=newest, limit=most)
        rows.extend(reader.select(query).rows)
    return rows


def _cosine(a: Vector, b: Vector | None) -> float:
    return -1.0 if b is None else float(np.dot(a, b))


def twin_of(reader: Reader, draft: Draft, now: datetime) -> MemoryRow | None:
    """A live row of the same hash of the same agent and user, oldest first (R-37).

    For nobody's session it is one of that session (R-04), for a run one of that run. A bare
    value has its twins under its own key alone (R-34). A row that ends before the claim
    does is none, and nothing stands in for a secret (R-46).
    """
    address, claim = draft.address, draft.claim
    if said(draft.details.sensitivity, "") == HIGH:
        return None
    under = Equal("memory_key", address.memory_key) if claim.bare else all_of()
    where = all_of(
        under,
        Equal("content_sha256", claim.content_sha256),
        Equal("org", address.org),
        Equal("namespace", address.namespace),
        Equal("agent", address.agent),
        Equal("user_id", address.user_id),
        Not(Equal("sensitivity", HIGH)),
        _peer_where(address, now),
    )
    order = (Order("created_at"),)
    rows = reader.select(Select(table=MEMORY, where=where, order=order)).rows
    return next(
        (
            row
            for row in rows
            if not claim.outlasts(Claim.of(row)) and not draft.is_of_another_run(row)
        ),
        None,
    )


def patterns_for(reader: Reader, org: str, namespace: str) -> tuple[PatternRow, ...]:
    """The patterns in force for a namespace: its own, its org's and the global ones."""
    where = And(
        (
            IsNull("removed_at"),
            Or(
                (
                    Equal("scope", PatternScope.GLOBAL),
                    And((Equal("scope", PatternScope.ORG), Equal("org", org))),
                    And((Equal("org", org), Equal("namespace", namespace))),
                )
            ),
        )
    )
    return reader.select(Select(table=PATTERN, where=where)).rows


def live_rows(
    context: Context, reader: Reader, memory_key: str, *, mine_only: bool = False
) -> tuple[MemoryRow, ...]:
    """The live rows under a key that the caller may change."""
    identity = context.writer()
    parts: list[Where] = [
        Equal("memory_key", memory_key),
        writable(identity),
        In("status", tuple(sorted(LIVE_STATUSES))),
    ]
    if mine_only:
        parts.append(Equal("agent", identity.agent))
        parts.append(Equal("session_id", identity.session_id))
    return reader.select(Select(table=MEMORY, where=all_of(*parts))).rows


def deleted_group(
    context: Context, reader: Reader, memory_key: str
) -> tuple[MemoryRow, ...]:
    """The rows that the newest delete of a key took, and no others (R-06).

    All rows of one delete share its version; a sweep writes one version a row. Where a
    newer claim took the key's place since, the newest row that it superseded. What was
    redacted says nothing to come back with (R-62).
    """
    where = all_of(
        Equal("memory_key", memory_key),
        Equal("beside", ""),
        writable(context.writer()),
        In("status", (Status.TOMBSTONED, Status.SUPERSEDED)),
        IsNull("redacted_at"),
    )
    order = (Order("version", descending=True),)
    newest = reader.select(Select(table=MEMORY, where=where, order=order, limit=1)).rows
    if not newest or newest[0].event is not Event.DELETED:
        return newest
    group = all_of(
        Equal("version", newest[0].version),
        writable(context.writer()),
        Equal("status", Status.TOMBSTONED),
        IsNull("redacted_at"),
    )
    return reader.select(Select(table=MEMORY, where=group)).rows


def surroundings(
    context: Context, reader: Reader, row: MemoryRow, now: datetime
) -> Surroundings:
    """What depends on a row that may move on: its conflict partners and duplicates."""
    linked = tuple(
        partner
        for memory_id in row.conflict_with
        if (partner := reader.row(memory_id)) is not None
    )
    where = all_of(Equal("duplicate_of", row.memory_id), Equal("status", Status.DUPLICATE))
    duplicates = reader.select(
        Select(table=MEMORY, where=where, order=(Order("version"),))
    ).rows
    return Surroundings(
        linked=linked,
        dependents=tuple(dependent(context, reader, d, now) for d in duplicates),
    )


def dependent(context: Context, reader: Reader, row: MemoryRow, now: datetime) -> Dependent:
    """A stored row with the peers that its claim is to be compared with."""
    successor = _successor(reader, row, now)
    ruling = ruling_of(reader, row.address, row.tags)
    judged = row.searchable and ruling.policy is not ConflictPolicy.APPEND_ONLY
    vector = reader.vector(row.memory_id, row.content_sha256) if judged else None
    if vector is None:
        return Dependent(row=row, successor=successor)
    peers = peers_of(
        context,
        reader,
        row.address,
        row.memory_type,
        Claim.of(row),
        vector,
        now,
        own_id=row.memory_id,
    )
    return Dependent(
        row=row,
        vector=vector,
        peers=peers,
        dedups=ruling.dedups,
        thresholds=thresholds_in(context.env, reader, row.address, row.memory_type),
        successor=successor,
    )


def _successor(reader: Reader, row: MemoryRow, now: datetime) -> MemoryRow | None:
    """The served row at the end of the chain of what took a superseded row's place."""
    seen = {row.memory_id}
    follows = row.superseded_by
    while follows and follows not in seen:
        seen.add(follows)
        next_row = reader.row(follows)
        if next_row is None:
            return None
        if next_row.status in PEER_STATUSES:
            return None if next_row.is_past(now) else next_row
        follows = next_row.superseded_by or next_row.duplicate_of
    return None


def elders_of(reader: Reader, address: Address, now: datetime) -> tuple[MemoryRow, ...]:
    """Live rows of a key by other agents and sessions, of one user (R-44)."""
    scope = Identity(
        org=address.org,
        namespace=address.namespace,
        user_id=address.user_id,
        session_id=address.session_id,
    )
    where = all_of(
        Equal("memory_key", address.memory_key),
        writable(scope),
        In("status", tuple(sorted(LIVE_STATUSES))),
        not_past(now),
    )
    rows = reader.select(Select(table=MEMORY, where=where)).rows
    return tuple(row for row in rows if row.address != address)


def beside_of(
    reader: Reader, address: Address, claim: Claim, status: Status
) -> tuple[MemoryRow, ...]:
    """Rows kept beside a key's row by the same writer that say exactly this."""
    where = all_of(
        Equal("content_sha256", claim.content_sha256),
        Equal("memory_key", address.memory_key),
        Equal("status", status),
        Equal("org", address.org),
        Equal("namespace", address.namespace),
        Equal("agent", address.agent),
        Equal("user_id", address.user_id),
        Equal("session_id", address.session_id),
        Not(Equal("beside", "")),
    )
    return reader.select(Select(table=MEMORY, where=where)).rows


def weighing_of(context: Context) -> Weighing:
    """How cascades and restores compare claims; each has its own type's thresholds."""
    return Weighing(check=context.env.check, thresholds=base_of(context.env))
