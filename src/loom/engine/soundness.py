"""Whether stored rows are what the rules make of them: hashes, links, entries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from loom.engine.read import ScopedReader
from loom.model.findings import NamedFinding
from loom.model.masking import is_secret
from loom.model.memory import MemoryRow
from loom.model.status import PEER_STATUSES, Status
from loom.plans.soundness import content_findings

__all__ = ["unsound"]

_ANEW: Final = (
    "memory.delete and then memory.restore compare it anew: to state it again leaves its "
    "links as they are."
)
#: What each finding means and what to do about it.
_MESSAGES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "content_hash": (
            "The value does not have the hash beside it: the file was changed by "
            "something else. Take it from a backup, or delete it and write what is right "
            "with memory.set."
        ),
        "canonical_hash": (
            "The row was written under another rule for canonical forms. Delete it and "
            "write it again with memory.set."
        ),
        "not_a_procedure": (
            "A procedural memory needs a situation and at least two steps. Write it "
            "again: it is then kept as semantic."
        ),
        "one_sided_conflict": (
            "It is marked in conflict with a row that is gone or does not know of it. "
            f"{_ANEW}"
        ),
        "conflict_without_peer": (
            "It is marked conflicted, and what it contradicts is not in this store, "
            f"as after a partial import. {_ANEW}"
        ),
        "link_without_conflict": (
            f"It is not marked conflicted, but still linked in conflict. {_ANEW}"
        ),
        "duplicate_astray": (
            "It is a duplicate of a row that does not answer any more, so nothing "
            f"answers for its key. {_ANEW}"
        ),
        "superseded_astray": (
            "What took its place is not in this store. memory.restore brings it back."
        ),
        "secret_searchable": (
            "It is secret, and a search index still holds it. State its sensitivity "
            "again with memory.set, which removes it there."
        ),
        "not_embedded": (
            "No search finds it: it has no entry of the store's embedder. Run `loom "
            "reembed`."
        ),
    }
)


def unsound(reader: ScopedReader, row: MemoryRow) -> Iterator[NamedFinding]:
    """What is wrong with a row; nothing for a sound one.

    Args:
        reader: sees the row and what it refers to, secrets included.
        row: the newest version, of any status.
    """
    for code, related in (
        *((code, ()) for code in content_findings(row)),
        *_of_links(reader, row),
        *_of_standing(reader, row),
        *_of_entries(reader, row),
    ):
        yield NamedFinding(
            code=code,
            memory_key=row.memory_key,
            memory_id=row.memory_id,
            message=_MESSAGES[code],
            related=related,
        )


_Found = tuple[str, tuple[str, ...]]


def _of_links(reader: ScopedReader, row: MemoryRow) -> Iterator[_Found]:
    for partner_id in row.conflict_with:
        partner = reader.by_id(partner_id)
        if partner is None or row.memory_id not in partner.conflict_with:
            yield "one_sided_conflict", (partner_id,)
    marked = row.status is Status.CONFLICTED
    if marked and not row.conflict_with:
        yield "conflict_without_peer", ()
    if row.conflict_with and not marked:
        yield "link_without_conflict", row.conflict_with


def _of_standing(reader: ScopedReader, row: MemoryRow) -> Iterator[_Found]:
    if row.status is Status.DUPLICATE:
        canonical = reader.by_id(row.duplicate_of)
        if canonical is None or canonical.status not in PEER_STATUSES:
            yield "duplicate_astray", (row.duplicate_of,)
    if row.status is Status.SUPERSEDED and reader.by_id(row.superseded_by) is None:
        yield "superseded_astray", (row.superseded_by,)


def _of_entries(reader: ScopedReader, row: MemoryRow) -> Iterator[_Found]:
    wanted = row.searchable and row.status in PEER_STATUSES
    secret = is_secret(row)
    if not (wanted or secret):
        return
    has = reader.vector(row) is not None
    if secret and has:
        yield "secret_searchable", ()
    elif wanted and not has:
        yield "not_embedded", ()
