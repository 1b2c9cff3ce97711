"""One storage a file in a process (rule 17)."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final, TypeVar

from loom.backends.duckdb.journal import DuckJournal
from loom.backends.live.group import LiveStorage
from loom.errors import EmbedderMismatch, StoreUnavailable
from loom.model.entries import Vector
from loom.model.identity import Address
from loom.model.memory import MemoryRow
from loom.ports import Clock
from loom.storage.batch import Batch, Scrub, Scrubbed, WriteScope
from loom.storage.contract import Capabilities, Reader, Writing
from loom.storage.query import Match, Near, Nearest, Page, Select

__all__ = ["Shared", "open_duckdb", "opened_here"]

T = TypeVar("T")

_PROMISES: Final = Capabilities(
    backend="duckdb",
    durable=True,
    atomic=True,
    serialisable=True,
    compare_and_set=True,
    exact_search=True,
    multi_process=False,
)


class _Entry:
    """An open file and how many hold it."""

    def __init__(self, path: str, storage: LiveStorage) -> None:
        self.path = path
        self.storage = storage
        self.holders = 0
        self.pid = os.getpid()


_LOCK: Final = threading.Lock()
_OPEN: Final[list[_Entry]] = []


class Shared:
    """One holder's handle on a storage; the last one to close it closes the file."""

    def __init__(self, entry: _Entry) -> None:
        self._entry = entry
        self._open = True

    @property
    def live(self) -> LiveStorage:
        """The storage itself.

        Raises:
            StoreUnavailable: this handle was closed.
        """
        if not self._open:
            msg = "the store is closed; open it again."
            raise StoreUnavailable(msg)
        return self._entry.storage

    @property
    def capabilities(self) -> Capabilities:
        """See `Storage.capabilities`."""
        return _PROMISES

    def row(self, name: Address | str, /) -> MemoryRow | None:
        """See `Reader.row`."""
        if self._open:
            return self._entry.storage.row(name)
        return self.live.row(name)

    def select(self, query: Select[T], /) -> Page[T]:
        """See `Reader.select`."""
        return self.live.select(query)

    def count(self, query: Select[Any], /) -> int:
        """See `Reader.count`."""
        return self.live.count(query)

    def nearest(self, query: Nearest, /) -> tuple[tuple[Near, ...], ...]:
        """See `Reader.nearest`."""
        return self.live.nearest(query)

    def match(self, query: Match, /) -> tuple[Near, ...]:
        """See `Reader.match`."""
        return self.live.match(query)

    def vector(self, memory_id: str, content_sha256: str, /) -> Vector | None:
        """See `Reader.vector`."""
        return self.live.vector(memory_id, content_sha256)

    def snapshot(self) -> AbstractContextManager[Reader]:
        """See `Storage.snapshot`."""
        return self.live.snapshot()

    def writing(
        self,
        scope: WriteScope,
        /,
        *,
        probes: Nearest | None = None,
        alone: bool = False,
    ) -> AbstractContextManager[Writing]:
        """See `Storage.writing`."""
        return self.live.writing(scope, probes=probes, alone=alone)

    def load(self, batches: Iterable[Batch], /) -> int:
        """See `Storage.load`."""
        return self.live.load(batches)

    def scrub(self, scrubs: Sequence[Scrub], /, *, rewrite: bool = True) -> Scrubbed:
        """See `Storage.scrub`."""
        return self.live.scrub(scrubs, rewrite=rewrite)

    def close(self) -> None:
        """See `Storage.close`; only the last holder's closes the file."""
        with _LOCK:
            if not self._open:
                return
            self._open = False
            self._entry.holders -= 1
            if self._entry.holders:
                return
            if self._entry in _OPEN:
                _OPEN.remove(self._entry)
            self._entry.storage.close()


def open_duckdb(
    path: str | os.PathLike[str], *, clock: Clock, space: str, dimension: int
) -> Shared:
    """The store in a DuckDB file, created if there is none.

    Args:
        path: the file.
        clock: stamps versions; the first to open the file decides it.
        space: name of the embedder.
        dimension: length of its vectors.

    Raises:
        EmbedderMismatch: this process has the file open for another embedder.
        StoreLocked: another process has it open.
        SchemaTooNew: a newer version of the library wrote it.
        StoreUnavailable: it cannot be opened.
    """
    name = os.path.realpath(path)
    with _LOCK:
        entry = _found(name)
        if entry is None:
            entry = _Entry(name, _storage(name, clock, space, dimension))
            _OPEN.append(entry)
        elif (entry.storage.space, entry.storage.dimension) != (space, dimension):
            msg = (
                f"{name} is open in this process for the embedder {entry.storage.space!r} "
                f"({entry.storage.dimension} components) and cannot be opened for "
                f"{space!r} ({dimension}) at the same time; close it first."
            )
            raise EmbedderMismatch(msg, path=name)
        entry.holders += 1
    return Shared(entry)


def opened_here(path: str | os.PathLike[str]) -> LiveStorage | None:
    """The storage of a file this process has open; None if it has not."""
    with _LOCK:
        entry = _found(os.path.realpath(path))
        return None if entry is None else entry.storage


def _found(name: str) -> _Entry | None:
    for entry in _OPEN:
        if entry.path == name or _same_file(entry.path, name):
            if entry.pid != os.getpid():
                msg = (
                    "the store was opened before this process was forked; start children "
                    "with the spawn method."
                )
                raise StoreUnavailable(msg, path=name)
            return entry
    return None


def _same_file(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except OSError:
        return False


def _storage(name: str, clock: Clock, space: str, dimension: int) -> LiveStorage:
    journal = DuckJournal(name, space=space)
    try:
        return LiveStorage(
            journal,
            capabilities=_PROMISES,
            clock=clock,
            space=space,
            dimension=dimension,
        )
    except BaseException:
        journal.close()
        raise
