"""Vouching for a row: by whom, for which content, and what an edit makes of it."""

from __future__ import annotations

from typing import Any

import pytest

from loom import AgentHandle, Caller, Loom, Role
from loom.errors import Forbidden, IllegalTransition, InvalidRequest, NotFound
from loom.model.provenance import CallerKind
from loom.testing.fakes import FakeClock, SeededIds
from loom.testing.stores import acting_as, audit_of, versions_of
from tests.operations.conftest import Opener
from tests.operations.looking import row_of
from tests.operations.texts import DRAWS_5, ELSEWHERE, NIGHT

KEY = "pump/rate"
MARA = Caller(subject="mara", kind=CallerKind.HUMAN)


def _as_mara(store: Loom, **said: Any) -> AgentHandle:
    return acting_as(store, MARA).agent("ada", org="acme", namespace="lab", **said)


def test_a_person_vouches_in_their_own_name(agent: AgentHandle, store: Loom) -> None:
    """A-284, B-287: who vouched, bound to the content hash; get says `human`."""
    written = agent.memory.set(KEY, DRAWS_5)

    out = _as_mara(store).memory.verify(memory_key=KEY, reason="read off the meter")

    row = row_of(agent, KEY)
    assert (out.changed, out.verification) == (True, "human")
    assert (row.verified_by, row.verified_sha256) == ("human:mara", written.content_sha256)
    assert row.verification == "human"
    by_id = agent.memory.get_by_id(row.memory_id)
    assert by_id is not None
    assert by_id.verification == "human"


def test_a_process_vouches_as_a_process(agent: AgentHandle) -> None:
    """B-291, R-07: an agent cannot make its own write a person's word."""
    agent.memory.set(KEY, DRAWS_5)

    assert agent.memory.verify(memory_key=KEY).verification == "process"
    with pytest.raises(TypeError):
        agent.memory.verify(memory_key=KEY, actor="human:mara")  # type: ignore[call-arg]


def test_an_edit_makes_it_stale_and_never_transfers_it(
    agent: AgentHandle, store: Loom
) -> None:
    """B-288: stale until somebody vouches again; back to the old content it holds again."""
    agent.memory.set(KEY, DRAWS_5)
    _as_mara(store).memory.verify(memory_key=KEY)

    agent.memory.set(KEY, NIGHT)

    row = row_of(agent, KEY)
    assert (row.verification, row.verified_by) == ("stale", "human:mara")
    assert _as_mara(store).memory.verify(memory_key=KEY).verification == "human"


def test_what_says_the_same_keeps_its_attestation(agent: AgentHandle, store: Loom) -> None:
    """B-287: bound to the content: a restatement, a lock, a tag leave it."""
    agent.memory.set(KEY, DRAWS_5)
    _as_mara(store).memory.verify(memory_key=KEY)

    agent.memory.set(KEY, DRAWS_5, tags=["seen"])
    agent.memory.lock(KEY, reason="audited")

    assert row_of(agent, KEY).verification == "human"


def test_revoking_clears_it(agent: AgentHandle, store: Loom) -> None:
    """B-289: as if nobody had; a second time changes nothing."""
    agent.memory.set(KEY, DRAWS_5)
    mara = _as_mara(store).memory
    mara.verify(memory_key=KEY)

    first, second = (mara.verify(memory_key=KEY, revoke=True) for _ in range(2))

    assert (first.changed, second.changed) == (True, False)
    row = row_of(agent, KEY)
    assert (row.verification, row.verified_by, row.verified_sha256) == ("none", "", "")


def test_vouching_again_for_the_same_is_no_write(agent: AgentHandle, store: Loom) -> None:
    """B-290: changed=false; another person's word replaces it."""
    agent.memory.set(KEY, DRAWS_5)
    mara = _as_mara(store).memory
    mara.verify(memory_key=KEY)
    before = versions_of(store)

    assert not mara.verify(memory_key=KEY).changed
    assert versions_of(store) == before
    assert agent.memory.verify(memory_key=KEY).changed
    assert row_of(agent, KEY).verified_by == "process:local"


def test_it_is_a_version_and_an_audit_entry(agent: AgentHandle, store: Loom) -> None:
    """R-21: history says who vouched and why; the claim keeps its writer."""
    agent.memory.set(KEY, DRAWS_5)

    _as_mara(store).memory.verify(memory_key=KEY, reason="read off the meter")

    newest = agent.memory.history(KEY)[0]
    assert (newest.event, newest.event_reason) == ("verified", "read off the meter")
    assert (newest.verification, newest.actor) == ("human", "process:local")
    entry = audit_of(store)[-1]
    assert (entry.operation, entry.verdict) == ("memory.verify", "verified")
    assert entry.actor == "human:mara"


