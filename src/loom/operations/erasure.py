"""Erasing a person: asked for, run to its end, and looked up."""

from __future__ import annotations

from typing import ClassVar

from attrs import field, frozen

from loom.engine.env import Context
from loom.engine.erasing import erasures_of, request, row_of, steps
from loom.errors import InvalidRequest
from loom.model.erasure import ErasureRow
from loom.model.identity import ANONYMOUS, ANY, checked_name
from loom.model.provenance import Role
from loom.model.readable import Readable
from loom.operations.base import Request, bounded, checked_flag, checked_text
from loom.operations.memory_read import Page
from loom.operations.paging import decode_cursor, encode_cursor

__all__ = [
    "ErasureRequested",
    "ErasureStatus",
    "ListErasures",
    "RequestErasure",
    "RunErasure",
]

_MOST = 1_000


@frozen(kw_only=True, slots=True, hash=False)
class ErasureRequested(Readable):
    """An erasure that waits to be run."""

    erasure: ErasureRow
    #: With the subject's name it shows that the certificate is about it:
    #: SHA-256 over salt, org and subject, NUL between them. Keep it elsewhere, if at all;
    #: the store forgets it. Empty where the erasure had been asked for before.
    salt: str
    #: It had been asked for before and is not done.
    noop: bool
    next: str


@frozen(slots=True, hash=False)
class RequestErasure(Request[ErasureRequested]):
    """Ask that everything of one user of the org be erased; nothing goes yet.

    It reaches every namespace of the org. The request outlives the process; `erasure.run`
    does it.

    Raises:
        InvalidRequest: the subject is nobody or everybody.
        Forbidden: the caller is no administrator of the org.
    """

    name: ClassVar[str] = "erasure.request"
    role: ClassVar[Role] = Role.ADMIN

    #: The `user_id` whose data is to go.
    subject: str = field(kw_only=False)
    reason: str = field(default="", kw_only=True)

    def run(self, context: Context) -> ErasureRequested:
        """Record it."""
        _require_org(context)
        subject = checked_name(self.subject, field="subject")
        if subject in (ANONYMOUS, ANY):
            msg = (
                "subject must be one user: nobody's rows, and everybody's, are no person's."
            )
            raise InvalidRequest(msg, field="subject")
        reason = checked_text(self.reason, name="reason")
        row, noop = request(context, self.name, subject, reason)
        return ErasureRequested(
            erasure=row,
            salt="" if noop else row.salt,
            noop=noop,
            next=f"Run it with erasure.run('{row.erasure_id}').",
        )


@frozen(slots=True, hash=False)
class RunErasure(Request[ErasureRow]):
    """Erase, to the end; the answer is the certificate.

    Every version of every memory of the subject goes, with its vectors, chunks and search
    terms, and the file is rewritten, so that nothing of the text is left in it. Audit
    entries about them stay and lose their names and hashes. A run that was interrupted is
    taken up where it was; one that is done answers as it did.

    Raises:
        NotFound: there is no such erasure.
        Forbidden: the caller is no administrator of the org.
        StoreUnavailable: the subject is written to all the while.
    """

    name: ClassVar[str] = "erasure.run"
    role: ClassVar[Role] = Role.ADMIN

    erasure_id: str = field(kw_only=False)

    def run(self, context: Context) -> ErasureRow:
        """Take every step that is left."""
        _require_org(context)
        erasure_id = checked_text(self.erasure_id, name="erasure_id")
        for _ in steps(context, self.name, erasure_id):
            pass
        return row_of(context, erasure_id)


@frozen(slots=True, hash=False)
class ErasureStatus(Request[ErasureRow]):
    """How far an erasure is; once it is done, the certificate of what it removed.

    Raises:
        NotFound: there is no such erasure.
        Forbidden: the caller is no administrator of the org.
    """

    name: ClassVar[str] = "erasure.status"
    role: ClassVar[Role] = Role.ADMIN

    erasure_id: str = field(kw_only=False)

    def run(self, context: Context) -> ErasureRow:
        """Look it up."""
        _require_org(context)
        return row_of(context, checked_text(self.erasure_id, name="erasure_id"))


@frozen(kw_only=True, slots=True, hash=False)
class ListErasures(Request[Page[ErasureRow]]):
    """The org's erasures, newest first.

    Raises:
        InvalidRequest: the limit or the cursor is malformed.
        Forbidden: the caller is no administrator of the org.
    """

    name: ClassVar[str] = "erasure.list"
    role: ClassVar[Role] = Role.ADMIN

    #: Those alone that are not at their end.
    unfinished: bool = False
    #: 1 to 1,000.
    limit: int = 100
    cursor: str | None = None

    def run(self, context: Context) -> Page[ErasureRow]:
        """List."""
        _require_org(context)
        page = erasures_of(
            context,
            unfinished=checked_flag(self.unfinished, name="unfinished"),
            after=decode_cursor(self.cursor, (str, int)),
            limit=bounded(self.limit, name="limit", least=1, most=_MOST),
        )
        return Page(page.rows, encode_cursor(page.next))


def _require_org(context: Context) -> None:
    """A person's data may lie in every namespace of the org."""
    context.require(Role.ADMIN, context.identity.org, None)
