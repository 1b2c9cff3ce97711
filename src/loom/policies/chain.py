"""Rules in a row: the first that has an opinion decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from loom.policies.facts import Draft, Facts
from loom.policies.verdicts import Clear, Verdict

__all__ = ["Policy", "decide"]


@runtime_checkable
class Policy(Protocol):
    """One rule. It is pure: the same arguments give the same verdict."""

    def judge(self, draft: Draft, facts: Facts, /) -> Verdict | None:
        """A verdict, or None: no opinion, ask the next rule."""
        ...


def decide(policies: Sequence[Policy], draft: Draft, facts: Facts) -> Verdict:
    """The verdict of the first rule that has one; clear if none has."""
    for policy in policies:
        verdict = policy.judge(draft, facts)
        if verdict is not None:
            return verdict
    return Clear()
