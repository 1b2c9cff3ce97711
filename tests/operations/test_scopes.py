"""No path shows or touches a row outside what the handle may see or change (R-04)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loom import AgentHandle, Loom
from loom.errors import InvalidRequest, LoomError, NotFound
from loom.storage.query import Select, Versions
from loom.storage.tables import TABLES
from loom.testing.fakes import FakeClock
from loom.testing.stage import behind
from loom.testing.stores import contents_of, versions_of
from tests.operations.conftest import Opener
from tests.operations.texts import DRAWS_5, DRAWS_7, ELSEWHERE, NIGHT, NIGHT_SHOUTED

KEY: Final = "pump/hours"
#: Whose row it is: another user's, namespace's, organisation's.
OTHERS: Final[dict[str, dict[str, str]]] = {
    "another user": {"user_id": "bob"},
    "another namespace": {"user_id": "ann", "namespace": "yard"},
    "another organisation": {"user_id": "ann", "org": "evil"},
    "a namespace that begins alike": {"user_id": "ann", "namespace": "lab-2"},
    "an organisation that begins alike": {"user_id": "ann", "org": "acme-corp"},
    "a namespace in another case": {"user_id": "ann", "namespace": "LAB"},
    "a namespace like a wildcard": {"user_id": "ann", "namespace": "la_"},
}


def _ann(store: Loom) -> AgentHandle:
    return store.agent("ada", org="acme", namespace="lab", user_id="ann")


def _other(store: Loom, who: str, **more: str) -> AgentHandle:
    return store.agent("ada", **{"org": "acme", "namespace": "lab", **OTHERS[who], **more})


@pytest.fixture(params=OTHERS)
def theirs(request: pytest.FixtureRequest, store: Loom) -> AgentHandle:
    """Somebody else's handle, with three rows: active, in conflict, and deleted."""
    other = _other(store, request.param)
    other.memory.set(KEY, DRAWS_5, tags=["secret:plan"], entities=["pump"], files=["p.md"])
    other.memory.set("pump/other", DRAWS_7)
    other.memory.set("pump/gone", ELSEWHERE)
    other.memory.delete("pump/gone")
    return other


_READS: Final[dict[str, Callable[[AgentHandle, AgentHandle], Sequence[object]]]] = {
    "get": lambda me, _: [me.memory.get(k) for k in (KEY, "pump/other", "pump/gone")],
    "get_by_id": lambda me, them: [
        me.memory.get_by_id(row.memory_id) for row in them.memory.list(status="*").items
    ],
    "list": lambda me, _: me.memory.list().items,
    "list of every status": lambda me, _: me.memory.list(status="*").items,
    "list by prefix": lambda me, _: me.memory.list(prefix="pump", status="*").items,
    "list by tag": lambda me, _: me.memory.list(tags=["secret:plan"], status="*").items,
    "list by agent": lambda me, _: me.memory.list(by_agent="ada", status="*").items,
    "count": lambda me, _: [me.memory.count(status="*")],
    "history": lambda me, _: me.memory.history(KEY, agent_id="*"),
    "history of a deleted key": lambda me, _: me.memory.history("pump/gone", agent_id="*"),
    "search by word": lambda me, _: me.memory.search(DRAWS_5, legs=["lexical"]).hits,
    "search by vector": lambda me, _: me.memory.search(DRAWS_5, legs=["vector"]).hits,
    "search by entity": lambda me, _: me.memory.search("pump", entities=["pump"]).hits,
    "search in all": lambda me, _: (
        me.memory.search("pump", include_duplicates=True, top_k=1_000).hits
    ),
    "stats": lambda me, _: [me.namespace.stats().memories, me.namespace.stats().versions],
}


def test_no_read_shows_a_row_of_somebody_else(store: Loom, theirs: AgentHandle) -> None:
    """R-04, R-50: by key, id, list, count, history, search or statistics."""
    me = _ann(store)

    found = {path: read(me, theirs) for path, read in _READS.items()}

    shown = {path: rows for path, rows in found.items() if rows and any(rows)}
    assert not shown


