"""The page's table of statuses: how a row comes to stand there, and which reads serve it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
from attrs import frozen

from loom import AgentHandle, Loom
from loom.model.memory import MemoryRow
from loom.model.status import SERVED_STATUSES, Status
from tests.operations.texts import (
    DRAWS_5,
    DRAWS_9,
    ELSEWHERE,
    NIGHT,
    NIGHT_AGAIN,
)

KEY: Final = "pump/hours"
OTHER: Final = "pump/beside"
HERE: Final[dict[str, Any]] = {"org": "acme", "namespace": "lab"}


def _active(agent: AgentHandle) -> str:
    return agent.memory.set(KEY, NIGHT).memory_id


def _conflicted(agent: AgentHandle) -> str:
    agent.memory.set(OTHER, DRAWS_9)
    return agent.memory.set(KEY, DRAWS_5).memory_id


def _duplicate(agent: AgentHandle) -> str:
    agent.memory.set(OTHER, NIGHT)
    return agent.memory.set(KEY, NIGHT_AGAIN).memory_id


def _superseded(agent: AgentHandle) -> str:
    old = agent.memory.set(KEY, DRAWS_5).memory_id
    agent.memory.set(OTHER, DRAWS_9)
    return old


def _proposed(agent: AgentHandle) -> str:
    return agent.memory.set(KEY, NIGHT, proposed=True).memory_id


def _rejected(agent: AgentHandle) -> str:
    agent.memory.set(KEY, NIGHT)
    return agent.memory.reject(KEY, reason="misheard").memory_id


def _turned_down(agent: AgentHandle) -> str:
    trial = _proposed(agent)
    agent.memory.proposal_decide(trial, "reject")
    return trial


def _tombstoned(agent: AgentHandle) -> str:
    row = agent.memory.set(KEY, NIGHT).memory_id
    agent.memory.delete(KEY)
    return row


@frozen
class Row:
    """One row of the table."""

    name: str
    status: Status
    #: Brings a row to stand there; its id.
    stand: Callable[[AgentHandle], str]
    #: A read answers with it unasked.
    served: bool
    #: The flag of a search that shows it; none does where this is empty.
    flag: str = ""
    #: The columns that tell more.
    filled: tuple[str, ...] = ()
    #: What a contradiction does in the namespace.
    policy: str = "auto_reinforce"

    def stood(self, store: Loom, user_id: str = "-") -> tuple[AgentHandle, str]:
        """Somebody, and the id of a row of theirs that stands there."""
        boss = store.agent("boss", **HERE)
        boss.namespace.register(default_conflict_policy=self.policy)
        agent = store.agent("ada", **HERE, user_id=user_id)
        return agent, self.stand(agent)


TABLE: Final = (
    Row("active", Status.ACTIVE, _active, served=True),
    Row(
        "conflicted", Status.CONFLICTED, _conflicted, served=True, filled=("conflict_with",)
    ),
    Row(
        "duplicate",
        Status.DUPLICATE,
        _duplicate,
        served=False,
        flag="include_duplicates",
        filled=("duplicate_of",),
    ),
    Row(
        "superseded",
        Status.SUPERSEDED,
        _superseded,
        served=False,
        flag="include_superseded",
        filled=("superseded_by", "invalid_at"),
        policy="newest_wins",
    ),
    Row("proposed", Status.PROPOSED, _proposed, served=False, flag="include_proposed"),
    Row("rejected", Status.REJECTED, _rejected, served=False, filled=("invalid_at",)),
    Row(
        "rejected on trial",
        Status.REJECTED,
        _turned_down,
        served=False,
        filled=("invalid_at",),
    ),
    Row(
        "tombstoned",
        Status.TOMBSTONED,
        _tombstoned,
        served=False,
        filled=("tombstoned_at",),
    ),
)
FLAGS: Final = ("include_duplicates", "include_superseded", "include_proposed")
each_row = pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)


def _row_of(agent: AgentHandle, memory_id: str) -> MemoryRow:
    (found,) = (r for r in agent.memory.list(status="*").items if r.memory_id == memory_id)
    return found


def _hits(agent: AgentHandle, query: str, **flags: Any) -> dict[str, str]:
    hits = agent.memory.search(query, top_k=50, **flags).hits
    return {hit.memory_id: hit.status for hit in hits}


def test_the_table_has_every_status() -> None:
    """R-20: nothing stands anywhere else."""
    assert {row.status for row in TABLE} == set(Status)
    assert {row.status for row in TABLE if row.served} == SERVED_STATUSES


@each_row
def test_a_row_comes_to_stand_there(store: Loom, row: Row) -> None:
    """A-70, A-71, A-72, A-73, A-74, A-75, A-76: with the columns that tell why, and no others."""
    stands = _row_of(*row.stood(store))
    telling = (
        "conflict_with",
        "duplicate_of",
        "superseded_by",
        "invalid_at",
        "tombstoned_at",
    )

    assert stands.status is row.status
    assert tuple(name for name in telling if getattr(stands, name)) == row.filled


@each_row
def test_reads_serve_what_the_table_says(store: Loom, row: Row) -> None:
    """A-80, R-50: list, count, get and get_by_id answer alike; by status all are listed."""
    agent, memory_id = row.stood(store)
    stands = _row_of(agent, memory_id)
    by_key, by_id = agent.memory.get(KEY), agent.memory.get_by_id(memory_id)

    assert (stands in agent.memory.list().items) is row.served
    assert (by_key == stands, by_id == stands) == (row.served, row.served)
    if row.status is Status.DUPLICATE:
        assert by_key is not None
        assert (by_key.memory_id, by_key.resolved_from) == (stands.duplicate_of, KEY)
    elif not row.served:
        assert (by_key, by_id) == (None, None)
    assert stands in agent.memory.list(status=str(row.status)).items
    assert agent.memory.count(status=str(row.status)) == len(
        agent.memory.list(status=str(row.status)).items
    )


@each_row
def test_a_search_shows_it_by_its_own_flag_alone_and_labelled(
    store: Loom, row: Row
) -> None:
    """A-77, A-78, A-79, R-50: another status's flag, or none, does not show it."""
    agent, memory_id = row.stood(store)
    value = str(_row_of(agent, memory_id).value)
    agent.memory.set("far/away", ELSEWHERE)

    assert (memory_id in _hits(agent, value)) is row.served
    for flag in FLAGS:
        hits = _hits(agent, value, **{flag: True})
        assert (memory_id in hits) is (row.served or flag == row.flag)
        assert hits.get(memory_id, row.status) == row.status


def test_both_sides_of_a_contradiction_are_served(agent: AgentHandle) -> None:
    """A-71: hiding one would let a doubted claim answer as if nothing spoke against it."""
    one = _conflicted(agent)
    (other,) = _row_of(agent, one).conflict_with

    assert _row_of(agent, other).conflict_with == (one,)
    assert {one, other} <= set(_hits(agent, DRAWS_5))


@each_row
def test_nobody_else_is_shown_it(store: Loom, row: Row) -> None:
    """R-04: a status opens no door to another user's rows."""
    _, memory_id = row.stood(store, user_id="ana")
    other = store.agent("ada", **HERE, user_id="eve")
    everything: dict[str, Any] = dict.fromkeys(FLAGS, True)

    assert other.memory.get(KEY) is None
    assert other.memory.get_by_id(memory_id) is None
    assert other.memory.list(status="*").items == ()
    assert _hits(other, NIGHT, **everything) == {}
