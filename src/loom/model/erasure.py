"""Erasing a subject: what was asked for, how far it is, and what it removed.

The row names the subject until the work is done, since it must be resumable; then it keeps
a salted commitment alone, from which the name cannot be found without the salt. The salt is
given to whoever asked, once.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from enum import StrEnum

from attrs import field, frozen

from loom.model.json_values import FrozenDict
from loom.model.readable import Readable

__all__ = ["ErasureRow", "ErasureState", "commitment_to"]


class ErasureState(StrEnum):
    """How far an erasure is."""

    REQUESTED = "requested"
    #: What there is was counted; some of it may be gone.
    RUNNING = "running"
    #: Nothing of the subject is left, and this was looked up.
    DONE = "done"


@frozen(kw_only=True, slots=True, hash=False)
class ErasureRow(Readable):
    """One version of one erasure."""

    #: UUIDv7 text.
    erasure_id: str
    version: int = 0
    parent: int = 0
    org: str
    #: The user whose data goes; empty once it is done.
    subject: str
    #: With the subject it makes the commitment; empty once it is done.
    salt: str
    #: SHA-256 over salt, org and subject.
    commitment: str
    reason: str = ""
    requested_by: str
    requested_at: datetime
    state: ErasureState = ErasureState.REQUESTED
    #: From a kind of row to how many there were, or were removed.
    counts: FrozenDict = field(factory=FrozenDict)
    #: The newest version that was counted; what is newer is counted when it is found.
    counted_by: int = 0
    finished_at: datetime | None = None


def commitment_to(salt: str, org: str, subject: str) -> str:
    """What stands for the subject afterwards: 64 hexadecimal digits."""
    said = f"{salt}\x00{org}\x00{subject}"
    return hashlib.sha256(said.encode()).hexdigest()
