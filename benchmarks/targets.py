"""loom beside its peers and its floors, against the targets; prints a table of ratios.

    python -m benchmarks.targets                          # 1,000 and 10,000 memories
    python -m benchmarks.targets --sizes 1000 10000 100000
    python -m benchmarks.targets --alone --sizes 1000000 --name million --also targets

Results go to benchmarks/results: a table, the figures as JSON, a chart of growth.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import attrs
from attrs import field, frozen

from benchmarks.corpus import DIMENSION, make_corpus
from benchmarks.measure import Figure
from benchmarks.peers import PEERS, Peer, load_peer, quiet
from benchmarks.report import Row, Table, draw_growth, load, ratio_rows, save, seconds

quiet()  # before anything of a peer is imported

from benchmarks import reading, starting, writing  # noqa: E402
from benchmarks.loom_store import LoomStore  # noqa: E402

__all__ = ["main"]

RESULTS: Final = Path(__file__).resolve().parent / "results"
NAMESPACES: Final = 10

_SINGLE: Final = {
    "fdatasync": ("<=", 5.0),
    "bare DuckDB insert": ("<=", 1.3),
    "langgraph sqlite": ("<=", 1.2),
    "chroma": (">=", 10.0),
    "mem0": (">=", 10.0),
}
#: Milliseconds of processor time a row in a batch, by memories in scope.
_BATCH_MS: Final = {1_000: 0.1, 10_000: 0.2, 100_000: 1.5}


@frozen(slots=True)
class Results:
    """All that one run found."""

    figures: list[Figure] = field(factory=list)
    table: Table = field(factory=Table)
    extra: dict[str, object] = field(factory=dict)

    def compare(
        self, figures: Sequence[Figure], targets: Mapping[str, tuple[str, float]]
    ) -> None:
        """Keep figures of one operation and their comparison."""
        self.figures.extend(figures)
        self.table.add(ratio_rows(figures, targets))

    def bound(self, what: str, size: int, value: float, limit: float, unit: str) -> None:
        """Compare one number with a fixed limit."""
        self.table.add(
            [
                Row(
                    what=what,
                    size=f"{size:,}" if size else "",
                    measured=f"{value:.3g} {unit}",
                    beside="",
                    ratio="",
                    target=f"<= {limit:g} {unit}",
                    met=value <= limit,
                )
            ]
        )


@contextmanager
def _opened(names: Sequence[str], folder: Path) -> Iterator[tuple[LoomStore, list[Peer]]]:
    """Loom and the peers that are installed, each with a new store."""
    with ExitStack() as stack:
        store = LoomStore.open(folder / "loom", DIMENSION)
        stack.callback(store.close)
        peers: list[Peer] = [store]
        for name in names:
            try:
                peer = load_peer(name).open(folder / name, DIMENSION)
            except ImportError as error:
                print(f"  {name} is left out: {error}")
                continue
            stack.callback(peer.close)
            peers.append(peer)
        yield store, peers


def _one_scope(results: Results, size: int, options: argparse.Namespace) -> None:
    """Everything that is measured beside `size` memories in one namespace."""
    print(f"one namespace of {size:,}", flush=True)
    corpus = make_corpus(size, seed=size)
    with (
        tempfile.TemporaryDirectory(prefix="bench-", dir=options.place) as place,
        _opened(options.peers, Path(place)) as (store, peers),
    ):
        for peer in peers:
            writing.fill(peer, corpus)
        reads = reading.point_reads(peers, corpus, options.rounds)
        results.compare(reads, {})
        results.bound("point read", size, reads[0].wall * 1e6, 5.0, "us")
        results.compare(
            reading.vector_part(store, corpus, options.rounds), {"X.sum()": ("<=", 1.3)}
        )
        results.extra[f"vector recall@10 at {size}"] = reading.recall_of_vectors(
            store, corpus
        )
        singles = writing.single_writes(peers, size, Path(place), options.rounds)
        results.compare(singles, _SINGLE)
        batches = writing.batch_writes(peers, size, max(3, options.rounds // 10))
        results.compare(batches, {})
        if size in _BATCH_MS:
            cpu = next(f.cpu for f in batches if f.who == "loom")
            results.bound("batch of 100, CPU a row", size, cpu * 1e3, _BATCH_MS[size], "ms")
        _crowd(results, store, size)
        results.extra[f"verdicts at {size}"] = dict(store.verdicts)


def _crowd(results: Results, store: LoomStore, size: int) -> None:
    crowd = writing.crowd_writes(store, size, each=16)
    results.extra[f"32 threads at {size}"] = attrs.asdict(crowd)
    results.bound("32 threads, CPU a write", size, crowd.cpu * 1e3, 0.45, "ms")
    gain = crowd.rate / crowd.serial_rate
    wait = max(0.0, 1 / crowd.serial_rate - crowd.serial_cpu)
    results.table.add(
        [
            Row(
                what="32 threads, rate",
                size=f"{size:,}",
                measured=f"{crowd.rate:,.0f} writes/s",
                beside=f"one thread: {crowd.serial_rate:,.0f} writes/s",
                ratio=f"{gain:.3g} times the rate",
                target=f">= {8 if wait >= 3e-3 else 3}",
                met=gain >= (8 if wait >= 3e-3 else 3),
            )
        ]
    )


def _ten_namespaces(results: Results, size: int, options: argparse.Namespace) -> None:
    """Searches over `size` memories in ten namespaces, and opening them again."""
    print(f"ten namespaces, {size:,} in all", flush=True)
    corpus = make_corpus(size, namespaces=NAMESPACES, seed=size + 1)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=options.place) as place:
        with _opened(options.peers, Path(place)) as (_, peers):
            for peer in peers:
                writing.fill(peer, corpus)
                peer.settle()
            found = reading.searches(peers, corpus, options.rounds)
        least = 10.0 if size >= 10_000 else 3.0
        results.compare(found, {f.who: (">=", least) for f in found if f.who != "loom"})
        if size == 100_000:
            cpu = next(f.cpu for f in found if f.who == "loom")
            results.bound("hybrid search, CPU", size, cpu * 1e3, 2.5, "ms")
        names = [f"ns{i}" for i in range(NAMESPACES)]
        _opening(results, Path(place) / "loom", size, names)


def _opening(results: Results, path: Path, size: int, names: Sequence[str]) -> None:
    opening = starting.measure_opening(path, size, names)
    results.extra[f"opening at {size}"] = attrs.asdict(opening)
    results.figures.append(
        Figure(what="opening", who="loom", size=size, wall=opening.opened, cpu=0.0)
    )
    if size < 10_000:  # what opening costs without any row would drown it
        return
    results.bound("opening, a row", size, opening.opened / size * 1e6, 15.0, "us")
    results.bound("memory, a row", size, opening.resident / size / 1024, 3.0, "KB")


def _start(results: Results, options: argparse.Namespace) -> None:
    """Importing and installing."""
    print("importing and installing", flush=True)
    subjects: list[type[Peer]] = [LoomStore]
    for name in options.peers:
        try:
            subjects.append(load_peer(name))
        except ImportError:
            continue
    times = starting.import_times([s.module for s in subjects])
    rows = []
    for subject in subjects:
        taken = times[subject.module]
        size = starting.install_megabytes(subject.distributions)
        results.extra[f"start of {subject.name}"] = {"import": taken, "megabytes": size}
        ours = subject is LoomStore
        rows.append(
            Row(
                what="import, install",
                size="",
                measured=_started(taken, size) if ours else "",
                beside="" if ours else f"{subject.name}: {_started(taken, size)}",
                ratio="",
                target="<= 150 ms, <= 150 MB" if ours else "",
                met=None
                if not ours or taken is None or size is None
                else taken[0] <= 0.15 and size <= 150,
            )
        )
    results.table.add(rows)


def _started(taken: tuple[float, int] | None, size: float | None) -> str:
    parts = [] if taken is None else [seconds(taken[0]), f"{taken[1]} modules"]
    return ", ".join([*parts, *([] if size is None else [f"{size:.0f} MB"])])


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--peers", nargs="*", default=sorted(PEERS), choices=sorted(PEERS))
    parser.add_argument("--alone", action="store_true", help="loom without any peer")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--place", type=Path, help="a folder on the disk to measure")
    parser.add_argument("--name", default="targets", help="of the files of results")
    parser.add_argument(
        "--also", nargs="*", default=[], help="earlier results that the chart shows too"
    )
    options = parser.parse_args(arguments)
    if options.alone:
        options.peers = []
    results = Results()
    _start(results, options)
    for size in options.sizes:
        _one_scope(results, size, options)
        _ten_namespaces(results, size, options)
        _keep(results, options)
    print(results.table.markdown())
    return 0


def _keep(results: Results, options: argparse.Namespace) -> None:
    """Write what is known so far: a long run that is stopped leaves its figures."""
    RESULTS.mkdir(exist_ok=True)
    table = results.table.markdown() + "\n"
    (RESULTS / f"{options.name}.md").write_text(table, encoding="utf-8")
    save(RESULTS / f"{options.name}.json", results.figures, results.extra)
    earlier = [f for name in options.also for f in load(RESULTS / f"{name}.json")]
    draw_growth(RESULTS / f"{options.name}.png", [*earlier, *results.figures])


if __name__ == "__main__":
    sys.exit(main())
