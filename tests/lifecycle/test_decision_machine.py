"""Random lives with decisions in them, on every backend."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from loom.testing.decisions import DecisionMachine
from tests.lifecycle.test_arrows import DECIDED

_NAMES = itertools.count()


class MemoryDecisions(DecisionMachine):
    """In memory."""


class DuckDBDecisions(DecisionMachine):
    """In files, each with a name of its own."""

    _folder = tempfile.TemporaryDirectory(
        prefix="loom-decisions-", ignore_cleanup_errors=True
    )

    def address(self) -> Path:
        return Path(self._folder.name) / f"{next(_NAMES)}.duckdb"


_LIVES = min(settings().max_examples, 200)

TestMemoryDecisions = pytest.mark.timeout(3_600)(MemoryDecisions.TestCase)
TestMemoryDecisions.settings = settings(max_examples=max(5, _LIVES // 2))

TestDuckDBDecisions = pytest.mark.timeout(3_600)(DuckDBDecisions.TestCase)
TestDuckDBDecisions.settings = settings(max_examples=max(3, _LIVES // 8))


@pytest.mark.nightly
@pytest.mark.timeout(3_600)
def test_random_lives_take_every_arrow_that_walks_take() -> None:
    """R-20: nothing that is written out is out of reach of chance.

    It stands last in this file: the machines above have run by then.
    """
    missing = DECIDED - DecisionMachine.arrows
    told = "\n".join(sorted(f"{why}: {old} -> {new}" for why, old, new in missing))
    assert len(missing) <= len(DECIDED) // 10, told
