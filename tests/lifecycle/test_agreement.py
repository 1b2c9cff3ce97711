"""Backends that are told the same hold the same; so do a store and itself, opened again."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loom.settings import Settings
from loom.testing.agreement import assert_same_reads, assert_same_rows, run_on_both
from loom.testing.plain import standing
from loom.testing.scenarios import casts, programs, steps
from loom.testing.stage import Stage
from loom.testing.steps import Bulk, Step, Wait

#: A folder is one for all examples of a test: each names a file of its own.
_FOLDER: Final = [HealthCheck.function_scoped_fixture]
_PROGRAMS: Final = min(settings().max_examples // 2, 400)


@pytest.fixture
def paths(tmp_path: Path) -> Iterator[Path]:
    return (tmp_path / f"store-{n}.duckdb" for n in itertools.count())


@settings(suppress_health_check=_FOLDER, max_examples=_PROGRAMS)
@given(program=programs())
def test_memory_and_duckdb_agree(paths: Iterator[Path], program: list[Step]) -> None:
    """Design: the same program gives the same answers, rows and rankings on every backend."""
    one, other = Stage(), Stage(next(paths))

    run_on_both(program, one, other)

    one.close()
    other.close()


@settings(suppress_health_check=_FOLDER, max_examples=_PROGRAMS // 2)
@given(program=programs(), at=st.integers(0, 25))
def test_a_store_opened_again_is_the_same_store(
    paths: Iterator[Path], program: list[Step], at: int
) -> None:
    """R-15, R-38: what was acknowledged is there, and versions go on rising."""
    one, other = Stage(), Stage(next(paths))
    program = [s for s in program if not (isinstance(s, Wait) and s.seconds < 1)]

    for place, step in enumerate([*program, Wait(seconds=1.0)]):
        if place == min(at, len(program)):
            other.reopen()
            # Closing wrote down what had been read: a version that the other has not made.
            for stage in (one, other):
                stage.clock.advance(1.0)
            assert_same_reads(one, other)
        for stage in (one, other):
            stage.clock.advance(1.0)
        assert one.do(step) == other.do(step)

    assert_same_rows(one, other)
    one.close()
    other.close()


@given(data=st.data())
def test_bulk_by_key_equals_single_writes(data: st.DataObject) -> None:
    """A-97, A-102, R-37: with the scope `key` a bulk write and single writes leave the same rows."""
    bulks: list[Bulk] = data.draw(
        st.lists(steps(data.draw(casts()))["bulk_set"], min_size=1, max_size=4)
    )
    one, other = Stage(settings=Settings(bulk_dedup_scope="key")), Stage()

    for bulk in bulks:
        one.do(attrs.evolve(bulk, atomic=False))
        for entry in bulk.entries:
            other.do(entry)

    ids, others = one.ids(), other.ids()
    assert [standing(row, ids) for row in one.versions()] == [
        standing(row, others) for row in other.versions()
    ]
    one.close()
    other.close()
