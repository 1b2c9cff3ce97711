"""Rows and answers in plain words, so that a store's and the oracle's can be compared.

Memory ids become addresses and values become the names of sayings; what is left out is
left out on purpose: wording of messages, reasons, similarities.
"""

from __future__ import annotations

from typing import TypeAlias

from attrs import frozen

from loom.model.identity import Address

__all__ = [
    "Answer",
    "Banned",
    "Decided",
    "Deleted",
    "Entry",
    "Held",
    "Looked",
    "Nothing",
    "Refused",
    "Registered",
    "Restored",
    "Revived",
    "Standing",
    "Swept",
    "Wrote",
    "Wrotes",
]


@frozen(kw_only=True)
class Standing:
    """One version of one row. Times are microseconds since the epoch."""

    at: Address
    saying: str
    memory_type: str
    tags: tuple[str, ...]
    sensitivity: str
    sensitivity_stated: bool
    run_id: str
    status: str
    pinned: bool
    conflict_with: frozenset[Address]
    duplicate_of: Address | None
    superseded_by: Address | None
    #: Which row, saying what, it may contradict.
    allowed_with: frozenset[tuple[Address, str]]
    searchable: bool
    count: int
    version: int
    parent: int
    event: str
    created_at: int
    invalid_at: int | None
    tombstoned_at: int | None
    expires_at: int | None
    valid_at: int | None
    valid_to: int | None
    on_expire: str
    lock_mode: str | None
    lock_until: int | None


@frozen(kw_only=True)
class Entry:
    """One audit entry.

    Attributes:
        of: the row it is about, as the how-manieth that was written; None for a refusal.
        saying: what that says; a question mark where its hash is keyed.
    """

    version: int
    ordinal: int
    operation: str
    at: Address
    of: int | None
    saying: str
    verdict: str
    refused: str


@frozen
class Refused:
    """An error, by its code."""

    code: str


@frozen(kw_only=True)
class Wrote:
    """The answer of a write under a key, about the row at `at`."""

    at: Address
    saying: str
    version: int
    verdict: str
    status: str
    pinned: bool
    duplicate_of: Address | None
    superseded_by: Address | None
    merged_into_key: str
    noop: bool
    count: int
    #: Rows it was compared with, and what they are to it; a store shows five at most.
    peers: frozenset[tuple[Address, str]]


@frozen
class Wrotes:
    """One answer an entry."""

    answers: tuple[Wrote | Refused, ...]


@frozen(kw_only=True)
class Deleted:
    """Rows that were deleted, and whether they went as duplicates."""

    rows: frozenset[tuple[Address, bool]]
    version: int


@frozen(kw_only=True)
class Revived:
    """One row of a restore."""

    at: Address
    status: str
    verdict: str
    duplicate_of: Address | None


@frozen(kw_only=True)
class Restored:
    """Rows that came back."""

    rows: frozenset[Revived]
    version: int


@frozen(kw_only=True)
class Decided:
    """What became of a row that somebody decided about, and of the other side."""

    at: Address
    #: Empty for a secret.
    saying: str
    version: int
    status: str
    decision: str
    peer: Address | None = None
    peer_status: str = ""
    #: The answer of the write, where the decision writes a claim.
    wrote: Wrote | None = None


@frozen(kw_only=True)
class Looked:
    """What a key answered with."""

    at: Address | None
    saying: str


@frozen(kw_only=True)
class Registered:
    """The namespace says this from now on."""

    noop: bool


@frozen(kw_only=True)
class Held:
    """The lock in force; `mode` is empty after an unlock."""

    at: Address
    version: int
    mode: str
    until: int | None


@frozen(kw_only=True)
class Swept:
    """How many rows went, under which keys, and which keys a lock kept."""

    count: int
    keys: frozenset[str]
    kept: frozenset[str]


@frozen(kw_only=True)
class Banned:
    """A pattern was added or lifted."""

    noop: bool
    swept: Swept | None = None


@frozen
class Nothing:
    """A step that asks nothing of a store."""


Answer: TypeAlias = (
    Refused
    | Wrote
    | Wrotes
    | Decided
    | Deleted
    | Restored
    | Held
    | Banned
    | Swept
    | Looked
    | Registered
    | Nothing
)