def test_a_cursor_of_somebody_else_shows_nothing(store: Loom, theirs: AgentHandle) -> None:
    """R-04: where a page begins does not widen what may be seen."""
    cursor = theirs.memory.list(limit=1).cursor
    assert cursor is not None

    assert _ann(store).memory.list(limit=1, cursor=cursor).items == ()


_CHANGES: Final[dict[str, Callable[[AgentHandle, str, str], object]]] = {
    "update": lambda me, key, _: me.memory.update(key, NIGHT),
    "update_by_id": lambda me, _, i: me.memory.update_by_id(i, NIGHT),
    "pin": lambda me, key, _: me.memory.pin(key),
    "restore": lambda me, key, _: me.memory.restore(key),
    "lock": lambda me, key, _: me.memory.lock(key, reason="mine"),
    "unlock": lambda me, key, _: me.memory.unlock(key),
    "delete": lambda me, key, _: me.memory.delete(key),
    "if_match": lambda me, key, _: me.memory.set(key, NIGHT, if_match_sha256="0" * 64),
}


@pytest.mark.parametrize("key", [KEY, "pump/gone"])
def test_a_change_of_somebody_elses_row_answers_as_for_a_missing_one(
    store: Loom, theirs: AgentHandle, key: str
) -> None:
    """R-04, R-05, R-06: the same words, and every version as it was."""
    rows = theirs.memory.list(status="*").items
    their_id = next(row.memory_id for row in rows if row.memory_key == key)
    before = versions_of(store)

    for change in _CHANGES.values():
        asked = _said(change, _ann(store), key, their_id)
        missing = _said(change, _ann(store), "no/such", "no-such-id")
        assert asked == missing

    assert versions_of(store) == before


def _said(call: Callable[..., object], me: AgentHandle, key: str, i: str) -> object:
    """An answer or an error, without the key and the id that the caller gave."""
    try:
        said = str(call(me, key, i))
    except LoomError as error:
        said = f"{error.code} {error.message} {error.details}"
    return said.replace(key, "<key>").replace(i, "<id>")


_WRITES: Final[dict[str, Callable[[AgentHandle, Any], Any]]] = {
    "set": lambda me, value: me.memory.set("ann/note", value),
    "dry run": lambda me, value: me.memory.set("ann/note", value, dry_run=True),
    "pin": lambda me, value: me.memory.pin("ann/note", value),
    "bulk": lambda me, value: me.memory.bulk_set(
        [{"memory_key": "ann/note", "value": value}]
    ).results[0],
    "same key": lambda me, value: me.memory.set(KEY, value),
}


@pytest.mark.parametrize("write", _WRITES)
def test_somebody_elses_rows_are_no_peers_of_a_write(
    store: Loom, theirs: AgentHandle, write: str
) -> None:
    """R-04, R-32: a verdict, its peers and its hints speak of the writer's own rows."""
    before = theirs.memory.list(status="*").items
    me = _ann(store)

    for value in (DRAWS_5, DRAWS_7, DRAWS_5.upper(), NIGHT):
        out = _WRITES[write](me, value)
        assert (out.conflict_verdict, out.peers, out.merged_into_key) == ("clear", (), "")
        me.memory.delete(out.memory_key)

    assert theirs.memory.list(status="*").items == before


def test_a_pin_of_somebody_else_refuses_nothing(store: Loom) -> None:
    """R-04, A-130: a pinned row guards its own user's claims; an error would reveal it."""
    _other(store, "another user").memory.pin(KEY, DRAWS_5)

    assert _ann(store).memory.set(KEY, DRAWS_7).conflict_verdict == "clear"


