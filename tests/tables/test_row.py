"""The page's table of a row's columns: each is there, is kept, and decides what it says."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import attrs
import pytest
from attrs import frozen

import loom
from loom import AgentHandle, Loom
from loom.errors import Locked, LoomError, PinnedConflict
from loom.storage.tables import MEMORY
from loom.testing.fakes import FakeClock
from tests.operations.looking import row_of
from tests.operations.texts import DRAWS_5, DRAWS_9, ELSEWHERE, NIGHT, NIGHT_AGAIN

KEY: Final = "pump/hours"
OTHER: Final = "pump/beside"
HERE: Final[dict[str, Any]] = {"org": "acme", "namespace": "lab"}
UNTIL: Final = datetime(2031, 9, 1, tzinfo=UTC)

#: From a group of the table to its columns.
GROUPS: Final[dict[str, tuple[str, ...]]] = {
    "identity": ("org", "namespace", "agent", "user_id", "session_id", "run_id"),
    "address": ("memory_key", "memory_id"),
    "content": ("value", "memory_type", "tags", "entities", "files", "confidence"),
    "lifecycle": (
        "status",
        "pinned",
        "conflict_with",
        "duplicate_of",
        "superseded_by",
        "version",
    ),
    "time": (
        "created_at",
        "updated_at",
        "valid_at",
        "valid_to",
        "invalid_at",
        "expires_at",
    ),
    "provenance": (
        "actor",
        "source_class",
        "content_sha256",
        "verified_by",
        "verified_sha256",
    ),
    "guards": ("lock_mode", "lock_until", "sensitivity", "on_expire"),
}
#: What a caller says of a row, column by column.
SAID: Final[dict[str, Any]] = {
    "value": NIGHT,
    "memory_type": "preference",
    "tags": ("Case:12",),
    "entities": ("pump",),
    "files": ("pumps/night.py",),
    "confidence": 0.5,
    "pinned": True,
    "valid_at": datetime(2026, 1, 2, tzinfo=UTC),
    "valid_to": UNTIL,
    "expires_at": UNTIL,
    "source_class": "external",
    "sensitivity": "medium",
    "on_expire": "keep",
}
#: Whom the row belongs to.
WHO: Final = {"user_id": "ana", "session_id": "s1", "run_id": "r1"}


@pytest.mark.parametrize("group", GROUPS)
def test_a_row_has_the_columns_of_the_group(agent: AgentHandle, group: str) -> None:
    """A-21, A-22, A-23, A-24, A-25, A-26: by name, as attribute and as item."""
    agent.memory.set(KEY, NIGHT)
    row = row_of(agent, KEY)
    stored = set(MEMORY.fields)

    for column in GROUPS[group]:
        assert row[column] == getattr(row, column)
        assert column in stored


@pytest.mark.parametrize("column", SAID)
def test_what_is_said_is_kept_and_outlives_another_value(
    agent: AgentHandle, column: str
) -> None:
    """A-22, A-24, A-26, R-31: an omitted field is carried forward."""
    agent.memory.set(KEY, ELSEWHERE, **{k: v for k, v in SAID.items() if k != "value"})
    agent.memory.pin(KEY, NIGHT, source_class="external")
    row = row_of(agent, KEY)

    assert getattr(row, column) == SAID[column]
    (listed,) = agent.memory.list().items
    assert listed[column] == SAID[column]


def test_every_column_outlives_the_process(tmp_path: Path) -> None:
    """A-21, A-22, A-23, A-24, A-25, A-26: a row is read as it was written, from the file."""
    columns = [name for group in GROUPS.values() for name in group]
    said = {name: value for name, value in SAID.items() if name != "value"}
    with loom.open(tmp_path / "a.duckdb") as store:
        agent = store.agent("ada", **HERE, **WHO)
        agent.memory.set(KEY, NIGHT, **said)
        agent.memory.lock(KEY, mode="no_delete", reason="kept", until=UNTIL)
        written = row_of(agent, KEY)
    with loom.open(tmp_path / "a.duckdb") as store:
        read = row_of(store.agent("ada", **HERE, **WHO), KEY)

    assert {name: read[name] for name in columns} == {n: written[n] for n in columns}
    assert {name: read[name] for name in (*SAID, *WHO)} == {**SAID, **WHO}
    assert (read.lock_mode, read.lock_until) == ("no_delete", UNTIL)


@frozen
class Decides:
    """What a group of columns decides."""

    group: str
    shows: Callable[[Loom, FakeClock], None]


def _who_reads(store: Loom, clock: FakeClock) -> None:
    """Who may read it and who wrote it."""
    store.agent("ada", **HERE, user_id="ana", session_id="s1").memory.set(KEY, NIGHT)
    elsewhere = [
        store.agent("ada", org="acme", namespace="shed", user_id="ana"),
        store.agent("ada", org="other", namespace="lab", user_id="ana"),
        store.agent("ada", **HERE, user_id="eve"),
        store.agent("ada", **HERE),
    ]
    here = store.agent("bob", **HERE, user_id="ana", session_id="s2")

    assert [one.memory.get(KEY) for one in elsewhere] == [None] * 4
    row = row_of(here, KEY)
    assert (row.agent, row.session_id) == ("ada", "s1")


def _how_it_is_named(store: Loom, clock: FakeClock) -> None:
    """A caller names it by its key, loom by its id."""
    agent = store.agent("ada", **HERE)
    out = agent.memory.set(KEY, NIGHT)
    again = agent.memory.set(KEY, ELSEWHERE)

    assert out.memory_id == again.memory_id
    assert row_of(agent, KEY) == agent.memory.get_by_id(out.memory_id)


def _what_it_says(store: Loom, clock: FakeClock) -> None:
    """What it says and what it is filed under."""
    agent = store.agent("ada", **HERE)
    agent.memory.set(
        KEY, NIGHT, tags=["a"], entities=["The Pumps"], files=["x.py"], confidence=0.5
    )
    agent.memory.set("far/away", ELSEWHERE, memory_type="decision")

    for narrowed in (
        {"tags": ["a"]},
        {"entities": ["pump"]},
        {"files": ["x.py"]},
        {"memory_type": "semantic"},
    ):
        assert [row.memory_key for row in agent.memory.list(**narrowed).items] == [KEY]
    assert [r.memory_key for r in agent.memory.list(confidence_from=0.6).items] == [
        "far/away"
    ]


def _whether_it_is_served(store: Loom, clock: FakeClock) -> None:
    """Whether it is served, and what replaced it."""
    agent = store.agent("ada", **HERE)
    first = agent.memory.set(KEY, NIGHT)
    copy = agent.memory.set(OTHER, NIGHT_AGAIN)
    agent.memory.set("power/a", DRAWS_5)
    agent.memory.set("power/b", DRAWS_9)

    assert copy.duplicate_of == first.memory_id
    assert row_of(agent, OTHER).memory_id == first.memory_id
    one, other = row_of(agent, "power/a"), row_of(agent, "power/b")
    assert (one.conflict_with, other.conflict_with) == (
        (other.memory_id,),
        (one.memory_id,),
    )
    agent.memory.pin(KEY)
    with pytest.raises(PinnedConflict):
        agent.memory.set(KEY, ELSEWHERE)


def _when(store: Loom, clock: FakeClock) -> None:
    """When it was written, and when it leaves service."""
    agent = store.agent("ada", **HERE)
    agent.memory.set(KEY, NIGHT, ttl_seconds=60)
    agent.memory.set(OTHER, DRAWS_5, valid_to=clock.now.replace(year=2027))
    clock.advance(60)

    assert agent.memory.get(KEY) is None
    assert row_of(agent, OTHER).created_at < clock.now


def _from_where(store: Loom, clock: FakeClock) -> None:
    """Who wrote it, how loom learned it, and whether anyone vouched for this content."""
    agent = store.agent("ada", **HERE)
    out = agent.memory.set(KEY, NIGHT, source_class="external")
    row = row_of(agent, KEY)

    assert (row.actor, row.source_class) == ("process:local", "external")
    assert (row.verified_by, row.verification) == ("", "none")
    agent.memory.set(KEY, ELSEWHERE, if_match_sha256=out.content_sha256)
    vouched = attrs.evolve(row, verified_by="human:ana", verified_sha256=row.content_sha256)
    assert vouched.verification == "human"
    assert attrs.evolve(vouched, content_sha256="0" * 64).verification == "stale"


def _what_it_refuses(store: Loom, clock: FakeClock) -> None:
    """Which writes it refuses, until when, and how it is read."""
    agent = store.agent("ada", **HERE)
    agent.memory.set(KEY, NIGHT, sensitivity="high")
    agent.memory.lock(KEY, mode="no_delete", reason="kept", ttl_seconds=60)
    with pytest.raises(Locked):
        agent.memory.delete(KEY)
    (listed,) = agent.memory.list().items

    assert (listed.value, row_of(agent, KEY).value) == (None, NIGHT)
    assert agent.memory.search(NIGHT).hits == ()
    clock.advance(60)
    assert agent.memory.delete(KEY).found


DECISIONS: Final = (
    Decides("identity", _who_reads),
    Decides("address", _how_it_is_named),
    Decides("content", _what_it_says),
    Decides("lifecycle", _whether_it_is_served),
    Decides("time", _when),
    Decides("provenance", _from_where),
    Decides("guards", _what_it_refuses),
)


def test_every_group_decides_something() -> None:
    """The table has a column of its own for it."""
    assert [one.group for one in DECISIONS] == list(GROUPS)


@pytest.mark.parametrize("decides", DECISIONS, ids=lambda one: one.group)
def test_a_group_decides_what_the_table_says(
    store: Loom, clock: FakeClock, decides: Decides
) -> None:
    """A-1, A-21, A-22, A-23, A-24, A-25, A-26."""
    decides.shows(store, clock)


def test_no_error_tells_what_a_column_holds(agent: AgentHandle) -> None:
    """Spec, errors: a message never contains a stored value."""
    agent.memory.pin(KEY, NIGHT, tags=["private"], metadata={"a": "b-private"})
    for key, value in ((KEY, ELSEWHERE), (OTHER, NIGHT_AGAIN)):
        with pytest.raises(LoomError) as caught:
            agent.memory.set(key, value)
        told = f"{caught.value} {caught.value.details}"
        assert "private" not in told
        assert NIGHT not in told
