"""The one contract between the core and the places where memories are kept.

General verbs over typed tables: a new operation or kind of row touches no backend.
Backends decide nothing; they keep, find, and say what is visible.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from attrs import frozen

from loom.errors import StorageError
from loom.model.entries import Vector
from loom.model.identity import Address
from loom.model.memory import MemoryRow
from loom.model.readable import Readable
from loom.storage.batch import Batch, Receipt, Scrub, Scrubbed, WriteScope
from loom.storage.query import Match, Near, Nearest, Page, Select

__all__ = [
    "Capabilities",
    "CommitFailed",
    "Reader",
    "Storage",
    "Writing",
]

T = TypeVar("T")


class CommitFailed(StorageError):
    """A staged write was abandoned with its group; the writer judges again."""

    code = "STORE_UNAVAILABLE"


@frozen(kw_only=True, slots=True)
class Capabilities(Readable):
    """What a store promises."""

    #: The backend's name, such as `duckdb`.
    backend: str
    #: What is written survives the process.
    durable: bool
    #: A batch lands whole or not at all.
    atomic: bool
    #: Concurrent writers of a namespace are judged as if one came after the other.
    serialisable: bool
    #: Among concurrent holders of one `if_match_sha256` exactly one wins.
    compare_and_set: bool
    #: Vector search compares with every row in scope.
    exact_search: bool
    #: More than one process may have it open.
    multi_process: bool
    #: Name and dimension of the embedder; filled in by the engine.
    embedder: str = ""
    dimension: int = 0


class Reader(Protocol):
    """One instant of a store."""

    def row(self, address: Address | str, /) -> MemoryRow | None:
        """The newest visible version at an address or of a memory id, of any status."""
        ...

    def select(self, query: Select[T], /) -> Page[T]:
        """Rows that satisfy the query, in its order."""
        ...

    def count(self, query: Select[Any], /) -> int:
        """How many rows satisfy it; order, cursor and limit do not matter."""
        ...

    def nearest(self, query: Nearest, /) -> tuple[tuple[Near, ...], ...]:
        """For each vector of the query, the nearest rows, closest first."""
        ...

    def match(self, query: Match, /) -> tuple[Near, ...]:
        """The rows that match the terms best, best first."""
        ...

    def vector(self, memory_id: str, content_sha256: str, /) -> Vector | None:
        """The excerpt's vector of one content, (d,); None where there is none."""
        ...


class Writing(Reader, Protocol):
    """A writer's view: everything staged before it, visible or not yet."""

    @property
    def stamp(self) -> int:
        """The version that the next `stage` of this block gives; fixed until then."""
        ...

    def stage(self, batch: Batch, /) -> Receipt:
        """Queue a write and enter its rows in this block's view.

        Raises:
            StorageError: a row's parent is not the head this block sees.
        """
        ...

    def settled(self) -> Receipt:
        """A receipt for all this block has seen: what a dry run and a refusal wait for."""
        ...


class Storage(Reader, Protocol):
    """A place where memories are kept."""

    @property
    def capabilities(self) -> Capabilities:
        """What it promises."""
        ...

    def snapshot(self) -> AbstractContextManager[Reader]:
        """Many reads of one instant."""
        ...

    def writing(
        self,
        scope: WriteScope,
        /,
        *,
        probes: Nearest | None = None,
        alone: bool = False,
    ) -> AbstractContextManager[Writing]:
        """Hold the write lock of a scope.

        All that the block stages is committed as one transaction after its end. An
        exception that leaves the block undoes all of it, lock still held.

        Args:
            scope: what the block may write.
            probes: a `nearest` the block will ask, so that most of it can be computed
                before the lock is taken.
            alone: hold every lock until the block's writes are durable, so that a batch
                which cannot be committed fails by itself.
        """
        ...

    def load(self, batches: Iterable[Batch], /) -> int:
        """Write rows with the versions they carry; returns how many were new.

        Raises:
            StorageError: a version of that identity is taken by other content.
        """
        ...

    def scrub(self, scrubs: Sequence[Scrub], /, *, rewrite: bool = True) -> Scrubbed:
        """Overwrite or remove stored bytes: redaction and erasure only (R-21).

        Args:
            scrubs: what goes; none at all makes up for what was postponed.
            rewrite: see at once that nothing is left in a file; else it is left to the
                next scrub or to the next opening, and the answer says that it is pending.
        """
        ...

    def close(self) -> None:
        """Finish what is queued and let go of the file or connection."""
        ...
