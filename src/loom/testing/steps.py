"""Operations as values: a program is a list of them.

A program can be performed on a store (`stage.py`), on the oracle (`oracle.py`), or on two
stores side by side (`agreement.py`).
"""

from __future__ import annotations

from typing import Final, TypeAlias

from attrs import frozen

from loom.model.identity import Address
from loom.testing.sayings import Saying

__all__ = [
    "NAMESPACE",
    "ORG",
    "Ban",
    "Bulk",
    "Decide",
    "Delete",
    "Expire",
    "Lift",
    "Lock",
    "Look",
    "Put",
    "Register",
    "Reject",
    "Resolve",
    "Restore",
    "Step",
    "Sweep",
    "Unlock",
    "Wait",
    "Who",
]

ORG: Final = "acme"
NAMESPACE: Final = "crew"


@frozen
class Who:
    """An agent, for a user, in a session and a run."""

    agent: str
    user_id: str = "-"
    session_id: str = ""
    #: Recorded, and no part of where its rows live.
    run: str = ""

    def at(self, key: str) -> Address:
        """Where its own row of a key lives."""
        return Address(ORG, NAMESPACE, self.agent, self.user_id, self.session_id, key)


@frozen(kw_only=True)
class Put:
    """set, update, pin, update_by_id; None is "not said"."""

    op: str = "set"
    who: Who
    key: str
    #: None: a pin of what is there.
    saying: Saying | None
    #: The row that update_by_id names.
    of: Address | None = None
    memory_type: str | None = None
    tags: tuple[str, ...] | None = None
    pinned: bool | None = None
    ttl: int | None = None
    clear_expiry: bool = False
    #: Microseconds since the epoch.
    valid_at: int | None = None
    #: Seconds until its validity ends.
    valid_for: int | None = None
    on_expire: str | None = None
    #: A level; empty to have it detected.
    sensitivity: str | None = None
    #: On trial; of `set` alone.
    proposed: bool = False
    #: The saying whose hash the writer believes to be there.
    if_match: Saying | None = None
    dry_run: bool = False


@frozen(kw_only=True)
class Bulk:
    """bulk_set; every entry is a set."""

    who: Who
    entries: tuple[Put, ...]
    atomic: bool = False


@frozen(kw_only=True)
class Delete:
    """Delete a key."""

    who: Who
    key: str
    mine_only: bool = False
    dry_run: bool = False


@frozen(kw_only=True)
class Restore:
    """Restore what the newest delete of a key took."""

    who: Who
    key: str
    clear_expiry: bool = False
    dry_run: bool = False


@frozen(kw_only=True)
class Lock:
    """Lock a row, for some seconds or for good."""

    who: Who
    key: str
    mode: str = "read_only"
    ttl: int | None = None


@frozen(kw_only=True)
class Unlock:
    """Unlock a row."""

    who: Who
    key: str


@frozen(kw_only=True)
class Decide:
    """Take a proposal or turn it down."""

    who: Who
    of: Address
    accepts: bool
    dry_run: bool = False


@frozen(kw_only=True)
class Reject:
    """Mark the row of an address as wrong, or else the one that answers for a key."""

    who: Who
    key: str = ""
    of: Address | None = None
    dry_run: bool = False


@frozen(kw_only=True)
class Resolve:
    """Decide between two rows in conflict: revise, contract or allow."""

    who: Who
    of: Address
    peer: Address
    action: str
    #: What the first row says from now on; for `revise` alone.
    saying: Saying | None = None
    dry_run: bool = False


@frozen(kw_only=True)
class Expire:
    """Sweep what is past its end."""

    who: Who


@frozen(kw_only=True)
class Register:
    """Let the namespace have a policy, and the scenario's tags their rules."""

    who: Who
    policy: str


@frozen(kw_only=True)
class Look:
    """Read a key."""

    who: Who
    key: str


@frozen(kw_only=True)
class Ban:
    """Add a blacklist pattern."""

    who: Who
    pattern: str
    sweep: bool = False


@frozen(kw_only=True)
class Lift:
    """Remove a blacklist pattern."""

    who: Who
    pattern: str


@frozen(kw_only=True)
class Sweep:
    """Tombstone what the patterns in force match."""

    who: Who


@frozen(kw_only=True)
class Wait:
    """Move the clock."""

    seconds: float


Step: TypeAlias = (
    Put
    | Bulk
    | Delete
    | Restore
    | Lock
    | Unlock
    | Decide
    | Reject
    | Resolve
    | Expire
    | Register
    | Look
    | Ban
    | Lift
    | Sweep
    | Wait
)
