"""What an import carries from before the lock to under it, and what it signals back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from attrs import define, field, frozen

from loom.errors import LoomError
from loom.model.audit import AuditRow
from loom.model.entries import Embedded
from loom.model.memory import MemoryRow
from loom.plans.draft import Prepared
from loom.plans.exported import ExportedMemory
from loom.storage.contract import Reader
from loom.storage.query import Select, Versions
from loom.storage.tables import MEMORY
from loom.storage.where import Equal, all_of

__all__ = [
    "JUDGED",
    "RECREATED",
    "UNCHANGED",
    "Content",
    "Entry",
    "Import",
    "Lacking",
    "Objection",
    "Ready",
    "fate_of",
]

#: A plain entry as a draft, an exported memory, or the error of one that is malformed.
Entry: TypeAlias = Prepared | ExportedMemory | LoomError
#: Memory id and content hash.
Content: TypeAlias = tuple[str, str]


@frozen(kw_only=True, slots=True, hash=False)
class Import:
    """One import: by which operation, from which export."""

    operation: str
    #: Id of the export; empty for plain entries.
    origin: str = ""


@define(slots=True)
class Ready:
    """What was made before the lock; filled up as it turns out to be needed."""

    #: Embedding entries of contents.
    entries: dict[Content, tuple[Embedded, ...]] = field(factory=dict)
    #: Drafts of exported memories that are judged, by memory id.
    drafts: dict[str, Prepared] = field(factory=dict)
    #: Drafts with vectors, by the id of the new row they carry.
    embedded: dict[str, Prepared] = field(factory=dict)


class Lacking(Exception):
    """Something turned out to need what is made before the lock."""

    def __init__(
        self,
        *,
        rows: Sequence[MemoryRow] = (),
        memory: ExportedMemory | None = None,
        draft: Prepared | None = None,
    ) -> None:
        super().__init__()
        self.rows = rows
        self.memory = memory
        self.draft = draft


class Objection(Exception):
    """A refusal that undoes the whole import, and its audit entry if a guard gave it."""

    def __init__(self, error: LoomError, audit: AuditRow | None = None) -> None:
        super().__init__()
        self.error = error
        self.audit = audit


UNCHANGED: Final = "unchanged"
RECREATED: Final = "imported"
JUDGED: Final = "judged"


def fate_of(reader: Reader, memory: ExportedMemory) -> str:
    """`unchanged`, `imported` or `judged`: what an allowed memory's arrival comes to.

    It is unchanged where the row at its address ever said what it says, or where it is
    deleted in the file: an import neither doubles, nor revives, nor deletes. It is judged
    where its address or its id is taken; else it is recreated.
    """
    head = memory.head
    standing = reader.row(head.address)
    if standing is None and reader.row(head.memory_id) is None:
        return RECREATED
    if not head.is_live():
        return UNCHANGED
    if standing is None:
        return JUDGED
    if standing.content_sha256 == head.content_sha256:
        return UNCHANGED
    said = all_of(
        Equal("memory_id", standing.memory_id), Equal("content_sha256", head.content_sha256)
    )
    before = reader.select(Select(table=MEMORY, where=said, view=Versions(), limit=1))
    return UNCHANGED if before.rows else JUDGED
