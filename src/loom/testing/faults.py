"""A journal that fails on purpose, before its work or after it."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, TypeVar

from loom.backends.live.journal import Head, Journal, Outline, Staged
from loom.backends.live.passages import Content, Passage
from loom.model.identity import ScopeKey
from loom.model.memory import MemoryRow
from loom.storage.batch import Scrub, Scrubbed
from loom.storage.query import Page, Select

__all__ = ["Broken", "Fault", "FaultyJournal"]

T = TypeVar("T")


class Broken(RuntimeError):
    """What the journal raises."""


class Fault(Enum):
    """When a commit fails."""

    NONE = "none"
    #: Nothing was written.
    BEFORE = "before"
    #: Everything was written, and durable, but the answer is an error.
    AFTER = "after"


class FaultyJournal:
    """Another journal, some of whose commits fail.

    Args:
        inner: the journal that does the work.
        choose: given the group, says how its commit fails.
    """

    def __init__(self, inner: Journal, choose: Callable[[Sequence[Staged]], Fault]) -> None:
        self.inner = inner
        self.choose = choose
        #: Whether `holds` can be asked.
        self.silent = False
        self.groups: list[int] = []
        self.hold = threading.Event()
        self.hold.set()

    @classmethod
    def at_random(cls, inner: Journal, *, share: float, seed: int) -> FaultyJournal:
        """Fail that share of the commits, before and after by turns of a coin."""
        drawn = random.Random(seed)

        def choose(_group: Sequence[Staged]) -> Fault:
            if drawn.random() >= share:
                return Fault.NONE
            return drawn.choice((Fault.BEFORE, Fault.AFTER))

        return cls(inner, choose)

    def append(self, group: Sequence[Staged], /) -> None:
        """As the inner one, or `Broken`."""
        self.hold.wait()
        self.groups.append(len(group))
        fault = self.choose(group)
        if fault is Fault.BEFORE:
            raise Broken
        self.inner.append(group)
        if fault is Fault.AFTER:
            raise Broken

    def holds(self, version: int, /) -> bool:
        """As the inner one, unless it is silent."""
        if self.silent:
            raise Broken
        return self.inner.holds(version)

    def last(self) -> int:
        """As the inner one."""
        return self.inner.last()

    def heads(self) -> Iterable[Head]:
        """As the inner one."""
        return self.inner.heads()

    def select(self, query: Select[T], upto: int, /) -> Page[T]:
        """As the inner one."""
        return self.inner.select(query, upto)

    def count(self, query: Select[Any], upto: int, /) -> int:
        """As the inner one."""
        return self.inner.count(query, upto)

    def outlines(self, query: Select[MemoryRow], upto: int, /) -> Sequence[Outline]:
        """As the inner one."""
        return self.inner.outlines(query, upto)

    def versions(
        self, wanted: Sequence[tuple[str, int]], /
    ) -> Mapping[tuple[str, int], MemoryRow]:
        """As the inner one."""
        return self.inner.versions(wanted)

    def entries(
        self, contents: Sequence[Content], /
    ) -> Mapping[Content, tuple[Passage, ...]]:
        """As the inner one."""
        return self.inner.entries(contents)

    def entries_in(
        self, scopes: Sequence[ScopeKey], upto: int, /
    ) -> Mapping[Content, tuple[Passage, ...]]:
        """As the inner one."""
        return self.inner.entries_in(scopes, upto)

    def scrub(self, scrubs: Sequence[Scrub], /, *, rewrite: bool = True) -> Scrubbed:
        """As the inner one."""
        return self.inner.scrub(scrubs, rewrite=rewrite)

    def close(self) -> None:
        """As the inner one."""
        self.inner.close()
