"""Taking a snapshot of a namespace, part by part, and writing one back.

Every part of a snapshot shows the instant of the first. A restore goes through all parts
before it writes: it checks that they are whole, finds the new home of each row, and embeds
what is not here. Then it lands them as an import does (`engine/landing.py`), all in one
transaction.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

import attrs
import numpy as np
from attrs import frozen

from loom.engine.arriving import RECREATED, Import, Lacking, Objection, Ready
from loom.engine.env import Context
from loom.engine.landing import Landing
from loom.engine.namespaces import namespace_row
from loom.engine.read import ScopedReader
from loom.engine.sealing import bury
from loom.engine.transfer import (
    foresee,
    history_of,
    newest_version,
    page_of_heads,
    supply,
    withheld_from,
)
from loom.engine.write import namespace_scope
from loom.errors import InvalidRequest, StoreUnavailable
from loom.model.audit import AuditRow
from loom.model.entries import Vector
from loom.model.memory import MemoryRow
from loom.model.times import instant_of
from loom.plans.exported import ExportedMemory, checked_memory
from loom.plans.passages import entries_of
from loom.plans.snapshot import Contents, RestoreOutcome, Snapshot, rehomed
from loom.storage.batch import Batch
from loom.storage.contract import CommitFailed, Reader, Writing
from loom.storage.query import Cursor, Order, Select
from loom.storage.tables import AUDIT
from loom.storage.where import Equal, Where, all_of

__all__ = ["Asked", "restore", "take_part"]

_ATTEMPTS: Final = 3
#: A vector's length may differ from 1 by its rounding.
_LENGTH_OFF: Final = 1e-3


@frozen(kw_only=True, slots=True)
class Asked:
    """What a snapshot is to hold, and where its next part begins.

    Attributes:
        begun: the part before, without its rows; None for the first part.
        after: where the part's rows begin.
    """

    history: bool
    embeddings: bool
    audit_tail: int
    limit: int
    begun: Snapshot | None = None
    after: Cursor | None = None


def take_part(
    context: Context, reader: ScopedReader, asked: Asked
) -> tuple[Snapshot, Cursor | None]:
    """The next part, and where the one after it begins."""
    head = asked.begun or _begun(context, reader, asked)
    page = page_of_heads(
        reader, known_by=head.known_by, after=asked.after, limit=asked.limit
    )
    rows = tuple(row for row in page.rows if not row.masked)
    older = history_of(reader, rows) if asked.history and rows else {}
    memories = tuple(
        ExportedMemory(head=row, history=older.get(row.memory_id, ())) for row in rows
    )
    versions = sum(len(memory.history) for memory in memories)
    part = attrs.evolve(
        head,
        memories=memories,
        vectors=dict(_vectors(reader, rows)) if asked.embeddings else {},
        memories_so_far=head.memories_so_far + len(memories),
        versions_so_far=head.versions_so_far + versions,
    )
    return part, page.next


def _begun(context: Context, reader: ScopedReader, asked: Asked) -> Snapshot:
    identity, env = context.identity, context.env
    known_by = newest_version(reader)
    return Snapshot(
        snapshot_id=env.ids.new(),
        org=identity.org,
        namespace=identity.namespace,
        user_id=identity.user_id,
        taken_at=context.now(),
        known_by=known_by,
        embedder=env.embedder.name,
        dimension=env.embedder.dimension,
        history=asked.history,
        settings=namespace_row(reader.reader, identity.org, identity.namespace),
        audit_tail=_audit_tail(context, reader.reader, asked.audit_tail),
        withheld=withheld_from(reader, known_by),
    )


def _audit_tail(context: Context, reader: Reader, most: int) -> tuple[AuditRow, ...]:
    if not most:
        return ()
    newest = Order("version", descending=True)
    query = Select(table=AUDIT, where=_here(context), order=(newest,), limit=most)
    return reader.select(query).rows


def _vectors(reader: ScopedReader, rows: Iterable[MemoryRow]) -> Iterator[tuple[str, str]]:
    for row in rows:
        vector = reader.vector(row) if row.searchable else None
        if vector is not None:
            data = vector.astype("<f4", copy=False).tobytes()
            yield row.memory_id, base64.b64encode(data).decode()


# --------------------------------------------------------------------------- restoring


def restore(
    context: Context, operation: str, parts: Iterable[Snapshot], *, rebind_agent: str
) -> RestoreOutcome:
    """Write a snapshot back into the context's namespace, whole or not at all.

    Args:
        context: the call, of the target namespace and every user.
        operation: the dotted name.
        parts: all of one snapshot, in order.
        rebind_agent: the agent every row is to be of; empty keeps each row's own.

    Raises:
        InvalidRequest: the parts are not those of one whole snapshot, or one is malformed.
        LoomError: of the first row that is refused.
        EmbeddingFailed: the embedder failed.
        StoreUnavailable: it could not be committed.
    """
    contents = Contents()
    for part in parts:
        contents.add(part, _checked(context, part))
    first = contents.close()
    storage = context.env.storage
    if _was_restored(context, storage, first.snapshot_id):
        return _outcome(context, first, restored=False)
    homes = rehomed(
        contents,
        rebind_agent=rebind_agent,
        is_taken=lambda memory_id: _is_elsewhere(context, storage, memory_id),
        new_id=context.env.ids.new,
    )
    arriving = _Arriving(
        first=first,
        memories=[homes.move(memory) for memory in contents.memories],
        renamed=len(homes.ids),
        filed=sum(map(homes.files, contents.memories)) if rebind_agent else 0,
    )
    task = Import(operation=operation, origin=first.snapshot_id)
    ready = Ready()
    _take_vectors(context, contents, arriving, ready)
    foresee(context, task, arriving.memories, ready)
    return _landed(context, task, arriving, ready)


@frozen(kw_only=True, slots=True, hash=False)
class _Arriving:
    """A whole snapshot, its memories as they are to live here."""

    first: Snapshot
    #: In the order of the snapshot.
    memories: list[ExportedMemory]
    renamed: int
    filed: int


def _checked(context: Context, part: Snapshot) -> Iterator[ExportedMemory]:
    identity, settings = context.identity, context.env.settings
    return (
        checked_memory(
            memory,
            org=identity.org,
            namespace=identity.namespace,
            max_bytes=settings.max_value_bytes,
            detects=settings.sensitivity_autodetect,
        )
        for memory in part.memories
    )


def _is_elsewhere(context: Context, reader: Reader, memory_id: str) -> bool:
    row = reader.row(memory_id)
    here = context.identity
    return row is not None and (row.org, row.namespace) != (here.org, here.namespace)


def _take_vectors(
    context: Context, contents: Contents, arriving: _Arriving, ready: Ready
) -> None:
    """Vectors that came along, where they are this embedder's; long texts are embedded anew."""
    embedder, first = context.env.embedder, arriving.first
    if (first.embedder, first.dimension) != (embedder.name, embedder.dimension):
        return
    for known, memory in zip(contents.memories, arriving.memories, strict=True):
        row = memory.head
        data = contents.vectors.get(known.head.memory_id)
        if data is not None and row.searchable and not row.chunks:
            vector = _vector_of(data, embedder.dimension)
            content = row.memory_id, row.content_sha256
            ready.entries[content] = entries_of(row, [vector], space=embedder.name)


