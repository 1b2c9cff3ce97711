"""Rows past their end: as good as deleted, and no fact vanishes with another's end."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

import pytest

from loom import AgentHandle, Loom
from loom.errors import Locked, NotFound, PreconditionFailed
from loom.model.memory import MemoryRow
from loom.testing.fakes import FakeClock
from loom.testing.stores import audit_of, contents_of
from tests.operations.texts import (
    DRAWS_5,
    DRAWS_9,
    ELSEWHERE,
    NIGHT,
    NIGHT_AGAIN,
    NIGHT_SHOUTED,
)

HERE: Final[dict[str, Any]] = {"org": "acme", "namespace": "lab"}


def _row(agent: AgentHandle, key: str) -> MemoryRow:
    row = agent.memory.get(key)
    assert row is not None
    return row


def _ending(clock: FakeClock, seconds: int | None, how: str) -> dict[str, Any]:
    if seconds is None:
        return {}
    at = clock.now + timedelta(seconds=seconds)
    return {how: seconds if how == "ttl_seconds" else at}


@pytest.fixture(params=["ttl_seconds", "valid_to"])
def ended(
    request: pytest.FixtureRequest, agent: AgentHandle, clock: FakeClock
) -> MemoryRow:
    """A row with every detail, stated twice, and past its end."""
    fields: dict[str, Any] = {
        "tags": ["t"],
        "entities": ["Ana"],
        "metadata": {"a": 1},
        "confidence": 0.4,
        "memory_type": "decision",
        **_ending(clock, 60, request.param),
    }
    agent.memory.set("k/a", NIGHT, **fields)
    agent.memory.set("k/a", NIGHT)
    row = _row(agent, "k/a")
    clock.advance(60)
    return row


WRITES: Final[dict[str, Callable[[AgentHandle, str], Any]]] = {
    "set": lambda agent, value: agent.memory.set("k/a", value),
    "pin": lambda agent, value: agent.memory.pin("k/a", value),
    "bulk_set": lambda agent, value: agent.memory.bulk_set(
        [{"memory_key": "k/a", "value": value}]
    ).results[0],
}


@pytest.mark.parametrize("value", [NIGHT, ELSEWHERE], ids=["same", "other"])
@pytest.mark.parametrize("write", WRITES)
def test_a_write_on_a_key_whose_row_ended_begins_afresh(
    agent: AgentHandle, ended: MemoryRow, write: str, value: str
) -> None:
    """R-20, R-41: as over a deleted row; an equal value is no restatement of it."""
    out = WRITES[write](agent, value)
    row = _row(agent, "k/a")

    assert out["conflict_verdict"] == "clear"
    assert (row.memory_id, row.created_at) == (ended.memory_id, ended.created_at)
    assert (row.event, row.parent) == ("renewed", ended.version)
    assert (row.value, row.reinforcement_count) == (value, 1)
    assert (row.tags, row.entities, dict(row.metadata)) == ((), (), {})
    assert (row.expires_at, row.valid_to, row.memory_type) == (None, None, "semantic")
    assert (row.confidence, row.pinned) == (1.0, write == "pin")
    assert [v.event for v in agent.memory.history("k/a")][:2] == ["renewed", "restated"]


def test_no_hash_matches_a_row_that_ended(agent: AgentHandle, ended: MemoryRow) -> None:
    """R-36, R-20: there is no live row to compare with."""
    with pytest.raises(PreconditionFailed):
        agent.memory.set("k/a", ELSEWHERE, if_match_sha256=ended.content_sha256)


def test_no_change_by_key_or_id_finds_a_row_that_ended(
    agent: AgentHandle, store: Loom, ended: MemoryRow
) -> None:
    """R-05, R-20: they act on what `get` answers, and that is nothing."""
    before = contents_of(store)
    for change in (
        lambda: agent.memory.update("k/a", ELSEWHERE),
        lambda: agent.memory.update_by_id(ended.memory_id, ELSEWHERE),
        lambda: agent.memory.pin("k/a"),
        lambda: agent.memory.lock("k/a", reason="audit"),
        lambda: agent.memory.unlock("k/a"),
    ):
        with pytest.raises(NotFound):
            change()

    assert contents_of(store) == before


def test_a_change_by_key_passes_over_an_own_row_that_ended(
    store: Loom, clock: FakeClock
) -> None:
    """R-05, R-20: to the newest one that `get` answers with."""
    ada, bob = (store.agent(name, **HERE) for name in ("ada", "bob"))
    ada.memory.set("k/a", NIGHT)
    bob.memory.set("k/a", ELSEWHERE, ttl_seconds=60)
    clock.advance(60)

    assert bob.memory.update("k/a", DRAWS_5).memory_id == _row(ada, "k/a").memory_id
    assert _row(ada, "k/a").value == DRAWS_5


def test_a_row_that_ended_is_seen_as_ended_while_the_clock_is_back(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-15, R-20: the instant of a write is its version's, for finding its row too."""
    agent.memory.set("k/a", NIGHT, ttl_seconds=60)
    clock.advance(60)
    agent.memory.set("k/b", ELSEWHERE)
    clock.advance(-1)

    with pytest.raises(NotFound):
        agent.memory.update("k/a", DRAWS_5)
    with pytest.raises(NotFound):
        agent.memory.lock("k/a", reason="audit")


