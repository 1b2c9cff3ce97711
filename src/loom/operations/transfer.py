"""A namespace out, entries in. Faces read and write the files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import attrs
from attrs import field, frozen

from loom.engine.arriving import Entry, Import
from loom.engine.env import Context
from loom.engine.read import reading
from loom.engine.transfer import (
    history_of,
    import_all,
    newest_version,
    page_of_heads,
    withheld_from,
)
from loom.errors import InvalidRequest, LoomError
from loom.model.identity import ANONYMOUS, ANY
from loom.model.provenance import Role
from loom.model.readable import Readable
from loom.operations.base import Request, bounded, checked_flag, checked_text
from loom.operations.memory_bulk import draft_of
from loom.operations.paging import decode_cursor, encode_cursor
from loom.plans.exported import ExportedMemory, checked_memory
from loom.plans.transfer import ImportedLine, ImportOutcome

__all__ = [
    "ExportNamespace",
    "ExportPage",
    "ExportedMemory",
    "ImportNamespace",
    "ImportOutcome",
    "ImportedLine",
]

_MOST = 10_000


@frozen(kw_only=True, slots=True, hash=False)
class ExportPage(Readable):
    """Some memories of an export; `cursor` is where the rest begins, None when all."""

    items: tuple[ExportedMemory, ...]
    cursor: str | None = None
    #: The newest version the export knows: every page is of that one instant.
    known_by: int
    #: How many rows of high sensitivity the export leaves out; said on its first page.
    withheld: int = 0


@frozen(kw_only=True, slots=True, hash=False)
class ExportNamespace(Request[ExportPage]):
    """Every memory of a namespace, whatever its status, a page at a time.

    All pages of one export show the instant of the first. A canonical row comes before
    its duplicates. A row of high sensitivity is left out and counted: it leaves the store
    through `memory.get` alone (R-46). A handle with `user_id="*"` exports every user's rows, which takes an
    administrator; any other exports what it reads (R-04).

    Raises:
        InvalidRequest: the limit or the cursor is malformed.
        Forbidden: every user's rows are asked for and the caller is no administrator.
    """

    name: ClassVar[str] = "namespace.export"
    role: ClassVar[Role] = Role.VIEWER  # rows of every user take more, see `run`

    #: The older versions of each memory as well.
    history: bool = False
    #: 1 to 10,000 memories.
    limit: int = 1_000
    #: `cursor` of the page before.
    cursor: str | None = None

    def run(self, context: Context) -> ExportPage:
        """Read."""
        _require_for_all(context)
        limit = bounded(self.limit, name="limit", least=1, most=_MOST)
        history = checked_flag(self.history, name="history")
        after = decode_cursor(self.cursor, (int, str, str, int, str))
        with reading(context) as reader:
            known_by = newest_version(reader) if after is None else after[0]
            page = page_of_heads(
                reader,
                known_by=known_by,  # type: ignore[arg-type]  # `decode_cursor` checked it
                after=None if after is None else after[1:],
                limit=limit,
            )
            older = history_of(reader, page.rows) if history and page.rows else {}
            withheld = withheld_from(reader, known_by) if after is None else 0  # type: ignore[arg-type]
        following = None if page.next is None else (known_by, *page.next)
        items = tuple(
            ExportedMemory(head=row, history=older.get(row.memory_id, ()))
            for row in page.rows
            if not row.masked
        )
        return ExportPage(
            items=items,
            cursor=encode_cursor(following),
            known_by=known_by,  # type: ignore[arg-type]
            withheld=withheld,
        )


@frozen(slots=True, hash=False)
class ImportNamespace(Request[ImportOutcome]):
    """Take memories into a namespace, and say what became of each.

    An entry is a mapping of `memory.set`'s arguments, judged as in `memory.bulk_set`, or
    an `ExportedMemory`. Of the latter, what is here already is unchanged; what stands here
    with other content is judged as a set; the rest is recreated with its id, status,
    links, dates and history, as versions written now, by this caller, at most `imported`
    (R-47). The blacklist guards every entry, and a row of another user takes an
    administrator with `user_id="*"`; plain entries of such a handle are nobody's (`"-"`).

    Raises:
        InvalidRequest: `entries` is no list of such things.
        LoomError: of the first entry that is refused, if `atomic`; nothing was written.
    """

    name: ClassVar[str] = "namespace.import"
    role: ClassVar[Role] = Role.WRITER

    entries: Sequence[ExportedMemory | Mapping[str, Any]] = field(kw_only=False)
    #: Id of the export the entries come from.
    origin: str = ""
    atomic: bool = False

    def run(self, context: Context) -> ImportOutcome:
        """Check, judge and write entry after entry."""
        _require_for_all(context)
        atomic = checked_flag(self.atomic, name="atomic")
        if isinstance(self.entries, str | Mapping) or not isinstance(
            self.entries, Sequence
        ):
            msg = "entries must be a list of mappings or exported memories."
            raise InvalidRequest(msg, field="entries")
        task = Import(operation=self.name, origin=checked_text(self.origin, name="origin"))
        entries = [self._entry(context, entry, atomic=atomic) for entry in self.entries]
        lines = import_all(context, task, entries, atomic=atomic)
        counts = Counter(line.code or line.result for line in lines)
        return ImportOutcome(results=tuple(lines), counts=dict(counts))

    def _entry(
        self, context: Context, entry: ExportedMemory | Mapping[str, Any], *, atomic: bool
    ) -> Entry:
        try:
            if not isinstance(entry, ExportedMemory):
                return draft_of(_as_nobody(context), self.name, entry)
            return checked_memory(
                entry,
                org=context.identity.org,
                namespace=context.identity.namespace,
                max_bytes=context.env.settings.max_value_bytes,
                detects=context.env.settings.sensitivity_autodetect,
            )
        except LoomError as error:
            if isinstance(entry, ExportedMemory):
                error.details.setdefault("memory_key", str(entry.head.memory_key))
            if atomic:
                raise
            return error


def _require_for_all(context: Context) -> None:
    """Rows of every user are an administrator's (R-04)."""
    identity = context.identity
    if identity.user_id == ANY:
        context.require(Role.ADMIN, identity.org, identity.namespace)


def _as_nobody(context: Context) -> Context:
    """A handle for every user writes plain entries as nobody in particular."""
    if context.identity.user_id != ANY:
        return context
    return Context(context.env, attrs.evolve(context.identity, user_id=ANONYMOUS))
