"""Redaction: recorded under the lock, then carried out on the stored bytes (R-21, R-62)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from loom.engine.env import Context
from loom.engine.write import commit
from loom.model.memory import MemoryRow
from loom.model.provenance import Role
from loom.model.times import instant_of
from loom.plans.plan import Plan
from loom.plans.redacting import (
    Copies,
    Redaction,
    RedactOutcome,
    not_redacted,
    plan_redact,
    scrubbed_fields,
)
from loom.storage.batch import Scrub, WriteScope
from loom.storage.contract import Reader, Writing
from loom.storage.query import Select, Versions
from loom.storage.tables import MEMORY
from loom.storage.where import Compare, Equal, HasAny, IsNull, Where, all_of

__all__ = ["redact"]

_CAUSE: Final = "redaction"
_LATER: Final = (
    "The text is out of every table; its bytes leave the file with the next redaction or "
    "erasure, or when the store is opened next."
)


def redact(
    context: Context,
    operation: str,
    memory_id: str,
    version: int,
    *,
    reason: str,
    rewrite: bool,
) -> RedactOutcome:
    """Remove what a version says wherever it is copied, unless it is what is said now.

    Raises:
        Locked: a lock holds over the key.
        StoreUnavailable: it could not be recorded, or the file not be rewritten.
    """
    target = _version(context.env.storage, memory_id, version)
    if target is None or not _is_administered(context, target):
        return not_redacted(memory_id, version)
    done: list[Redaction] = []

    def plan(writing: Writing) -> Plan[tuple[RedactOutcome, tuple[MemoryRow, ...]]]:
        redaction = Redaction(
            operation=operation,
            actor=context.env.caller.actor,
            run_id=context.identity.run_id,
            reason=reason,
            stamp=writing.stamp,
            now=instant_of(writing.stamp),
        )
        done[:] = [redaction]
        return plan_redact(redaction, _copies(writing, target))

    scope = WriteScope(org=target.org, namespaces=(target.namespace,))
    outcome, versions = commit(context, scope, plan)
    if not outcome.redacted:
        return outcome
    return _carried_out(context, done[0], outcome, versions, rewrite=rewrite)


def _carried_out(
    context: Context,
    redaction: Redaction,
    outcome: RedactOutcome,
    versions: tuple[MemoryRow, ...],
    *,
    rewrite: bool,
) -> RedactOutcome:
    """Scrub; where nothing is left to scrub, make up for a rewriting that was postponed."""
    storage = context.env.storage
    marks = frozenset(row.mark for row in versions)
    scrubs = list(_scrubs(redaction, versions))
    if marks:
        allowing = Select(
            table=MEMORY,
            where=HasAny("allowed_with", tuple(sorted(marks))),
            view=Versions(),
        )
        scrubs += _forgotten(marks, storage.select(allowing).rows)
    scrubbed = storage.scrub(scrubs, rewrite=rewrite)
    return attrs.evolve(
        outcome,
        entries=scrubbed.vectors + scrubbed.chunks,
        rewrite_pending=scrubbed.pending,
        next=_LATER if scrubbed.pending else outcome.next,
    )


def _version(reader: Reader, memory_id: str, version: int) -> MemoryRow | None:
    one = all_of(Equal("memory_id", memory_id), Equal("version", version))
    rows = reader.select(Select(table=MEMORY, where=one, view=Versions())).rows
    return rows[0] if rows else None


def _is_administered(context: Context, row: MemoryRow) -> bool:
    """Looked at once the row is known; a refusal answers as a version that is missing."""
    return row.org == context.identity.org and context.holds(
        Role.ADMIN, row.org, row.namespace
    )


def _copies(reader: Reader, target: MemoryRow) -> Copies:
    query = Select(table=MEMORY, where=_copies_where(target), view=Versions())
    found = reader.select(query).rows
    heads = (reader.row(memory_id) for memory_id in {row.memory_id for row in found})
    return Copies(
        target=target,
        versions=tuple(row for row in found if row.redacted_at is None),
        heads=tuple(
            head
            for head in heads
            if head is not None and head.content_sha256 == target.content_sha256
        ),
        own=reader.row(target.address.own),
    )


def _copies_where(target: MemoryRow) -> Where:
    """All versions that say what a version says, of its row and of those beside it.

    Another writer's row under the same key is a claim of its own; a proposal becomes part
    of its proposer's row, whoever takes it.
    """
    named = attrs.asdict(target.address) | {"content_sha256": target.content_sha256}
    del named["beside"]
    return all_of(*(Equal(name, value) for name, value in named.items()))


def _scrubs(redaction: Redaction, versions: Sequence[MemoryRow]) -> Iterator[Scrub]:
    """What removes the content of these versions, and what a search kept of it."""
    replace = scrubbed_fields(redaction)
    contents = dict.fromkeys((row.memory_id, row.content_sha256) for row in versions)
    for memory_id, content_sha256 in contents:
        where = all_of(
            Equal("memory_id", memory_id),
            Equal("content_sha256", content_sha256),
            # Who says it again from now on makes a claim of their own.
            Compare("version", "<=", redaction.stamp),
            IsNull("redacted_at"),
        )
        yield Scrub(table=MEMORY, where=where, replace=replace, reason=_CAUSE)


def _forgotten(marks: frozenset[str], rows: Sequence[MemoryRow]) -> Iterator[Scrub]:
    """What makes rows that were allowed beside a content forget it."""
    for row in rows:
        one = all_of(Equal("memory_id", row.memory_id), Equal("version", row.version))
        others = {"allowed_with": tuple(m for m in row.allowed_with if m not in marks)}
        yield Scrub(table=MEMORY, where=one, replace=others, reason=_CAUSE)
