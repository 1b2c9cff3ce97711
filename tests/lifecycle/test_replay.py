"""Random histories, replayed at random instants on both axes, against what is plainly so."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loom.faces.sync import AgentHandle
from loom.model.memory import MemoryRow
from loom.testing.plain import instant
from loom.testing.scenarios import DATES, KEYS, WHOS, programs
from loom.testing.stage import Stage
from loom.testing.steps import Step, Wait
from loom.testing.then import known_then, true_then

_FOLDER: Final = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
_PROGRAMS: Final = min(settings().max_examples // 2, 300)
_MICROSECOND: Final = timedelta(microseconds=1)
_KNOWN: Final = "knowledge_time"
#: A row as an answer names it: which version of which memory.
Shown = tuple[str, int]


@pytest.fixture(params=["memory", "duckdb"])
def places(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    files = (tmp_path / f"store-{n}.duckdb" for n in itertools.count())
    return iter(lambda: ":memory:" if request.param == "memory" else next(files), None)


def _forwards(program: Iterable[Step]) -> list[Step]:
    """Without steps back of the clock, so that an instant names one state of the store."""
    return [s for s in program if not (isinstance(s, Wait) and s.seconds < 0)]


def _shown(rows: Iterable[MemoryRow | None]) -> list[Shown]:
    return sorted((row.memory_id, row.version) for row in rows if row is not None)


def _listed(agent: AgentHandle, **said: Any) -> list[Shown]:
    return _shown(agent.memory.list(limit=1_000, **said).items)


def _got(agent: AgentHandle, **said: Any) -> list[Shown]:
    return [*map(_shown, ([agent.memory.get(key, **said)] for key in KEYS))]  # type: ignore[list-item]


def _seen(rows: Sequence[MemoryRow], user_id: str) -> list[MemoryRow]:
    return [row for row in rows if row.user_id in (user_id, "-")]


@settings(suppress_health_check=_FOLDER, max_examples=_PROGRAMS)
@given(program=programs(most=15))
def test_the_record_replayed_answers_what_was_answered_then(
    places: Iterator[Any], program: list[Step]
) -> None:
    """A-241, R-54: at every instant of a life, lists, counts and keys of that instant."""
    stage = Stage(next(places))
    readers = [stage.handle(who) for who in WHOS]
    answered: list[tuple[datetime, list[Any]]] = []
    for step in _forwards(program):
        stage.do(step)
        stage.clock.advance(1.0)
        answered.append((stage.clock.now, [(_listed(a), _got(a)) for a in readers]))
        stage.clock.advance(1.0)  # a read of a secret is a version too

    for at, expected in answered:
        then: dict[str, Any] = {"as_of": at, "as_of_basis": _KNOWN}
        assert [(_listed(a, **then), _got(a, **then)) for a in readers] == expected
        versions = stage.versions()
        for agent in readers:
            seen = _seen(versions, agent.identity.user_id)
            assert _listed(agent, **then) == _shown(known_then(seen, at))
            assert agent.memory.count(**then) == len(_listed(agent, **then))
    stage.close()


@settings(suppress_health_check=_FOLDER, max_examples=_PROGRAMS)
@given(program=programs(most=15), data=st.data())
def test_the_world_replayed_answers_what_was_true_then(
    places: Iterator[Any], program: list[Step], data: st.DataObject
) -> None:
    """A-240, A-244, R-54: one version an identity, until its successor's date."""
    stage = Stage(next(places))
    for step in _forwards(program):
        stage.do(step)
        stage.clock.advance(1.0)
    versions = stage.versions()
    dates = {instant(date) for date in DATES} | {row.world_date for row in versions}
    ends = {row.ends_at for row in versions if row.ends_at is not None}
    near = sorted(
        at + off for at in dates | ends for off in (-_MICROSECOND, 0 * _MICROSECOND)
    )
    known = sorted({row.written_at for row in versions}) or [stage.clock.now]

    for at in data.draw(st.lists(st.sampled_from(near), min_size=1, max_size=6)):
        by = data.draw(st.none() | st.sampled_from(known))
        said: dict[str, Any] = {"as_of": at}
        if by is not None:
            said |= {"as_of_basis": "both", "as_of_known": by}
        for who in WHOS:
            agent = stage.handle(who)
            expected = _shown(true_then(_seen(versions, who.user_id), at, by))
            assert _listed(agent, **said) == expected
            assert agent.memory.count(**said) == len(expected)
            for key in KEYS:
                row = agent.memory.get(key, **said)
                under = [r for r in expected if row and r == (row.memory_id, row.version)]
                assert bool(row) == bool(under)
    stage.close()
