"""Every arrow that follows from a decision, a policy or a sweep is taken, on every backend."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import pytest

import loom
from loom import Loom
from loom.model.status import Status, allows
from loom.testing.fakes import ChosenEmbedder, FakeClock, SeededIds
from loom.testing.stores import versions_of
from loom.testing.trial import Arrow
from tests.lifecycle.test_arrows import DECIDED
from tests.operations.texts import (
    DRAWS_5,
    DRAWS_7,
    DRAWS_9,
    ELSEWHERE,
    NIGHT,
    NIGHT_AGAIN,
    NIGHT_SHOUTED,
    PLACES,
)

K: Final = "pump/hours"
OTHER: Final = "side/row"
THIRD: Final = "third/row"
EARLY: Final = datetime(2026, 1, 5, tzinfo=UTC)
HERE: Final[dict[str, Any]] = {"org": "acme", "namespace": "lab"}


class World:
    """A store, two agents of one namespace, and a clock that is set."""

    def __init__(self, url: str | Path) -> None:
        self.clock = FakeClock()
        self.store: Loom = loom.open(
            url, embedder=ChosenEmbedder(PLACES), clock=self.clock, ids=SeededIds()
        )
        self.ada = self.store.agent("ada", **HERE)
        self.bob = self.store.agent("bob", **HERE)
        self.memory = self.ada.memory

    def policy(self, name: str) -> None:
        self.ada.namespace.register(default_conflict_policy=name)

    def stand(self, status: Status, key: str = K) -> str:
        """Let the row of a key stand in a status that is in use; its id."""
        if status is Status.ACTIVE:
            return self.memory.set(key, ELSEWHERE).memory_id
        if status is Status.DUPLICATE:
            self.memory.set(f"{key}/of", NIGHT)
            return self.memory.set(key, NIGHT_AGAIN).memory_id
        self.memory.set(f"{key}/of", DRAWS_5)
        return self.memory.set(key, DRAWS_9).memory_id

    def end(self, status: Status, key: str = K) -> None:
        """Let the row of a key be out of use in that way."""
        self.memory.set(key, "Sheep graze below the dam in spring.")
        if status is Status.TOMBSTONED:
            self.memory.delete(key)
        elif status is Status.REJECTED:
            self.memory.reject(key)
        else:
            self.policy("newest_wins")
            self.bob.memory.set(key, 7)
            self.policy("auto_reinforce")
            self.bob.memory.delete(key)

    def propose(self, value: str, key: str = K) -> str:
        return self.memory.set(key, value, proposed=True).memory_id

    def arrows(self) -> set[Arrow]:
        """Every transition that the rows took."""
        taken: set[Arrow] = set()
        rows = sorted(versions_of(self.store), key=lambda r: (r.memory_id, r.version))
        for _, versions in groupby(rows, key=lambda r: r.memory_id):
            before: Status | None = None
            for row in versions:
                taken.add((row.event, before, row.status))
                before = row.status
        return taken


#: What a claim becomes: a value, and what must stand for it to become that.
OUTCOMES: Final[dict[Status, tuple[str, str]]] = {
    Status.ACTIVE: ("Bridges are painted in May.", "Lamps are counted in June."),
    Status.CONFLICTED: (DRAWS_7, DRAWS_5),
    Status.DUPLICATE: (NIGHT_AGAIN, NIGHT),
}
LIVE: Final = tuple(OUTCOMES)
DEAD: Final = (Status.TOMBSTONED, Status.REJECTED, Status.SUPERSEDED)


def _create_over(dead: Status, after: Status) -> Callable[[World], None]:
    def walk(world: World) -> None:
        value, beside = OUTCOMES[after]
        world.end(dead)
        world.memory.set("beside/it", beside)
        world.memory.set(K, value)

    return walk


def _accept_over(before: Status, after: Status) -> Callable[[World], None]:
    def walk(world: World) -> None:
        value, beside = OUTCOMES[after]
        if before in DEAD:
            world.end(before)
        elif before is not Status.PROPOSED:
            world.stand(before)
        if before is Status.DUPLICATE and after is Status.DUPLICATE:
            value = NIGHT_SHOUTED  # another text than the one that stands
        elif before is not after or before is Status.ACTIVE:
            world.memory.set("beside/it", beside)
        world.memory.proposal_decide(world.propose(value), "accept")

    return walk


def _reject(before: Status) -> Callable[[World], None]:
    def walk(world: World) -> None:
        if before is Status.PROPOSED:
            world.memory.proposal_decide(world.propose(NIGHT), "reject")
        else:
            world.memory.reject(memory_id=world.stand(before))

    return walk


def _supersede(before: Status) -> Callable[[World], None]:
    def walk(world: World) -> None:
        world.stand(before)
        world.policy("newest_wins")
        world.bob.memory.set(K, 7)

    return walk


def _restore_superseded(after: Status) -> Callable[[World], None]:
    def walk(world: World) -> None:
        world.memory.set(K, DRAWS_5)
        world.policy("newest_wins")
        world.memory.set(OTHER, DRAWS_9)
        world.policy("auto_reinforce")
        if after is not Status.CONFLICTED:
            world.memory.delete(OTHER)
        if after is Status.DUPLICATE:
            world.memory.set("beside/it", DRAWS_5.upper().replace("KW", "kW"))
        world.memory.restore(K)

    return walk


def _file(world: World) -> None:
    world.policy("newest_wins")
    world.memory.set(K, NIGHT)
    for _ in range(2):
        world.memory.set(K, ELSEWHERE, valid_at=EARLY)


def _propose_twice(world: World) -> None:
    world.propose(NIGHT)
    world.propose(NIGHT)


def _resolve(action: str, *, third: bool = False) -> Callable[[World], None]:
    def walk(world: World) -> None:
        first = world.memory.set(K, DRAWS_5).memory_id
        second = world.memory.set(OTHER, DRAWS_9).memory_id
        if third:
            world.memory.set(THIRD, DRAWS_7)
        world.ada.conflicts.resolve(first, second, action)

    return walk


def _label(before: Status) -> Callable[[World], None]:
    def walk(world: World) -> None:
        world.stand(before)
        given: dict[str, Any] = {"status": "*"} if before is Status.DUPLICATE else {}
        world.memory.apply("label", prefix=K, add_tags=["seen"], dry_run=False, **given)

    return walk


def _verify(before: Status) -> Callable[[World], None]:
    def walk(world: World) -> None:
        memory_id = world.stand(before)
        world.memory.verify(memory_id=memory_id)
        world.memory.verify(memory_id=memory_id, revoke=True)

    return walk


def _expire(before: Status) -> Callable[[World], None]:
    def walk(world: World) -> None:
        if before is Status.PROPOSED:
            world.memory.set(K, NIGHT, proposed=True, ttl_seconds=60)
        else:
            world.stand(before)
            world.memory.apply("label", prefix=K, add_tags=["x"], dry_run=False)
            value = {"active": ELSEWHERE, "duplicate": NIGHT_AGAIN, "conflicted": DRAWS_9}
            world.memory.set(K, value[before], ttl_seconds=60)
        world.clock.advance(61)
        world.ada.namespace.sweep()

    return walk


def _ban_proposal(world: World) -> None:
    world.propose(ELSEWHERE)
    world.ada.blacklist.add("wolves", sweep=True)


WALKS: Final[dict[str, Callable[[World], None]]] = {
    **{f"{d} is set again, {a}": _create_over(d, a) for d in DEAD for a in LIVE},
    **{
        f"over {b} accepted, {a}": _accept_over(b, a)
        for b in (*LIVE, *DEAD, Status.PROPOSED)
        for a in LIVE
    },
    **{f"{b} is rejected": _reject(b) for b in (*LIVE, Status.PROPOSED)},
    **{f"{b} is superseded": _supersede(b) for b in LIVE},
    **{f"superseded comes back {a}": _restore_superseded(a) for a in LIVE},
    **{f"resolved by {a}": _resolve(a) for a in ("revise", "contract", "allow")},
    "resolved with another left": _resolve("revise", third=True),
    **{f"{b} is labelled": _label(b) for b in LIVE},
    **{f"{b} is vouched for": _verify(b) for b in LIVE},
    **{f"{b} expires": _expire(b) for b in (*LIVE, Status.PROPOSED)},
    "a fact is filed, and again": _file,
    "a proposal is made twice": _propose_twice,
    "a proposal is swept": _ban_proposal,
}


def _walked(url: str | Path, walk: Callable[[World], None]) -> set[Arrow]:
    world = World(url)
    try:
        walk(world)
        found = world.store.agent("x", **HERE, user_id="*").namespace.validate()
        assert found.ok, found.findings
        return world.arrows()
    finally:
        world.store.close()


@pytest.fixture(params=["memory", "duckdb"])
def urls(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str | Path]:
    """Where stores are kept, one after another."""

    def names() -> Iterator[str | Path]:
        for n in range(len(WALKS)):
            yield ":memory:" if request.param == "memory" else tmp_path / f"{n}.duckdb"

    return names()


def test_every_arrow_of_a_decision_is_taken_and_is_of_the_table(
    urls: Iterator[str | Path],
) -> None:
    """R-20, A-147 to A-158: an arrow that nothing takes is a rule that nobody tests.

    After each walk the store is sound (`namespace.validate`).
    """
    taken: set[Arrow] = set()
    for walk in WALKS.values():
        taken |= _walked(next(urls), walk)

    assert all(allows(*arrow) for arrow in taken)
    missing = sorted(f"{why}: {old} -> {new}" for why, old, new in DECIDED - taken)
    assert not missing, "\n".join(missing)
