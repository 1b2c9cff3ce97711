"""The page's table of times: on which axis each lies, who fills it, and what it does."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import attrs
import pytest
from attrs import frozen

from loom import AgentHandle, Loom
from loom.model.memory import MemoryRow
from loom.testing.fakes import FakeClock
from tests.operations.looking import row_of
from tests.operations.texts import DRAWS_5, DRAWS_9, ELSEWHERE, NIGHT

KEY: Final = "pump/hours"
OTHER: Final = "pump/beside"
HERE: Final[dict[str, Any]] = {"org": "acme", "namespace": "lab"}
#: When the clock of these tests begins.
START: Final = datetime(2026, 3, 2, 9, tzinfo=UTC)
LATER: Final = START + timedelta(hours=1)
#: Ids are a store's own: another one gave this.
_ANOTHER: Final = "01968000-0000-7000-8000-000000000001"
PAST: Final = datetime(2025, 11, 3, tzinfo=UTC)


def _write(agent: AgentHandle) -> None:
    agent.memory.set(KEY, NIGHT)


def _say_since(agent: AgentHandle) -> None:
    agent.memory.set(KEY, NIGHT, valid_at=PAST)


def _say_until(agent: AgentHandle) -> None:
    agent.memory.set(KEY, NIGHT, valid_to=LATER)


def _say_about(agent: AgentHandle) -> None:
    """Extraction will set it; until then it comes with what another store exported."""
    agent.memory.set(KEY, NIGHT, namespace="elsewhere")
    (item,) = agent.namespace.export(namespace="elsewhere").items
    head = attrs.evolve(item.head, temporal_anchor=PAST, memory_id=_ANOTHER)
    agent.namespace.import_([attrs.evolve(item, head=head)], origin="elsewhere")


def _say_expiry(agent: AgentHandle) -> None:
    agent.memory.set(KEY, NIGHT, ttl_seconds=3_600)


def _replace(agent: AgentHandle) -> None:
    agent.namespace.register(default_conflict_policy="newest_wins")
    agent.memory.set(KEY, DRAWS_5)
    agent.memory.set(OTHER, DRAWS_9)


def _delete(agent: AgentHandle) -> None:
    agent.memory.set(KEY, NIGHT)
    agent.memory.delete(KEY)


@frozen
class Row:
    """One row of the table."""

    column: str
    #: `world`: only as a writer says it; `record`: as the store's clock tells it.
    axis: str
    fill: Callable[[AgentHandle], None]
    value: datetime
    #: A row is not served from that instant on.
    ends: bool = False


TABLE: Final = (
    Row("valid_at", "world", _say_since, PAST),
    Row("valid_to", "world", _say_until, LATER, ends=True),
    Row("temporal_anchor", "world", _say_about, PAST),
    Row("created_at", "record", _write, START),
    Row("invalid_at", "record", _replace, START),
    Row("tombstoned_at", "record", _delete, START),
    Row("expires_at", "record", _say_expiry, LATER, ends=True),
)
each_row = pytest.mark.parametrize("row", TABLE, ids=lambda row: row.column)
COLUMNS: Final = tuple(row.column for row in TABLE)


def _key_row(agent: AgentHandle) -> MemoryRow:
    (row,) = (r for r in agent.memory.list(status="*").items if r.memory_key == KEY)
    return row


@each_row
def test_a_column_is_filled_by_what_the_table_names(
    agent: AgentHandle, clock: FakeClock, row: Row
) -> None:
    """A-233, A-234, A-235, A-236, A-237, A-238, A-239: to the microsecond, in UTC (R-14)."""
    row.fill(agent)
    clock.advance(10)
    stored = _key_row(agent)

    assert getattr(stored, row.column) == row.value
    assert getattr(stored, row.column).tzinfo is UTC


@each_row
def test_no_column_is_filled_unasked(agent: AgentHandle, row: Row) -> None:
    """A-233, A-239: unknown is unknown; nothing but the first write's time is made up."""
    row.fill(agent)
    stored = _key_row(agent)
    filled = {name for name in COLUMNS if getattr(stored, name) is not None}

    assert filled == {"created_at", row.column}


@each_row
def test_a_read_drops_a_row_past_its_end_and_no_other(
    agent: AgentHandle, clock: FakeClock, row: Row
) -> None:
    """A-234, A-239, R-20: from that instant on, on every path, swept or not."""
    row.fill(agent)
    if row.column in ("invalid_at", "tombstoned_at"):
        assert agent.memory.get(KEY) is None
        return
    clock.set(LATER - timedelta(microseconds=1))
    assert agent.memory.get(KEY) is not None
    clock.set(LATER)
    served = not row.ends

    assert (agent.memory.get(KEY) is not None) is served
    assert agent.memory.count() == int(served)
    assert len(agent.memory.list().items) == int(served)
    assert len(agent.memory.search(NIGHT).hits) == int(served)


def test_the_first_write_s_time_stays_over_every_change(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """A-236: a revision, a deletion, a restore and a pin leave it as it was."""
    agent.memory.set(KEY, NIGHT)
    for change in (
        lambda: agent.memory.set(KEY, ELSEWHERE),
        lambda: agent.memory.delete(KEY),
        lambda: agent.memory.restore(KEY),
        lambda: agent.memory.pin(KEY),
    ):
        clock.advance(60)
        change()
    row = row_of(agent, KEY)

    assert (row.created_at, row.updated_at) == (START, START + timedelta(minutes=4))
    assert row.tombstoned_at is None


def test_what_comes_back_is_no_longer_retired(agent: AgentHandle, clock: FakeClock) -> None:
    """A-237, A-238, R-61: the time of leaving service is of the time it was left."""
    _replace(agent)
    clock.advance(60)
    agent.memory.restore(KEY)
    row = _key_row(agent)

    assert (row.invalid_at, row.superseded_by) == (None, "")


@pytest.mark.parametrize(
    "said,expected",
    [
        ({"valid_at": PAST, "temporal_anchor": LATER}, PAST),
        ({"temporal_anchor": PAST}, PAST),
        ({}, START),
    ],
    ids=["stated", "anchored", "written"],
)
def test_the_best_world_date_is_the_stated_one_else_the_anchor_else_the_first_write(
    agent: AgentHandle, said: dict[str, Any], expected: datetime
) -> None:
    """A-235, A-240, R-44: what `newest_wins` compares."""
    agent.memory.set(KEY, NIGHT)
    row = row_of(agent, KEY)

    assert attrs.evolve(row, **said).world_date == expected


def test_a_user_s_times_are_those_of_that_user(store: Loom, clock: FakeClock) -> None:
    """R-04: retiring reaches nobody else's row of the key."""
    store.agent("boss", **HERE).namespace.register(default_conflict_policy="newest_wins")
    ana, eve = (store.agent("ada", **HERE, user_id=user) for user in ("ana", "eve"))
    ana.memory.set(KEY, NIGHT)
    clock.advance(60)
    eve.memory.set(KEY, ELSEWHERE)

    assert row_of(ana, KEY).invalid_at is None
