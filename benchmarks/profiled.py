"""Where an operation of loom's spends its time. `python -m benchmarks.profiled write`."""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.corpus import DIMENSION, Corpus, Item, make_corpus
from benchmarks.loom_store import LoomStore

__all__ = ["main"]

_FRESH = 9_000


def _calls(
    what: str, store: LoomStore, corpus: Corpus, fresh: Sequence[Item]
) -> Callable[[int], object]:
    if what == "write":
        return lambda i: store.write(fresh[i])
    if what == "batch":
        return lambda i: store.write_batch(fresh[100 * i : 100 * i + 100])
    if what == "read":
        return lambda i: store.get(corpus.items[i].namespace, corpus.items[i].key)
    queries = corpus.queries
    return lambda i: store.search(
        corpus.items[i].namespace, queries[i][1], queries[i][0], 10
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Fill a store, profile calls of one kind, print the costliest functions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("write", "batch", "read", "search"))
    parser.add_argument("--size", type=int, default=1_000, help="memories in the store")
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--sort", choices=("cumtime", "tottime"), default="tottime")
    parser.add_argument("--lines", type=int, default=40)
    options = parser.parse_args(arguments)
    corpus = make_corpus(options.size, queries=options.calls)
    fresh = make_corpus(
        100 * options.calls, beside=options.size, queries=1, seed=_FRESH
    ).items
    with tempfile.TemporaryDirectory(prefix="bench-") as place:
        store = LoomStore.open(Path(place), DIMENSION)
        store.write_batch(corpus.items)
        call = _calls(options.what, store, corpus, fresh)
        call(0)
        profile = cProfile.Profile()
        profile.enable()
        for number in range(1, min(options.calls, options.size)):
            call(number)
        profile.disable()
        store.close()
    pstats.Stats(profile).sort_stats(options.sort).print_stats(options.lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
