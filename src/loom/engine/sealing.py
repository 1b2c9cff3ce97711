"""How a secret is kept: what is recorded of it, and what goes when it becomes one (R-46).

A plain hash of a PIN is found by trying all of them, so audit entries about it hold a keyed
one. The key is the store's own, made when it was new.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

import attrs

from loom.engine.env import Context
from loom.errors import StoreUnavailable
from loom.model.audit import AuditRow
from loom.model.masking import UNFOUND, is_secret
from loom.model.memory import MemoryRow
from loom.plans.auditing import audit_entry
from loom.storage.batch import Batch, Scrub, WriteScope
from loom.storage.contract import CommitFailed, Reader
from loom.storage.query import Select, Versions
from loom.storage.tables import AUDIT, MEMORY
from loom.storage.where import Compare, Equal, HasAny, In, all_of

__all__ = ["Content", "audit_read", "bury", "sealed", "sealed_hash", "secrets_in"]

#: A memory id and a content hash.
Content: TypeAlias = tuple[str, str]

_ATTEMPTS: Final = 3
_REASON: Final = "sensitivity"


def sealed(context: Context, batch: Batch) -> Batch:
    """The batch with keyed hashes in what it records of secret rows."""
    secret = {
        row.memory_id for row in batch.rows if isinstance(row, MemoryRow) and is_secret(row)
    }
    if not secret:
        return batch
    rows = tuple(
        attrs.evolve(row, content_sha256=sealed_hash(context, row.content_sha256))
        if isinstance(row, AuditRow) and row.memory_id in secret
        else row
        for row in batch.rows
    )
    return attrs.evolve(batch, rows=rows)


def audit_read(context: Context, operation: str, row: MemoryRow) -> None:
    """Record that a secret value was read, and wait until that is durable."""
    scope = WriteScope(org=row.org, namespaces=(row.namespace,))
    for _ in range(_ATTEMPTS):
        with context.env.storage.writing(scope) as writing:
            entry = audit_entry(
                stamp=writing.stamp,
                operation=operation,
                actor=context.env.caller.actor,
                run_id=context.identity.run_id,
                about=row,
                verdict="read",
            )
            content = sealed_hash(context, row.content_sha256)
            entry = attrs.evolve(entry, content_sha256=content)
            receipt = writing.stage(Batch(rows=(entry,)))
        try:
            receipt.wait()
        except CommitFailed:
            continue
        return
    msg = "The read could not be recorded, so the value is not shown. Try again later."
    raise StoreUnavailable(msg)


def secrets_in(batch: Batch | None) -> dict[Content, int]:
    """The contents that the batch stores as secret, each with the version that says so."""
    rows = () if batch is None else batch.rows
    return {
        (row.memory_id, row.content_sha256): row.version
        for row in rows
        if isinstance(row, MemoryRow) and is_secret(row)
    }


def bury(context: Context, contents: Mapping[Content, int]) -> None:
    """Remove what was kept of contents before they became secret, once they are.

    Their earlier versions become secret too and lose what a search kept of them: vectors,
    chunks, tokens, and the entities and slots that were read from them. Audit entries have
    their hash keyed, and rows that somebody allowed beside them forget it. Where all of
    that is so already, nothing is rewritten.
    """
    storage = context.env.storage
    scrubs = [
        scrub
        for content, version in contents.items()
        if _is_open(storage, content, known := _versions_of(storage, content, version))
        for scrub in _burials(context, content, known)
    ]
    if scrubs:
        storage.scrub(scrubs)


def _versions_of(reader: Reader, content: Content, newest: int) -> tuple[MemoryRow, ...]:
    memory_id, content_sha256 = content
    where = all_of(
        Equal("memory_id", memory_id),
        Equal("content_sha256", content_sha256),
        Compare("version", "<=", newest),
    )
    return reader.select(Select(table=MEMORY, where=where, view=Versions())).rows


def _is_open(reader: Reader, content: Content, known: tuple[MemoryRow, ...]) -> bool:
    """Whether one of its versions shows the content, or a search finds it."""
    return not all(map(is_secret, known)) or reader.vector(*content) is not None


def _burials(
    context: Context, content: Content, known: tuple[MemoryRow, ...]
) -> Iterator[Scrub]:
    # An audit entry has the version of the row it is about; numbers are found fast.
    where = all_of(
        In("version", tuple(row.version for row in known)),
        Equal("memory_id", content[0]),
        Equal("content_sha256", content[1]),
    )
    yield Scrub(table=MEMORY, where=where, replace=UNFOUND, reason=_REASON)
    keyed = {"content_sha256": sealed_hash(context, content[1])}
    yield Scrub(table=AUDIT, where=where, replace=keyed, reason=_REASON)
    mark = known[0].mark
    allowing = Select(table=MEMORY, where=HasAny("allowed_with", (mark,)), view=Versions())
    for row in context.env.storage.select(allowing).rows:
        one = all_of(Equal("memory_id", row.memory_id), Equal("version", row.version))
        others = {"allowed_with": tuple(m for m in row.allowed_with if m != mark)}
        yield Scrub(table=MEMORY, where=one, replace=others, reason=_REASON)


def sealed_hash(context: Context, content_sha256: str) -> str:
    """The keyed hash that stands for a content in the audit log: 64 hexadecimal digits."""
    if not content_sha256:
        return ""
    key = bytes.fromhex(context.env.audit_key)
    return hmac.new(key, content_sha256.encode(), "sha256").hexdigest()
