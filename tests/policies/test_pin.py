"""A pin under the key."""

from __future__ import annotations

from loom.errors import PinnedConflict
from loom.model.status import Status
from loom.policies.pin import PinGuard
from tests.policies.given import a_draft, a_row, the_facts

PINNED = a_row(pinned=True, tags=("t",))


def test_a_changed_value_under_a_pinned_key_is_refused() -> None:
    """A-89, A-129: a pinned row is not replaced by a write that does not itself pin."""
    refuse = PinGuard().judge(a_draft("Otherwise."), the_facts(head=PINNED))

    assert refuse is not None
    assert refuse.error is PinnedConflict
    assert refuse.details["content_sha256"] == PINNED.content_sha256


def test_a_changed_detail_under_a_pinned_key_is_refused() -> None:
    """R-30: a restatement passes guards only for what it leaves unchanged."""
    assert PinGuard().judge(a_draft(tags=("other",)), the_facts(head=PINNED)) is not None
    assert PinGuard().judge(a_draft(pinned=False), the_facts(head=PINNED)) is not None


def test_a_restatement_passes_the_pin() -> None:
    """A-90: byte-identical, with or without the details it has already."""
    assert PinGuard().judge(a_draft(), the_facts(head=PINNED)) is None
    assert PinGuard().judge(a_draft(tags=("t",)), the_facts(head=PINNED)) is None


def test_a_write_that_itself_pins_passes() -> None:
    """R-42, A-132: memory.pin changes a pinned row."""
    assert PinGuard().judge(a_draft("New.", pins=True), the_facts(head=PINNED)) is None


def test_no_pin_no_opinion() -> None:
    """A-129: an unpinned, a missing and a dead row stand against nothing."""
    draft = a_draft("Otherwise.")
    dead = a_row(pinned=True, status=Status.TOMBSTONED)

    for facts in (the_facts(), the_facts(head=a_row()), the_facts(head=dead)):
        assert PinGuard().judge(draft, facts) is None
