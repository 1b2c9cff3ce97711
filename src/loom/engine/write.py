"""The order of every write, said once.

Before the lock: parse, hash, tokenise, embed. Under it: gather, judge, plan, stage. After
it: wait until durable and visible, then answer. A failed commit is judged again, alone; a
plan that finds it lacks a vector leaves the lock, embeds, and starts again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from loom.engine.env import Context
from loom.engine.sealing import bury, sealed, secrets_in
from loom.errors import LoomError, StoreUnavailable
from loom.plans.plan import Plan
from loom.storage.batch import WriteScope
from loom.storage.contract import CommitFailed, Writing
from loom.storage.query import Nearest

__all__ = ["NeedsVectors", "commit", "namespace_scope"]

R = TypeVar("R")
_ATTEMPTS: Final = 3


class NeedsVectors(Exception):
    """The plan needs entries that were not embedded before the lock was taken."""


def namespace_scope(context: Context) -> WriteScope:
    """The lock an ordinary write takes: its namespace."""
    identity = context.identity
    return WriteScope(org=identity.org, namespaces=(identity.namespace,))


def commit(
    context: Context,
    scope: WriteScope,
    plan_in: Callable[[Writing], Plan[R]],
    *,
    probes: Nearest | None = None,
    dry_run: bool = False,
) -> R:
    """Plan under the lock, stage, wait, answer.

    Args:
        context: the call.
        scope: what is locked.
        plan_in: gathers, judges and plans from what the block sees; called again if the
            commit fails, so it must have no effect of its own.
        probes: the nearest-rows question it will ask, to be prepared before the lock.
        dry_run: plan only; the answer waits for what it rests on all the same.

    Raises:
        Refused: a guard objects; the refusal is recorded first.
        LoomError: whatever else `plan_in` raises.
        StoreUnavailable: the commit failed each time.
    """
    failure: CommitFailed | None = None
    objection: LoomError | None
    for attempt in range(_ATTEMPTS):
        with context.env.storage.writing(
            scope, probes=probes, alone=attempt > 0
        ) as writing:
            try:
                plan = plan_in(writing)
            except LoomError as error:
                # Raised below, once what it rests on is durable.
                plan, objection = Plan(), error
            else:
                objection = None
            if dry_run or plan.batch is None:
                receipt = writing.settled()
            else:
                receipt = writing.stage(sealed(context, plan.batch))
        try:
            receipt.wait()
        except CommitFailed as error:
            failure = error
            continue
        if objection is not None:
            raise objection
        if not dry_run:
            bury(context, secrets_in(plan.batch))
        return _answer(plan)
    msg = "The write could not be committed; nothing of it was stored. Try again later."
    raise StoreUnavailable(msg) from failure


def _answer(plan: Plan[R]) -> R:
    if plan.refusal is not None:
        raise plan.refusal.as_error()
    if plan.outcome is None:  # pragma: no cover - a plan answers or refuses
        msg = "a plan has neither an outcome nor a refusal."
        raise TypeError(msg)
    return plan.outcome
