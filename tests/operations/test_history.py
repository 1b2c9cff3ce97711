"""What history and the timeline show of each version, and what it changed."""

from __future__ import annotations

from typing import Any, Final

import pytest

from loom import AgentHandle, Loom
from loom.errors import InvalidRequest
from loom.model.history import Version, diff, differences, marked
from loom.testing.fakes import FakeClock
from tests.operations.texts import DRAWS_5, DRAWS_9, NIGHT

KEY: Final = "pump/rate"
HIGH: Final[dict[str, Any]] = {"sensitivity": "high"}
#: As the page lists them (B-249).
LISTED: Final = (
    *("version", "written_at", "value", "confidence", "pinned", "expires_at"),
    *("tombstoned_at", "redacted_at", "redaction_reason", "content_sha256"),
    *("agent", "actor", "source_class", "created_at"),
)


@pytest.fixture
def lived(agent: AgentHandle, clock: FakeClock) -> AgentHandle:
    agent.memory.set(KEY, DRAWS_5, tags=["old"])
    clock.advance(1)
    agent.memory.set(KEY, DRAWS_9, tags=["new"])
    clock.advance(1)
    agent.memory.delete(KEY)
    clock.advance(1)
    return agent


def test_a_version_has_every_field_that_is_listed(lived: AgentHandle) -> None:
    """B-248, B-249, B-250, B-252: newest first, the tombstone included; one first write."""
    versions = lived.memory.history(KEY)
    assert [v.event for v in versions] == ["deleted", "revised", "created"]
    assert set(LISTED) <= set(versions[0])
    assert len({v.created_at for v in versions}) == 1
    assert versions[0].tombstoned_at is not None


def test_every_writer_or_one(store: Loom, lived: AgentHandle) -> None:
    """B-251: `*` spans every writer of the key."""
    store.agent("bob", org="acme", namespace="lab").memory.set(KEY, NIGHT)
    assert {v.agent for v in lived.memory.history(KEY)} == {"ada"}
    assert {v.agent for v in lived.memory.history(KEY, agent_id="*")} == {"ada", "bob"}


def test_each_version_names_what_it_changed(lived: AgentHandle) -> None:
    """B-248: against the version it replaced."""
    deleted, revised, created = lived.memory.history(KEY)
    assert created.changes == ()
    assert set(revised.changes) == {"value", "tags"}
    assert deleted.changes == ("status",)


def test_a_difference_marks_words_removed_and_added(lived: AgentHandle) -> None:
    """B-248: readable as it is printed."""
    _, revised, created = lived.memory.history(KEY)
    value, tags = diff(revised, created)
    assert (value.before, value.after) == (DRAWS_5, DRAWS_9)
    assert value.marked == marked(DRAWS_5, DRAWS_9)
    assert "[-" in str(value)
    assert "{+" in str(value)
    assert str(tags) == "tags: old → new"


@pytest.mark.parametrize(
    "before, after, said",
    [
        ("It draws 5 amps.", "It draws 9 amps.", "It draws [-5-]{+9+} amps."),
        ("one", "one two", "one{+ two+}"),
        ("", "new", "{+new+}"),
        ("same", "same", "same"),
    ],
)
def test_marks(before: str, after: str, said: str) -> None:
    """B-248: removed words before added ones; the rest as it is."""
    assert marked(before, after) == said


def test_a_long_text_is_not_compared_by_words() -> None:
    """Design: the time must not grow with the product of two lengths."""
    one, two = "a b " * 5_000, "a c " * 5_000
    assert marked(one, two) == f"[-{one}-]{{+{two}+}}"


def test_what_is_hidden_shows_no_words(agent: AgentHandle, clock: FakeClock) -> None:
    """R-46, R-62: neither of a secret nor of what was redacted, nor of what replaced it."""
    agent.memory.set(KEY, DRAWS_5)
    clock.advance(1)
    agent.memory.set(KEY, DRAWS_9)
    clock.advance(1)
    agent.memory.set(KEY, NIGHT, **HIGH)
    old = agent.memory.history(KEY)[-1]
    agent.memory.redact(old.memory_id, old.version)

    secret, revised, redacted = agent.memory.history(KEY)

    (change,) = diff(revised, redacted)
    assert (change.hidden, change.before, change.after, change.marked) == (
        True,
        *[None] * 2,
        "",
    )
    assert str(change) == "value: not shown"
    assert "value" not in secret.changes
    shown = repr(list(differences(agent.memory.history(KEY))))
    assert DRAWS_5 not in shown
    assert NIGHT not in shown


def test_a_notebook_shows_event_who_when_and_what_changed(lived: AgentHandle) -> None:
    """B-248: a table, escaped."""
    lived.memory.set(KEY, "<b>bold</b>")
    html = lived.memory.history(KEY)._repr_html_()
    for said in ("revised", "deleted", "process:local as ada", "what changed", KEY):
        assert said in html
    assert "[-" in html
    assert "&lt;b&gt;" in html
    assert "<b>" not in html


# ---------------------------------------------------------------------------- the timeline


def test_the_timeline_is_every_version_of_every_key_newest_first(
    lived: AgentHandle, clock: FakeClock
) -> None:
    """B-248: with what each changed, also against a version on a later page."""
    lived.memory.set("pump/night", NIGHT)
    page = lived.namespace.timeline()
    assert [(v.memory_key, v.event) for v in page.items] == [
        ("pump/night", "created"),
        (KEY, "deleted"),
        (KEY, "revised"),
        (KEY, "created"),
    ]
    assert page.cursor is None
    found: list[Version] = []
    cursor: str | None = None
    while not found or cursor:
        part = lived.namespace.timeline(limit=1, cursor=cursor)
        found.extend(part.items)
        cursor = part.cursor
    assert tuple(found) == page.items


def test_the_timeline_takes_bounds(lived: AgentHandle) -> None:
    """R-15: from an instant, its own microsecond included, to before another."""
    deleted, revised, created = lived.memory.history(KEY)
    bounded = lived.namespace.timeline(
        since=revised.written_at, until=deleted.written_at
    ).items
    assert [v.version for v in bounded] == [revised.version]
    since = lived.namespace.timeline(since=created.written_at).items
    assert len(since) == 3


def test_the_timeline_shows_what_other_reads_show(store: Loom, agent: AgentHandle) -> None:
    """R-04, R-46: its user's rows and nobody's, and no secret."""
    store.agent("ada", org="acme", namespace="lab", user_id="bo").memory.set("a", NIGHT)
    store.agent("ada", org="acme", namespace="ops").memory.set("b", NIGHT)
    agent.memory.set(KEY, DRAWS_5, **HIGH)
    (only,) = agent.namespace.timeline().items
    assert (only.memory_key, only.value, only.masked) == (KEY, None, True)


@pytest.mark.parametrize(
    "said", [{"limit": 0}, {"since": "yesterday"}, {"until": 5}, {"cursor": "x"}]
)
def test_a_malformed_timeline_is_told(agent: AgentHandle, said: dict[str, Any]) -> None:
    """R-14: an instant has an offset."""
    with pytest.raises(InvalidRequest):
        agent.namespace.timeline(**said)
