"""Vouching for a row: found, planned and committed."""

from __future__ import annotations

import attrs

from loom.engine.deciding import row_to_decide
from loom.engine.env import Context
from loom.engine.lifecycle import act_in
from loom.engine.targets import answering_row
from loom.engine.write import commit, namespace_scope
from loom.model.times import instant_of
from loom.plans.attesting import VerifyOutcome, plan_verify
from loom.plans.plan import Plan
from loom.storage.contract import Writing

__all__ = ["verify"]


def verify(
    context: Context,
    operation: str,
    *,
    memory_key: str | None,
    memory_id: str | None,
    revoke: bool,
    reason: str,
) -> VerifyOutcome:
    """Vouch for the row of a key or of an id, or take it back.

    Raises:
        NotFound: there is no such row that the caller may write.
        IllegalTransition: it is out of use or past its end.
    """

    def plan(writing: Writing) -> Plan[VerifyOutcome]:
        now = instant_of(writing.stamp)
        if memory_id is not None:
            row = row_to_decide(context, writing, memory_id)
        else:
            row = answering_row(context, writing, memory_key or "", now)
        inner = attrs.evolve(context, identity=row.writer)
        act = act_in(inner, writing, operation, row.memory_key)
        return plan_verify(act, row, revoke=revoke, reason=reason)

    return commit(context, namespace_scope(context), plan)