def test_a_user_reads_nobodys_rows_and_changes_none_of_them(store: Loom) -> None:
    """R-04, R-05: rows of "-" are everybody's to read, own rows before them; a write of a
    user makes a row of that user."""
    nobody = store.agent("ada", org="acme", namespace="lab")
    nobody.memory.set(KEY, DRAWS_5)
    ann = _ann(store)
    seen = ann.memory.get(KEY)
    assert seen is not None
    assert (seen.user_id, seen.value) == ("-", DRAWS_5)
    with pytest.raises(NotFound):
        ann.memory.update(KEY, NIGHT)
    with pytest.raises(NotFound):
        ann.memory.update_by_id(seen.memory_id, NIGHT)
    assert not ann.memory.delete(KEY).found

    ann.memory.set(KEY, NIGHT)

    mine, theirs = ann.memory.get(KEY), nobody.memory.get(KEY)
    assert mine is not None
    assert theirs is not None
    assert (mine.user_id, mine.value) == ("ann", NIGHT)
    assert (theirs.user_id, theirs.value) == ("-", DRAWS_5)


def test_nobodys_sessions_are_separate_tasks(store: Loom) -> None:
    """R-04: reads span sessions; writes, peers and deletes of "-" stay in their own."""
    one, two = (
        store.agent("ada", org="acme", namespace="lab", session_id=name)
        for name in ("one", "two")
    )
    one.memory.set(KEY, DRAWS_5)

    assert two.memory.set("pump/two", DRAWS_7).peers == ()
    assert two.memory.get(KEY) is not None
    assert not two.memory.delete(KEY).found
    with pytest.raises(NotFound):
        two.memory.update(KEY, NIGHT)
    assert one.memory.delete(KEY).count == 1


def test_a_delete_in_a_session_takes_no_duplicate_of_another(store: Loom) -> None:
    """R-04, R-24: a duplicate outside the session is judged again, not deleted along."""
    inside = store.agent("ada", org="acme", namespace="lab", session_id="one")
    outside = store.agent("ada", org="acme", namespace="lab")
    inside.memory.set(KEY, NIGHT)
    outside.memory.set("pump/copy", ELSEWHERE)
    assert outside.memory.set("pump/copy", NIGHT_SHOUTED).status == "duplicate"

    out = inside.memory.delete(KEY)

    assert out.count == 1
    row = outside.memory.get("pump/copy")
    assert row is not None
    assert (row.memory_key, row.status) == ("pump/copy", "active")


def test_a_reader_of_all_users_is_asked_for_by_name_and_only_reads(store: Loom) -> None:
    """R-04: `user_id="*"` reads the namespace and changes nothing in it."""
    for user in ("ann", "bob", "-"):
        store.agent("ada", org="acme", namespace="lab", user_id=user).memory.set(
            f"note/{user.strip('-') or 'nobody'}", f"A note about the {user} garden"
        )
    everyone = store.agent("ada", org="acme", namespace="lab", user_id="*")
    before = contents_of(store)

    assert everyone.memory.count() == 3
    for write in (
        lambda: everyone.memory.set("a/b", 1),
        lambda: everyone.memory.update("note/ann", 1),
        lambda: everyone.memory.pin("note/ann"),
        lambda: everyone.memory.bulk_set([{"memory_key": "a/b", "value": 1}], atomic=True),
        lambda: everyone.memory.delete("note/ann"),
        lambda: everyone.memory.restore("note/ann"),
        lambda: everyone.memory.lock("note/ann", reason="all"),
    ):
        with pytest.raises(InvalidRequest):
            write()
    assert contents_of(store) == before


def test_named_namespaces_are_searched_and_named_in_the_hits(store: Loom) -> None:
    """R-04: an extra namespace is of the same organisation and shows that user's rows."""
    for namespace, user in (
        ("lab", "ann"),
        ("yard", "ann"),
        ("yard", "bob"),
        ("hall", "ann"),
    ):
        store.agent("ada", org="acme", namespace=namespace, user_id=user).memory.set(
            KEY, NIGHT
        )

    hits = _ann(store).memory.search(NIGHT, namespaces=["yard"]).hits

    assert sorted((hit.namespace, hit.user_id) for hit in hits) == [
        ("lab", "ann"),
        ("yard", "ann"),
    ]


