"""Rows of an export: checked as a stranger's words, then made versions of this store.

Nothing that a file says of itself is trusted: hashes are taken again, names and times are
checked, the actor is the importer, and the source class is only ever lowered (R-47).
What stood in the file is kept under `source_trace["imported_from"]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

import attrs
from attrs import field, frozen

from loom.errors import InvalidRequest
from loom.model.entries import EXCERPT, Embedded, Vector
from loom.model.identity import checked_name
from loom.model.json_values import FrozenDict, freeze, sha256_of
from loom.model.keys import parse_key
from loom.model.memory import MemoryRow
from loom.model.memory_types import parse_memory_type, type_of
from loom.model.provenance import SourceClass, lower_class
from loom.model.readable import Readable
from loom.model.status import PEER_STATUSES, Event, Status
from loom.model.times import instant_of
from loom.plans.cascade import Weighing
from loom.plans.changes import Changes
from loom.plans.outcomes import PeerView
from loom.policies.facts import Claim, Peer
from loom.policies.verdicts import Conflict, Duplicate, Verdict
from loom.text.canonical import canonical_sha256, text_of
from loom.text.chunking import chunks_of, excerpt_of
from loom.text.tokens import terms_of

__all__ = [
    "TRACE",
    "Arrival",
    "Cut",
    "ExportedMemory",
    "ImportOutcome",
    "ImportedLine",
    "as_imported",
    "checked_memory",
    "entries_of",
    "origin_of",
    "passages_in",
    "settle_arrivals",
    "traced",
]

#: The member of `source_trace` that says what a row was where it came from.
TRACE: Final = "imported_from"

_RESTORED: Final = "restored:"
_LONGEST_TEXT: Final = 1_000
_MOST_TEXTS: Final = 1_000


@frozen(kw_only=True, slots=True, hash=False)
class ExportedMemory(Readable):
    """One memory of an export."""

    #: Its newest version, whatever its status.
    head: MemoryRow
    #: The versions before it, oldest first; empty where history was not asked for.
    history: tuple[MemoryRow, ...] = ()

    @property
    def versions(self) -> tuple[MemoryRow, ...]:
        """All of them, oldest first."""
        return (*self.history, self.head)


@frozen(kw_only=True, slots=True, hash=False)
class ImportedLine(Readable):
    """What became of one entry of an import."""

    memory_key: str
    memory_id: str = ""
    #: `imported`: recreated as it was; `unchanged`: it was here already; a verdict of
    #: `memory.set` where the entry was judged; `refused`.
    result: str
    status: str = ""
    #: How many versions were written of the entry's row.
    versions: int = 0
    #: The rows it was compared with, where it was judged, closest first.
    peers: tuple[PeerView, ...] = ()
    #: The error a single write would raise, where the result is `refused`.
    code: str = ""
    message: str = ""


def _readonly(counts: Mapping[str, int]) -> Mapping[str, int]:
    return MappingProxyType(dict(counts))


@frozen(kw_only=True, slots=True, hash=False)
class ImportOutcome(Readable):
    """One answer an entry, in the order given, and how many there are of each kind."""

    results: tuple[ImportedLine, ...]
    #: From a result, or an error's code, to how many entries had it.
    counts: Mapping[str, int] = field(converter=_readonly)


def checked_memory(
    memory: ExportedMemory, *, org: str, namespace: str, max_bytes: int
) -> ExportedMemory:
    """The memory as it would stand in a namespace here, every field checked.

    Args:
        memory: as a file gave it.
        org: where it is to stand.
        namespace: where it is to stand.
        max_bytes: the largest canonical JSON of a value.

    Raises:
        InvalidRequest: a field is malformed, a value does not have its hash, or the
            versions are not those of one memory in their order.
    """
    rows = [
        _checked(attrs.evolve(row, org=org, namespace=namespace), max_bytes)
        for row in memory.versions
    ]
    head = rows[-1]
    one = all(r.memory_id == head.memory_id and r.address == head.address for r in rows)
    rising = all(a.version < b.version for a, b in pairwise(rows))
    if not one or not rising:
        msg = "the versions of an exported memory are not those of one row in their order."
        raise InvalidRequest(msg, memory_key=head.memory_key)
    return ExportedMemory(head=head, history=tuple(rows[:-1]))


def _checked(row: MemoryRow, max_bytes: int) -> MemoryRow:
    value = freeze(row.value, max_bytes=max_bytes)
    content = sha256_of(value)
    if content != row.content_sha256:
        msg = (
            "the value does not have the content_sha256 beside it; give an edited line as "
            "a plain entry with memory_key and value."
        )
        raise InvalidRequest(msg, field="content_sha256")
    _check_numbers(row)
    _check_times(row)
    memory_type = parse_memory_type(row.memory_type)
    searchable = type_of(memory_type).embedded
    return attrs.evolve(
        row,
        agent=checked_name(row.agent, field="agent"),
        user_id=checked_name(row.user_id, field="user_id"),
        session_id=checked_name(row.session_id, field="session_id", empty=True),
        run_id=checked_name(row.run_id, field="run_id", empty=True),
        memory_key=parse_key(row.memory_key),
        memory_id=_id(row.memory_id),
        value=value,
        memory_type=memory_type,
        tags=_texts(row.tags, "tags"),
        entities=_texts(row.entities, "entities"),
        files=_texts(row.files, "files"),
        conflict_with=tuple(sorted({_id(i) for i in row.conflict_with})),
        duplicate_of=_id(row.duplicate_of) if row.duplicate_of else "",
        superseded_by=_id(row.superseded_by) if row.superseded_by else "",
        metadata=_object(row.metadata, "metadata", max_bytes),
        source_trace=_object(row.source_trace, "source_trace", max_bytes),
        source_resource_id=_text(row.source_resource_id, "source_resource_id"),
        lock_reason=_text(row.lock_reason, "lock_reason"),
        locked_by=_text(row.locked_by, "locked_by"),
        actor=_text(row.actor, "actor"),
        verified_by=_text(row.verified_by, "verified_by"),
        verified_sha256=_text(row.verified_sha256, "verified_sha256"),
        canonical_sha256=canonical_sha256(value, content),
        searchable=searchable,
        chunks=len(chunks_of(text_of(value))) if searchable else 0,
    )


def _check_numbers(row: MemoryRow) -> None:
    whole = {"version": 1, "parent": 0, "reinforcement_count": 1}
    for name, least in whole.items():
        number = _untyped(row, name)
        if isinstance(number, bool) or not isinstance(number, int) or number < least:
            msg = f"{name} must be a whole number of at least {least}."
            raise InvalidRequest(msg, field=name)
    pinned, confidence = _untyped(row, "pinned"), _untyped(row, "confidence")
    if not isinstance(pinned, bool):
        msg = "pinned must be true or false."
        raise InvalidRequest(msg, field="pinned")
    if not isinstance(confidence, float) or not 0.0 <= confidence <= 1.0:
        msg = "confidence must be a number from 0 to 1."
        raise InvalidRequest(msg, field="confidence")


def _untyped(row: MemoryRow, name: str) -> Any:
    """A field that a file gave, whatever its annotation promises."""
    return getattr(row, name)


def _check_times(row: MemoryRow) -> None:
    if (
        row.valid_at is not None
        and row.valid_to is not None
        and row.valid_to < row.valid_at
    ):
        msg = "valid_to lies before valid_at; a claim cannot end before it begins."
        raise InvalidRequest(msg, field="valid_to")
    for name in ("created_at", "updated_at"):
        if not isinstance(_untyped(row, name), datetime):
            msg = f"{name} is missing; an exported row has both."
            raise InvalidRequest(msg, field=name)
    if row.status is Status.TOMBSTONED and row.tombstoned_at is None:
        msg = "a tombstoned row needs tombstoned_at."
        raise InvalidRequest(msg, field="tombstoned_at")


def _id(value: object) -> str:
    try:
        known = UUID(value) if isinstance(value, str) else None
    except ValueError:
        known = None
    if known is None or str(known) != value:
        msg = "a memory id is no UUID in its usual text form."
        raise InvalidRequest(msg, field="memory_id")
    return str(known)


def _text(value: object, name: str) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST_TEXT:
        msg = f"{name} must be a string of at most {_LONGEST_TEXT} characters."
        raise InvalidRequest(msg, field=name)
    freeze(value, field=name)
    return value


def _texts(values: object, name: str) -> tuple[str, ...]:
    if not isinstance(values, tuple) or len(values) > _MOST_TEXTS or not all(values):
        msg = f"{name} must be a list of at most {_MOST_TEXTS} non-empty strings."
        raise InvalidRequest(msg, field=name)
    return tuple(dict.fromkeys(_text(value, name) for value in values))


def _object(value: object, name: str, max_bytes: int) -> FrozenDict:
    checked = freeze(value, field=name, max_bytes=max_bytes)
    if not isinstance(checked, FrozenDict):
        msg = f"{name} must be a mapping."
        raise InvalidRequest(msg, field=name)
    return checked


def as_imported(
    row: MemoryRow, *, stamp: int, parent: int, actor: str, origin: str
) -> MemoryRow:
    """The exported row as a version of this store, written now.

    Args:
        row: as `checked_memory` gave it.
        stamp: the version of the write.
        parent: the version it replaces here; 0 for the first.
        actor: who imports.
        origin: id of the export.
    """
    source = lower_class(row.source_class, SourceClass.IMPORTED)
    return attrs.evolve(
        row,
        version=stamp,
        parent=parent,
        event=Event.IMPORTED,
        updated_at=instant_of(stamp),
        actor=actor,
        source_class=source,
        source_trace=traced(row, origin),
        verified_by=_restored(row.verified_by),
    )


def _restored(verified_by: str) -> str:
    """An attestation that a file tells of: it reads as `restored`, never as new (R-47)."""
    if not verified_by or verified_by.startswith(_RESTORED):
        return verified_by
    return f"{_RESTORED}{verified_by}"


def traced(row: MemoryRow, origin: str) -> FrozenDict:
    """The row's trace, with what the row was where it came from."""
    came: dict[str, Any] = {
        "export": origin,
        "actor": row.actor,
        "source_class": str(row.source_class),
        "version": row.version,
        "event": str(row.event),
    }
    if TRACE in row.source_trace:
        came["before"] = row.source_trace[TRACE]
    traced = freeze({**row.source_trace, TRACE: came}, field="source_trace")
    if not isinstance(traced, FrozenDict):  # pragma: no cover - a mapping freezes to one
        raise TypeError
    return traced


