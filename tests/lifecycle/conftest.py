"""A trial on every backend: a store and the oracle, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from loom.testing.trial import Trial


@pytest.fixture(params=["memory", "duckdb"])
def trial(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Trial]:
    one = Trial(":memory:" if request.param == "memory" else tmp_path / "store.duckdb")
    yield one
    one.close()
