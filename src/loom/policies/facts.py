"""What a rule is given: the claim to be written, and what the store knows about it.

All of it is gathered before the first rule runs, so a rule is a function of its two
arguments: no clock, no store, no randomness.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from attrs import field, frozen

from loom.model.identity import Address, Identity
from loom.model.json_values import FrozenDict, Json
from loom.model.memory import MemoryRow
from loom.model.patterns import PatternRow
from loom.model.provenance import SourceClass
from loom.model.thresholds import Thresholds
from loom.model.unset import UNSET, Unset
from loom.text.canonical import text_of
from loom.text.statements import is_bare

__all__ = ["Claim", "Details", "Draft", "Facts", "Peer", "closest_first"]


@frozen(kw_only=True, slots=True)
class Claim:
    """What is said, and under which key: all that sameness and contradiction look at."""

    memory_key: str
    #: The value as text (`text_of`).
    text: str
    #: Not a text, or at most three words: what it says lies in its key (R-34).
    bare: bool
    content_sha256: str
    canonical_sha256: str
    #: When the row that makes it leaves service by itself; None is never.
    ends_at: datetime | None = None
    #: The best known date in the world; None until it is settled.
    world_date: datetime | None = None
    #: Slots that hold one value at a time and that it fills; sorted.
    slots: tuple[str, ...] = ()
    #: `memory_id:content_sha256` of the stored row that makes it; empty for a draft.
    mark: str = ""
    #: Marks of claims that it may contradict, as somebody allowed (R-60).
    allowed: tuple[str, ...] = ()

    def outlasts(self, other: Claim) -> bool:
        """Whether it is still to stand when the other has ended."""
        if other.ends_at is None:
            return False
        return self.ends_at is None or self.ends_at > other.ends_at

    @classmethod
    def of(cls, row: MemoryRow) -> Claim:
        """The claim that a stored row makes."""
        return cls(
            memory_key=row.memory_key,
            text=text_of(row.value),
            bare=is_bare(row.value),
            content_sha256=row.content_sha256,
            canonical_sha256=row.canonical_sha256,
            ends_at=row.ends_at,
            world_date=row.world_date,
            slots=row.slots,
            mark=row.mark,
            allowed=row.allowed_with,
        )


@frozen(kw_only=True, slots=True, hash=False)
class Details:
    """What a request says beside the value; `UNSET` is "not said" (R-31)."""

    memory_type: str | Unset = UNSET
    tags: tuple[str, ...] | Unset = UNSET
    entities: tuple[str, ...] | Unset = UNSET
    files: tuple[str, ...] | Unset = UNSET
    confidence: float | Unset = UNSET
    metadata: FrozenDict | Unset = UNSET
    valid_at: datetime | None | Unset = UNSET
    valid_to: datetime | None | Unset = UNSET
    temporal_anchor: datetime | None | Unset = UNSET
    expires_at: datetime | None | Unset = UNSET
    on_expire: str | Unset = UNSET
    #: Settled with `sensitivity_stated`: what was said, else kept, else found (R-46).
    sensitivity: str | Unset = UNSET
    sensitivity_stated: bool | Unset = UNSET
    pinned: bool | Unset = UNSET
    source_resource_id: str | Unset = UNSET
    source_trace: FrozenDict | Unset = UNSET

    def said(self) -> dict[str, object]:
        """The fields that were said."""
        return {
            name: value
            for name in self.__slots__
            if name != "__weakref__" and (value := getattr(self, name)) is not UNSET
        }

    def changed_in(self, row: MemoryRow) -> tuple[str, ...]:
        """Names of the fields that were said and differ from the row's."""
        return tuple(n for n, value in self.said().items() if getattr(row, n) != value)


@frozen(kw_only=True, slots=True, hash=False)
class Draft:
    """One write, settled as far as it can be without the store."""

    #: The dotted name of the operation, for the audit entry.
    operation: str
    identity: Identity
    actor: str
    source_class: SourceClass
    #: The row written; its key is the one the caller used.
    address: Address
    #: The id a new row gets.
    new_id: str
    value: Json
    claim: Claim
    details: Details = field(factory=Details)
    #: Where the row would be embedded and compared.
    memory_type: str
    #: The write itself pins, so pins do not stand against it (R-42).
    pins: bool = False
    if_match_sha256: str | None = None
    #: Everything the caller wrote, for the blacklist; not the key.
    texts: tuple[str, ...] = ()
    #: Why, where somebody decided it; kept in the history.
    reason: str = ""
    #: The sensitivity that detection found in the value and its key.
    detected: str = ""
    #: The type that was asked for, where the value has not the form it needs.
    retyped_from: str = ""
    searchable: bool = True
    chunks: int = 0

    def is_of_another_run(self, row: MemoryRow) -> bool:
        """Whether the row is another run's: this run's own copy must stay findable."""
        return bool(self.identity.run_id) and row.run_id != self.identity.run_id


@frozen(kw_only=True, slots=True, hash=False)
class Peer:
    """A live row whose claim may be about the same thing."""

    row: MemoryRow
    #: Cosine to the draft.
    similarity: float
    claim: Claim


def closest_first(peers: Iterable[Peer]) -> tuple[Peer, ...]:
    """The peers in the order they are judged: ties newest first, then by id (R-51)."""

    def place(peer: Peer) -> tuple[float, int, str]:
        return (-peer.similarity, -peer.row.version, peer.row.memory_id)

    return tuple(sorted(peers, key=place))


@frozen(kw_only=True, slots=True, hash=False)
class Facts:
    """What the store knows that bears on one write, all of one instant."""

    #: The version this write would get, and its instant.
    stamp: int
    now: datetime
    thresholds: Thresholds
    #: The row under the address, whatever its status.
    head: MemoryRow | None = None
    #: A live row of the same hash that the bulk path takes for the fact (R-37).
    twin: MemoryRow | None = None
    #: Live rows under the key by others, which a newer write retires (R-44); none unless
    #: the namespace says so.
    elders: tuple[MemoryRow, ...] = ()
    #: Ids of peers that a tag of theirs keeps from being retired by another's write.
    shielded: frozenset[str] = frozenset()
    #: The same claim of the same date, filed into the key's history before.
    filed: MemoryRow | None = None
    #: The proposal that this write takes.
    accepts: MemoryRow | None = None
    #: The losing side of a conflict, which goes with this write.
    buries: MemoryRow | None = None
    #: Closest first (R-32).
    peers: tuple[Peer, ...] = ()
    #: The patterns in force for the namespace.
    patterns: tuple[PatternRow, ...] = ()

    @property
    def live_head(self) -> MemoryRow | None:
        """The head, if a write under its key is a revision of it."""
        if self.head is not None and self.head.is_current(self.now):
            return self.head
        return None
