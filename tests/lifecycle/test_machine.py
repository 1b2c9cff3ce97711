"""Random lives of a namespace, on every backend, against the oracle."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path
from typing import Final

import pytest
from hypothesis import settings

from loom.testing.machine import LifecycleMachine

_NAMES = itertools.count()


class MemoryMachine(LifecycleMachine):
    """In memory."""


class DuckDBMachine(LifecycleMachine):
    """In files, each with a name of its own."""

    _folder = tempfile.TemporaryDirectory(
        prefix="loom-lifecycle-", ignore_cleanup_errors=True
    )

    def address(self) -> Path:
        return Path(self._folder.name) / f"{next(_NAMES)}.duckdb"


#: A life of the nightly profile has hundreds of steps, each compared in full.
_LIVES: Final = min(settings().max_examples, 400)

TestMemoryLifecycle = pytest.mark.timeout(3_600)(MemoryMachine.TestCase)
TestMemoryLifecycle.settings = settings(max_examples=_LIVES)

# A step costs a file some fsyncs; what a backend could get wrong shows in fewer lives.
TestDuckDBLifecycle = pytest.mark.timeout(3_600)(DuckDBMachine.TestCase)
TestDuckDBLifecycle.settings = settings(max_examples=_LIVES // 4)
