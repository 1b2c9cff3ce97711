"""Finding rows by what they say."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import loom
from loom import AgentHandle, Loom
from loom.errors import InvalidRequest
from loom.testing.fakes import ChosenEmbedder, FakeClock
from tests.operations.conftest import Opener
from tests.operations.texts import BREAD, DRAWS_5, DRAWS_9, ELSEWHERE, NIGHT, NIGHT_AGAIN

HERE: Final[dict[str, Any]] = {"org": "acme", "namespace": "lab"}


def _found(agent: AgentHandle, query: str, **options: Any) -> list[str]:
    return [hit.memory_key for hit in agent.memory.search(query, **options).hits]


def test_a_search_finds_by_words_and_by_vector(agent: AgentHandle) -> None:
    """R-52: two legs, fused by reciprocal rank; each can be asked for alone."""
    agent.memory.set("pump/hours", NIGHT)
    agent.memory.set("x/wolves", ELSEWHERE)

    assert _found(agent, "wolves", legs=["lexical"]) == ["x/wolves"]
    assert _found(agent, NIGHT_AGAIN, legs=["vector"]) == ["pump/hours"]
    hit = agent.memory.search(NIGHT, explain=True).hits[0]
    assert hit.memory_key == "pump/hours"
    assert {leg.leg for leg in hit.legs} == {"vector", "lexical"}
    assert hit.similarity == pytest.approx(1.0)
    assert hit.passed_gate
    assert set(hit.score_components) == {"vector", "lexical"}
    assert hit.rank_score == pytest.approx(sum(hit.score_components.values()))
    assert hit.explanation


@pytest.mark.parametrize(
    "query",
    ["", " ", "\n", "\x00"],
)
def test_an_empty_query_is_answered_with_an_abstention(
    agent: AgentHandle, query: str
) -> None:
    """R-53: an answer, never an exception, never noise."""
    agent.memory.set("k/a", NIGHT)
    out = agent.memory.search(query)

    assert (out.abstain, out.abstain_code, out.hits) == (True, "EMPTY_QUERY", ())
    assert out.abstain_reason


def test_an_abstention_says_why(agent: AgentHandle) -> None:
    """R-53: nothing stored, or nothing that says anything about it."""
    assert agent.memory.search("wolves").abstain_code == "NOTHING_STORED"
    agent.memory.set("k/a", NIGHT)
    out = agent.memory.search("quarterly budget figures")

    assert (out.abstain, out.abstain_code, out.hits) == (True, "NOTHING_RELEVANT", ())
    assert agent.memory.search("pump", prefix="none").abstain_code == "NOTHING_STORED"


def test_the_answer_says_what_it_left_out(agent: AgentHandle) -> None:
    """R-55: `truncated`, and how many candidates there were."""
    for i in range(6):
        agent.memory.set(f"w/{i}", f"Wolf pack {i} lives in valley number {i}.")
    out = agent.memory.search("wolf valley", top_k=4)

    assert (len(out.hits), out.truncated, out.candidates_total) == (4, True, 6)
    assert [hit.rank for hit in out.hits] == [1, 2, 3, 4]
    assert not agent.memory.search("wolf valley", top_k=6).truncated


def test_a_search_never_returns_what_get_would_not_serve(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-50: deleted, past and duplicate rows; nor does anything of an old value remain."""
    agent.memory.set("k/gone", "The wolves sleep in the old quarry.")
    agent.memory.delete("k/gone")
    agent.memory.set("k/past", "The wolves hunt by the river bank.", ttl_seconds=60)
    agent.memory.set("k/revised", "The wolves eat deer in the winter.")
    agent.memory.set("k/revised", "Foxes prefer berries from July on.")
    clock.advance(60)

    assert _found(agent, "wolves") == []
    assert _found(agent, "foxes") == ["k/revised"]


