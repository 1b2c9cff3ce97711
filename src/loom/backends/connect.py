"""From a URL to a storage. A driver is imported when a URL asks for it, not before."""

from __future__ import annotations

import os
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from loom.errors import InvalidRequest
from loom.model.facts_of_store import EMBEDDER, StoreFact
from loom.ports import Clock
from loom.storage.contract import Storage
from loom.storage.query import Select
from loom.storage.tables import STORE_FACT
from loom.storage.where import Equal

__all__ = ["connect", "store_embedder"]

_MEMORY: Final = (":memory:", "memory://")
_SUPPORTED: Final = (
    'a path such as "memory.duckdb", "duckdb:///absolute/path", ":memory:" or "memory://"'
)


def connect(
    url: str | os.PathLike[str], *, clock: Clock, space: str, dimension: int
) -> Storage:
    """The storage that a URL names.

    Args:
        url: `":memory:"` or `"memory://"` for a store that lives as long as the process;
            a path, or `"duckdb:///path"`, for a DuckDB file.
        clock: stamps versions.
        space: name of the embedder whose vectors are searched.
        dimension: their length.

    Raises:
        InvalidRequest: no backend answers to it.
        StorageError: the store cannot be opened; see `backends.duckdb.open_duckdb`.
    """
    path = _path_of(url)
    if path is None:
        from loom.backends.memory import open_memory  # noqa: PLC0415 - see the docstring

        return open_memory(clock=clock, space=space, dimension=dimension)
    from loom.backends.duckdb import open_duckdb  # noqa: PLC0415 - see the docstring

    return open_duckdb(path, clock=clock, space=space, dimension=dimension)


def store_embedder(url: str | os.PathLike[str]) -> tuple[str, int] | None:
    """Name and dimension of the embedder a store recorded; None if it has none yet.

    Asked before an embedder is chosen (R-40). A store in memory has none; a file that
    does not exist is not created.

    Raises:
        InvalidRequest: no backend answers to the URL.
        StorageError: the store is there but cannot be opened.
    """
    path = _path_of(url)
    if path is None or not os.path.exists(path):  # noqa: PTH110 - may be any path
        return None
    from loom.backends.duckdb.peeking import recorded_fact  # noqa: PLC0415
    from loom.backends.duckdb.registry import opened_here  # noqa: PLC0415

    storage = opened_here(path)
    if storage is None:
        return _embedder_of(recorded_fact(path, EMBEDDER))
    facts = storage.select(Select(table=STORE_FACT, where=Equal("name", EMBEDDER))).rows
    return _embedder_of(facts[0] if facts else None)


def _embedder_of(fact: StoreFact | None) -> tuple[str, int] | None:
    value: Any = None if fact is None else fact.value
    if not isinstance(value, dict):
        return None
    return str(value["name"]), int(value["dimension"])


def _path_of(url: str | os.PathLike[str]) -> str | None:
    """The file a URL names; None for a store in memory."""
    text = os.fspath(url)
    if not text:
        msg = f"a store is opened by its URL; pass {_SUPPORTED}."
        raise InvalidRequest(msg, field="url")
    if text in _MEMORY:
        return None
    scheme, separator, _ = text.partition("://")
    if not separator:
        return text
    if scheme.lower() == "duckdb":
        parts = urlsplit(text)
        path = unquote(parts.netloc + parts.path)
        if path in ("", "/"):
            msg = 'the URL names no file; write it as "duckdb:///absolute/path".'
            raise InvalidRequest(msg, field="url")
        return path
    msg = f"there is no backend for the scheme {scheme!r}; open {_SUPPORTED}."
    raise InvalidRequest(msg, field="url")