def _vector_of(data: str, dimension: int) -> Vector:
    try:
        vector = np.frombuffer(base64.b64decode(data, validate=True), dtype="<f4")
    except (TypeError, ValueError):
        vector = np.zeros(0, np.float32)
    if vector.shape != (dimension,) or abs(np.linalg.norm(vector) - 1) > _LENGTH_OFF:
        msg = (
            "a vector of the snapshot is none of its embedder; take it without embeddings."
        )
        raise InvalidRequest(msg, field="vectors")
    return vector.astype(np.float32)


def _landed(
    context: Context, task: Import, arriving: _Arriving, ready: Ready
) -> RestoreOutcome:
    attempts = 0
    while attempts < _ATTEMPTS:
        try:
            return _committed(context, task, arriving, ready)
        except Lacking as lacking:
            supply(context, task, lacking, ready)
        except CommitFailed:
            attempts += 1
        except Objection as objection:
            raise objection.error from None
    msg = "The snapshot could not be committed; nothing of it was stored. Try again later."
    raise StoreUnavailable(msg)


def _committed(
    context: Context, task: Import, arriving: _Arriving, ready: Ready
) -> RestoreOutcome:
    first = arriving.first
    scope = namespace_scope(context)
    with context.env.storage.writing(scope, alone=True) as writing:
        if _was_restored(context, writing, first.snapshot_id):
            return _outcome(context, first, restored=False)
        settings = _settle(context, writing, first)
        landing = Landing(context, task, writing, ready, atomic=True, in_order=True)
        lines = landing.take(arriving.memories)
        receipt = writing.stage(Batch(rows=(_note(context, task, first, writing.stamp),)))
    receipt.wait()
    bury(context, landing.secrets)
    written = [line for line in lines if line.result == RECREATED]
    return attrs.evolve(
        _outcome(context, first, restored=True),
        memories=len(written),
        versions=sum(line.versions - 1 for line in written),
        counts=Counter(line.result for line in lines),
        renamed=arriving.renamed,
        filed=arriving.filed,
        settings=settings,
    )


def _settle(context: Context, writing: Writing, first: Snapshot) -> str:
    """What the namespace said there holds here, unless it says something already."""
    identity = context.identity
    if first.settings is None:
        return "none"
    if namespace_row(writing, identity.org, identity.namespace) is not None:
        return "kept"
    stamp = writing.stamp
    row = attrs.evolve(
        first.settings,
        org=identity.org,
        namespace=identity.namespace,
        version=stamp,
        parent=0,
        actor=context.env.caller.actor,
        created_at=instant_of(stamp),
        updated_at=instant_of(stamp),
        registered=True,
    )
    writing.stage(Batch(rows=(row,)))
    return "restored"


def _note(context: Context, task: Import, first: Snapshot, stamp: int) -> AuditRow:
    """The entry by which a rerun knows that it was here."""
    identity = context.identity
    return AuditRow(
        version=stamp,
        operation=task.operation,
        org=identity.org,
        namespace=identity.namespace,
        agent=identity.agent,
        run_id=identity.run_id,
        memory_id=first.snapshot_id,
        actor=context.env.caller.actor,
        verdict="restored",
    )


def _was_restored(context: Context, reader: Reader, snapshot_id: str) -> bool:
    noted = all_of(
        _here(context),
        Equal("memory_id", snapshot_id),
        Equal("operation", "namespace.restore"),
        Equal("verdict", "restored"),
    )
    return reader.count(Select(table=AUDIT, where=noted)) > 0


def _here(context: Context) -> Where:
    identity = context.identity
    return all_of(Equal("org", identity.org), Equal("namespace", identity.namespace))


def _outcome(context: Context, first: Snapshot, *, restored: bool) -> RestoreOutcome:
    return RestoreOutcome(
        snapshot_id=first.snapshot_id,
        target_namespace=context.identity.namespace,
        restored=restored,
    )
