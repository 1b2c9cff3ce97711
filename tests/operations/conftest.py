"""A store on every backend, with a clock that is set and vectors that are chosen."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

import loom
from loom import AgentHandle, Loom
from loom.testing.fakes import ChosenEmbedder, FakeClock, SeededIds
from tests.operations.texts import PLACES


class Opener(Protocol):
    """Opens a store that the test's end closes; each call opens another one."""

    def __call__(self, **options: Any) -> Loom: ...


@pytest.fixture(params=["memory", "duckdb"])
def backend(request: pytest.FixtureRequest) -> str:
    """Which backend the store is kept on: every test of this folder runs on both."""
    return str(request.param)


@pytest.fixture
def clock() -> FakeClock:
    """Stands still at nine in the morning of 2 March 2026 until it is moved."""
    return FakeClock()


@pytest.fixture
def embedder() -> ChosenEmbedder:
    """Places the sentences of `texts`; others lie far from each other."""
    return ChosenEmbedder(PLACES)


@pytest.fixture
def opened(
    backend: str, tmp_path: Path, clock: FakeClock, embedder: ChosenEmbedder
) -> Iterator[Opener]:
    stores: list[Loom] = []
    names = itertools.count()

    def open_one(**options: Any) -> Loom:
        path = tmp_path / f"store-{next(names)}.duckdb"
        given = {"embedder": embedder, "clock": clock, "ids": SeededIds(), **options}
        stores.append(loom.open(":memory:" if backend == "memory" else path, **given))
        return stores[-1]

    yield open_one
    for store in stores:
        store.close()


@pytest.fixture
def store(opened: Opener) -> Loom:
    return opened()


@pytest.fixture
def agent(store: Loom) -> AgentHandle:
    """Ada of acme's lab, nobody's user in particular."""
    return store.agent("ada", org="acme", namespace="lab")
