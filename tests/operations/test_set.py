"""Learning a fact under a key."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from loom import AgentHandle, Loom
from loom.errors import Blacklisted, InvalidRequest
from loom.testing.fakes import ChosenEmbedder, FakeClock
from loom.testing.stores import audit_of, contents_of, versions_of
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
)

AT: Final = datetime(2026, 1, 5, 8, tzinfo=UTC)


def test_a_new_fact_is_clear_and_served(agent: AgentHandle, store: Loom) -> None:
    """A-81, A-115, A-144: no close peer; active, and readable at once."""
    out = agent.memory.set("pump/hours", NIGHT)

    assert (out.conflict_verdict, out.status, out.noop) == ("clear", "active", False)
    assert (out.namespace, out.memory_key) == ("lab", "pump/hours")
    row = agent.memory.get("pump/hours")
    assert row is not None
    assert (row.value, row.version) == (NIGHT, out.version)
    assert out.content_sha256 == row.content_sha256
    assert uuid.UUID(out.memory_id).version == 7


def test_a_write_stores_row_entry_and_a_hash_only_audit_row(
    agent: AgentHandle, store: Loom
) -> None:
    """A-16, A-103, B-330: key, id, hash, actor, source class, verdict; never the value."""
    out = agent.memory.set("pump/hours", NIGHT)

    (row,) = versions_of(store)
    (audit,) = audit_of(store)
    assert contents_of(store)["vectors"] == {f"{row.memory_id} {row.content_sha256}"}
    assert (audit.memory_key, audit.memory_id) == ("pump/hours", out.memory_id)
    assert audit.content_sha256 == out.content_sha256
    assert (audit.actor, audit.source_class) == ("process:local", "asserted")
    assert (audit.verdict, audit.refused) == ("clear", "")
    assert "pump runs" not in repr(audit)


def test_a_read_directly_after_a_write_finds_the_fact(agent: AgentHandle) -> None:
    """A-19, A-27: through its inline embedding, by the vector leg alone."""
    agent.memory.set("pump/hours", NIGHT)

    found = agent.memory.search(NIGHT_AGAIN, legs=["vector"])
    assert [hit.memory_key for hit in found.hits] == ["pump/hours"]


def test_a_row_says_who_wrote_what_and_when(store: Loom, clock: FakeClock) -> None:
    """A-1, A-21, A-22, A-236: key, writer, dates, source; `created_at` is loom's own."""
    agent = store.agent(
        "ada", org="acme", namespace="lab", user_id="u", session_id="s", run_id="r"
    )
    agent.memory.set(
        "pump/hours",
        NIGHT,
        memory_type="decision",
        tags=["t", "t"],
        entities=["pump"],
        files=["a.py"],
        confidence=0.5,
        metadata={"k": [1]},
        valid_at=AT,
        valid_to="2030-01-01T00:00:00Z",
        source_resource_id="doc:1",
        source_trace={"line": 3},
    )
    row = agent.memory.get("pump/hours")

    assert row is not None
    assert (row.org, row.namespace, row.agent) == ("acme", "lab", "ada")
    assert (row.user_id, row.session_id, row.run_id) == ("u", "s", "r")
    assert (row.memory_type, row.confidence) == ("decision", 0.5)
    assert (row.tags, row.entities, row.files) == (("t",), ("pump",), ("a.py",))
    assert (row.metadata, row.source_trace) == ({"k": [1]}, {"line": 3})
    assert (row.valid_at, row.valid_to) == (AT, datetime(2030, 1, 1, tzinfo=UTC))
    assert row.created_at == row.updated_at == clock.now
    assert (row.actor, row.source_class) == ("process:local", "asserted")
    assert row.source_resource_id == "doc:1"


def test_the_same_value_again_is_restated(
    agent: AgentHandle, store: Loom, embedder: ChosenEmbedder
) -> None:
    """A-95, A-90: a version with reinforcement_count + 1, and no second embedding."""
    first = agent.memory.set("pump/hours", NIGHT)
    calls = embedder.calls
    again = agent.memory.set("pump/hours", NIGHT)

    assert (again.conflict_verdict, again.reinforcement_count) == ("restated", 2)
    assert again.memory_id == first.memory_id
    assert again.version > first.version
    assert embedder.calls == calls
    assert [v.reinforcement_count for v in versions_of(store)] == [1, 2]