def test_a_pin_ends_with_its_row(agent: AgentHandle, clock: FakeClock) -> None:
    """R-20, A-129: what is as good as deleted guards nothing, its key or a close one."""
    agent.memory.pin("k/5", DRAWS_5, ttl_seconds=60)
    clock.advance(60)

    assert agent.memory.set("k/9", DRAWS_9).conflict_verdict == "clear"
    assert not agent.memory.set("k/5", ELSEWHERE).pinned


@pytest.mark.parametrize("mode", ["read_only", "no_delete"])
@pytest.mark.parametrize("value", [NIGHT, ELSEWHERE], ids=["same", "other"])
def test_a_lock_holds_over_a_row_that_ended_until_it_lapses(
    agent: AgentHandle, store: Loom, clock: FakeClock, mode: str, value: str
) -> None:
    """R-42, R-20: a fresh start would drop it, and only an admin loosens a lock."""
    agent.memory.set("k/a", NIGHT, ttl_seconds=60)
    agent.memory.lock("k/a", mode, reason="audit", ttl_seconds=90)
    clock.advance(60)

    for call in (
        lambda: agent.memory.set("k/a", value),
        lambda: agent.memory.pin("k/a", value),
        lambda: agent.memory.delete("k/a"),
    ):
        with pytest.raises(Locked) as caught:
            call()
        assert caught.value.details["reason"] == "audit"
    assert WRITES["bulk_set"](agent, value)["code"] == "LOCKED"
    assert [a.refused for a in audit_of(store)][-4:] == ["LOCKED"] * 4
    clock.advance(30)
    agent.memory.set("k/a", value)
    assert (_row(agent, "k/a").event, _row(agent, "k/a").lock_mode) == ("renewed", None)


