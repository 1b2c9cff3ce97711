"""Erasing a subject: everything of one user of an org, in every table and index.

A saga of four steps, each of which leaves a version of the erasure's row: what there is is
counted, it is removed, a look shows that nothing is left, and the erasure itself forgets
whom it was about. A process that is killed between or within them leaves an erasure that
the next run ends in the same state: a step that was taken finds nothing to do.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from typing import Any, Final

import attrs
from attrs import frozen

from loom.engine.env import Context
from loom.engine.write import commit
from loom.errors import NotFound, StoreUnavailable
from loom.model.audit import AuditRow
from loom.model.erasure import ErasureRow, ErasureState, commitment_to
from loom.model.json_values import FrozenDict
from loom.model.times import instant_of
from loom.plans.plan import Plan
from loom.storage.batch import Batch, Scrub, WriteScope
from loom.storage.contract import Reader, Writing
from loom.storage.query import Cursor, Order, Page, Select, Versions
from loom.storage.tables import AUDIT, ERASURE, MEMORY, Table
from loom.storage.where import Compare, Equal, Not, Where, all_of

__all__ = ["REACH", "Reach", "erasures_of", "request", "row_of", "steps"]

#: What an audit entry loses; the commitment to it stays, and so does the chain.
_NAMES: Final = (
    *("user_id", "session_id", "run_id", "memory_key", "memory_id"),
    *("content_sha256", "salt"),
)
#: Writers that go on while a subject is erased are waited for this often.
_ROUNDS: Final = 5
_REASON: Final = "erasure"


@frozen(slots=True)
class Reach:
    """One kind of row that an erasure reaches, and what becomes of it.

    Attributes:
        table: where it is kept; its rows name an org and a user.
        replace: what is overwritten; None removes the rows.
    """

    table: Table[Any]
    replace: Mapping[str, object] | None = None


#: Every table whose rows are of one user: a new one is listed here.
REACH: Final = (
    Reach(MEMORY),
    Reach(AUDIT, {name: "" for name in _NAMES if name in AUDIT.fields}),
)


def request(
    context: Context, operation: str, subject: str, reason: str
) -> tuple[ErasureRow, bool]:
    """An open erasure of the subject, and whether it was asked for before."""
    org = context.identity.org
    salt, erasure_id = secrets.token_hex(16), context.env.ids.new()

    def plan(writing: Writing) -> Plan[tuple[ErasureRow, bool]]:
        open_one = all_of(Equal("org", org), Equal("subject", subject))
        known = writing.select(Select(table=ERASURE, where=open_one)).rows
        if known:
            return Plan(outcome=(known[0], True))
        row = ErasureRow(
            erasure_id=erasure_id,
            version=writing.stamp,
            org=org,
            subject=subject,
            salt=salt,
            commitment=commitment_to(salt, org, subject),
            reason=reason,
            requested_by=context.env.caller.actor,
            requested_at=instant_of(writing.stamp),
        )
        batch = Batch(rows=(row, _audit(context, operation, row)))
        return Plan(batch=batch, outcome=(row, False))

    return commit(context, WriteScope(org=org), plan)


def row_of(context: Context, erasure_id: str) -> ErasureRow:
    """An erasure of the org.

    Raises:
        NotFound: there is none of that id.
    """
    here = all_of(Equal("org", context.identity.org), Equal("erasure_id", erasure_id))
    rows = context.env.storage.select(Select(table=ERASURE, where=here)).rows
    if not rows:
        msg = "There is no erasure of that id in this org. See erasure.list."
        raise NotFound(msg, erasure_id=erasure_id[:64])
    return rows[0]


def erasures_of(
    context: Context, *, unfinished: bool, after: Cursor | None, limit: int
) -> Page[ErasureRow]:
    """Erasures of the org, newest first."""
    where = Equal("org", context.identity.org)
    if unfinished:
        where = all_of(where, Not(Equal("state", ErasureState.DONE)))  # type: ignore[assignment]
    query = Select(
        table=ERASURE,
        where=where,
        order=(Order("erasure_id", descending=True),),
        after=after,
        limit=limit,
    )
    return context.env.storage.select(query)


def steps(context: Context, operation: str, erasure_id: str) -> Iterator[ErasureRow]:
    """Take the steps that are left, one at a time; yields the erasure after each.

    Raises:
        NotFound: there is no such erasure.
        StoreUnavailable: the subject is written to all the while; run it again.
    """
    row = row_of(context, erasure_id)
    rounds = 0
    while row.state is not ErasureState.DONE:
        if rounds == _ROUNDS:
            msg = (
                "The subject is still being written to, so the erasure is not at its end. "
                "Stop its writers and run it again."
            )
            raise StoreUnavailable(msg, erasure_id=erasure_id)
        rounds += 1
        row = _counted(context, operation, row)
        yield row
        context.env.storage.scrub(_scrubs(row))
        context.env.reads.forget(row.org, row.subject)
        yield row
        if not any(_found(context.env.storage, row).values()):
            row = _done(context, operation, row)
            yield row
    if _is_still_named(context, row):
        context.env.storage.scrub([_forgetting(row)])
        yield row


def _of_subject(row: ErasureRow) -> Where:
    return all_of(Equal("org", row.org), Equal("user_id", row.subject))


def _scrubs(row: ErasureRow) -> list[Scrub]:
    """Of what was counted, and no more: the rest is counted in the next round."""
    where = all_of(_of_subject(row), Compare("version", "<=", row.counted_by))
    return [
        Scrub(table=reach.table, where=where, replace=reach.replace, reason=_REASON)
        for reach in REACH
    ]


def _found(reader: Reader, row: ErasureRow, *extra: Where) -> dict[str, int]:
    """How many rows of each kind there are of the subject, in every version."""
    where = all_of(_of_subject(row), *extra)
    return {
        reach.table.name: reader.count(
            Select(table=reach.table, where=where, view=Versions())
        )
        for reach in REACH
    }


def _counted(context: Context, operation: str, row: ErasureRow) -> ErasureRow:
    """What is there, on the record before any of it goes.

    What was counted before is gone, or still there and counted no second time; what was
    written since is added.
    """
    reader = context.env.storage
    since = _found(reader, row, Compare("version", ">", row.counted_by))
    counts = {
        name: count + int(str(row.counts.get(name, 0))) for name, count in since.items()
    }
    return _put(
        context, operation, row, state=ErasureState.RUNNING, counts=FrozenDict(counts)
    )


def _done(context: Context, operation: str, row: ErasureRow) -> ErasureRow:
    """Finished: from now on the row holds the commitment alone."""
    return _put(context, operation, row, state=ErasureState.DONE, subject="", salt="")


def _put(context: Context, operation: str, row: ErasureRow, **fields: Any) -> ErasureRow:
    def plan(writing: Writing) -> Plan[ErasureRow]:
        now = instant_of(writing.stamp)
        done = fields["state"] is ErasureState.DONE
        new = attrs.evolve(
            row,
            version=writing.stamp,
            parent=row.version,
            counted_by=row.counted_by if done else writing.stamp,
            finished_at=now if done else None,
            **fields,
        )
        batch = Batch(rows=(new, _audit(context, operation, new)))
        return Plan(batch=batch, outcome=new)

    return commit(context, WriteScope(org=row.org), plan)


def _is_still_named(context: Context, row: ErasureRow) -> bool:
    named = all_of(Equal("erasure_id", row.erasure_id), Not(Equal("subject", "")))
    query = Select(table=ERASURE, where=named, view=Versions())
    return context.env.storage.count(query) > 0


def _forgetting(row: ErasureRow) -> Scrub:
    return Scrub(
        table=ERASURE,
        where=Equal("erasure_id", row.erasure_id),
        replace={"subject": "", "salt": ""},
        reason=_REASON,
    )


def _audit(context: Context, operation: str, row: ErasureRow) -> AuditRow:
    """That it was asked for, begun, done; whose it is is not in it."""
    return AuditRow(
        version=row.version,
        operation=operation,
        org=row.org,
        agent=context.identity.agent,
        memory_id=row.erasure_id,
        actor=context.env.caller.actor,
        verdict=str(row.state),
    )
