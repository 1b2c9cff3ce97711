"""Scrubbing what one version of a memory said."""

from __future__ import annotations

from typing import ClassVar

from attrs import field, frozen

from loom.engine.env import Context
from loom.engine.redacting import redact
from loom.model.provenance import Role
from loom.operations.base import Request, bounded, checked_flag, checked_text
from loom.plans.redacting import RedactOutcome

__all__ = ["RedactMemory"]

_LAST_VERSION = 2**63 - 1


@frozen(slots=True, hash=False)
class RedactMemory(Request[RedactOutcome]):
    """Remove what one version of a memory said, wherever it was copied (R-62).

    The row stays, with its tags, files and content hash, and so do its audit entries; its
    value becomes `[REDACTED]`. What the memory says now is not redacted: delete or rewrite
    it first. On DuckDB the file is written anew, which takes as long as copying it.

    Raises:
        InvalidRequest: an argument is malformed.
        Forbidden: the caller is no administrator.
        Locked: a lock holds over the key, in either mode.
    """

    name: ClassVar[str] = "memory.redact"
    role: ClassVar[Role] = Role.ADMIN

    memory_id: str = field(kw_only=False)
    #: As `memory.history` shows it.
    version: int = field(kw_only=False)
    #: Kept with the version and shown in its history; it must not repeat what is to go.
    reason: str = field(default="", kw_only=True)
    #: False leaves the file's rewriting to a later call or opening; the answer says so.
    rewrite: bool = field(default=True, kw_only=True)

    def run(self, context: Context) -> RedactOutcome:
        """Redact."""
        return redact(
            context,
            self.name,
            checked_text(self.memory_id, name="memory_id", needed=True),
            bounded(self.version, name="version", least=1, most=_LAST_VERSION),
            reason=checked_text(self.reason, name="reason"),
            rewrite=checked_flag(self.rewrite, name="rewrite"),
        )
