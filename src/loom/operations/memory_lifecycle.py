"""Deleting, restoring, locking."""

from __future__ import annotations

from typing import ClassVar

import attrs
from attrs import field, frozen

from loom.engine.env import Context
from loom.engine.lifecycle import delete, lock, restore, unlock
from loom.errors import InvalidRequest
from loom.model.keys import parse_key
from loom.model.memory import LockMode
from loom.model.provenance import Role
from loom.operations.base import Request, Time, checked_flag, checked_text, until_instant
from loom.plans.locking import LockTerms
from loom.plans.outcomes import DeleteOutcome, LockOutcome, RestoreOutcome

__all__ = ["DeleteMemory", "LockMemory", "RestoreMemory", "UnlockMemory"]


@frozen(slots=True, hash=False)
class DeleteMemory(Request[DeleteOutcome]):
    """Tombstone every live row under a key that the caller may change (R-06).

    Afterwards no read of the caller answers with them; the history keeps them, and
    `memory.restore` brings them back within 14 days. The caller's own duplicates of a
    deleted row go with it. Deleting nothing answers `found=False`.

    Raises:
        Locked: a lock protects one of the rows; none is deleted.
    """

    name: ClassVar[str] = "memory.delete"
    role: ClassVar[Role] = Role.WRITER

    memory_key: str = field(kw_only=False)
    #: Only the row of the handle's own agent and session.
    mine_only: bool = False
    dry_run: bool = False

    def run(self, context: Context) -> DeleteOutcome:
        """Delete."""
        dry_run = checked_flag(self.dry_run, name="dry_run")
        outcome = delete(
            context,
            self.name,
            parse_key(self.memory_key),
            mine_only=checked_flag(self.mine_only, name="mine_only"),
            dry_run=dry_run,
        )
        return attrs.evolve(outcome, dry_run=True, version=0) if dry_run else outcome


@frozen(slots=True, hash=False)
class RestoreMemory(Request[RestoreOutcome]):
    """Bring back exactly the rows that the newest delete of a key took (R-06).

    Each is judged again: against the blacklist, and against what was written since.

    Raises:
        NotFound: nothing under the key is deleted.
        RestoreWindowPassed: the delete was more than 14 days ago.
        Blacklisted: a pattern matches now.
        PinnedConflict: a pinned row says otherwise now.
    """

    name: ClassVar[str] = "memory.restore"
    role: ClassVar[Role] = Role.WRITER

    memory_key: str = field(kw_only=False)
    #: Remove an expiry that has passed, so that the row is served again.
    clear_expiry: bool = False
    dry_run: bool = False

    def run(self, context: Context) -> RestoreOutcome:
        """Restore."""
        dry_run = checked_flag(self.dry_run, name="dry_run")
        outcome = restore(
            context,
            self.name,
            parse_key(self.memory_key),
            clear_expiry=checked_flag(self.clear_expiry, name="clear_expiry"),
            dry_run=dry_run,
        )
        return attrs.evolve(outcome, dry_run=True, version=0) if dry_run else outcome


@frozen(slots=True, hash=False)
class LockMemory(Request[LockOutcome]):
    """Protect the row that `memory.get` answers for a key (R-42).

    `read_only` refuses a changed value, changed details, a changed expiry and deletion;
    `no_delete` refuses deletion alone. The lock lapses at `until`. Only an administrator
    loosens a lock in force.

    Raises:
        NotFound: no live row is under the key.
        InvalidRequest: no reason is given, or the mode or the end is malformed.
        Forbidden: the call would loosen a lock and the caller is no administrator.
    """

    name: ClassVar[str] = "memory.lock"
    role: ClassVar[Role] = Role.WRITER

    memory_key: str = field(kw_only=False)
    mode: str = LockMode.READ_ONLY
    #: Shown to everybody whom the lock refuses.
    reason: str = ""
    until: Time | None = None
    ttl_seconds: float | None = None
    #: On whose behalf; the actor by default.
    locked_by: str = ""

    def run(self, context: Context) -> LockOutcome:
        """Lock."""
        key = parse_key(self.memory_key)
        until = until_instant(self.until, self.ttl_seconds, context.now(), name="until")
        if until is not None and until <= context.now():
            msg = "until lies in the past, so the lock would never be in force."
            raise InvalidRequest(msg, field="until")
        terms = LockTerms(
            mode=_mode(self.mode),
            until=until,
            reason=checked_text(self.reason, name="reason", needed=True),
            locked_by=checked_text(self.locked_by, name="locked_by"),
        )
        return lock(context, self.name, key, terms)


def _mode(value: str) -> LockMode:
    try:
        return LockMode(value)
    except ValueError:
        modes = " or ".join(LockMode)
        msg = f"mode must be {modes}."
        raise InvalidRequest(msg, field="mode") from None


@frozen(slots=True, hash=False)
class UnlockMemory(Request[LockOutcome]):
    """Lift the lock of the row that `memory.get` answers for a key.

    Raises:
        NotFound: no live row is under the key.
    """

    name: ClassVar[str] = "memory.unlock"
    role: ClassVar[Role] = Role.ADMIN

    memory_key: str = field(kw_only=False)

    def run(self, context: Context) -> LockOutcome:
        """Unlock."""
        return unlock(context, self.name, parse_key(self.memory_key))
