"""Many writes in one call, each judged in order."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import loom
from loom import AgentHandle, Loom, Settings
from loom.errors import Blacklisted, InvalidRequest, PinnedConflict, PreconditionFailed
from loom.testing.fakes import ChosenEmbedder, FakeClock, SeededIds
from loom.testing.stores import audit_of, contents_of, versions_of
from tests.operations.conftest import Opener
from tests.operations.texts import (
    BREAD,
    BUTTER,
    DRAWS_5,
    DRAWS_7,
    DRAWS_9,
    ELSEWHERE,
    NIGHT,
    NIGHT_AGAIN,
    NIGHT_SHOUTED,
    PLACES,
)


def _entries(*pairs: tuple[str, Any], **fields: Any) -> list[dict[str, Any]]:
    return [{"memory_key": key, "value": value, **fields} for key, value in pairs]


def _kinds(agent: AgentHandle, *pairs: tuple[str, Any]) -> list[str]:
    results = agent.memory.bulk_set(_entries(*pairs)).results
    return [r["code"] if "code" in r else r["conflict_verdict"] for r in results]


def test_each_entry_sees_the_ones_before(agent: AgentHandle) -> None:
    """R-37, A-102: the same check as set, one answer an entry, in the order given."""
    kinds = _kinds(
        agent,
        ("pump/hours", NIGHT),
        ("pump/hours", NIGHT),
        ("k/merged", NIGHT_SHOUTED),
        ("k/copy", NIGHT_AGAIN),
        ("pump/power", DRAWS_5),
        ("k/power", DRAWS_9),
        ("pump/power", ELSEWHERE),
    )

    assert kinds == [
        "clear",
        "restated",
        "merge",
        "duplicate",
        "clear",
        "conflict",
        "clear",
    ]
    row = agent.memory.get("k/power")
    assert row is not None
    assert (row.status, row.conflict_with) == ("active", ())


def test_the_answers_are_counted(agent: AgentHandle) -> None:
    """R-37: how many there are of each kind."""
    agent.blacklist.add("wolves")
    out = agent.memory.bulk_set(
        _entries(
            ("a/1", NIGHT), ("a/1", NIGHT), ("a/2", ELSEWHERE), ("a//3", 1), ("a/4", 2)
        )
    )

    assert dict(out.counts) == {"clear": 2, "restated": 1, "BLACKLISTED": 1, "INVALID": 1}
    assert len(out.results) == 5


def test_a_refused_entry_is_skipped_and_the_others_land(
    agent: AgentHandle, store: Loom
) -> None:
    """A-92, R-37: with the error a single write would raise, and its one audit row."""
    agent.blacklist.add("wolves", reason="off topic")
    out = agent.memory.bulk_set(
        _entries(("a/1", NIGHT), ("a/2", ELSEWHERE), ("a/3", BREAD))
    )
    with pytest.raises(Blacklisted) as single:
        agent.memory.set("a/2", ELSEWHERE)

    refusal: Any = out.results[1]
    assert (refusal.memory_key, refusal.code) == ("a/2", "BLACKLISTED")
    assert (refusal.message, dict(refusal.details)) == (
        single.value.message,
        single.value.details,
    )
    assert [row.memory_key for row in agent.memory.list().items] == ["a/1", "a/3"]
    assert [a.refused for a in audit_of(store)].count("BLACKLISTED") == 2


def test_every_entry_s_write_has_a_version_of_its_own(
    agent: AgentHandle, store: Loom
) -> None:
    """R-15, B-330: one version and one audit row a write, also inside one call."""
    out = agent.memory.bulk_set(_entries(*((f"a/{i}", i) for i in range(20))))
    versions = [r["version"] for r in out.results]

    assert versions == sorted(set(versions))
    assert [a.version for a in audit_of(store)] == versions


def test_the_same_hash_of_the_same_agent_and_user_is_the_fact(store: Loom) -> None:
    """A-96, R-37: under scope identity, in any session or type."""
    here = {"org": "acme", "namespace": "lab", "user_id": "u"}
    one = store.agent("ada", session_id="s1", **here)
    two = store.agent("ada", session_id="s2", **here)
    first = one.memory.set("pump/hours", NIGHT, memory_type="decision")

    (result,) = two.memory.bulk_set(_entries(("k/other", NIGHT))).results
    assert (result["conflict_verdict"], result["memory_id"]) == ("merge", first.memory_id)
    assert result["merged_into_key"] == "pump/hours"
    (by_bob,) = (
        store.agent("bob", **here).memory.bulk_set(_entries(("k/other", NIGHT))).results
    )
    assert by_bob["conflict_verdict"] == "clear"


def test_nobody_s_session_has_its_twins_within_itself(store: Loom) -> None:
    """R-04, R-37: an anonymous session's write must not vanish into another session."""
    one, two = (
        store.agent("ada", org="acme", namespace="lab", session_id=s) for s in ("s1", "s2")
    )
    outside = store.agent("ada", org="acme", namespace="lab")
    one.memory.set("pump/hours", NIGHT)
    entries = _entries(("k/other", NIGHT))

    (result,) = two.memory.bulk_set(entries).results
    assert (result["conflict_verdict"], result["memory_key"]) == ("clear", "k/other")
    (again,) = one.memory.bulk_set(entries).results
    assert (again["conflict_verdict"], again["merged_into_key"]) == ("merge", "pump/hours")
    (without,) = outside.memory.bulk_set(_entries(("k/third", NIGHT))).results
    assert without["conflict_verdict"] == "merge"


