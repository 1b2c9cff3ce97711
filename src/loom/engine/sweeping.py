"""Walking the rows of a namespace and changing those that qualify, one write a row.

Rows are looked for in pages, without a lock, and judged again under it, so that a long
sweep holds up nobody and each row can be restored by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TypeAlias

import attrs

from loom.engine.env import Context
from loom.engine.gather import surroundings, weighing_of
from loom.engine.lifecycle import act_in
from loom.engine.write import commit
from loom.model.memory import MemoryRow
from loom.model.status import LIVE_STATUSES, Event, Status
from loom.plans.lifecycle import Act
from loom.plans.outcomes import SweepOutcome
from loom.plans.plan import Plan
from loom.plans.sweep import plan_sweep
from loom.storage.batch import WriteScope
from loom.storage.contract import Writing
from loom.storage.query import Cursor, Order, Select
from loom.storage.tables import MEMORY
from loom.storage.where import In, Where, all_of

__all__ = [
    "Change",
    "Qualifies",
    "change_row",
    "place_of",
    "rows_in_use",
    "sweep_rows",
]

#: Whether a row is to be changed, at an instant.
Qualifies: TypeAlias = Callable[[MemoryRow, datetime], bool]
#: The plan for one row, whether it could be carried out.
Change: TypeAlias = Callable[[Context, Writing, Act, MemoryRow], Plan[bool]]

_PAGE = 500
#: The id holds still while a change moves the version.
_ORDER = (Order("memory_key"), Order("memory_id"))
_IN_USE = tuple(sorted({*LIVE_STATUSES, Status.PROPOSED}))


def sweep_rows(
    context: Context, operation: str, where: Where, qualifies: Qualifies, event: Event
) -> SweepOutcome:
    """Tombstone what qualifies, up to the store's cap; locked rows are kept and named."""

    def tombstone(
        context: Context, writing: Writing, act: Act, row: MemoryRow
    ) -> Plan[bool]:
        around = surroundings(context, writing, row, act.now)
        return plan_sweep(act, row, around, weighing_of(context), event)

    swept: list[str] = []
    kept: list[str] = []
    truncated = False
    for row in rows_in_use(context, where):
        if not qualifies(row, context.now()):
            continue
        if len(swept) >= context.env.settings.sweep_cap:
            truncated = True
            break
        done = change_row(context, operation, row, qualifies, tombstone)
        (swept if done else kept).append(row.memory_key)
    return SweepOutcome(
        swept=len(swept),
        swept_keys=tuple(dict.fromkeys(swept)),
        swept_truncated=truncated,
        kept_locked=tuple(dict.fromkeys(kept)),
    )


def rows_in_use(
    context: Context, where: Where, after: Cursor | None = None
) -> Iterator[MemoryRow]:
    """Rows that are live or on trial, by key; each page is of an instant of its own.

    No row comes twice, whatever is changed in between.

    Args:
        context: the call.
        where: which rows.
        after: `place_of` the row to go on after.
    """
    within = all_of(where, In("status", _IN_USE))
    while True:
        query = Select(
            table=MEMORY,
            where=within,
            order=_ORDER,
            after=after,
            limit=_PAGE,
        )
        page = context.env.storage.select(query)
        yield from page.rows
        after = page.next
        if after is None:
            return


def place_of(row: MemoryRow) -> Cursor:
    """Where `rows_in_use` goes on after a row: its newer versions lie before it."""
    return (row.memory_key, row.memory_id, row.version)


def change_row(
    context: Context,
    operation: str,
    found: MemoryRow,
    qualifies: Qualifies,
    change: Change,
    *,
    dry_run: bool = False,
) -> bool:
    """Change one row in a commit of its own, as its writer's place but the caller's act.

    True if there is nothing left to change: done now, or changed by somebody in between.
    """
    identity = attrs.evolve(found.writer, run_id="")
    inner = attrs.evolve(context, identity=identity)

    def plan(writing: Writing) -> Plan[bool]:
        row = writing.row(found.memory_id)
        if row is None or row.status not in _IN_USE:
            return Plan(outcome=True)
        act = act_in(inner, writing, operation, row.memory_key, identity)
        if not qualifies(row, act.now):
            return Plan(outcome=True)
        return change(inner, writing, act, row)

    scope = WriteScope(org=found.org, namespaces=(found.namespace,))
    return commit(inner, scope, plan, dry_run=dry_run)
