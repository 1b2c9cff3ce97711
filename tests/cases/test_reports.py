"""What users of other memory libraries reported, each as a test of its whole kind.

The case ids (P01 ...) are those of the project's list of cases, with the public reports
they come from. Sentences and names are our own.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

import pytest

from loom import AgentHandle, Loom
from loom.errors import InvalidRequest, LoomError, NotFound
from loom.model.identity import ScopeKey
from loom.model.memory import MemoryRow
from loom.model.times import last_version_at
from loom.plans.outcomes import Refusal, SetOutcome
from loom.storage.query import Match, Nearest, Replay, Select
from loom.storage.tables import MEMORY
from loom.testing.fakes import ChosenEmbedder, FakeClock
from loom.testing.stage import behind
from loom.testing.stores import contents_of, versions_of
from loom.text.tokens import query_terms
from tests.cases.conftest import Opener

#: A claim, and one that says the opposite of it.
OPPOSITES: Final = [
    (
        "Jonas likes working in the early morning",
        "Jonas hates working in the early morning",
    ),
    ("The oven door is open during the night", "The oven door is closed during the night"),
    (
        "The dough needs sugar before it rests",
        "The dough does not need sugar before it rests",
    ),
]


# ------------------------------------------------------------------------------- P01


@pytest.mark.parametrize("claim,opposite", OPPOSITES)
@pytest.mark.parametrize("times", [2, 3])
def test_stating_a_claim_again_and_then_its_opposite_loses_neither(
    agent: AgentHandle, claim: str, opposite: str, times: int
) -> None:
    """P01, R-31, A-95: repeating reinforces one row; the opposite revises it, and the
    value before stays in the history."""
    for _ in range(times):
        agent.memory.set("jonas/habit", claim)
    (row,) = agent.memory.list().items
    assert (row.value, row.reinforcement_count) == (claim, times)

    agent.memory.set("jonas/habit", opposite)

    (row,) = agent.memory.list().items
    assert (row.value, row.reinforcement_count) == (opposite, 1)
    assert claim in [version.value for version in agent.memory.history("jonas/habit")]


@pytest.mark.parametrize("claim,opposite", OPPOSITES)
def test_an_opposite_under_another_key_leaves_both_served(
    agent: AgentHandle, claim: str, opposite: str
) -> None:
    """P01, R-33, A-71: both sides stay, linked; neither takes the other away."""
    for key in ("jonas/habit", "jonas/habit", "jonas/morning"):
        agent.memory.set(key, claim)

    out = agent.memory.set("jonas/mood", opposite)

    assert out.conflict_verdict == "conflict"
    assert {row.value for row in agent.memory.list().items} == {claim, opposite}


# ------------------------------------------------------------------------------- P03

TEMPLATES: Final = [
    (
        "We took {} over {} because of {}",
        ("rye", "wheat", "taste"),
        ("gas", "wood", "cost"),
    ),
    ("Shelf {} holds the {} until {}", ("4", "salt", "May"), ("9", "yeast", "July")),
    ("{} replaced {} as head of {}", ("Ida", "Per", "sales"), ("Ove", "Liv", "baking")),
]


@pytest.mark.parametrize("template,first,second", TEMPLATES)
@pytest.mark.parametrize("cosine", [0.86, 0.93, 0.98, 1.0])
def test_two_claims_of_one_template_are_two_rows(
    opened: Opener, template: str, first: tuple[str], second: tuple[str], cosine: float
) -> None:
    """P03, R-34: however alike the sentences, what differs in them is the fact."""
    one, other = template.format(*first), template.format(*second)
    embedder = ChosenEmbedder({one: ("template", 0.0), other: ("template", 1 - cosine)})
    memory = opened(embedder=embedder).agent("edda").memory
    before = memory.set("choice/one", one)

    out = memory.set("choice/two", other)

    assert out.conflict_verdict in ("clear", "conflict")
    kept = memory.get("choice/one")
    assert kept is not None
    assert (kept.value, kept.content_sha256) == (one, before.content_sha256)
    assert [row.value for row in memory.list().items] == [one, other]


# ------------------------------------------------------------------------------- P05

_FACT: Final = "The mill delivers flour on Thursdays"
_AGAIN: Final = "the mill delivers FLOUR on Thursdays."
_ONE_KEY: Final = ("mill/day",) * 3
_THREE_KEYS: Final = ("mill/day", "mill/delivery", "flour/day")


@pytest.mark.parametrize("keys", [_ONE_KEY, _THREE_KEYS], ids=["one key", "three keys"])
@pytest.mark.parametrize("texts", list(itertools.permutations((_FACT, _FACT, _AGAIN)))[:3])
def test_a_bulk_write_gives_what_single_writes_give(
    opened: Opener, keys: tuple[str], texts: tuple[str]
) -> None:
    """P05, R-37, A-102: the same fact three times in one call or in three."""
    entries: list[dict[str, Any]] = [
        {"memory_key": key, "value": text} for key, text in zip(keys, texts, strict=True)
    ]
    bulk, single = (opened().agent("edda") for _ in range(2))

    results = bulk.memory.bulk_set(entries).results
    answers = [single.memory.set(**entry) for entry in entries]

    assert [_verdict(r) for r in results] == [_verdict(a) for a in answers]
    assert _rows(bulk) == _rows(single)
    assert len(_rows(bulk)) == 1


def _verdict(result: SetOutcome | Refusal) -> tuple[str, str, int]:
    assert isinstance(result, SetOutcome)
    return (result.conflict_verdict, result.merged_into_key, result.reinforcement_count)


def _rows(agent: AgentHandle) -> list[tuple[object, ...]]:
    rows = agent.memory.list(status="*").items
    return [(r.memory_key, r.value, r.status, r.reinforcement_count) for r in rows]


# ------------------------------------------------------------------------------- P07

_DETAILS: Final[dict[str, Any]] = {
    "tags": ["kind:rule", "oven:2"],
    "entities": ["oven"],
    "files": ["ovens/two.md"],
    "confidence": 0.75,
    "metadata": {"shelf": 3, "by": ["Ida", "Per"]},
    "valid_at": "2026-01-05T08:00:00+01:00",
    "valid_to": "2031-01-05T08:00:00+01:00",
    "source_resource_id": "note:17",
    "source_trace": {"turn": 4},
    "ttl_seconds": 1e8,
    "on_expire": "keep",
    "sensitivity": "low",
    "memory_type": "preference",
}
_HEAT: Final = "Oven two bakes rye at 240 degrees"
_LESS: Final = "Oven two bakes rye at 225 degrees"


def _by_id(agent: AgentHandle, value: str, **said: Any) -> SetOutcome:
    row = agent.memory.get("oven/two/heat")
    assert row is not None
    return agent.memory.update_by_id(row.memory_id, value, **said)


CHANGES: Final[dict[str, Callable[..., Any]]] = {
    "set": lambda agent, v, **said: agent.memory.set("oven/two/heat", v, **said),
    "update": lambda agent, v, **said: agent.memory.update("oven/two/heat", v, **said),
    "update_by_id": _by_id,
    "pin": lambda agent, v, **said: agent.memory.pin("oven/two/heat", v, **said),
    "bulk_set": lambda agent, v, **said: agent.memory.bulk_set(
        [{"memory_key": "oven/two/heat", "value": v, **said}]
    ),
}
_KEPT: Final = (
    *("tags", "entities", "files", "confidence", "metadata", "valid_at", "valid_to"),
    *("source_resource_id", "source_trace", "expires_at", "created_at", "memory_id"),
    *("on_expire", "sensitivity", "sensitivity_stated", "memory_type"),
)


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_the_text_keeps_everything_else(
    agent: AgentHandle, clock: FakeClock, change: str
) -> None:
    """P07, R-31, R-41, A-245: an omitted field keeps its value."""
    agent.memory.set("oven/two/heat", _HEAT, **_DETAILS)
    before = agent.memory.get("oven/two/heat")
    clock.advance(60)

    CHANGES[change](agent, _LESS)

    after = agent.memory.get("oven/two/heat")
    assert before is not None
    assert after is not None
    assert after.value == _LESS
    assert [getattr(after, name) for name in _KEPT] == [getattr(before, n) for n in _KEPT]
    assert after.updated_at > before.updated_at


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(
    "field,said,stored",
    [
        ("tags", ["kind:wish"], ("kind:wish",)),
        ("tags", [], ()),
        ("entities", ["rye"], ("rye",)),
        ("files", None, ()),
        ("confidence", 0.5, 0.5),
        ("metadata", {"shelf": 4}, {"shelf": 4}),
        ("metadata", {}, {}),
        ("valid_to", None, None),
        ("source_resource_id", None, ""),
        ("on_expire", "tombstone", "tombstone"),
        ("sensitivity", "medium", "medium"),
        ("memory_type", "decision", "decision"),
    ],
)
def test_a_field_that_is_given_replaces(
    agent: AgentHandle, change: str, field: str, said: object, stored: object
) -> None:
    """P07, R-31: a given field replaces the stored one, an empty one clears it."""
    agent.memory.set("oven/two/heat", _HEAT, **_DETAILS)
    before = agent.memory.get("oven/two/heat")

    CHANGES[change](agent, _LESS, **{field: said})

    after = agent.memory.get("oven/two/heat")
    assert before is not None
    assert after is not None
    assert getattr(after, field) == stored
    others = [name for name in _KEPT if name != field]
    assert [getattr(after, n) for n in others] == [getattr(before, n) for n in others]


# ------------------------------------------------------------------------------- P09


def test_deleting_all_of_one_user_leaves_the_other_whole(store: Loom) -> None:
    """P09, R-04, R-06: the same keys and values of two users; one deletes every key."""
    anna, bert = (store.agent("edda", user_id=user) for user in ("anna", "bert"))
    facts = {
        f"guest/{n}/wish": f"The guest at table {n} wants {n} rolls" for n in range(10)
    }
    for who in (anna, bert):
        for key, value in facts.items():
            who.memory.set(key, value)
    ids = [row.memory_id for row in anna.memory.list().items]

    for key in facts:
        assert anna.memory.delete(key).count == 1

    assert anna.memory.list().items == ()
    assert anna.memory.count() == 0
    assert anna.namespace.stats().by_status == {"tombstoned": 10}
    assert not any(anna.memory.get(key) for key in facts)
    assert not any(anna.memory.get_by_id(memory_id) for memory_id in ids)
    assert not any(anna.memory.search(value).hits for value in facts.values())
    assert [row.value for row in bert.memory.list().items] == list(facts.values())
    for key, value in facts.items():
        row = bert.memory.get(key)
        assert row is not None
        assert row.value == value
        assert bert.memory.search(value).hits[0].memory_key == key


@pytest.mark.parametrize("key", ["", "*", "guest/", "/", "guest/*"])
def test_a_delete_without_a_key_is_no_wipe(store: Loom, key: str) -> None:
    """P09, R-02, R-04: nothing stands for "all of them", and a reader of all deletes none."""
    anna = store.agent("edda", user_id="anna")
    anna.memory.set("guest/1/wish", "The guest at table 1 wants rolls")

    for handle in (anna, store.agent("edda", user_id="*")):
        with contextlib.suppress(InvalidRequest):
            assert not handle.memory.delete(key).found

    assert anna.memory.count() == 1
    with pytest.raises(InvalidRequest):
        store.agent("edda", user_id="*").memory.delete("guest/1/wish")


# ------------------------------------------------------------------------------- P11


def test_a_delete_in_one_namespace_leaves_the_same_value_in_another(store: Loom) -> None:
    """P11, R-04: vectors belong to rows, so equal values share nothing over namespaces."""
    value = "The night shift starts at ten in the bakery"
    here, there, abroad = (
        store.agent("edda", org=org, namespace=name)
        for org, name in (("acme", "north"), ("acme", "south"), ("other", "north"))
    )
    for handle in (here, there, abroad):
        handle.memory.set("shift/night", value)

    here.memory.delete("shift/night")

    assert here.memory.get("shift/night") is None
    assert here.memory.search(value).hits == ()
    for handle in (there, abroad):
        row = handle.memory.get("shift/night")
        assert row is not None
        assert row.value == value
        (hit,) = handle.memory.search("night shift start").hits
        assert (hit.memory_key, hit.org, hit.namespace) == (
            "shift/night",
            row.org,
            row.namespace,
        )


# ------------------------------------------------------------------------------- P13


def _swept(agent: AgentHandle) -> None:
    pattern = agent.blacklist.add("flour", sweep=True).pattern
    agent.blacklist.remove(pattern.pattern_id)


def _expired(agent: AgentHandle) -> None:
    agent.memory.apply("expire", prefix="mill", dry_run=False)
    agent.namespace.sweep()


def _turned_down(agent: AgentHandle) -> None:
    agent.memory.delete("mill/day")
    trial = agent.memory.set("mill/day", _FACT, proposed=True)
    agent.memory.proposal_decide(trial.memory_id, "reject")


def _superseded(agent: AgentHandle) -> None:
    agent.namespace.register(default_conflict_policy="newest_wins")
    agent.memory.set("mill/day", "Closed", agent="siv")
    agent.namespace.register(default_conflict_policy=None)
    agent.memory.delete("mill/day", agent="siv")


def _resolved(agent: AgentHandle) -> None:
    late = _FACT.replace("Thursdays", "Fridays")
    row = agent.memory.get("mill/day")
    assert row is not None
    other = agent.memory.set("mill/late", late).memory_id
    agent.conflicts.resolve(row.memory_id, other, "contract")
    agent.memory.delete("mill/late")


_GONE: Final[dict[str, Callable[[AgentHandle], object]]] = {
    "deleted": lambda agent: agent.memory.delete("mill/day"),
    "swept": _swept,
    "expired": _expired,
    "rejected": lambda agent: agent.memory.reject("mill/day"),
    "turned down": _turned_down,
    "superseded": _superseded,
    "resolved": _resolved,
}


@pytest.mark.parametrize("way", _GONE)
@pytest.mark.parametrize("key", ["mill/day", "mill/other"])
@pytest.mark.parametrize("text", [_FACT, _AGAIN])
@pytest.mark.parametrize("bulk", [False, True], ids=["set", "bulk"])
def test_a_dead_row_owns_neither_its_text_nor_its_key(
    agent: AgentHandle, way: str, key: str, text: str, bulk: bool
) -> None:
    """P13, R-20: written again, it is a new live version, and no duplicate of the dead."""
    agent.memory.set("mill/day", _FACT)
    _GONE[way](agent)
    assert agent.memory.count() == 0

    if bulk:
        (out,) = agent.memory.bulk_set([{"memory_key": key, "value": text}]).results
    else:
        out = agent.memory.set(key, text)

    assert isinstance(out, SetOutcome)
    assert (out.conflict_verdict, out.status, out.duplicate_of) == ("clear", "active", "")
    row = agent.memory.get(key)
    assert row is not None
    assert (row.value, row.reinforcement_count) == (text, 1)
    assert [hit.memory_key for hit in agent.memory.search(text).hits] == [key]


# ------------------------------------------------------------------------------- P15


@pytest.mark.parametrize("tick", [0, 1, -1], ids=["one tick", "a tick each", "clock back"])
def test_a_history_has_one_row_a_change_in_order(
    agent: AgentHandle, clock: FakeClock, tick: int
) -> None:
    """P15, R-15, A-247, B-252: all have times, and the order is that of the versions."""
    changes: list[Callable[[], object]] = [
        lambda: agent.memory.set("oven/two/heat", _HEAT),
        lambda: agent.memory.set("oven/two/heat", _HEAT),
        lambda: agent.memory.update("oven/two/heat", _LESS),
        lambda: agent.memory.lock("oven/two/heat", reason="inspection"),
        lambda: agent.memory.unlock("oven/two/heat"),
        lambda: agent.memory.delete("oven/two/heat"),
        lambda: agent.memory.restore("oven/two/heat"),
        lambda: agent.memory.delete("oven/two/heat"),
        lambda: agent.memory.set("oven/two/heat", _LESS),
    ]
    events = (
        *("created", "restated", "revised", "locked", "unlocked", "deleted"),
        *("restored", "deleted", "created"),
    )

    for change in changes:
        change()
        clock.advance(ns=tick)

    history = agent.memory.history("oven/two/heat")[::-1]
    assert tuple(version.event for version in history) == events
    versions = [version.version for version in history]
    assert versions == sorted(set(versions))
    assert [version.parent for version in history] == [0, *versions[:-1]]
    assert all(version.written_at is not None for version in history)
    assert [v.tombstoned_at is not None for v in history] == [
        version.event == "deleted" for version in history
    ]
    assert len({(version.memory_id, version.created_at) for version in history}) == 1


def test_a_new_row_has_no_past(agent: AgentHandle) -> None:
    """P15, R-03: the history of a key begins with its first write, whatever died beside it."""
    agent.memory.set("oven/two/heat", _HEAT)
    agent.memory.delete("oven/two/heat")

    agent.memory.set("oven/three/heat", _HEAT)

    (version,) = agent.memory.history("oven/three/heat")
    assert (version.event, version.parent, version.tombstoned_at) == ("created", 0, None)


# ------------------------------------------------------------------------------- P17


def test_dead_and_old_values_never_fill_the_window_of_a_search(agent: AgentHandle) -> None:
    """P17, R-50: ten old values and ten deleted rows on one subject, and one live row."""
    for price in range(10):
        agent.memory.set("rye/price", f"A loaf of rye costs {price} crowns in the shop")
        agent.memory.set(
            f"rye/old/{price}", f"A loaf of rye cost {price} crowns in the shop"
        )
        agent.memory.delete(f"rye/old/{price}")
    agent.memory.set("rye/price", "A loaf of rye costs 42 crowns in the shop")

    for flag in (False, True):
        out = agent.memory.search(
            "what does a loaf of rye cost in the shop", top_k=5, include_duplicates=flag
        )
        assert [hit.value for hit in out.hits] == [
            "A loaf of rye costs 42 crowns in the shop"
        ]
        assert (out.hits[0].rank, out.truncated) == (1, False)


def test_duplicates_are_found_by_the_flag_alone_and_labelled(opened: Opener) -> None:
    """P17, R-50, A-77: the canonical row answers; with the flag each says what it is."""
    said = "The starter is fed with rye flour at noon"
    again = [f"{said} each day" + "!" * n for n in range(3)]
    embedder = ChosenEmbedder(
        {said: ("starter", 0.0), **dict.fromkeys(again, ("starter", 0.0))}
    )
    memory = opened(embedder=embedder).agent("edda").memory
    memory.set("starter/feed", said)
    for n in range(3):
        memory.set(f"copy/{n}", f"Row {n} of the pantry is empty today")
        memory.set(f"copy/{n}", said)

    hits = memory.search(said).hits
    assert [hit.memory_key for hit in hits if hit.value == said] == ["starter/feed"]
    flagged = memory.search(said, include_duplicates=True).hits
    labels = {hit.memory_key: hit.status for hit in flagged if hit.value == said}
    assert labels == {
        "starter/feed": "active",
        **{f"copy/{n}": "duplicate" for n in range(3)},
    }


# ------------------------------------------------------------------------------- P19


def test_every_path_cuts_time_at_the_same_microsecond(
    store: Loom, clock: FakeClock
) -> None:
    """P19, R-15: of two versions a microsecond apart each holds from its own instant until
    the next one's, whether rows are listed, counted, or searched by vector or word."""
    agent = store.agent("edda", org="acme", namespace="kitchen")
    values = [f"Oven two bakes rye at {heat} degrees" for heat in (225, 240)]
    instants = []
    for value in values:
        clock.advance(ns=1_000)
        agent.memory.set("oven/two/heat", value)
        instants.append(agent.memory.history("oven/two/heat")[0].written_at)
    assert instants[1] - instants[0] == timedelta(microseconds=1)

    before = instants[0] - timedelta(microseconds=1)
    for at, expected in (
        (before, []),
        (instants[0], values[:1]),
        (instants[1], values[1:]),
    ):
        assert _held(store, Replay(known_by=last_version_at(at))) == [expected] * 3
        # In the last nanosecond before the next microsecond it is still the same.
        assert _held(store, Replay(known_by=last_version_at(at) - 999)) == [expected] * 3


