"""Refusals: which guard objects, what is recorded of it, and what stays as it was."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

import pytest

from loom import AgentHandle, Loom
from loom.errors import (
    Blacklisted,
    Locked,
    LoomError,
    NotFound,
    PinnedConflict,
    PreconditionFailed,
    Refused,
    RestoreWindowPassed,
)
from loom.testing.fakes import FakeClock
from loom.testing.stores import audit_of, contents_of, versions_of
from tests.operations.texts import DRAWS_5, DRAWS_9, ELSEWHERE, NIGHT, NIGHT_AGAIN

Attempt = Callable[[AgentHandle], object]
STALE: Final = "0" * 64


def _locked(agent: AgentHandle) -> None:
    agent.memory.set("k/own", NIGHT)
    agent.memory.lock("k/own", reason="under audit")


def _pinned(agent: AgentHandle) -> None:
    agent.memory.pin("k/own", NIGHT)


def _pinned_elsewhere(agent: AgentHandle) -> None:
    agent.memory.pin("k/peer", DRAWS_5)


def _blacklisted(agent: AgentHandle) -> None:
    agent.memory.set("k/own", NIGHT)
    agent.blacklist.add("wolves", reason="off topic")


def _plain(agent: AgentHandle) -> None:
    agent.memory.set("k/own", NIGHT)


def _deleted(agent: AgentHandle) -> None:
    agent.memory.set("k/own", "Wolves were heard near the southern lake.")
    agent.memory.delete("k/own")
    agent.blacklist.add("wolves", reason="off topic")


REFUSALS: Final[list[tuple[str, Any, Attempt, type[Refused]]]] = [
    ("set-locked", _locked, lambda a: a.memory.set("k/own", ELSEWHERE), Locked),
    ("update-locked", _locked, lambda a: a.memory.update("k/own", ELSEWHERE), Locked),
    ("pin-locked", _locked, lambda a: a.memory.pin("k/own", ELSEWHERE), Locked),
    ("pin-as-is-locked", _locked, lambda a: a.memory.pin("k/own"), Locked),
    ("delete-locked", _locked, lambda a: a.memory.delete("k/own"), Locked),
    ("set-pinned", _pinned, lambda a: a.memory.set("k/own", ELSEWHERE), PinnedConflict),
    (
        "set-pinned-peer",
        _pinned_elsewhere,
        lambda a: a.memory.set("k/own", DRAWS_9),
        PinnedConflict,
    ),
    (
        "set-blacklisted",
        _blacklisted,
        lambda a: a.memory.set("k/other", ELSEWHERE),
        Blacklisted,
    ),
    (
        "update-blacklisted",
        _blacklisted,
        lambda a: a.memory.update("k/own", ELSEWHERE),
        Blacklisted,
    ),
    (
        "pin-blacklisted",
        _blacklisted,
        lambda a: a.memory.pin("k/x", ELSEWHERE),
        Blacklisted,
    ),
    ("restore-blacklisted", _deleted, lambda a: a.memory.restore("k/own"), Blacklisted),
    (
        "set-stale",
        _plain,
        lambda a: a.memory.set("k/own", ELSEWHERE, if_match_sha256=STALE),
        PreconditionFailed,
    ),
    (
        "update-stale",
        _plain,
        lambda a: a.memory.update("k/own", ELSEWHERE, if_match_sha256=STALE),
        PreconditionFailed,
    ),
    (
        "set-stale-new",
        _plain,
        lambda a: a.memory.set("k/new", ELSEWHERE, if_match_sha256=STALE),
        PreconditionFailed,
    ),
]
CASES = pytest.mark.parametrize(
    "given, attempt, error", [case[1:] for case in REFUSALS], ids=[c[0] for c in REFUSALS]
)


@CASES
def test_a_refusal_leaves_exactly_one_audit_row_without_a_hash(
    agent: AgentHandle, store: Loom, given: Any, attempt: Attempt, error: type[Refused]
) -> None:
    """R-30, B-330: key, code, actor; no content hash; every other table as it was."""
    given(agent)
    before, entries = contents_of(store), audit_of(store)
    with pytest.raises(error) as caught:
        attempt(agent)

    after = contents_of(store)
    (entry,) = [a for a in audit_of(store) if a not in entries]
    assert entry.refused == caught.value.code == error.code
    assert entry.actor == "process:local"
    assert entry.memory_key.startswith("k/")
    assert (entry.content_sha256, entry.verdict, entry.source_class) == ("", "", "")
    assert {k: v for k, v in after.items() if k != "audit"} == {
        k: v for k, v in before.items() if k != "audit"
    }


@CASES
def test_no_refusal_repeats_a_stored_value(
    agent: AgentHandle, given: Any, attempt: Attempt, error: type[Refused]
) -> None:
    """Spec, errors: a message says what, why and what to do, and never holds a value."""
    given(agent)
    with pytest.raises(error) as caught:
        attempt(agent)

    said = f"{caught.value} {caught.value.message} {caught.value.details}"
    for value in (NIGHT, DRAWS_5, DRAWS_9, ELSEWHERE, "pump runs", "wolves", "Wolves"):
        assert value not in said
    assert caught.value.message.endswith(".")


@CASES
def test_a_dry_run_is_refused_alike_and_records_nothing(
    agent: AgentHandle, store: Loom, given: Any, attempt: Attempt, error: type[Refused]
) -> None:
    """R-35: errors included, and every table as it was."""
    given(agent)
    before = contents_of(store)
    with pytest.raises(error) as tried:
        attempt(_Trying(agent))  # type: ignore[arg-type]
    assert contents_of(store) == before
    with pytest.raises(error) as done:
        attempt(agent)

    assert (tried.value.message, tried.value.details) == (
        done.value.message,
        done.value.details,
    )


class _Trying:
    """A handle whose every call is a dry run."""

    def __init__(self, agent: AgentHandle) -> None:
        self._agent = agent

    @property
    def memory(self) -> _Trying:
        return self

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._agent.memory, name)
        return lambda *args, **kwargs: method(*args, dry_run=True, **kwargs)


def test_a_missing_row_is_not_found_and_leaves_nothing(
    agent: AgentHandle, store: Loom
) -> None:
    """R-05, spec errors: `NotFound` names the key, and is no guard's refusal."""
    before = contents_of(store)
    attempts: list[Attempt] = [
        lambda a: a.memory.update("k/own", NIGHT),
        lambda a: a.memory.update_by_id("no such id", NIGHT),
        lambda a: a.memory.pin("k/own"),
        lambda a: a.memory.restore("k/own"),
        lambda a: a.memory.lock("k/own", reason="kept"),
        lambda a: a.memory.unlock("k/own"),
        lambda a: a.blacklist.remove("no such id"),
    ]
    for attempt in attempts:
        with pytest.raises(NotFound) as caught:
            attempt(agent)
        assert caught.value.code == "NOT_FOUND"
    assert contents_of(store) == before


