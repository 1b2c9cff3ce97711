"""Looking into an open store: all it holds, what was audited, and acting as somebody else.

```python
before = contents_of(store)
with pytest.raises(InvalidRequest):
    agent.memory.set("bad key", "x")
assert contents_of(store) == before
```
"""

from __future__ import annotations

import attrs

from loom.faces.sync import Loom
from loom.model.audit import AuditRow
from loom.model.memory import MemoryRow
from loom.model.provenance import Caller
from loom.storage.query import Order, Select, Versions
from loom.storage.tables import AUDIT, MEMORY, TABLES

__all__ = ["acting_as", "audit_of", "contents_of", "versions_of"]


def contents_of(store: Loom) -> dict[str, frozenset[str]]:
    """Every version of every row of every table, and which contents have a vector.

    Two stores with equal contents hold the same; nothing is hidden by a scope or a status.
    """
    storage = store._env.storage  # noqa: SLF001 - it looks behind the face on purpose
    found = {
        table.name: frozenset(
            repr(attrs.astuple(row, recurse=False))
            for row in storage.select(Select(table=table, view=Versions())).rows
        )
        for table in TABLES
    }
    found["vectors"] = frozenset(
        f"{row.memory_id} {row.content_sha256}"
        for row in versions_of(store)
        if storage.vector(row.memory_id, row.content_sha256) is not None
    )
    return found


def versions_of(store: Loom) -> tuple[MemoryRow, ...]:
    """Every version of every memory, oldest first."""
    query = Select(table=MEMORY, view=Versions(), order=(Order("version"),))
    return store._env.storage.select(query).rows  # noqa: SLF001 - as above


def audit_of(store: Loom) -> tuple[AuditRow, ...]:
    """Every audit entry, oldest first."""
    query = Select(table=AUDIT, order=(Order("version"), Order("ordinal")))
    return store._env.storage.select(query).rows  # noqa: SLF001 - as above


def acting_as(store: Loom, caller: Caller) -> Loom:
    """The same open store in the hands of another caller; closing either closes both."""
    env = attrs.evolve(store._env, caller=caller)  # noqa: SLF001 - as above
    return Loom(env, store._url)  # noqa: SLF001 - as above