def test_duplicates_are_found_by_flag_and_labelled(agent: AgentHandle) -> None:
    """A-77, A-72, R-50: `include_duplicates`."""
    first = agent.memory.set("pump/hours", NIGHT)
    agent.memory.set("k/copy", NIGHT_AGAIN)

    assert _found(agent, NIGHT) == ["pump/hours"]
    hits = agent.memory.search(NIGHT, include_duplicates=True).hits
    labels = {hit.memory_key: (hit.status, hit.duplicate_of) for hit in hits}
    assert labels == {
        "pump/hours": ("active", ""),
        "k/copy": ("duplicate", first.memory_id),
    }


def test_both_sides_of_a_conflict_are_found_and_marked(agent: AgentHandle) -> None:
    """A-71: conflicted is served, with its links."""
    ids = {
        agent.memory.set("k/5", DRAWS_5).memory_id,
        agent.memory.set("k/9", DRAWS_9).memory_id,
    }
    hits = agent.memory.search("pump draws").hits

    assert {hit.status for hit in hits} == {"conflicted"}
    assert {hit.memory_id for hit in hits} == ids
    for hit in hits:
        assert set(hit.conflict_with) == ids - {hit.memory_id}


FILTERS: Final[list[tuple[dict[str, Any], list[str]]]] = [
    ({"tags": ["Blue"]}, ["a/tagged"]),
    ({"tags": ["blue"]}, []),
    ({"prefix": "a"}, ["a/one", "a/tagged"]),
    ({"memory_type": "decision"}, ["b/type"]),
    ({"tags": ["Blue", "Green"]}, []),
    ({"tags": ["Blue", "Green"], "tags_match": "any"}, ["a/tagged"]),
    ({"entities": ["Ana"]}, ["c/entity"]),
    ({"entities": ["the ANA’s"]}, ["c/entity"]),
    ({"entities": ["!"]}, []),
    ({"files": ["x.py"]}, ["c/file"]),
    ({"files": ["./x.py", "y.py"]}, ["c/file"]),
    ({"by_agent": "bob"}, ["d/bob"]),
    ({"by_session": "s"}, ["d/bob"]),
    ({"by_run": "r"}, ["d/bob"]),
    ({"source_class": "external"}, ["e/external"]),
    (
        {"exclude_keys": ["a/one", "a/tagged", "b/type", "c/entity"], "prefix": "c"},
        ["c/file"],
    ),
]


@pytest.mark.parametrize("filters, keys", FILTERS, ids=[str(f) for f, _ in FILTERS])
def test_filters_hold_before_ranking(
    agent: AgentHandle, store: Loom, filters: dict[str, Any], keys: list[str]
) -> None:
    """R-50: never after the cut: a row that passes is found beside any number that do not."""
    for i in range(60):
        agent.memory.set(f"z/{i}", f"The wolf of valley {i} howls, the wolf howls.")
    wolf = "One wolf was seen, far from all the others, {}."
    agent.memory.set("a/one", wolf.format("first"))
    agent.memory.set("a/tagged", wolf.format("second"), tags=["Blue"])
    agent.memory.set("b/type", wolf.format("third"), memory_type="decision")
    agent.memory.set("c/entity", wolf.format("fourth"), entities=["Ana"])
    agent.memory.set("c/file", wolf.format("fifth"), files=["x.py"])
    agent.memory.set("e/external", wolf.format("sixth"), source_class="external")
    other = store.agent("bob", session_id="s", run_id="r", **HERE)
    other.memory.set("d/bob", wolf.format("seventh"))

    assert sorted(_found(agent, "wolf howls", top_k=2, **filters)) == keys


WOLVES: Final = [f"Wolf {i} howls in valley {i}." for i in range(8)]


@pytest.fixture
def wolves(agent: AgentHandle) -> AgentHandle:
    """Eight rows that say as much about wolves; the newest stands first."""
    for i, said in enumerate(WOLVES):
        tags = {1: ["Liked"], 3: ["Liked", "also"], 6: ["unliked"]}.get(i, [])
        agent.memory.set(f"w/{i}", said, tags=tags)
    return agent


