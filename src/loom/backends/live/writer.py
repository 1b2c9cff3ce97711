"""The writer's side of a block: it sees what is staged, and stages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from loom.backends.live.block import Block, BlockReceipt, Fate
from loom.backends.live.journal import Staged
from loom.backends.live.partition import ENDLESS
from loom.backends.live.passages import Content, Passage, by_content, passages_of
from loom.backends.live.probing import Probes
from loom.backends.live.readers import LiveReader
from loom.backends.live.replaying import Entries, Versioned
from loom.errors import StorageError
from loom.model.identity import ScopeKey
from loom.model.memory import MemoryRow
from loom.storage.batch import Batch, Receipt
from loom.storage.query import Heads, Near, Nearest
from loom.storage.tables import Stored

if TYPE_CHECKING:
    from loom.backends.live.group import LiveStorage

__all__ = ["LiveWriting"]

#: Everything staged is seen; what was abandoned is not.
_ALL: int = ENDLESS - 1


class LiveWriting(LiveReader):
    """What `writing` gives; satisfies `Writing`."""

    def __init__(self, storage: LiveStorage, block: Block, probes: Probes | None) -> None:
        super().__init__(storage.view, storage.journal, _ALL)
        self._storage = storage
        self._block = block
        self._probes = probes
        self._stamp: int | None = None
        self._open = True

    @property
    def stamp(self) -> int:
        """See `Writing.stamp`."""
        if self._stamp is None:
            self._stamp = self._storage.stamp()
        return self._stamp

    def stage(self, batch: Batch, /) -> Receipt:
        """See `Writing.stage`."""
        self._check_open()
        storage, version = self._storage, self.stamp
        self._view.check(batch, version)
        given = self._given(batch)
        mark = len(self._block.entered)
        try:
            self._enter(batch, version, given)
        except BaseException:
            for entered in reversed(self._block.entered[mark:]):
                self._view.undo(entered)
            del self._block.entered[mark:]
            raise
        storage.last = version
        self._stamp = None
        if batch.rows or batch.vectors:
            staged = Staged(version, batch)
            self._block.staged.append(staged)
            self._block.contents.update(given)
            storage.unpublished.append(staged)
            storage.fresh.update(given)
        return BlockReceipt(storage, self._block, version)

    def nearest(self, query: Nearest, /) -> tuple[tuple[Near, ...], ...]:
        """See `Reader.nearest`."""
        if self._probes is not None and isinstance(query.view, Heads):
            return self._view.nearest(query, self._seen, self._probes)
        return super().nearest(query)

    def settled(self) -> Receipt:
        """See `Writing.settled`."""
        storage = self._storage
        block: Block | None = self._block if self._block.staged else storage.tail()
        if block is not None and block.fate is not Fate.PENDING:
            # Durable, or abandoned before this block began and so no part of its view.
            block = None
        return BlockReceipt(storage, block, storage.last)

    def close(self) -> None:
        """Nothing can be staged any more."""
        self._open = False

    def _check_open(self) -> None:
        if not self._open:
            msg = "this `writing` block has ended; open another."
            raise StorageError(msg)

    def _given(self, batch: Batch) -> dict[Content, tuple[Passage, ...]]:
        """What the store uses of the batch's entries, by content."""
        storage = self._storage
        found: dict[Content, tuple[Passage, ...]] = {}
        for content, entries in by_content(batch.vectors).items():
            passages = passages_of(
                entries, space=storage.space, dimension=storage.dimension
            )
            if all(passage.vector is None for passage in passages):
                known = self._entries(content)
                if any(passage.vector is not None for passage in known):
                    passages = known
            found[content] = passages
        return found

    def _enter(
        self, batch: Batch, version: int, given: dict[Content, tuple[Passage, ...]]
    ) -> None:
        view, entered = self._view, self._block.entered
        horizon = self._storage.horizon()
        contents: set[Content] = set()
        for row in batch.rows:
            passages = None
            if isinstance(row, MemoryRow):
                content = (row.memory_id, row.content_sha256)
                contents.add(content)
                passages = given.get(content)
            done = view.enter(row, version, horizon, passages, self._entries)
            if done is not None:
                entered.append(done)
        for content, passages in given.items():
            if content not in contents:
                done = view.attach(content, passages, version, horizon)
                if done is not None:
                    entered.append(done)

    def _entries(self, content: Content) -> tuple[Passage, ...]:
        fresh = self._storage.fresh.get(content)
        return super()._entries(content) if fresh is None else fresh

    def _entries_in(self, scopes: Sequence[ScopeKey], rows: Sequence[Versioned]) -> Entries:
        found = dict(super()._entries_in(scopes, rows))
        fresh = self._storage.fresh
        for row in rows:
            content = (row.memory_id, row.content_sha256)
            if content in fresh:
                found[content] = fresh[content]
        return found

    def _staged(self) -> tuple[Sequence[Stored], int]:
        # What is staged first, then what is published: a batch that is published in
        # between is then in both, never in neither.
        staged = list(self._storage.unpublished)
        published = self._view.published
        rows = [row for s in staged if s.version > published for row in s.batch.rows]
        return rows, published
