"""What an open store consists of, and one caller's place in it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from attrs import frozen

from loom.errors import Forbidden, InvalidRequest
from loom.model.identity import ANY, Identity
from loom.model.namespace import ConflictPolicy
from loom.model.provenance import Caller, Role
from loom.model.thresholds import DENSE_FALLBACK, Thresholds
from loom.model.times import instant_of
from loom.policies.lenses import Lenses
from loom.policies.peers import PeerCheck
from loom.ports import Calibrated, Clock, Embedder, Ids
from loom.settings import Settings
from loom.storage.contract import Storage

__all__ = ["Context", "Env", "thresholds_in_force"]


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
    thresholds: Thresholds
    #: Keys the hashes of secret contents in the audit log; 64 hexadecimal digits.
    audit_key: str
    #: How peers are compared outside of a lens: in cascades and restores.
    check: PeerCheck


def thresholds_in_force(settings: Settings, embedder: Embedder) -> Thresholds:
    """What a setting says, else what the embedder measured, else the fallback (R-40)."""
    base = embedder.thresholds if isinstance(embedder, Calibrated) else DENSE_FALLBACK
    conflict, duplicate = settings.conflict_threshold, settings.duplicate_threshold
    if conflict is None and duplicate is None:
        return base
    return Thresholds(
        conflict=base.conflict if conflict is None else conflict,
        duplicate=base.duplicate if duplicate is None else duplicate,
        source="setting",
    )


@frozen(slots=True, hash=False)
class Context:
    """One call: the store, and as whom it is made."""

    env: Env
    identity: Identity

    def now(self) -> datetime:
        """The instant by the store's clock."""
        return instant_of(self.env.clock.now_ns())

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
