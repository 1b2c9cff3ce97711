"""The page's table of source classes, as far as something of loom fills them."""

from __future__ import annotations

from typing import Final

import pytest
from attrs import frozen

from loom import AgentHandle
from loom.errors import InvalidRequest
from loom.model.provenance import SourceClass, lower_class
from tests.operations.looking import row_of
from tests.operations.texts import ELSEWHERE, NIGHT

KEY: Final = "pump/hours"


@frozen
class Row:
    """One row of the table."""

    source_class: SourceClass
    #: A request may say it of itself.
    declarable: bool
    #: R-47: what claims less has a lower rank; nothing lifts a row above its own.
    rank: int


TABLE: Final = (
    Row(SourceClass.ASSERTED, declarable=False, rank=3),
    Row(SourceClass.EXTRACTED, declarable=False, rank=3),
    Row(SourceClass.OBSERVED, declarable=False, rank=3),
    Row(SourceClass.DERIVED, declarable=True, rank=2),
    Row(SourceClass.IMPORTED, declarable=True, rank=1),
    Row(SourceClass.EXTERNAL, declarable=True, rank=0),
)
each_row = pytest.mark.parametrize("row", TABLE, ids=lambda row: str(row.source_class))


def test_the_table_has_every_class() -> None:
    """A-258."""
    assert {row.source_class for row in TABLE} == set(SourceClass)


@pytest.mark.parametrize("how", ["set", "pin", "bulk_set", "update", "proposed"])
def test_what_a_caller_states_is_asserted(agent: AgentHandle, how: str) -> None:
    """A-258: stamped by the operation; nobody has to say it."""
    if how == "update":
        agent.memory.set(KEY, ELSEWHERE, source_class="external")
    match how:
        case "bulk_set":
            agent.memory.bulk_set([{"memory_key": KEY, "value": NIGHT}])
        case "proposed":
            agent.memory.set(KEY, NIGHT, proposed=True)
        case _:
            getattr(agent.memory, how)(KEY, NIGHT)
    (row,) = agent.memory.list(status="*").items

    assert row.source_class is SourceClass.ASSERTED


@each_row
def test_a_request_may_only_claim_less(agent: AgentHandle, row: Row) -> None:
    """A-259: derived, external or imported; anything else is malformed."""
    if not row.declarable:
        with pytest.raises(InvalidRequest) as caught:
            agent.memory.set(KEY, NIGHT, source_class=str(row.source_class))
        assert caught.value.details["field"] == "source_class"
        assert agent.memory.list(status="*").items == ()
        return
    agent.memory.set(KEY, NIGHT, source_class=str(row.source_class))
    assert row_of(agent, KEY).source_class is row.source_class
    (listed,) = agent.memory.list(source_class=str(row.source_class)).items
    (hit,) = agent.memory.search(NIGHT, source_class=str(row.source_class)).hits
    assert listed.memory_key == hit.memory_key == KEY


@each_row
@pytest.mark.parametrize("other", TABLE, ids=lambda row: str(row.source_class))
def test_of_two_the_one_that_claims_less_stands(row: Row, other: Row) -> None:
    """R-47."""
    lower = lower_class(row.source_class, other.source_class)

    assert lower in (row.source_class, other.source_class)
    assert {one.source_class: one.rank for one in TABLE}[lower] == min(row.rank, other.rank)


@pytest.mark.parametrize(
    "row", [r for r in TABLE if r.declarable], ids=lambda r: str(r.source_class)
)
def test_what_is_imported_never_claims_more_than_the_file(
    agent: AgentHandle, row: Row
) -> None:
    """R-47: an importer marks rows `imported`; what was `external` stays so."""
    agent.memory.set(KEY, NIGHT, source_class=str(row.source_class))
    items = agent.namespace.export().items
    agent.namespace.import_(items, namespace="copy", origin="elsewhere")
    copy = agent.memory.get(KEY, namespace="copy")

    assert copy is not None
    assert copy.source_class is lower_class(row.source_class, SourceClass.IMPORTED)
