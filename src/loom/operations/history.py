"""What was written under a key, version by version."""

from __future__ import annotations

from typing import ClassVar

from attrs import field, frozen

from loom.engine.env import Context
from loom.engine.read import reading
from loom.model.history import Version, VersionList
from loom.model.identity import ANY
from loom.model.keys import parse_key
from loom.model.provenance import Role
from loom.model.times import last_version_at, parse_instant
from loom.operations.base import Request, Time, text_given
from loom.storage.query import Order, Versions
from loom.storage.where import Compare, Equal, Where, all_of

__all__ = ["History"]


@frozen(slots=True, hash=False)
class History(Request[VersionList]):
    """Every version of a key, newest first, deleted ones included.

    Raises:
        InvalidRequest: the key is malformed.
    """

    name: ClassVar[str] = "memory.history"
    role: ClassVar[Role] = Role.VIEWER

    memory_key: str = field(kw_only=False)
    #: Another writer's versions, or `"*"` for every writer's; the handle's own by default.
    agent_id: str | None = None
    #: Only versions that were written by then.
    as_of: Time | None = None

    def run(self, context: Context) -> VersionList:
        """Read."""
        parts: list[Where] = [Equal("memory_key", parse_key(self.memory_key))]
        agent = text_given(self.agent_id, name="agent_id") or context.identity.agent
        if agent != ANY:
            parts.append(Equal("agent", agent))
        if self.as_of is not None:
            by = last_version_at(parse_instant(self.as_of, field="as_of"))
            parts.append(Compare("version", "<=", by))
        with reading(context) as reader:
            order = (Order("version", descending=True),)
            page = reader.select(all_of(*parts), view=Versions(), order=order)
        known = {(row.memory_id, row.version): row for row in page.rows}
        return VersionList(
            Version.of(row, known.get((row.memory_id, row.parent))) for row in page.rows
        )
