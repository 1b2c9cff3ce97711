"""The page's state diagram, arrow by arrow, each by the call that is written on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
from attrs import frozen

from loom import AgentHandle, Loom
from loom.model.status import Event, Status, allows
from loom.testing.fakes import FakeClock
from loom.testing.stores import versions_of
from tests.operations.looking import row_of
from tests.operations.texts import (
    DRAWS_5,
    DRAWS_7,
    DRAWS_9,
    ELSEWHERE,
    NIGHT,
    NIGHT_AGAIN,
)

KEY: Final = "pump/hours"
OTHER: Final = "pump/beside"
HERE: Final[dict[str, Any]] = {"org": "acme", "namespace": "lab"}


class World:
    """A store, somebody in it, and a clock that is set."""

    def __init__(self, store: Loom, clock: FakeClock) -> None:
        self.agent: AgentHandle = store.agent("ada", **HERE)
        self.memory = self.agent.memory
        self.clock = clock

    def policy(self, name: str) -> None:
        self.agent.namespace.register(default_conflict_policy=name)

    def stand(self, value: Any = NIGHT, **said: Any) -> str:
        return self.memory.set(KEY, value, **said).memory_id

    def contradicted(self) -> tuple[str, str]:
        """The key's row and the one that contradicts it."""
        mine = self.stand(DRAWS_5)
        return mine, self.memory.set(OTHER, DRAWS_9).memory_id

    def on_trial(self, value: Any = NIGHT) -> str:
        return self.stand(value, proposed=True)


def _set_clear(world: World) -> str:
    return world.stand()


def _set_refines(world: World) -> str:
    world.policy("newest_wins")
    world.memory.set(OTHER, DRAWS_9)
    out = world.memory.set(KEY, DRAWS_5)
    assert out.conflict_verdict == "refines"
    return out.memory_id


def _set_conflict(world: World) -> str:
    world.memory.set(OTHER, DRAWS_9)
    return world.stand(DRAWS_5)


def _set_duplicate(world: World) -> str:
    world.memory.set(OTHER, NIGHT)
    return world.stand(NIGHT_AGAIN)


def _set_proposed(world: World) -> str:
    return world.on_trial()


def _contradicted_later(world: World) -> str:
    return world.contradicted()[0]


def _resolve(action: str, side: int, **said: Any) -> Callable[[World], str]:
    def walk(world: World) -> str:
        pair = world.contradicted()
        world.agent.conflicts.resolve(*pair, action, **said)
        return pair[side]

    return walk


def _peer_revised(world: World) -> str:
    """The row that goes when the decision is told from the other side."""
    mine, other = world.contradicted()
    world.agent.conflicts.resolve(other, mine, "revise")
    return mine


def _accept(world: World) -> str:
    trial = world.on_trial()
    world.memory.proposal_decide(trial, "accept")
    return trial


def _accept_contradicted(world: World) -> str:
    trial = world.on_trial(DRAWS_5)
    world.memory.set(OTHER, DRAWS_9)
    world.memory.proposal_decide(trial, "accept")
    return trial


def _decline(world: World) -> str:
    trial = world.on_trial()
    world.memory.proposal_decide(trial, "reject")
    return trial


def _reject(world: World) -> str:
    mine = world.stand()
    world.memory.reject(KEY)
    return mine


def _newest_wins(world: World) -> str:
    world.policy("newest_wins")
    mine = world.stand()
    world.memory.set(KEY, ELSEWHERE, agent="bob")
    return mine


def _refined(world: World) -> str:
    world.policy("newest_wins")
    mine = world.stand(DRAWS_5)
    world.memory.set(OTHER, DRAWS_9)
    return mine


def _restore_superseded(world: World) -> str:
    mine = _refined(world)
    world.memory.delete(OTHER)
    world.memory.restore(KEY)
    return mine


def _delete(world: World) -> str:
    mine = world.stand()
    world.memory.delete(KEY)
    return mine


def _swept(world: World) -> str:
    mine = world.stand()
    world.agent.blacklist.add("pump", sweep=True)
    return mine


def _expired(world: World) -> str:
    mine = world.stand(ttl_seconds=60)
    world.clock.advance(60)
    world.agent.namespace.sweep()
    return mine


def _restore(world: World) -> str:
    mine = _delete(world)
    world.clock.advance(13 * 86_400)
    world.memory.restore(KEY)
    return mine


@frozen
class Arrow:
    """One arrow: from where to where, by what, and the row that takes it."""

    name: str
    before: Status | None
    after: Status
    event: Event
    walk: Callable[[World], str]