def test_a_byte_identical_restatement_passes_every_guard_but_the_blacklist(
    agent: AgentHandle,
) -> None:
    """A-90, R-30: for what it leaves unchanged, and never the blacklist."""
    agent.memory.pin("k/own", ELSEWHERE, tags=["t"])
    agent.memory.lock("k/own", reason="kept")

    assert agent.memory.set("k/own", ELSEWHERE).conflict_verdict == "restated"
    assert agent.memory.set("k/own", ELSEWHERE, tags=["t"]).reinforcement_count == 3
    with pytest.raises(Locked):
        agent.memory.set("k/own", ELSEWHERE, tags=["other"])
    agent.memory.unlock("k/own")
    with pytest.raises(PinnedConflict):
        agent.memory.set("k/own", ELSEWHERE, tags=["other"])
    agent.blacklist.add("wolves")
    with pytest.raises(Blacklisted):
        agent.memory.set("k/own", ELSEWHERE)


def test_a_pin_outlives_a_close_value_under_another_key(agent: AgentHandle) -> None:
    """A-109, A-130: close to a pinned row: 409 PINNED_CONFLICT, also for a near-copy."""
    agent.memory.pin("pump/power", DRAWS_5)
    agent.memory.pin("pump/hours", NIGHT)

    with pytest.raises(PinnedConflict) as caught:
        agent.memory.set("k/power", DRAWS_9)
    assert caught.value.details["memory_key"] == "pump/power"
    with pytest.raises(PinnedConflict):
        agent.memory.set("k/hours", NIGHT_AGAIN)
    with pytest.raises(PinnedConflict):
        agent.memory.bulk_set([{"memory_key": "k/p", "value": DRAWS_9}], atomic=True)
    row = agent.memory.get("pump/power")
    assert row is not None
    assert (row.value, row.status) == (DRAWS_5, "active")