def test_tags_move_what_answers_and_filter_nothing(wolves: AgentHandle) -> None:
    """A-173, A-174, A-179: liked up, unliked down, each exactly as written."""
    plain = _found(wolves, "wolf howls", legs=["lexical"])
    assert plain == [f"w/{i}" for i in range(7, -1, -1)]

    soft = _found(wolves, "wolf howls", legs=["lexical"], tags_soft=["Liked"])
    assert soft[:3] == ["w/3", "w/1", "w/7"]
    more = _found(wolves, "wolf howls", legs=["lexical"], tags_soft=["also", "Liked"])
    assert more[0] == "w/3"
    sunk = _found(wolves, "wolf howls", legs=["lexical"], demote_tags=["unliked"])
    assert sunk == [key for key in plain if key != "w/6"] + ["w/6"]
    other_case = {"tags_soft": ["liked"], "demote_tags": ["Unliked"]}
    assert _found(wolves, "wolf howls", legs=["lexical"], **other_case) == plain
    assert sorted(soft) == sorted(more) == sorted(plain)


def test_a_liked_row_is_in_before_the_cut(wolves: AgentHandle) -> None:
    """A-173: the cut comes after; `truncated` says that there is more."""
    out = wolves.memory.search("wolf howls", legs=["lexical"], top_k=2, tags_soft=["Liked"])

    assert [hit.memory_key for hit in out.hits] == ["w/3", "w/1"]
    assert out.truncated


def test_no_liked_tag_makes_an_answer_of_noise(wolves: AgentHandle) -> None:
    """R-52, R-53: the gate looks at the row alone, and a sunk row stays an answer."""
    wolves.memory.set("x/budget", "The quarterly budget is signed.", tags=["Liked"])

    assert "x/budget" not in _found(wolves, "wolf howls", tags_soft=["Liked"], top_k=50)
    nothing = wolves.memory.search("violin lessons", tags_soft=["Liked"])
    assert nothing.abstain_code == "NOTHING_RELEVANT"
    assert _found(wolves, "budget", demote_tags=["Liked"]) == ["x/budget"]


def test_a_hit_says_which_tags_moved_it(wolves: AgentHandle) -> None:
    """R-52: the terms are in the components, and in sentences where they are asked for."""
    out = wolves.memory.search("wolf howls", tags_soft=["Liked"], explain=True)
    by_key = {hit.memory_key: hit for hit in out.hits}
    moved, still = by_key["w/3"], by_key["w/7"]

    assert [(term.name, term.tags) for term in moved.terms] == [("tags_soft", ("Liked",))]
    assert moved.rank_score == pytest.approx(sum(moved.score_components.values()))
    assert any(line.startswith("tags_soft: has Liked") for line in moved.explanation)
    assert still.terms == ()
    assert "tags_soft" not in still.score_components


@pytest.mark.parametrize(
    "options",
    [
        *({"tags_match": word} for word in ("some", "ANY", None, 1)),
        *({"tags_soft": tags} for tags in ("bare", [""], [1])),
        *({"demote_tags": tags} for tags in ("bare", [""], {"a": 1})),
        *({"files": [path]} for path in ("/abs", "../x")),
        *({flag: "yes"} for flag in ("include_superseded", "include_proposed")),
    ],
    ids=str,
)
def test_a_malformed_option_is_named(agent: AgentHandle, options: dict[str, Any]) -> None:
    """R-50: also where nothing is stored or asked."""
    with pytest.raises(InvalidRequest) as caught:
        agent.memory.search("", **options)
    assert caught.value.details["field"] == next(iter(options))


def test_a_run_s_search_finds_the_duplicate_stored_for_it(store: Loom) -> None:
    """A-127, A-128: not merged into another run's row, and found in its own run."""
    one, two = (store.agent("ada", run_id=run, **HERE) for run in ("r1", "r2"))
    one.memory.set("pump/hours", NIGHT)
    assert two.memory.set("k/again", NIGHT.upper()).conflict_verdict == "duplicate"

    assert _found(two, "pump night") == ["pump/hours"]
    (hit,) = two.memory.search("pump night", by_run="r2").hits
    assert (hit.memory_key, hit.status) == ("k/again", "duplicate")
    assert [r.memory_key for r in two.memory.list(by_run="r2").items] == ["k/again"]
    assert _found(two, "pump night", by_run="r1") == ["pump/hours"]