def origin_of(row: MemoryRow) -> str | None:
    """Id of the export a stored row came from; None for a row that was written here."""
    came = row.source_trace.get(TRACE)
    if not isinstance(came, Mapping):
        return None
    return str(came.get("export", ""))


@frozen(slots=True)
class Cut:
    """A passage of a row's text that is embedded."""

    ordinal: int
    start: int
    stop: int
    text: str


def passages_in(row: MemoryRow) -> tuple[Cut, ...]:
    """What is embedded of a row: its excerpt, and the chunks of a long text."""
    if not row.searchable:
        return ()
    text = text_of(row.value)
    spans = ((EXCERPT, excerpt_of(text)), *enumerate(chunks_of(text)))
    return tuple(Cut(n, span.start, span.stop, span.of(text)) for n, span in spans)


def entries_of(
    row: MemoryRow, vectors: Iterable[Vector], *, space: str
) -> tuple[Embedded, ...]:
    """The entries of a row's content.

    Args:
        row: a searchable row.
        vectors: one a passage of `passages_in`, (d,), length 1; takes no more than that.
        space: name of the embedder that made them.
    """
    return tuple(
        Embedded(
            memory_id=row.memory_id,
            content_sha256=row.content_sha256,
            ordinal=cut.ordinal,
            start=cut.start,
            stop=cut.stop,
            space=space,
            vector=vector,
            terms=terms_of(cut.text),
        )
        for cut, vector in zip(passages_in(row), vectors, strict=False)
    )


