"""The one converter: every rule in its docstring."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.errors import InvalidRequest
from loom.model.audit import AuditRow
from loom.model.json_values import FrozenDict
from loom.model.memory import MemoryRow
from loom.serde import RowCodec, from_json, time_from, time_text, to_json
from loom.storage.tables import (
    AUDIT,
    ERASURE,
    MEMORY,
    NAMESPACE,
    PATTERN,
    STORE_FACT,
    TABLES,
    Table,
)
from loom.testing.strategies import (
    audit_rows,
    erasure_rows,
    instants,
    memory_rows,
    namespace_rows,
    pattern_rows,
    store_facts,
)

DRAWN: dict[str, Any] = {
    MEMORY.name: memory_rows(),
    AUDIT.name: audit_rows(),
    PATTERN.name: pattern_rows(),
    STORE_FACT.name: store_facts(),
    NAMESPACE.name: namespace_rows(),
    ERASURE.name: erasure_rows(),
}


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
@given(data=st.data())
def test_a_row_survives_json_both_ways(table: Table[Any], data: st.DataObject) -> None:
    row = data.draw(DRAWN[table.name])
    plain = json.loads(json.dumps(to_json(row)))
    assert set(plain) == set(table.fields)
    assert from_json(plain, table.row) == row
    codec = RowCodec(table)
    assert codec.from_dict(json.loads(codec.encode(row))) == row


@given(instants(), instants())
def test_times_sort_as_texts(one: datetime, other: datetime) -> None:
    """SQL compares them as texts."""
    assert time_from(time_text(one)) == one
    assert (one < other) == (time_text(one) < time_text(other))


def test_any_offset_is_read_and_none_is_refused() -> None:
    """R-14."""
    wanted = datetime(2026, 5, 4, 9, tzinfo=UTC)
    assert time_from("2026-05-04T11:00:00+02:00") == wanted
    assert time_from("2026-05-04T09:00:00Z").tzinfo is UTC
    assert time_text(wanted.astimezone(timezone(timedelta(hours=5)))) == time_text(wanted)
    for text in ("2026-05-04T09:00:00", "yesterday", "", "0001-01-01T00:00:00+01:00"):
        with pytest.raises(InvalidRequest):
            time_from(text)


def test_an_unknown_field_is_refused_by_name_and_no_value_is_told() -> None:
    plain = to_json(AuditRow(operation="memory.set", org="acme", actor="a"))
    with pytest.raises(InvalidRequest) as caught:
        from_json({**plain, "operatoin": "s3cret"}, AuditRow)
    assert "'operatoin'" in caught.value.message
    assert "s3cret" not in caught.value.message
    del plain["org"]
    with pytest.raises(InvalidRequest) as caught:
        from_json({**plain, "version": "s3cret"}, AuditRow)
    assert "s3cret" not in caught.value.message


def test_what_belongs_to_one_answer_is_not_stored() -> None:
    assert {"resolved_from", "unchanged", "masked"}.isdisjoint(MEMORY.fields)
    assert set(MEMORY.fields) == {
        name
        for name in MemoryRow.__annotations__
        if name not in ("resolved_from", "unchanged", "masked")
    }


@given(memory_rows())
def test_a_value_read_back_cannot_be_changed(row: MemoryRow) -> None:
    """R-17."""
    again = from_json(to_json(row), MemoryRow)
    assert isinstance(again.metadata, FrozenDict)
    assert type(again.value) is type(row.value)
