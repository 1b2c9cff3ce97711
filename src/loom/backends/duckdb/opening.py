"""Opening a DuckDB file, and saying in our own words why it cannot be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import duckdb

from loom.errors import StorageError, StoreLocked, StoreUnavailable

__all__ = ["opened", "translated"]

_HOLDER: Final = re.compile(r"held in (?P<program>.*?)\s*\(?PID (?P<pid>\d+)\)?", re.DOTALL)
_LOCKED: Final = ("could not set lock", "conflicting lock", "being used by another process")


def opened(path: str, *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    """A connection to the file, which is created if there is none.

    Raises:
        StoreLocked: another process has it open.
        StoreUnavailable: it is no DuckDB file, or cannot be read or written.
    """
    try:
        return duckdb.connect(path, read_only=read_only)
    except duckdb.Error as error:
        text = str(error)
        if any(word in text.lower() for word in _LOCKED):
            raise _locked(path, text) from error
        msg = (
            f"{path} cannot be opened as a store: it is no DuckDB file of a version this "
            "DuckDB reads, or it may not be read and written here."
        )
        raise StoreUnavailable(msg, path=path) from error


def _locked(path: str, text: str) -> StoreLocked:
    found = _HOLDER.search(text)
    holder = "another process"
    pid = None
    if found is not None:
        pid = int(found["pid"])
        holder = f"process {pid}"
    msg = (
        f"{path} is open in {holder}, and a DuckDB file belongs to one process at a time, "
        "for reading too. Close the store there, or copy the file and open the copy, or "
        "keep memories that several processes share on a server."
    )
    return StoreLocked(msg, path=path, pid=pid)


@contextmanager
def translated(doing: str) -> Iterator[None]:
    """DuckDB's errors as ours; the driver's own message stays in the cause alone.

    Raises:
        StorageError: DuckDB refused what was asked.
    """
    try:
        yield
    except duckdb.Error as error:
        msg = f"DuckDB failed while {doing} ({type(error).__name__})."
        raise StorageError(msg) from error
