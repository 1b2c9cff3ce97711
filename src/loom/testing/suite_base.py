"""What the parts of the storage suite have in common."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, ClassVar, Final

import attrs
import pytest
from hypothesis import HealthCheck, settings

from loom.model.memory import MemoryRow
from loom.ports import Clock
from loom.storage.contract import Storage
from loom.storage.query import (
    Match,
    Nearest,
    Order,
    Page,
    Replay,
    Select,
    Versions,
)
from loom.storage.tables import AUDIT, MEMORY
from loom.testing.writing import SCOPE, Drafter, StepClock

__all__ = ["ANYWHERE", "DRAWN", "NUMBERS", "SuiteBase", "in_order", "named_apart", "paged"]

#: A drawn example opens no store of its own: they share one and differ in their ids.
DRAWN: Final = settings(
    deadline=None,
    max_examples=25,
    # The methods belong to one class and run in several subclasses, each with its store.
    suppress_health_check=[
        HealthCheck.differing_executors,
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
    ],
)
ANYWHERE = (SCOPE,)


class SuiteBase(ABC):
    """A store for each test, and what a subclass must say to open one."""

    #: Name and dimension of the embedder that `open` must use.
    space: ClassVar[str] = "suite"
    dimension: ClassVar[int] = 4

    @abstractmethod
    def open(self, place: Path, clock: Clock) -> Storage:
        """The store in that folder: a fresh one, or the same again if it is durable."""

    @abstractmethod
    def raw_bytes(self, place: Path, storage: Storage) -> bytes:
        """Everything the backend keeps, read past the store's methods."""

    @pytest.fixture
    def clock(self) -> StepClock:
        return StepClock(step_ns=1000)

    @pytest.fixture
    def storage(self, tmp_path: Path, clock: StepClock) -> Iterator[Storage]:
        storage = self.open(tmp_path, clock)
        yield storage
        storage.close()

    @pytest.fixture
    def drafter(self) -> Drafter:
        return Drafter(space=self.space, dimension=self.dimension)

    def filled(self, storage: Storage, drafter: Drafter) -> list[MemoryRow]:
        rows = [
            drafter.row(
                f"project/{at % 3}/{at}",
                f"value {at}",
                user_id="-" if at % 2 else "ana",
                agent=f"bot{at}",
                tags=(f"kind:{at % 4}", "it's", "100%"),
                valid_at=drafter.row("", "").created_at + timedelta(days=at)
                if at % 3
                else None,
                confidence=at / 10,
            )
            for at in range(10)
        ]
        stamped = drafter.put(storage, *rows[:5])
        for row in rows[5:]:
            stamped.extend(drafter.put(storage, row))
        return stamped

    def everything(self, reader: Any, drafter: Drafter) -> Any:
        return (
            reader.select(Select(table=MEMORY)).rows,
            reader.select(Select(table=MEMORY, view=Versions())).rows,
            reader.select(Select(table=MEMORY, view=Replay())).rows,
            reader.select(Select(table=AUDIT)).rows,
            reader.count(Select(table=MEMORY)),
            [reader.row(row.address) for row in reader.select(Select(table=MEMORY)).rows],
            reader.nearest(Nearest(scopes=ANYWHERE, vectors=drafter.direction(0))),
            reader.match(Match(scopes=ANYWHERE, terms=("word1", "changed"))),
            reader.nearest(
                Nearest(scopes=ANYWHERE, vectors=drafter.direction(0), view=Versions())
            ),
        )


NUMBERS = itertools.count()


def named_apart(row: MemoryRow) -> MemoryRow:
    """The row under an id and a key that no other example has."""
    apart = next(NUMBERS)
    return attrs.evolve(row, memory_id=f"id-{apart}", memory_key=f"{row.memory_key}{apart}")


def in_order(rows: Sequence[MemoryRow], order: tuple[Order, ...]) -> list[MemoryRow]:
    """The rows sorted as `Select` says, by the simplest code there is."""
    found = sorted(rows, key=lambda row: (-row.version, row.memory_id))
    for key in reversed(order):

        def rank(row: MemoryRow, name: str = key.field) -> tuple[bool, Any]:
            value = getattr(row, name)
            return (False, 0) if value is None else (True, value)

        found.sort(key=rank, reverse=key.descending)
    return found


def paged(storage: Storage, query: Select[MemoryRow], size: int) -> Iterator[MemoryRow]:
    """Everything the query finds, read page after page."""
    page: Page[MemoryRow] = storage.select(attrs.evolve(query, limit=size))
    while True:
        yield from page.rows
        if page.next is None:
            return
        assert len(page.rows) == size
        page = storage.select(attrs.evolve(query, limit=size, after=page.next))
