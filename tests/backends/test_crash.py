"""R-38: a process killed at any instant leaves whole writes, every acknowledged one."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from loom.backends.duckdb import open_duckdb
from loom.ports import SystemClock
from loom.storage.query import Select, Versions
from loom.storage.tables import AUDIT, MEMORY

KILLS = 200 if os.environ.get("LOOM_TEST_PROFILE") == "nightly" else 20

#: Writes batches of two or three rows from four threads, each row with an entry; prints a
#: version once its write is acknowledged. Checkpoints often, so that kills fall into them.
WRITER = textwrap.dedent(
    """
    import sys, threading
    from loom.backends.duckdb import open_duckdb
    from loom.ports import SystemClock, SystemIds
    from loom.testing.writing import WHOLE, Drafter
    import attrs
    path, ids = sys.argv[1], SystemIds()
    storage = open_duckdb(path, clock=SystemClock(), space="s", dimension=8)
    storage.live.journal._connection.execute("SET checkpoint_threshold = '64KB'")
    out = threading.Lock()
    def work(number):
        drafter = Drafter(space="s", dimension=8)
        turn = 0
        while True:
            turn += 1
            rows = [
                drafter.row(ids.new(), "x" * 200, memory_id=ids.new())
                for _ in range(1 + (turn + number) % 3)
            ]
            entries = [drafter.entry(row, range(1, 9), "x y z") for row in rows]
            with storage.writing(WHOLE) as writing:
                rows, receipt = drafter.stage(writing, *rows, entries=entries)
            receipt.wait()
            with out:
                print(receipt.version, len(rows), flush=True)
    for number in range(4):
        threading.Thread(target=work, args=(number,)).start()
    """
)


def _killed(path: Path, wait: float) -> dict[int, int]:
    """Run the writer, kill it, and give what it acknowledged: version to rows."""
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    first = writer.stdout.readline()
    time.sleep(wait)
    writer.send_signal(signal.SIGKILL)
    rest, _ = writer.communicate()
    lines = [
        line.split()
        for line in (first + rest).splitlines(keepends=True)
        if line.endswith("\n")
    ]
    return {int(version): int(rows) for version, rows in lines}


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_killed_process_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    drawn = random.Random(20261201)
    total = 0
    for turn in range(KILLS):
        if turn % 20 == 0:  # a fresh store now and then, or each round reads a larger one
            path = tmp_path / f"store{turn}.duckdb"
            acknowledged: dict[int, int] = {}
        before = len(acknowledged)
        acknowledged |= _killed(path, drawn.uniform(0, 0.25))
        storage = open_duckdb(path, clock=SystemClock(), space="s", dimension=8)
        rows = storage.select(Select(table=MEMORY, view=Versions())).rows
        found: dict[int, int] = {}
        for row in rows:
            found[row.version] = found.get(row.version, 0) + 1
        audits: dict[int, int] = {}
        for audit in storage.select(Select(table=AUDIT)).rows:
            audits[audit.version] = audits.get(audit.version, 0) + 1
        assert acknowledged.items() <= found.items()
        assert audits == found
        assert storage.live.fingerprint() == storage.live.rebuilt_fingerprint()
        assert storage.live.last >= max(found)
        storage.close()
        total += len(acknowledged) - before
    assert total > KILLS
