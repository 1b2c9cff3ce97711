"""A store on every backend, with the embedder of the base install or a chosen one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

import loom
from loom import AgentHandle, Loom
from loom.testing.fakes import FakeClock, SeededIds

Opener: TypeAlias = Callable[..., Loom]


@pytest.fixture(params=["memory", "duckdb"])
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def opened(backend: str, tmp_path: Path, clock: FakeClock) -> Iterator[Opener]:
    """Opens a store that the test's end closes; what is not said is the default."""
    stores: list[Loom] = []
    names = itertools.count()

    def open_one(**options: Any) -> Loom:
        path = ":memory:" if backend == "memory" else tmp_path / f"{next(names)}.duckdb"
        stores.append(loom.open(path, **{"clock": clock, "ids": SeededIds(), **options}))
        return stores[-1]

    yield open_one
    for store in stores:
        store.close()


@pytest.fixture
def store(opened: Opener) -> Loom:
    return opened()


@pytest.fixture
def agent(store: Loom) -> AgentHandle:
    return store.agent("edda", org="acme", namespace="kitchen")
