"""Which rules judge which lens, and in which order: the one table.

A user's own rule goes into a chain of a copy:
`attrs.evolve(LENSES, expand=(MyRule(), *LENSES.expand))`, passed to `loom.open`.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import attrs
from attrs import frozen

from loom.policies.blacklist import BlacklistGuard
from loom.policies.chain import Policy
from loom.policies.lock import LockGuard
from loom.policies.peers import PeerCheck
from loom.policies.pin import PinGuard
from loom.policies.precondition import Precondition
from loom.policies.relations import Judge
from loom.policies.restatement import BulkTwin, Restatement

__all__ = ["LENSES", "Lens", "Lenses"]

#: The name of a chain.
Lens: TypeAlias = Literal["expand", "bulk", "revise", "reinforce", "propose", "restore"]


@frozen(kw_only=True, slots=True)
class Lenses:
    """A chain of rules for each lens; the first rule with an opinion decides.

    `contract` has no chain: a delete is judged by the lock alone (`policies/lock.py`),
    and `refuse` writes no memory.
    """

    #: memory.set
    expand: tuple[Policy, ...] = (
        LockGuard(),
        PinGuard(),
        BlacklistGuard(),
        Precondition(),
        Restatement(),
        PeerCheck(),
    )
    #: memory.bulk_set
    bulk: tuple[Policy, ...] = (
        LockGuard(),
        PinGuard(),
        BlacklistGuard(),
        Precondition(),
        Restatement(),
        BulkTwin(),
        PeerCheck(),
    )
    #: memory.update and memory.update_by_id: a pin on the row itself does not stand
    #: against them, and is kept.
    revise: tuple[Policy, ...] = (
        LockGuard(),
        BlacklistGuard(),
        Precondition(),
        Restatement(),
        PeerCheck(),
    )
    #: memory.pin
    reinforce: tuple[Policy, ...] = (
        LockGuard(),
        BlacklistGuard(),
        Precondition(),
        Restatement(),
        PeerCheck(),
    )
    #: memory.set on trial: nothing that stands is changed, so its guards do not object.
    propose: tuple[Policy, ...] = (BlacklistGuard(), Restatement(), PeerCheck())
    #: memory.restore: the row comes back as a claim of its own.
    restore: tuple[Policy, ...] = (BlacklistGuard(), PeerCheck())

    def chain(self, lens: Lens) -> tuple[Policy, ...]:
        """The rules of a lens, in order."""
        rules: tuple[Policy, ...] = getattr(self, lens)
        return rules

    def with_judge(self, judge: Judge) -> Lenses:
        """The same chains, their peer checks led by another judge."""
        return Lenses(
            **{
                lens.name: tuple(
                    PeerCheck(judge) if isinstance(policy, PeerCheck) else policy
                    for policy in getattr(self, lens.name)
                )
                for lens in attrs.fields(Lenses)
            }
        )


LENSES: Final = Lenses()
