"""Ends that are set, honoured, swept and removed."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from loom import AgentHandle, Caller, Loom, Role
from loom.errors import Forbidden, InvalidRequest
from loom.settings import Settings
from loom.testing.fakes import FakeClock
from loom.testing.stores import acting_as, contents_of
from tests.operations.conftest import Opener
from tests.operations.looking import row_of
from tests.operations.texts import DRAWS_5, DRAWS_9, ELSEWHERE, NIGHT, NIGHT_AGAIN

KEY = "pump/hours"
HOUR = 3600.0


def _given(how: str, clock: FakeClock) -> dict[str, Any]:
    end = clock.now + timedelta(hours=1)
    ways: dict[str, dict[str, Any]] = {
        "ttl_seconds": {"ttl_seconds": HOUR},
        "expires_at": {"expires_at": end},
        "expires_at as text": {"expires_at": end.isoformat()},
        "valid_to": {"valid_to": end},
    }
    return ways[how]


WAYS = ["ttl_seconds", "expires_at", "expires_at as text", "valid_to"]


def _served(agent: AgentHandle, key: str = KEY, text: str = NIGHT) -> set[bool]:
    return {
        agent.memory.get(key) is not None,
        agent.memory.count(prefix=key) == 1,
        key in [row.memory_key for row in agent.memory.list().items],
        key in [hit.memory_key for hit in agent.memory.search(text).hits],
    }


@pytest.mark.parametrize("how", WAYS)
def test_a_row_leaves_every_read_at_its_end(
    agent: AgentHandle, clock: FakeClock, how: str
) -> None:
    """A-234, A-239, A-334, R-20: to the microsecond, and no sweep is needed."""
    agent.memory.set(KEY, NIGHT, **_given(how, clock))
    clock.advance(HOUR - 0.000_001)
    assert _served(agent) == {True}
    clock.advance(0.000_001)
    assert _served(agent) == {False}


@pytest.mark.parametrize("how", WAYS[:3])
def test_a_rewrite_without_an_end_keeps_it_and_clear_removes_it(
    agent: AgentHandle, clock: FakeClock, how: str
) -> None:
    """R-41."""
    agent.memory.set(KEY, NIGHT, **_given(how, clock))
    end = clock.now + timedelta(hours=1)
    agent.memory.set(KEY, ELSEWHERE)
    assert row_of(agent, KEY).expires_at == end
    agent.memory.set(KEY, ELSEWHERE, clear_expiry=True)
    assert row_of(agent, KEY).expires_at is None


@pytest.mark.parametrize(
    "given",
    [
        {"ttl_seconds": 5, "clear_expiry": True},
        {"ttl_seconds": 5, "expires_at": "2027-01-01T00:00:00Z"},
        {"expires_at": "2027-01-01T00:00:00Z", "clear_expiry": True},
        {"expires_at": "2027-01-01T00:00:00"},
        {"expires_at": "tomorrow"},
        {"ttl_seconds": 0},
        {"on_expire": "archive"},
        {"on_expire": None},
    ],
)
def test_a_malformed_end_leaves_nothing(
    store: Loom, agent: AgentHandle, given: dict[str, Any]
) -> None:
    """R-30, R-14."""
    before = contents_of(store)
    with pytest.raises(InvalidRequest):
        agent.memory.set(KEY, NIGHT, **given)
    assert contents_of(store) == before


@pytest.mark.parametrize("how", WAYS)
def test_a_sweep_makes_visible_what_reads_honour_already(
    agent: AgentHandle, clock: FakeClock, how: str
) -> None:
    """A-158, R-20: active becomes tombstoned; no read answers otherwise than before."""
    agent.memory.set(KEY, NIGHT, **_given(how, clock))
    agent.memory.set("stays/on", ELSEWHERE)
    clock.advance(HOUR)
    reads = _served(agent), agent.memory.list().items, agent.memory.search(NIGHT)

    out = agent.namespace.sweep()

    assert (out.swept, out.swept_keys, out.swept_truncated) == (1, (KEY,), False)
    assert (_served(agent), agent.memory.list().items, agent.memory.search(NIGHT)) == reads
    version = agent.memory.history(KEY)[0]
    assert (version.event, version.status) == ("expired", "tombstoned")
    assert version.tombstoned_at == version.written_at
    assert agent.namespace.sweep().swept == 0


def test_on_expire_keep_leaves_the_row_where_it_is(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """A-26: not served, not tombstoned; the choice is kept by a rewrite."""
    agent.memory.set(KEY, NIGHT, ttl_seconds=HOUR, on_expire="keep")
    agent.memory.set(KEY, ELSEWHERE)
    clock.advance(HOUR)

    assert agent.namespace.sweep().swept == 0
    assert agent.memory.get(KEY) is None
    version = agent.memory.history(KEY)[0]
    assert (version.status, version.event) == ("active", "revised")


def test_a_locked_row_is_kept_and_named(agent: AgentHandle, clock: FakeClock) -> None:
    """R-42."""
    agent.memory.set(KEY, NIGHT, ttl_seconds=HOUR)
    agent.memory.lock(KEY, mode="no_delete", reason="evidence")
    clock.advance(HOUR)
    out = agent.namespace.sweep()
    assert (out.swept, out.kept_locked) == (0, (KEY,))


def test_a_sweep_stops_at_the_cap_and_goes_on(opened: Opener, clock: FakeClock) -> None:
    """R-55: no silent caps."""
    agent = opened(settings=Settings(sweep_cap=2)).agent("ada")
    for i in range(5):
        agent.memory.set(f"k/{i}", i, ttl_seconds=HOUR)
    clock.advance(HOUR)
    outs = [agent.namespace.sweep() for _ in range(3)]
    assert [(out.swept, out.swept_truncated) for out in outs] == [
        (2, True),
        (2, True),
        (1, False),
    ]


def test_a_proposal_ends_too(agent: AgentHandle, clock: FakeClock) -> None:
    """R-20: what was on trial for too long is swept like the rest."""
    agent.memory.set(KEY, NIGHT, proposed=True, ttl_seconds=HOUR)
    clock.advance(HOUR)
    assert agent.namespace.sweep().swept_keys == (KEY,)


def test_what_depended_on_the_row_is_judged_again(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-22, R-24: a partner loses its link, and no duplicate vanishes."""
    agent.memory.set("pump/power", DRAWS_5, ttl_seconds=HOUR)
    agent.memory.set("meter/reading", DRAWS_9)
    agent.memory.set(KEY, NIGHT, ttl_seconds=HOUR)
    agent.memory.set("side/copy", NIGHT_AGAIN, ttl_seconds=HOUR)
    agent.memory.update("side/copy", NIGHT_AGAIN, clear_expiry=True)
    clock.advance(HOUR)
    agent.namespace.sweep()

    row = row_of(agent, "meter/reading")
    assert (row.status, row.conflict_with) == ("active", ())


