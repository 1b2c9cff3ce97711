"""The page's table of memory types, row by row."""

from __future__ import annotations

from typing import Any, Final

import pytest
from attrs import frozen

from loom import AgentHandle
from loom.model.memory_types import type_of, unsearched_types

CLAIM: Final = "The night ferry leaves from pier three."
STEPS: Final = {
    "situation": "The night ferry is late.",
    "steps": ["Call the harbour.", "Tell the passengers at pier three."],
}


@frozen
class Row:
    """One row of the table."""

    memory_type: str
    embedded: bool
    unfiltered: bool
    value: Any = CLAIM


TABLE: Final = [
    Row("semantic", embedded=True, unfiltered=True),
    Row("preference", embedded=True, unfiltered=True),
    Row("procedural", embedded=True, unfiltered=True, value=STEPS),
    Row("reflection", embedded=True, unfiltered=False),
    Row("episodic", embedded=False, unfiltered=False),
    Row("profile", embedded=False, unfiltered=False),
    Row("decision", embedded=True, unfiltered=True),
    Row("team/наше решение", embedded=True, unfiltered=True),
]
each_row = pytest.mark.parametrize("row", TABLE, ids=lambda row: row.memory_type)


def _found(agent: AgentHandle, **options: Any) -> list[str]:
    return [hit.memory_key for hit in agent.memory.search("ferry pier", **options).hits]


@each_row
def test_the_package_has_the_same_table(row: Row) -> None:
    """A-48: one table decides, and a type it does not name is an ordinary one."""
    kind = type_of(row.memory_type)

    assert (kind.embedded, kind.in_unfiltered_search) == (row.embedded, row.unfiltered)
    assert (row.memory_type in unsearched_types()) is not row.unfiltered
    assert set(unsearched_types()) <= {one.memory_type for one in TABLE}


@each_row
def test_a_type_is_searched_as_the_table_says(agent: AgentHandle, row: Row) -> None:
    """A-48, A-49, A-50, A-51, A-52, A-54, A-55, A-56: embedded or not, found or not."""
    agent.memory.set("k/a", row.value, memory_type=row.memory_type)
    stored = agent.memory.get("k/a")

    assert stored is not None
    assert (stored.memory_type, stored.searchable) == (row.memory_type, row.embedded)
    assert _found(agent) == (["k/a"] if row.unfiltered else [])
    assert _found(agent, memory_type=row.memory_type) == (["k/a"] if row.embedded else [])
    for leg in ("vector", "lexical"):
        everywhere = agent.memory.search("ferry pier", legs=[leg])
        named = agent.memory.search("ferry pier", legs=[leg], memory_type=row.memory_type)
        assert everywhere.candidates_total == int(row.unfiltered)
        assert named.candidates_total == int(row.embedded)


@each_row
def test_every_type_is_read_listed_and_counted_alike(agent: AgentHandle, row: Row) -> None:
    """A-48: the type decides about search alone."""
    agent.memory.set("k/a", row.value, memory_type=row.memory_type)
    agent.memory.set("k/other", "Nobody reads the almanac of tides.", memory_type="other")

    assert [r.memory_key for r in agent.memory.list().items] == ["k/a", "k/other"]
    (listed,) = agent.memory.list(memory_type=row.memory_type).items
    assert listed == agent.memory.get("k/a") == agent.memory.get_by_id(listed.memory_id)
    assert agent.memory.count(memory_type=row.memory_type) == 1


@each_row
def test_only_what_is_embedded_is_compared(agent: AgentHandle, row: Row) -> None:
    """A-98: a type that no search finds has nothing to compare with."""
    agent.memory.set("k/a", row.value, memory_type=row.memory_type)
    out = agent.memory.set("k/b", row.value, memory_type=row.memory_type)

    # Values that are no text are never merged across keys by their form.
    merges = row.embedded and row.value == CLAIM
    assert out.conflict_verdict == ("merge" if merges else "clear")


@each_row
def test_types_are_not_compared_with_each_other(agent: AgentHandle, row: Row) -> None:
    """R-32: peers have the same type."""
    agent.memory.set("k/a", CLAIM, memory_type="of another kind")
    out = agent.memory.set("k/b", row.value, memory_type=row.memory_type)

    assert (out.conflict_verdict, out.peers) == ("clear", ())
