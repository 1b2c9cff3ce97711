"""Cases from public reports, where decisions, policies and sweeps reach them."""

from __future__ import annotations

from typing import Any, Final

import pytest

from loom import AgentHandle, Loom
from loom.errors import InvalidRequest
from loom.model.namespace import ConflictPolicy
from loom.testing.fakes import ChosenEmbedder, FakeClock
from loom.testing.stores import contents_of
from tests.cases.conftest import Opener
from tests.cases.test_reports import OPPOSITES

HERE: Final[dict[str, Any]] = {"org": "acme", "namespace": "kitchen"}
each_policy = pytest.mark.parametrize("policy", [str(policy) for policy in ConflictPolicy])


# ------------------------------------------------------------------------------- P01


@each_policy
@pytest.mark.parametrize("key", ["jonas/habit", "jonas/mood"], ids=["same key", "another"])
@pytest.mark.parametrize("claim,opposite", OPPOSITES)
def test_under_no_policy_does_a_claim_or_its_opposite_vanish(
    agent: AgentHandle, policy: str, key: str, claim: str, opposite: str
) -> None:
    """P01, A-121, R-44, R-45: one of them is served at least, and both can be read."""
    agent.namespace.register(default_conflict_policy=policy)
    for _ in range(2):
        agent.memory.set("jonas/habit", claim)
    assert agent.memory.count() == 1

    agent.memory.set(key, opposite)

    served = [row.value for row in agent.memory.list().items]
    told = [v.value for k in ("jonas/habit", key) for v in agent.memory.history(k)]
    assert opposite in served
    assert {claim, opposite} <= set(told)
    assert (claim in served) is (key != "jonas/habit" and policy != "newest_wins")


# ------------------------------------------------------------------------------- P03


@each_policy
def test_two_decisions_of_one_template_are_kept_whole_under_every_policy(
    opened: Opener, policy: str
) -> None:
    """P03, R-34: none is written over by the other, and both can be found."""
    one = "We took rye over wheat because of taste"
    other = "We took gas over wood because of cost"
    embedder = ChosenEmbedder({one: ("template", 0.0), other: ("template", 0.07)})
    agent = opened(embedder=embedder).agent("edda", **HERE)
    agent.namespace.register(default_conflict_policy=policy)
    agent.memory.set("choice/one", one)
    agent.memory.set("choice/two", other)

    rows = agent.memory.list(status="*").items
    assert [(row.memory_key, row.value) for row in rows] == [
        ("choice/one", one),
        ("choice/two", other),
    ]
    found = agent.memory.search(one, include_superseded=True).hits
    assert {one, other} == {hit.value for hit in found}


# ------------------------------------------------------------------------------- P05

FACT: Final = "The mill delivers flour on Thursdays"


@each_policy
@pytest.mark.parametrize(
    "keys",
    [("mill/day",) * 3, ("mill/day", "mill/delivery", "flour/day")],
    ids=["one key", "three keys"],
)
def test_bulk_and_single_writes_agree_under_every_policy(
    opened: Opener, policy: str, keys: tuple[str, ...]
) -> None:
    """P05, R-37, A-102: the same rows, verdicts and counts."""
    texts = (FACT, FACT, "the mill delivers FLOUR on Thursdays.")
    entries: list[dict[str, Any]] = [
        {"memory_key": key, "value": text} for key, text in zip(keys, texts, strict=True)
    ]
    bulk, single = (opened().agent("edda", **HERE) for _ in range(2))
    for agent in (bulk, single):
        agent.namespace.register(default_conflict_policy=policy)

    results = [dict(one) for one in bulk.memory.bulk_set(entries).results]
    answers = [dict(single.memory.set(**entry)) for entry in entries]

    told = ("conflict_verdict", "status", "merged_into_key", "reinforcement_count")
    assert [[one[n] for n in told] for one in results] == [
        [one[n] for n in told] for one in answers
    ]
    assert _standing(bulk) == _standing(single)


def _standing(agent: AgentHandle) -> list[tuple[Any, ...]]:
    rows = agent.memory.list(status="*").items
    return [(r.memory_key, r.value, r.status, r.reinforcement_count) for r in rows]


# ------------------------------------------------------------------------------- P09


