"""The value is stored already."""

from __future__ import annotations

from datetime import timedelta

import attrs

from loom.model.status import Status
from loom.policies.restatement import BulkTwin, Restatement
from loom.policies.verdicts import Merge, Restated
from tests.policies.given import NOW, a_draft, a_row, the_facts

ROW = a_row()


def test_the_same_hash_under_the_key_is_a_restatement() -> None:
    """A-95: byte-identical to the live row."""
    found = Restatement().judge(a_draft(), the_facts(head=ROW))

    assert found == Restated(ROW)


def test_any_other_byte_is_none() -> None:
    """R-11: case and a full stop make another hash."""
    for value in ("the pump runs at night.", "The pump runs at night"):
        assert Restatement().judge(a_draft(value), the_facts(head=ROW)) is None


def test_a_dead_row_is_not_restated() -> None:
    """R-20: a key that was deleted, or whose row ended, is set again, afresh."""
    for ended in ({"status": Status.TOMBSTONED}, {"expires_at": NOW}, {"valid_to": NOW}):
        facts = the_facts(head=a_row(**ended))
        assert Restatement().judge(a_draft(), facts) is None
    assert Restatement().judge(a_draft(), the_facts()) is None


def test_another_type_is_judged_where_it_will_stand() -> None:
    """R-32: peers are of one memory type, so a new type is a revision."""
    draft = a_draft(memory_type="procedural")

    assert Restatement().judge(draft, the_facts(head=ROW)) is None


def test_in_bulk_a_row_of_the_same_hash_elsewhere_is_the_fact() -> None:
    """A-96, R-37: scope identity."""
    twin = a_row(key="machines/pump")

    assert BulkTwin().judge(a_draft(), the_facts(twin=twin)) == Merge(peer=twin)


def test_a_twin_never_swallows_a_row_that_is_being_revised() -> None:
    """R-31: the old value would stay live."""
    facts = the_facts(twin=a_row(key="machines/pump"), head=a_row("Otherwise."))

    assert BulkTwin().judge(a_draft(), facts) is None


def test_a_bare_twin_under_another_key_says_something_else() -> None:
    """R-34: a bare value under another key is never merge."""
    other = a_row("blue", key="sky/colour")
    same_key = a_row("blue", key="car/colour", session_id="s2", memory_id="x")
    draft = a_draft("blue", key="car/colour")

    assert BulkTwin().judge(draft, the_facts(twin=other)) is None
    assert BulkTwin().judge(draft, the_facts(twin=same_key)) == Merge(peer=same_key)


def test_a_twin_that_ends_before_the_entry_does_not_swallow_it() -> None:
    """R-37, R-20: the fact would vanish with the twin."""
    later = NOW + timedelta(seconds=1)
    soon = a_row(key="machines/pump", expires_at=NOW + timedelta(seconds=1))
    draft = a_draft()
    ending = attrs.evolve(draft, claim=attrs.evolve(draft.claim, ends_at=later))

    assert BulkTwin().judge(draft, the_facts(twin=soon)) is None
    assert BulkTwin().judge(ending, the_facts(twin=soon)) == Merge(peer=soon)


def test_no_twin_no_opinion() -> None:
    """A-96: without one the entry is compared with its peers."""
    assert BulkTwin().judge(a_draft(), the_facts()) is None
