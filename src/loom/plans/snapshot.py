"""A namespace at one instant, in parts; and what its rows become elsewhere.

A snapshot is a sequence of `Snapshot` parts. They name their place, the first says what
holds for all, the last how much there was, so that a reader who has gone through them
knows that nothing is missing before anything is written. This module is pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import NoReturn

import attrs
from attrs import define, field, frozen

from loom.errors import InvalidRequest
from loom.model.audit import AuditRow
from loom.model.identity import Address
from loom.model.memory import MemoryRow
from loom.model.namespace import NamespaceRow
from loom.model.readable import Readable, readonly
from loom.model.status import Status
from loom.plans.exported import ExportedMemory

__all__ = ["SNAPSHOT_FORMAT", "Contents", "Homes", "RestoreOutcome", "Snapshot", "rehomed"]

#: The version of the format; a reader refuses a greater one.
SNAPSHOT_FORMAT = 1


@frozen(kw_only=True, slots=True, hash=False)
class Snapshot(Readable):
    """One part of a snapshot; of a small namespace the only one.

    All parts show one instant of the store. A canonical row comes before its duplicates.
    """

    snapshot_id: str
    #: From 0.
    part: int = 0
    #: Where the next part begins; None in the last one.
    cursor: str | None = None

    # What holds for the whole, in every part.
    org: str
    namespace: str
    #: Whose rows it holds; `"*"` for everybody's.
    user_id: str
    taken_at: datetime
    #: The newest version it knows.
    known_by: int
    #: Name and dimension of the embedder that its vectors are from.
    embedder: str = ""
    dimension: int = 0
    #: Whether the older versions of each memory are in it.
    history: bool = False

    # In the first part alone.
    #: What the namespace said: policies, thresholds, rules of tags and types; None where
    #: it was never registered.
    settings: NamespaceRow | None = None
    #: Roles that the store itself keeps: none, since roles come with the caller.
    grants: tuple[str, ...] = ()
    #: The newest audit entries, newest first: hashes, no values.
    audit_tail: tuple[AuditRow, ...] = ()
    #: How many rows of high sensitivity were left out (R-46).
    withheld: int = 0

    memories: tuple[ExportedMemory, ...] = ()
    #: From a memory id to the vector of its newest version's excerpt, as base64 of
    #: little-endian float32; only where it was asked for.
    vectors: Mapping[str, str] = field(factory=dict, converter=readonly)
    #: Memories and older versions in this part and all before it.
    memories_so_far: int = 0
    versions_so_far: int = 0


@frozen(kw_only=True, slots=True, hash=False)
class RestoreOutcome(Readable):
    """What a restore did."""

    snapshot_id: str
    target_namespace: str
    #: False where this snapshot had been restored there before: nothing was done.
    restored: bool
    #: Memories and older versions that were written as they were.
    memories: int = 0
    versions: int = 0
    #: From what became of a memory to how many: `imported`, `unchanged`, or a verdict where
    #: its key says something else here.
    counts: Mapping[str, int] = field(factory=dict, converter=readonly)
    #: Rows that got new memory ids, because theirs stand elsewhere in this store.
    renamed: int = 0
    #: Rows that were filed under the row of another agent, which has their key now.
    filed: int = 0
    #: `restored`, `kept` (the target says something already) or `none`.
    settings: str = "none"


@define(slots=True)
class Contents:
    """All parts, gathered and seen to be parts of one."""

    snapshot_id: str = ""
    first: Snapshot | None = None
    _next: int = 0
    _last: Snapshot | None = None
    _versions: int = 0
    #: In the order of the file, checked.
    memories: list[ExportedMemory] = field(factory=list)
    #: From a memory id to its vector, as the part had it.
    vectors: dict[str, str] = field(factory=dict)
    #: From an address there to the standing of its rows.
    claims: dict[Address, list[_Claim]] = field(factory=dict)

    def add(self, part: Snapshot, memories: Iterable[ExportedMemory]) -> None:
        """The next part, its memories checked.

        Raises:
            InvalidRequest: it is not the part that follows.
        """
        self._follow(part)
        for memory in memories:
            head = memory.head
            self._versions += len(memory.history)
            self.memories.append(memory)
            claim = _Claim(head.memory_id, head.is_live(), head.version)
            self.claims.setdefault(head.address, []).append(claim)
        self.vectors.update(part.vectors)
        counted = (part.memories_so_far, part.versions_so_far)
        if (len(self.memories), self._versions) != counted:
            _refuse("a part counts other memories than it holds")

    def _follow(self, part: Snapshot) -> None:
        if self.first is None:
            self.first, self.snapshot_id = part, part.snapshot_id
        elif part.snapshot_id != self.snapshot_id:
            _refuse("two of its parts are of different snapshots")
        if part.part != self._next or (self._last and self._last.cursor is None):
            _refuse("its parts do not follow one another")
        self._next += 1
        self._last = part

    def close(self) -> Snapshot:
        """The first part, once the last was seen.

        Raises:
            InvalidRequest: the last part is missing, or an id stands twice.
        """
        if self.first is None or self._last is None or self._last.cursor is not None:
            _refuse("its end is missing: it was cut short")
        if len({memory.head.memory_id for memory in self.memories}) != len(self.memories):
            _refuse("a memory stands in it twice")
        return self.first


@frozen(slots=True)
class _Claim:
    memory_id: str
    is_live: bool
    version: int


def _refuse(why: str) -> NoReturn:
    msg = f"This is no whole snapshot: {why}. Nothing was restored; take it anew."
    raise InvalidRequest(msg, field="payload")


def rehomed(
    contents: Contents,
    *,
    rebind_agent: str,
    is_taken: Callable[[str], bool],
    new_id: Callable[[], str],
) -> Homes:
    """Where each memory is to live: its id, and whether another holds its key.

    Args:
        contents: all parts, looked through.
        rebind_agent: the agent every row is to be of; empty keeps each row's own.
        is_taken: whether a memory id stands elsewhere in this store.
        new_id: gives an id that was never used.
    """
    known = (memory.head.memory_id for memory in contents.memories)
    ids = {memory_id: new_id() for memory_id in known if is_taken(memory_id)}
    winners: dict[Address, _Claim] = {}
    if rebind_agent:
        for address, claims in contents.claims.items():
            if address.beside:
                continue
            mine = attrs.evolve(address, agent=rebind_agent)
            best = max(
                (*claims, *([winners[mine]] if mine in winners else [])),
                key=lambda c: (c.is_live, c.version),
            )
            winners[mine] = best
    return Homes(
        agent=rebind_agent,
        ids=ids,
        holders={address: claim.memory_id for address, claim in winners.items()},
    )


@frozen(kw_only=True, slots=True, hash=False)
class Homes:
    """New ids, the new agent, and who holds each key."""

    agent: str
    #: From the id in the snapshot to the new one.
    ids: Mapping[str, str]
    #: From an address of the new agent to the id, in the snapshot, of its row.
    holders: Mapping[Address, str]

    def move(self, memory: ExportedMemory) -> ExportedMemory:
        """The memory where it is to live, with all that it names."""
        head = self._moved(memory.head)
        if not head.beside and self._is_outdone(memory.head):
            head = self._filed(memory.head, head)
        history = [
            attrs.evolve(self._moved(row), beside=head.beside) for row in memory.history
        ]
        return ExportedMemory(head=head, history=tuple(history))

    def files(self, memory: ExportedMemory) -> bool:
        """Whether another agent's row has its key now."""
        return not memory.head.beside and self._is_outdone(memory.head)

    def _is_outdone(self, row: MemoryRow) -> bool:
        mine = attrs.evolve(row.address, agent=self.agent)
        return self.holders.get(mine, row.memory_id) != row.memory_id

    def _filed(self, old: MemoryRow, row: MemoryRow) -> MemoryRow:
        """In the history of the key: superseded by the row that holds it."""
        holder = self.holders[attrs.evolve(old.address, agent=self.agent)]
        filed = attrs.evolve(row, beside=row.memory_id, pinned=False)
        if not row.is_live():
            return filed
        return attrs.evolve(
            filed,
            status=Status.SUPERSEDED,
            superseded_by=self._id(holder),
            invalid_at=row.updated_at,
            conflict_with=(),
            duplicate_of="",
        )

    def _moved(self, row: MemoryRow) -> MemoryRow:
        memory_id = self._id(row.memory_id)
        return attrs.evolve(
            row,
            agent=self.agent or row.agent,
            memory_id=memory_id,
            beside=memory_id if row.beside else "",
            conflict_with=tuple(sorted(map(self._id, row.conflict_with))),
            duplicate_of=self._id(row.duplicate_of) if row.duplicate_of else "",
            superseded_by=self._id(row.superseded_by) if row.superseded_by else "",
            allowed_with=tuple(sorted(map(self._mark, row.allowed_with))),
        )

    def _id(self, known: str) -> str:
        return self.ids.get(known, known)

    def _mark(self, mark: str) -> str:
        memory_id, colon, content = mark.partition(":")
        return f"{self._id(memory_id)}{colon}{content}"
