"""Counts over a whole store, for what an open store shows of itself."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
from attrs import field, frozen

from loom.engine.counting import count_memories
from loom.engine.env import Env
from loom.model.provenance import Role
from loom.model.readable import Readable, readonly

__all__ = ["StoreCounts", "counts_of"]


@frozen(kw_only=True, slots=True, hash=False)
class StoreCounts(Readable):
    """How much a store holds."""

    backend: str
    embedder: str
    dimension: int
    #: Rows of any status; None where the caller does not administer the whole store.
    memories: int | None = None
    by_status: Mapping[str, int] = field(factory=dict, converter=readonly)
    versions: int | None = None


def counts_of(env: Env) -> StoreCounts:
    """The counts, as far as the caller may know them."""
    held = env.caller.role_in("*", None)
    counts = StoreCounts(
        backend=env.storage.capabilities.backend,
        embedder=env.embedder.name,
        dimension=env.embedder.dimension,
    )
    if held is None or held < Role.ADMIN:
        return counts
    by_status, versions = count_memories(env.storage)
    return attrs.evolve(
        counts, memories=sum(by_status.values()), by_status=by_status, versions=versions
    )
