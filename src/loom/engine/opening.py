"""Binding a store to the embedder that wrote it (R-40)."""

from __future__ import annotations

from loom.errors import EmbedderMismatch, StoreUnavailable
from loom.model.facts_of_store import EMBEDDER, StoreFact
from loom.model.json_values import freeze
from loom.ports import Embedder
from loom.storage.batch import Batch, WriteScope
from loom.storage.contract import CommitFailed, Reader, Storage
from loom.storage.query import Select
from loom.storage.tables import STORE_FACT
from loom.storage.where import Equal

__all__ = ["bind_embedder", "mismatch", "recorded_embedder"]

_ATTEMPTS = 3


def recorded_embedder(reader: Reader) -> StoreFact | None:
    """What the store says of its embedder; None for a new store."""
    query = Select(table=STORE_FACT, where=Equal("name", EMBEDDER))
    rows = reader.select(query).rows
    return rows[0] if rows else None


def bind_embedder(storage: Storage, embedder: Embedder) -> None:
    """Record the embedder of a new store; refuse another one for an old store.

    Raises:
        EmbedderMismatch: the store was written with another embedder.
    """
    wanted = freeze({"name": embedder.name, "dimension": embedder.dimension})
    found = recorded_embedder(storage)
    for _ in range(_ATTEMPTS):
        if found is not None:
            break
        with storage.writing(WriteScope(org=None)) as writing:
            found = recorded_embedder(writing)
            if found is not None:
                break
            row = StoreFact(name=EMBEDDER, value=wanted, version=writing.stamp)
            receipt = writing.stage(Batch(rows=(row,)))
        try:
            receipt.wait()
        except CommitFailed:
            continue
        return
    if found is None:
        msg = "The store could not be written to, so it cannot be opened."
        raise StoreUnavailable(msg)
    if found.value != wanted:
        raise mismatch(found, embedder)


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
