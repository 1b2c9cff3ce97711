"""What operations answer: frozen values that read as attributes and as mappings."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import attrs
from attrs import field, frozen

from loom.model.json_values import Json
from loom.model.namespace import NamespaceRow
from loom.model.patterns import PatternRow
from loom.model.readable import Readable, readonly
from loom.model.sensitivity import HIGH

__all__ = [
    "ApplyOutcome",
    "BulkOutcome",
    "DecisionOutcome",
    "DeleteOutcome",
    "DeletedRow",
    "LockOutcome",
    "NamespaceOutcome",
    "PatternOutcome",
    "PeerView",
    "Refusal",
    "RestoreOutcome",
    "SetOutcome",
    "SweepOutcome",
    "without_hash",
]


@frozen(kw_only=True, slots=True, hash=False)
class PeerView(Readable):
    """A close row, as a writer is shown it."""

    memory_key: str
    memory_id: str
    agent: str
    user_id: str
    session_id: str
    value: Json
    content_sha256: str
    status: str
    pinned: bool
    valid_at: datetime | None
    #: Cosine to the claim.
    similarity: float
    #: `canonical`, `same`, `conflict`, `compatible` or `apart`.
    relation: str
    #: What was compared, the threshold and where it came from, what differs.
    reasons: tuple[str, ...]
    #: The parts of the judge that spoke, by short stable names such as `values`,
    #: `negation`, `predicate:residence` or `cosine`.
    parts: tuple[str, ...] = ()


@frozen(kw_only=True, slots=True, hash=False)
class SetOutcome(Readable):
    """The answer of a write under a key.

    After a merge, `memory_id`, `content_sha256`, `version`, `status` and `pinned` are
    those of the row that was reinforced, and `merged_into_key` is its key.
    """

    namespace: str
    memory_key: str
    memory_id: str
    #: 0 for a dry run, which writes none.
    version: int
    content_sha256: str
    status: str
    #: `clear`, `restated`, `merge`, `duplicate`, `refines` or `conflict`.
    conflict_verdict: str
    pinned: bool = False
    #: Id of the canonical row, where the status is `duplicate`.
    duplicate_of: str = ""
    #: Id of the row that stands in its place, where the status is `superseded`.
    superseded_by: str = ""
    #: The type that was asked for, where the value has not the form it needs.
    retyped_from: str = ""
    #: `low`, `medium` or `high` where it was stated or found; a `high` value is read by
    #: key alone.
    sensitivity: str = ""
    merged_into_key: str = ""
    #: Nothing was written under the key: it merged into another memory.
    noop: bool = False
    dry_run: bool = False
    reinforcement_count: int = 1
    #: The closest rows it was compared with, closest first, at most five.
    peers: tuple[PeerView, ...] = ()
    #: How many verbatim chunks the value has beside its excerpt.
    chunks_written: int = 0
    #: Advice about the key.
    advisories: tuple[str, ...] = ()
    #: What could not be done as well as usual; empty when all was.
    degraded: tuple[str, ...] = ()
    #: What a careful caller would do now, in one sentence.
    next: str = ""


def without_hash(done: SetOutcome) -> SetOutcome:
    """The answer for who did not say the value: the hash of a secret is left out (R-46)."""
    return attrs.evolve(done, content_sha256="") if done.sensitivity == HIGH else done


@frozen(kw_only=True, slots=True, hash=False)
class Refusal(Readable):
    """A bulk entry that was not written, with the error a single write would raise."""

    memory_key: str
    code: str
    message: str
    details: Mapping[str, Any] = field(factory=dict, converter=readonly)


@frozen(kw_only=True, slots=True, hash=False)
class BulkOutcome(Readable):
    """One answer an entry, in the order given, and how many there are of each kind."""

    results: tuple[SetOutcome | Refusal, ...]
    #: From a verdict, or an error's code, to how many entries had it.
    counts: Mapping[str, int] = field(converter=readonly)


@frozen(kw_only=True, slots=True)
class DeletedRow(Readable):
    """A row that a delete tombstoned."""

    memory_key: str
    memory_id: str
    agent: str
    session_id: str
    #: It went because it was the caller's own duplicate of a deleted row.
    as_duplicate: bool = False


@frozen(kw_only=True, slots=True, hash=False)
class DeleteOutcome(Readable):
    """What a delete did; `found=False` is an answer, not an error."""

    memory_key: str
    found: bool
    count: int
    rows: tuple[DeletedRow, ...] = ()
    #: 0 where nothing was deleted, and in a dry run.
    version: int = 0
    dry_run: bool = False
    next: str = ""


@frozen(kw_only=True, slots=True, hash=False)
class RestoreOutcome(Readable):
    """What a restore brought back."""

    memory_key: str
    count: int
    version: int
    #: One answer a row: its status now and the peers it was compared with.
    rows: tuple[SetOutcome, ...] = ()
    dry_run: bool = False
    next: str = ""


@frozen(kw_only=True, slots=True, hash=False)
class DecisionOutcome(Readable):
    """What became of a row that somebody decided about, and of the other side."""

    memory_key: str
    memory_id: str
    #: 0 in a dry run, which writes none.
    version: int
    status: str
    content_sha256: str
    #: `accept` or `reject`; `revise`, `contract` or `allow` of a conflict.
    decision: str
    reason: str = ""
    #: The other side of a conflict, and what became of it.
    peer_id: str = ""
    peer_key: str = ""
    peer_status: str = ""
    #: The answer of the write, where a decision writes a claim: an accepted proposal, or a
    #: conflict that is resolved by a new value.
    write: SetOutcome | None = None
    dry_run: bool = False
    next: str = ""


@frozen(kw_only=True, slots=True, hash=False)
class LockOutcome(Readable):
    """The lock in force after the call; `lock_mode` is empty after an unlock."""

    memory_key: str
    memory_id: str
    version: int
    lock_mode: str = ""
    lock_until: datetime | None = None
    lock_reason: str = ""
    locked_by: str = ""
    dry_run: bool = False


@frozen(kw_only=True, slots=True, hash=False)
class SweepOutcome(Readable):
    """What a blacklist sweep tombstoned."""

    swept: int
    swept_keys: tuple[str, ...] = ()
    #: The cap was hit: call again to go on.
    swept_truncated: bool = False
    #: Rows a lock protects; they match and stay.
    kept_locked: tuple[str, ...] = ()


@frozen(kw_only=True, slots=True, hash=False)
class ApplyOutcome(Readable):
    """What one change to many rows did, or would do."""

    #: `delete`, `expire`, `lock`, `label` or `demote`.
    action: str
    #: How many live rows the filters chose, as far as they were looked at.
    matched: int
    #: How many of them were changed, or need no change; 0 in a dry run.
    changed: int
    #: Their keys, at most 1,000.
    memory_keys: tuple[str, ...] = ()
    #: Keys of rows that a lock keeps as they are, at most 1,000.
    kept: tuple[str, ...] = ()
    #: The store's cap was reached; `cursor` is where to go on.
    truncated: bool = False
    cursor: str | None = None
    dry_run: bool = True
    next: str = ""


@frozen(kw_only=True, slots=True, hash=False)
class NamespaceOutcome(Readable):
    """What a namespace says after a registration."""

    settings: NamespaceRow
    #: Names of the fields that say something else than before.
    changed: tuple[str, ...] = ()
    #: It was not registered before.
    created: bool = False
    #: It said all of this already; nothing was written.
    noop: bool = False


@frozen(kw_only=True, slots=True, hash=False)
class PatternOutcome(Readable):
    """A pattern as it stands, and its sweep if one was asked for."""

    pattern: PatternRow
    sweep: SweepOutcome | None = None
    #: An equal pattern was in force already; nothing was written.
    noop: bool = False
