"""Which rules judge which lens, and in which order."""

from __future__ import annotations

import inspect
from typing import Any, Final

import attrs
import pytest

from loom.errors import Blacklisted, Locked, PinnedConflict, PreconditionFailed, Refused
from loom.model.memory import LockMode
from loom.policies import chain, lenses, relations
from loom.policies.chain import Policy, decide
from loom.policies.facts import Draft, Facts
from loom.policies.lenses import LENSES, Lenses
from loom.policies.peers import PeerCheck
from loom.policies.relations import CosineJudge
from loom.policies.verdicts import Clear, Conflict, Merge, Refuse, Restated
from tests.policies.given import a_draft, a_pattern, a_peer, a_row, the_facts

NAMES: Final = {
    "expand": "LockGuard PinGuard BlacklistGuard Precondition Restatement PeerCheck",
    "bulk": "LockGuard PinGuard BlacklistGuard Precondition Restatement BulkTwin PeerCheck",
    "revise": "LockGuard BlacklistGuard Precondition Restatement PeerCheck",
    "reinforce": "LockGuard BlacklistGuard Precondition Restatement PeerCheck",
    "restore": "BlacklistGuard PeerCheck",
}


@pytest.mark.parametrize("lens, names", NAMES.items())
def test_the_checks_of_a_lens_stand_in_the_page_s_order(lens: str, names: str) -> None:
    """A-87, A-102: lock, pin, blacklist, precondition, restatement, peers."""
    assert [type(p).__name__ for p in getattr(LENSES, lens)] == names.split()


def _all_objecting(**without: Any) -> tuple[Draft, Facts]:
    """A write that every rule has an opinion on, but those that are taken away."""
    head = {"pinned": True, "lock_mode": LockMode.READ_ONLY, **without.get("head", {})}
    patterns = () if without.get("allowed") else (a_pattern("hunter2"),)
    peer = a_peer(a_row("The hunter2 secret is old now.", key="other/key"), 0.99)
    draft = a_draft(
        "The hunter2 secret is new now.",
        if_match=None if without.get("matched") else "0" * 64,
    )
    return draft, the_facts(head=a_row(**head), patterns=patterns, peers=(peer,))


UNLOCKED: Final = {"lock_mode": None}
UNPINNED: Final = {"lock_mode": None, "pinned": False}


@pytest.mark.parametrize(
    "without, error",
    [
        ({}, Locked),
        ({"head": UNLOCKED}, PinnedConflict),
        ({"head": UNPINNED}, Blacklisted),
        ({"head": UNPINNED, "allowed": True}, PreconditionFailed),
    ],
    ids=["all", "unlocked", "unpinned", "allowed"],
)
def test_the_first_guard_that_objects_decides(
    without: dict[str, Any], error: type[Refused]
) -> None:
    """R-30, A-87: guards run in the page's order."""
    verdict = decide(LENSES.expand, *_all_objecting(**without))

    assert isinstance(verdict, Refuse)
    assert verdict.error is error


def test_the_peers_are_asked_last() -> None:
    """A-87: a write that no guard refuses is compared with its peers."""
    draft, facts = _all_objecting(head=UNPINNED, allowed=True, matched=True)

    assert isinstance(decide(LENSES.expand, draft, facts), Conflict)


def test_a_restatement_is_found_before_the_peers_are() -> None:
    """A-87, A-95: the live row says it already, so nobody else is asked."""
    peer = a_peer(a_row(key="other/key"), 1.0)
    facts = the_facts(head=a_row(), peers=(peer,))

    assert isinstance(decide(LENSES.expand, a_draft(), facts), Restated)
    assert isinstance(decide(LENSES.expand, a_draft(), the_facts(peers=(peer,))), Merge)


def test_a_chain_without_an_opinion_is_clear() -> None:
    """A-115: nothing stands against it."""
    assert decide((), a_draft(), the_facts()) == Clear()


class Curfew:
    """A user's own rule: nothing about pumps."""

    def judge(self, draft: Draft, facts: Facts, /) -> Refuse | None:
        if "pump" in draft.claim.text:
            return Refuse(Blacklisted, "Not about pumps.")
        return None


def test_a_user_adds_a_rule_in_a_line() -> None:
    """Design: policies are objects in one table per lens; a user can pass their own."""
    own = attrs.evolve(LENSES, expand=(Curfew(), *LENSES.expand))

    assert isinstance(Curfew(), Policy)
    assert isinstance(decide(own.expand, a_draft(), the_facts()), Refuse)
    assert isinstance(decide(own.expand, a_draft("Else."), the_facts()), Clear)
    assert isinstance(decide(LENSES.expand, a_draft(), the_facts()), Clear)


def test_another_judge_leads_every_peer_check() -> None:
    """R-33: `judge=` changes the comparison in every lens and nothing else."""
    judge = CosineJudge()
    changed = LENSES.with_judge(judge)

    for lens in attrs.fields(Lenses):
        before, after = getattr(LENSES, lens.name), getattr(changed, lens.name)
        assert [type(p) for p in after] == [type(p) for p in before]
        for policy in after:
            if isinstance(policy, PeerCheck):
                assert policy.judge_of is judge


def test_judging_is_deterministic() -> None:
    """Design: the same arguments give the same verdict."""
    draft, facts = _all_objecting(head=UNPINNED, allowed=True, matched=True)

    assert decide(LENSES.expand, draft, facts) == decide(LENSES.expand, draft, facts)


def test_no_rule_can_reach_a_model_or_a_network() -> None:
    """A-105: no verdict calls a language model: rules import nothing that could."""
    for module in (chain, lenses, relations):
        source = inspect.getsource(module)
        for name in ("http", "socket", "urllib", "ports", "embedders", "subprocess"):
            assert f"import {name}" not in source
            assert f"loom.{name}" not in source