# ------------------------------------------------------------------------ keys, prefixes


@pytest.mark.parametrize(
    "prefix,expected",
    [
        ("acme", {"acme", "acme/plan", "acme/plan/b"}),
        ("acme/", {"acme", "acme/plan", "acme/plan/b"}),
        ("acme/plan", {"acme/plan", "acme/plan/b"}),
        ("acme/pla", set()),
        ("acm_", {"acm_"}),
        ("acme%", {"acme%"}),
        ("%", set()),
        ("_", set()),
        ("ACME", set()),
        ("acme/p*", set()),
    ],
)
def test_a_prefix_stops_at_a_slash_and_has_no_wildcards(
    agent: AgentHandle, prefix: str, expected: set[str]
) -> None:
    """R-04: `acme` never reads `acme-corp`; `_` and `%` stand for themselves."""
    keys = (
        "acme",
        "acme/plan",
        "acme/plan/b",
        "acme-corp",
        "acme-corp/plan",
        "acm_",
        "acme%",
    )
    for n, key in enumerate(keys):
        agent.memory.set(key, f"Note {n} is about the colour of wall {n}")

    assert {row.memory_key for row in agent.memory.list(prefix=prefix).items} == expected
    assert agent.memory.count(prefix=prefix) == len(expected)
    found = agent.memory.search("colour of the wall", prefix=prefix, top_k=100).hits
    assert {hit.memory_key for hit in found} == expected


# --------------------------------------------------------------------------------- fuzz

_WILD: Final = st.text(max_size=40) | st.sampled_from(
    [
        "",
        "*",
        "%",
        "_",
        "..",
        "a//b",
        "/a",
        "a/",
        " a",
        "a\x00",
        "\ud800",
        "'",
        '"',
        "a" * 600,
    ]
)


def _nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner, max_size=3) | st.dictionaries(_WILD, inner, max_size=3)


_SCALARS: Final = (
    st.none() | st.booleans() | st.integers() | st.floats() | _WILD | st.binary(max_size=4)
)
_VALUES: Final = st.recursive(_SCALARS, _nested, max_leaves=6)
_ANYTHING: Final = _VALUES | st.just(object())
_FIELDS: Final = (
    "tags entities files confidence metadata valid_at valid_to ttl_seconds memory_type "
    "source_class if_match_sha256 pinned dry_run"
).split()
_NARROWING: Final = (
    "prefix tags memory_type entities files by_agent by_session source_class".split()
)
_LISTING: Final = [*_NARROWING, "status", "pinned", "updated_from", "confidence_from"]
_PAGING: Final = ["limit", "cursor"]


def _arguments(names: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.sampled_from(names), _ANYTHING, max_size=3)


#: Errors that a well-formed request may meet in a store of one agent.
_DOCUMENTED: Final = ("NOT_FOUND", "LOCKED", "PINNED_CONFLICT", "PRECONDITION_FAILED")
_FUZZ: Final = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    max_examples=settings().max_examples // 2,
)


def _sizes(store: Loom) -> list[int]:
    """How many versions each table holds: what is written is never edited in place (R-21)."""
    storage = behind(store)
    return [storage.count(Select(table=table, view=Versions())) for table in TABLES]


def _only_documented(store: Loom, call: Callable[[], object]) -> bool:
    """Make a call; what is refused as malformed must have left everything as it was."""
    before = _sizes(store)
    refused: LoomError | None = None
    try:
        call()
    except LoomError as error:
        refused = error
    if isinstance(refused, InvalidRequest):
        assert _sizes(store) == before
    elif refused is not None:
        assert refused.code in _DOCUMENTED
    return refused is None