def test_another_value_under_the_key_is_a_revision(agent: AgentHandle) -> None:
    """A-35, R-31, A-34: the same row; the earlier value stays readable in the history."""
    first = agent.memory.set("pump/power", DRAWS_5)
    agent.memory.set("pump/power", DRAWS_5)
    second = agent.memory.set("pump/power", DRAWS_9)

    assert (second.conflict_verdict, second.memory_id) == ("clear", first.memory_id)
    assert second.reinforcement_count == 1
    history = agent.memory.history("pump/power")
    assert [(v.event, v.value) for v in history] == [
        ("revised", DRAWS_9),
        ("restated", DRAWS_5),
        ("created", DRAWS_5),
    ]


def test_the_same_canonical_form_under_another_key_is_merged(
    agent: AgentHandle, store: Loom
) -> None:
    """A-107, A-108: nothing written there, the peer reinforced, `merged_into_key` names it."""
    first = agent.memory.set("pump/hours", NIGHT)
    out = agent.memory.set("pump/schedule", NIGHT_SHOUTED)

    assert (out.conflict_verdict, out.noop) == ("merge", True)
    assert out.merged_into_key == "pump/hours"
    assert (out.memory_id, out.reinforcement_count) == (first.memory_id, 2)
    assert "pump/hours" in out.next
    assert agent.memory.get("pump/schedule") is None
    assert agent.memory.history("pump/schedule") == ()
    row = agent.memory.get("pump/hours")
    assert row is not None
    assert (row.value, row.reinforcement_count) == (NIGHT, 2)
    assert audit_of(store)[-1].memory_id == first.memory_id


def test_a_canonical_match_is_found_however_far_its_vector_lies(
    agent: AgentHandle, embedder: ChosenEmbedder
) -> None:
    """A-107, R-12: sameness is decided by the words."""
    embedder.place("THE LAMP IS GREEN TODAY!", "far away")
    agent.memory.set("lamp/colour", "The lamp is green today.")

    out = agent.memory.set("lamp/state", "THE LAMP IS GREEN TODAY!")
    assert out.conflict_verdict == "merge"


def test_near_identical_words_are_a_duplicate(agent: AgentHandle) -> None:
    """A-112, A-146, A-72: its canonical row answers for it; not served by default."""
    first = agent.memory.set("pump/hours", NIGHT)
    out = agent.memory.set("pump/schedule", NIGHT_AGAIN)

    assert (out.conflict_verdict, out.status) == ("duplicate", "duplicate")
    assert out.duplicate_of == first.memory_id
    row = agent.memory.get("pump/schedule")
    assert row is not None
    assert (row.memory_key, row.resolved_from) == ("pump/hours", "pump/schedule")
    assert agent.memory.count() == 1
    assert agent.memory.count(status="duplicate") == 1


def test_close_but_different_is_a_conflict_and_both_are_marked(agent: AgentHandle) -> None:
    """A-114, A-145, A-148, A-71, R-22: linked both ways, both served."""
    first = agent.memory.set("pump/power", DRAWS_5)
    out = agent.memory.set("machines/pump", DRAWS_9)

    assert (out.conflict_verdict, out.status) == ("conflict", "conflicted")
    one, other = agent.memory.get("pump/power"), agent.memory.get("machines/pump")
    assert one is not None
    assert other is not None
    assert (one.status, one.conflict_with) == ("conflicted", (out.memory_id,))
    assert (other.status, other.conflict_with) == ("conflicted", (first.memory_id,))
    assert one.version == other.version == out.version
    assert one.value == DRAWS_5
    assert "'pump/power'" in out.next


def test_a_third_that_differs_is_linked_with_both(agent: AgentHandle) -> None:
    """R-33, R-22: every close differing peer, conflicted ones included."""
    ids = {
        key: agent.memory.set(key, value).memory_id
        for key, value in (("k/5", DRAWS_5), ("k/7", DRAWS_7), ("k/9", DRAWS_9))
    }
    for key, own in ids.items():
        row = agent.memory.get(key)
        assert row is not None
        assert set(row.conflict_with) == set(ids.values()) - {own}


def test_close_and_compatible_is_clear_with_its_reasons(agent: AgentHandle) -> None:
    """R-33: a close but compatible peer may be clear, and is shown."""
    agent.memory.set("ana/soup", BREAD)
    out = agent.memory.set("ana/lunch", BUTTER)

    assert out.conflict_verdict == "clear"
    (peer,) = out.peers
    assert (peer.memory_key, peer.relation, peer.value) == ("ana/soup", "compatible", BREAD)
    assert peer.similarity == pytest.approx(0.9, abs=0.01)
    assert peer.reasons


