"""Details that an administrator changes on stored rows, without a new claim."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loom.model.memory import LockMode, MemoryRow
from loom.model.status import Event
from loom.plans.changes import Changes
from loom.plans.lifecycle import Act
from loom.plans.plan import Plan

__all__ = ["plan_label", "relabelled"]


def relabelled(
    row: MemoryRow, add: tuple[str, ...], remove: tuple[str, ...]
) -> tuple[str, ...]:
    """The row's tags without some and with others, in their order."""
    kept = [tag for tag in row.tags if tag not in remove]
    return tuple(dict.fromkeys((*kept, *add)))


def plan_label(act: Act, row: MemoryRow, fields: Mapping[str, Any]) -> Plan[bool]:
    """Change details of a row; false where a read-only lock keeps it as it is.

    Nothing is written where nothing changes.
    """
    if row.is_locked(act.now) and row.lock_mode is LockMode.READ_ONLY:
        return Plan(outcome=False)
    if all(getattr(row, name) == value for name, value in fields.items()):
        return Plan(outcome=True)
    changes = Changes(act.stamp)
    changed = changes.change(row, Event.LABELLED, actor=act.actor, **fields)
    return Plan(batch=act.batch(changes, [changed]), outcome=True)