@_FUZZ
@given(
    key=_ANYTHING | _WILD,
    value=_ANYTHING,
    said=_arguments(_FIELDS),
    way=st.sampled_from(["set", "pin"]),
)
def test_no_write_raises_what_is_not_documented(
    store: Loom, agent: AgentHandle, key: Any, value: Any, said: dict[str, Any], way: str
) -> None:
    """R-02, R-10, R-30: any key, value and fields; a malformed write leaves every table."""
    write = getattr(agent.memory, way)
    if way == "pin":
        said = {name: said[name] for name in said if name != "pinned"}
    if _only_documented(store, lambda: write(key, value, **said)):
        assert said.get("dry_run") is True or agent.memory.count(status="*")


@_FUZZ
@given(key=_ANYTHING | _WILD, other=_ANYTHING)
def test_no_operation_by_key_raises_what_is_not_documented(
    store: Loom, agent: AgentHandle, key: Any, other: Any
) -> None:
    """R-02, R-30: reading, deleting, restoring and locking with anything for a key."""
    memory = agent.memory
    for call in (
        lambda: memory.get(key),
        lambda: memory.get(key, if_changed_from=other),
        lambda: memory.get_by_id(key),
        lambda: memory.history(key),
        lambda: memory.delete(key),
        lambda: memory.restore(key, clear_expiry=other),
        lambda: memory.lock(key, other, reason="fuzz"),
        lambda: memory.lock(key, reason=other),
        lambda: memory.unlock(key),
        lambda: memory.update(key, other),
        lambda: memory.update_by_id(key, other),
        lambda: memory.bulk_set(key),
        lambda: memory.bulk_set([{"memory_key": key, "value": other}], atomic=other),
    ):
        _only_documented(store, call)


@_FUZZ
@given(query=_ANYTHING | _WILD, filters=_arguments([*_LISTING, *_PAGING]))
def test_no_read_raises_what_is_not_documented_and_none_writes(
    store: Loom, agent: AgentHandle, query: Any, filters: dict[str, Any]
) -> None:
    """R-30, R-53: any query and any filters; a read changes nothing."""
    agent.memory.set(KEY, NIGHT)
    before = _sizes(store)
    narrowing = {name: filters[name] for name in filters if name not in _PAGING}
    search = {name: filters[name] for name in filters if name in _NARROWING}

    _only_documented(store, lambda: agent.memory.list(**filters))
    _only_documented(store, lambda: agent.memory.count(**narrowing))
    _only_documented(store, lambda: agent.memory.search(query, **search))

    assert _sizes(store) == before


def test_an_error_never_repeats_a_stored_value(opened: Opener, clock: FakeClock) -> None:
    """R-30, spec "Errors": messages and details name keys and codes, not what was said."""
    store = opened()
    agent = store.agent("ada", org="acme", namespace="lab")
    agent.memory.pin(KEY, DRAWS_5)
    agent.memory.set("pump/locked", ELSEWHERE)
    agent.memory.lock("pump/locked", reason="audit")
    agent.blacklist.add("bread")
    agent.memory.set("pump/dead", "Wool is dyed in the eastern hall")
    agent.memory.delete("pump/dead")
    clock.advance(86_400 * 20)
    refused: list[LoomError] = []
    for call in (
        lambda: agent.memory.set(KEY, DRAWS_7),
        lambda: agent.memory.set("pump/close", DRAWS_7),
        lambda: agent.memory.set("pump/locked", NIGHT),
        lambda: agent.memory.delete("pump/locked"),
        lambda: agent.memory.set("pump/new", "Bread is baked at dawn by the guild"),
        lambda: agent.memory.update(KEY, NIGHT, if_match_sha256="0" * 64),
        lambda: agent.memory.restore("pump/dead"),
        lambda: agent.memory.update("pump/none", NIGHT),
    ):
        with pytest.raises(LoomError) as caught:
            call()
        refused.append(caught.value)

    said = " ".join(f"{error.message} {error.details} {error!r}" for error in refused)
    for word in ("draws", "Wolves", "bread", "guild", "Wool", "kW"):
        assert word.casefold() not in said.casefold()
    assert len({error.code for error in refused}) == 6
