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
#: Types that are not embedded, so nothing is compared with them.
_UNCOMPARED: Final = ("profile", "episodic")


@frozen(kw_only=True)
class Row:
    """One version of one row; an address has one row for ever."""

    at: Address
    #: The how-manieth address was written first: the order of memory ids.
    born: int
    saying: Saying
    memory_type: str = "semantic"
    tags: tuple[str, ...] = ()
    sensitivity: str = ""
    sensitivity_stated: bool = False
    run_id: str = ""
    status: str = "active"
    pinned: bool = False
    conflict_with: frozenset[Address] = frozenset()
    duplicate_of: Address | None = None
    superseded_by: Address | None = None
    #: Which row, saying what, it may contradict (R-60).
    allowed_with: frozenset[tuple[Address, str]] = frozenset()
    count: int = 1
    version: int
    parent: int = 0
    event: str = "created"
    created_at: int
    invalid_at: int | None = None
    tombstoned_at: int | None = None
    expires_at: int | None = None
    valid_at: int | None = None
    valid_to: int | None = None
    on_expire: str = "tombstone"
    lock_mode: str | None = None
    lock_until: int | None = None

    @property
    def live(self) -> bool:
        """In use, whatever its end."""
        return self.status in _LIVE

    @property
    def secret(self) -> bool:
        """Read by key alone (R-46)."""
        return self.sensitivity == "high"

    @property
    def searchable(self) -> bool:
        """Embedded, so that a search finds it and claims are compared with it."""
        return not self.secret and self.memory_type not in _UNCOMPARED

    @property
    def ends_at(self) -> int | None:
        """Its expiry or the end of its validity, whichever comes first."""
        ends = [end for end in (self.expires_at, self.valid_to) if end is not None]
        return min(ends, default=None)

    @property
    def world_date(self) -> int:
        """The best known date in the world (R-44)."""
        return self.created_at if self.valid_at is None else self.valid_at

    def past(self, now: int) -> bool:
        """Its end has come."""
        return self.ends_at is not None and self.ends_at <= now

    def current(self, now: int) -> bool:
        """A set under its key revises it, and changes by key act on it (R-20)."""
        return self.live and not self.past(now)

    def outlasts(self, other: Row) -> bool:
        """It is still to stand when the other has ended."""
        mine, theirs = self.ends_at, other.ends_at
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
    #: Rows whose place the claim takes.
    retired: tuple[Row, ...] = ()
    peers: tuple[tuple[Row, str], ...] = ()


class No(Exception):
    """The operation is refused; `audited` says whether that leaves an entry (R-30)."""

    def __init__(self, code: str, audited: Address | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.audited = audited
