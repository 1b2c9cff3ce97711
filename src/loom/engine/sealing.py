"""Audit entries about secret rows: their hashes are keyed (R-46).

A plain hash of a PIN is found by trying all of them, so such an entry holds a keyed one.
The key is the store's own, made when it was new.
"""

from __future__ import annotations

import hmac

import attrs

from loom.engine.env import Context
from loom.errors import StoreUnavailable
from loom.model.audit import AuditRow
from loom.model.masking import is_secret
from loom.model.memory import MemoryRow
from loom.plans.auditing import audit_entry
from loom.storage.batch import Batch, Scrub, WriteScope
from loom.storage.contract import CommitFailed
from loom.storage.tables import MEMORY
from loom.storage.where import Equal, all_of

__all__ = ["audit_read", "sealed", "sealed_hash", "without_entries"]


_ATTEMPTS = 3


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


def without_entries(context: Context, memory_id: str, content_sha256: str) -> None:
    """Remove what a search kept of a content that has become secret: from every version.

    Its vectors, chunks and tokens go, and the entities and slots that were read from it.
    """
    if context.env.storage.vector(memory_id, content_sha256) is None:
        return
    content = all_of(Equal("memory_id", memory_id), Equal("content_sha256", content_sha256))
    bare = {"searchable": False, "chunks": 0, "entities": (), "slots": ()}
    scrub = Scrub(table=MEMORY, where=content, replace=bare, reason="sensitivity")
    context.env.storage.scrub([scrub])


def sealed_hash(context: Context, content_sha256: str) -> str:
    """The keyed hash that stands for a content in the audit log: 64 hexadecimal digits."""
    if not content_sha256:
        return ""
    key = bytes.fromhex(context.env.audit_key)
    return hmac.new(key, content_sha256.encode(), "sha256").hexdigest()
