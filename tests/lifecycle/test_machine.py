"""Random lives of a namespace, on every backend, against the oracle."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path

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


TestMemoryLifecycle = MemoryMachine.TestCase
TestDuckDBLifecycle = DuckDBMachine.TestCase
# A step costs a file some fsyncs; what a backend could get wrong shows in fewer lives.
TestDuckDBLifecycle.settings = settings(max_examples=max(20, settings().max_examples // 4))
