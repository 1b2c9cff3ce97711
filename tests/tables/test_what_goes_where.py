"""The page's table of what belongs in memory, where it concerns memory itself."""

from __future__ import annotations

from typing import Any, Final

import pytest

from loom import AgentHandle, Loom
from tests.operations.looking import row_of
from tests.operations.texts import NIGHT

HERE: Final[dict[str, Any]] = {"org": "acme", "namespace": "lab"}
PERSONA: Final = "Answers are given in short sentences about pumps."


def test_a_fact_is_found_from_another_session_and_another_day(store: Loom) -> None:
    """A-19: that is what a memory is for."""
    store.agent("ada", **HERE, user_id="ana", session_id="monday").memory.set("k/a", NIGHT)
    later = store.agent("bob", **HERE, user_id="ana", session_id="tuesday")

    assert [hit.value for hit in later.memory.search(NIGHT).hits] == [NIGHT]


@pytest.mark.parametrize(
    "words,chunked", [(20, False), (140, False), (400, True), (2_000, True)]
)
def test_a_long_text_is_embedded_by_its_excerpt_and_in_chunks(
    agent: AgentHandle, words: int, chunked: bool
) -> None:
    """A-17, R-13: of at most 1,200 characters; documents have a place of their own."""
    value = " ".join(f"word{n}" for n in range(words))
    out = agent.memory.set("k/long", value)

    assert row_of(agent, "k/long").value == value
    assert (out.chunks_written > 0) is chunked is (len(value) > 1_200)


@pytest.mark.parametrize(
    "memory_type", ["profile", "episodic"], ids=["persona", "a turn of a chat"]
)
def test_what_is_loaded_every_time_or_replayed_takes_no_slot_of_a_search(
    agent: AgentHandle, memory_type: str
) -> None:
    """A-54, A-55: it is not ranked against questions, and compared with nothing."""
    agent.memory.set("k/a", NIGHT)
    out = agent.memory.set("k/b", PERSONA, memory_type=memory_type)

    assert (out.conflict_verdict, out.peers) == ("clear", ())
    assert [hit.memory_key for hit in agent.memory.search(PERSONA, top_k=50).hits] in (
        [],
        ["k/a"],
    )
    assert [row.memory_key for row in agent.memory.list(memory_type=memory_type).items] == [
        "k/b"
    ]


def test_a_list_of_facts_is_told_to_be_several(agent: AgentHandle) -> None:
    """A-47: one large row is found only as a whole, and its audit says so."""
    agent.memory.set("k/all", "- tea at noon\n- bread at one\n- soup at six")
    agent.memory.set("k/one", "Tea is served at noon.")
    findings = agent.namespace.audit().findings

    assert [(one.code, one.memory_key) for one in findings] == [("list_values", "k/all")]