def test_an_administrator_frees_the_key_of_a_locked_row_that_ended(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-42, R-20: a lock without an end over a row that ended is no dead end."""
    agent.memory.set("k/a", NIGHT, ttl_seconds=60)
    agent.memory.lock("k/a", reason="audit")
    clock.advance(60)

    assert agent.memory.unlock("k/a").lock_mode == ""
    assert agent.memory.set("k/a", ELSEWHERE).conflict_verdict == "clear"
    assert _row(agent, "k/a").value == ELSEWHERE


def test_a_row_that_ended_is_still_deleted_and_restored(
    agent: AgentHandle, ended: MemoryRow
) -> None:
    """R-06, R-61: every live row under the key, served or not."""
    gone = agent.memory.delete("k/a")

    assert [row.memory_id for row in gone.rows] == [ended.memory_id]
    assert agent.memory.restore("k/a").count == 1


def test_a_fresh_start_ends_the_links_of_the_row_that_ended(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-22: its partner is active again, in the same commit."""
    agent.memory.set("k/5", DRAWS_5)
    agent.memory.set("k/9", DRAWS_9, ttl_seconds=60)
    clock.advance(60)
    assert _row(agent, "k/5").status == "conflicted"
    out = agent.memory.set("k/9", ELSEWHERE)
    partner = _row(agent, "k/5")

    assert (partner.status, partner.conflict_with) == ("active", ())
    assert (partner.version, partner.event) == (out.version, "relinked")


def test_no_duplicate_vanishes_with_an_end_its_canonical_row_is_given(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-24, R-41: a restatement with an end has its duplicates judged again at once."""
    agent.memory.set("k/a", NIGHT)
    agent.memory.set("k/copy", NIGHT_AGAIN)
    out = agent.memory.set("k/a", NIGHT, ttl_seconds=60)
    copy = _row(agent, "k/copy")

    assert out.conflict_verdict == "restated"
    assert (copy.value, copy.status) == (NIGHT_AGAIN, "active")
    assert (copy.version, copy.event, copy.duplicate_of) == (out.version, "relinked", "")
    clock.advance(60)
    assert _row(agent, "k/copy").value == NIGHT_AGAIN


def test_a_duplicate_given_a_longer_life_stands_for_itself(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-24, R-41: restated so that it outlasts the row that answered for it."""
    agent.memory.set("k/a", NIGHT, ttl_seconds=60)
    assert agent.memory.set("k/copy", NIGHT_AGAIN, ttl_seconds=30).status == "duplicate"
    out = agent.memory.set("k/copy", NIGHT_AGAIN, clear_expiry=True)

    assert (out.conflict_verdict, out.status) == ("restated", "active")
    assert out.reinforcement_count == 2
    clock.advance(60)
    assert _row(agent, "k/copy").value == NIGHT_AGAIN


# ------------------------------------------------------------- what outlasts another

SOON: Final = 60
LATER: Final = 120


@pytest.mark.parametrize("how", ["ttl_seconds", "valid_to"])
@pytest.mark.parametrize("claim", [None, LATER], ids=["never", "later"])
@pytest.mark.parametrize("value", [NIGHT_SHOUTED, NIGHT_AGAIN], ids=["canonical", "same"])
@pytest.mark.parametrize("write", ["set", "bulk_set"])
def test_a_claim_that_outlasts_a_row_stands_beside_it(
    agent: AgentHandle,
    clock: FakeClock,
    write: str,
    value: str,
    claim: int | None,
    how: str,
) -> None:
    """R-20, R-33: no fact vanishes with another row's end; the peer counts as apart."""
    agent.memory.set("pump/hours", NIGHT, **_ending(clock, SOON, how))
    said = _ending(clock, claim, "valid_to" if how == "ttl_seconds" else "ttl_seconds")
    if write == "set":
        out: Any = agent.memory.set("k/a", value, **said)
    else:
        entry = {"memory_key": "k/a", "value": value, **said}
        (out,) = agent.memory.bulk_set([entry]).results

    assert (out["conflict_verdict"], out["status"]) == ("clear", "active")
    assert [p.relation for p in out["peers"]] == ["apart"]
    clock.advance(SOON)
    assert _row(agent, "k/a").value == value
    assert [row.memory_key for row in agent.memory.list().items] == ["k/a"]


@pytest.mark.parametrize("claim", [SOON, SOON - 1], ids=["together", "sooner"])
@pytest.mark.parametrize(
    "value, verdict", [(NIGHT_SHOUTED, "merge"), (NIGHT_AGAIN, "duplicate")]
)
def test_a_claim_that_ends_no_later_is_answered_for(
    agent: AgentHandle, clock: FakeClock, value: str, verdict: str, claim: int
) -> None:
    """R-33: as ever, also if both end."""
    agent.memory.set("pump/hours", NIGHT, ttl_seconds=SOON)

    out = agent.memory.set("k/a", value, ttl_seconds=claim)
    assert out.conflict_verdict == verdict


def test_a_claim_s_end_is_the_earlier_of_its_two(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-20: of expiry and end of validity, on either side."""
    agent.memory.set("k/a", NIGHT, ttl_seconds=LATER, **_ending(clock, 90, "valid_to"))
    soon = {"ttl_seconds": LATER + 9, **_ending(clock, SOON, "valid_to")}
    late = {"ttl_seconds": LATER + 9, **_ending(clock, 100, "valid_to")}

    assert agent.memory.set("k/b", NIGHT_SHOUTED, **soon).conflict_verdict == "merge"
    assert agent.memory.set("k/c", NIGHT_SHOUTED, **late).conflict_verdict == "clear"


def test_a_revision_that_keeps_its_later_end_is_no_duplicate_of_a_shorter_row(
    agent: AgentHandle,
) -> None:
    """R-31, R-41: a rewrite keeps the row's own end, and that is what counts."""
    agent.memory.set("pump/hours", NIGHT, ttl_seconds=SOON)
    agent.memory.set("k/short", ELSEWHERE, ttl_seconds=SOON)
    agent.memory.set("k/long", DRAWS_5, ttl_seconds=LATER)

    assert agent.memory.set("k/short", NIGHT_AGAIN).conflict_verdict == "duplicate"
    assert agent.memory.set("k/long", NIGHT_AGAIN).conflict_verdict == "clear"


def test_a_bulk_entry_outlasts_its_twin_and_is_kept(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-37, R-20: an older twin that ends sooner is passed over for one that stays."""
    agent.memory.set("t/soon", NIGHT, ttl_seconds=SOON, memory_type="decision")
    clock.advance(1)
    entry = {"memory_key": "k/a", "value": NIGHT, "memory_type": "preference"}
    (kept,) = agent.memory.bulk_set([entry]).results
    (merged,) = agent.memory.bulk_set([{"memory_key": "k/b", "value": NIGHT}]).results

    assert kept["conflict_verdict"] == "clear"
    assert (merged["conflict_verdict"], merged["merged_into_key"]) == ("merge", "k/a")


def test_a_restored_row_without_its_expiry_outlasts_one_that_ends(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-61, R-20: it is judged as it will stand, not with the expiry that is cleared."""
    agent.memory.set("k/a", NIGHT, ttl_seconds=SOON)
    agent.memory.delete("k/a")
    agent.memory.set("pump/hours", NIGHT, ttl_seconds=LATER)
    assert agent.memory.restore("k/a", dry_run=True).rows[0].status == "duplicate"

    (row,) = agent.memory.restore("k/a", clear_expiry=True).rows
    assert (row.status, row.conflict_verdict) == ("active", "clear")
    clock.advance(LATER)
    assert _row(agent, "k/a").value == NIGHT