@pytest.mark.parametrize("action", ["delete", "expire"])
@pytest.mark.parametrize("by", ["user", "agent", "path"])
def test_emptying_a_part_of_a_namespace_leaves_the_rest_whole(
    store: Loom, clock: FakeClock, action: str, by: str
) -> None:
    """P09, R-04: ten rows of one, ten of the other, on every path."""
    mine = {"user": {"user_id": "ana"}, "agent": {"agent": "ana"}, "path": {}}[by]
    theirs = {"user": {"user_id": "ben"}, "agent": {"agent": "ben"}, "path": {}}[by]
    ana, ben = (store.agent(**{"agent": "edda", **HERE, **who}) for who in (mine, theirs))
    for number in range(10):
        ana.memory.set(f"ana/{number}", f"Loaf {number} of Ana is baked on Monday")
        ben.memory.set(f"ben/{number}", f"Loaf {number} of Ben is baked on Friday")
    narrow: dict[str, Any] = {"prefix": "ana"} if by != "agent" else {"by_agent": "ana"}

    preview = ana.memory.apply(action, **narrow)
    assert (preview.matched, preview.changed, preview.dry_run) == (10, 0, True)
    done = ana.memory.apply(action, dry_run=False, **narrow)
    clock.advance(1)

    assert (done.matched, done.changed) == (10, 10)
    assert [row.memory_key for row in ben.memory.list(prefix="ben").items] == [
        f"ben/{number}" for number in range(10)
    ]
    assert all(ben.memory.get(f"ben/{number}") for number in range(10))
    assert ben.memory.search("Loaf of Ben", top_k=50, prefix="ben").candidates_total == 10
    assert ana.memory.list(prefix="ana").items == ()
    assert [ana.memory.get(f"ana/{number}") for number in range(10)] == [None] * 10
    assert ana.memory.search("Loaf of Ana", top_k=50, prefix="ana").hits == ()


@pytest.mark.parametrize("action", ["delete", "expire", "demote"])
def test_a_change_of_many_without_a_filter_is_an_error(
    store: Loom, agent: AgentHandle, action: str
) -> None:
    """P09: no wipe by leaving something out; everything must be said."""
    agent.memory.set("rye/price", "A loaf of rye costs 42 crowns")
    before = contents_of(store)

    unsaid: list[dict[str, Any]] = [{}, {"prefix": None}, {"tags": []}, {"memory_type": ""}]
    for nothing in unsaid:
        with pytest.raises(InvalidRequest):
            agent.memory.apply(action, dry_run=False, **nothing)
    assert contents_of(store) == before
    assert agent.memory.apply(action, dry_run=False, everything=True).changed == 1


# ------------------------------------------------------------------------------- P11


@pytest.mark.parametrize("way", ["reject", "resolve", "supersede", "expire"])
def test_what_leaves_one_namespace_stays_in_another(store: Loom, way: str) -> None:
    """P11: the same value in two, with the same key, is two rows with vectors of their own."""
    one, two = (
        store.agent("edda", org="acme", namespace=name) for name in ("north", "south")
    )
    for agent in (one, two):
        agent.memory.set("mill/day", FACT)
    match way:
        case "reject":
            one.memory.reject("mill/day")
        case "resolve":
            late = one.memory.set("mill/late", FACT.replace("Thursdays", "Fridays"))
            gone = one.memory.get("mill/day")
            assert gone is not None
            one.conflicts.resolve(late.memory_id, gone.memory_id, "revise")
        case "supersede":
            one.namespace.register(default_conflict_policy="newest_wins")
            one.memory.set("mill/day", "Closed", agent="siv")
        case _:
            one.memory.apply("expire", prefix="mill", dry_run=False)
            one.namespace.sweep()

    assert FACT not in [row.value for row in one.memory.list().items]
    assert [row.value for row in two.memory.list().items] == [FACT]
    assert [hit.value for hit in two.memory.search(FACT).hits] == [FACT]
    assert two.conflicts.list().items == ()


# ------------------------------------------------------------------------------- P15


