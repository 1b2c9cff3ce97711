"""The oracle's rows, what a claim is to them, and the word for a refusal.

Times are microseconds since the epoch.
"""

from __future__ import annotations

from typing import Final

from attrs import frozen

from loom.model.identity import Address
from loom.testing.sayings import Saying

__all__ = ["No", "Row", "Verdict"]

_LIVE: Final = ("active", "conflicted", "duplicate")
_SERVED: Final = ("active", "conflicted")


@frozen(kw_only=True)
class Row:
    """One version of one row; an address has one row for ever."""

    at: Address
    #: The how-manieth address was written first: the order of memory ids.
    born: int
    saying: Saying
    memory_type: str = "semantic"
    tags: tuple[str, ...] = ()
    status: str = "active"
    pinned: bool = False
    conflict_with: frozenset[Address] = frozenset()
    duplicate_of: Address | None = None
    count: int = 1
    version: int
    parent: int = 0
    event: str = "created"
    created_at: int
    tombstoned_at: int | None = None
    expires_at: int | None = None
    lock_mode: str | None = None
    lock_until: int | None = None

    @property
    def live(self) -> bool:
        """Neither deleted nor swept, whatever its end."""
        return self.status in _LIVE

    def past(self, now: int) -> bool:
        """Its expiry has come."""
        return self.expires_at is not None and self.expires_at <= now

    def current(self, now: int) -> bool:
        """A set under its key revises it, and changes by key act on it (R-20)."""
        return self.live and not self.past(now)

    def outlasts(self, other: Row) -> bool:
        """It is still to stand when the other has ended."""
        mine, theirs = self.expires_at, other.expires_at
        return theirs is not None and (mine is None or mine > theirs)

    def served(self, now: int) -> bool:
        """Reads answer with it (R-20)."""
        return self.status in _SERVED and not self.past(now)

    def locked(self, now: int) -> bool:
        """A lock is in force."""
        return self.lock_mode is not None and (
            self.lock_until is None or now < self.lock_until
        )


@frozen(kw_only=True)
class Verdict:
    """What a claim is to all its peers at once (R-33)."""

    name: str
    of: Row | None = None
    against: tuple[Row, ...] = ()
    peers: tuple[tuple[Row, str], ...] = ()


class No(Exception):
    """The operation is refused; `audited` says whether that leaves an entry (R-30)."""

    def __init__(self, code: str, audited: Address | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.audited = audited
