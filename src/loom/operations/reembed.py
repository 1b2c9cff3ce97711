"""Changing the embedder of a whole store: it takes the storage, not a namespace."""

from __future__ import annotations

from loom.engine.reembed import Progress, ReembedOutcome, reembed
from loom.errors import Forbidden
from loom.model.provenance import Caller, Role
from loom.ports import Embedder
from loom.storage.contract import Storage

__all__ = ["Progress", "ReembedOutcome", "reembed_storage"]


def reembed_storage(
    storage: Storage, embedder: Embedder, caller: Caller, progress: Progress | None = None
) -> ReembedOutcome:
    """Embed all that a storage holds with another embedder, and bind it to that.

    Args:
        storage: opened for the new embedder's space.
        embedder: the new one.
        caller: must administer the whole store.
        progress: called with how many versions are done and how many there are.

    Raises:
        Forbidden: the caller does not.
        EmbeddingFailed: the embedder failed; what is done so far is kept.
    """
    held = caller.role_in("*", None)
    if held is None or held < Role.ADMIN:
        msg = f"{caller.actor} does not administer the whole store, which this changes."
        raise Forbidden(msg, role="admin")
    return reembed(storage, embedder, progress)
