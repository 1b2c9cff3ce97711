"""Making visible what reads honour already: rows whose end has come."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from attrs import frozen

from loom.engine.env import Context
from loom.engine.sweeping import sweep_rows
from loom.model.memory import MemoryRow
from loom.model.provenance import Role
from loom.model.status import Event
from loom.operations.base import Request
from loom.plans.outcomes import SweepOutcome
from loom.retrieval.served import not_past
from loom.storage.where import Equal, Not, all_of

__all__ = ["SweepExpired"]


@frozen(slots=True, hash=False)
class SweepExpired(Request[SweepOutcome]):
    """Tombstone the rows of a namespace that are past their expiry or their validity.

    No read serves them from that instant on, swept or not (R-20); a sweep lets counts and
    history say so. Rows with `on_expire="keep"` stay as they are, and so do locked ones,
    which are named. It stops at the store's cap and says so in `swept_truncated`.
    """

    name: ClassVar[str] = "namespace.sweep"
    role: ClassVar[Role] = Role.ADMIN

    def run(self, context: Context) -> SweepOutcome:
        """Sweep."""
        identity = context.identity
        where = all_of(
            Equal("org", identity.org),
            Equal("namespace", identity.namespace),
            Equal("on_expire", "tombstone"),
            Not(not_past(context.now())),
        )
        return sweep_rows(context, self.name, where, _has_ended, Event.EXPIRED)


def _has_ended(row: MemoryRow, now: datetime) -> bool:
    return row.is_past(now) and row.on_expire == "tombstone"
