"""loom: memory for agents that can say who said what, when, and what replaced it.

```python
import loom

with loom.open("memory.duckdb") as store:
    agent = store.agent("assistant", org="acme", namespace="support")
    agent.memory.set("customer/4812/plan", "Customer 4812 is on the annual plan.")
    agent.memory.get("customer/4812/plan").value
```

Importing this package has no effect: no file, no driver, no model, no environment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loom import errors
from loom.faces.reembed import reembed
from loom.faces.sync import AgentHandle, Loom
from loom.faces.sync import open_store as open  # noqa: A004 - `loom.open` is the name
from loom.model.memory import MemoryRow as Memory
from loom.model.provenance import Caller, Role
from loom.model.thresholds import Thresholds
from loom.operations.opening import LENSES, CosineJudge, EvidenceJudge, Lenses
from loom.settings import Settings

if TYPE_CHECKING:
    from loom.faces.aio import Agent, Datapack
    from loom.faces.snapshots import read_snapshot, write_snapshot

__all__ = [
    "LENSES",
    "Agent",
    "AgentHandle",
    "Caller",
    "CosineJudge",
    "Datapack",
    "EvidenceJudge",
    "Lenses",
    "Loom",
    "Memory",
    "Role",
    "Settings",
    "Thresholds",
    "errors",
    "open",
    "read_snapshot",
    "reembed",
    "write_snapshot",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """What is imported when it is first asked for (PEP 562): asyncio, files of snapshots."""
    if name in ("Agent", "Datapack"):
        from loom.faces import aio  # noqa: PLC0415

        return getattr(aio, name)
    if name in ("read_snapshot", "write_snapshot"):
        from loom.faces import snapshots  # noqa: PLC0415

        return getattr(snapshots, name)
    msg = f"module 'loom' has no attribute {name!r}"
    raise AttributeError(msg)
