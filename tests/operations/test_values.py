"""Values as they come and go: unchanged, immutable, never in an error."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final, cast

import attrs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import loom
from loom import AgentHandle
from loom.errors import LoomError
from loom.testing.fakes import ChosenEmbedder
from tests.operations.texts import ELSEWHERE, NIGHT

HERE: Final[dict[str, Any]] = {"org": "acme", "namespace": "lab"}


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -1,
        2**53 + 1,
        10**30,
        1.5,
        -0.0,
        1e-300,
        "",
        " leading and trailing ",
        "line\nbreak\ttab",
        "emoji 🙂 and e\u0301 decomposed",
        'quotes " and \\ backslash',
        [],
        {},
        [None, [1, [2, [3]]]],
        {"b": 1, "a": {"z": [True, None]}, "": 0},
    ],
    ids=repr,
)
def test_a_value_comes_back_as_it_was_given(agent: AgentHandle, value: Any) -> None:
    """R-10: by key, list, search, history; and its type with it."""
    out = agent.memory.set("k/a", value)
    row = agent.memory.get("k/a")

    assert row is not None
    for found in (
        row.value,
        agent.memory.list().items[0].value,
        agent.memory.history("k/a")[0].value,
    ):
        assert found == value
        assert isinstance(found, bool) is isinstance(value, bool)
    assert agent.memory.set("k/a", value).conflict_verdict == "restated"
    assert row.content_sha256 == out.content_sha256


def test_key_order_is_kept_and_does_not_matter(agent: AgentHandle) -> None:
    """R-11: `{"b":…,"a":…}` said in another order is the same claim."""
    agent.memory.set("k/a", {"b": 1, "a": 2})

    assert agent.memory.set("k/a", {"a": 2, "b": 1}).conflict_verdict == "restated"
    assert agent.memory.set("k/a", {"a": 2, "b": "1"}).conflict_verdict == "clear"


def test_what_was_handed_in_can_be_changed_without_a_trace(agent: AgentHandle) -> None:
    """R-17: changing what a caller passed in never changes the store."""
    value: dict[str, Any] = {"list": [1, {"deep": True}]}
    tags, metadata = ["t"], {"m": [1]}
    out = agent.memory.set("k/a", value, tags=tags, metadata=metadata)
    value["list"][1]["deep"] = False
    value["more"] = 1
    tags.append("u")
    metadata["m"].append(2)
    row = agent.memory.get("k/a")

    assert row is not None
    assert row.value == {"list": [1, {"deep": True}]}
    assert (row.tags, row.metadata) == (("t",), {"m": [1]})
    assert row.content_sha256 == out.content_sha256


def test_what_was_handed_out_cannot_be_changed(agent: AgentHandle) -> None:
    """R-17: rows, values, hits, versions, answers and their parts."""
    agent.memory.set("k/a", {"list": [1, {"deep": True}]}, metadata={"m": [1]})
    agent.memory.set("k/b", NIGHT)
    row = agent.memory.get("k/a")
    out = agent.memory.set("k/c", "the pump runs at night")
    hit = agent.memory.search("pump").hits[0]
    version = agent.memory.history("k/a")[0]
    bulk = agent.memory.bulk_set([{"memory_key": "k//", "value": 1}])
    assert row is not None
    value: Any = row.value

    for answer, field in (
        (row, "value"),
        (out, "status"),
        (out.peers[0], "value"),
        (hit, "rank"),
        (version, "value"),
        (bulk, "results"),
    ):
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            setattr(answer, field, "changed")
    details: Any = bulk.results[0]["details"]
    changes: list[Callable[[], object]] = [
        lambda: value["list"].append(2),
        lambda: value["list"][1].update(deep=False),
        lambda: row.metadata["m"].append(2),
        lambda: setattr(version, "event", "x"),
        lambda: operator.setitem(cast("Any", bulk.counts), "x", 1),
        lambda: operator.setitem(details, "x", 1),
    ]
    for change in changes:
        with pytest.raises((TypeError, AttributeError)):
            change()
    again = agent.memory.get("k/a")
    assert again is not None
    assert again.value == {"list": [1, {"deep": True}]}


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(values, min_size=1, max_size=4))
@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=40)
def test_any_sequence_of_values_ends_with_the_last_one(found: list[Any]) -> None:
    """R-10, R-31, A-35: and the history holds them all."""
    with loom.open(":memory:", embedder=ChosenEmbedder()) as store:
        agent = store.agent("ada")
        for value in found:
            agent.memory.set("k/a", value)
        row = agent.memory.get("k/a")
        history = agent.memory.history("k/a")

    assert row is not None
    assert row.value == found[-1]
    assert [v.value for v in reversed(history)] == found


SECRETS: Final = (
    "the zebra password",
    {"zebra": ["zebra"]},
    ["zebra " * 50],
    "zebra\x00",
    "zebra\ud800",
    {"zebra": float("nan")},
)


@pytest.mark.parametrize(
    "value", SECRETS, ids=["text", "json", "list", "nul", "lone", "nan"]
)
def test_no_error_of_any_kind_repeats_what_was_written(
    agent: AgentHandle, value: Any
) -> None:
    """Spec, errors: messages and details go to logs, and a log is no place for memories."""
    agent.memory.pin("k/pinned", "A zebra was pinned here before.")
    agent.memory.set("k/locked", "A zebra was locked here before.")
    agent.memory.lock("k/locked", reason="kept")
    agent.blacklist.add("zebra")
    memory = agent.memory
    raised: list[LoomError] = []
    attempts: list[Any] = [
        lambda: memory.set("k/a", value),
        lambda: memory.set("k/pinned", value),
        lambda: memory.set("k/locked", value),
        lambda: memory.update("k/locked", value),
        lambda: memory.update("k/none", value),
        lambda: memory.set("k/b", ELSEWHERE, tags=[value]),
        lambda: memory.set("k/b", ELSEWHERE, metadata={"m": value}),
        lambda: memory.set("k/b", ELSEWHERE, source_trace=value),
        lambda: memory.set("k/b", ELSEWHERE, confidence=value),
        lambda: memory.set("k/b", ELSEWHERE, valid_at=value),
        lambda: memory.set("k/b", ELSEWHERE, memory_type=value),
        lambda: memory.set("k/b", ELSEWHERE, source_class=value),
        lambda: memory.set("k/b", ELSEWHERE, if_match_sha256=value),
        lambda: memory.bulk_set(value),
        lambda: memory.lock("k/pinned", reason=value, mode="zebra"),
        lambda: memory.list(status=value),
        lambda: memory.list(cursor=value),
        lambda: memory.search(["zebra"]),  # type: ignore[arg-type]
    ]
    for attempt in attempts:
        try:
            attempt()
        except LoomError as error:
            raised.append(error)

    assert len(raised) >= 10
    for one in raised:
        told = f"{one} {one.message} {one.details} {one.args}"
        assert "zebra" not in told


def test_a_bulk_refusal_does_not_repeat_it_either(agent: AgentHandle) -> None:
    """Spec, errors: what is reported per entry goes to logs as well."""
    agent.blacklist.add("zebra")
    out = agent.memory.bulk_set(
        [
            {"memory_key": "k/a", "value": "the zebra password"},
            {"memory_key": "k/b", "value": "ok", "confidence": "zebra"},
            {"memory_key": "k/c", "value": "ok", "tags": "zebra"},
        ]
    )

    assert len(dict(out.counts)) == 2
    assert "zebra" not in repr(out)