def _held(store: Loom, view: Replay) -> list[list[object]]:
    """The values that a selection, a vector search and a word search see in a view."""
    storage = behind(store)
    embedder = store._env.embedder
    vector = embedder.embed(["oven two"])
    scopes = (ScopeKey("acme", "kitchen"),)
    rows = storage.select(Select(table=MEMORY, view=view)).rows
    assert storage.count(Select(table=MEMORY, view=view)) == len(rows)
    near = storage.nearest(Nearest(scopes=scopes, vectors=vector, view=view))[0]
    matched = storage.match(Match(scopes=scopes, terms=query_terms("oven two"), view=view))
    return [
        [row.value for row in rows],
        [one.row.value for one in near],
        [one.row.value for one in matched],
    ]


# ------------------------------------------------------------------------------- P21


def test_a_user_named_in_the_metadata_is_only_metadata(store: Loom) -> None:
    """P21, R-01, R-04: who a row belongs to is what the handle is bound to."""
    anna, bert = (store.agent("edda", user_id=user) for user in ("anna", "bert"))

    anna.memory.set(
        "guest/wish", "Anna wants poppy seed rolls", metadata={"user_id": "bert"}
    )

    assert bert.memory.list(status="*").items == ()
    (row,) = anna.memory.list().items
    assert (row.user_id, row.metadata) == ("anna", {"user_id": "bert"})


