"""The newest versions in memory, derived from the journal and equal to a rebuild of it.

A reader brings the version it sees, takes no lock, and finds rows born by then. Writers
hold the storage's write lock for everything here that changes something.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from loom.backends.live.fingerprint import fingerprint_of
from loom.backends.live.index import Index
from loom.backends.live.lines import Entered, Line, Node
from loom.backends.live.partition import ENDLESS, Entry, Partition
from loom.backends.live.partitions import Partitions
from loom.backends.live.passages import Content, Passage
from loom.backends.live.pinning import named_in, pinned_in, without_pinned
from loom.backends.live.probing import Probes
from loom.backends.live.recent import newest_first, wants_newest
from loom.backends.live.rows import Predicate, page_of, predicate
from loom.backends.live.searching import match, nearest
from loom.errors import StorageError
from loom.model.audit import AuditRow
from loom.model.entries import EXCERPT, Vector
from loom.model.identity import Address, ScopeKey
from loom.model.memory import MemoryRow
from loom.storage.batch import Batch
from loom.storage.query import Match, Near, Nearest, Page, Select
from loom.storage.tables import MEMORY, Stored, name_of, table_of
from loom.storage.where import Where

__all__ = ["LiveView"]

T = TypeVar("T")

#: Indexed fields whose values are ids: one index for the store, since they are asked for
#: without a scope.
_GLOBAL: Final = "duplicate_of"
#: Indexed fields that have an index of their own in each partition.
_INDEXED: Final = tuple(n for n in MEMORY.indexed if n not in ("memory_id", _GLOBAL))

#: More ids than this are looked for like any other value.
_FEW_IDS: Final = 64

#: Finds the entries of a content that the batch does not bring.
Recall = Callable[[Content], tuple[Passage, ...]]


class LiveView:
    """Heads, their entries, and the indexes over both."""

    def __init__(self) -> None:
        #: What readers see: set once a group is durable, last of all.
        self.published = 0
        self._by_name: dict[object, Line] = {}
        self._by_id: dict[object, Line] = {}
        self._duplicates = Index(_GLOBAL)
        self._others: dict[str, dict[object, Line]] = {}
        self._partitions = Partitions(_INDEXED)
        #: Lines with a version before the newest, and since when, in that order.
        self._retired: list[tuple[int, Line]] = []

    def line(self, name: Address | str) -> Line | None:
        """The line at an address or of a memory id."""
        return (self._by_id if isinstance(name, str) else self._by_name).get(name)

    def row(self, name: Address | str, seen: int) -> MemoryRow | None:
        """The row that stood there as of `seen`."""
        line = self.line(name)
        found: MemoryRow | None = None if line is None else line.at(seen)
        if found is None or isinstance(name, str) or found.beside == name.beside:
            return found
        return None  # it came to this address later, or has left it

    def keys_of(self, where: Where) -> tuple[str, ...] | None:
        """The keys of the few memory ids a predicate names; None if it names none."""
        ids = pinned_in(where).get("memory_id", ())
        if not ids or len(ids) > _FEW_IDS:
            return None
        lines = [line for name in ids if (line := self._by_id.get(name)) is not None]
        return tuple({row.memory_key for line in lines for row in line.rows()[:1]})

    def select(self, query: Select[T], seen: int) -> Page[T]:
        """A `Heads` query as of `seen`."""
        return page_of(self._qualified(query, seen), query)

    def count(self, query: Select[Any], seen: int) -> int:
        """How many heads satisfy it as of `seen`."""
        return sum(1 for _ in self._qualified(query, seen))

    def nearest(
        self, query: Nearest, seen: int, probes: Probes | None = None
    ) -> tuple[tuple[Near, ...], ...]:
        """Exact vector search over the heads as of `seen`."""
        return nearest(self.partitions_of(query.scopes), query, seen, probes)

    def probes(self, query: Nearest) -> Probes:
        """The long part of `nearest`, for a writer to begin with before it locks."""
        return Probes(query, self.partitions_of(query.scopes))

    def match(self, query: Match, seen: int) -> tuple[Near, ...]:
        """BM25 over the heads as of `seen`."""
        return match(self.partitions_of(query.scopes), query, seen)

    def vector(self, content: Content, seen: int) -> Vector | None:
        """The excerpt's vector of a content, if it is a head's and seen."""
        line = self._by_id.get(content[0])
        if line is None:
            return None
        row = line.at(seen)
        if row is None or row.content_sha256 != content[1]:
            return None
        for entry in line.entries:
            if entry.ordinal == EXCERPT:
                return entry.vector(seen, row.content_sha256)
        return None

    def passages(self, content: Content) -> tuple[Passage, ...]:
        """The entries of a content, if a head has it; empty if none has."""
        line = self._by_id.get(content[0])
        node = None if line is None else line.newest
        if line is None or node is None or node.row.content_sha256 != content[1]:
            return ()
        held = [entry.held(content[1]) for entry in line.entries]
        whole = [passage for passage in held if passage is not None]
        return tuple(whole) if len(whole) == len(held) else ()

    def partitions_of(self, scopes: Iterable[ScopeKey]) -> list[Partition]:
        """The partitions that the scopes name, each once."""
        return self._partitions.of_scopes(scopes)

    def _qualified(self, query: Select[T], seen: int) -> Iterator[T]:
        if query.table.name == MEMORY.name:
            return self._memories(query, seen)
        lines = self._others.get(query.table.name)
        if not lines:
            return iter(())
        keeps = predicate(query.where)
        chosen = named_in(lines, query.where, query.table.identity)
        found = (line.at(seen) for line in chosen)
        return (row for row in found if row is not None and keeps(row))

    def _memories(self, query: Select[Any], seen: int) -> Iterator[Any]:
        where = query.where
        pinned = pinned_in(where)
        keeps: Predicate | None = None  # made for the first row: mostly there is none
        if "memory_id" in pinned or _GLOBAL in pinned:
            keeps = predicate(where)
            for line in self._named(pinned):
                row = line.at(seen)
                if row is not None and keeps(row):
                    yield row
            return
        index = next(filter(pinned.__contains__, _INDEXED), None)
        if index is not None and wants_newest(query):
            parts = self._partitions.pinned(pinned)
            lines = dict.fromkeys(x for p in parts for x in p.lines_named(index, pinned))
            yield from newest_first(lines, seen, predicate(where), (query.limit or 0) + 1)
            return
        for partition in self._partitions.pinned(pinned):
            kind = partition.scope.memory_type
            for line in partition.lines_named(index, pinned):
                row = line.at(seen)
                # A line that changed its type is in two partitions for a while.
                if row is None or row.memory_type != kind:
                    continue
                keeps = predicate(without_pinned(where, pinned)) if keeps is None else keeps
                if keeps(row):
                    yield row

    def _named(self, pinned: Mapping[str, tuple[Any, ...]]) -> Iterator[Line]:
        if "memory_id" not in pinned:
            yield from self._duplicates.lines_of(pinned[_GLOBAL])
            return
        for name in pinned["memory_id"]:
            line = self._by_id.get(name)
            if line is not None:
                yield line

    # --- writing: the caller holds the write lock

    def check(self, batch: Batch, stamp: int) -> None:
        """Whether the batch can be entered on what stands here.

        Raises:
            StorageError: a version is not the stamp, a parent is not the head, two rows
                of the batch are one, or an id and an address do not belong together.
        """
        names: set[object] = set()
        for row in batch.rows:
            table = table_of(row)
            name = (table.name, *name_of(row))
            if row.version != stamp or name in names:
                msg = "a batch holds two versions of one row, or a version of its own."
                raise StorageError(msg, table=table.name, version=row.version)
            names.add(name)
            if isinstance(row, AuditRow):
                continue
            if isinstance(row, MemoryRow):
                if row.address in names:
                    msg = "a batch holds two memory ids for one address."
                    raise StorageError(msg)
                names.add(row.address)
            head = self.head(row)
            parent = 0 if head is None else head.version
            if row.parent != parent:
                msg = (
                    "a row replaces another version than the one that stands; judge again."
                )
                raise StorageError(msg, table=table.name, parent=row.parent, head=parent)

    def head(self, row: Stored) -> Any:
        """What stands in the row's place, staged versions included.

        Raises:
            StorageError: its id stands at another address, or the address has another id.
        """
        if not isinstance(row, MemoryRow):
            line = self._others.get(table_of(row).name, {}).get(name_of(row))
            return None if line is None or line.newest is None else line.newest.row
        line = self._by_id.get(row.memory_id)
        there = self._by_name.get(row.address)
        head = None if line is None or line.newest is None else line.newest.row
        # A row kept beside its key's place may move into it, if that is free.
        moves = there is None and head is not None and head.address.own == row.address
        if line is not there and not moves:
            msg = "a memory id belongs to one address, and an address to one memory id."
            raise StorageError(msg, memory_id=row.memory_id)
        return head

    def enter(
        self,
        row: Stored,
        born: int,
        horizon: int,
        passages: tuple[Passage, ...] | None,
        recall: Recall,
    ) -> Entered | None:
        """Hang a row before the head it replaces; nobody sees it before `born`.

        Args:
            row: the new head.
            born: greater than every version entered so far.
            horizon: what the oldest reader sees.
            passages: the entries of its content; None if the batch brings none.
            recall: asked for the entries of a content that was there before.
        """
        if isinstance(row, AuditRow):
            return None
        if not isinstance(row, MemoryRow):
            return self._enter_other(row, born)
        line = self._by_id.get(row.memory_id)
        if line is None:
            line = Line()
        old = line.newest
        partition = self._partitions.at(row.scope)
        reused = (
            passages is None
            and row.searchable
            and old is not None
            and partition is line.partition
            and old.row.searchable
            and old.row.content_sha256 == row.content_sha256
        )
        old_partition, old_entries = line.partition, line.entries
        new_entries: tuple[Entry, ...] = ()
        if not reused:
            sha = row.content_sha256
            if not row.searchable:
                passages = ()
            elif passages is None:
                content = (row.memory_id, sha)
                passages = self.passages(content) or recall(content)
            new_entries = self._replaced(line, partition, sha, passages, born, horizon)
        partition.enter(line, row)
        self._duplicates.add(line, row)
        line.partition = partition
        line.newest = Node(row, born, old)
        moved_to: Address | None = None
        if old is None:
            self._by_name[row.address] = line
            self._by_id[row.memory_id] = line
        else:
            self._retired.append((born, line))
            if old.row.beside != row.beside:
                moved_to = row.address
                self._by_name[moved_to] = line
        if reused:
            old_entries = ()
        return Entered(line, line.newest, moved_to, old_partition, old_entries, new_entries)

    def attach(
        self, content: Content, passages: tuple[Passage, ...], born: int, horizon: int
    ) -> Entered | None:
        """Give the head other entries for the same content (another embedder's)."""
        line = self._by_id.get(content[0])
        if line is None or line.newest is None or line.partition is None:
            return None
        row = line.newest.row
        if row.content_sha256 != content[1] or not row.searchable:
            return None
        old = line.entries
        new = self._replaced(line, line.partition, content[1], passages, born, horizon)
        return Entered(line, None, None, line.partition, old, new)

    def undo(self, entered: Entered) -> None:
        """As if the row had never been entered; latest first."""
        line = entered.line
        for entry in entered.new_entries:
            entry.partition.abandon(entry)
        for entry in entered.old_entries:
            entry.partition.revive(entry)
        if entered.new_entries or entered.old_entries:
            line.entries = entered.old_entries
        node = entered.node
        if node is None:
            return
        partition, row = line.partition, node.row
        line.newest = node.previous
        line.partition = entered.old_partition
        if entered.moved_to is not None:
            self._by_name.pop(entered.moved_to, None)
        if partition is not None:
            kept = line.rows()
            self._duplicates.drop(line, row, kept)
            partition.leave(line, row, [k for k in kept if partition.is_of(k)])
        if line.newest is None:
            self._forget(row)

    def prune(self, horizon: int) -> None:
        """Let go of versions that nobody sees any more."""
        done = 0
        for born, line in self._retired:
            if born > horizon:
                break
            done += 1
            self._cut(line, horizon)
        if done:
            del self._retired[:done]

    def _enter_other(self, row: Stored, born: int) -> Entered:
        lines = self._others.setdefault(table_of(row).name, {})
        name = name_of(row)
        line = lines.get(name) or Line()
        line.newest = Node(row, born, line.newest)
        lines[name] = line
        if line.newest.previous is not None:
            self._retired.append((born, line))
        return Entered(line, line.newest, None, None, (), ())

    def _forget(self, row: Stored) -> None:
        if isinstance(row, MemoryRow):
            self._by_name.pop(row.address, None)
            self._by_id.pop(row.memory_id, None)
        else:
            self._others[table_of(row).name].pop(name_of(row), None)

    def _replaced(
        self,
        line: Line,
        partition: Partition,
        content: str,
        passages: Sequence[Passage],
        born: int,
        horizon: int,
    ) -> tuple[Entry, ...]:
        for entry in line.entries:
            entry.partition.bury(entry, born)
        line.entries = tuple(
            partition.add(line, content, passage, born, horizon) for passage in passages
        )
        return line.entries

    def _cut(self, line: Line, horizon: int) -> None:
        node = line.newest
        while node is not None and node.born > horizon:
            node = node.previous
        if node is None or node.previous is None:
            return
        gone, node.previous = node.previous, None
        kept = line.rows()
        cut: Node | None = gone
        while cut is not None:
            row = cut.row
            if isinstance(row, MemoryRow):
                self._duplicates.drop(line, row, kept)
                partition = self._partitions.at(row.scope)
                partition.leave(line, row, [k for k in kept if partition.is_of(k)])
                partition.compact(horizon)
            cut = cut.previous

    def fingerprint(self) -> str:
        """A digest of everything here by content alone; staged rows are part of it."""
        others = {
            kind: [line.at(ENDLESS - 1) for line in lines.values()]
            for kind, lines in self._others.items()
        }
        return fingerprint_of(self._partitions, others)
