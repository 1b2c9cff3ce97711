"""Memories of an export, made versions of this store, their links whole.

The actor is the importer and the source class is only ever lowered (R-07, R-47). What a
row was where it came from is kept under `source_trace["imported_from"]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import attrs
from attrs import field, frozen

from loom.model.json_values import FrozenDict, freeze
from loom.model.memory import IMPORT_TRACE, MemoryRow
from loom.model.provenance import SourceClass, lower_class
from loom.model.readable import Readable, readonly
from loom.model.status import PEER_STATUSES, Event, Status
from loom.model.thresholds import Thresholds
from loom.model.times import instant_of
from loom.plans.cascade import Weighing
from loom.plans.changes import Changes
from loom.plans.outcomes import PeerView
from loom.policies.facts import Claim, Peer
from loom.policies.verdicts import Conflict, Duplicate, Verdict

__all__ = [
    "Arrival",
    "ImportOutcome",
    "ImportedLine",
    "as_imported",
    "origin_of",
    "settle_arrivals",
    "traced",
]

_RESTORED: Final = "restored:"


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


@frozen(kw_only=True, slots=True, hash=False)
class ImportOutcome(Readable):
    """One answer an entry, in the order given, and how many there are of each kind."""

    results: tuple[ImportedLine, ...]
    #: From a result, or an error's code, to how many entries had it.
    counts: Mapping[str, int] = field(converter=readonly)


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
    if IMPORT_TRACE in row.source_trace:
        came["before"] = row.source_trace[IMPORT_TRACE]
    traced = freeze({**row.source_trace, IMPORT_TRACE: came}, field="source_trace")
    if not isinstance(traced, FrozenDict):  # pragma: no cover - a mapping freezes to one
        raise TypeError
    return traced


def origin_of(row: MemoryRow) -> str | None:
    """Id of the export a stored row came from; None for a row that was written here."""
    came = row.source_trace.get(IMPORT_TRACE)
    if not isinstance(came, Mapping):
        return None
    return str(came.get("export", ""))


@frozen(kw_only=True, slots=True, hash=False)
class Arrival:
    """A memory that is not here yet, with what it meets."""

    #: As `as_imported` gave it: the version to be written.
    row: MemoryRow
    #: The version of it that was written before in this import, if its history came too.
    before: MemoryRow | None = None
    #: Rows that stood here before the import and are close to it, closest first.
    peers: tuple[Peer, ...] = ()
    #: In force for its namespace and type; None leaves them to the plan.
    thresholds: Thresholds | None = None


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
    thresholds = arrival.thresholds or weighing.thresholds
    verdict = weighing.check.weigh(
        Claim.of(row), arrival.peers, thresholds, pins=True, revises=True
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
