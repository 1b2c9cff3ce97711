"""The page's table of five operations, and the order of a write's checks."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any, Final

import pytest
from attrs import frozen

from loom import AgentHandle
from loom.errors import (
    Blacklisted,
    Locked,
    NotFound,
    PinnedConflict,
    PreconditionFailed,
    RestoreWindowPassed,
)
from loom.plans.outcomes import Refusal
from loom.testing.fakes import FakeClock
from tests.operations.looking import row_of
from tests.operations.texts import ELSEWHERE, NIGHT, NIGHT_AGAIN, NIGHT_SHOUTED

KEY: Final = "pump/hours"
DAY: Final = 86_400.0


# ------------------------------------------------------------------ the five operations


def _expand(agent: AgentHandle, clock: FakeClock) -> None:
    """Learns what nothing said before."""
    out = agent.memory.set(KEY, NIGHT)

    assert (out.conflict_verdict, row_of(agent, KEY).value) == ("clear", NIGHT)


def _revise(agent: AgentHandle, clock: FakeClock) -> None:
    """Corrects one row, by id or by key, and never makes one."""
    out = agent.memory.set(KEY, NIGHT)
    agent.memory.update_by_id(out.memory_id, ELSEWHERE)
    agent.memory.update(KEY, "Herons nest in the old mill.")
    row = row_of(agent, KEY)

    assert (row.memory_id, row.value) == (out.memory_id, "Herons nest in the old mill.")
    with pytest.raises(NotFound):
        agent.memory.update("no/such", NIGHT)
    with pytest.raises(NotFound):
        agent.memory.update_by_id("no such id", NIGHT)


def _contract(agent: AgentHandle, clock: FakeClock) -> None:
    """Ends a key; restore revives it within 14 days of the delete."""
    agent.memory.set(KEY, NIGHT)
    agent.memory.delete(KEY)
    assert agent.memory.get(KEY) is None
    clock.advance(14 * DAY)
    agent.memory.restore(KEY)
    assert row_of(agent, KEY).value == NIGHT
    agent.memory.delete(KEY)
    clock.advance(14 * DAY + 1)
    with pytest.raises(RestoreWindowPassed):
        agent.memory.restore(KEY)


def _reinforce(agent: AgentHandle, clock: FakeClock) -> None:
    """Stores and pins: only a write that itself pins, or a correction, replaces it."""
    agent.memory.pin(KEY, NIGHT)
    with pytest.raises(PinnedConflict):
        agent.memory.set(KEY, ELSEWHERE)
    with pytest.raises(PinnedConflict):
        agent.memory.set("pump/beside", NIGHT_AGAIN)
    agent.memory.update(KEY, ELSEWHERE)
    assert row_of(agent, KEY).pinned
    agent.memory.pin(KEY, NIGHT)
    assert (row_of(agent, KEY).value, row_of(agent, KEY).pinned) == (NIGHT, True)


def _refuse(agent: AgentHandle, clock: FakeClock) -> None:
    """Turns away every later write that a text or an expression matches."""
    agent.blacklist.add("runs at night")
    agent.blacklist.add(r"wol(f|ves)", pattern_type="regex")
    for value in (NIGHT, NIGHT_SHOUTED, ELSEWHERE):
        with pytest.raises(Blacklisted):
            agent.memory.set(KEY, value)
    entries = [{"memory_key": f"k/{n}", "value": v} for n, v in enumerate((NIGHT, "Tea."))]
    skipped, kept = agent.memory.bulk_set(entries).results
    assert isinstance(skipped, Refusal)
    assert kept.memory_key == "k/1"


FIVE: Final[dict[str, Callable[[AgentHandle, FakeClock], None]]] = {
    "expand": _expand,
    "revise": _revise,
    "contract": _contract,
    "reinforce": _reinforce,
    "refuse": _refuse,
}


@pytest.mark.parametrize("lens", FIVE)
def test_a_lens_has_its_operation_and_its_effect(
    agent: AgentHandle, clock: FakeClock, lens: str
) -> None:
    """A-81, A-82, A-83, A-84, A-85, A-86, A-92."""
    FIVE[lens](agent, clock)


# --------------------------------------------------------------------- a write's checks


@frozen
class Check:
    """One check: what makes it object to a write, and how it objects."""

    name: str
    error: type[Exception]
    provoke: Callable[[AgentHandle], dict[str, Any]]


def _lock(agent: AgentHandle) -> dict[str, Any]:
    agent.memory.lock(KEY, reason="kept")
    return {}


def _pin(agent: AgentHandle) -> dict[str, Any]:
    agent.memory.pin(KEY)
    return {}


def _blacklist(agent: AgentHandle) -> dict[str, Any]:
    agent.blacklist.add("wolves")
    return {}


def _precondition(agent: AgentHandle) -> dict[str, Any]:
    return {"if_match_sha256": "0" * 64}


#: In the page's order; a restatement is no refusal and has tests of its own.
CHECKS: Final = (
    Check("lock", Locked, _lock),
    Check("pin", PinnedConflict, _pin),
    Check("blacklist", Blacklisted, _blacklist),
    Check("precondition", PreconditionFailed, _precondition),
)


def _attempt(agent: AgentHandle, checks: tuple[Check, ...]) -> None:
    agent.memory.set(KEY, NIGHT)
    said: dict[str, Any] = {}
    for check in sorted(checks, key=lambda one: one.name != "pin"):
        said |= check.provoke(agent)  # a locked row cannot be pinned any more
    agent.memory.set(KEY, ELSEWHERE, **said)


@pytest.mark.parametrize("check", CHECKS, ids=lambda one: one.name)
def test_a_check_objects(agent: AgentHandle, check: Check) -> None:
    """A-88, A-89, A-91, A-93: each with its own error."""
    with pytest.raises(check.error):
        _attempt(agent, (check,))
    assert row_of(agent, KEY).value == NIGHT


@pytest.mark.parametrize(
    "pair", list(combinations(CHECKS, 2)), ids=lambda pair: "-".join(c.name for c in pair)
)
def test_of_two_the_first_of_the_page_decides(
    agent: AgentHandle, pair: tuple[Check, Check]
) -> None:
    """A-87, R-30: lock and pin, blacklist, precondition."""
    with pytest.raises(pair[0].error):
        _attempt(agent, pair)


@pytest.mark.parametrize("check", CHECKS, ids=lambda one: one.name)
def test_a_restatement_passes_all_but_the_blacklist(
    agent: AgentHandle, check: Check
) -> None:
    """A-90, A-95, R-30, R-36: counted, with nothing else changed."""
    agent.memory.set(KEY, ELSEWHERE)
    said = check.provoke(agent)
    if check.name in ("blacklist", "precondition"):
        with pytest.raises(check.error):
            agent.memory.set(KEY, ELSEWHERE, **said)
        return
    before = row_of(agent, KEY).reinforcement_count
    out = agent.memory.set(KEY, ELSEWHERE, **said)
    assert (out.conflict_verdict, out.reinforcement_count) == ("restated", before + 1)


def test_peers_are_looked_for_after_every_guard(agent: AgentHandle) -> None:
    """A-87: a close pinned row objects only to what the guards let pass."""
    agent.memory.set(KEY, NIGHT)
    agent.memory.pin("far/away", ELSEWHERE)

    with pytest.raises(PreconditionFailed):
        agent.memory.set(KEY, ELSEWHERE.replace("near", "by"), if_match_sha256="0" * 64)


def test_a_write_inserts_row_entry_and_audit_at_once(agent: AgentHandle) -> None:
    """A-103, A-16, A-27: found by the read right after it, and audited once."""
    agent.memory.set(KEY, NIGHT)

    assert row_of(agent, KEY).searchable
    (hit,) = agent.memory.search(NIGHT).hits
    assert hit.memory_key == KEY
