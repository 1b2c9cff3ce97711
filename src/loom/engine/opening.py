"""Binding a store to the embedder that wrote it (R-40)."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from loom.errors import EmbedderMismatch, StoreUnavailable
from loom.model.facts_of_store import AUDIT_KEY, EMBEDDER, StoreFact
from loom.model.json_values import Json, freeze
from loom.ports import Embedder
from loom.storage.batch import Batch, WriteScope
from loom.storage.contract import CommitFailed, Reader, Storage
from loom.storage.query import Select
from loom.storage.tables import STORE_FACT
from loom.storage.where import Equal

__all__ = ["audit_key_of", "bind_embedder", "mismatch", "recorded_embedder"]

_ATTEMPTS = 3


def recorded_embedder(reader: Reader) -> StoreFact | None:
    """What the store says of its embedder; None for a new store."""
    return _fact(reader, EMBEDDER)


def _fact(reader: Reader, name: str) -> StoreFact | None:
    rows = reader.select(Select(table=STORE_FACT, where=Equal("name", name))).rows
    return rows[0] if rows else None


def bind_embedder(storage: Storage, embedder: Embedder) -> None:
    """Record the embedder of a new store; refuse another one for an old store.

    Raises:
        EmbedderMismatch: the store was written with another embedder.
    """
    wanted = freeze({"name": embedder.name, "dimension": embedder.dimension})
    found = _recorded(storage, EMBEDDER, lambda: wanted)
    if found.value != wanted:
        raise mismatch(found, embedder)


def audit_key_of(storage: Storage) -> str:
    """The store's own key for its audit log, made when it is asked for first."""
    return str(_recorded(storage, AUDIT_KEY, lambda: secrets.token_hex(32)).value)


def _recorded(storage: Storage, name: str, first: Callable[[], Json]) -> StoreFact:
    """What the store says under a name; a new store is told."""
    for _ in range(_ATTEMPTS):
        found = _fact(storage, name)
        if found is not None:
            return found
        with storage.writing(WriteScope(org=None)) as writing:
            found = _fact(writing, name)
            if found is not None:
                return found
            row = StoreFact(name=name, value=first(), version=writing.stamp)
            receipt = writing.stage(Batch(rows=(row,)))
        try:
            receipt.wait()
        except CommitFailed:
            continue
        return row
    msg = "The store could not be written to, so it cannot be opened."
    raise StoreUnavailable(msg)


def mismatch(found: StoreFact, embedder: Embedder) -> EmbedderMismatch:
    """The refusal, with both names and the remedy."""
    recorded = found.value if isinstance(found.value, dict) else {}
    name, dimension = recorded.get("name"), recorded.get("dimension")
    msg = (
        f"The store was written with the embedder '{name}' ({dimension} dimensions) and "
        f"was opened with '{embedder.name}' ({embedder.dimension}). Open it with that "
        "embedder, or change it with `loom reembed`."
    )
    return EmbedderMismatch(msg, recorded=name, given=embedder.name)
