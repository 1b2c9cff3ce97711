"""Reading by key and id, listing, counting, history."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

import pytest

from loom import AgentHandle, Loom
from loom.errors import InvalidRequest
from loom.testing.fakes import FakeClock
from loom.testing.stores import versions_of
from tests.operations.texts import DRAWS_5, DRAWS_9, ELSEWHERE, NIGHT, NIGHT_AGAIN

HERE: Final[dict[str, Any]] = {"org": "acme", "namespace": "lab"}


def _keys(agent: AgentHandle, **filters: Any) -> list[str]:
    return [row.memory_key for row in agent.memory.list(**filters).items]


def test_a_missing_key_is_none(agent: AgentHandle) -> None:
    """R-05: no error."""
    assert agent.memory.get("k/none") is None
    assert agent.memory.get_by_id("no such id") is None


def test_get_answers_the_own_row_first_then_the_newest_visible_one(store: Loom) -> None:
    """R-05: own identity, then the newest of the own user, then nobody's."""
    ada = store.agent("ada", user_id="u", **HERE)
    nobody = store.agent("zoe", **HERE)
    bob, cyd = (store.agent(name, user_id="u", **HERE) for name in ("bob", "cyd"))

    def answer() -> tuple[str, str] | None:
        row = ada.memory.get("k/a")
        return None if row is None else (row.agent, row.user_id)

    nobody.memory.set("k/a", "Nobody wrote of rivers and of lakes.")
    assert answer() == ("zoe", "-")
    bob.memory.set("k/a", "Bob wrote of mountains in the north.")
    nobody.memory.set("k/a", "Nobody wrote again, of other rivers.")
    assert answer() == ("bob", "u")
    cyd.memory.set("k/a", "Cyd tells a tale about old deserts.")
    assert answer() == ("cyd", "u")
    ada.memory.set("k/a", "Ada herself notes what forests do.")
    cyd.memory.set("k/a", "Cyd tells another tale about glaciers.")
    assert answer() == ("ada", "u")
    ada.memory.delete("k/a", mine_only=True)
    assert answer() == ("cyd", "u")


def test_get_names_agent_user_and_session(store: Loom) -> None:
    """R-05: whose row it is."""
    store.agent("bob", user_id="u", session_id="s", **HERE).memory.set("k/a", NIGHT)
    row = store.agent("ada", user_id="u", **HERE).memory.get("k/a")

    assert row is not None
    assert (row.agent, row.user_id, row.session_id) == ("bob", "u", "s")


def test_a_duplicate_s_key_and_id_answer_with_the_canonical_row(
    agent: AgentHandle,
) -> None:
    """A-72: `resolved_from` says so."""
    first = agent.memory.set("pump/hours", NIGHT)
    copy = agent.memory.set("k/copy", NIGHT_AGAIN)
    by_key, by_id = agent.memory.get("k/copy"), agent.memory.get_by_id(copy.memory_id)

    for row in (by_key, by_id):
        assert row is not None
        assert (row.memory_id, row.resolved_from) == (first.memory_id, "k/copy")
    plain = agent.memory.get("pump/hours")
    assert plain is not None
    assert plain.resolved_from == ""


def test_another_writer_s_duplicate_resolves_for_readers_too(store: Loom) -> None:
    """A-72, R-05: whoever asks by that key."""
    ada, bob = (store.agent(name, **HERE) for name in ("ada", "bob"))
    ada.memory.set("pump/hours", NIGHT)
    bob.memory.set("k/copy", NIGHT_AGAIN)
    row = ada.memory.get("k/copy")

    assert row is not None
    assert (row.memory_key, row.resolved_from) == ("pump/hours", "k/copy")