def test_at_most_five_peers_are_shown_closest_first(
    agent: AgentHandle, embedder: ChosenEmbedder
) -> None:
    """A-100, R-32, A-106: all are judged and linked, the five closest shown."""
    for i in range(8):
        text = f"The mill grinds {i + 10} tons a day."
        embedder.place(text, "mill", 0.01 * i)
        agent.memory.set(f"mill/{i}", text)
    embedder.place("The mill grinds 99 tons a day.", "mill", 0.0)
    out = agent.memory.set("mill/x", "The mill grinds 99 tons a day.")

    assert [peer.memory_key for peer in out.peers] == [f"mill/{i}" for i in range(5)]
    similarities = [peer.similarity for peer in out.peers]
    assert similarities == sorted(similarities, reverse=True)
    row = agent.memory.get("mill/x")
    assert row is not None
    assert len(row.conflict_with) == 8


@pytest.mark.parametrize(
    "other",
    [
        {"namespace": "ops"},
        {"org": "beta"},
        {"user_id": "u"},
    ],
    ids=lambda o: next(iter(o)),
)
def test_rows_of_another_scope_are_no_peers(store: Loom, other: dict[str, str]) -> None:
    """R-32, R-04: peers stay within org, namespace and user."""
    here = {"org": "acme", "namespace": "lab"}
    store.agent("ada", **{**here, **other}).memory.set("pump/power", DRAWS_5)
    out = store.agent("ada", **here).memory.set("machines/pump", DRAWS_9)

    assert (out.conflict_verdict, out.peers) == ("clear", ())


def test_rows_of_another_type_are_no_peers(agent: AgentHandle) -> None:
    """A-106, R-32: rows of the same memory_type."""
    agent.memory.set("pump/power", DRAWS_5, memory_type="decision")

    assert agent.memory.set("machines/pump", DRAWS_9).conflict_verdict == "clear"


def test_rows_of_other_agents_and_sessions_of_a_user_are_peers(store: Loom) -> None:
    """R-32: of any agent or session."""
    here = {"org": "acme", "namespace": "lab", "user_id": "u"}
    store.agent("ada", session_id="s1", **here).memory.set("pump/power", DRAWS_5)
    out = store.agent("bob", session_id="s2", **here).memory.set("pump/power", DRAWS_9)

    assert out.conflict_verdict == "conflict"
    assert (out.peers[0].agent, out.peers[0].session_id) == ("ada", "s1")


def test_a_session_of_nobody_is_a_scope_of_its_own(store: Loom) -> None:
    """R-04: for `"-"` with a session, peers stay within that session."""
    here = {"org": "acme", "namespace": "lab"}
    store.agent("ada", session_id="s1", **here).memory.set("pump/power", DRAWS_5)
    store.agent("ada", **here).memory.set("pump/rating", DRAWS_7)
    out = store.agent("ada", session_id="s2", **here).memory.set("pump/power", DRAWS_9)

    assert out.conflict_verdict == "clear"


def test_the_same_key_of_two_agents_is_two_rows(store: Loom) -> None:
    """A-38, R-01: storage identity holds the agent and the session; the run is no part."""
    here = {"org": "acme", "namespace": "lab", "user_id": "u"}
    ids = {
        store.agent(name, session_id=session, run_id=run, **here)
        .memory.set("note/today", f"Entry by {name} in {session or 'no session'} is here.")
        .memory_id
        for name, session, run in (
            ("ada", "", "1"),
            ("bob", "", "1"),
            ("ada", "s", "1"),
            ("ada", "s", "2"),
        )
    }

    assert len(ids) == 3


@pytest.mark.parametrize("value", ["blue", 42, True, None, {"a": 1}, [1, 2], "dark mode"])
def test_a_bare_value_under_another_key_is_clear(agent: AgentHandle, value: Any) -> None:
    """R-34: what it says lies in its key."""
    agent.memory.set("one/key", value)

    assert agent.memory.set("another/key", value).conflict_verdict == "clear"
    assert agent.memory.count() == 2


