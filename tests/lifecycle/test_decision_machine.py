"""Random lives with decisions in them, on every backend."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from loom.testing.decisions import DecisionMachine

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
