"""What is written, scrubbed, and answered for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from attrs import field, frozen

from loom.model.entries import Embedded
from loom.storage.tables import Stored, Table
from loom.storage.where import Where

__all__ = ["Batch", "Receipt", "Scrub", "Scrubbed", "WriteScope"]


@frozen(kw_only=True, slots=True)
class Batch:
    """One write: it lands whole or not at all.

    Every row carries the version that `Writing.stamp` gave, and rows that have versions
    carry the `parent` they replace. `vectors` holds the entries of contents that are new;
    a searchable row without any shares those of its memory id and content hash.
    """

    rows: tuple[Stored, ...]
    vectors: tuple[Embedded, ...] = ()


@frozen(kw_only=True, slots=True)
class Scrub:
    """Stored text to be removed from every version that matches.

    Attributes:
        replace: values for the fields to overwrite; None removes the rows.
    """

    table: Table[Any]
    where: Where
    replace: Mapping[str, object] | None = field(hash=False)
    reason: str


@frozen(kw_only=True, slots=True)
class Scrubbed:
    """What a scrub changed: counts of row versions, vectors, chunk entries.

    Attributes:
        pending: the file still holds what was removed, until it is written anew.
    """

    rows: int
    vectors: int
    chunks: int
    pending: bool = False


@frozen(kw_only=True, slots=True)
class WriteScope:
    """What a writer needs to itself.

    Attributes:
        org: None is the whole store (global patterns, scrubs, re-embedding).
        namespaces: sorted; empty is the whole org.
    """

    org: str | None
    namespaces: tuple[str, ...] = ()


class Receipt(Protocol):
    """Proof of a staged write."""

    @property
    def version(self) -> int:
        """The version of its rows."""
        ...

    def wait(self) -> None:
        """Return once the write is durable and visible. Never call it inside `writing`.

        Raises:
            CommitFailed: the commit did not happen; gather and judge again.
            StoreUnavailable: it cannot be known, or the store is closed.
        """
        ...