def test_a_revision_into_what_another_row_says_becomes_its_duplicate(
    agent: AgentHandle,
) -> None:
    """R-31: never `merge`, since the old value would stay live."""
    peer = agent.memory.set("pump/hours", NIGHT)
    agent.memory.set("pump/schedule", ELSEWHERE)
    out = agent.memory.set("pump/schedule", NIGHT_SHOUTED)

    assert (out.conflict_verdict, out.duplicate_of) == ("duplicate", peer.memory_id)
    assert not out.noop
    row = agent.memory.get("pump/schedule")
    assert row is not None
    assert row.memory_key == "pump/hours"
    assert agent.memory.search("wolves ridge").hits == ()


FIELDS: Final[list[tuple[str, Any, Any, Any, Any]]] = [
    ("tags", ["a", "b"], ("a", "b"), [], ()),
    ("entities", ["pump"], ("pump",), None, ()),
    ("files", ["a.py"], ("a.py",), [], ()),
    ("metadata", {"k": {"n": 1}}, {"k": {"n": 1}}, {}, {}),
    ("valid_at", AT, AT, None, None),
    ("valid_to", AT + timedelta(days=900), AT + timedelta(days=900), None, None),
    ("source_resource_id", "doc:1", "doc:1", "", ""),
    ("source_trace", {"line": 1}, {"line": 1}, None, {}),
]


@pytest.mark.parametrize("write", ["set", "update", "restate"])
@pytest.mark.parametrize(
    "name, said, kept, empty, cleared", FIELDS, ids=[f[0] for f in FIELDS]
)
def test_an_omitted_field_keeps_and_an_empty_one_clears(
    agent: AgentHandle,
    write: str,
    name: str,
    said: Any,
    kept: Any,
    empty: Any,
    cleared: Any,
) -> None:
    """R-31, A-245: for every field, in a revision, an update and a restatement."""

    def again(value: str, **fields: Any) -> Any:
        method = agent.memory.update if write == "update" else agent.memory.set
        method("pump/hours", NIGHT if write == "restate" else value, **fields)
        return agent.memory.get("pump/hours")

    agent.memory.set("pump/hours", NIGHT, confidence=0.5, **{name: said})

    assert again("The pump rests.")[name] == kept
    assert again("The pump is gone.", **{name: empty})[name] == cleared
    row = again("The pump is back.", **{name: said})
    assert row[name] == kept
    assert row.confidence == 0.5


def test_confidence_and_type_are_kept_and_replaced(agent: AgentHandle) -> None:
    """R-31: fields that have no empty value."""
    agent.memory.set("pump/hours", NIGHT, confidence=0.5, memory_type="decision")
    agent.memory.set("pump/hours", "The pump rests.")
    kept = agent.memory.get("pump/hours")
    agent.memory.set("pump/hours", "It is off.", confidence=0.0, memory_type="semantic")
    replaced = agent.memory.get("pump/hours")

    assert kept is not None
    assert replaced is not None
    assert (kept.confidence, kept.memory_type) == (0.5, "decision")
    assert (replaced.confidence, replaced.memory_type) == (0.0, "semantic")


