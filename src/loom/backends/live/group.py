"""LiveStorage: one lock for writers, none for readers, one commit for many writes.

The numbers are the rules of docs/architecture.md, "Concurrency and visibility". A write
is staged under the write lock, in the view but not visible (4); the lock is released
before it is durable (5); one of those who wait commits for all (6); then one integer
makes the group visible (9).
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from loom.backends.live.block import Block, Fate
from loom.backends.live.building import built
from loom.backends.live.journal import Journal, Staged
from loom.backends.live.leadership import Leadership
from loom.backends.live.loading import load_into
from loom.backends.live.passages import Content, Passage
from loom.backends.live.readers import LiveReader
from loom.backends.live.view import LiveView
from loom.backends.live.writer import LiveWriting
from loom.errors import StorageError, StoreUnavailable
from loom.model.entries import Vector
from loom.model.identity import Address
from loom.model.memory import MemoryRow
from loom.ports import Clock
from loom.storage.batch import Batch, Scrub, Scrubbed, WriteScope
from loom.storage.contract import Capabilities, Reader, Writing
from loom.storage.query import Match, Near, Nearest, Page, Select

__all__ = ["LiveStorage"]

T = TypeVar("T")


class LiveStorage:
    """A journal with a live view over it; satisfies `Storage`.

    Args:
        journal: where batches become durable.
        capabilities: what the backend promises.
        clock: stamps versions.
        space: name of the embedder whose vectors are searched.
        dimension: their length.
    """

    def __init__(
        self,
        journal: Journal,
        *,
        capabilities: Capabilities,
        clock: Clock,
        space: str,
        dimension: int,
    ) -> None:
        self.journal = journal
        self.clock = clock
        self.space = space
        self.dimension = dimension
        self._capabilities = capabilities
        self._write = threading.Lock()
        self._commit = threading.Lock()
        self._leadership = Leadership()
        self._owner: int | None = None
        self._readers: dict[object, int] = {}
        self._refusal: StoreUnavailable | None = None
        self._closed = False
        self._pid = os.getpid()
        #: Blocks to be committed, oldest first.
        self._queue: deque[Block] = deque()
        #: Batches that are not published, those of an open block included.
        self.unpublished: deque[Staged] = deque()
        #: Entries that the journal does not have yet.
        self.fresh: dict[Content, tuple[Passage, ...]] = {}
        self._tail: Block | None = None
        self.last = 0
        self.view = self._built()

    # --- reading: no locks (8) -----------------------------------------------------

    @property
    def capabilities(self) -> Capabilities:
        """See `Storage.capabilities`."""
        return self._capabilities

    def row(self, name: Address | str, /) -> MemoryRow | None:
        """See `Reader.row`."""
        if self._refusal is not None:
            self._check_usable()
        while True:
            view = self.view
            seen = view.published
            found = view.row(name, seen)
            # A version may be let go of between the two reads, but then a newer one
            # has been published.
            if found is not None or (view is self.view and seen == view.published):
                return found

    def select(self, query: Select[T], /) -> Page[T]:
        """See `Reader.select`."""
        with self.snapshot() as reader:
            return reader.select(query)

    def count(self, query: Select[Any], /) -> int:
        """See `Reader.count`."""
        with self.snapshot() as reader:
            return reader.count(query)

    def nearest(self, query: Nearest, /) -> tuple[tuple[Near, ...], ...]:
        """See `Reader.nearest`."""
        with self.snapshot() as reader:
            return reader.nearest(query)

    def match(self, query: Match, /) -> tuple[Near, ...]:
        """See `Reader.match`."""
        with self.snapshot() as reader:
            return reader.match(query)

    def vector(self, memory_id: str, content_sha256: str, /) -> Vector | None:
        """See `Reader.vector`."""
        with self.snapshot() as reader:
            return reader.vector(memory_id, content_sha256)

    @contextmanager
    def snapshot(self) -> Iterator[Reader]:
        """See `Storage.snapshot`."""
        self._check_usable()
        token = object()
        # Announced before the instant is read: nothing is let go of in between.
        self._readers[token] = 0
        try:
            view = self.view
            seen = view.published
            self._readers[token] = seen
            yield LiveReader(view, self.journal, seen)
        finally:
            del self._readers[token]

    def horizon(self) -> int:
        """What the oldest reader sees; older versions are seen by nobody."""
        published = self.view.published
        return min((*list(self._readers.values()), published))

    # --- writing -------------------------------------------------------------------

    @contextmanager
    def writing(
        self,
        scope: WriteScope,
        /,
        *,
        probes: Nearest | None = None,
        alone: bool = False,
    ) -> Iterator[Writing]:
        """See `Storage.writing`.

        An exception that leaves the block undoes all it staged (15); else its batches
        are queued together and committed in one transaction.
        """
        del scope  # one lock a storage (3)
        self._check_usable()
        self._check_outside()
        prepared = None if probes is None else self.view.probes(probes)
        with self._both() if alone else self._locked():
            self._check_usable()
            block = Block()
            writer = LiveWriting(self, block, prepared)
            try:
                yield writer
            except BaseException:
                self._undo([block])
                raise
            finally:
                writer.close()
            if block.staged:
                self._queue.append(block)
                self._tail = block
                if alone:
                    self._commit_queue(holding=True)

    def stamp(self) -> int:
        """The next version: the clock's, but always greater than the last."""
        return max(self.clock.now_ns(), self.last + 1)

    def tail(self) -> Block | None:
        """The newest block that was queued and may not be durable yet."""
        return self._tail

    def wait_for(self, block: Block) -> None:
        """Return once the block is durable and visible, committing it if nobody does.

        Raises:
            CommitFailed: it was abandoned.
            StoreUnavailable: nobody can know.
        """
        self._check_outside()
        while block.fate is Fate.PENDING:
            if self._leadership.take(block):
                self._lead(block)
        block.raise_if_lost()

    def _lead(self, block: Block) -> None:
        try:
            while block.fate is Fate.PENDING:
                with self._commit:
                    self._commit_queue(holding=False)
        finally:
            self._leadership.give_up()

    def _commit_queue(self, *, holding: bool) -> None:
        """Commit what is queued as one group; the caller holds the commit lock.

        Args:
            holding: whether this thread holds the write lock too.
        """
        group: list[Block] = []
        while self._queue:
            group.append(self._queue.popleft())
        if not group:
            return
        if self._refusal is not None:
            # Staged while another thread found that nobody can know what is durable.
            self._lose(group, self._refusal)
            return
        staged = [item for block in group for item in block.staged]
        try:
            self.journal.append(staged)
        except BaseException as error:
            self._settle_doubt(group, staged[-1].version, error, holding=holding)
            if not isinstance(error, Exception):
                raise
        else:
            self._publish(group, staged[-1].version, len(staged))

    def _publish(self, group: Sequence[Block], version: int, batches: int) -> None:
        """Make the group visible. Nothing here allocates (13)."""
        self.view.published = version
        for block in group:
            block.fate = Fate.DURABLE
        for _ in range(batches):
            self.unpublished.popleft()
        self._settle(group)

    def _settle(self, group: Sequence[Block]) -> None:
        """Wake who waits for blocks whose fate is known."""
        for block in group:
            for content, passages in block.contents.items():
                if self.fresh.get(content) is passages:
                    self.fresh.pop(content, None)
        self._leadership.wake(group)

    def _settle_doubt(
        self, group: list[Block], version: int, error: BaseException, *, holding: bool
    ) -> None:
        """The commit raised; only the journal knows whether it took effect (12)."""
        try:
            held = self.journal.holds(version)
        except BaseException as unknown:  # noqa: BLE001 - whatever it is, nobody can know
            unknown.__cause__ = error
            self._break(group, unknown)
            return
        if held:
            self._publish(group, version, sum(len(block.staged) for block in group))
        elif holding:
            self._abandon(group, error)
        else:
            with self._write:
                self._abandon(group, error)

    def _abandon(self, group: list[Block], error: BaseException) -> None:
        """The group and everything behind it never was; both locks are held (11)."""
        while self._queue:
            group.append(self._queue.popleft())
        self._undo(group)
        for block in group:
            block.cause = error
            block.fate = Fate.ABANDONED
        self._settle(group)

    def _undo(self, blocks: Sequence[Block]) -> None:
        """Take back what the newest blocks entered; the write lock is held."""
        for block in reversed(blocks):
            for entered in reversed(block.entered):
                self.view.undo(entered)
            for _ in block.staged:
                self.unpublished.pop()
            for content, passages in block.contents.items():
                if self.fresh.get(content) is passages:
                    del self.fresh[content]
            block.fate = Fate.ABANDONED

    def _break(self, group: list[Block], error: BaseException) -> None:
        """Nobody can know what is durable: no call is served until it is reopened."""
        msg = "the store failed in the middle of a commit; close it and open it again."
        self._refusal = StoreUnavailable(msg)
        self._refusal.__cause__ = error
        while self._queue:
            group.append(self._queue.popleft())
        self._lose(group, error)

    def _lose(self, group: Sequence[Block], error: BaseException) -> None:
        for block in group:
            block.cause = error
            block.fate = Fate.UNKNOWN
        self._settle(group)

    # --- both locks: load, scrub, close ----------------------------------------------

    def load(self, batches: Iterable[Batch], /) -> int:
        """See `Storage.load`. The view is built anew afterwards."""
        self._check_usable()
        self._check_outside()
        with self._both():
            self._commit_queue(holding=True)
            try:
                return load_into(self.journal, self.view, batches)
            finally:
                self.view = self._built()

    def scrub(self, scrubs: Sequence[Scrub], /, *, rewrite: bool = True) -> Scrubbed:
        """See `Storage.scrub` (19)."""
        self._check_usable()
        self._check_outside()
        with self._both():
            self._commit_queue(holding=True)
            try:
                return self.journal.scrub(scrubs, rewrite=rewrite)
            finally:
                self.view = self._built()

    def close(self) -> None:
        """See `Storage.close`. Closing twice is allowed."""
        if os.getpid() != self._pid:
            return  # the file is the parent's, and so is what its locks guard
        self._check_outside()
        with self._both():
            if not self._closed:
                self._closed = True
                self._refusal = StoreUnavailable("the store is closed; open it again.")
                self.journal.close()

    def fingerprint(self) -> str:
        """A digest of the live view; see `LiveView.fingerprint`."""
        return self.view.fingerprint()

    def rebuilt_fingerprint(self) -> str:
        """The digest of a view built anew from the journal: the same, or it is wrong."""
        with self._both():
            self._commit_queue(holding=True)
            return self._built().fingerprint()

    def _built(self) -> LiveView:
        view = built(self.journal)
        view.published = self.last = max(self.last, view.published)
        return view

    # --- locks and checks --------------------------------------------------------------

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with self._write:
            self._owner = threading.get_ident()
            try:
                self.view.prune(self.horizon())
                yield
            finally:
                self._owner = None

    @contextmanager
    def _both(self) -> Iterator[None]:
        """Commit, then write: never the other way round (7)."""
        with self._commit, self._write:
            self._owner = threading.get_ident()
            try:
                self._commit_queue(holding=True)
                yield
            finally:
                self._owner = None

    def _check_outside(self) -> None:
        if self._owner == threading.get_ident():
            msg = "this thread is inside `writing`; leave the block first."
            raise StorageError(msg)

    def _check_usable(self) -> None:
        refusal = self._refusal
        if refusal is not None:
            raise StoreUnavailable(refusal.message) from refusal.__cause__
        if os.getpid() != self._pid:
            msg = (
                "the store was opened before this process was forked; open it in the "
                "child, or start children with the spawn method."
            )
            raise StoreUnavailable(msg)
