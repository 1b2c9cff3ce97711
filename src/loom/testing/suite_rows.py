"""Rows come back as they were written, and queries find them."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.model.audit import AuditRow
from loom.model.erasure import ErasureRow
from loom.model.facts_of_store import StoreFact
from loom.model.memory import MemoryRow
from loom.model.namespace import NamespaceRow
from loom.model.patterns import PatternRow
from loom.storage.batch import Batch
from loom.storage.contract import Storage
from loom.storage.query import (
    Heads,
    Order,
    Replay,
    Select,
    Versions,
)
from loom.storage.tables import AUDIT, ERASURE, MEMORY, NAMESPACE, PATTERN, STORE_FACT
from loom.storage.where import Equal, HasAny, In, Prefix, holds
from loom.testing.strategies import (
    audit_rows,
    erasure_rows,
    memory_rows,
    namespace_rows,
    pattern_rows,
    store_facts,
    wheres,
)
from loom.testing.suite_base import (
    DRAWN,
    NUMBERS,
    SuiteBase,
    in_order,
    named_apart,
    paged,
)
from loom.testing.writing import WHOLE, Drafter

__all__ = ["RowSuite"]


class RowSuite(SuiteBase):
    """Round trips, predicates, orders, pages."""

    @DRAWN
    @given(row=memory_rows(parent=st.just(0)))
    def test_every_field_of_a_memory_survives(
        self, storage: Storage, row: MemoryRow
    ) -> None:
        """Each declared field of the table, on every view (design: `Table` is logical)."""
        row = named_apart(row)
        with storage.writing(WHOLE) as writing:
            row = attrs.evolve(row, version=writing.stamp)
            receipt = writing.stage(Batch(rows=(row,)))
        receipt.wait()
        assert storage.row(row.address) == row
        assert storage.row(row.memory_id) == row
        mine = Equal("memory_id", row.memory_id)
        for view in (Heads(), Versions(), Replay()):
            page = storage.select(Select(table=MEMORY, where=mine, view=view))
            assert page.rows == (row,)
        stored = storage.select(Select(table=MEMORY, where=mine, view=Versions())).rows[0]
        assert type(stored.value) is type(row.value)

    @DRAWN
    @given(
        audit_rows(),
        pattern_rows(parent=st.just(0)),
        store_facts(parent=st.just(0)),
        namespace_rows(parent=st.just(0)),
        erasure_rows(parent=st.just(0)),
    )
    def test_every_field_of_the_other_tables_survives(
        self,
        storage: Storage,
        audit: AuditRow,
        pattern: PatternRow,
        fact: StoreFact,
        namespace: NamespaceRow,
        erasure: ErasureRow,
    ) -> None:
        apart = next(NUMBERS)
        for table, row in (
            (AUDIT, audit),
            (PATTERN, attrs.evolve(pattern, pattern_id=f"{apart}")),
            (STORE_FACT, attrs.evolve(fact, name=f"{fact.name}{apart}")),
            (NAMESPACE, attrs.evolve(namespace, org=f"{namespace.org}{apart}")),
            (ERASURE, attrs.evolve(erasure, erasure_id=f"{apart}")),
        ):
            drawn: Any = row
            with storage.writing(WHOLE) as writing:
                written = attrs.evolve(drawn, version=writing.stamp)
                receipt = writing.stage(Batch(rows=(written,)))
            receipt.wait()
            query: Select[Any] = Select(
                table=table, where=Equal("version", written.version)
            )
            assert storage.select(query).rows == (written,)
            assert storage.select(attrs.evolve(query, view=Versions())).rows == (written,)

    @DRAWN
    @given(row=memory_rows(parent=st.just(0)), audit=audit_rows())
    def test_an_audit_entry_survives_beside_the_row_it_describes(
        self, storage: Storage, row: MemoryRow, audit: AuditRow
    ) -> None:
        row = named_apart(row)
        with storage.writing(WHOLE) as writing:
            row = attrs.evolve(row, version=writing.stamp)
            audit = attrs.evolve(audit, version=row.version, memory_id=row.memory_id)
            receipt = writing.stage(Batch(rows=(row, audit)))
        receipt.wait()
        query = Select(table=AUDIT, where=Equal("version", row.version))
        assert storage.select(query).rows == (audit,)

    def test_a_read_row_cannot_change_the_store(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """R-17."""
        (row,) = drafter.put(storage, drafter.row("k", {"a": [1]}))
        found = storage.row(row.address)
        assert found is not None
        with pytest.raises(TypeError):
            _spoil(found)
        with pytest.raises(TypeError):
            _spoil(storage.select(Select(table=MEMORY, view=Versions())).rows[0])

    @DRAWN
    @given(where=wheres())
    def test_predicates_mean_the_same_in_every_view(
        self, storage: Storage, drafter: Drafter, where: Any
    ) -> None:
        """Filtered by the backend, and by `where.holds`: the same rows."""
        if not storage.count(Select(table=MEMORY)):
            self.filled(storage, drafter)
        rows = storage.select(Select(table=MEMORY)).rows
        wanted = {row.memory_id for row in rows if holds(where, row)}
        for view in (Heads(), Versions(), Replay()):
            query = Select(table=MEMORY, where=where, view=view)
            assert {row.memory_id for row in storage.select(query).rows} == wanted
            assert storage.count(query) == len(wanted)

    @pytest.mark.parametrize("view", [Heads(), Versions(), Replay()])
    def test_pages_follow_the_order_and_miss_nothing(
        self, storage: Storage, drafter: Drafter, view: Any
    ) -> None:
        """R-51, R-55: a total order, None first, and a cursor for what is left."""
        rows = self.filled(storage, drafter)
        for order in (
            (),
            (Order("valid_at"),),
            (Order("valid_at", descending=True),),
            (Order("user_id"), Order("memory_key", descending=True)),
            (Order("confidence"),),
        ):
            query = Select(table=MEMORY, view=view, order=order)
            everything = storage.select(query).rows
            assert len(everything) == len(rows)
            assert list(everything) == in_order(everything, order)
            for size in (1, 3, 10, 11):
                assert tuple(paged(storage, query, size)) == everything

    def test_indexed_fields_answer_like_a_scan(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        rows = self.filled(storage, drafter)
        links = drafter.put(
            storage,
            drafter.row("dup", "x", duplicate_of=rows[0].memory_id, slots=("a", "b")),
            drafter.row("dup2", "y", duplicate_of=rows[0].memory_id, slots=("b", "c")),
        )
        everything = (*rows, *links)
        for name in set(MEMORY.indexed) - {"slots"}:
            for row in everything:
                value = getattr(row, name)
                found = storage.select(Select(table=MEMORY, where=Equal(name, value))).rows
                wanted = {r.memory_id for r in everything if getattr(r, name) == value}
                assert {r.memory_id for r in found} == wanted
        for slots in (("a",), ("b",), ("c", "a"), ("d",), ()):
            where = HasAny("slots", slots)
            found = storage.select(Select(table=MEMORY, where=where)).rows
            wanted = {r.memory_id for r in links if set(r.slots) & set(slots)}
            assert {r.memory_id for r in found} == wanted

    def test_a_row_that_changed_among_the_values_asked_for_is_found_once(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """An index lists what a snapshot may still see; an answer does not."""
        (one,) = drafter.put(storage, drafter.row("k", "one", duplicate_of="a"))
        with storage.snapshot() as snapshot:
            (two,) = drafter.put(storage, drafter.revised(one, "two", duplicate_of="b"))
            for name in ("content_sha256", "canonical_sha256", "duplicate_of"):
                both = In(name, (getattr(one, name), getattr(two, name)))
                query = Select(table=MEMORY, where=both)
                assert storage.select(query).rows == (two,)
                assert snapshot.select(query).rows == (one,)
                assert storage.count(query) == 1

    def test_a_prefix_has_no_wildcards(self, storage: Storage, drafter: Drafter) -> None:
        drafter.put(storage, drafter.row("a_b/x", 1), drafter.row("axb/x", 2))
        found = storage.select(Select(table=MEMORY, where=Prefix("memory_key", "a_b")))
        assert [row.memory_key for row in found.rows] == ["a_b/x"]


def _spoil(row: MemoryRow) -> None:
    value: Any = row.value
    value["a"] = 2