def test_a_revision_keeps_created_at_and_moves_updated_at(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """A-236, R-31: an update does not rewrite when loom first wrote the row."""
    agent.memory.set("pump/hours", NIGHT)
    born = clock.now
    clock.advance(60)
    agent.memory.set("pump/hours", ELSEWHERE)
    row = agent.memory.get("pump/hours")

    assert row is not None
    assert (row.created_at, row.updated_at) == (born, clock.now)


def test_versions_rise_even_if_the_clock_steps_back(
    agent: AgentHandle, store: Loom, clock: FakeClock
) -> None:
    """R-15: strictly rising over the store, one for all rows of a write."""
    for i in range(4):
        agent.memory.set(f"k/{i % 2}", f"Entry number {i} of the long log stands here.")
        clock.advance(-3600)
    versions = [row.version for row in versions_of(store)]

    assert versions == sorted(set(versions))
    assert {a.version for a in audit_of(store)} == set(versions)


def test_a_revised_row_names_the_version_it_replaced(
    agent: AgentHandle, store: Loom
) -> None:
    """R-21, A-15: nothing is updated in place; every change adds a version row."""
    agent.memory.set("pump/hours", NIGHT)
    before = set(contents_of(store)["memory"])
    agent.memory.set("pump/hours", ELSEWHERE)
    rows = versions_of(store)

    assert before < contents_of(store)["memory"]
    assert [row.parent for row in rows] == [0, rows[0].version]


def test_a_revision_of_one_side_frees_the_other(agent: AgentHandle) -> None:
    """R-22: in the same commit, when its set became empty by this."""
    agent.memory.set("pump/power", DRAWS_5)
    agent.memory.set("machines/pump", DRAWS_9)
    out = agent.memory.set("machines/pump", ELSEWHERE)
    row = agent.memory.get("pump/power")

    assert row is not None
    assert (row.status, row.conflict_with) == ("active", ())
    assert row.version == out.version
    assert row.event == "relinked"


def test_a_revision_that_still_differs_stays_linked(agent: AgentHandle) -> None:
    """R-22: the link is recomputed from the new verdict, and stays symmetric."""
    one = agent.memory.set("pump/power", DRAWS_5)
    other = agent.memory.set("machines/pump", DRAWS_9)
    agent.memory.set("machines/pump", DRAWS_7)
    row, partner = agent.memory.get("machines/pump"), agent.memory.get("pump/power")

    assert row is not None
    assert partner is not None
    assert row.conflict_with == (one.memory_id,)
    assert partner.conflict_with == (other.memory_id,)


def test_agreeing_in_a_revision_ends_the_conflict(agent: AgentHandle) -> None:
    """R-22, R-31: the side that gives in becomes a duplicate, the other is active."""
    one = agent.memory.set("pump/power", DRAWS_5)
    agent.memory.set("machines/pump", DRAWS_9)
    out = agent.memory.set("machines/pump", DRAWS_5)
    row = agent.memory.get("pump/power")

    assert (out.conflict_verdict, out.duplicate_of) == ("duplicate", one.memory_id)
    assert row is not None
    assert (row.status, row.conflict_with) == ("active", ())


def test_when_a_canonical_row_changes_its_duplicates_are_judged_again(
    agent: AgentHandle,
) -> None:
    """R-24: in the same commit; the duplicate stands on its own from now on."""
    agent.memory.set("pump/hours", NIGHT)
    agent.memory.set("pump/schedule", NIGHT_AGAIN)
    out = agent.memory.set("pump/hours", ELSEWHERE)
    row = agent.memory.get("pump/schedule")

    assert row is not None
    assert (row.memory_key, row.value) == ("pump/schedule", NIGHT_AGAIN)
    assert (row.status, row.duplicate_of, row.version) == ("active", "", out.version)


def test_a_freed_duplicate_that_contradicts_the_new_value_is_linked(
    agent: AgentHandle, embedder: ChosenEmbedder
) -> None:
    """R-24, R-22: judged as the write leaves the rows, the revised one included."""
    again = "A pump draws 5 kW at the night."
    embedder.place(again, "draws", 0.01)
    agent.memory.set("pump/power", DRAWS_5)
    assert agent.memory.set("pump/rating", again).status == "duplicate"
    agent.memory.set("pump/power", DRAWS_9)
    one, other = agent.memory.get("pump/power"), agent.memory.get("pump/rating")

    assert one is not None
    assert other is not None
    assert one.conflict_with == (other.memory_id,)
    assert other.conflict_with == (one.memory_id,)


def test_a_key_is_one_key_in_both_normal_forms(agent: AgentHandle) -> None:
    """R-02: after NFC."""
    agent.memory.set("cafe\u0301/hours", NIGHT)

    assert agent.memory.get("caf\u00e9/hours") is not None
    assert agent.memory.set("caf\u00e9/hours", NIGHT).conflict_verdict == "restated"


@pytest.mark.parametrize("key", ["plan-v2", "fact/9f86d081884c7d65"])
def test_a_key_that_hides_revisions_is_accepted_with_advice(
    agent: AgentHandle, key: str
) -> None:
    """R-02, A-33: an entry in `advisories`."""
    assert agent.memory.set(key, NIGHT).advisories
    assert agent.memory.set("pump/plan", ELSEWHERE).advisories == ()


def test_a_long_value_is_found_by_any_of_its_chunks(agent: AgentHandle) -> None:
    """A-17, R-13: verbatim chunks, written in the same call, name their parent."""
    filler = " ".join(f"Sentence number {i} is plain filler." for i in range(150))
    text = f"{filler} The vault opens with a brass lever. {filler}"
    out = agent.memory.set("doc/manual", text)
    (hit,) = agent.memory.search("brass lever").hits

    assert out.chunks_written > 2
    assert hit.parent_memory_key == "doc/manual"
    assert "brass lever" in hit.excerpt
    assert hit.excerpt in text
    assert hit.value == text


def test_what_a_next_hint_says_fits_the_verdict(agent: AgentHandle) -> None:
    """A-101, R-55: one plain sentence: what a careful caller would do now."""
    outs = [
        agent.memory.set("pump/hours", NIGHT),
        agent.memory.set("pump/hours", NIGHT),
        agent.memory.set("x/merged", NIGHT_SHOUTED),
        agent.memory.set("x/copy", NIGHT_AGAIN),
        agent.memory.set("pump/power", DRAWS_5),
        agent.memory.set("x/power", DRAWS_9),
    ]

    assert [o.conflict_verdict for o in outs] == [
        "clear",
        "restated",
        "merge",
        "duplicate",
        "clear",
        "conflict",
    ]
    for out in outs:
        assert out.next.endswith(".")
        assert "\n" not in out.next
    assert len({out.next for out in outs}) == len(outs)


@pytest.mark.parametrize("name", ["derived", "imported", "external"])
def test_a_class_is_lowered_by_saying_so(agent: AgentHandle, name: str) -> None:
    """R-47: only lowered."""
    agent.memory.set("pump/hours", NIGHT, source_class=name)
    row = agent.memory.get("pump/hours")

    assert row is not None
    assert row.source_class == name
    agent.memory.set("pump/hours", NIGHT)
    row = agent.memory.get("pump/hours")
    assert row is not None
    assert row.source_class == name


def test_a_class_cannot_be_lifted(agent: AgentHandle) -> None:
    """R-47: `asserted` is what the operation stamps, not what a body says."""
    with pytest.raises(InvalidRequest):
        agent.memory.set("pump/hours", NIGHT, source_class="asserted")


def test_a_document_goes_elsewhere_and_a_short_memory_points_at_it(
    agent: AgentHandle,
) -> None:
    """A-346: one short memory under a readable key, its source named."""
    agent.memory.set(
        "doc/pump-manual",
        "The pump manual is in the knowledge base under pump-manual-2026.",
        source_resource_id="knowledge:pump-manual-2026",
    )
    page = agent.memory.list(source_resource_id="knowledge:pump-manual-2026")

    assert [row.memory_key for row in page.items] == ["doc/pump-manual"]


def test_entities_are_stored_in_their_canonical_form(agent: AgentHandle) -> None:
    """A-180, A-181: one entity however it is spelled; what names nothing is left out."""
    names = ["The Billing Services", "billing service", "C++", "?!", "Ana’s"]
    agent.memory.set("k/a", NIGHT, entities=names)
    row = agent.memory.get("k/a")

    assert row is not None
    assert row.entities == ("billing service", "c++", "ana")
    for spelling in ("Billing Service", "billing-services", "THE billing service's"):
        assert agent.memory.count(entities=[spelling]) == 1
        assert len(agent.memory.search(NIGHT, entities=[spelling]).hits) == 1
    assert agent.memory.count(entities=["c"]) == agent.memory.count(entities=["?"]) == 0


def test_saying_an_entity_in_another_spelling_changes_nothing(agent: AgentHandle) -> None:
    """A-180, R-30: a restatement under a read-only lock may say it."""
    agent.memory.set("k/a", NIGHT, entities=["Ana"], files=["src/a.py"])
    agent.memory.lock("k/a", reason="final")

    out = agent.memory.set("k/a", NIGHT, entities=["ANA's"], files=["./src//a.py"])

    assert out.conflict_verdict == "restated"


def test_files_are_stored_as_paths_of_a_repository(agent: AgentHandle) -> None:
    """A-183: one path a file, in its case; what lies outside is refused by name."""
    agent.memory.set(
        "k/a", NIGHT, files=["./src/App.py", "src\\App.py", "docs/../README.md"]
    )
    row = agent.memory.get("k/a")

    assert row is not None
    assert row.files == ("src/App.py", "README.md")
    for path in ("/etc/passwd", "../other/x.py", "C:\\x.py", "a\nb"):
        with pytest.raises(InvalidRequest) as caught:
            agent.memory.set("k/b", NIGHT, files=[path])
        assert caught.value.details["field"] == "files"
    assert agent.memory.get("k/b") is None


def test_a_pattern_refuses_an_entity_as_written_and_as_stored(agent: AgentHandle) -> None:
    """R-30, R-43: the row would not hold the words, but the request does."""
    agent.blacklist.add("project: atlas")
    agent.blacklist.add("blue heron")

    for name in ("The Project: Atlas", "Blue-Herons"):
        with pytest.raises(Blacklisted):
            agent.memory.set("k/a", NIGHT, entities=[name])
