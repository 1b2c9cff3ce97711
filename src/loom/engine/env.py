"""What an open store consists of, and one caller's place in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from attrs import frozen

from loom.engine.calibrating import Calibration
from loom.engine.reads import ReadMarks
from loom.errors import Forbidden, InvalidRequest
from loom.model.identity import ANY, Identity
from loom.model.memory import MemoryRow
from loom.model.namespace import ConflictPolicy
from loom.model.provenance import Caller, Role
from loom.model.thresholds import DENSE_FALLBACK, Thresholds
from loom.model.times import instant_of
from loom.policies.lenses import Lenses
from loom.policies.peers import PeerCheck
from loom.policies.thresholds import resolved, setting_pin
from loom.ports import Calibrated, Clock, Embedder, Ids
from loom.settings import Settings
from loom.storage.contract import Storage

__all__ = ["Context", "Env", "shipped_with", "thresholds_in_force", "with_settings"]


@frozen(kw_only=True, slots=True, hash=False)
class Env:
    """An open store: where it keeps, what it asks, how it judges."""

    storage: Storage
    embedder: Embedder
    clock: Clock
    ids: Ids
    settings: Settings
    #: The chains of rules under each conflict policy, where copies are merged or kept.
    lenses: Mapping[tuple[ConflictPolicy, bool], Lenses]
    caller: Caller
    #: What holds before the embedder's cosines are measured, and where no one pins any.
    thresholds: Thresholds
    #: Keys the hashes of secret contents in the audit log; 64 hexadecimal digits.
    audit_key: str
    #: Which memories were read since the store was opened.
    reads: ReadMarks
    #: How peers are compared outside of a lens: in cascades and restores.
    check: PeerCheck
    #: What the embedder's cosines show; None where they are not to be measured.
    calibration: Calibration | None = None


def thresholds_in_force(settings: Settings, embedder: Embedder) -> Thresholds:
    """What a setting says, else what the embedder measured, else the fallback (R-40)."""
    return with_settings(settings, shipped_with(embedder))


def shipped_with(embedder: Embedder) -> Thresholds:
    """What an embedder says of itself, else the fallback."""
    return embedder.thresholds if isinstance(embedder, Calibrated) else DENSE_FALLBACK


def with_settings(settings: Settings, measured: Thresholds) -> Thresholds:
    """What is known of an embedder, but for what a setting says instead."""
    return resolved((setting_pin(settings),), measured)


@frozen(slots=True, hash=False)
class Context:
    """One call: the store, and as whom it is made."""

    env: Env
    identity: Identity

    def now(self) -> datetime:
        """The instant by the store's clock."""
        return instant_of(self.env.clock.now_ns())

    def note_read(self, operation: str, rows: Iterable[MemoryRow]) -> None:
        """Remember that the rows were answered to the caller."""
        self.env.reads.note(rows, operation, self.env.caller.actor)

    def writer(self) -> Identity:
        """The identity, which must name one user to write for.

        Raises:
            InvalidRequest: the handle reads every user's rows.
        """
        if self.identity.user_id == ANY:
            msg = (
                'A handle with user_id="*" only reads; open one for the user to write for, '
                'or for "-".'
            )
            raise InvalidRequest(msg, field="user_id")
        return self.identity

    def holds(self, role: Role, org: str, namespace: str | None) -> bool:
        """Whether the caller has at least that role there."""
        held = self.env.caller.role_in(org, namespace)
        return held is not None and held >= role

    def require(self, role: Role, org: str, namespace: str | None) -> None:
        """Let the caller pass.

        Raises:
            Forbidden: they have a lesser role there, or none.
        """
        if not self.holds(role, org, namespace):
            msg = (
                f"{self.env.caller.actor} needs the role {role.name.lower()} for this; an "
                "administrator of the namespace can grant it."
            )
            raise Forbidden(msg, role=role.name.lower())
