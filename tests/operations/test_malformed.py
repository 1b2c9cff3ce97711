"""Malformed requests: each is an invalid request, and leaves every table as it was."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Any, Final

import pytest

from loom import AgentHandle, Loom, Settings
from loom.errors import InvalidRequest, ValueTooLarge
from loom.testing.stores import contents_of
from tests.operations.conftest import Opener
from tests.operations.texts import ELSEWHERE, NIGHT

NAIVE: Final = datetime(2026, 1, 1)  # noqa: DTZ001 - the naive time is the case

#: What may be said beside a value, and what may not.
STATED: Final[list[tuple[str, Any]]] = [
    ("memory_type", ""),
    ("memory_type", None),
    ("memory_type", 3),
    ("tags", "a bare string"),
    ("tags", [""]),
    ("tags", [3]),
    ("tags", ["x" * 1001]),
    ("tags", ["a\x00b"]),
    ("tags", ["\ud800"]),
    ("entities", {"a": 1}),
    ("files", [None]),
    ("confidence", 1.01),
    ("confidence", -0.01),
    ("confidence", math.nan),
    ("confidence", "0.5"),
    ("confidence", True),
    ("confidence", None),
    ("metadata", [1]),
    ("metadata", {"a": math.inf}),
    ("metadata", {1: 2}),
    ("valid_at", NAIVE),
    ("valid_at", "2026-01-01"),
    ("valid_to", "soon"),
    ("ttl_seconds", 0),
    ("ttl_seconds", -5),
    ("ttl_seconds", math.nan),
    ("ttl_seconds", math.inf),
    ("ttl_seconds", 1e300),
    ("ttl_seconds", "60"),
    ("ttl_seconds", True),
    ("clear_expiry", "no"),
    ("clear_expiry", 1),
    ("source_class", "asserted"),
    ("source_class", "rumour"),
    ("source_resource_id", 3),
    ("source_resource_id", []),
    ("source_trace", "text"),
    ("if_match_sha256", "abc"),
    ("if_match_sha256", 3),
    ("dry_run", "yes"),
    ("dry_run", 1),
]
STATED_IDS: Final = [f"{name}-{i}" for i, (name, _) in enumerate(STATED)]


@pytest.fixture
def filled(agent: AgentHandle) -> AgentHandle:
    """A handle with a row to change."""
    agent.memory.set("pump/hours", NIGHT, tags=["t"], ttl_seconds=600)
    return agent


def _leaves_all(store: Loom, call: Any, *args: Any, **kwargs: Any) -> InvalidRequest:
    before = contents_of(store)
    with pytest.raises(InvalidRequest) as caught:
        call(*args, **kwargs)
    assert contents_of(store) == before
    return caught.value


@pytest.mark.parametrize("name, value", STATED, ids=STATED_IDS)
def test_a_malformed_field_of_a_write_is_named_and_leaves_nothing(
    filled: AgentHandle, store: Loom, name: str, value: Any
) -> None:
    """R-30, R-10, R-14: for every way to write; not even an audit row is left."""
    row = filled.memory.get("pump/hours")
    assert row is not None
    calls: list[tuple[Any, str]] = [
        (filled.memory.set, "pump/new"),
        (filled.memory.set, "pump/hours"),
        (filled.memory.update, "pump/hours"),
        (filled.memory.update_by_id, row.memory_id),
        (filled.memory.pin, "pump/hours"),
    ]
    for call, target in calls:
        error = _leaves_all(store, call, target, ELSEWHERE, **{name: value})
        assert error.details["field"] == name


@pytest.mark.parametrize("name, value", STATED, ids=STATED_IDS)
def test_a_malformed_field_of_a_bulk_entry_is_that_entry_s_answer(
    filled: AgentHandle, store: Loom, name: str, value: Any
) -> None:
    """R-37, R-30: the rest lands; atomic, nothing does."""
    entries = [
        {"memory_key": "a/1", "value": "The first stands here as ever."},
        {"memory_key": "a/2", "value": ELSEWHERE, name: value},
    ]
    _leaves_all(store, filled.memory.bulk_set, entries, atomic=True)

    first, second = filled.memory.bulk_set(entries).results
    assert first["conflict_verdict"] == "clear"
    assert (second["code"], second["memory_key"]) == ("INVALID", "a/2")
    assert filled.memory.get("a/2") is None


@pytest.mark.parametrize("pinned", [None, "yes", 1, []])
def test_a_pin_is_true_or_false(filled: AgentHandle, store: Loom, pinned: Any) -> None:
    """R-30: in bulk as in single writes."""
    _leaves_all(store, filled.memory.set, "a/b", ELSEWHERE, pinned=pinned)
    _leaves_all(store, filled.memory.update, "pump/hours", ELSEWHERE, pinned=pinned)
    entry = {"memory_key": "a/b", "value": ELSEWHERE, "pinned": pinned}
    _leaves_all(store, filled.memory.bulk_set, [entry], atomic=True)


@pytest.mark.parametrize("key", ["", "a//b", "/a", "a/", "a b", "..", "x" * 513, 3, None])
def test_a_malformed_key_leaves_nothing(filled: AgentHandle, store: Loom, key: Any) -> None:
    """R-02, R-30: in every operation that takes one."""
    memory = filled.memory
    for call, args in (
        (memory.set, (key, NIGHT)),
        (memory.update, (key, NIGHT)),
        (memory.pin, (key, NIGHT)),
        (memory.pin, (key,)),
        (memory.delete, (key,)),
        (memory.restore, (key,)),
        (memory.unlock, (key,)),
        (memory.get, (key,)),
        (memory.history, (key,)),
    ):
        error = _leaves_all(store, call, *args)
        assert error.details["field"] == "memory_key"
    _leaves_all(store, memory.lock, key, reason="kept")


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, "a\x00b", "\ud800", {1: 2}, b"x", {1}, ...], ids=repr
)
def test_a_value_json_does_not_have_leaves_nothing(
    filled: AgentHandle, store: Loom, value: Any
) -> None:
    """R-10, R-30: NaN, infinities, lone surrogates, NUL."""
    for call in (filled.memory.set, filled.memory.update, filled.memory.pin):
        _leaves_all(store, call, "pump/hours", value)


def test_a_value_too_large_is_refused_by_its_own_error(opened: Opener) -> None:
    """R-10: 256 KiB of UTF-8 by default, configurable; beyond it `ValueTooLarge`."""
    store = opened(settings=Settings(max_value_bytes=100))
    agent = store.agent("ada")
    agent.memory.set("a/fits", "x" * 98)

    error = _leaves_all(store, agent.memory.set, "a/b", "x" * 99)
    assert isinstance(error, ValueTooLarge)
    assert error.code == "VALUE_TOO_LARGE"
    _leaves_all(store, agent.memory.set, "a/b", "x", metadata={"k": "x" * 99})


def test_the_default_limit_is_256_kib(agent: AgentHandle, store: Loom) -> None:
    """R-10: counted in bytes, not in characters."""
    error = _leaves_all(store, agent.memory.set, "a/b", "é" * (128 * 1024))
    assert isinstance(error, ValueTooLarge)


@pytest.mark.parametrize(
    "terms",
    [
        {},
        {"reason": ""},
        {"reason": "  "},
        {"reason": None},
        {"reason": "r", "mode": "frozen"},
        {"reason": "r", "until": NAIVE},
        {"reason": "r", "until": "2020-01-01T00:00:00Z"},
        {"reason": "r", "ttl_seconds": 0},
        {"reason": "r", "ttl_seconds": 5, "until": "2030-01-01T00:00:00Z"},
        {"reason": "r", "locked_by": 3},
    ],
    ids=str,
)
def test_a_lock_needs_a_reason_and_an_end_to_come(
    filled: AgentHandle, store: Loom, terms: dict[str, Any]
) -> None:
    """R-42: `lock` needs a reason."""
    _leaves_all(store, filled.memory.lock, "pump/hours", **terms)


@pytest.mark.parametrize(
    "arguments",
    [
        {"pattern": ""},
        {"pattern": "  "},
        {"pattern": 3},
        {"pattern": ".*", "pattern_type": "regex"},
        {"pattern": "(", "pattern_type": "regex"},
        {"pattern": "x", "pattern_type": "glob"},
        {"pattern": "x", "scope": "everywhere"},
        {"pattern": "x", "sweep": "yes"},
        {"pattern": "x", "match_keys": 1},
        {"pattern": "x", "reason": 3},
    ],
    ids=str,
)
def test_a_malformed_pattern_leaves_nothing(
    filled: AgentHandle, store: Loom, arguments: dict[str, Any]
) -> None:
    """R-43: empty patterns and ones that match everything are refused."""
    _leaves_all(store, filled.blacklist.add, **arguments)


@pytest.mark.parametrize("entries", ["text", b"bytes", {"memory_key": "a"}, 3, None])
def test_bulk_takes_a_list(filled: AgentHandle, store: Loom, entries: Any) -> None:
    """R-30: anything else is malformed as a whole."""
    _leaves_all(store, filled.memory.bulk_set, entries)


@pytest.mark.parametrize(
    "entry",
    [
        None,
        "text",
        {},
        {"memory_key": "a/b"},
        {"value": 1},
        {"memory_key": "a/b", "value": 1, "org": "other"},
        {"memory_key": "a/b", "value": 1, "user_id": "other"},
        {"memory_key": "a/b", "value": 1, "actor": "human:ana"},
        {"memory_key": "a/b", "value": 1, "nonsense": 1},
        {"memory_key": "a//b", "value": 1},
    ],
    ids=str,
)
def test_a_malformed_entry_is_answered_in_its_place(
    filled: AgentHandle, store: Loom, entry: Any
) -> None:
    """R-37, R-07: an entry cannot name another identity, nor the actor."""
    _leaves_all(store, filled.memory.bulk_set, [entry], atomic=True)
    before = contents_of(store)
    (answer,) = filled.memory.bulk_set([entry]).results

    assert answer["code"] == "INVALID"
    assert contents_of(store) == before


FILTERS: Final[list[tuple[str, Any]]] = [
    ("prefix", 3),
    ("prefix", b"a"),
    ("tags", "bare"),
    ("tags", [3]),
    ("memory_type", 3),
    ("entities", "bare"),
    ("files", [""]),
    ("by_agent", 3),
    ("by_session", []),
    ("source_class", "rumour"),
    ("source_class", 3),
]
LISTED: Final[list[tuple[str, Any]]] = [
    ("status", "gone"),
    ("status", ["active", 3]),
    ("pinned", "yes"),
    ("by_run", 3),
    ("source_resource_id", 3),
    ("updated_from", NAIVE),
    ("updated_before", "2026-01-01"),
    ("confidence_from", "high"),
    ("confidence_from", 2),
    ("confidence_from", math.nan),
]


@pytest.mark.parametrize(
    "name, value", FILTERS + LISTED, ids=[f"{n}-{v!r}" for n, v in FILTERS + LISTED]
)
def test_a_malformed_filter_is_named(filled: AgentHandle, name: str, value: Any) -> None:
    """R-50, R-14: it is not silently left out, nor does it silently find nothing."""
    calls: list[Any] = [filled.memory.list, filled.memory.count]
    if (name, value) in FILTERS:
        calls.append(lambda **f: filled.memory.search("pump", **f))
    for call in calls:
        with pytest.raises(InvalidRequest) as caught:
            call(**{name: value})
        assert caught.value.details["field"] == name


@pytest.mark.parametrize(
    "arguments",
    [
        {"top_k": 0},
        {"top_k": 1001},
        {"top_k": True},
        {"top_k": "5"},
        {"legs": []},
        {"legs": ["graph"]},
        {"legs": "vector"},
        {"explain": 1},
        {"include_duplicates": "yes"},
        {"namespaces": "lab"},
        {"namespaces": [3]},
        {"exclude_keys": "a/b"},
    ],
    ids=str,
)
def test_a_malformed_search_is_refused(
    filled: AgentHandle, arguments: dict[str, Any]
) -> None:
    """R-53: no text of a query is an error, other arguments may be."""
    with pytest.raises(InvalidRequest):
        filled.memory.search("pump", **arguments)


@pytest.mark.parametrize("query", [None, 3, b"pump", ["pump"]])
def test_a_query_is_a_text(filled: AgentHandle, query: Any) -> None:
    """R-53: anything else is malformed."""
    with pytest.raises(InvalidRequest):
        filled.memory.search(query)


@pytest.mark.parametrize(
    "arguments",
    [
        {"limit": 0},
        {"limit": 1001},
        {"limit": True},
        {"cursor": "bogus"},
        {"cursor": "W10"},
        {"cursor": ""},
        {"cursor": 3},
    ],
    ids=str,
)
def test_a_malformed_page_is_refused(
    filled: AgentHandle, arguments: dict[str, Any]
) -> None:
    """R-55: a cursor is one that a page gave."""
    with pytest.raises(InvalidRequest):
        filled.memory.list(**arguments)


@pytest.mark.parametrize("known", [3, b"a", [], {}])
def test_a_known_hash_is_a_text(filled: AgentHandle, known: Any) -> None:
    """A-94: in both conditional reads, whether or not there is a row."""
    for call in (filled.memory.get, filled.memory.get_by_id):
        with pytest.raises(InvalidRequest):
            call("nothing/here", if_changed_from=known)


@pytest.mark.parametrize("part", ["org", "namespace", "agent"])
@pytest.mark.parametrize("bad", ["", "*", "a\nb", "x" * 201, 3])
def test_a_malformed_identity_in_a_request_leaves_nothing(
    filled: AgentHandle, store: Loom, part: str, bad: Any
) -> None:
    """R-01: whether the handle was bound so or the request says so."""
    error = _leaves_all(store, filled.memory.set, "a/b", ELSEWHERE, **{part: bad})
    assert error.details["field"] == part


def test_a_handle_for_every_user_only_reads(store: Loom) -> None:
    """R-04: `user_id="*"` reads the whole namespace and writes nothing."""
    everybody = store.agent("ada", user_id="*")
    memory = everybody.memory
    for call, args in (
        (memory.set, ("a/b", NIGHT)),
        (memory.update, ("a/b", NIGHT)),
        (memory.update_by_id, ("x", NIGHT)),
        (memory.pin, ("a/b", NIGHT)),
        (memory.pin, ("a/b",)),
        (memory.delete, ("a/b",)),
        (memory.restore, ("a/b",)),
        (memory.unlock, ("a/b",)),
        (memory.bulk_set, ([{"memory_key": "a/b", "value": 1}],)),
        (memory.bulk_set, ([],)),
    ):
        error = _leaves_all(store, call, *args)
        assert error.details["field"] == "user_id"


@pytest.mark.parametrize("ends", [{"valid_at": 2, "valid_to": 1}, {"valid_to": 1}], ids=str)
def test_an_end_before_the_beginning_leaves_nothing(
    agent: AgentHandle, store: Loom, ends: dict[str, int]
) -> None:
    """R-14: said in one write, or in two."""
    times = {name: f"2026-01-0{day}T00:00:00Z" for name, day in ends.items()}
    agent.memory.set("pump/hours", NIGHT, valid_at="2026-01-02T00:00:00Z")

    _leaves_all(store, agent.memory.set, "pump/hours", ELSEWHERE, **times)
    _leaves_all(store, agent.memory.set, "pump/hours", NIGHT, **times)


def test_an_unknown_argument_is_an_error_in_python(filled: AgentHandle) -> None:
    """R-07: no argument of an operation sets the actor, the version or the status."""
    untyped: Any = filled.memory.set
    for name in ("actor", "version", "status", "memory_id", "created_at", "event"):
        with pytest.raises(TypeError):
            untyped("a/b", NIGHT, **{name: "x"})
