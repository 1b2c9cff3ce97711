"""What a namespace and its tags make of the rules: one object for each conflict policy.

A policy object takes the chains of a store and gives the ones that hold under it, so
that a rule of a user's own stays where it was put. Adding a policy is one object here and
its line in `POLICIES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from types import MappingProxyType
from typing import Final, Protocol

import attrs
from attrs import field, frozen

from loom.model.namespace import ConflictPolicy, NamespaceRow
from loom.policies.chain import Policy
from loom.policies.lenses import Lenses
from loom.policies.newest import Backfill, HeldElders
from loom.policies.peers import PeerCheck
from loom.policies.restatement import BulkTwin, Restatement

__all__ = [
    "POLICIES",
    "AppendOnly",
    "ConflictRules",
    "NewestWins",
    "Reviewed",
    "Ruling",
    "lenses_under",
    "ruling_for",
]

#: From the most careful to the least: among several tags the first one holds.
_MOST_CAREFUL: Final = (
    ConflictPolicy.MANUAL_REVIEW,
    ConflictPolicy.AUTO_REINFORCE,
    ConflictPolicy.APPEND_ONLY,
    ConflictPolicy.NEWEST_WINS,
)


class ConflictRules(Protocol):
    """What a conflict policy makes of the chains."""

    @property
    def retires_elders(self) -> bool:
        """Whether a newer write retires the key's older rows."""
        ...

    def over(self, lenses: Lenses, /) -> Lenses:
        """The chains that hold under it."""
        ...


@frozen(slots=True)
class Reviewed:
    """Contradictions are stored, linked both ways, and left for somebody to decide.

    `auto_reinforce` and `manual_review` are one until a resolver decides for the first
    (R-45).
    """

    retires_elders: bool = False

    def over(self, lenses: Lenses) -> Lenses:
        """The chains as they are."""
        return lenses


@frozen(slots=True)
class NewestWins:
    """The newest claim takes the place of what it contradicts (R-44)."""

    retires_elders: bool = True

    def over(self, lenses: Lenses) -> Lenses:
        """Peer checks that retire; in a set, facts from before go into history."""
        retiring = attrs.evolve(
            lenses,
            **{
                name: _swapped(getattr(lenses, name), PeerCheck, _retires)
                for name in ("expand", "bulk", "revise", "reinforce")
            },
        )
        return attrs.evolve(
            retiring,
            expand=_backfilling(retiring.expand),
            bulk=_backfilling(retiring.bulk),
            revise=(HeldElders(), *retiring.revise),
            reinforce=(HeldElders(), *retiring.reinforce),
        )


@frozen(slots=True)
class AppendOnly:
    """Nothing is judged: every write is a version, and only the guards object (R-45)."""

    retires_elders: bool = False

    def over(self, lenses: Lenses) -> Lenses:
        """The guards alone."""
        kinds = (Restatement, BulkTwin, PeerCheck)
        return Lenses(
            **{
                lens.name: tuple(
                    p for p in getattr(lenses, lens.name) if not isinstance(p, kinds)
                )
                for lens in attrs.fields(Lenses)
            }
        )


POLICIES: Final[Mapping[ConflictPolicy, ConflictRules]] = MappingProxyType(
    {
        ConflictPolicy.AUTO_REINFORCE: Reviewed(),
        ConflictPolicy.MANUAL_REVIEW: Reviewed(),
        ConflictPolicy.NEWEST_WINS: NewestWins(),
        ConflictPolicy.APPEND_ONLY: AppendOnly(),
    }
)


@frozen(kw_only=True, slots=True)
class Ruling:
    """What holds for one write.

    Attributes:
        policy: how contradictions are settled.
        dedups: whether a claim that is known becomes no row of its own.
        retention: how long a row is kept by its tags, if its writer says no sooner end.
        retention_by_type: the same by memory type, where no tag says any.
        retention_else: the same for every other row.
        by_tag: a tag states the policy, not the namespace.
    """

    policy: ConflictPolicy = ConflictPolicy.AUTO_REINFORCE
    dedups: bool = True
    retention: timedelta | None = None
    retention_by_type: Mapping[str, timedelta] = field(factory=dict, hash=False)
    retention_else: timedelta | None = None
    by_tag: bool = False

    def retention_of(self, memory_type: str) -> timedelta | None:
        """How long a row of that type is kept; None is for good: nothing ends by default."""
        return self.retention or self.retention_by_type.get(
            memory_type, self.retention_else
        )

    @property
    def retires_elders(self) -> bool:
        """Whether a write retires the key's older rows."""
        return POLICIES[self.policy].retires_elders


def ruling_for(namespace: NamespaceRow | None, tags: Iterable[str]) -> Ruling:
    """What a namespace says of a row with these tags.

    A tag's word goes before the namespace's. Of several tags the most careful policy
    holds, one that keeps copies apart, and the shortest retention. A retention is said by
    a tag, else by the type, else by the namespace.
    """
    if namespace is None:
        return Ruling()
    rules = [namespace.tag_registry[tag] for tag in tags if tag in namespace.tag_registry]
    stated = {rule.conflict_policy for rule in rules}
    policy = next((p for p in _MOST_CAREFUL if p in stated), None)
    days = [rule.retention_days for rule in rules if rule.retention_days is not None]
    return Ruling(
        policy=policy or namespace.default_conflict_policy,
        dedups=all(rule.dedup is not False for rule in rules),
        retention=timedelta(days=min(days)) if days else None,
        retention_by_type=_kept_by_type(namespace),
        retention_else=None
        if namespace.retention_days is None
        else timedelta(days=namespace.retention_days),
        by_tag=policy is not None,
    )


def _kept_by_type(namespace: NamespaceRow) -> Mapping[str, timedelta]:
    return {
        name: timedelta(days=rule.retention_days)
        for name, rule in namespace.type_registry.items()
        if rule.retention_days is not None
    }


def lenses_under(lenses: Lenses, policy: ConflictPolicy, *, dedups: bool) -> Lenses:
    """The chains of a store as they hold under a policy."""
    ruled = POLICIES[policy].over(lenses)
    if dedups:
        return ruled
    return Lenses(
        **{
            lens.name: _swapped(_without_twin(getattr(ruled, lens.name)), PeerCheck, _keeps)
            for lens in attrs.fields(Lenses)
        }
    )


def _retires(check: PeerCheck) -> PeerCheck:
    return attrs.evolve(check, retires=True)


def _keeps(check: PeerCheck) -> PeerCheck:
    return attrs.evolve(check, dedups=False)


def _without_twin(chain: Sequence[Policy]) -> tuple[Policy, ...]:
    return tuple(policy for policy in chain if not isinstance(policy, BulkTwin))


def _swapped(
    chain: Sequence[Policy],
    kind: type[PeerCheck],
    change: Callable[[PeerCheck], PeerCheck],
) -> tuple[Policy, ...]:
    return tuple(change(p) if isinstance(p, kind) else p for p in chain)


def _backfilling(chain: Sequence[Policy]) -> tuple[Policy, ...]:
    """Held rows object first; what is older than the key's belief is filed."""
    after = next((i for i, p in enumerate(chain) if isinstance(p, Restatement)), -1) + 1
    return (HeldElders(), *chain[:after], Backfill(), *chain[after:])
