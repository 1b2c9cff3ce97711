"""How time is taken: contestants in turn, medians, wall clock and processor time.

The contestants of one comparison take turns within one process, so that what else the
machine does falls on all of them alike.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Final

from attrs import frozen

__all__ = ["BURST", "WARM", "Cost", "Figure", "in_turn", "stopwatch", "timed"]


@frozen(slots=True)
class Cost:
    """What one call costs, in seconds; processor time is that of all threads."""

    wall: float
    cpu: float

    def over(self, calls: int) -> Cost:
        """The share of one of `calls` equal calls."""
        return Cost(self.wall / calls, self.cpu / calls)


@frozen(kw_only=True, slots=True)
class Figure:
    """One number of the report."""

    #: The operation, such as `single write`.
    what: str
    #: The contestant, such as `loom`.
    who: str
    #: How many memories the store held.
    size: int
    wall: float
    cpu: float
    #: Anything a reader must know beside it.
    note: str = ""


WARM: Final = 5
#: Calls a turn. A lone call after all the others' would mostly measure cold caches.
BURST: Final = 5


def timed(call: Callable[[], object]) -> Cost:
    """The cost of one call."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return Cost(time.perf_counter() - wall, time.process_time() - cpu)


def in_turn(
    contestants: Mapping[str, Callable[[int], object]], rounds: int, burst: int = BURST
) -> dict[str, Cost]:
    """The median cost of a call of each contestant, who take turns.

    Args:
        contestants: from a name to a function of the call's number; each is called once
            with each number, the first few, which are not counted, being below zero.
        rounds: how many calls of each are counted.
        burst: how many calls make a turn.
    """
    taken: dict[str, list[Cost]] = {name: [] for name in contestants}
    for first in range(-WARM, rounds, burst):
        for name, call in contestants.items():
            for number in range(first, min(first + burst, rounds)):
                cost = timed(partial(call, number))
                if number >= 0:
                    taken[name].append(cost)
    return {
        name: Cost(
            statistics.median(cost.wall for cost in costs),
            statistics.median(cost.cpu for cost in costs),
        )
        for name, costs in taken.items()
    }


@contextmanager
def stopwatch(label: str) -> Iterator[None]:
    """Say how long a long step took."""
    started = time.perf_counter()
    yield
    print(f"  {label}: {time.perf_counter() - started:.1f} s", flush=True)