DIAGRAM: Final = (
    Arrow("set: clear", None, Status.ACTIVE, Event.CREATED, _set_clear),
    Arrow("set: refines", None, Status.ACTIVE, Event.CREATED, _set_refines),
    Arrow("set: conflict", None, Status.CONFLICTED, Event.CREATED, _set_conflict),
    Arrow("set: duplicate", None, Status.DUPLICATE, Event.CREATED, _set_duplicate),
    Arrow("set: proposed", None, Status.PROPOSED, Event.PROPOSED, _set_proposed),
    Arrow(
        "a later close write",
        Status.ACTIVE,
        Status.CONFLICTED,
        Event.RELINKED,
        _contradicted_later,
    ),
    Arrow(
        "resolve: revise",
        Status.CONFLICTED,
        Status.ACTIVE,
        Event.RESOLVED,
        _resolve("revise", 0),
    ),
    Arrow(
        "resolve: allow, one side",
        Status.CONFLICTED,
        Status.ACTIVE,
        Event.RESOLVED,
        _resolve("allow", 0),
    ),
    Arrow(
        "resolve: allow, the other side",
        Status.CONFLICTED,
        Status.ACTIVE,
        Event.RESOLVED,
        _resolve("allow", 1),
    ),
    Arrow(
        "resolve: contract",
        Status.CONFLICTED,
        Status.TOMBSTONED,
        Event.RESOLVED,
        _resolve("contract", 0),
    ),
    Arrow(
        "resolve: the peer revised",
        Status.CONFLICTED,
        Status.TOMBSTONED,
        Event.RESOLVED,
        _peer_revised,
    ),
    Arrow("accept", Status.PROPOSED, Status.ACTIVE, Event.ACCEPTED, _accept),
    Arrow(
        "accept while contradicted",
        Status.PROPOSED,
        Status.CONFLICTED,
        Event.ACCEPTED,
        _accept_contradicted,
    ),
    Arrow("turn down", Status.PROPOSED, Status.REJECTED, Event.REJECTED, _decline),
    Arrow("reject", Status.ACTIVE, Status.REJECTED, Event.REJECTED, _reject),
    Arrow("newest_wins", Status.ACTIVE, Status.SUPERSEDED, Event.SUPERSEDED, _newest_wins),
    Arrow("refined", Status.ACTIVE, Status.SUPERSEDED, Event.SUPERSEDED, _refined),
    Arrow(
        "restore what was replaced",
        Status.SUPERSEDED,
        Status.ACTIVE,
        Event.RESTORED,
        _restore_superseded,
    ),
    Arrow("delete", Status.ACTIVE, Status.TOMBSTONED, Event.DELETED, _delete),
    Arrow("blacklist sweep", Status.ACTIVE, Status.TOMBSTONED, Event.SWEPT, _swept),
    Arrow("expiry", Status.ACTIVE, Status.TOMBSTONED, Event.EXPIRED, _expired),
    Arrow("restore", Status.TOMBSTONED, Status.ACTIVE, Event.RESTORED, _restore),
)
each_arrow = pytest.mark.parametrize("arrow", DIAGRAM, ids=lambda arrow: arrow.name)


@each_arrow
def test_an_arrow_is_taken_as_a_new_version_beside_the_old(
    store: Loom, clock: FakeClock, arrow: Arrow
) -> None:
    """A-144 to A-160, each: A-147, A-149, A-150, A-151, A-152, A-153, A-154, A-155, A-156,
    A-158, and the old version stays in the history (A-160).
    """
    memory_id = arrow.walk(World(store, clock))
    versions = [row for row in versions_of(store) if row.memory_id == memory_id]
    *earlier, last = versions

    assert (last.event, last.status) == (arrow.event, arrow.after)
    if arrow.before is None:
        assert earlier == []
    else:
        assert earlier[-1].status is arrow.before
        assert last.parent == earlier[-1].version < last.version
    assert len({row.version for row in versions}) == len(versions)


@each_arrow
def test_the_one_table_of_transitions_has_the_arrow(arrow: Arrow) -> None:
    """R-20."""
    assert allows(arrow.event, arrow.before, arrow.after)


@each_arrow
def test_history_tells_the_arrow(store: Loom, clock: FakeClock, arrow: Arrow) -> None:
    """A-160, A-247: newest first, with what happened and when."""
    world = World(store, clock)
    memory_id = arrow.walk(world)
    versions = (*world.memory.history(KEY), *world.memory.history(OTHER))
    history = [one for one in versions if one.memory_id == memory_id]

    assert (history[0].event, history[0].status) == (arrow.event, arrow.after)
    assert [one.version for one in history] == sorted(
        (one.version for one in history), reverse=True
    )
    assert history[-1].parent == 0


def test_a_new_value_may_be_told_with_the_decision(store: Loom, clock: FakeClock) -> None:
    """A-149, R-60: the row that stands says it, active."""
    world = World(store, clock)
    mine = _resolve("revise", 0, value=DRAWS_7)(world)

    row = row_of(world.agent, KEY)
    assert (row.memory_id, row.value, row.status) == (mine, DRAWS_7, "active")
