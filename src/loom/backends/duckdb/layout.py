"""How rows lie in DuckDB's tables: encoding on the way in, decoding on the way out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any, Final, TypeAlias

import attrs
import numpy as np

from loom.backends.live.journal import Staged
from loom.backends.live.passages import Passage, by_content, pack_terms
from loom.model.audit import AuditRow
from loom.model.entries import Embedded, Vector
from loom.model.memory import MemoryRow
from loom.model.times import micros_of
from loom.serde import RowCodec, read_json, shared
from loom.storage.tables import (
    AUDIT,
    MEMORY,
    SMALL,
    Stored,
    Table,
    name_of,
    table_of,
)

__all__ = [
    "AUDIT_FIELDS",
    "CODECS",
    "Columns",
    "Physical",
    "audit_columns",
    "audit_from",
    "key_hash",
    "memory_columns",
    "memory_from",
    "passages_from",
    "physical",
    "small_columns",
    "small_from",
    "space_of",
    "unfolded",
]

#: One row of each physical table, in the order of its columns.
Columns: TypeAlias = tuple[object, ...]


def _outside(table: Table[Any]) -> tuple[str, ...]:
    """Fields of a small row with columns of their own: a name of one part is a column."""
    return ("version", *table.identity) if len(table.identity) == 1 else ("version",)


_TYPED: Final = ("version", "memory_id", "org", "namespace", "memory_key")
_MEMORY: Final = RowCodec(MEMORY, outside=_TYPED)
_AUDIT: Final = RowCodec(AUDIT, outside=("version",))
CODECS: Final[dict[str, RowCodec[Any]]] = {
    MEMORY.name: _MEMORY,
    AUDIT.name: _AUDIT,
    **{table.name: RowCodec(table, outside=_outside(table)) for table in SMALL},
}
AUDIT_FIELDS: Final = tuple(AUDIT.fields)

#: What an audit entry has in common with the row it describes, unless it says otherwise.
_SHARED: Final = (
    "org",
    "namespace",
    "agent",
    "user_id",
    "session_id",
    "run_id",
    "memory_key",
    "content_sha256",
    "actor",
    "source_class",
)
_PASSAGE: Final = "\x1e"
_PART: Final = "\x1f"


@attrs.define(slots=True)
class Physical:
    """What a group of batches adds to each table."""

    memory_version: list[Columns] = attrs.field(factory=list)
    content_entry: list[Columns] = attrs.field(factory=list)
    audit_entry: list[Columns] = attrs.field(factory=list)
    small_version: list[Columns] = attrs.field(factory=list)


def physical(group: Iterable[Staged], *, space: str) -> Physical:
    """The group as rows of the tables.

    Args:
        group: batches in order.
        space: name of the store's embedder: its entries lie in the row they belong to.
    """
    out = Physical()
    for staged in group:
        _add_batch(out, staged, space)
    return out


def _add_batch(out: Physical, staged: Staged, space: str) -> None:
    entries = by_content(staged.batch.vectors) if staged.batch.vectors else {}
    audits: dict[str, list[AuditRow]] = {}
    memories: list[MemoryRow] = []
    for row in staged.batch.rows:
        if isinstance(row, MemoryRow):
            memories.append(row)
        elif isinstance(row, AuditRow):
            audits.setdefault(row.memory_id, []).append(row)
        else:
            out.small_version.append(small_columns(row))
    for row in memories:
        mine = entries.pop((row.memory_id, row.content_sha256), [])
        inside = [entry for entry in mine if entry.space == space]
        packed, vectors = (_packed(inside), _joined(inside)) if inside else (None, None)
        mine_too = audits.pop(row.memory_id, ())
        out.memory_version.append(memory_columns(row, mine_too, packed, vectors))
        if len(inside) < len(mine):
            others = [entry for entry in mine if entry.space != space]
            out.content_entry.extend(_contents(staged.version, others))
    for left in entries.values():
        out.content_entry.extend(_contents(staged.version, left))
    for rows in audits.values():
        out.audit_entry.extend(map(audit_columns, rows))


def key_hash(memory_key: str) -> int:
    """64 bits, signed, that stand for a key; two keys may share them."""
    digest = blake2b(memory_key.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _folded(audit: AuditRow, row: MemoryRow) -> dict[str, Any]:
    data = _AUDIT.to_dict(audit)
    del data["memory_id"]
    for name in _SHARED:
        mine, theirs = getattr(audit, name), getattr(row, name)
        if mine == theirs:
            data.pop(name, None)
        else:
            data[name] = mine
    return data


def _contents(version: int, entries: Sequence[Embedded]) -> list[Columns]:
    spaces: dict[str, list[Embedded]] = {}
    for entry in entries:
        spaces.setdefault(entry.space, []).append(entry)
    return [
        (
            version,
            mine[0].memory_id,
            mine[0].content_sha256,
            space,
            _packed(mine),
            _joined(mine),
        )
        for space, mine in spaces.items()
    ]


def _packed(entries: Sequence[Embedded]) -> str:
    """Space, then of each passage: ordinal, start, stop, terms."""
    if len(entries) == 1:
        e = entries[0]
        return f"{e.space}\x1e{e.ordinal}\x1f{e.start}\x1f{e.stop}\x1f{pack_terms(e.terms)}"
    parts = [
        f"{e.ordinal}\x1f{e.start}\x1f{e.stop}\x1f{pack_terms(e.terms)}" for e in entries
    ]
    return _PASSAGE.join((entries[0].space, *parts))


def _joined(entries: Sequence[Embedded]) -> bytes:
    vectors = [np.asarray(entry.vector, dtype="<f4").tobytes() for entry in entries]
    return vectors[0] if len(vectors) == 1 else b"".join(vectors)


def space_of(packed: str) -> str:
    """The space of a packed column."""
    return packed.partition(_PASSAGE)[0]


def passages_from(packed: str, vectors: bytes, *, space: str) -> tuple[Passage, ...]:
    """The entries of one content; without vectors if they are of another space."""
    named, _, rest = packed.partition(_PASSAGE)
    if _PASSAGE not in rest and named == space:
        ordinal, start, stop, terms = rest.split(_PART, 3)
        alone = np.frombuffer(vectors, dtype=np.float32)
        return (Passage(int(ordinal), int(start), int(stop), terms, alone),)
    parts = rest.split(_PASSAGE)
    matrix: Vector | None = None
    if named == space:
        matrix = np.frombuffer(vectors, dtype="<f4").reshape(len(parts), -1)
    passages = []
    for at, part in enumerate(parts):
        ordinal, start, stop, terms = part.split(_PART, 3)
        vector = None if matrix is None else matrix[at]
        passages.append(Passage(int(ordinal), int(start), int(stop), terms, vector))
    if len(passages) > 1:
        passages.sort(key=lambda passage: passage.ordinal)
    return tuple(passages)


def memory_from(columns: Sequence[Any]) -> MemoryRow:
    """A row of `version, memory_id, org, namespace, memory_key, body`."""
    version, memory_id, org, namespace, memory_key, body = columns
    data = read_json(body)
    data.pop("audit", None)
    data.pop("tags_folded", None)
    return _MEMORY.from_dict(
        data,
        version=version,
        memory_id=memory_id,
        org=shared(org),
        namespace=shared(namespace),
        memory_key=memory_key,
    )


def small_from(table: Table[Any], columns: Sequence[Any]) -> Any:
    """A row of `version, name, body`."""
    version, name, body = columns
    named = {part: name for part in _outside(table) if part != "version"}
    return CODECS[table.name].from_dict(read_json(body), version=version, **named)


def unfolded(columns: Sequence[Any]) -> tuple[MemoryRow, list[AuditRow]]:
    """As `memory_from`, with the audit entries that were folded into the row."""
    row = memory_from(columns)
    audits = []
    for data in read_json(columns[-1]).get("audit", ()):
        shared = {name: getattr(row, name) for name in _SHARED if name not in data}
        audits.append(
            _AUDIT.from_dict(data, version=row.version, memory_id=row.memory_id, **shared)
        )
    return row, audits


def audit_from(columns: Sequence[Any]) -> AuditRow:
    """A row of `audit_log`, its columns in the order of the table's fields."""
    return AuditRow(**dict(zip(AUDIT_FIELDS, columns, strict=True)))


def audit_columns(audit: AuditRow) -> Columns:
    """An audit entry that is folded into no row."""
    return (audit.version, _AUDIT.encode(audit))


def memory_columns(
    row: MemoryRow,
    audits: Sequence[AuditRow],
    packed: str | None = None,
    vectors: bytes | None = None,
) -> Columns:
    """A row of `memory_version`."""
    more: dict[str, object] = {}
    if audits:
        more["audit"] = [_folded(audit, row) for audit in audits]
    folded = row.tags_folded if row.tags else ()
    if folded != row.tags:
        more["tags_folded"] = folded
    return (
        row.version,
        row.memory_id,
        row.org,
        row.namespace,
        row.memory_key,
        key_hash(row.memory_key),
        micros_of(row.world_date),
        _MEMORY.encode(row, **more),
        packed,
        vectors,
    )


def small_columns(row: Stored) -> Columns:
    """A row of `small_version`."""
    table = table_of(row)
    # No part of a name holds a control character.
    name = _PART.join(name_of(row))
    return (row.version, table.name, name, CODECS[table.name].encode(row))
