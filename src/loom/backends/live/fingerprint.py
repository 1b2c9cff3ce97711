"""A live view as one digest, so that it can be compared with a rebuild (rule 14)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from loom.backends.live.partition import ENDLESS, Partition, Table
from loom.backends.live.postings import Postings

__all__ = ["fingerprint_of"]

_LAST: Final = ENDLESS - 1


def fingerprint_of(
    partitions: Iterable[Partition], others: Mapping[str, Iterable[Any]]
) -> str:
    """The digest of what partitions hold and of the heads of the other tables."""
    parts = [f"{kind}\x1d{row!r}" for kind, rows in others.items() for row in rows]
    for partition in partitions:
        parts.extend(f"{partition.scope!r}\x1d{part}" for part in _contents(partition))
    return hashlib.sha256("\x1c".join(sorted(parts)).encode()).hexdigest()


def _contents(partition: Partition) -> Iterator[str]:
    for line in partition.lines:
        row = line.at(_LAST)
        if row is None or row.memory_type != partition.scope.memory_type:
            continue
        yield repr(row)
        for field, index in partition.indexes.items():
            value = getattr(row, field)
            listed = line in index.lines(value)
            yield f"{row.memory_id}\x1d{field}\x1d{bool(value) is listed}"
    table, count, postings = Postings.of(partition)
    visible = table.seen(_LAST, count)
    for at in range(count):
        if visible[at]:
            yield _entry_text(table, at)
    for term in sorted(postings.terms()):
        held_by, times = postings.of_term(term, count)
        for at, often in zip(held_by.tolist(), times.tolist(), strict=True):
            if visible[at]:
                entry = table.entries[at]
                name = entry.line.at(_LAST).memory_id
                yield f"{term}\x1d{name}\x1d{entry.ordinal}\x1d{often}"


def _entry_text(table: Table, at: int) -> str:
    entry = table.entries[at]
    vector = _hex(table, at)
    name = entry.line.at(_LAST).memory_id
    return f"{name}\x1d{entry.ordinal}\x1d{entry.start}\x1d{entry.stop}\x1d{entry.packed}\x1d{vector}"


def _hex(table: Table, at: int) -> str:
    if table.vectors is None or not table.sighted[at]:
        return ""
    return str(table.vectors[at].tobytes().hex())
