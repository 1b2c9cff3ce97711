"""The rows one write changes, each once, with links kept symmetric."""

from __future__ import annotations

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


pairs = st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).filter(
    lambda pair: pair[0] != pair[1]
)
steps = st.lists(st.tuples(st.sampled_from(["join", "part"]), pairs), max_size=12)


@given(steps)
def test_links_stay_symmetric_over_any_changes(
    found: list[tuple[str, tuple[str, str]]],
) -> None:
    """R-22: a symmetric set of memory ids; conflicted exactly while it is not empty."""
    changes = Changes(STAMP)
    changes.know(_rows(*NAMES))
    for what, (one, other) in found:
        if what == "join":
            changes.join(one, [other])
        else:
            changes.part(one, [other])
            changes.part(other, [one])
    links = _links(changes)

    for one, others in links.items():
        assert all(one in links[other] for other in others)
        assert list(others) == sorted(set(others))
    for row in changes.rows():
        assert (row.status is Status.CONFLICTED) == bool(row.conflict_with)