_NO_ID: Final = "01890000-0000-7000-8000-000000000000"


def _note(agent: AgentHandle) -> str:
    """A row that is the caller's own."""
    return agent.memory.set("guest/note", 1).memory_id


_BY_ID: Final[dict[str, Callable[[AgentHandle, str], object]]] = {
    "get_by_id": lambda agent, i: agent.memory.get_by_id(i),
    "update_by_id": lambda agent, i: agent.memory.update_by_id(i, "Anna was here"),
    "update_by_id dry": lambda agent, i: agent.memory.update_by_id(i, "Anna", dry_run=True),
    "reject": lambda agent, i: agent.memory.reject(memory_id=i),
    "accept": lambda agent, i: agent.memory.proposal_decide(i, "accept"),
    "turn down": lambda agent, i: agent.memory.proposal_decide(i, "reject"),
    "resolve": lambda agent, i: agent.conflicts.resolve(i, _note(agent), "allow"),
    "resolve, as the peer": lambda agent, i: agent.conflicts.resolve(
        _note(agent), i, "revise"
    ),
}


@pytest.mark.parametrize("operation", _BY_ID)
def test_the_id_of_another_users_row_answers_as_a_missing_one(
    store: Loom, operation: str
) -> None:
    """P21, R-04: and the row is as it was."""
    anna, bert = (store.agent("edda", user_id=user) for user in ("anna", "bert"))
    wish = "Bert wants plain rolls with butter"
    theirs = bert.memory.set("guest/wish", wish).memory_id
    on_trial = bert.memory.set("guest/hope", f"{wish} and salt", proposed=True).memory_id
    anna.memory.set("guest/note", 1)
    before = _versions_of(store, "bert")

    answers = [_answer(_BY_ID[operation], anna, i) for i in (theirs, on_trial, _NO_ID)]

    assert answers[0] == answers[1] == answers[2]
    assert _versions_of(store, "bert") == before


