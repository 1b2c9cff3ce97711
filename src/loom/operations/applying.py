"""One change to many memories, chosen by filters; a preview first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import ClassVar, Final

from attrs import field, frozen

from loom.engine.applying import (
    Applied,
    apply,
    demoting,
    ending,
    labelling,
    locking,
    refuse_labels,
)
from loom.engine.env import Context
from loom.engine.sweeping import Change
from loom.errors import InvalidRequest
from loom.model.identity import ANY
from loom.model.memory import LockMode
from loom.model.provenance import Role
from loom.model.status import Event
from loom.operations.base import (
    Time,
    checked_flag,
    checked_fraction,
    checked_text,
    member_given,
    texts_given,
    until_instant,
)
from loom.operations.memory_read import Filtered
from loom.operations.paging import decode_cursor, encode_cursor
from loom.plans.locking import LockTerms
from loom.plans.outcomes import ApplyOutcome
from loom.retrieval.scope import visible, writable
from loom.storage.where import Where, all_of

__all__ = ["ApplyMemories"]

_NAMED: Final = 1_000


class _Action(StrEnum):
    DELETE = "delete"
    EXPIRE = "expire"
    LOCK = "lock"
    LABEL = "label"
    DEMOTE = "demote"


@frozen(slots=True, hash=False)
class ApplyMemories(Filtered[ApplyOutcome]):
    """Delete, expire, lock, label or demote every live row that the filters choose.

    It only counts and names them until `dry_run=False` is given. Tags are compared exactly
    here. A handle with `user_id="*"` reaches every user's rows, any other those that it may
    write. Rows that a lock keeps are left and named. `expire` ends rows now; `demote`
    multiplies their confidence by `factor`. It stops at the store's cap, and `cursor` says
    where to go on.

    Raises:
        InvalidRequest: no filter is given, or something the action needs is missing.
        Blacklisted: a pattern matches a tag that is to be added.
    """

    name: ClassVar[str] = "memory.apply"
    role: ClassVar[Role] = Role.ADMIN
    folds_tags: ClassVar[bool] = False

    action: str = field(kw_only=False)
    #: With no filter at all, say that every row is meant.
    everything: bool = field(default=False, kw_only=True)
    dry_run: bool = field(default=True, kw_only=True)
    #: `cursor` of a run that stopped at the store's cap, to go on with the same arguments.
    cursor: str | None = field(default=None, kw_only=True)
    #: Of `lock`: the mode, why, and until when.
    mode: str = field(default=LockMode.READ_ONLY, kw_only=True)
    reason: str = field(default="", kw_only=True)
    until: Time | None = field(default=None, kw_only=True)
    ttl_seconds: float | None = field(default=None, kw_only=True)
    #: Of `label`: tags to add and tags to take away.
    add_tags: Sequence[str] | None = field(default=None, kw_only=True)
    remove_tags: Sequence[str] | None = field(default=None, kw_only=True)
    #: Of `demote`: 0 to 1, both inclusive.
    factor: float = field(default=0.5, kw_only=True)

    def run(self, context: Context) -> ApplyOutcome:
        """Change, or say what would be changed."""
        action = member_given(_Action, self.action, name="action")
        everything = checked_flag(self.everything, name="everything")
        if not everything and not self.narrows():
            msg = (
                "no filter is given, so every row would be changed; narrow it, or say "
                "everything=True."
            )
            raise InvalidRequest(msg, field="everything")
        dry_run = checked_flag(self.dry_run, name="dry_run")
        done = apply(
            context,
            self.name,
            lambda now: self._within(context, now),
            self._change(context, action),
            after=decode_cursor(self.cursor, (str, str, int)),
            dry_run=dry_run,
        )
        return _outcome(action, done, dry_run=dry_run)

    def _within(self, context: Context, now: datetime) -> Where:
        identity = context.identity
        mine = visible(identity) if identity.user_id == ANY else writable(identity)
        return all_of(mine, self.where_at(now))

    def _change(self, context: Context, action: _Action) -> Change:
        match action:
            case _Action.DELETE:
                return ending(Event.DELETED)
            case _Action.EXPIRE:
                return ending(Event.EXPIRED)
            case _Action.LOCK:
                return locking(self._terms(context))
            case _Action.LABEL:
                return self._labelling(context)
            case _Action.DEMOTE:
                return demoting(checked_fraction(self.factor, name="factor"))

    def _terms(self, context: Context) -> LockTerms:
        return LockTerms(
            mode=member_given(LockMode, self.mode, name="mode"),
            until=until_instant(self.until, self.ttl_seconds, context.now(), name="until"),
            reason=checked_text(self.reason, name="reason", needed=True),
        )

    def _labelling(self, context: Context) -> Change:
        add = texts_given(self.add_tags, name="add_tags")
        remove = texts_given(self.remove_tags, name="remove_tags")
        if not add and not remove:
            msg = "label needs add_tags, remove_tags or both."
            raise InvalidRequest(msg, field="add_tags")
        refuse_labels(context, add)
        return labelling(add, remove)


def _outcome(action: _Action, done: Applied, *, dry_run: bool) -> ApplyOutcome:
    return ApplyOutcome(
        action=str(action),
        matched=len(done.changed) + len(done.kept),
        changed=0 if dry_run else len(done.changed),
        memory_keys=tuple(dict.fromkeys(done.changed))[:_NAMED],
        kept=tuple(dict.fromkeys(done.kept))[:_NAMED],
        truncated=done.rest is not None,
        cursor=encode_cursor(done.rest),
        dry_run=dry_run,
        next=_next(action, done, dry_run=dry_run),
    )


def _next(action: _Action, done: Applied, *, dry_run: bool) -> str:
    if dry_run:
        said = (
            f"Nothing was changed: dry_run=False would {action} {len(done.changed)} rows."
        )
    elif done.rest is None:
        said = "Nothing to do: all rows that the filters choose are done."
    else:
        said = "The store's cap was reached."
    return said if done.rest is None else f"{said} There are more: call again with cursor."