def test_a_replaced_row_is_found_by_flag_and_labelled(store: Loom) -> None:
    """A-78, P17, R-50: `include_superseded`, with the id of the row that replaced it."""
    one, two = (store.agent(name, **HERE) for name in ("ada", "bob"))
    one.namespace.register(default_conflict_policy="newest_wins")
    old = one.memory.set("pack/hunts", "The wolf pack hunts at dusk.")
    new = two.memory.set("pack/hunts", "The wolf pack hunts at dawn.")

    assert [h.memory_id for h in one.memory.search("wolf pack").hits] == [new.memory_id]
    hits = one.memory.search("wolf pack", include_superseded=True).hits
    assert {h.memory_id: (h.status, h.superseded_by) for h in hits} == {
        new.memory_id: ("active", ""),
        old.memory_id: ("superseded", new.memory_id),
    }


def test_a_proposal_is_found_by_flag_and_labelled(agent: AgentHandle) -> None:
    """A-79, R-50: `include_proposed`."""
    agent.memory.set("k/a", "The wolf pack hunts at dusk.")
    agent.memory.set("k/a", "The wolf pack hunts at dawn.", proposed=True)

    assert [h.status for h in agent.memory.search("wolf pack hunts").hits] == ["active"]
    hits = agent.memory.search("wolf pack hunts", include_proposed=True).hits
    assert sorted((h.status, str(h.value)[-5:]) for h in hits) == [
        ("active", "dusk."),
        ("proposed", "dawn."),
    ]


def test_equal_scores_are_ordered_by_version_then_id(
    agent: AgentHandle, embedder: ChosenEmbedder
) -> None:
    """R-51: newest first; the same store and query give the same answer."""
    for i in range(5):
        agent.memory.set(f"k/{i}", {"animal": "wolf"})
    answers = [_found(agent, "wolf", legs=["lexical"]) for _ in range(3)]

    assert answers == [["k/4", "k/3", "k/2", "k/1", "k/0"]] * 3


def test_more_namespaces_are_searched_when_named(store: Loom) -> None:
    """R-04: each hit says its namespace."""
    lab, ops = (store.agent("ada", org="acme", namespace=name) for name in ("lab", "ops"))
    lab.memory.set("k/a", "A wolf was seen near the lab.")
    ops.memory.set("k/a", "A wolf was seen near the office.")
    hits = lab.memory.search("wolf", namespaces=["ops"]).hits

    assert {hit.namespace for hit in hits} == {"lab", "ops"}
    assert _found(lab, "wolf") == ["k/a"]
    assert [hit.namespace for hit in lab.memory.search("wolf").hits] == ["lab"]


@pytest.mark.parametrize(
    "text, query",
    [
        ("我们每周二部署账单服务", "部署"),
        ("毎週火曜日に請求書を発行する", "請求書"),
        ("청구서는 매주 화요일에 발행된다", "청구서"),
        ("تصدر الفواتير كل ثلاثاء", "الفواتير"),
        ("बिल हर मंगलवार को आता है", "मंगलवार"),
        ("ใบแจ้งหนี้ออกทุกวันอังคาร", "ใบแจ้งหนี้"),
        ("we celebrate with 🎉 every Friday", "🎉"),
        ("The Café opens at nine", "cafe\u0301"),
        ("Der Zoll an der Straße", "STRASSE"),
        ("it doesn't matter at all", "doesn't"),
        ("the pre-edit hook runs", "pre-edit"),
        ("it moves 3 GB/s over the bus", "GB/s"),
        ("the ratio is a:b in tests", "a:b"),
        (
            "id 550e8400-e29b-41d4-a716-446655440000 here",
            "550e8400-e29b-41d4-a716-446655440000",
        ),
    ],
)
def test_words_of_every_script_are_found(agent: AgentHandle, text: str, query: str) -> None:
    """R-53, P23: by the lexical leg alone; accents in either normal form."""
    agent.memory.set("k/a", text)
    agent.memory.set("k/noise", "Nothing of the kind is said over here.")

    assert _found(agent, query, legs=["lexical"])[:1] == ["k/a"]


