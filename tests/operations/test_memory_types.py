"""What becomes of a claim by its memory type, beyond the table of `tests/tables`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

import pytest

from loom import AgentHandle, Loom
from loom.errors import InvalidRequest
from loom.testing.fakes import FakeClock

HERE: Final[dict[str, Any]] = {"org": "acme", "namespace": "lab"}
CLAIM: Final = "The night ferry leaves from pier three."
STEPS: Final = {
    "situation": "The night ferry is late.",
    "steps": ["Call the harbour.", "Tell the passengers at pier three."],
}


def _found(agent: AgentHandle, **options: Any) -> list[str]:
    return [hit.memory_key for hit in agent.memory.search("ferry pier", **options).hits]


def test_semantic_is_the_default(agent: AgentHandle) -> None:
    """A-48: of a claim that names none."""
    agent.memory.set("k/a", CLAIM)

    assert [r.memory_type for r in agent.memory.list().items] == ["semantic"]


@pytest.mark.parametrize("name", ["", "x" * 201, "a\nb", 7, None])
def test_a_type_is_a_name(agent: AgentHandle, name: Any) -> None:
    """A-48, R-01: a free string, as names are."""
    with pytest.raises(InvalidRequest):
        agent.memory.set("k/a", CLAIM, memory_type=name)


def test_a_search_may_name_several_types(agent: AgentHandle) -> None:
    """A-52: those that are hidden else among them."""
    agent.memory.set(
        "k/lesson", "Never trust the ferry at low tide.", memory_type="reflection"
    )
    agent.memory.set("k/fact", CLAIM)

    assert _found(agent) == ["k/fact"]
    assert sorted(_found(agent, memory_type=["reflection", "semantic"])) == [
        "k/fact",
        "k/lesson",
    ]


def test_episodes_are_replayed_by_recency(agent: AgentHandle, clock: FakeClock) -> None:
    """A-54: newest first or in their order, by the best date in the world."""
    agent.memory.set("e/3", "Opened the map.", memory_type="episodic")
    clock.advance(60)
    agent.memory.set("e/1", "Asked about the ferry.", memory_type="episodic")
    clock.advance(60)
    earlier = clock.now - timedelta(hours=1)
    agent.memory.set("e/2", "Woke up.", memory_type="episodic", valid_at=earlier)
    agent.memory.set("k/fact", CLAIM)

    def replay(order: str) -> list[str]:
        page = agent.memory.list(memory_type="episodic", order=order)
        return [row.memory_key for row in page.items]

    assert replay("newest") == ["e/1", "e/3", "e/2"]
    assert replay("oldest") == ["e/2", "e/3", "e/1"]
    assert replay("key") == ["e/1", "e/2", "e/3"]


def test_episodes_of_one_session_are_replayed_alone(store: Loom, clock: FakeClock) -> None:
    """A-54: session events."""
    for session in ("monday", "tuesday"):
        agent = store.agent("ada", session_id=session, **HERE)
        for step in ("1", "2"):
            clock.advance(1)
            agent.memory.set(
                f"e/{step}", f"Step {step} of {session}.", memory_type="episodic"
            )
    reader = store.agent("ben", **HERE)
    page = reader.memory.list(memory_type="episodic", by_session="monday", order="newest")

    assert [row.value for row in page.items] == ["Step 2 of monday.", "Step 1 of monday."]


def test_a_profile_is_fetched_by_label(agent: AgentHandle) -> None:
    """A-55: by its key or by a tag, in any case; never by a question."""
    tone = "Answers in short sentences about the ferry."
    agent.memory.set("profile/persona", tone, memory_type="profile", tags=["Persona"])
    agent.memory.set("profile/units", "Metric.", memory_type="profile", tags=["units"])
    agent.memory.set("k/fact", CLAIM, tags=["persona"])

    def labelled(**filters: Any) -> list[str]:
        page = agent.memory.list(memory_type="profile", **filters)
        return [row.memory_key for row in page.items]

    assert labelled(tags=["persona"]) == ["profile/persona"]
    assert labelled(tags=["persona", "UNITS"], tags_match="any") == [
        "profile/persona",
        "profile/units",
    ]
    assert labelled(prefix="profile/persona") == ["profile/persona"]
    row = agent.memory.get("profile/persona")
    assert row is not None
    assert row.value == tone
    assert _found(agent) == ["k/fact"]


@pytest.mark.parametrize(
    "value",
    [
        "Stop it, then oil it.",
        {"situation": "", "steps": ["a", "b"]},
        {"situation": "  ", "steps": ["a", "b"]},
        {"situation": "Loud.", "steps": ["Stop it."]},
        {"situation": "Loud.", "steps": ["Stop it.", ""]},
        {"situation": "Loud.", "steps": "Stop it, oil it."},
        {"situation": None, "steps": ["a", "b"]},
        {"situation": "Loud."},
        {"steps": ["a", "b"]},
        ["situation", "steps"],
    ],
    ids=str,
)
def test_what_is_no_procedure_is_semantic_and_says_so(
    agent: AgentHandle, value: Any
) -> None:
    """A-57, A-58: tagged with what was asked for, and in the answer."""
    out = agent.memory.set("k/a", value, memory_type="procedural", tags=["Mine"])
    row = agent.memory.get("k/a")

    assert out.retyped_from == "procedural"
    assert row is not None
    assert row.memory_type == "semantic"
    assert row.tags == ("Mine", "retyped_from:procedural")


@pytest.mark.parametrize(
    "value",
    [
        STEPS,
        {**STEPS, "more": 1},
        {"situation": {"of": "night"}, "steps": [{"do": 1}, ["b"]]},
    ],
    ids=["plain", "more", "nested"],
)
def test_a_procedure_stays_one(agent: AgentHandle, value: Any) -> None:
    """A-51, A-57: a situation and two steps."""
    out = agent.memory.set("k/a", value, memory_type="procedural")
    row = agent.memory.get("k/a")

    assert out.retyped_from == ""
    assert row is not None
    assert (row.memory_type, row.tags) == ("procedural", ())