def _versions_of(store: Loom, user_id: str) -> list[MemoryRow]:
    return [row for row in versions_of(store) if row.user_id == user_id]


def _answer(
    call: Callable[[AgentHandle, str], object], agent: AgentHandle, i: str
) -> object:
    try:
        return call(agent, i)
    except NotFound as error:
        return (error.code, error.message.replace(i, "<id>"))


_WRITES: Final[dict[str, Callable[[AgentHandle, str, str], Any]]] = {
    "set": lambda agent, key, v: agent.memory.set(key, v),
    "pin": lambda agent, key, v: agent.memory.pin(key, v),
    "bulk_set": lambda agent, key, v: agent.memory.bulk_set(
        [{"memory_key": key, "value": v}]
    ).results[0],
}


@pytest.mark.parametrize("write", _WRITES)
@pytest.mark.parametrize("value", [*OPPOSITES[0], OPPOSITES[0][0].upper() + "!"])
@pytest.mark.parametrize("pinned", [False, True])
def test_another_users_rows_are_no_peers(
    store: Loom, write: str, value: str, pinned: bool
) -> None:
    """P21, R-04, R-32: neither verdict nor peers nor a refusal shows that they exist."""
    anna, bert = (store.agent("edda", user_id=user) for user in ("anna", "bert"))
    bert.memory.set("jonas/habit", OPPOSITES[0][0], pinned=pinned)
    before = bert.memory.list(status="*").items

    out = _WRITES[write](anna, "jonas/secret", value)

    assert (out.conflict_verdict, out.peers) == ("clear", ())
    assert bert.memory.list(status="*").items == before