@frozen(kw_only=True, slots=True, hash=False)
class Arrival:
    """A memory that is not here yet, with what it meets."""

    #: As `as_imported` gave it: the version to be written.
    row: MemoryRow
    #: The version of it that was written before in this import, if its history came too.
    before: MemoryRow | None = None
    #: Rows that stood here before the import and are close to it, closest first.
    peers: tuple[Peer, ...] = ()


def settle_arrivals(
    stamp: int, arrivals: Sequence[Arrival], here: Iterable[MemoryRow], weighing: Weighing
) -> tuple[Changes, dict[str, Verdict]]:
    """The versions that recreate memories, their links whole on both sides (R-22).

    A conflict link is made once both its rows are here: the one that comes later brings
    it. A duplicate whose canonical row did not come stands for itself. A row that is
    close to one which stood here before is judged against it, as any new claim.

    Args:
        stamp: the version of the write.
        arrivals: distinct memories, none of which is here.
        here: the rows that they name as partners or canonical rows, where those are here.
        weighing: how claims are compared.

    Returns:
        The changes, and the verdict on each arrival that was close to a row from before.
    """
    changes = Changes(stamp)
    changes.know(here)
    verdicts: dict[str, Verdict] = {}
    for arrival in arrivals:
        if arrival.before is not None:
            changes.know((arrival.before,))
        changes.know(peer.row for peer in arrival.peers)
        if arrival.row.status is not Status.DUPLICATE:
            changes.put(_alone(arrival.row))
    for arrival in arrivals:
        if arrival.row.status in PEER_STATUSES:
            _join_partners(changes, arrival.row)
            verdict = _meet(changes, arrival, weighing)
            if verdict is not None:
                verdicts[arrival.row.memory_id] = verdict
    for arrival in arrivals:
        if arrival.row.status is Status.DUPLICATE:
            changes.put(_duplicate(changes, arrival.row))
    return changes, verdicts


