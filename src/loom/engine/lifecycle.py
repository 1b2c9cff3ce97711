"""Deleting, restoring and locking: gathered, planned and committed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from loom.engine.env import Context
from loom.engine.gather import (
    deleted_group,
    dependent,
    live_rows,
    patterns_for,
    surroundings,
    weighing_of,
)
from loom.engine.ruling import lenses_for
from loom.engine.targets import answering_row, row_to_unlock
from loom.engine.write import commit, namespace_scope
from loom.model.identity import Identity
from loom.model.provenance import Role
from loom.model.times import instant_of
from loom.plans.lifecycle import (
    Act,
    plan_delete,
    plan_restore,
    restore_refusals,
)
from loom.plans.locking import LockTerms, plan_lock, plan_unlock
from loom.plans.outcomes import DeleteOutcome, LockOutcome, RestoreOutcome
from loom.plans.plan import Plan
from loom.policies.rulings import Ruling
from loom.storage.contract import Writing

__all__ = ["act_in", "delete", "lock", "restore", "unlock"]

R = TypeVar("R")


def act_in(
    context: Context,
    writing: Writing,
    operation: str,
    memory_key: str,
    identity: Identity | None = None,
) -> Act:
    """Who does what to a key, at the block's stamp."""
    return Act(
        operation=operation,
        identity=identity or context.writer(),
        actor=context.env.caller.actor,
        memory_key=memory_key,
        stamp=writing.stamp,
        now=instant_of(writing.stamp),
    )


def _commit(
    context: Context, plan: Callable[[Writing], Plan[R]], *, dry_run: bool = False
) -> R:
    return commit(context, namespace_scope(context), plan, dry_run=dry_run)


def delete(
    context: Context, operation: str, key: str, *, mine_only: bool, dry_run: bool
) -> DeleteOutcome:
    """Tombstone the live rows under a key that the caller may change.

    Raises:
        Locked: a lock protects one of them; none is deleted.
    """

    def plan(writing: Writing) -> Plan[DeleteOutcome]:
        act = act_in(context, writing, operation, key)
        rows = live_rows(context, writing, key, mine_only=mine_only)
        around = {r.memory_id: surroundings(context, writing, r, act.now) for r in rows}
        duplicates = [d.row for s in tuple(around.values()) for d in s.dependents]
        for row in duplicates:
            if row.memory_id not in around:
                around[row.memory_id] = surroundings(context, writing, row, act.now)
        return plan_delete(act, rows, around, weighing_of(context))

    return _commit(context, plan, dry_run=dry_run)


def restore(
    context: Context, operation: str, key: str, *, clear_expiry: bool, dry_run: bool
) -> RestoreOutcome:
    """Revive the rows that the newest delete of a key took.

    Raises:
        NotFound: nothing under the key is deleted.
        Refused: the window passed, or the blacklist or a pin objects.
    """
    identity = context.writer()

    def plan(writing: Writing) -> Plan[RestoreOutcome]:
        act = act_in(context, writing, operation, key)
        rows = deleted_group(context, writing, key)
        patterns = patterns_for(writing, identity.org, identity.namespace)
        chain = lenses_for(context, Ruling()).chain("restore")
        return plan_restore(
            act,
            [dependent(context, writing, row, act.now) for row in rows],
            restore_refusals(chain, act, rows, patterns),
            weighing_of(context),
            context.env.settings.restore_window,
            clear_expiry=clear_expiry,
        )

    return _commit(context, plan, dry_run=dry_run)


def lock(context: Context, operation: str, key: str, terms: LockTerms) -> LockOutcome:
    """Lock the row that a change by key acts on.

    Raises:
        NotFound: there is none.
        Forbidden: the terms are looser than those in force, and the caller is no
            administrator.
    """
    identity = context.identity
    admin = context.holds(Role.ADMIN, identity.org, identity.namespace)

    def plan(writing: Writing) -> Plan[LockOutcome]:
        act = act_in(context, writing, operation, key)
        row = answering_row(context, writing, key, act.now)
        return plan_lock(act, row, terms, admin=admin)

    return _commit(context, plan)


def unlock(context: Context, operation: str, key: str) -> LockOutcome:
    """Lift the lock of the row that a change by key acts on.

    Raises:
        NotFound: there is none.
    """

    def plan(writing: Writing) -> Plan[LockOutcome]:
        act = act_in(context, writing, operation, key)
        return plan_unlock(act, row_to_unlock(context, writing, key, act.now))

    return _commit(context, plan)