def test_the_row_is_named_by_key_or_by_id(agent: AgentHandle, store: Loom) -> None:
    """B-285: by memory_id, or by namespace, key and writer."""
    other = store.agent("bob", org="acme", namespace="lab")
    memory_id = other.memory.set(KEY, DRAWS_5).memory_id
    agent.memory.set(KEY, ELSEWHERE)

    agent.memory.verify(memory_id=memory_id)

    assert row_of(other, KEY).verification == "process"
    assert row_of(agent, KEY).verification == "none"
    both: dict[str, Any] = {"memory_key": KEY, "memory_id": memory_id}
    for said in ({}, both):
        with pytest.raises(InvalidRequest):
            agent.memory.verify(**said)


def test_other_users_rows_answer_as_missing_ones(agent: AgentHandle, store: Loom) -> None:
    """R-04: by id as well."""
    ana = store.agent("ada", org="acme", namespace="lab", user_id="ana")
    memory_id = ana.memory.set(KEY, DRAWS_5).memory_id

    missing: list[dict[str, Any]] = [
        {"memory_id": memory_id},
        {"memory_id": "x"},
        {"memory_key": "no/such"},
    ]
    for said in missing:
        with pytest.raises(NotFound):
            agent.memory.verify(**said)


def test_what_is_out_of_use_is_nothing_to_vouch_for(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-20: deleted, rejected, expired and proposed rows are no beliefs."""
    gone = agent.memory.set("gone", DRAWS_5).memory_id
    agent.memory.delete("gone")
    ended = agent.memory.set("ended", ELSEWHERE, ttl_seconds=60).memory_id
    trial = agent.memory.set("trial", NIGHT, proposed=True).memory_id
    clock.advance(61)

    for memory_id in (gone, ended, trial):
        with pytest.raises(IllegalTransition):
            agent.memory.verify(memory_id=memory_id)


def test_a_fresh_start_is_nobodys_word(agent: AgentHandle) -> None:
    """R-20: a key that is set again after its delete begins anew."""
    agent.memory.set(KEY, DRAWS_5)
    agent.memory.verify(memory_key=KEY)
    agent.memory.delete(KEY)
    agent.memory.set(KEY, DRAWS_5)

    assert row_of(agent, KEY).verification == "none"


def test_a_search_says_who_vouches(agent: AgentHandle, store: Loom) -> None:
    """B-262: hits carry source_class and verification."""
    agent.memory.set(KEY, DRAWS_5)
    _as_mara(store).memory.verify(memory_key=KEY)

    hit = agent.memory.search(DRAWS_5).hits[0]

    assert (hit.source_class, hit.verification) == ("asserted", "human")


def test_a_snapshot_carries_it_and_it_reads_as_restored(
    agent: AgentHandle, store: Loom, opened: Opener
) -> None:
    """B-292, R-47: never stripped, and never a person's word in the new place."""
    agent.memory.set(KEY, DRAWS_5)
    _as_mara(store).memory.verify(memory_key=KEY)
    other = opened(ids=SeededIds(1)).agent("ada", org="acme", namespace="lab")

    other.namespace.restore("lab", agent.namespace.snapshot())

    row = row_of(other, KEY)
    assert (row.verification, row.verified_by) == ("restored", "restored:human:mara")


def test_vouching_takes_a_writer(opened: Opener) -> None:
    """A-284: writer on the row's namespace."""
    store = opened()
    store.agent("ada", org="acme", namespace="lab").memory.set(KEY, DRAWS_5)
    viewer = acting_as(store, Caller(subject="v", roles={"acme/lab": Role.VIEWER}))

    with pytest.raises(Forbidden):
        viewer.agent("ada", org="acme", namespace="lab").memory.verify(memory_key=KEY)


def test_a_secret_is_vouched_for_without_its_hash(agent: AgentHandle) -> None:
    """R-46: the answer holds nothing from which a short value could be guessed."""
    agent.memory.set(KEY, "4711", sensitivity="high")

    out = agent.memory.verify(memory_key=KEY)

    assert (out.verification, out.verified_sha256) == ("process", "")
