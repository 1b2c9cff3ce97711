"""A row version: its fields, its standing in time, and the version after it."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import attrs
import pytest

from loom.model.history import Version
from loom.model.memory import LockMode, MemoryRow
from loom.model.memory_types import type_of, unsearched_types
from loom.model.status import Event, Status
from loom.ports import SystemIds
from tests.policies.given import NOW, STAMP, a_row

SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(
    "fields",
    [
        "org namespace agent user_id session_id run_id",
        "value memory_type tags entities files confidence",
        "status pinned conflict_with duplicate_of superseded_by version",
        "created_at updated_at valid_at valid_to invalid_at expires_at tombstoned_at",
        "actor source_class content_sha256 memory_key verified_by",
    ],
    ids=["identity", "content", "standing", "times", "provenance"],
)
def test_a_row_holds_the_columns_of_the_page(fields: str) -> None:
    """A-1, A-21, A-22, A-23, A-24: who, what, when, where from, and whether attested."""
    assert set(fields.split()) <= {f.name for f in attrs.fields(MemoryRow)}


def test_a_row_version_is_immutable() -> None:
    """R-21: only redaction and erasure change stored bytes."""
    row = a_row()

    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        row.status = Status.TOMBSTONED  # type: ignore[misc]


def test_the_next_version_carries_everything_else_forward() -> None:
    """A-245: a new row with a higher version, all other columns carried forward."""
    row = a_row(tags=("a",), confidence=0.5, pinned=True, valid_at=NOW)
    later = row.next_version(STAMP, Event.LOCKED, lock_mode=LockMode.NO_DELETE)
    moved = {"version", "parent", "event", "updated_at", "lock_mode"}

    assert later.version == STAMP > row.version
    assert later.parent == row.version
    assert later.created_at == row.created_at
    for field in attrs.fields(MemoryRow):
        if field.name not in moved:
            assert getattr(later, field.name) == getattr(row, field.name)


@pytest.mark.parametrize("field", ["expires_at", "valid_to"])
@pytest.mark.parametrize(
    "end, served", [(NOW - SECOND, False), (NOW, False), (NOW + SECOND, True)]
)
def test_a_row_is_not_served_from_its_end_on(field: str, end: Any, served: bool) -> None:
    """R-20: past `expires_at` or `valid_to` it is not served from that instant, swept or not."""
    assert a_row(**{field: end}).is_served(NOW) is served


@pytest.mark.parametrize("status", Status)
def test_only_the_served_statuses_are_served(status: Status) -> None:
    """A-70, A-71, A-72, A-76: active and conflicted are; duplicate and tombstoned are not."""
    assert a_row(status=status).is_served(NOW) is (status in ("active", "conflicted"))


@pytest.mark.parametrize(
    "until, in_force", [(None, True), (NOW + SECOND, True), (NOW, False)]
)
def test_a_lock_ends_at_lock_until(until: object, in_force: bool) -> None:
    """A-135, R-42: a lock lapses at `lock_until`."""
    row = a_row(lock_mode=LockMode.READ_ONLY, lock_until=until)

    assert row.is_locked(NOW) is in_force


def test_a_row_without_a_lock_is_not_locked() -> None:
    """A-134: the end alone is no lock."""
    assert not a_row(lock_until=NOW + SECOND).is_locked(NOW)


def test_the_world_date_is_the_best_known_one() -> None:
    """R-44: valid_at, else temporal_anchor, else created_at."""
    anchor = NOW - SECOND * 7
    row = a_row()

    assert row.world_date == row.created_at
    assert attrs.evolve(row, temporal_anchor=anchor).world_date == anchor
    assert attrs.evolve(row, temporal_anchor=anchor, valid_at=NOW).world_date == NOW


def test_a_row_reads_as_a_mapping_too() -> None:
    """B-351: rows are attributes and mapping items at once."""
    row = a_row(tags=("a",))

    assert row["tags"] == row.tags == ("a",)
    assert dict(row)["memory_key"] == row.memory_key
    assert row.get("nothing", 3) == 3
    assert "value" in row
    with pytest.raises(KeyError):
        row["nothing"]
    with pytest.raises(KeyError):
        row["is_live"]


def test_a_version_of_the_history_shows_what_changed_and_who_did_it() -> None:
    """B-351: written_at, actor, source_class and value are items of a history row."""
    row = a_row(version=STAMP)
    version = Version.of(row)

    for name in ("written_at", "actor", "source_class", "value", "event", "parent"):
        assert version[name] == getattr(row, name)
    assert version.written_at == NOW


def test_ids_are_uuids_of_version_7_in_the_order_of_their_time() -> None:
    """R-03: `memory_id` is a UUIDv7."""
    ids = [SystemIds().new() for _ in range(200)]

    assert len(set(ids)) == len(ids)
    for text in ids:
        parsed = uuid.UUID(text)
        assert (parsed.version, parsed.variant) == (7, uuid.RFC_4122)
        assert str(parsed) == text
    assert [i[:13] for i in ids] == sorted(i[:13] for i in ids)


def test_a_type_says_how_its_rows_are_kept() -> None:
    """A-27: a searchable memory is embedded; episodic and profile rows are not."""
    assert type_of("semantic").embedded
    assert type_of("anything/else").embedded
    assert not type_of("episodic").embedded
    assert not type_of("profile").embedded
    assert set(unsearched_types()) == {"reflection", "episodic", "profile"}
