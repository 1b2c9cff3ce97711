"""Asking of another instant: what was true then, and what the store held then."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from loom import AgentHandle, Loom
from loom.errors import InvalidRequest
from loom.testing.fakes import FakeClock
from loom.testing.stores import audit_of

KEY: Final = "user/home"
DELHI: Final = "The user lives in Delhi."
BERLIN: Final = "The user lives in Berlin."
OSLO: Final = "The user lives in Oslo."


def _day(month: int, day: int = 1) -> datetime:
    return datetime(2025, month, day, tzinfo=UTC)


def _value(agent: AgentHandle, as_of: Any, **said: Any) -> Any:
    row = agent.memory.get(KEY, as_of=as_of, **said)
    return None if row is None else row.value


@pytest.fixture
def newest_wins(agent: AgentHandle) -> AgentHandle:
    agent.namespace.register(default_conflict_policy="newest_wins")
    return agent


def test_where_did_they_live_in_april(newest_wins: AgentHandle, store: Loom) -> None:
    """A-355: the superseded value answers until its successor's date."""
    newest_wins.memory.set(KEY, DELHI, valid_at=_day(1))
    other = store.agent("bob", org="acme", namespace="lab")
    other.memory.set(KEY, BERLIN, valid_at=_day(5))

    assert _value(newest_wins, _day(4)) == DELHI
    assert _value(newest_wins, _day(5) - timedelta(microseconds=1)) == DELHI
    assert _value(newest_wins, _day(5)) == BERLIN
    assert _value(newest_wins, None) == BERLIN
    assert _value(newest_wins, _day(1) - timedelta(microseconds=1)) is None


def test_a_revision_with_a_date_leaves_the_earlier_one_true_before_it(
    agent: AgentHandle,
) -> None:
    """R-54: per identity the version with the greatest world date at or before T."""
    agent.memory.set(KEY, DELHI, valid_at=_day(1))
    agent.memory.set(KEY, BERLIN, valid_at=_day(5))

    assert [_value(agent, _day(m)) for m in (1, 4, 5, 9)] == [DELHI, DELHI, BERLIN, BERLIN]


def test_of_equal_dates_the_newest_version_is_true(agent: AgentHandle) -> None:
    """R-54: ties by version: a correction corrects the past as well."""
    agent.memory.set(KEY, DELHI, valid_at=_day(1))
    agent.memory.update(KEY, BERLIN)

    assert _value(agent, _day(3)) == BERLIN


def test_of_facts_filed_into_history_the_latest_before_the_instant_answers(
    newest_wins: AgentHandle,
) -> None:
    """R-44, R-54: back-filled facts count until the next one's date."""
    newest_wins.memory.set(KEY, OSLO, valid_at=_day(9))
    newest_wins.memory.set(KEY, DELHI, valid_at=_day(1))
    newest_wins.memory.set(KEY, BERLIN, valid_at=_day(5))

    found = [_value(newest_wins, _day(m)) for m in (1, 4, 5, 8, 9)]
    assert found == [DELHI, DELHI, BERLIN, BERLIN, OSLO]
    values = [r.value for r in newest_wins.memory.list(as_of=_day(6)).items]
    assert values == [BERLIN]
    assert newest_wins.memory.count(as_of=_day(6)) == 1


