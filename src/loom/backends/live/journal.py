"""What LiveStorage needs below it: a place where batches become durable, in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from attrs import frozen

from loom.backends.live.passages import Content, Passage
from loom.model.identity import ScopeKey
from loom.model.memory import MemoryRow
from loom.storage.batch import Batch, Scrub, Scrubbed
from loom.storage.query import Page, Select
from loom.storage.tables import Stored

__all__ = ["Head", "Journal", "Outline", "Staged"]

T = TypeVar("T")


@frozen(slots=True)
class Head:
    """The newest version of one thing, with the entries of its content."""

    row: Stored
    passages: tuple[Passage, ...] = ()


@frozen(slots=True)
class Outline:
    """A version of a memory without what it says: enough to find its entries."""

    memory_id: str
    version: int
    content_sha256: str
    searchable: bool


@frozen(slots=True)
class Staged:
    """A batch and the version of its rows, which a batch of entries alone has no row for."""

    version: int
    batch: Batch


class Journal(Protocol):
    """Append-only truth. It is called by one writer at a time and by many readers."""

    def append(self, group: Sequence[Staged], /) -> None:
        """Write the batches as one transaction; they are durable on return."""
        ...

    def holds(self, version: int, /) -> bool:
        """Whether a batch of that version is there: settles a commit in doubt."""
        ...

    def last(self) -> int:
        """The greatest version there is; 0 for an empty store."""
        ...

    def heads(self) -> Iterable[Head]:
        """The newest version of every memory, pattern and fact: what a view is built of."""
        ...

    def select(self, query: Select[T], upto: int, /) -> Page[T]:
        """The query over versions at or below `upto`, in its order."""
        ...

    def count(self, query: Select[Any], upto: int, /) -> int:
        """How many rows `select` would give without a limit."""
        ...

    def outlines(self, query: Select[MemoryRow], upto: int, /) -> Sequence[Outline]:
        """What `select` would give without order and limit, in outline."""
        ...

    def versions(
        self, wanted: Sequence[tuple[str, int]], /
    ) -> Mapping[tuple[str, int], MemoryRow]:
        """The rows of these memory ids and versions."""
        ...

    def entries(
        self, contents: Sequence[Content], /
    ) -> Mapping[Content, tuple[Passage, ...]]:
        """The entries kept for these contents; contents without any are absent."""
        ...

    def entries_in(
        self, scopes: Sequence[ScopeKey], upto: int, /
    ) -> Mapping[Content, tuple[Passage, ...]]:
        """The entries of every content that was ever written in these scopes."""
        ...

    def scrub(self, scrubs: Sequence[Scrub], /, *, rewrite: bool = True) -> Scrubbed:
        """Overwrite or remove stored bytes, and see that nothing of them is left.

        Where `rewrite` is false a file may hold them until the next scrub or opening.
        """
        ...

    def close(self) -> None:
        """Let go of what it holds."""
        ...
