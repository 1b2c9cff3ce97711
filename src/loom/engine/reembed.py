"""Giving a store another embedder: new vectors beside the old ones, then the new name.

Every searchable content of every version is embedded again (R-16), block after block, each
with a note of how far it came, so that an interrupted run goes on where it stopped. Until
the last block the store still belongs to the old embedder and opens with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from attrs import frozen

from loom.engine.opening import recorded_embedder
from loom.engine.transfer import entries_for
from loom.errors import StoreUnavailable
from loom.model.facts_of_store import EMBEDDER, StoreFact
from loom.model.json_values import Json, freeze
from loom.model.memory import MemoryRow
from loom.model.readable import Readable
from loom.ports import Embedder
from loom.storage.batch import Batch, WriteScope
from loom.storage.contract import CommitFailed, Reader, Storage
from loom.storage.query import Cursor, Order, Page, Select, Versions
from loom.storage.tables import MEMORY, STORE_FACT
from loom.storage.where import Equal

__all__ = ["Progress", "ReembedOutcome", "reembed"]

#: Called with how many versions are done and how many there are.
Progress = Callable[[int, int], None]

_NOTE: Final = "reembed"
#: Memory id and content hash.
_Content: TypeAlias = tuple[str, str]
_BLOCK: Final = 256
_ATTEMPTS: Final = 3
_SEARCHABLE: Final = Equal("searchable", True)  # noqa: FBT003 - the field's value


@frozen(kw_only=True, slots=True)
class ReembedOutcome(Readable):
    """What a change of embedder did."""

    #: The embedder the store was written with; empty for a store without one.
    before: str
    #: The embedder it belongs to now.
    embedder: str
    dimension: int
    #: Distinct contents that were embedded by this call.
    contents: int
    #: Searchable versions they stand in.
    versions: int
    #: It belonged to this embedder already; nothing was written.
    noop: bool = False
    #: An earlier run had been interrupted and this one went on from there.
    resumed: bool = False


def reembed(
    storage: Storage, embedder: Embedder, progress: Progress | None = None
) -> ReembedOutcome:
    """Embed all that a store holds with another embedder, and bind the store to it.

    Args:
        storage: opened for the new embedder's space; nobody else writes to it.
        embedder: the new one.
        progress: told after each block.

    Raises:
        EmbeddingFailed: the embedder failed; what is done so far is kept.
        StoreUnavailable: a block could not be committed; what is done so far is kept.
    """
    old = recorded_embedder(storage)
    wanted = freeze({"name": embedder.name, "dimension": embedder.dimension})
    if old is not None and old.value == wanted:
        return _outcome(old, embedder, contents=0, versions=0, noop=True)
    after = _noted(storage, wanted)
    resumed = after is not None
    total = storage.count(Select(table=MEMORY, where=_SEARCHABLE, view=Versions()))
    contents = versions = 0
    seen = set() if after is None else _done_before(storage, after)
    for page in _pages(storage, after):
        fresh = _distinct(page.rows, seen)
        vectors = tuple(e for entries in entries_for(embedder, fresh) for e in entries)
        note = {"to": wanted, "after": list(page.next)} if page.next else None
        facts: dict[str, Any] = {_NOTE: note}
        if page.next is None:
            # The note goes and the name changes in one commit.
            facts[EMBEDDER] = wanted
        _write(storage, facts, vectors)
        contents, versions = contents + len(fresh), versions + len(page.rows)
        if progress is not None:
            progress(min(versions, total), total)
    return _outcome(old, embedder, contents=contents, versions=versions, resumed=resumed)


def _done_before(storage: Storage, after: Cursor) -> set[_Content]:
    """The contents that an interrupted run embedded: those up to where it stopped."""
    done: set[_Content] = set()
    for page in _pages(storage, None):
        for row in page.rows:
            if (row.version, row.memory_id) > after:
                return done
            done.add((row.memory_id, row.content_sha256))
    return done


def _pages(storage: Storage, after: Cursor | None) -> Iterator[Page[MemoryRow]]:
    """Searchable versions, oldest first; the last page, even an empty one, has no next."""
    while True:
        page = storage.select(
            Select(
                table=MEMORY,
                where=_SEARCHABLE,
                view=Versions(),
                order=(Order("version"),),
                after=after,
                limit=_BLOCK,
            )
        )
        yield page
        if page.next is None:
            return
        after = page.next


def _distinct(rows: tuple[MemoryRow, ...], seen: set[_Content]) -> list[MemoryRow]:
    """One row a content that was not met before."""
    fresh = []
    for row in rows:
        content = (row.memory_id, row.content_sha256)
        if content not in seen:
            seen.add(content)
            fresh.append(row)
    return fresh


def _fact(reader: Reader, name: str) -> StoreFact | None:
    rows = reader.select(Select(table=STORE_FACT, where=Equal("name", name))).rows
    return rows[0] if rows else None


def _noted(storage: Storage, wanted: Json) -> Cursor | None:
    """Where an interrupted run to the same embedder stopped."""
    note = _fact(storage, _NOTE)
    if note is None or not isinstance(note.value, dict) or note.value.get("to") != wanted:
        return None
    return tuple(note.value["after"])


def _write(storage: Storage, facts: dict[str, Any], vectors: tuple[Any, ...]) -> None:
    """Entries and facts in one commit, so that the note never says more than is done."""
    for _ in range(_ATTEMPTS):
        with storage.writing(WriteScope(org=None)) as writing:
            rows = []
            for name, value in facts.items():
                found = _fact(writing, name)
                if found is None and value is None:
                    continue
                parent = 0 if found is None else found.version
                rows.append(
                    StoreFact(
                        name=name, value=freeze(value), version=writing.stamp, parent=parent
                    )
                )
            receipt = writing.stage(Batch(rows=tuple(rows), vectors=vectors))
        try:
            receipt.wait()
        except CommitFailed:
            continue
        return
    msg = "A block could not be committed. What is done is kept: run it again to go on."
    raise StoreUnavailable(msg)


def _outcome(
    old: StoreFact | None,
    embedder: Embedder,
    *,
    contents: int,
    versions: int,
    noop: bool = False,
    resumed: bool = False,
) -> ReembedOutcome:
    recorded = old.value if old is not None and isinstance(old.value, dict) else {}
    return ReembedOutcome(
        before=str(recorded.get("name", "")),
        embedder=embedder.name,
        dimension=embedder.dimension,
        contents=contents,
        versions=versions,
        noop=noop,
        resumed=resumed,
    )
