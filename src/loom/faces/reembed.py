"""`loom.reembed`: a store changes its embedder."""

from __future__ import annotations

import os

from loom.backends.connect import connect
from loom.embedders.choose import choose_embedder
from loom.model.provenance import LOCAL, Caller
from loom.operations.reembed import Progress, ReembedOutcome, reembed_storage
from loom.ports import Clock, Embedder, SystemClock

__all__ = ["ReembedOutcome", "reembed"]


def reembed(
    url: str | os.PathLike[str],
    *,
    embedder: str | Embedder,
    caller: Caller | None = None,
    clock: Clock | None = None,
    progress: Progress | None = None,
) -> ReembedOutcome:
    """Embed all that a store holds with another embedder, and bind the store to it (R-40).

    Every version is embedded again, so searches of the past work as before. A run that
    was interrupted goes on where it stopped; until it is done the store opens with its
    old embedder.

    Args:
        url: as `loom.open` takes it; the store must not be open elsewhere.
        embedder: the new one, as `loom.open` takes it.
        caller: who acts; must administer the whole store.
        clock: where the time comes from.
        progress: called with how many versions are done and how many there are.

    Raises:
        StoreLocked: the store is open elsewhere.
        EmbeddingFailed: the embedder failed; what is done so far is kept.
        Forbidden: the caller does not administer the store.
    """
    chosen = choose_embedder(embedder)
    storage = connect(
        os.fspath(url),
        clock=clock or SystemClock(),
        space=chosen.name,
        dimension=chosen.dimension,
    )
    try:
        return reembed_storage(storage, chosen, caller or LOCAL, progress)
    finally:
        storage.close()
