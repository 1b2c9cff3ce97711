"""The rows one write changes, each once, with links kept symmetric."""

from __future__ import annotations

import itertools

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.errors import IllegalTransition
from loom.model.memory import MemoryRow
from loom.model.status import Event, Status
from loom.plans.changes import Changes
from tests.policies.given import STAMP, a_row

NAMES = ("a", "b", "c", "d")


def _rows(*names: str) -> list[MemoryRow]:
    return [a_row(f"text {n}", key=n, memory_id=n) for n in names]


def _links(changes: Changes) -> dict[str, tuple[str, ...]]:
    return {row.memory_id: row.conflict_with for row in changes.rows()}


def test_a_row_is_written_once_however_often_it_is_changed() -> None:
    """R-15: one version for all rows of a write, one row version each."""
    changes = Changes(STAMP)
    (row,) = _rows("a")
    changes.change(row, Event.REVISED, pinned=True)
    changes.change(row, Event.RELINKED, confidence=0.5)

    (written,) = changes.rows()
    assert (written.pinned, written.confidence) == (True, 0.5)
    assert (written.version, written.parent) == (STAMP, row.version)
    assert written.event is Event.REVISED


def test_a_link_is_made_from_both_sides() -> None:
    """R-22, A-148: `conflict_with` is symmetric, and both become conflicted."""
    changes = Changes(STAMP)
    changes.know(_rows("a", "b", "c"))
    changes.join("a", ["b", "c"])

    assert _links(changes) == {"a": ("b", "c"), "b": ("a",), "c": ("a",)}
    assert {row.status for row in changes.rows()} == {Status.CONFLICTED}
    assert {row.version for row in changes.rows()} == {STAMP}


def test_a_partner_becomes_active_only_when_its_set_became_empty() -> None:
    """R-22: and by this."""
    one = a_row("1", key="1", status=Status.CONFLICTED, conflict_with=("x",))
    two = a_row("2", key="2", status=Status.CONFLICTED, conflict_with=("x", "y"))
    changes = Changes(STAMP)
    changes.know([one, two])
    changes.part("x", [one.memory_id, two.memory_id])

    assert [(r.status, r.conflict_with) for r in changes.rows()] == [
        (Status.ACTIVE, ()),
        (Status.CONFLICTED, ("y",)),
    ]


def test_a_row_that_was_not_linked_is_not_rewritten() -> None:
    """R-22: a conflicted row whose links are others' stays as it is."""
    other = a_row("1", key="1", status=Status.CONFLICTED, conflict_with=("y",))
    changes = Changes(STAMP)
    changes.know([other])
    changes.part("x", [other.memory_id, "unknown"])

    assert changes.rows() == ()


def test_a_dead_row_keeps_its_status_when_a_link_ends() -> None:
    """R-22: only a conflicted row becomes active again."""
    dead = a_row("1", key="1", status=Status.DUPLICATE, conflict_with=("x",))
    changes = Changes(STAMP)
    changes.know([dead])
    changes.part("x", [dead.memory_id])

    assert changes.rows()[0].status is Status.DUPLICATE


def test_an_illegal_change_is_refused_and_written_nowhere() -> None:
    """R-20: `IllegalTransition`, and nothing is written."""
    changes = Changes(STAMP)
    dead = a_row(status=Status.TOMBSTONED)

    with pytest.raises(IllegalTransition) as caught:
        changes.change(dead, Event.REVISED, status=Status.ACTIVE)
    assert changes.rows() == ()
    assert str(dead.value) not in caught.value.message


def test_a_link_of_an_active_row_is_not_made_and_ended_in_one_write() -> None:
    """R-20, R-22: it would be a version that changed nothing; no plan asks for one."""
    changes = Changes(STAMP)
    changes.know(_rows("a", "b"))
    changes.join("a", ["b"])

    with pytest.raises(IllegalTransition):
        changes.part("a", ["b"])


PAIRS = tuple(itertools.combinations(NAMES, 2))
steps = st.lists(st.tuples(st.booleans(), st.sampled_from(PAIRS)), max_size=12)


def _linked(pairs: set[tuple[str, str]]) -> list[MemoryRow]:
    """Stored rows that are in conflict pair by pair."""
    rows = []
    for row in _rows(*NAMES):
        others = {n for pair in pairs if row.memory_id in pair for n in pair}
        others.discard(row.memory_id)
        status = Status.CONFLICTED if others else Status.ACTIVE
        links = tuple(sorted(others))
        rows.append(attrs.evolve(row, status=status, conflict_with=links))
    return rows


@given(stored=st.sets(st.sampled_from(PAIRS)), found=steps)
def test_links_stay_symmetric_over_any_changes(
    stored: set[tuple[str, str]], found: list[tuple[bool, tuple[str, str]]]
) -> None:
    """R-22: a symmetric set of memory ids; conflicted exactly while it is not empty.

    A write ends links that are stored, and makes any.
    """
    changes = Changes(STAMP)
    changes.know(_linked(stored))
    for joins, (one, other) in found:
        if joins:
            changes.join(one, [other])
        elif (one, other) in stored:
            changes.part(one, [other])
            changes.part(other, [one])
    rows = {name: changes.current(name) for name in NAMES}
    links = {name: row.conflict_with for name, row in rows.items() if row is not None}

    assert len(links) == len(NAMES)
    for one, others in links.items():
        assert all(one in links[other] for other in others)
        assert list(others) == sorted(set(others))
    for row in changes.rows():
        assert (row.status is Status.CONFLICTED) == bool(row.conflict_with)