def _alone(row: MemoryRow) -> MemoryRow:
    """Without its links, which are made from both sides; a mark without links stays."""
    if row.status in PEER_STATUSES and row.conflict_with:
        return attrs.evolve(row, status=Status.ACTIVE, conflict_with=())
    return attrs.evolve(row, conflict_with=(), duplicate_of="")


def _duplicate(changes: Changes, row: MemoryRow) -> MemoryRow:
    canonical = changes.current(row.duplicate_of)
    if canonical is not None and canonical.status is Status.DUPLICATE:
        canonical = changes.current(canonical.duplicate_of)
    answers = canonical is not None and canonical.status in PEER_STATUSES
    if canonical is None or not answers or canonical.scope != row.scope:
        return attrs.evolve(row, status=Status.ACTIVE, duplicate_of="")
    return attrs.evolve(row, duplicate_of=canonical.memory_id, conflict_with=())


def _join_partners(changes: Changes, row: MemoryRow) -> None:
    partners = [
        partner.memory_id
        for memory_id in row.conflict_with
        if (partner := changes.current(memory_id)) is not None
        and partner.status in PEER_STATUSES
        and partner.scope == row.scope
        and partner.memory_id != row.memory_id
    ]
    changes.join(row.memory_id, partners)


def _meet(changes: Changes, arrival: Arrival, weighing: Weighing) -> Verdict | None:
    """Judge an arrival against what stood here; pins object to nothing already stored."""
    if not arrival.peers:
        return None
    row = changes.current(arrival.row.memory_id) or arrival.row
    verdict = weighing.check.weigh(
        Claim.of(row), arrival.peers, weighing.thresholds, pins=True, revises=True
    )
    match verdict:
        case Duplicate(of=peer) if not row.conflict_with and not row.pinned:
            fields: dict[str, Any] = {
                "status": Status.DUPLICATE,
                "duplicate_of": peer.memory_id,
            }
            changes.change(row, Event.IMPORTED, **fields)
        case Conflict(peers=peers):
            changes.join(row.memory_id, (peer.memory_id for peer in peers))
        case _:
            pass
    return verdict
