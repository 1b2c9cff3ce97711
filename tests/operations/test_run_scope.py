"""What a run writes, the run finds again."""

from __future__ import annotations

from typing import Any, Final

import pytest

from loom import AgentHandle, Loom
from tests.operations.looking import row_of, written
from tests.operations.texts import (
    ELSEWHERE,
    NIGHT,
    NIGHT_SHOUTED,
)

KEY: Final = "pump/hours"
HERE: Final[dict[str, Any]] = {"org": "acme", "namespace": "lab"}


def _in_run(store: Loom, run_id: str) -> AgentHandle:
    return store.agent("ada", org="acme", namespace="lab", run_id=run_id)


@pytest.mark.parametrize("bulk", [False, True], ids=["set", "bulk_set"])
def test_a_claim_known_from_another_run_is_a_duplicate(store: Loom, bulk: bool) -> None:
    """A-127: stored, so that the run finds what it wrote."""
    known = _in_run(store, "r1").memory.set(KEY, NIGHT)
    if bulk:
        entry = {"memory_key": "other/key", "value": NIGHT}
        out = written(_in_run(store, "r2").memory.bulk_set([entry]).results[0])
    else:
        out = _in_run(store, "r2").memory.set("other/key", NIGHT_SHOUTED)

    assert (out.conflict_verdict, out.status) == ("duplicate", "duplicate")
    assert out.duplicate_of == known.memory_id


@pytest.mark.parametrize("run_id", ["r1", ""])
def test_a_claim_of_the_same_run_or_of_none_merges(store: Loom, run_id: str) -> None:
    """A-127: only a run keeps its own copy."""
    _in_run(store, "r1").memory.set(KEY, NIGHT)
    out = _in_run(store, run_id).memory.set("other/key", NIGHT_SHOUTED)
    assert (out.conflict_verdict, out.noop) == ("merge", True)


def test_a_read_of_a_run_finds_its_duplicate(store: Loom) -> None:
    """A-128, R-50: by list, count and search; reads that name no run do not."""
    _in_run(store, "r1").memory.set(KEY, NIGHT)
    reader = _in_run(store, "r2")
    reader.memory.set("other/key", NIGHT_SHOUTED)

    assert [r.memory_key for r in reader.memory.list(by_run="r2").items] == ["other/key"]
    assert reader.memory.count(by_run="r2") == 1
    hits = reader.memory.search(NIGHT, by_run="r2").hits
    assert [(hit.memory_key, hit.status) for hit in hits] == [("other/key", "duplicate")]
    assert [r.memory_key for r in reader.memory.list().items] == [KEY]


@pytest.mark.parametrize("known_in", ["r1", ""], ids=["another run", "no run"])
def test_what_another_run_knows_stays_the_one_that_answers(
    store: Loom, known_in: str
) -> None:
    """A-128, R-05: a read that names no run is answered by the canonical row."""
    known = _in_run(store, known_in).memory.set(KEY, NIGHT)
    reader = _in_run(store, "r2")
    out = reader.memory.set("other/key", NIGHT_SHOUTED)
    row = row_of(reader, "other/key")

    assert (out.status, out.duplicate_of) == ("duplicate", known.memory_id)
    assert (row.memory_id, row.resolved_from) == (known.memory_id, "other/key")
    assert reader.memory.count() == 1


def test_a_run_s_duplicate_stated_again_is_counted(store: Loom) -> None:
    """A-95, A-127: under its key it is a restatement as any other."""
    _in_run(store, "r1").memory.set(KEY, NIGHT)
    reader = _in_run(store, "r2")
    reader.memory.set("other/key", NIGHT_SHOUTED)
    out = reader.memory.set("other/key", NIGHT_SHOUTED)

    assert (out.conflict_verdict, out.status, out.reinforcement_count) == (
        "restated",
        "duplicate",
        2,
    )


def test_a_run_s_duplicate_answers_once_the_canonical_row_says_otherwise(
    store: Loom,
) -> None:
    """A-127, R-24: what the run wrote is not lost with another run's row."""
    first = store.agent("bob", **HERE, run_id="r1")
    first.memory.set(KEY, NIGHT)
    reader = _in_run(store, "r2")
    reader.memory.set("other/key", NIGHT_SHOUTED)
    first.memory.set(KEY, ELSEWHERE)

    row = row_of(reader, "other/key")
    assert (row.status, row.value, row.run_id) == ("active", NIGHT_SHOUTED, "r2")


def test_a_run_is_recorded_and_is_no_part_of_the_identity(store: Loom) -> None:
    """R-01: the same key in two runs is one row."""
    first = _in_run(store, "r1").memory.set(KEY, NIGHT)
    second = _in_run(store, "r2").memory.set(KEY, ELSEWHERE)

    assert first.memory_id == second.memory_id
    assert row_of(_in_run(store, ""), KEY).run_id == "r2"


def test_a_run_of_another_user_is_not_read(store: Loom) -> None:
    """R-04: the same run id of two users is two runs."""
    ana, eve = (
        store.agent("ada", **HERE, user_id=user, run_id="r1") for user in ("ana", "eve")
    )
    ana.memory.set(KEY, NIGHT)
    out = eve.memory.set("other/key", NIGHT_SHOUTED)

    assert (out.conflict_verdict, out.peers) == ("clear", ())
    assert [row.user_id for row in eve.memory.list(by_run="r1").items] == ["eve"]


def test_a_dry_run_answers_as_the_write_would(store: Loom) -> None:
    """R-35, A-127."""
    _in_run(store, "r1").memory.set(KEY, NIGHT)
    reader = _in_run(store, "r2")
    tried = reader.memory.set("other/key", NIGHT_SHOUTED, dry_run=True)

    assert (tried.conflict_verdict, tried.status) == ("duplicate", "duplicate")
    assert reader.memory.list(status="*", by_run="r2").items == ()
