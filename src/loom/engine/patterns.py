"""Blacklist patterns: kept, lifted, listed, and swept for."""

from __future__ import annotations

from datetime import datetime

import attrs

from loom.engine.env import Context
from loom.engine.sweeping import sweep_rows
from loom.engine.write import commit
from loom.errors import Forbidden, NotFound
from loom.model.audit import AuditRow
from loom.model.identity import ANONYMOUS, ANY, Identity
from loom.model.memory import MemoryRow
from loom.model.patterns import PatternRow, PatternScope
from loom.model.provenance import Role
from loom.model.status import Event
from loom.model.times import instant_of
from loom.plans.outcomes import PatternOutcome, SweepOutcome
from loom.plans.plan import Plan
from loom.policies.blacklist import matching, texts_of
from loom.storage.batch import Batch, WriteScope
from loom.storage.contract import Reader, Writing
from loom.storage.query import Order, Select
from loom.storage.tables import PATTERN
from loom.storage.where import ALWAYS, And, Equal, IsNull, Or, Where, all_of

__all__ = [
    "add",
    "patterns_reaching",
    "remove",
    "require_scope",
    "sweep",
    "sweep_where",
]


def require_scope(context: Context, scope: PatternScope) -> None:
    """Let the caller change patterns of a scope.

    Raises:
        Forbidden: they do not administer it, or their handle is bound to one user.
    """
    if context.identity.user_id not in (ANONYMOUS, ANY):
        msg = "A handle bound to one user cannot change what everybody may write."
        raise Forbidden(msg)
    if scope is PatternScope.GLOBAL:
        context.require(Role.ADMIN, "*", None)
    elif scope is PatternScope.ORG:
        context.require(Role.ADMIN, context.identity.org, None)
    else:
        context.require(Role.ADMIN, context.identity.org, context.identity.namespace)


def add(context: Context, operation: str, wanted: PatternRow) -> PatternOutcome:
    """Keep a pattern; an equal one in force makes it a no-op.

    Args:
        context: the call.
        operation: its dotted name.
        wanted: the pattern; its version and times are set here.
    """

    def plan(writing: Writing) -> Plan[PatternOutcome]:
        now = instant_of(writing.stamp)
        row = attrs.evolve(wanted, version=writing.stamp, created_at=now)
        same = [
            p
            for p in writing.select(Select(table=PATTERN, where=IsNull("removed_at"))).rows
            if _terms(p) == _terms(row)
        ]
        if same:
            return Plan(outcome=PatternOutcome(pattern=same[0], noop=True))
        audit = _audit(context, operation, row, "added")
        return Plan(batch=Batch(rows=(row, audit)), outcome=PatternOutcome(pattern=row))

    return commit(context, _lock_of(wanted), plan)


def _terms(row: PatternRow) -> tuple[object, ...]:
    return (row.org, row.namespace, row.pattern, row.pattern_type, row.match_keys)


def remove(context: Context, operation: str, pattern_id: str) -> PatternOutcome:
    """Lift a pattern.

    Raises:
        NotFound: no pattern in force that reaches the namespace has that id.
        Forbidden: the caller does not administer its scope.
    """
    found = _in_force(context, context.env.storage, pattern_id)
    require_scope(context, found.scope)

    def plan(writing: Writing) -> Plan[PatternOutcome]:
        row = _in_force(context, writing, pattern_id)
        removed = attrs.evolve(
            row,
            version=writing.stamp,
            parent=row.version,
            removed_at=instant_of(writing.stamp),
        )
        audit = _audit(context, operation, removed, "removed")
        return Plan(
            batch=Batch(rows=(removed, audit)), outcome=PatternOutcome(pattern=removed)
        )

    return commit(context, _lock_of(found), plan)


def _in_force(context: Context, reader: Reader, pattern_id: str) -> PatternRow:
    where = all_of(Equal("pattern_id", pattern_id), _reaching(context.identity))
    rows = reader.select(Select(table=PATTERN, where=where)).rows
    if not rows or rows[0].removed_at is not None:
        msg = "No pattern in force has that id; see blacklist.list."
        raise NotFound(msg, pattern_id=str(pattern_id)[:64])
    return rows[0]


def patterns_reaching(
    context: Context, *, include_removed: bool = False
) -> tuple[PatternRow, ...]:
    """The namespace's own patterns, its org's and the global ones, oldest first."""
    where = _reaching(context.identity)
    if not include_removed:
        where = all_of(IsNull("removed_at"), where)
    query = Select(table=PATTERN, where=where, order=(Order("created_at"),))
    return context.env.storage.select(query).rows


def _reaching(identity: Identity) -> Where:
    own = And((Equal("org", identity.org), Equal("namespace", identity.namespace)))
    org = And((Equal("org", identity.org), Equal("scope", PatternScope.ORG)))
    return Or((own, org, Equal("scope", PatternScope.GLOBAL)))


def _lock_of(row: PatternRow) -> WriteScope:
    """All whom a pattern reaches wait for it: no write slips past a new one."""
    if row.scope is PatternScope.GLOBAL:
        return WriteScope(org=None)
    names = (row.namespace,) if row.scope is PatternScope.NAMESPACE else ()
    return WriteScope(org=row.org, namespaces=names)


def _audit(context: Context, operation: str, row: PatternRow, what: str) -> AuditRow:
    return AuditRow(
        version=row.version,
        operation=operation,
        org=row.org or context.identity.org,
        namespace=row.namespace,
        agent=context.identity.agent,
        memory_id=row.pattern_id,
        actor=context.env.caller.actor,
        verdict=what,
    )


def sweep(
    context: Context, operation: str, patterns: tuple[PatternRow, ...], where: Where
) -> SweepOutcome:
    """Tombstone rows in use or on trial that a pattern matches, up to the cap.

    Args:
        context: the call.
        operation: its dotted name.
        patterns: what to look for.
        where: which rows to look at.
    """

    def matches(row: MemoryRow, now: datetime) -> bool:  # noqa: ARG001
        return matching(patterns, texts_of(row), row.memory_key) is not None

    return sweep_rows(context, operation, where, matches, Event.SWEPT)


def sweep_where(pattern: PatternRow) -> Where:
    """The rows that a pattern reaches."""
    if pattern.scope is PatternScope.GLOBAL:
        return ALWAYS
    org = Equal("org", pattern.org)
    if pattern.scope is PatternScope.ORG:
        return org
    return all_of(org, Equal("namespace", pattern.namespace))