def test_a_bulk_entry_that_pins_pins_its_twin(agent: AgentHandle) -> None:
    """R-37, A-129: as a single write's merge does."""
    agent.memory.set("pump/hours", NIGHT)
    (out,) = agent.memory.bulk_set(_entries(("k/b", NIGHT), pinned=True)).results

    assert (out["conflict_verdict"], out["pinned"]) == ("merge", True)


def test_a_bare_value_is_no_twin_under_another_key(agent: AgentHandle) -> None:
    """R-34, R-37: what it says lies in its key."""
    kinds = _kinds(
        agent, ("a/colour", "blue"), ("b/colour", "blue"), ("c/n", 1), ("d/n", 1)
    )

    assert kinds == ["clear"] * 4
    assert agent.memory.count() == 4


def test_a_twin_does_not_swallow_a_row_that_is_revised(agent: AgentHandle) -> None:
    """R-31: the key's own row becomes its duplicate; the old value does not stay live."""
    agent.memory.set("pump/hours", NIGHT)
    agent.memory.set("k/other", ELSEWHERE)

    assert _kinds(agent, ("k/other", NIGHT)) == ["duplicate"]
    assert agent.memory.search("wolves").hits == ()


def test_the_scope_is_a_setting(opened: Opener) -> None:
    """A-97, R-37: under scope `key` a type apart is judged apart, as in single writes."""
    kinds = []
    for scope in ("identity", "key"):
        agent = opened(settings=Settings(bulk_dedup_scope=scope)).agent("ada")
        agent.memory.set("pump/hours", NIGHT, memory_type="decision")
        kinds.append(_kinds(agent, ("k/other", NIGHT)))

    assert kinds == [["merge"], ["clear"]]


POOL: Final = (
    NIGHT,
    NIGHT_SHOUTED,
    NIGHT_AGAIN,
    DRAWS_5,
    DRAWS_7,
    DRAWS_9,
    BREAD,
    BUTTER,
    ELSEWHERE,
    "blue",
    "Blue.",
    7,
    {"a": 1},
)
sequences = st.lists(
    st.tuples(
        st.sampled_from(["k/1", "k/2", "k/3"]),
        st.sampled_from(POOL),
        st.sampled_from([{}, {}, {"pinned": True}, {"tags": ["t"]}, {"tags": []}]),
    ),
    max_size=8,
)


def _opened_in_memory() -> Loom:
    return loom.open(
        ":memory:",
        embedder=ChosenEmbedder(PLACES),
        clock=FakeClock(),
        ids=SeededIds(),
        settings=Settings(bulk_dedup_scope="key"),
    )


@given(sequences)
@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=60)
def test_bulk_equals_single_writes_under_scope_key(found: list[Any]) -> None:
    """R-37, P05: the same rows, verdicts and counts, refusals and audit rows included."""
    entries = [{"memory_key": k, "value": v, **fields} for k, v, fields in found]
    with _opened_in_memory() as one, _opened_in_memory() as other:
        together = one.agent("ada").memory.bulk_set(entries).results
        single = other.agent("ada")
        for entry, answer in zip(entries, together, strict=True):
            assert _told(answer) == _told(_alone(single, entry))
        assert _told_rows(one) == _told_rows(other)
        assert [(a.memory_key, a.verdict, a.refused) for a in audit_of(one)] == [
            (a.memory_key, a.verdict, a.refused) for a in audit_of(other)
        ]


def _alone(agent: AgentHandle, entry: dict[str, Any]) -> Any:
    """What a single write answers, its refusal included."""
    try:
        return agent.memory.set(**entry)
    except loom.errors.Refused as error:
        return {"code": error.code, "message": error.message}


def _told(answer: Any) -> dict[str, Any]:
    if "code" in answer:
        return {"code": answer["code"], "message": answer["message"]}
    told = {k: v for k, v in dict(answer).items() if k not in ("memory_id", "version")}
    told["duplicate_of"] = bool(told["duplicate_of"])
    told["peers"] = [(p.memory_key, p.relation, p.reasons) for p in told["peers"]]
    return told


def _told_rows(store: Loom) -> list[Any]:
    rows = versions_of(store)
    names = {row.memory_id: row.memory_key for row in rows}
    return [
        (
            row.memory_key,
            row.value,
            row.status,
            row.event,
            row.pinned,
            row.tags,
            row.reinforcement_count,
            sorted(names[i] for i in row.conflict_with),
            names.get(row.duplicate_of),
        )
        for row in rows
    ]


