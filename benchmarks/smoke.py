"""Every peer at a small size: what is written is found. `python -m benchmarks.smoke`."""

from __future__ import annotations

import sys
import tempfile
import time
import traceback
from pathlib import Path

from benchmarks.corpus import DIMENSION, Corpus, make_corpus
from benchmarks.peers import PEERS, Peer, load_peer

__all__ = ["main"]


def _check(peer: Peer, corpus: Corpus) -> None:
    half = len(corpus.items) // 2
    for item in corpus.items[:half]:
        peer.write(item)
    peer.write_batch(corpus.items[half:])
    peer.settle()
    for item in corpus.items[:: max(1, len(corpus.items) // 20)]:
        found = peer.search(item.namespace, item.vector, item.text, 5)
        assert found[0] == item.key, f"{peer.name} finds another first"
        assert len(found) <= 5
        assert peer.get(item.namespace, item.key) == item.text


def main(names: list[str]) -> int:
    """Check the named peers, or all; returns how many failed."""
    corpus = make_corpus(200, namespaces=2)
    failed = 0
    for name in names or PEERS:
        started = time.perf_counter()
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            try:
                peer = load_peer(name).open(Path(folder), DIMENSION)
                _check(peer, corpus)
                peer.close()
            except Exception:
                traceback.print_exc()
                failed += 1
                continue
        print(f"{name}: ok, {time.perf_counter() - started:.1f} s")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
