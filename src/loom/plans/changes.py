"""The rows one write changes, each once, with links kept symmetric.

A write may touch many rows: the one written, the peers it contradicts, the partners of a
link that ends, the duplicates of a row that moved on. They all become versions of one
stamp, so each row may be written only once. `Changes` gathers the changes while a plan is
made; it lives no longer than the plan.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from loom.errors import IllegalTransition
from loom.model.memory import MemoryRow
from loom.model.status import Event, Status, allows

__all__ = ["Changes"]


class Changes:
    """Pending versions by memory id, over the heads they replace."""

    def __init__(self, stamp: int) -> None:
        self.stamp = stamp
        self._heads: dict[str, MemoryRow] = {}
        self._pending: dict[str, MemoryRow] = {}

    def know(self, rows: Iterable[MemoryRow]) -> None:
        """Take rows as the heads they are, so that they can be changed."""
        for row in rows:
            self._heads.setdefault(row.memory_id, row)

    def current(self, memory_id: str) -> MemoryRow | None:
        """The row as it will be, or as it is; None if it is not known."""
        return self._pending.get(memory_id) or self._heads.get(memory_id)

    def put(self, row: MemoryRow) -> MemoryRow:
        """A whole version: the first of its row, or a fresh start over a dead head."""
        head = self._heads.get(row.memory_id)
        self._check(head.status if head else None, row)
        self._pending[row.memory_id] = row
        return row

    def change(self, row: MemoryRow, event: Event, **fields: Any) -> MemoryRow:
        """The row with other fields, as one version however often it is changed."""
        pending = self._pending.get(row.memory_id)
        if pending is not None:
            return self.put(attrs.evolve(pending, **fields))
        head = self._heads.setdefault(row.memory_id, row)
        return self.put(head.next_version(self.stamp, event, **fields))

    def _check(self, before: Status | None, after: MemoryRow) -> None:
        if allows(after.event, before, after.status):
            return
        msg = (
            f"The row under '{after.memory_key}' is {before or 'not there'} and cannot "
            f"become {after.status} by being {after.event}. Read it again; restore it "
            "first if it was deleted."
        )
        raise IllegalTransition(msg, memory_key=after.memory_key, status=str(before))

    def join(self, memory_id: str, peer_ids: Iterable[str]) -> None:
        """Link a row in conflict with each of the peers, from both sides (R-22)."""
        for peer_id in peer_ids:
            for one, other in ((memory_id, peer_id), (peer_id, memory_id)):
                row = self._known(one)
                linked = tuple(sorted({*row.conflict_with, other}))
                status = Status.CONFLICTED
                self.change(row, Event.RELINKED, conflict_with=linked, status=status)

    def part(self, leaving_id: str, partner_ids: Iterable[str]) -> None:
        """End the partners' links to a row that left or says something else now.

        A partner becomes active only if its set of links became empty by this (R-22).
        """
        for partner_id in partner_ids:
            row = self.current(partner_id)
            if row is None or leaving_id not in row.conflict_with:
                continue
            rest = tuple(i for i in row.conflict_with if i != leaving_id)
            fields: dict[str, Any] = {"conflict_with": rest}
            if not rest and row.status is Status.CONFLICTED:
                fields["status"] = Status.ACTIVE
            self.change(row, Event.RELINKED, **fields)

    def _known(self, memory_id: str) -> MemoryRow:
        row = self.current(memory_id)
        if row is None:  # pragma: no cover - a plan links only rows it was given
            msg = "a plan linked a row that was not gathered."
            raise LookupError(msg)
        return row

    def rows(self) -> tuple[MemoryRow, ...]:
        """All pending versions, in the order they were first changed."""
        return tuple(self._pending.values())
