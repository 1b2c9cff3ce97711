"""Registering a namespace: what it says, kept as versions, and listed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from loom.engine.env import Context
from loom.engine.namespaces import namespace_row
from loom.engine.patterns import require_scope
from loom.engine.write import commit, namespace_scope
from loom.model.audit import AuditRow
from loom.model.namespace import NamespaceRow, check_threshold_order
from loom.model.patterns import PatternScope
from loom.model.times import instant_of
from loom.plans.outcomes import NamespaceOutcome
from loom.plans.plan import Plan
from loom.storage.batch import Batch
from loom.storage.contract import Writing
from loom.storage.query import Cursor, Order, Page, Select
from loom.storage.tables import NAMESPACE
from loom.storage.where import Equal, In, Where, all_of

__all__ = ["namespaces_of_org", "register"]


def register(context: Context, operation: str, said: Mapping[str, Any]) -> NamespaceOutcome:
    """Keep what is said of the context's namespace; the same again is a no-op.

    Args:
        context: the call.
        operation: its dotted name.
        said: fields of `NamespaceRow` and their new values, checked; others keep theirs.

    Raises:
        Forbidden: the handle is bound to one user.
        InvalidRequest: with what is kept, the conflict threshold would be above the
            duplicate threshold.
    """
    require_scope(context, PatternScope.NAMESPACE)
    return commit(context, namespace_scope(context), _planning(context, operation, said))


def _planning(
    context: Context, operation: str, said: Mapping[str, Any]
) -> Callable[[Writing], Plan[NamespaceOutcome]]:
    identity = context.identity

    def plan(writing: Writing) -> Plan[NamespaceOutcome]:
        old = namespace_row(writing, identity.org, identity.namespace)
        base = old or NamespaceRow(org=identity.org, namespace=identity.namespace)
        changed = tuple(name for name in said if getattr(base, name) != said[name])
        if old is not None and not changed:
            return Plan(outcome=NamespaceOutcome(settings=old, noop=True))
        row = _revised(context, base, said, writing.stamp)
        audit = _audit(context, operation, row)
        outcome = NamespaceOutcome(settings=row, changed=changed, created=old is None)
        return Plan(batch=Batch(rows=(row, audit)), outcome=outcome)

    return plan


def _revised(
    context: Context, base: NamespaceRow, said: Mapping[str, Any], stamp: int
) -> NamespaceRow:
    now = instant_of(stamp)
    row = attrs.evolve(
        base,
        **said,
        version=stamp,
        parent=base.version,
        actor=context.env.caller.actor,
        created_at=base.created_at or now,
        updated_at=now,
    )
    check_threshold_order(
        row.conflict_threshold, row.duplicate_threshold, name="the namespace"
    )
    return row


def _audit(context: Context, operation: str, row: NamespaceRow) -> AuditRow:
    return AuditRow(
        version=row.version,
        operation=operation,
        org=row.org,
        namespace=row.namespace,
        agent=context.identity.agent,
        actor=context.env.caller.actor,
        verdict="revised" if row.parent else "registered",
    )


def namespaces_of_org(
    context: Context, after: Cursor | None, limit: int
) -> Page[NamespaceRow]:
    """Registered namespaces of the org in which the caller holds a role, by name."""
    query = Select(
        table=NAMESPACE,
        where=all_of(Equal("org", context.identity.org), _within_roles(context)),
        order=(Order("namespace"),),
        after=after,
        limit=limit,
    )
    return context.env.storage.select(query)


def _within_roles(context: Context) -> Where:
    """Every namespace for who holds a role in the whole org, else those of their roles."""
    org, caller = context.identity.org, context.env.caller
    if caller.role_in(org, None) is not None:
        return all_of()
    prefix = f"{org}/"
    held = [
        scope.removeprefix(prefix) for scope in caller.roles if scope.startswith(prefix)
    ]
    return In("namespace", tuple(held))
