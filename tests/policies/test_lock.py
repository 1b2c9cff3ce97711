"""Locks on the row under the key."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from loom.errors import Locked
from loom.model.memory import LockMode
from loom.model.status import Status
from loom.policies.lock import LockGuard, refuses_delete
from loom.policies.verdicts import Refuse
from tests.policies.given import NOW, a_draft, a_row, the_facts

READ_ONLY = {"lock_mode": LockMode.READ_ONLY, "lock_reason": "under audit"}
LATER = NOW + timedelta(seconds=1)


def _judged(draft: dict[str, Any], **row: Any) -> Refuse | None:
    head = a_row(**{**READ_ONLY, **row})
    return LockGuard().judge(a_draft(**draft), the_facts(head=head))


@pytest.mark.parametrize(
    "draft",
    [
        {"value": "The pump runs at noon."},
        {"tags": ("new",)},
        {"expires_at": LATER},
        {"confidence": 0.5},
        {"pinned": True},
        {"memory_type": "procedural"},
    ],
    ids=lambda d: next(iter(d)),
)
def test_a_read_only_lock_refuses_a_changed_value_and_a_changed_detail(draft: Any) -> None:
    """A-88, R-42: `read_only` refuses a changed value and a changed expiry."""
    refuse = _judged(draft)

    assert refuse is not None
    assert refuse.error is Locked
    assert refuse.details["reason"] == "under audit"
    assert "under audit" in refuse.message


def test_a_pin_is_no_key_to_a_lock() -> None:
    """A-88: a write that itself pins is refused as any other."""
    assert _judged({"value": "Otherwise.", "pins": True}) is not None


@pytest.mark.parametrize("draft", [{}, {"tags": ("t",)}], ids=["bare", "same-tags"])
def test_a_restatement_passes_for_what_it_leaves_unchanged(draft: Any) -> None:
    """A-90, R-30: byte-identical, and no detail that differs."""
    assert _judged(draft, tags=("t",)) is None


def test_a_no_delete_lock_lets_the_value_change() -> None:
    """A-134: `no_delete` refuses deletion alone."""
    assert _judged({"value": "Otherwise."}, lock_mode=LockMode.NO_DELETE) is None


@pytest.mark.parametrize("mode", LockMode)
@pytest.mark.parametrize("draft", [{}, {"value": "Otherwise."}], ids=["same", "other"])
def test_a_lock_in_force_holds_over_a_row_past_its_end(draft: Any, mode: LockMode) -> None:
    """R-42, R-20: a write there would begin afresh, and so drop the lock."""
    refuse = _judged(draft, lock_mode=mode, expires_at=NOW)

    assert refuse is not None
    assert refuse.error is Locked
    lapsed = {"lock_mode": mode, "lock_until": NOW, "valid_to": NOW}
    assert _judged(draft, **lapsed) is None


@pytest.mark.parametrize(
    "fields",
    [{"lock_until": NOW}, {"status": Status.TOMBSTONED}, {"lock_mode": None}],
    ids=["lapsed", "dead", "none"],
)
def test_a_lock_that_is_not_in_force_refuses_nothing(fields: Any) -> None:
    """A-135, R-42: it lapses at `lock_until`, and a dead row's lock keeps nobody out."""
    assert _judged({"value": "Otherwise."}, **fields) is None


@pytest.mark.parametrize("mode", LockMode)
def test_both_modes_refuse_a_delete_while_in_force(mode: LockMode) -> None:
    """A-134, A-135: until `lock_until`, and not from then on."""
    row = a_row(lock_mode=mode, lock_reason="kept", lock_until=LATER)

    refuse = refuses_delete(row, NOW)
    assert refuse is not None
    assert refuse.details["lock_until"] == LATER
    assert refuses_delete(row, LATER) is None
    assert refuses_delete(a_row(), NOW) is None