def test_what_was_deleted_since_was_never_true(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-54: deleted facts are never served on valid time; on the record they were there."""
    agent.memory.set(KEY, DELHI, valid_at=_day(1))
    before = agent.memory.get(KEY)
    assert before is not None
    clock.advance(60)
    agent.memory.delete(KEY)

    assert _value(agent, _day(3)) is None
    assert _value(agent, before.written_at, as_of_basis="knowledge_time") == DELHI


def test_what_was_rejected_since_was_never_true(agent: AgentHandle) -> None:
    """R-54: a rejection says that it was wrong."""
    agent.memory.set(KEY, DELHI, valid_at=_day(1))
    agent.memory.reject(KEY)

    assert _value(agent, _day(3)) is None
    assert agent.memory.list(as_of=_day(3)).items == ()


def test_knowledge_time_is_what_the_store_held(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """A-241: rows written by T and not retired, deleted or invalidated by T."""
    agent.memory.set(KEY, DELHI)
    first = clock.now
    clock.advance(60)
    agent.memory.set(KEY, BERLIN)
    second = clock.now
    clock.advance(60)
    agent.memory.delete(KEY)
    third = clock.now

    def held(at: datetime) -> Any:
        return _value(agent, at, as_of_basis="knowledge_time")

    assert held(first - timedelta(microseconds=1)) is None
    assert [held(at) for at in (first, second, third)] == [DELHI, BERLIN, None]
    assert held(second - timedelta(microseconds=1)) == DELHI


def test_both_axes_at_once(agent: AgentHandle, clock: FakeClock) -> None:
    """R-54: what was held true of April, as known on a day of the record."""
    agent.memory.set(KEY, DELHI, valid_at=_day(1))
    before = clock.now
    clock.advance(60)
    agent.memory.set(KEY, BERLIN, valid_at=_day(3))

    def of_april(known: datetime | None) -> Any:
        return _value(agent, _day(4), as_of_basis="both", as_of_known=known)

    assert of_april(before) == DELHI
    assert of_april(clock.now) == BERLIN
    assert of_april(None) is None  # in April nothing was known yet


def test_an_expiry_is_an_end_inside_a_replay(agent: AgentHandle, clock: FakeClock) -> None:
    """R-20, R-54: half-open, on either axis, swept or not."""
    agent.memory.set(KEY, DELHI, ttl_seconds=60)
    start, end = clock.now, clock.now + timedelta(seconds=60)
    clock.advance(120)
    just_before = end - timedelta(microseconds=1)

    for _ in range(2):
        for basis in ("valid_time", "knowledge_time"):
            found = [
                _value(agent, at, as_of_basis=basis) for at in (start, just_before, end)
            ]
            assert found == [DELHI, DELHI, None]
        agent.namespace.sweep()


def test_validity_ends_before_its_end(agent: AgentHandle) -> None:
    """Issue: half-open intervals, exact to the microsecond."""
    agent.memory.set(KEY, DELHI, valid_at=_day(1), valid_to=_day(5))

    assert _value(agent, _day(5) - timedelta(microseconds=1)) == DELHI
    assert _value(agent, _day(5)) is None


def test_a_search_finds_what_was_true_and_says_nothing_else(
    newest_wins: AgentHandle, store: Loom
) -> None:
    """B-253: as_of works on search; filters hold before ranking."""
    newest_wins.memory.set(KEY, DELHI, valid_at=_day(1))
    store.agent("bob", org="acme", namespace="lab").memory.set(
        KEY, BERLIN, valid_at=_day(5)
    )

    def found(at: datetime | None) -> list[Any]:
        hits = newest_wins.memory.search("Where does the user live?", as_of=at).hits
        return [hit.value for hit in hits]

    assert found(_day(4)) == [DELHI]
    assert found(_day(6)) == [BERLIN]
    assert found(None) == [BERLIN]
    assert found(_day(1) - timedelta(days=1)) == []


def test_a_search_of_the_record_finds_what_a_search_found_then(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-16: vectors and words of every version are kept."""
    agent.memory.set(KEY, DELHI)
    then = clock.now
    clock.advance(60)
    agent.memory.set(KEY, "Something else entirely is said here.")

    hits = agent.memory.search(DELHI, as_of=then, as_of_basis="knowledge_time").hits

    assert [hit.value for hit in hits] == [DELHI]


def test_a_duplicates_key_answers_with_its_canonical_row_of_then(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-05: also in a replay, and `resolved_from` says so."""
    agent.memory.set("first", DELHI)
    agent.memory.set(KEY, "the user lives in DELHI")
    then = clock.now
    clock.advance(60)
    agent.memory.delete("first")

    row = agent.memory.get(KEY, as_of=then, as_of_basis="knowledge_time")

    if agent.memory.get(KEY) is None:  # it was merged into the first
        assert row is None
    else:
        assert row is not None
        assert (row.memory_key, row.resolved_from) == ("first", KEY)


def test_an_id_answers_as_its_key_does(agent: AgentHandle, clock: FakeClock) -> None:
    """Issue: as_of on every read."""
    out = agent.memory.set(KEY, DELHI)
    then = clock.now
    clock.advance(60)
    agent.memory.set(KEY, BERLIN)

    by_id = agent.memory.get_by_id(out.memory_id, as_of=then, as_of_basis="knowledge_time")

    assert by_id is not None
    assert by_id.value == DELHI
    assert agent.memory.get_by_id(out.memory_id, as_of=_day(1)) is None


def test_history_as_of_an_instant_holds_what_was_written_by_then(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """Issue: as_of on history: its own microsecond included."""
    agent.memory.set(KEY, DELHI)
    then = clock.now
    clock.advance(60)
    agent.memory.set(KEY, BERLIN)

    assert [v.value for v in agent.memory.history(KEY, as_of=then)] == [DELHI]
    assert len(agent.memory.history(KEY)) == 2
    assert agent.memory.history(KEY, as_of=then - timedelta(microseconds=1)) == ()


def test_what_is_secret_now_is_masked_in_every_replay(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-46: a replay is no way around it; by key it is shown and audited."""
    agent.memory.set(KEY, DELHI)
    then: dict[str, Any] = {"as_of": clock.now, "as_of_basis": "knowledge_time"}
    clock.advance(60)
    agent.memory.set(KEY, DELHI, sensitivity="high")

    (listed,) = agent.memory.list(**then).items
    assert (listed.value, listed.masked) == (None, True)
    assert agent.memory.search(DELHI, **then).hits == ()
    before = len(audit_of(agent_store(agent)))
    row = agent.memory.get(KEY, **then)
    assert row is not None
    assert row.value == DELHI
    assert len(audit_of(agent_store(agent))) == before + 1


def agent_store(agent: AgentHandle) -> Loom:
    """The store of a handle."""
    return Loom(agent._env, ":memory:")


@pytest.mark.parametrize(
    "said",
    [
        {"as_of": "yesterday"},
        {"as_of": datetime(2025, 1, 1)},  # noqa: DTZ001 - it is to be refused
        {"as_of": _day(1), "as_of_basis": "sometime"},
        {"as_of_basis": "knowledge_time"},
        {"as_of_known": _day(1)},
        {"as_of": _day(1), "as_of_known": _day(1)},
    ],
)
def test_what_does_not_go_together_is_refused(
    agent: AgentHandle, said: dict[str, Any]
) -> None:
    """R-14: no instant is guessed at."""
    for read in (
        lambda: agent.memory.get(KEY, **said),
        lambda: agent.memory.get_by_id("x", **said),
        lambda: agent.memory.list(**said),
        lambda: agent.memory.count(**said),
        lambda: agent.memory.search("x", **said),
    ):
        with pytest.raises(InvalidRequest):
            read()


def test_other_users_rows_are_no_more_seen_then_than_now(store: Loom) -> None:
    """R-04: the scope holds on every axis."""
    store.agent("ada", org="acme", namespace="lab", user_id="a").memory.set(
        KEY, DELHI, valid_at=_day(1)
    )
    other = store.agent("ada", org="acme", namespace="lab", user_id="b")

    assert _value(other, _day(3)) is None
    assert other.memory.list(as_of=_day(3), status="*").items == ()
    assert other.memory.search(DELHI, as_of=_day(3)).hits == ()
