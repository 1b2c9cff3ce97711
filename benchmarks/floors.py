"""What no durable store can undercut: the disk's own sync, and one bare insert."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb

from benchmarks.corpus import Item

__all__ = ["BareDuckdb", "Sync"]


class Sync:
    """A file that grows by one page and is synced."""

    def __init__(self, folder: Path) -> None:
        self._file = os.open(folder / "sync", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        self._page = b"x" * 4096

    def write(self) -> None:
        """Append a page; returns when the disk has it."""
        os.write(self._file, self._page)
        os.fdatasync(self._file)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)


class BareDuckdb:
    """One table of twelve columns that holds what a memory row holds, and no rules."""

    def __init__(self, folder: Path) -> None:
        self._connection = duckdb.connect(str(folder / "bare.duckdb"))
        self._connection.execute(
            "CREATE TABLE bare (version BIGINT, parent BIGINT, org VARCHAR,"
            " namespace VARCHAR, user_id VARCHAR, memory_type VARCHAR, memory_key VARCHAR,"
            " memory_id VARCHAR, status VARCHAR, sha VARCHAR, body VARCHAR, vector BLOB)"
        )
        self._body = '{"value": "%s", "rest": "' + "y" * 500 + '"}'
        self._version = 0

    def write(self, item: Item) -> None:
        """Insert one row in a transaction of its own."""
        self._version += 1
        self._connection.execute(
            "INSERT INTO bare VALUES (?, 0, 'bench', ?, '-', 'semantic', ?, ?, 'active',"
            " ?, ?, ?)",
            [
                self._version,
                item.namespace,
                item.key,
                item.key,
                "a" * 64,
                self._body % item.text,
                item.vector.tobytes(),
            ],
        )

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()
