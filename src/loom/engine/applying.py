"""One change to many rows of a namespace, chosen by filters."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from attrs import frozen

from loom.engine.env import Context
from loom.engine.gather import patterns_for, surroundings, weighing_of
from loom.engine.sweeping import Change, change_row, rows_in_use
from loom.model.memory import MemoryRow
from loom.model.status import Event, Status
from loom.plans.labelling import plan_label, relabelled
from loom.plans.lifecycle import Act
from loom.plans.locking import LockTerms, plan_lock
from loom.plans.outcomes import ApplyOutcome
from loom.plans.plan import Plan
from loom.plans.sweep import plan_sweep
from loom.policies.blacklist import blacklisted, matching
from loom.storage.contract import Writing
from loom.storage.where import Where, holds

__all__ = ["apply", "demoting", "ending", "labelling", "locking", "refuse_labels"]

_NAMED = 1_000


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


@frozen(slots=True)
class _Tally:
    changed: list[str]
    kept: list[str]


def apply(
    context: Context,
    operation: str,
    action: str,
    where: Callable[[datetime], Where],
    change: Change,
    *,
    dry_run: bool,
) -> ApplyOutcome:
    """Change every live row that the filters choose, up to the store's cap.

    Each row is changed in a commit of its own, so that a long run holds up nobody.

    Args:
        context: the call.
        operation: its dotted name.
        action: what is done, for the answer.
        where: the filters at an instant, within what the caller may change.
        change: the plan of one row.
        dry_run: count and name only.
    """
    tally = _Tally([], [])
    truncated = False

    def qualifies(row: MemoryRow, now: datetime) -> bool:
        return row.is_live() and holds(where(now), row)

    for row in rows_in_use(context, where(context.now())):
        if not row.is_live():
            continue
        if len(tally.changed) >= context.env.settings.sweep_cap:
            truncated = True
            break
        done = dry_run or change_row(context, operation, row, qualifies, change)
        (tally.changed if done else tally.kept).append(row.memory_key)
    keys = tuple(dict.fromkeys(tally.changed))
    return ApplyOutcome(
        action=action,
        matched=len(tally.changed) + len(tally.kept),
        changed=0 if dry_run else len(tally.changed),
        memory_keys=keys[:_NAMED],
        kept=tuple(dict.fromkeys(tally.kept)),
        truncated=truncated,
        dry_run=dry_run,
        next=_next(action, len(tally.changed), dry_run=dry_run, truncated=truncated),
    )


def _next(action: str, count: int, *, dry_run: bool, truncated: bool) -> str:
    if dry_run:
        return f"Nothing was changed: dry_run=False would {action} {count} rows."
    if truncated:
        return "The store's cap was reached: call again to go on."
    return "Nothing to do: all rows that the filters choose are done."
