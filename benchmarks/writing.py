"""What a write costs: alone, in a batch, among 32 threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from attrs import frozen

from benchmarks.corpus import Corpus, Item, make_corpus
from benchmarks.floors import BareDuckdb, Sync
from benchmarks.loom_store import LoomStore
from benchmarks.measure import WARM, Cost, Figure, in_turn, stopwatch
from benchmarks.peers import Peer

__all__ = ["Crowd", "batch_writes", "crowd_writes", "fill", "single_writes"]

#: No corpus that fills a store has a seed as large as what is written afterwards.
_FRESH: Final = 1_000
BATCH: Final = 100
THREADS: Final = 32


def fill(peer: Peer, corpus: Corpus, step: int = 5_000) -> None:
    """Load a corpus by the peer's fastest way."""
    with stopwatch(f"{peer.name}: fill {len(corpus.items):,}"):
        for start in range(0, len(corpus.items), step):
            peer.write_batch(corpus.items[start : start + step])


@contextmanager
def _floors(folder: Path) -> Iterator[tuple[Sync, BareDuckdb]]:
    with ExitStack() as stack:
        sync, bare = Sync(folder), BareDuckdb(folder)
        stack.callback(sync.close)
        stack.callback(bare.close)
        yield sync, bare


def single_writes(
    peers: Sequence[Peer], size: int, folder: Path, rounds: int
) -> list[Figure]:
    """One durable write of each peer in turn, between a sync and a bare insert."""
    fresh = make_corpus(rounds + 10, beside=size, queries=1, seed=_FRESH + size).items
    with _floors(folder) as (sync, bare):
        contestants: dict[str, Callable[[int], object]] = {
            "fdatasync": lambda _: sync.write(),
            "bare DuckDB insert": lambda i: bare.write(fresh[i]),
        }
        for peer in peers:
            contestants[peer.name] = lambda i, peer=peer: peer.write(fresh[i])  # type: ignore[misc]
        return _figures("single write", size, in_turn(contestants, rounds))


def batch_writes(peers: Sequence[Peer], size: int, rounds: int) -> list[Figure]:
    """Batches of a hundred; the figure is a row's share."""
    count = (rounds + WARM) * BATCH
    fresh = make_corpus(count, beside=size, queries=1, seed=2 * _FRESH + size).items

    def batch(number: int) -> Sequence[Item]:
        start = (number + WARM) * BATCH
        return fresh[start : start + BATCH]

    contestants: dict[str, Callable[[int], object]] = {
        peer.name: lambda i, peer=peer: peer.write_batch(batch(i))  # type: ignore[misc]
        for peer in peers
    }
    costs = in_turn(contestants, rounds, burst=1)
    shares = {name: cost.over(BATCH) for name, cost in costs.items()}
    return _figures("batch of 100, a row", size, shares)


@frozen(kw_only=True, slots=True)
class Crowd:
    """Many threads writing into one scope, against one thread doing the same."""

    threads: int
    writes: int
    #: Writes a second, and processor seconds a write.
    serial_rate: float
    serial_cpu: float
    rate: float
    cpu: float


def crowd_writes(store: LoomStore, size: int, each: int) -> Crowd:
    """The same number of writes by one thread and by 32, on one namespace."""
    total = THREADS * each
    fresh = make_corpus(2 * total, beside=size, queries=1, seed=3 * _FRESH + size).items
    serial = _burst(store, [fresh[:total]])
    parted = [fresh[total + t * each : total + (t + 1) * each] for t in range(THREADS)]
    crowd = _burst(store, parted)
    return Crowd(
        threads=THREADS,
        writes=total,
        serial_rate=total / serial.wall,
        serial_cpu=serial.cpu / total,
        rate=total / crowd.wall,
        cpu=crowd.cpu / total,
    )


def _burst(store: LoomStore, parts: Sequence[Sequence[Item]]) -> Cost:
    start = threading.Barrier(len(parts) + 1)

    def work(part: Sequence[Item]) -> None:
        start.wait()
        for item in part:
            store.write(item)

    workers = [threading.Thread(target=work, args=(part,)) for part in parts]
    for worker in workers:
        worker.start()
    wall, cpu = time.perf_counter(), time.process_time()
    start.wait()
    for worker in workers:
        worker.join()
    return Cost(time.perf_counter() - wall, time.process_time() - cpu)


def _figures(what: str, size: int, costs: Mapping[str, Cost]) -> list[Figure]:
    return [
        Figure(what=what, who=who, size=size, wall=cost.wall, cpu=cost.cpu)
        for who, cost in costs.items()
    ]