# ------------------------------------------------------------------------------- P23

LITERALS: Final = [
    *("don't", "pre-heat", "kg/s", "a:b", '"open', "(x", "foo AND", "foo OR NOT bar"),
    *(
        "C#",
        "x < 5",
        "50%",
        "a_b",
        "é",
        "面包",
        "rye*",
        "[2]",
        "\\n",
        "'; DROP TABLE memory",
    ),
    "0190c0de-0000-7000-8000-00000000abcd",
]


@pytest.mark.parametrize("literal", LITERALS)
def test_a_literal_is_found_whatever_its_signs(agent: AgentHandle, literal: str) -> None:
    """P23, R-50: no sign of a query has a meaning of its own."""
    agent.memory.set("note/this", f"Somebody wrote {literal} on the wall")
    agent.memory.set("note/that", "Flour arrives by boat in autumn")

    hits = agent.memory.search(literal).hits

    assert hits
    assert hits[0].memory_key == "note/this"


@pytest.mark.parametrize(
    "query",
    [
        *("", " ", "*", "%", "_", "\x00", "\ud800", "a\x00b", '"', "'", "((", "AND", "\\"),
        *(
            "wall " * 2_000,
            "(" * 10_000,
            "NEAR/3",
            "-",
            "--",
            "wall:",
            "^wall",
            "~",
            "\n\t",
        ),
        "🜚",
    ],
)
def test_no_query_is_an_error(store: Loom, agent: AgentHandle, query: str) -> None:
    """P23, R-53: what cannot be found is answered by an abstention, and nothing changes."""
    agent.memory.set("note/this", "Somebody wrote on the wall")
    before = contents_of(store)

    out = agent.memory.search(query)

    assert out.abstain == (not out.hits)
    assert contents_of(store) == before


@pytest.mark.parametrize("query", [None, 7, ["wall"], {"q": "wall"}, b"wall"])
def test_a_query_that_is_no_text_is_an_invalid_request(
    agent: AgentHandle, query: Any
) -> None:
    """P23: the one documented error."""
    with pytest.raises(InvalidRequest) as caught:
        agent.memory.search(query)

    assert isinstance(caught.value, LoomError)