def test_a_duplicate_of_a_row_that_is_past_answers_nothing(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-20, A-72: what is not served is not served by another key.

    A claim becomes no duplicate of a row that ends sooner, so it ends with it at the latest.
    """
    agent.memory.set("pump/hours", NIGHT, ttl_seconds=60)
    copy = agent.memory.set("k/copy", NIGHT_AGAIN, ttl_seconds=60)
    beside = agent.memory.set("k/beside", NIGHT_AGAIN)
    assert (copy.status, beside.status) == ("duplicate", "active")
    clock.advance(60)

    assert agent.memory.get("k/copy") is None
    assert agent.memory.get_by_id(copy.memory_id) is None
    assert agent.memory.get("k/beside") is not None


@pytest.mark.parametrize("known", ["current", "other", "upper"])
def test_a_conditional_read_says_whether_the_hash_is_current(
    agent: AgentHandle, known: str
) -> None:
    """A-94: `unchanged` for a matching hash, by key and by id."""
    out = agent.memory.set("k/a", NIGHT)
    given = {
        "current": out.content_sha256,
        "upper": out.content_sha256.upper(),
        "other": "0" * 64,
    }[known]
    for row in (
        agent.memory.get("k/a", if_changed_from=given),
        agent.memory.get_by_id(out.memory_id, if_changed_from=given),
    ):
        assert row is not None
        assert row.unchanged is (known != "other")
    plain = agent.memory.get("k/a")
    assert plain is not None
    assert plain.unchanged is False


@pytest.fixture
def filled(agent: AgentHandle, store: Loom, clock: FakeClock) -> AgentHandle:
    """Rows that each filter tells apart."""
    agent.memory.set("user/ana/diet", "Ana eats no fish at all.", tags=["Diet", "health"])
    agent.memory.set("user/ana/diets", "Several diets were compared in spring.")
    agent.memory.set("user/anabel/diet", "Anabel eats meat on Sundays.", tags=["diet"])
    clock.advance(60)
    agent.memory.pin("user/ana", {"name": "Ana"}, entities=["Ana"], files=["a.py"])
    agent.memory.set("x/imported", ELSEWHERE, source_class="imported", confidence=0.2)
    agent.memory.set("x/doc", DRAWS_5, source_resource_id="doc:1", memory_type="decision")
    other = store.agent("bob", session_id="s", run_id="r", **HERE)
    other.memory.set("y/bob", "Bob counts the lamps in the hall.")
    agent.memory.set("z/gone", "This was deleted a while ago.")
    agent.memory.delete("z/gone")
    return agent


ORDERS: Final = ("key", "newest", "oldest")
FILTERS: Final[list[tuple[dict[str, Any], list[str]]]] = [
    ({"prefix": "user/ana"}, ["user/ana", "user/ana/diet", "user/ana/diets"]),
    ({"prefix": "user/ana/"}, ["user/ana", "user/ana/diet", "user/ana/diets"]),
    ({"prefix": "user/ana/diet"}, ["user/ana/diet"]),
    ({"prefix": "user/%"}, []),
    ({"prefix": "user_ana"}, []),
    ({"tags": ["DIET"]}, ["user/ana/diet", "user/anabel/diet"]),
    ({"tags": ["diet", "health"]}, ["user/ana/diet"]),
    ({"tags": ["DIET", "none"], "tags_match": "all"}, []),
    (
        {"tags": ["HEALTH", "diet"], "tags_match": "any"},
        ["user/ana/diet", "user/anabel/diet"],
    ),
    ({"tags": [], "tags_match": "any", "prefix": "x"}, ["x/doc", "x/imported"]),
    ({"memory_type": "decision"}, ["x/doc"]),
    ({"memory_type": ["decision", "none"]}, ["x/doc"]),
    ({"status": "tombstoned"}, ["z/gone"]),
    ({"status": ["tombstoned", "conflicted"]}, ["z/gone"]),
    ({"entities": ["Ana"]}, ["user/ana"]),
    ({"entities": ["ANA’S"]}, ["user/ana"]),
    ({"entities": ["Ana", "Bo"]}, []),
    ({"entities": ["Ana", "?"]}, []),
    ({"files": ["a.py", "b.py"]}, ["user/ana"]),
    ({"files": ["./src/../a.py"]}, ["user/ana"]),
    ({"files": ["A.py"]}, []),
    ({"pinned": True}, ["user/ana"]),
    ({"by_agent": "bob"}, ["y/bob"]),
    ({"by_session": "s"}, ["y/bob"]),
    ({"by_run": "r"}, ["y/bob"]),
    ({"source_class": "imported"}, ["x/imported"]),
    ({"source_class": ["imported", "external"]}, ["x/imported"]),
    ({"source_resource_id": "doc:1"}, ["x/doc"]),
    (
        {"updated_before": "2026-03-02T09:01:00Z"},
        ["user/ana/diet", "user/ana/diets", "user/anabel/diet"],
    ),
    (
        {"updated_from": "2026-03-02T10:01:00+01:00", "by_agent": "ada"},
        ["user/ana", "x/doc", "x/imported"],
    ),
    ({"confidence_from": 0.21, "prefix": "x"}, ["x/doc"]),
    ({"confidence_from": 0.2, "prefix": "x"}, ["x/doc", "x/imported"]),
    ({"status": [], "tags": [], "prefix": "x"}, ["x/doc", "x/imported"]),
]


@pytest.mark.parametrize("filters, keys", FILTERS, ids=[str(f) for f, _ in FILTERS])
def test_a_list_is_narrowed_by_every_filter_and_counted_alike(
    filled: AgentHandle, filters: dict[str, Any], keys: list[str]
) -> None:
    """R-50, R-55: a prefix ends at a `/` and knows no wildcards; count equals list."""
    assert _keys(filled, **filters) == keys
    assert filled.memory.count(**filters) == len(keys)


@pytest.mark.parametrize("order, first", [("newest", 22), ("oldest", 0)])
@pytest.mark.parametrize("limit", [1, 4, 100])
def test_a_list_by_date_is_whole_over_its_pages(
    agent: AgentHandle, clock: FakeClock, order: str, first: int, limit: int
) -> None:
    """A-54, R-51, R-55: each row once and in order, those of one instant by their version."""
    for i in range(23):
        if i % 3 == 0:
            clock.advance(0.5)
        agent.memory.set(
            f"e/{i * 7 % 23}", f"Event {i} of the day.", memory_type="episodic"
        )
    said: list[str] = []
    cursor: str | None = None
    while True:
        page = agent.memory.list(order=order, limit=limit, cursor=cursor)
        said.extend(str(row.value) for row in page.items)
        cursor = page.cursor
        if cursor is None:
            break

    step = 1 if order == "oldest" else -1
    assert said == [f"Event {i} of the day." for i in range(first, 22 - first + step, step)]


def test_a_cursor_is_of_one_order(agent: AgentHandle) -> None:
    """R-55: one of another order is refused, since it would leave rows out in silence."""
    for i in range(3):
        agent.memory.set(f"e/{i}", f"Event {i} of the day.", memory_type="episodic")
    cursors = {o: agent.memory.list(order=o, limit=1).cursor for o in ORDERS}

    for order in ORDERS:
        for made_by, cursor in cursors.items():
            if made_by == order:
                assert len(agent.memory.list(order=order, cursor=cursor).items) == 2
                continue
            with pytest.raises(InvalidRequest) as caught:
                agent.memory.list(order=order, cursor=cursor)
            assert caught.value.details["field"] == "cursor"


@pytest.mark.parametrize(
    "options",
    [
        *({"order": word} for word in ("Newest", "", None, 3)),
        *({"tags_match": word} for word in ("some", None, True)),
        *({"files": [path]} for path in ("/abs", "../x")),
    ],
    ids=str,
)
def test_a_malformed_list_option_is_named(
    agent: AgentHandle, options: dict[str, Any]
) -> None:
    """R-50, A-183: the error names it."""
    with pytest.raises(InvalidRequest) as caught:
        agent.memory.list(**options)
    assert caught.value.details["field"] == next(iter(options))


def test_tags_keep_their_case(agent: AgentHandle) -> None:
    """A-172, A-177, A-179: a list matches in any case, a search and apply exactly."""
    agent.memory.set(
        "k/a", "The ferry leaves at noon.", tags=["Kind:Plan", "ÉTÉ", "Straße"]
    )

    def searched(tag: str) -> int:
        return len(agent.memory.search("ferry", tags=[tag]).hits)

    for tag in ("Kind:Plan", "kind:plan", "KIND:PLAN", "été", "e\u0301te\u0301", "STRASSE"):
        assert (
            agent.memory.count(tags=[tag]) == len(agent.memory.list(tags=[tag]).items) == 1
        )
        assert searched(tag) == int(tag == "Kind:Plan")
        applied = agent.memory.apply("delete", tags=[tag])
        assert applied.matched == int(tag == "Kind:Plan")
    row = agent.memory.get("k/a")
    assert row is not None
    assert row.tags == ("Kind:Plan", "ÉTÉ", "Straße")


def test_how_tags_match_narrows_nothing_by_itself(agent: AgentHandle) -> None:
    """R-55: a change of every row must be asked for by name."""
    agent.memory.set("k/a", NIGHT)

    assert agent.memory.count(tags_match="any") == 1
    with pytest.raises(InvalidRequest) as caught:
        agent.memory.apply("delete", tags_match="any")
    assert caught.value.details["field"] == "everything"


def test_a_list_without_filters_is_the_served_set_by_key(filled: AgentHandle) -> None:
    """A-80, R-50: in the order of keys; `"*"` is every status."""
    keys = _keys(filled)

    assert keys == sorted(keys)
    assert "z/gone" not in keys
    assert len(keys) == filled.memory.count() == 7
    assert filled.memory.count(status="*") == 8


def test_a_prefix_is_taken_in_either_normal_form(agent: AgentHandle) -> None:
    """R-02: as keys are."""
    agent.memory.set("caf\u00e9/hours", NIGHT)

    assert _keys(agent, prefix="cafe\u0301") == ["caf\u00e9/hours"]
    assert agent.memory.search("pump", prefix="cafe\u0301").hits
    assert not agent.memory.search("pump", exclude_keys=["cafe\u0301/hours"]).hits


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
def test_a_cursor_leads_through_everything_once(filled: AgentHandle, limit: int) -> None:
    """R-55: an answer that does not hold everything says so; there is no silent cap."""
    keys: list[str] = []
    cursor: str | None = None
    while True:
        page = filled.memory.list(limit=limit, cursor=cursor)
        assert len(page.items) <= limit
        keys.extend(row.memory_key for row in page.items)
        cursor = page.cursor
        if cursor is None:
            break

    assert keys == _keys(filled)


def test_rows_of_one_key_are_paged_one_by_one(store: Loom) -> None:
    """R-55, R-51: many writers of one key, none left out, none twice."""
    for i in range(5):
        store.agent(f"agent-{i}", **HERE).memory.set("k/a", f"{i} different matters told.")
    reader = store.agent("reader", **HERE)
    seen: list[str] = []
    cursor: str | None = None
    for _ in range(5):
        page = reader.memory.list(limit=1, cursor=cursor)
        seen.extend(row.agent for row in page.items)
        cursor = page.cursor

    assert cursor is None
    assert sorted(seen) == [f"agent-{i}" for i in range(5)]


def test_a_cursor_of_another_handle_widens_nothing(store: Loom) -> None:
    """R-04: a page begins elsewhere, it does not show others' rows."""
    ada = store.agent("ada", user_id="u", **HERE)
    for i in range(3):
        ada.memory.set(f"k/{i}", f"Fact {i} of user u about one matter.")
    cursor = ada.memory.list(limit=1).cursor

    assert store.agent("ada", user_id="v", **HERE).memory.list(cursor=cursor).items == ()


def test_a_list_holds_no_more_than_a_hundred_unless_told_and_says_so(
    agent: AgentHandle,
) -> None:
    """R-55: the default page is 100; `cursor` says there is more."""
    agent.memory.bulk_set([{"memory_key": f"n/{i:03}", "value": i} for i in range(101)])
    page = agent.memory.list()

    assert (len(page.items), page.cursor is None) == (100, False)
    assert agent.memory.list(limit=101).cursor is None


def test_history_shows_every_version_newest_first(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """A-247, A-160, B-351, P15: one row a change, with times, strictly by version."""
    agent.memory.set("k/a", NIGHT)
    agent.memory.set("k/a", NIGHT)
    agent.memory.set("k/a", ELSEWHERE)
    clock.advance(60)
    agent.memory.pin("k/a")
    agent.memory.lock("k/a", reason="audit")
    agent.memory.unlock("k/a")
    agent.memory.delete("k/a")
    agent.memory.restore("k/a")
    history = agent.memory.history("k/a")

    assert [v.event for v in history] == [
        "restored",
        "deleted",
        "unlocked",
        "locked",
        "restated",
        "revised",
        "restated",
        "created",
    ]
    versions = [v.version for v in history]
    assert versions == sorted(set(versions), reverse=True)
    assert [v.parent for v in history] == [*versions[1:], 0]
    assert {v.created_at for v in history} == {history[-1].written_at}
    assert [v.written_at for v in history] == sorted(
        (v.written_at for v in history), reverse=True
    )
    assert history[0]["value"] == ELSEWHERE
    assert history[0]["actor"] == "process:local"
    assert history[0]["source_class"] == "asserted"


def test_history_is_the_own_agent_s_unless_asked_for_others(store: Loom) -> None:
    """A-247, B-351: `agent_id="*"` reads every writer's versions of the key."""
    ada, bob = (store.agent(name, **HERE) for name in ("ada", "bob"))
    ada.memory.set("k/a", NIGHT)
    bob.memory.set("k/a", ELSEWHERE)

    assert [v.agent for v in ada.memory.history("k/a")] == ["ada"]
    assert [v.agent for v in ada.memory.history("k/a", agent_id="bob")] == ["bob"]
    assert [v.agent for v in ada.memory.history("k/a", agent_id="*")] == ["bob", "ada"]


def test_history_stays_within_what_may_be_seen(store: Loom) -> None:
    """R-04: another user's versions are not shown, also not by the star."""
    store.agent("ada", user_id="u", **HERE).memory.set("k/a", NIGHT)

    assert store.agent("ada", user_id="v", **HERE).memory.history("k/a", agent_id="*") == ()
    assert store.agent("ada", **HERE).memory.history("k/a", agent_id="*") == ()


def test_a_handle_for_every_user_reads_the_whole_namespace(store: Loom) -> None:
    """R-04, A-11: only when asked for by name; narrowing is optional."""
    for user in ("-", "u", "v"):
        store.agent("ada", user_id=user, session_id="s", **HERE).memory.set("k/a", NIGHT)
    everybody = store.agent("ada", user_id="*", **HERE)

    assert everybody.memory.count() == 3
    assert len(everybody.memory.search(NIGHT).hits) == 3
    assert len(everybody.memory.history("k/a")) == 3
    row = everybody.memory.get("k/a")
    assert row is not None
    assert everybody.memory.get_by_id(row.memory_id) is not None


def test_counts_of_a_namespace_tell_what_the_caller_may_see(
    agent: AgentHandle, store: Loom
) -> None:
    """R-04: counts reveal nothing outside."""
    agent.memory.set("k/5", DRAWS_5)
    agent.memory.set("k/9", DRAWS_9)
    agent.memory.set("k/a", NIGHT)
    agent.memory.delete("k/a")
    store.agent("ada", user_id="u", **HERE).memory.set("k/other", ELSEWHERE)
    stats = agent.namespace.stats()

    assert (stats.org, stats.namespace) == ("acme", "lab")
    assert dict(stats.by_status) == {"conflicted": 2, "tombstoned": 1}
    assert stats.memories == 3
    assert stats.versions == len(versions_of(store)) - 1
    assert store.agent("x", namespace="empty").namespace.stats().memories == 0


def test_a_row_past_its_end_is_in_no_read_from_that_instant(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-20, R-41: expired or no longer valid, swept or not; a set begins it afresh."""
    end = clock.now + timedelta(seconds=60)
    expiring = agent.memory.set("k/ttl", NIGHT, ttl_seconds=60)
    agent.memory.set("k/valid", ELSEWHERE, valid_to=end)
    clock.set(end - timedelta(microseconds=1))
    assert _keys(agent) == ["k/ttl", "k/valid"]
    clock.set(end)

    assert _keys(agent) == []
    assert agent.memory.count() == 0
    assert agent.memory.get("k/ttl") is None
    assert agent.memory.get_by_id(expiring.memory_id) is None
    assert agent.memory.search(NIGHT).hits == ()
    assert agent.memory.count(status="active") == 0
    assert agent.memory.count(status="*") == 2
    again = agent.memory.set("k/ttl", DRAWS_5)
    assert again.memory_id == expiring.memory_id
    assert _keys(agent) == ["k/ttl"]


def test_a_write_that_no_read_serves_says_so(agent: AgentHandle, clock: FakeClock) -> None:
    """R-41, R-55: one whose end has passed already; `next` tells what to do.

    A rewrite of a row that ended begins afresh and is served: it carries no end forward.
    """
    agent.memory.set("k/a", NIGHT, ttl_seconds=60)
    clock.advance(61)
    afresh = agent.memory.set("k/a", ELSEWHERE)
    past = agent.memory.set("k/b", DRAWS_5, valid_to="2020-01-01T00:00:00Z")

    row = agent.memory.get("k/a")
    assert row is not None
    assert (row.event, row.expires_at) == ("renewed", None)
    assert "clear_expiry" not in afresh.next
    assert agent.memory.get("k/b") is None
    assert "valid_to" in past.next
    again = agent.memory.set("k/b", DRAWS_5)
    assert "valid_to" not in again.next
    assert agent.memory.get("k/b") is not None


def test_what_is_past_is_nobody_s_peer(agent: AgentHandle, clock: FakeClock) -> None:
    """R-20, R-32: it neither merges nor conflicts."""
    agent.memory.set("k/5", DRAWS_5, ttl_seconds=60)
    agent.memory.set("k/hours", NIGHT, ttl_seconds=60)
    clock.advance(60)

    assert agent.memory.set("k/9", DRAWS_9).conflict_verdict == "clear"
    assert agent.memory.set("k/again", NIGHT).conflict_verdict == "clear"


def test_a_ttl_is_kept_replaced_and_removed(agent: AgentHandle, clock: FakeClock) -> None:
    """R-41: `ttl_seconds` sets it; a rewrite without one keeps it; `clear_expiry` removes."""
    born = clock.now

    def expiry(value: str, **fields: Any) -> Any:
        agent.memory.set("k/a", value, **fields)
        row = agent.memory.get("k/a")
        assert row is not None
        return row.expires_at

    assert expiry(NIGHT, ttl_seconds=600) == born + timedelta(seconds=600)
    clock.advance(60)
    assert expiry(ELSEWHERE) == born + timedelta(seconds=600)
    assert expiry(ELSEWHERE) == born + timedelta(seconds=600)
    assert expiry(DRAWS_5, ttl_seconds=0.5) == born + timedelta(seconds=60.5)
    assert expiry(DRAWS_5, clear_expiry=True) is None


def test_an_update_loses_nothing_it_was_not_given(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-31, P07: other fields carried forward, created_at unchanged, updated_at later."""
    fields: dict[str, Any] = {
        "tags": ("a", "b"),
        "entities": ("Ana",),
        "confidence": 0.4,
        "metadata": {"free": [1, {"x": None}]},
    }
    agent.memory.set("k/a", NIGHT, **fields)
    before = agent.memory.get("k/a")
    clock.advance(5)
    agent.memory.update("k/a", ELSEWHERE, tags=["c"])
    after = agent.memory.get("k/a")

    assert before is not None
    assert after is not None
    assert after.tags == ("c",)
    assert (after.entities, after.confidence) == (("ana",), 0.4)
    assert after.metadata == fields["metadata"]
    assert after.created_at == before.created_at
    assert after.updated_at > before.updated_at
