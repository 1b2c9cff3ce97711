"""Audit entries: what happened to which row, by whom; never what it said."""

from __future__ import annotations

from datetime import datetime

from attrs import frozen

from loom.model.readable import Readable
from loom.model.times import instant_of

__all__ = ["AuditRow"]


@frozen(kw_only=True, slots=True)
class AuditRow(Readable):
    """One entry, addressed by `(version, ordinal)`: all rows of a write share a version."""

    version: int = 0
    #: Position among the entries of one write, from 0.
    ordinal: int = 0
    #: The dotted name of the operation, such as `memory.set`.
    operation: str
    org: str
    namespace: str = ""
    agent: str = ""
    user_id: str = ""
    session_id: str = ""
    run_id: str = ""
    #: The key; of a blacklist entry, empty.
    memory_key: str = ""
    #: The row's id; of a blacklist entry, the pattern's.
    memory_id: str = ""
    #: Hash of the content written; empty for a refusal (R-30).
    content_sha256: str = ""
    actor: str
    #: Empty for a refusal.
    source_class: str = ""
    #: The verdict, or the event where nothing was judged; empty for a refusal.
    verdict: str = ""
    #: The error's code, for a refusal; empty else.
    refused: str = ""

    @property
    def at(self) -> datetime:
        """When it happened."""
        return instant_of(self.version)