def test_the_same_words_merge_into_a_pinned_row(agent: AgentHandle) -> None:
    """R-33: a canonical match comes first: it says what the pinned row says."""
    agent.memory.pin("pump/hours", NIGHT)
    out = agent.memory.set("k/hours", "the pump runs at night")

    assert (out.conflict_verdict, out.merged_into_key) == ("merge", "pump/hours")


def test_the_guards_object_in_the_page_s_order(agent: AgentHandle) -> None:
    """A-87, R-30: lock, pin, blacklist, precondition; the first that objects decides."""
    agent.memory.pin("k/own", NIGHT)
    agent.memory.lock("k/own", reason="kept")
    pattern = agent.blacklist.add("wolves").pattern

    def refused() -> str:
        with pytest.raises(Refused) as caught:
            agent.memory.set("k/own", ELSEWHERE, if_match_sha256=STALE)
        return caught.value.code

    assert refused() == "LOCKED"
    agent.memory.unlock("k/own")
    assert refused() == "PINNED_CONFLICT"
    agent.memory.update("k/own", NIGHT, pinned=False)
    assert refused() == "BLACKLISTED"
    agent.blacklist.remove(pattern.pattern_id)
    assert refused() == "PRECONDITION_FAILED"


def test_if_match_lets_the_write_land_only_on_the_row_that_was_read(
    agent: AgentHandle,
) -> None:
    """A-93, A-94, A-256, R-36: the hash of every answer is the one that is compared."""
    out = agent.memory.set("k/own", NIGHT)
    row, by_id = agent.memory.get("k/own"), agent.memory.get_by_id(out.memory_id)
    assert row is not None
    assert by_id is not None
    version = agent.memory.history("k/own")[0]
    hashes = {x.content_sha256 for x in (out, row, by_id, version)}
    assert len(hashes) == 1

    landed = agent.memory.set("k/own", ELSEWHERE, if_match_sha256=hashes.pop().upper())
    with pytest.raises(PreconditionFailed) as caught:
        agent.memory.set("k/own", DRAWS_5, if_match_sha256=row.content_sha256)
    assert caught.value.details["content_sha256"] == landed.content_sha256


def test_another_writer_s_change_in_between_fails_the_precondition(store: Loom) -> None:
    """A-349, A-93: whoever wrote it."""
    here = {"org": "acme", "namespace": "lab"}
    ada, bob = store.agent("ada", **here), store.agent("bob", **here)
    read = ada.memory.set("pump/power", DRAWS_5)
    bob.memory.update("pump/power", DRAWS_9)

    with pytest.raises(PreconditionFailed):
        ada.memory.update("pump/power", ELSEWHERE, if_match_sha256=read.content_sha256)


def test_with_no_live_row_the_precondition_fails(agent: AgentHandle) -> None:
    """R-36: also for the hash of a row that was deleted."""
    out = agent.memory.set("k/own", NIGHT)
    agent.memory.delete("k/own")

    with pytest.raises(PreconditionFailed):
        agent.memory.set("k/own", NIGHT, if_match_sha256=out.content_sha256)


def test_a_restore_past_the_window_is_refused_and_recorded(
    agent: AgentHandle, store: Loom, clock: FakeClock
) -> None:
    """A-84, R-30: 410 RESTORE_WINDOW_PASSED after 14 days."""
    agent.memory.set("k/own", NIGHT)
    agent.memory.delete("k/own")
    clock.advance(timedelta(days=14).total_seconds() + 1)
    versions = versions_of(store)

    with pytest.raises(RestoreWindowPassed) as caught:
        agent.memory.restore("k/own")
    assert caught.value.code == "RESTORE_WINDOW_PASSED"
    assert audit_of(store)[-1].refused == "RESTORE_WINDOW_PASSED"
    assert versions_of(store) == versions


def test_every_refusal_names_what_was_refused(agent: AgentHandle) -> None:
    """Spec, errors: the details are for programs: key, reason, hash, pattern."""
    agent.memory.set("k/own", NIGHT)
    agent.memory.lock("k/own", reason="under audit", ttl_seconds=60)
    with pytest.raises(LoomError) as caught:
        agent.memory.set("k/own", ELSEWHERE)

    details = caught.value.details
    assert details["memory_key"] == "k/own"
    assert details["reason"] == "under audit"
    assert details["mode"] == "read_only"
    assert details["lock_until"] is not None
    assert "under audit" in caught.value.message
