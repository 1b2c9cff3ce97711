"""Reading a namespace out, and taking entries in.

An import goes block by block. Before the lock: what is new is embedded. Under it, in one
transaction: what is here already is left alone, what the rules refuse is recorded, what
stands here with other content is judged as a set, and the rest is recreated
(`engine/landing.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final

import attrs

from loom.engine.arriving import (
    JUDGED,
    RECREATED,
    Entry,
    Import,
    Lacking,
    Objection,
    Ready,
    fate_of,
)
from loom.engine.embedding import embed_checked, embedded
from loom.engine.env import Context
from loom.engine.judging import Judging, spares_embedding
from loom.engine.landing import Landing
from loom.engine.read import ScopedReader
from loom.engine.sealing import bury
from loom.engine.write import namespace_scope
from loom.errors import StoreUnavailable
from loom.model.audit import AuditRow
from loom.model.entries import Embedded
from loom.model.memory import MemoryRow
from loom.model.provenance import SourceClass, lower_class
from loom.model.sensitivity import HIGH
from loom.model.unset import UNSET
from loom.plans.draft import Prepared, Words, prepare, stated_secret
from loom.plans.exported import ExportedMemory
from loom.plans.passages import entries_of, passages_in
from loom.plans.transfer import ImportedLine, traced
from loom.policies.facts import Details
from loom.ports import Embedder
from loom.storage.batch import Batch
from loom.storage.contract import CommitFailed
from loom.storage.query import Cursor, Order, Page, Replay, Versions
from loom.storage.where import Equal, In, IsNull, Not, all_of

__all__ = [
    "entries_for",
    "foresee",
    "history_of",
    "import_all",
    "newest_version",
    "page_of_heads",
    "supply",
    "withheld_from",
]

_BLOCK: Final = 256
_SECRET: Final = Equal("sensitivity", HIGH)
_ATTEMPTS: Final = 3


def newest_version(reader: ScopedReader) -> int:
    """The newest version the reader sees; 0 where it sees none."""
    order = (Order("version", descending=True),)
    rows = reader.select(order=order, limit=1).rows
    return rows[0].version if rows else 0


def page_of_heads(
    reader: ScopedReader, *, known_by: int, after: Cursor | None, limit: int
) -> Page[MemoryRow]:
    """Newest versions as of `known_by`; a canonical row comes before its duplicates.

    What was redacted has no claim to hand on (R-62).
    """
    return reader.select(
        all_of(Not(_SECRET), IsNull("redacted_at")),
        view=Replay(known_by=known_by),
        order=(Order("status"), Order("memory_key")),
        after=after,
        limit=limit,
    )


def withheld_from(reader: ScopedReader, known_by: int) -> int:
    """How many rows an export as of `known_by` leaves out, because they are secret."""
    return reader.count(_SECRET, view=Replay(known_by=known_by))


def history_of(
    reader: ScopedReader, heads: Sequence[MemoryRow]
) -> dict[str, tuple[MemoryRow, ...]]:
    """The versions before these heads that say something, oldest first, by memory id."""
    found: dict[str, list[MemoryRow]] = {head.memory_id: [] for head in heads}
    newest = {head.memory_id: head.version for head in heads}
    page = reader.select(
        In("memory_id", tuple(found)), view=Versions(), order=(Order("version"),)
    )
    for row in page.rows:
        if row.version < newest[row.memory_id] and not row.masked and not row.redacted_at:
            found[row.memory_id].append(row)
    return {memory_id: tuple(rows) for memory_id, rows in found.items()}


def import_all(
    context: Context, task: Import, entries: Sequence[Entry], *, atomic: bool
) -> list[ImportedLine]:
    """Take the entries in; one answer each, in the order given.

    Args:
        context: the call; a `user_id` of `"*"` takes rows of every user.
        task: which import.
        entries: exported memories, drafts, errors of entries that are malformed.
        atomic: one transaction, and the first refusal undoes it.

    Raises:
        LoomError: of the first entry that is refused, if `atomic`.
        EmbeddingFailed: the embedder failed; the blocks before stay written.
        StoreUnavailable: a block could not be committed; those before stay written.
    """
    if atomic:
        return _landed(context, task, list(entries), atomic=True)
    answers: list[ImportedLine] = []
    rest = iter(entries)
    while block := list(islice(rest, _BLOCK)):
        answers.extend(_landed(context, task, block, atomic=False))
    return answers


def _landed(
    context: Context, task: Import, block: Sequence[Entry], *, atomic: bool
) -> list[ImportedLine]:
    """The block, committed whole; what turns out to be missing is made, then it restarts."""
    ready = Ready()
    foresee(context, task, block, ready)
    attempts = 0
    while attempts < _ATTEMPTS:
        try:
            return _committed(
                context, task, block, ready, atomic=atomic, alone=attempts > 0
            )
        except Lacking as lacking:
            supply(context, task, lacking, ready)
        except CommitFailed:
            attempts += 1
        except Objection as objection:
            _record(context, objection.audit)
            raise objection.error from None
    msg = "The import could not be committed; nothing of this block was stored."
    raise StoreUnavailable(msg)


def _committed(
    context: Context,
    task: Import,
    block: Sequence[Entry],
    ready: Ready,
    *,
    atomic: bool,
    alone: bool,
) -> list[ImportedLine]:
    scope = namespace_scope(context)
    with context.env.storage.writing(scope, alone=alone) as writing:
        landing = Landing(context, task, writing, ready, atomic=atomic)
        answers = landing.take(block)
        receipt = landing.receipt or writing.settled()
    receipt.wait()
    bury(context, landing.secrets)
    return answers


def _record(context: Context, audit: AuditRow | None) -> None:
    """The audit entry of the refusal that undid the rest (R-30)."""
    if audit is None:
        return
    with context.env.storage.writing(namespace_scope(context)) as writing:
        entry = attrs.evolve(audit, version=writing.stamp, ordinal=0)
        receipt = writing.stage(Batch(rows=(entry,)))
    receipt.wait()


# --- before the lock -----------------------------------------------------------------


def foresee(context: Context, task: Import, block: Sequence[Entry], ready: Ready) -> None:
    """Make what will probably be needed: a look without the lock, which decides nothing."""
    rows: list[MemoryRow] = []
    drafts: list[Prepared] = []
    plain = Judging(lens="bulk", bulk=True)
    secret = stated_secret(block)
    for entry in block:
        if isinstance(entry, Prepared):
            spared = entry.draft.address in secret
            if not spared and not spares_embedding(context, entry, plain):
                drafts.append(entry)
        elif isinstance(entry, ExportedMemory):
            fate = fate_of(context.env.storage, entry)
            if fate == RECREATED:
                rows.extend(entry.versions)
            elif fate == JUDGED:
                draft = _draft_of(context, task, entry.head)
                ready.drafts[entry.head.memory_id] = draft
                if not spares_embedding(context, draft, Judging(lens="expand")):
                    drafts.append(draft)
    _embed_rows(context, rows, ready)
    _embed_drafts(context, drafts, ready)


def supply(context: Context, task: Import, lacking: Lacking, ready: Ready) -> None:
    """Make what was found to be missing under the lock."""
    _embed_rows(context, lacking.rows, ready)
    if lacking.memory is not None:
        head = lacking.memory.head
        ready.drafts[head.memory_id] = _draft_of(context, task, head)
    if lacking.draft is not None:
        _embed_drafts(context, [lacking.draft], ready, sure=True)


def _embed_rows(context: Context, rows: Sequence[MemoryRow], ready: Ready) -> None:
    wanted = {(row.memory_id, row.content_sha256): row for row in rows if row.searchable}
    missing = [row for content, row in wanted.items() if content not in ready.entries]
    for row, entries in zip(
        missing, entries_for(context.env.embedder, missing), strict=True
    ):
        ready.entries[row.memory_id, row.content_sha256] = entries


def _embed_drafts(
    context: Context, drafts: Sequence[Prepared], ready: Ready, *, sure: bool = False
) -> None:
    for draft in embedded(context, drafts, sure=sure):
        ready.embedded[draft.draft.new_id] = draft


def entries_for(
    embedder: Embedder, rows: Sequence[MemoryRow]
) -> list[tuple[Embedded, ...]]:
    """The embedding entries of searchable rows' contents, embedded in one call.

    Raises:
        EmbeddingFailed: the embedder raised or answered nonsense.
    """
    passages = [passages_in(row) for row in rows]
    texts = [passage.text for of_row in passages for passage in of_row]
    vectors = iter(embed_checked(embedder, texts) if texts else ())
    return [
        entries_of(row, islice(vectors, len(of_row)), space=embedder.name)
        for row, of_row in zip(rows, passages, strict=True)
    ]


def _draft_of(context: Context, task: Import, row: MemoryRow) -> Prepared:
    """An exported row as a set of its own identity, saying all that the row says."""
    identity = row.writer
    details = Details(
        memory_type=row.memory_type,
        tags=row.tags,
        entities=row.entities,
        files=row.files,
        confidence=row.confidence,
        metadata=row.metadata,
        valid_at=row.valid_at,
        valid_to=row.valid_to,
        temporal_anchor=row.temporal_anchor,
        expires_at=row.expires_at,
        on_expire=row.on_expire,
        # A level that was stated here outlasts a file that states none.
        sensitivity=row.sensitivity if row.sensitivity_stated else UNSET,
        sensitivity_stated=True if row.sensitivity_stated else UNSET,
        pinned=row.pinned,
        source_resource_id=row.source_resource_id,
        source_trace=traced(row, task.origin),
    )
    words = Words(
        memory_key=row.memory_key,
        value=row.value,
        details=details,
        source_class=lower_class(row.source_class, SourceClass.IMPORTED),
        pins=row.pinned,
    )
    return prepare(
        words,
        operation=task.operation,
        identity=identity,
        actor=context.env.caller.actor,
        new_id=context.env.ids.new(),
        max_bytes=context.env.settings.max_value_bytes,
        detects=context.env.settings.sensitivity_autodetect,
    )
