"""Memories of an export as they arrive: what each meets here, and in which turn it lands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import attrs
from attrs import frozen

from loom.engine.arriving import Import, Ready
from loom.engine.env import Context
from loom.engine.gather import peers_of
from loom.engine.thresholds import thresholds_in
from loom.model.memory import MemoryRow
from loom.model.times import instant_of
from loom.plans.exported import ExportedMemory
from loom.plans.transfer import Arrival, as_imported, origin_of
from loom.policies.facts import Claim, Peer
from loom.storage.contract import Writing

__all__ = ["Arrivals", "Turn", "restamped", "turns_of"]


@frozen(slots=True, hash=False)
class Arrivals:
    """Arriving memories, as versions of this store, with what they meet."""

    _context: Context
    _task: Import
    _writing: Writing
    _ready: Ready

    def of(self, memory: ExportedMemory, before: MemoryRow | None) -> Arrival:
        """The newest version of a memory; `before` is the one written before it, if any."""
        row = self.imported(memory.head, before)
        return Arrival(
            row=row,
            before=before,
            peers=self._peers(row),
            thresholds=thresholds_in(
                self._context.env, self._writing, row.address, row.memory_type
            ),
        )

    def imported(self, row: MemoryRow, before: MemoryRow | None) -> MemoryRow:
        """An exported version as one of this store, over the one before it."""
        return as_imported(
            row,
            stamp=self._writing.stamp,
            parent=0 if before is None else before.version,
            actor=self._context.env.caller.actor,
            origin=self._task.origin,
        )

    def named_by(self, arrivals: Sequence[Arrival]) -> Iterator[MemoryRow]:
        """The rows here that arrivals name, and the canonical rows of those."""
        names = {
            name
            for arrival in arrivals
            for name in (*arrival.row.conflict_with, arrival.row.duplicate_of)
            if name
        } - {arrival.row.memory_id for arrival in arrivals}
        for name in sorted(names):
            row = self._writing.row(name)
            if row is None:
                continue
            yield row
            canonical = self._writing.row(row.duplicate_of) if row.duplicate_of else None
            if canonical is not None:
                yield canonical

    def _peers(self, row: MemoryRow) -> tuple[Peer, ...]:
        """Close rows that did not come with this export, which has judged its own."""
        now = instant_of(self._writing.stamp)
        if not row.searchable or not row.is_served(now):
            return ()
        excerpt = self._ready.entries[row.memory_id, row.content_sha256][0]
        found = peers_of(
            self._context,
            self._writing,
            row.address,
            row.memory_type,
            Claim.of(row),
            excerpt.vector,
            now,
            own_id=row.memory_id,
        )
        return tuple(peer for peer in found if origin_of(peer.row) != self._task.origin)


@frozen(slots=True, hash=False)
class Turn:
    """Versions that were of one write where they come from."""

    rows: tuple[MemoryRow, ...]
    #: Ids of the memories whose newest version is among them.
    heads: frozenset[str]


def turns_of(
    memories: Sequence[ExportedMemory], changed: Sequence[MemoryRow], arrivals: Arrivals
) -> Iterator[Turn]:
    """All versions in the order in which they were written, then what stood here.

    Args:
        memories: as they were exported.
        changed: the newest version of each, its links settled, and the rows that stood
            here and are linked with one of them.
        arrivals: makes the older versions ones of this store.
    """
    settled = {row.memory_id: row for row in changed}
    versions = sorted(
        ((row.version, row) for memory in memories for row in memory.versions),
        key=lambda version: version[0],
    )
    newest = {memory.head.memory_id: memory.head.version for memory in memories}
    for stamp, group in groupby(versions, key=lambda version: version[0]):
        rows, heads = [], set()
        for _, row in group:
            if newest[row.memory_id] == stamp:
                heads.add(row.memory_id)
                rows.append(settled.pop(row.memory_id))
            else:
                rows.append(arrivals.imported(row, None))
        yield Turn(tuple(rows), frozenset(heads))
    if settled:
        yield Turn(tuple(settled.values()), frozenset())


def restamped(row: MemoryRow, stamp: int, before: int | None) -> MemoryRow:
    """The version as one of another stamp; `before` is the one written before it here."""
    parent = row.parent if before is None else before
    return attrs.evolve(row, version=stamp, parent=parent, updated_at=instant_of(stamp))
