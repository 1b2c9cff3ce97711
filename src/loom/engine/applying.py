"""One change to many rows of a namespace, chosen by filters."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from attrs import frozen

from loom.engine.env import Context
from loom.engine.gather import patterns_for, surroundings, weighing_of
from loom.engine.sweeping import Change, change_row, place_of, rows_in_use
from loom.model.memory import MemoryRow
from loom.model.status import Event, Status
from loom.plans.labelling import plan_label, relabelled
from loom.plans.lifecycle import Act
from loom.plans.locking import LockTerms, plan_lock
from loom.plans.plan import Plan
from loom.plans.sweep import plan_sweep
from loom.policies.blacklist import blacklisted, matching
from loom.storage.contract import Writing
from loom.storage.query import Cursor
from loom.storage.where import Where, holds

__all__ = [
    "Applied",
    "apply",
    "demoting",
    "ending",
    "labelling",
    "locking",
    "refuse_labels",
]


@frozen(slots=True)
class Applied:
    """Which rows a run changed, or would change, and which a lock keeps: their keys."""

    changed: tuple[str, ...]
    kept: tuple[str, ...]
    #: Where the next run goes on; None if nothing is left.
    rest: Cursor | None = None


def ending(event: Event) -> Change:
    """Tombstone a row, as deleted or as expired; false where a lock keeps it."""

    def change(context: Context, writing: Writing, act: Act, row: MemoryRow) -> Plan[bool]:
        around = surroundings(context, writing, row, act.now)
        return plan_sweep(act, row, around, weighing_of(context), event)

    return change


def locking(terms: LockTerms) -> Change:
    """Lock a row; false where a tighter lock is in force, which stays."""

    def change(context: Context, writing: Writing, act: Act, row: MemoryRow) -> Plan[bool]:  # noqa: ARG001
        duplicate = row.status is Status.DUPLICATE
        if duplicate or (row.is_locked(act.now) and terms.is_looser_than(row)):
            return Plan(outcome=False)
        return Plan(batch=plan_lock(act, row, terms, admin=True).batch, outcome=True)

    return change


def labelling(add: tuple[str, ...], remove: tuple[str, ...]) -> Change:
    """Add tags to a row and take others away; false where a lock keeps it as it is."""

    def change(context: Context, writing: Writing, act: Act, row: MemoryRow) -> Plan[bool]:  # noqa: ARG001
        return plan_label(act, row, {"tags": relabelled(row, add, remove)})

    return change


def demoting(factor: float) -> Change:
    """Lower a row's confidence by a factor; false where a lock keeps it as it is."""

    def change(context: Context, writing: Writing, act: Act, row: MemoryRow) -> Plan[bool]:  # noqa: ARG001
        return plan_label(act, row, {"confidence": row.confidence * factor})

    return change


def refuse_labels(context: Context, add: tuple[str, ...]) -> None:
    """Let tags pass that no pattern matches: the blacklist guards every way in (R-30).

    Raises:
        Blacklisted: one does.
    """
    identity = context.identity
    patterns = patterns_for(context.env.storage, identity.org, identity.namespace)
    found = matching(patterns, add, "")
    if found is not None:
        raise blacklisted(found, "the tags given").as_error()


def apply(
    context: Context,
    operation: str,
    where: Callable[[datetime], Where],
    change: Change,
    *,
    after: Cursor | None,
    dry_run: bool,
) -> Applied:
    """Change every live row that the filters choose, up to the store's cap.

    Each row is changed in a commit of its own, so that a long run holds up nobody.

    Args:
        context: the call.
        operation: its dotted name.
        where: the filters at an instant, within what the caller may change.
        change: the plan of one row.
        after: where an earlier run stopped.
        dry_run: plan only.
    """
    changed: list[str] = []
    kept: list[str] = []

    def qualifies(row: MemoryRow, now: datetime) -> bool:
        return row.is_live() and holds(where(now), row)

    for row in rows_in_use(context, where(context.now()), after):
        if not row.is_live():
            continue
        if len(changed) + len(kept) >= context.env.settings.sweep_cap:
            return Applied(tuple(changed), tuple(kept), after)
        done = change_row(context, operation, row, qualifies, change, dry_run=dry_run)
        (changed if done else kept).append(row.memory_key)
        after = place_of(row)
    return Applied(tuple(changed), tuple(kept))