@pytest.mark.parametrize(
    "query",
    [
        "don't",
        '"open',
        "(x",
        "foo AND",
        "NOT OR AND",
        "*",
        "%",
        "_",
        "'; DROP TABLE memory; --",
        "\\",
        "a" * 10_000,
        "wolf " * 2_000,
        "\x00wolf\x00",
        "\ud800 wolf",
        "\u202e wolf",
        "{}[]^$.|?+",
    ],
)
def test_no_query_text_can_raise(agent: AgentHandle, query: str) -> None:
    """R-53, P23: a literal that is stored is found, anything else abstains."""
    agent.memory.set("k/a", ELSEWHERE)

    agent.memory.search(query)
    agent.memory.search(query, legs=["lexical"])


@given(st.text(st.characters(), max_size=40), st.text(max_size=40))
@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=40)
def test_any_query_over_any_text_is_answered(query: str, text: str) -> None:
    """R-53: hits or an abstention with its code, never an exception."""
    with loom.open(":memory:") as store:
        agent = store.agent("ada")
        agent.memory.set("k/a", text.replace("\x00", " "))
        out = agent.memory.search(query)

    assert out.abstain is not bool(out.hits)
    assert bool(out.abstain_code) is out.abstain


def test_a_type_that_is_not_searched_is_found_only_by_name(agent: AgentHandle) -> None:
    """A-27: a reflection is searched when its type is named; an episode has no entry."""
    agent.memory.set("k/r", "Reflecting on the wolf question.", memory_type="reflection")
    agent.memory.set("k/e", "The wolf episode was long ago.", memory_type="episodic")

    assert _found(agent, "wolf") == []
    assert _found(agent, "wolf", memory_type="reflection") == ["k/r"]
    assert agent.memory.count() == 2


def test_a_type_changed_by_a_revision_is_searched_where_it_is_now(
    agent: AgentHandle,
) -> None:
    """R-31, R-16: the old entries do not answer for it any more."""
    agent.memory.set("k/a", BREAD)
    agent.memory.set("k/a", BREAD, memory_type="decision")

    assert _found(agent, "soup", memory_type="semantic") == []
    assert _found(agent, "soup", memory_type="decision") == ["k/a"]
    agent.memory.set("k/a", BREAD, memory_type="episodic")
    assert _found(agent, "soup") == []
    agent.memory.set("k/a", BREAD, memory_type="semantic")
    assert _found(agent, BREAD, legs=["vector"]) == ["k/a"]


def test_a_value_that_comes_back_is_searchable_again(
    agent: AgentHandle, store: Loom
) -> None:
    """R-16: vectors are kept by memory id and content hash for every version."""
    agent.memory.set("k/a", BREAD)
    agent.memory.set("k/a", ELSEWHERE)
    agent.memory.set("k/a", BREAD)

    assert _found(agent, BREAD, legs=["vector"]) == ["k/a"]
    assert _found(agent, "wolves") == []


def test_numbers_and_json_are_searched_as_they_read(agent: AgentHandle) -> None:
    """R-10, R-52: any JSON value."""
    agent.memory.set("k/a", {"device": {"serial": "ZX-4711", "watts": 90}})
    agent.memory.set("k/b", 4712)

    assert _found(agent, "ZX-4711", legs=["lexical"]) == ["k/a"]
    assert _found(agent, "4712", legs=["lexical"]) == ["k/b"]


def test_the_lexical_embedder_serves_the_same_rules(opened: Opener) -> None:
    """R-40: the weightless embedder of the base install, its own thresholds in force."""
    agent = opened(embedder="lexical").agent("ada", **HERE)
    agent.memory.set("pump/power", DRAWS_5)
    out = agent.memory.set("machines/pump", DRAWS_9)

    assert out.conflict_verdict == "conflict"
    assert "lexical" in out.peers[0].reasons[0]
    assert agent.memory.set("k/hours", NIGHT).conflict_verdict == "clear"
    assert agent.memory.set("k/again", NIGHT.upper()).conflict_verdict == "merge"
    assert set(_found(agent, "what does the pump draw?")[:2]) == {
        "machines/pump",
        "pump/power",
    }