def test_a_history_of_decisions_has_one_row_a_change_in_order(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """P15, A-160: put on trial, taken, contradicted, decided, retired, brought back, though
    the clock stands still."""
    trial = agent.memory.set("mill/day", FACT, proposed=True).memory_id
    agent.memory.proposal_decide(trial, "accept")
    late = agent.memory.set("mill/late", FACT.replace("Thursdays", "Fridays")).memory_id
    agent.conflicts.resolve(trial, late, "allow")
    agent.namespace.register(default_conflict_policy="newest_wins")
    newer = agent.memory.set("mill/newer", FACT.replace("Thursdays", "Mondays"))
    assert newer.conflict_verdict == "refines"
    agent.memory.delete("mill/newer")
    agent.memory.restore("mill/day")
    agent.memory.reject("mill/day")

    history = agent.memory.history("mill/day")
    assert [one.event for one in reversed(history)] == [
        "proposed",
        "accepted",
        "relinked",
        "resolved",
        "superseded",
        "restored",
        "rejected",
    ]
    versions = [one.version for one in history]
    assert versions == sorted(set(versions), reverse=True)
    assert [one.parent for one in history] == [*versions[1:], 0]
    assert all(one.written_at >= one.created_at for one in history)
    assert history[2].invalid_at == history[2].written_at


# ------------------------------------------------------------------------------- P17


@pytest.mark.parametrize("how", ["one key", "many keys"])
@pytest.mark.parametrize("legs", [("vector",), ("lexical",), ("vector", "lexical")])
def test_replaced_facts_never_fill_the_window_of_a_search(
    store: Loom, how: str, legs: tuple[str, ...]
) -> None:
    """P17, A-78, R-50: ten that were replaced and one that is live, on one subject."""
    agent = store.agent("edda", **HERE)
    agent.namespace.register(default_conflict_policy="newest_wins")
    values = [f"A loaf of rye costs {price} crowns in the shop" for price in range(11)]
    for number, value in enumerate(values):
        if how == "one key":
            agent.memory.set("rye/price", value, agent=f"clerk-{number}")
        else:
            agent.memory.set(f"rye/price/{number}", value)
    query = "what does a loaf of rye cost in the shop"
    ask: dict[str, Any] = {"legs": legs, "top_k": 5}
    assert agent.memory.count(status="superseded") == 10

    plain = agent.memory.search(query, **ask)
    assert [(hit.rank, hit.value, hit.status) for hit in plain.hits] == [
        (1, values[-1], "active")
    ]
    assert plain.truncated is False

    flagged = agent.memory.search(query, include_superseded=True, **ask)
    assert len(flagged.hits) == 5
    assert flagged.truncated is True
    everything = agent.memory.search(
        query, include_superseded=True, legs=legs, top_k=50
    ).hits
    assert {hit.value for hit in everything} == set(values)
    assert len(everything) == len(values)
    assert {hit.value: hit.status for hit in everything} == {
        **dict.fromkeys(values, "superseded"),
        values[-1]: "active",
    }


@pytest.mark.parametrize("flag", ["include_superseded", "include_proposed"])
def test_a_flag_shows_its_own_kind_and_no_other(agent: AgentHandle, flag: str) -> None:
    """P17, A-78, A-79, R-50: labelled, and nothing that was deleted or found wrong."""
    agent.namespace.register(default_conflict_policy="newest_wins")
    agent.memory.set("rye/old", "A loaf of rye costs 40 crowns in the shop")
    agent.memory.set("rye/price", "A loaf of rye costs 42 crowns in the shop")
    agent.memory.set("rye/idea", "A loaf of rye costs 30 crowns in the shop", proposed=True)
    agent.memory.set("rye/gone", "A loaf of rye is in the shop window")
    agent.memory.delete("rye/gone")
    agent.memory.set("rye/wrong", "A loaf of rye is in the shop basement")
    agent.memory.reject("rye/wrong")

    hits = agent.memory.search("loaf of rye in the shop", **{flag: True}).hits  # type: ignore[arg-type]

    other = {
        "include_superseded": ("rye/old", "superseded"),
        "include_proposed": ("rye/idea", "proposed"),
    }
    assert {(hit.memory_key, hit.status) for hit in hits} == {
        ("rye/price", "active"),
        other[flag],
    }


# ------------------------------------------------------------------------------- P21


def test_no_list_and_no_decision_shows_another_users_side(store: Loom) -> None:
    """P21, R-04, R-60: conflicts, proposals and their reasons stay with their user."""
    ana, ben = (store.agent("edda", **HERE, user_id=user) for user in ("ana", "ben"))
    for agent, day in ((ana, "Thursdays"), (ben, "Fridays")):
        agent.memory.set("mill/day", FACT.replace("Thursdays", day))
        agent.memory.set("mill/noon", "The mill rests at noon", proposed=True)
    assert ana.conflicts.list().items == ben.conflicts.list().items == ()
    ben.memory.set("mill/late", FACT)

    assert ana.conflicts.list().items == ()
    (pair,) = ben.conflicts.list().items
    assert pair.peer is not None
    assert {pair.row.user_id, pair.peer.user_id} == {"ben"}
    (trial,) = ana.memory.list(status="proposed").items
    out = ana.memory.proposal_decide(trial.memory_id, "accept")
    assert out.write is not None
    assert {peer.user_id for peer in out.write.peers} <= {"ana"}
    assert ben.memory.count(status="proposed") == 1


def test_an_administrators_change_stays_with_the_user_of_the_handle(store: Loom) -> None:
    """P21, R-04: only a handle for all users reaches all of them."""
    ana, ben = (store.agent("edda", **HERE, user_id=user) for user in ("ana", "ben"))
    for agent in (ana, ben):
        agent.memory.set("mill/day", FACT)

    assert ana.memory.apply("delete", prefix="mill", dry_run=False).changed == 1
    assert ben.memory.get("mill/day") is not None
    everybody = store.agent("edda", **HERE, user_id="*")
    assert everybody.memory.apply("delete", prefix="mill", dry_run=False).changed == 1
    assert ben.memory.get("mill/day") is None
