"""Which memories were ever read: noted in memory, written now and then.

A read must not wait for a write, so the first read of each memory is noted, and becomes an
audit entry when the store closes or when somebody asks what was never read. A process that
is killed forgets what it has noted and not written.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable
from itertools import islice
from typing import Final

import attrs

from loom.errors import StoreUnavailable
from loom.model.audit import AuditRow
from loom.model.memory import MemoryRow
from loom.storage.batch import Batch, WriteScope
from loom.storage.contract import CommitFailed, Reader, Storage
from loom.storage.query import Select
from loom.storage.tables import AUDIT
from loom.storage.where import Equal, In, all_of

__all__ = ["FIRST_READ", "ReadMarks", "read_before"]

#: The verdict of the audit entries that the marks become.
FIRST_READ: Final = "first_read"
_AT_ONCE: Final = 500


class ReadMarks:
    """The memories that were read since the store was opened.

    Noting takes no lock: a set takes a new member in one step.
    """

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._pending: dict[str, AuditRow] = {}
        self._writing = threading.Lock()

    def note(self, rows: Iterable[MemoryRow], operation: str, actor: str) -> None:
        """The rows were answered to a caller."""
        for row in rows:
            if row.memory_id not in self._known:
                self._known.add(row.memory_id)
                self._pending[row.memory_id] = _entry(row, operation, actor)

    def forget(self, org: str, user_id: str) -> None:
        """Drop what was noted of one user's rows: it is being erased."""
        for memory_id, entry in list(self._pending.items()):
            if (entry.org, entry.user_id) == (org, user_id):
                self._pending.pop(memory_id, None)

    def write(self, storage: Storage) -> None:
        """Make audit entries of what was noted, a block at a time.

        Raises:
            StoreUnavailable: a block could not be written; it is kept for the next time.
        """
        with self._writing:
            spaces: dict[tuple[str, str], dict[str, AuditRow]] = defaultdict(dict)
            for memory_id, entry in list(self._pending.items()):
                spaces[entry.org, entry.namespace][memory_id] = entry
            for (org, namespace), entries in spaces.items():
                rest = iter(entries)
                while block := tuple(islice(rest, _AT_ONCE)):
                    scope = WriteScope(org=org, namespaces=(namespace,))
                    self._write_block(storage, scope, [entries[i] for i in block])
                    for memory_id in block:
                        self._pending.pop(memory_id, None)

    def _write_block(
        self, storage: Storage, scope: WriteScope, entries: list[AuditRow]
    ) -> None:
        known = read_before(storage, [entry.memory_id for entry in entries])
        new = [entry for entry in entries if entry.memory_id not in known]
        if not new:
            return
        with storage.writing(scope) as writing:
            rows = tuple(_placed(e, writing.stamp, i) for i, e in enumerate(new))
            receipt = writing.stage(Batch(rows=rows))
        try:
            receipt.wait()
        except CommitFailed as error:
            msg = "The marks of what was read could not be written; they are kept."
            raise StoreUnavailable(msg) from error


def _entry(row: MemoryRow, operation: str, actor: str) -> AuditRow:
    """Who read what first: its names, and no hash."""
    return AuditRow(
        operation=operation,
        org=row.org,
        namespace=row.namespace,
        agent=row.agent,
        user_id=row.user_id,
        session_id=row.session_id,
        memory_key=row.memory_key,
        memory_id=row.memory_id,
        actor=actor,
        verdict=FIRST_READ,
    )


def _placed(entry: AuditRow, stamp: int, ordinal: int) -> AuditRow:
    return attrs.evolve(entry, version=stamp, ordinal=ordinal)


def read_before(reader: Reader, memory_ids: Iterable[str]) -> set[str]:
    """Those of the memories that have a mark in the store."""
    where = all_of(Equal("verdict", FIRST_READ), In("memory_id", tuple(memory_ids)))
    return {row.memory_id for row in reader.select(Select(table=AUDIT, where=where)).rows}
