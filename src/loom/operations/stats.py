"""Counts of what a namespace holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from attrs import field, frozen

from loom.engine.env import Context
from loom.engine.read import reading
from loom.model.provenance import Role
from loom.model.readable import Readable, readonly
from loom.model.status import Status
from loom.operations.base import Request
from loom.storage.query import Versions
from loom.storage.where import Equal

__all__ = ["NamespaceStats", "StatsOutcome"]


@frozen(kw_only=True, slots=True, hash=False)
class StatsOutcome(Readable):
    """How many rows the caller may see in a namespace."""

    org: str
    namespace: str
    #: Rows of any status, one a memory.
    memories: int
    #: From a status to its rows; statuses without rows are left out.
    by_status: Mapping[str, int] = field(converter=readonly)
    #: Versions of all rows: what history holds.
    versions: int
    backend: str
    embedder: str


@frozen(slots=True, hash=False)
class NamespaceStats(Request[StatsOutcome]):
    """How much a namespace holds, counted over the rows the caller may see."""

    name: ClassVar[str] = "namespace.stats"
    role: ClassVar[Role] = Role.VIEWER

    def run(self, context: Context) -> StatsOutcome:
        """Count."""
        with reading(context) as reader:
            counts = {s.value: reader.count(Equal("status", s)) for s in Status}
            versions = reader.count(view=Versions())
        return StatsOutcome(
            org=context.identity.org,
            namespace=context.identity.namespace,
            memories=sum(counts.values()),
            by_status={status: n for status, n in counts.items() if n},
            versions=versions,
            backend=context.env.storage.capabilities.backend,
            embedder=context.env.embedder.name,
        )
