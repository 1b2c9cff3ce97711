"""Deciding: about proposals, about wrong claims, about conflicts."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

import attrs
from attrs import field, frozen

from loom.engine.deciding import accept, decline, reject, resolve
from loom.engine.env import Context
from loom.errors import InvalidRequest
from loom.model.json_values import JsonInput
from loom.model.keys import parse_key
from loom.model.provenance import Role
from loom.model.unset import UNSET, Unset
from loom.operations.base import Request, checked_flag, checked_text, member_given
from loom.plans.deciding import Resolution
from loom.plans.draft import Words
from loom.plans.outcomes import DecisionOutcome

__all__ = ["DecideProposal", "RejectMemory", "ResolveConflict"]


class _Decision(StrEnum):
    ACCEPT = "accept"
    REJECT = "reject"


@frozen(slots=True, hash=False)
class DecideProposal(Request[DecisionOutcome]):
    """Take a claim that is on trial, or turn it down (R-23).

    Taking it is a revision of its key, judged as any other: it may come out contradicted,
    or as a duplicate. A key that never had a row gets the proposal as its row.

    Raises:
        NotFound: no row that the caller may decide about has the id.
        IllegalTransition: it is no proposal, or has been decided.
        Locked, PinnedConflict, Blacklisted: a guard objects to what it says.
    """

    name: ClassVar[str] = "memory.proposal_decide"
    role: ClassVar[Role] = Role.WRITER

    memory_id: str = field(kw_only=False)
    #: `accept` or `reject`.
    decision: str = field(kw_only=False)
    #: Kept in the history.
    reason: str = field(default="", kw_only=True)
    dry_run: bool = field(default=False, kw_only=True)

    def run(self, context: Context) -> DecisionOutcome:
        """Decide."""
        decide = (
            accept
            if member_given(_Decision, self.decision, name="decision") is _Decision.ACCEPT
            else decline
        )
        dry_run = checked_flag(self.dry_run, name="dry_run")
        outcome = decide(
            context,
            self.name,
            checked_text(self.memory_id, name="memory_id", needed=True),
            reason=checked_text(self.reason, name="reason"),
            dry_run=dry_run,
        )
        return _tried(outcome) if dry_run else outcome


@frozen(slots=True, hash=False)
class RejectMemory(Request[DecisionOutcome]):
    """Mark a row as wrong: no read serves it again, and it cannot be restored.

    By key it is the row that `memory.get` answers within what the caller may write, by id
    that one. What was its duplicate is judged again.

    Raises:
        InvalidRequest: neither a key nor an id is given, or both are.
        NotFound: no live row answers.
        IllegalTransition: the row of the id is neither live nor on trial.
        Locked: a lock keeps it.
    """

    name: ClassVar[str] = "memory.reject"
    role: ClassVar[Role] = Role.WRITER

    memory_key: str | None = field(default=None, kw_only=False)
    memory_id: str | None = field(default=None, kw_only=True)
    #: Kept in the history.
    reason: str = field(default="", kw_only=True)
    dry_run: bool = field(default=False, kw_only=True)

    def run(self, context: Context) -> DecisionOutcome:
        """Reject."""
        if (self.memory_key is None) == (self.memory_id is None):
            msg = "give either memory_key or memory_id."
            raise InvalidRequest(msg, field="memory_key")
        dry_run = checked_flag(self.dry_run, name="dry_run")
        key = None if self.memory_key is None else parse_key(self.memory_key)
        outcome = reject(
            context,
            self.name,
            memory_key=key,
            memory_id=None
            if self.memory_id is None
            else checked_text(self.memory_id, name="memory_id", needed=True),
            reason=checked_text(self.reason, name="reason"),
            dry_run=dry_run,
        )
        return _tried(outcome) if dry_run else outcome


@frozen(slots=True, hash=False)
class ResolveConflict(Request[DecisionOutcome]):
    """Decide a conflict between two rows (R-60).

    `revise`: the row of `memory_id` stands, with the new value if one is given, and its
    peer is deleted. `contract`: the row of `memory_id` is deleted and its peer stands.
    `allow`: both stand, and the pair is not flagged again until one of them changes.

    Raises:
        InvalidRequest: the action is unknown, or a value is given to one that takes none.
        NotFound: an id names no row that the caller may decide about.
        IllegalTransition: the two are not, or no longer, in conflict.
        Locked: a lock keeps the row that would go, or the one that would change.
        Blacklisted, PinnedConflict, EmbeddingFailed: as `memory.update`, for a new value.
    """

    name: ClassVar[str] = "conflicts.resolve"
    role: ClassVar[Role] = Role.WRITER

    memory_id: str = field(kw_only=False)
    peer_id: str = field(kw_only=False)
    #: `revise`, `contract` or `allow`.
    action: str = field(kw_only=False)
    #: What the row of `memory_id` says from now on; for `revise` alone.
    value: JsonInput | Unset = field(default=UNSET, kw_only=True)
    #: Kept in the history.
    reason: str = field(default="", kw_only=True)
    dry_run: bool = field(default=False, kw_only=True)

    def run(self, context: Context) -> DecisionOutcome:
        """Resolve."""
        action = member_given(Resolution, self.action, name="action")
        if self.value is not UNSET and action is not Resolution.REVISE:
            msg = f"value is what a row says after 'revise'; '{action}' takes none."
            raise InvalidRequest(msg, field="value")
        dry_run = checked_flag(self.dry_run, name="dry_run")
        outcome = resolve(
            context,
            self.name,
            checked_text(self.memory_id, name="memory_id", needed=True),
            checked_text(self.peer_id, name="peer_id", needed=True),
            action,
            words=None if self.value is UNSET else Words(memory_key="", value=self.value),
            reason=checked_text(self.reason, name="reason"),
            dry_run=dry_run,
        )
        return _tried(outcome) if dry_run else outcome


def _tried(outcome: DecisionOutcome) -> DecisionOutcome:
    """The answer of a dry run: nothing has a version."""
    inner = outcome.write
    if inner is not None:
        inner = attrs.evolve(inner, dry_run=True, version=0)
    return attrs.evolve(outcome, dry_run=True, version=0, write=inner)