def test_an_expired_row_comes_back_expired_unless_it_is_told(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-61: a past expiry is cleared only when told."""
    agent.memory.set(KEY, NIGHT, ttl_seconds=HOUR)
    clock.advance(HOUR)
    agent.namespace.sweep()

    assert agent.memory.restore(KEY).count == 1
    assert agent.memory.get(KEY) is None
    agent.namespace.sweep()
    agent.memory.restore(KEY, clear_expiry=True)
    assert row_of(agent, KEY).value == NIGHT


def test_a_set_on_an_expired_key_begins_afresh_swept_or_not(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-20, R-41: without the old end."""
    for key, sweeps in (("a/1", False), ("a/2", True)):
        agent.memory.set(key, f"{key} says so", ttl_seconds=HOUR, tags=["old"])
        clock.advance(HOUR)
        if sweeps:
            agent.namespace.sweep()
        agent.memory.set(key, f"{key} says so")
        row = row_of(agent, key)
        assert (row.tags, row.expires_at) == ((), None)


def test_a_sweep_takes_an_administrator(store: Loom, agent: AgentHandle) -> None:
    """R-07, R-04."""
    weak = acting_as(store, Caller(subject="w", roles={"acme/lab": Role.WRITER}))
    with pytest.raises(Forbidden):
        weak.agent("ada", org="acme", namespace="lab").namespace.sweep()