def test_one_fact_three_times_is_one_row_in_bulk_and_in_single_writes(
    opened: Opener,
) -> None:
    """R-37, P05: one differing in case and a final full stop."""
    pairs = (("a/1", NIGHT), ("a/2", NIGHT), ("a/3", "the pump runs at night"))
    for scope in ("identity", "key"):
        agent = opened(settings=Settings(bulk_dedup_scope=scope)).agent("ada")
        assert _kinds(agent, *pairs) == ["clear", "merge", "merge"]
        (row,) = agent.memory.list(status="*").items
        assert (row.value, row.reinforcement_count) == (NIGHT, 3)


def test_atomic_undoes_everything_at_the_first_refusal(
    agent: AgentHandle, store: Loom
) -> None:
    """R-37, R-30: nothing is written but the audit row of the refusal."""
    agent.memory.set("pump/power", DRAWS_5)
    agent.blacklist.add("wolves")
    before, entries = contents_of(store), audit_of(store)
    with pytest.raises(Blacklisted):
        agent.memory.bulk_set(
            _entries(("a/1", NIGHT), ("a/2", DRAWS_9), ("a/3", ELSEWHERE), ("a/4", BREAD)),
            atomic=True,
        )

    after = contents_of(store)
    (entry,) = [a for a in audit_of(store) if a not in entries]
    assert (entry.memory_key, entry.refused) == ("a/3", "BLACKLISTED")
    assert after["memory"] == before["memory"]
    assert after["vectors"] == before["vectors"]
    row = agent.memory.get("pump/power")
    assert row is not None
    assert row.status == "active"


def test_atomic_lands_whole_when_nobody_objects(agent: AgentHandle) -> None:
    """R-37, R-38: and judges as it does otherwise."""
    out = agent.memory.bulk_set(
        _entries(
            ("a/1", NIGHT), ("a/2", NIGHT_SHOUTED), ("a/3", DRAWS_5), ("a/4", DRAWS_9)
        ),
        atomic=True,
    )

    assert dict(out.counts) == {"clear": 2, "merge": 1, "conflict": 1}
    assert agent.memory.count() == 3


def test_atomic_with_a_malformed_entry_leaves_nothing(
    agent: AgentHandle, store: Loom
) -> None:
    """R-30: not even an audit row."""
    before = contents_of(store)
    with pytest.raises(InvalidRequest):
        agent.memory.bulk_set(_entries(("a/1", NIGHT), ("a//2", BREAD)), atomic=True)

    assert contents_of(store) == before


def test_an_entry_may_hold_what_set_takes(agent: AgentHandle) -> None:
    """R-37: tags, pins, preconditions and the rest."""
    first = agent.memory.set("a/1", NIGHT)
    out = agent.memory.bulk_set(
        [
            {
                "memory_key": "a/1",
                "value": BREAD,
                "if_match_sha256": first.content_sha256,
                "tags": ["t"],
                "pinned": True,
                "confidence": 0.5,
                "ttl_seconds": 60,
                "valid_at": "2026-01-01T00:00:00Z",
                "metadata": {"k": 1},
                "source_class": "imported",
            },
            {
                "memory_key": "a/1",
                "value": DRAWS_5,
                "if_match_sha256": first.content_sha256,
            },
        ]
    )
    row = agent.memory.get("a/1")

    assert row is not None
    assert (row.value, row.pinned, row.tags, row.confidence) == (BREAD, True, ("t",), 0.5)
    assert row.source_class == "imported"
    assert out.results[1]["code"] == PinnedConflict.code


def test_a_stale_precondition_is_that_entry_s_answer(agent: AgentHandle) -> None:
    """R-36, R-37: each entry is compared with what the ones before left."""
    first = agent.memory.set("a/1", NIGHT)
    fields = {"if_match_sha256": first.content_sha256}
    out = agent.memory.bulk_set(_entries(("a/1", BREAD), ("a/1", ELSEWHERE), **fields))

    assert out.results[0]["conflict_verdict"] == "clear"
    assert out.results[1]["code"] == PreconditionFailed.code


def test_nothing_to_write_is_an_answer(agent: AgentHandle, store: Loom) -> None:
    """R-37: an empty list."""
    before = contents_of(store)
    out = agent.memory.bulk_set([])

    assert (out.results, dict(out.counts)) == ((), {})
    assert contents_of(store) == before


def test_a_bulk_larger_than_a_block_is_judged_as_one_sequence(agent: AgentHandle) -> None:
    """R-37: entries of later blocks see the earlier ones."""
    pairs = [(f"n/{i}", i) for i in range(300)]
    out = agent.memory.bulk_set(
        _entries(("pump/hours", NIGHT), *pairs, ("k/late", NIGHT_SHOUTED))
    )

    assert out.results[-1]["conflict_verdict"] == "merge"
    assert agent.memory.count() == 301
