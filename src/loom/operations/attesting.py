"""Saying that a row is true, in one's own name."""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from loom.engine.attesting import verify
from loom.engine.env import Context
from loom.errors import InvalidRequest
from loom.model.keys import parse_key
from loom.model.provenance import Role
from loom.operations.base import Request, checked_flag, checked_text
from loom.plans.attesting import VerifyOutcome

__all__ = ["VerifyMemory", "VerifyOutcome"]


@frozen(kw_only=True, slots=True, hash=False)
class VerifyMemory(Request[VerifyOutcome]):
    """Vouch for what a row says, as the caller, or take it back.

    The attestation is bound to the content: an edit makes it stale, and it stays so until
    somebody vouches again. Who vouches is the caller of the store and no argument, so an
    agent cannot make its own write a person's word (R-07).

    Raises:
        NotFound: there is no such row that the caller may write.
        InvalidRequest: neither a key nor an id is given, or both are.
        IllegalTransition: the row is out of use or past its end.
    """

    name: ClassVar[str] = "memory.verify"
    role: ClassVar[Role] = Role.WRITER

    #: The row that a change by this key acts on ...
    memory_key: str | None = None
    #: ... or the row of this id.
    memory_id: str | None = None
    #: Take the attestation back.
    revoke: bool = False
    #: Kept in the history.
    reason: str = ""

    def run(self, context: Context) -> VerifyOutcome:
        """Attest."""
        if (self.memory_key is None) == (self.memory_id is None):
            msg = "give either memory_key or memory_id."
            raise InvalidRequest(msg, field="memory_key")
        key = None if self.memory_key is None else parse_key(self.memory_key)
        memory_id = None
        if self.memory_id is not None:
            memory_id = checked_text(self.memory_id, name="memory_id")
        return verify(
            context,
            self.name,
            memory_key=key,
            memory_id=memory_id,
            revoke=checked_flag(self.revoke, name="revoke"),
            reason=checked_text(self.reason, name="reason"),
        )
