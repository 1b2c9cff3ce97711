"""Writing to a storage without the rest of the library: for tests of backends."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import attrs
import numpy as np

from loom.model.audit import AuditRow
from loom.model.entries import EXCERPT, Embedded, Vector
from loom.model.identity import ScopeKey
from loom.model.json_values import freeze, sha256_of
from loom.model.memory import MemoryRow
from loom.model.status import Event
from loom.storage.batch import Batch, Receipt, WriteScope
from loom.storage.contract import CommitFailed, Storage, Writing

__all__ = ["SCOPE", "WHOLE", "Drafter", "StepClock", "retried"]

WHOLE = WriteScope(org=None)
SCOPE = ScopeKey("acme", "tools")
_START = datetime(2026, 5, 4, 9, tzinfo=UTC)


class StepClock:
    """A clock that a test sets; it moves by itself only if told to.

    Args:
        now_ns: where it begins.
        step_ns: how far each reading moves it.
    """

    def __init__(self, now_ns: int = 1_777_885_200_000_000_000, step_ns: int = 0) -> None:
        self.now = now_ns
        self.step = step_ns

    def now_ns(self) -> int:
        """Nanoseconds since the epoch, UTC."""
        self.now += self.step
        return self.now


class Drafter:
    """Makes rows and entries; ids are drawn in order.

    Args:
        space: the embedder's name on the entries.
        dimension: length of their vectors.
    """

    def __init__(self, *, space: str, dimension: int) -> None:
        self.space = space
        self.dimension = dimension
        self._ids = itertools.count(1)

    def row(self, key: str, value: object, **fields: Any) -> MemoryRow:
        """A first version, not stamped yet."""
        frozen = freeze(value)
        sha = sha256_of(frozen)
        given: dict[str, Any] = {
            "org": SCOPE.org,
            "namespace": SCOPE.namespace,
            "agent": "bot",
            "user_id": "-",
            "session_id": "",
            "memory_key": key,
            "memory_id": f"00000000-0000-7000-8000-{next(self._ids):012d}",
            "value": frozen,
            "created_at": _START,
            "updated_at": _START,
            "actor": "process:test",
            "content_sha256": sha,
            "canonical_sha256": sha,
        }
        return MemoryRow(**(given | fields))

    def revised(self, row: MemoryRow, value: object, **fields: Any) -> MemoryRow:
        """The next version with another value, not stamped yet."""
        frozen = freeze(value)
        sha = sha256_of(frozen)
        return row.next_version(
            0,
            Event.REVISED,
            value=frozen,
            content_sha256=sha,
            canonical_sha256=sha,
            **fields,
        )

    def entry(
        self,
        row: MemoryRow,
        numbers: Iterable[float],
        terms: str = "",
        *,
        ordinal: int = EXCERPT,
        space: str | None = None,
    ) -> Embedded:
        """An entry of the row's content; the numbers are brought to length 1."""
        vector = np.asarray(list(numbers), np.float32)
        vector = (vector / np.linalg.norm(vector)).astype(np.float32)
        return Embedded(
            memory_id=row.memory_id,
            content_sha256=row.content_sha256,
            ordinal=ordinal,
            start=0,
            stop=len(str(row.value)),
            space=space or self.space,
            vector=vector,
            terms=tuple(terms.split()),
        )

    def direction(self, at: int) -> Vector:
        """The unit vector along one axis, (1, d): a query."""
        made = np.zeros((1, self.dimension), np.float32)
        made[0, at] = 1
        return made

    def stage(
        self,
        writing: Writing,
        *rows: MemoryRow,
        entries: Mapping[str, Iterable[Embedded]] | Iterable[Embedded] = (),
        audited: bool = True,
    ) -> tuple[list[MemoryRow], Receipt]:
        """Stamp the rows and stage them as one batch, an audit entry with each."""
        version = writing.stamp
        stamped = [attrs.evolve(row, version=version) for row in rows]
        audits = [
            AuditRow(
                version=version,
                ordinal=at,
                operation="memory.set",
                org=row.org,
                namespace=row.namespace,
                agent=row.agent,
                user_id=row.user_id,
                memory_key=row.memory_key,
                memory_id=row.memory_id,
                content_sha256=row.content_sha256,
                actor=row.actor,
                source_class=row.source_class,
                verdict="clear",
            )
            for at, row in enumerate(stamped)
            if audited
        ]
        vectors = tuple(
            entry
            for item in (entries.values() if isinstance(entries, Mapping) else [entries])
            for entry in item
        )
        receipt = writing.stage(Batch(rows=(*stamped, *audits), vectors=vectors))
        return stamped, receipt

    def put(
        self, storage: Storage, *rows: MemoryRow, entries: Iterable[Embedded] = ()
    ) -> list[MemoryRow]:
        """Write rows as one batch and wait for it."""
        with storage.writing(WHOLE) as writing:
            stamped, receipt = self.stage(writing, *rows, entries=entries)
        receipt.wait()
        return stamped

    def entries_of(self, row: MemoryRow, numbers: Iterable[float]) -> tuple[Embedded, ...]:
        """One entry whose terms are the words of the value."""
        return (self.entry(row, numbers, str(row.value).casefold()),)


def retried(storage: Storage, attempt: Any, *, times: int = 50) -> Any:
    """Run `attempt(writing)` and wait for its receipt, again while commits fail.

    Args:
        storage: where.
        attempt: stages and returns `(answer, receipt)`.
        times: how often before giving up.
    """
    for turn in range(times):
        with storage.writing(WHOLE, alone=turn > 0) as writing:
            answer, receipt = attempt(writing)
        try:
            receipt.wait()
        except CommitFailed:
            continue
        return answer
    msg = "no attempt was committed."
    raise AssertionError(msg)
