"""Patterns that refuse future writes, and the sweep of what is stored already."""

from __future__ import annotations

from typing import ClassVar

import attrs
from attrs import field, frozen

from loom.engine.env import Context
from loom.engine.patterns import (
    add,
    patterns_reaching,
    remove,
    require_scope,
    sweep,
    sweep_where,
)
from loom.model.patterns import PatternRow, PatternScope, PatternType
from loom.model.provenance import Role
from loom.operations.base import Request, checked_flag, checked_text, member_given
from loom.plans.outcomes import PatternOutcome, SweepOutcome
from loom.policies.blacklist import check_pattern
from loom.storage.where import Equal, all_of

__all__ = ["AddPattern", "ListPatterns", "RemovePattern", "SweepPatterns"]


@frozen(slots=True, hash=False)
class AddPattern(Request[PatternOutcome]):
    """Refuse every future write that a pattern matches (R-43).

    Raises:
        InvalidRequest: the pattern is empty, malformed, or matches everything.
        Forbidden: the caller does not administer the scope, or is bound to one user.
    """

    name: ClassVar[str] = "blacklist.add"
    role: ClassVar[Role] = Role.VIEWER  # the scope's own role is checked in `run`

    pattern: str = field(kw_only=False)
    pattern_type: str = field(default=PatternType.SUBSTRING, kw_only=True)
    #: `namespace`, `org` (for its administrator) or `global` (for the store's).
    scope: str = field(default=PatternScope.NAMESPACE, kw_only=True)
    #: Shown to whoever is refused.
    reason: str = field(default="", kw_only=True)
    #: Match keys as well as what is written under them.
    match_keys: bool = field(default=False, kw_only=True)
    #: Tombstone the rows stored already that match.
    sweep: bool = field(default=False, kw_only=True)

    def run(self, context: Context) -> PatternOutcome:
        """Add, and sweep if asked to."""
        kind = member_given(PatternType, self.pattern_type, name="pattern_type")
        scope = member_given(PatternScope, self.scope, name="scope")
        require_scope(context, scope)
        in_namespace = scope is PatternScope.NAMESPACE
        wanted = PatternRow(
            pattern_id=context.env.ids.new(),
            org="" if scope is PatternScope.GLOBAL else context.identity.org,
            namespace=context.identity.namespace if in_namespace else "",
            pattern=check_pattern(self.pattern, kind),
            pattern_type=kind,
            scope=scope,
            match_keys=checked_flag(self.match_keys, name="match_keys"),
            reason=checked_text(self.reason, name="reason"),
            actor=context.env.caller.actor,
            created_at=context.now(),
        )
        with_sweep = checked_flag(self.sweep, name="sweep")
        outcome = add(context, self.name, wanted)
        if not with_sweep:
            return outcome
        pattern = outcome.pattern
        swept = sweep(context, self.name, (pattern,), sweep_where(pattern))
        return attrs.evolve(outcome, sweep=swept)


@frozen(slots=True, hash=False)
class RemovePattern(Request[PatternOutcome]):
    """Lift a pattern; what it refused may be written again.

    Raises:
        NotFound: no pattern in force that reaches the namespace has that id.
        Forbidden: the caller does not administer its scope.
    """

    name: ClassVar[str] = "blacklist.remove"
    role: ClassVar[Role] = Role.VIEWER  # the scope's own role is checked in `remove`

    pattern_id: str = field(kw_only=False)

    def run(self, context: Context) -> PatternOutcome:
        """Remove."""
        return remove(context, self.name, self.pattern_id)


@frozen(slots=True, hash=False)
class ListPatterns(Request[tuple[PatternRow, ...]]):
    """The patterns in force for a namespace, oldest first.

    A pattern may hold the very secret it keeps out, so this takes an administrator.
    """

    name: ClassVar[str] = "blacklist.list"
    role: ClassVar[Role] = Role.ADMIN

    #: Removed ones as well.
    include_removed: bool = field(default=False, kw_only=True)

    def run(self, context: Context) -> tuple[PatternRow, ...]:
        """List."""
        removed = checked_flag(self.include_removed, name="include_removed")
        return patterns_reaching(context, include_removed=removed)


@frozen(slots=True, hash=False)
class SweepPatterns(Request[SweepOutcome]):
    """Tombstone the live rows of a namespace that a pattern in force matches.

    It stops at the store's cap and says so in `swept_truncated`.
    """

    name: ClassVar[str] = "blacklist.sweep"
    role: ClassVar[Role] = Role.ADMIN

    def run(self, context: Context) -> SweepOutcome:
        """Sweep."""
        identity = context.identity
        where = all_of(Equal("org", identity.org), Equal("namespace", identity.namespace))
        return sweep(context, self.name, patterns_reaching(context), where)
