"""The page's list of verdicts, closest first: what a write is to what stands already."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

import pytest
from attrs import frozen

import loom
from loom import AgentHandle
from loom.errors import PinnedConflict
from loom.testing.fakes import ChosenEmbedder
from loom.testing.stores import contents_of
from tests.operations.conftest import Opener
from tests.operations.looking import row_of
from tests.operations.texts import (
    BREAD,
    BUTTER,
    DRAWS_5,
    DRAWS_7,
    DRAWS_9,
    ELSEWHERE,
    NIGHT,
    NIGHT_AGAIN,
    NIGHT_SHOUTED,
)

PEER: Final = "stands/here"
KEY: Final = "comes/after"
HERE: Final[dict[str, Any]] = {"org": "acme", "namespace": "lab"}
EARLY: Final = datetime(2026, 1, 5, tzinfo=UTC)
LATE: Final = datetime(2026, 2, 1, tzinfo=UTC)
REFUSED: Final = "PINNED_CONFLICT"
#: The page's plain reading and ours agree on the whole list.
JUDGES: Final[dict[str, Callable[[], Any]]] = {
    "evidence": lambda: None,
    "cosine": loom.CosineJudge,
}


@frozen
class Row:
    """One entry of the list: what stands, what is said, and what comes of both."""

    name: str
    stands: str
    said: str
    verdict: str
    policy: str = "auto_reinforce"
    pinned: bool = False
    stands_at: datetime = EARLY
    said_at: datetime = LATE
    #: The statuses of the row that stood and of the row of the key, "" where there is none.
    after: tuple[str, str] = ("active", "active")
    #: What links the two rows.
    links: tuple[str, ...] = ()


TABLE: Final = (
    Row("merge", NIGHT, NIGHT_SHOUTED, "merge", after=("active", "")),
    Row("pinned", NIGHT, NIGHT_AGAIN, REFUSED, pinned=True, after=("active", "")),
    Row(
        "refines",
        DRAWS_5,
        DRAWS_9,
        "refines",
        policy="newest_wins",
        after=("superseded", "active"),
        links=("superseded_by",),
    ),
    Row(
        "refines, but what stands came true later",
        DRAWS_5,
        DRAWS_9,
        "conflict",
        policy="newest_wins",
        stands_at=LATE,
        said_at=EARLY,
        after=("conflicted", "conflicted"),
        links=("conflict_with",),
    ),
    Row(
        "duplicate",
        NIGHT,
        NIGHT_AGAIN,
        "duplicate",
        after=("active", "duplicate"),
        links=("duplicate_of",),
    ),
    Row(
        "conflict",
        DRAWS_5,
        DRAWS_9,
        "conflict",
        after=("conflicted", "conflicted"),
        links=("conflict_with",),
    ),
    Row("clear", NIGHT, ELSEWHERE, "clear"),
)
each_row = pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)


@pytest.fixture(params=JUDGES)
def judged(request: pytest.FixtureRequest, opened: Opener) -> loom.Loom:
    judge = JUDGES[request.param]()
    return opened() if judge is None else opened(judge=judge)


def _given(store: loom.Loom, row: Row) -> AgentHandle:
    agent = store.agent("ada", **HERE)
    agent.namespace.register(default_conflict_policy=row.policy)
    agent.memory.set(PEER, row.stands, pinned=row.pinned, valid_at=row.stands_at)
    return agent


@each_row
def test_a_write_gets_its_verdict(judged: loom.Loom, row: Row) -> None:
    """A-107, A-109, A-110, A-111, A-112, A-114, A-115: each by the rule of the list."""
    agent = _given(judged, row)
    before = contents_of(judged)["memory"]

    if row.verdict == REFUSED:
        with pytest.raises(PinnedConflict):
            agent.memory.set(KEY, row.said, valid_at=row.said_at)
        assert contents_of(judged)["memory"] == before
    else:
        out = agent.memory.set(KEY, row.said, valid_at=row.said_at)
        assert out.conflict_verdict == row.verdict
        assert out.merged_into_key == (PEER if row.verdict == "merge" else "")
        assert out.noop is (row.verdict == "merge")
        assert [peer.memory_key for peer in out.peers] == (
            [] if row.verdict == "clear" else [PEER]
        )


@each_row
def test_the_two_rows_are_left_as_the_list_says(judged: loom.Loom, row: Row) -> None:
    """A-71, A-72, A-73, A-108: who is served, and what each says of the other."""
    agent = _given(judged, row)
    try:
        agent.memory.set(KEY, row.said, valid_at=row.said_at)
    except PinnedConflict:
        assert row.verdict == REFUSED
    rows = {one.memory_key: one for one in agent.memory.list(status="*").items}
    stood, said = rows[PEER], rows.get(KEY)

    assert (stood.status, "" if said is None else said.status) == row.after
    assert stood.reinforcement_count == (2 if row.verdict == "merge" else 1)
    if said is not None:
        links = {
            "superseded_by": stood.superseded_by == said.memory_id,
            "duplicate_of": said.duplicate_of == stood.memory_id,
            "conflict_with": (
                stood.conflict_with == (said.memory_id,)
                and said.conflict_with == (stood.memory_id,)
            ),
        }
        assert tuple(name for name, holds in links.items() if holds) == row.links


@each_row
def test_a_dry_run_answers_the_same_and_leaves_all_as_it_was(
    judged: loom.Loom, row: Row
) -> None:
    """A-99, R-35: before one commits to a key."""
    agent = _given(judged, row)
    before = contents_of(judged)

    try:
        verdict = agent.memory.set(
            KEY, row.said, valid_at=row.said_at, dry_run=True
        ).conflict_verdict
    except PinnedConflict as refused:
        verdict = refused.code
    assert verdict == row.verdict
    assert contents_of(judged) == before


@each_row
@pytest.mark.parametrize("how", ["update", "update_by_id", "bulk_set"])
def test_every_way_to_write_runs_the_same_check(
    judged: loom.Loom, row: Row, how: str
) -> None:
    """A-102: a corrected row is judged as a new one; it never merges away (R-31)."""
    agent = _given(judged, row)
    verdict = row.verdict
    try:
        if how == "bulk_set":
            entry = {"memory_key": KEY, "value": row.said, "valid_at": row.said_at}
            (result,) = agent.memory.bulk_set([entry]).results
            verdict = getattr(result, "conflict_verdict", None) or result["code"]
            assert verdict == row.verdict
            return
        agent.memory.set(KEY, "Barges carry the salt in autumn.", valid_at=row.said_at)
        name = KEY if how == "update" else row_of(agent, KEY).memory_id
        verdict = getattr(agent.memory, how)(name, row.said).conflict_verdict
    except PinnedConflict as refused:
        verdict = refused.code
    assert verdict == {"merge": "duplicate"}.get(row.verdict, row.verdict)


#: Near-identical to `DRAWS_9`.
DRAWS_9_AGAIN: Final = "A pump draws 9 kW at the night."


@frozen
class Contest:
    """Two rows that stand, of which each would give another verdict, and which decides."""

    name: str
    first: str
    second: str
    said: str
    verdict: str
    decides: tuple[str, ...]
    policy: str = "auto_reinforce"
    second_pinned: bool = False


ORDER: Final = (
    Contest(
        "canonical before a close pin",
        NIGHT,
        NIGHT_AGAIN,
        NIGHT_SHOUTED,
        "merge",
        ("a/first",),
        second_pinned=True,
    ),
    Contest(
        "a close pin before refines",
        DRAWS_5,
        DRAWS_7,
        DRAWS_9,
        REFUSED,
        ("a/second",),
        policy="newest_wins",
        second_pinned=True,
    ),
    Contest(
        "a close pin before duplicate",
        DRAWS_9_AGAIN,
        DRAWS_7,
        DRAWS_9,
        REFUSED,
        ("a/second",),
        second_pinned=True,
    ),
    Contest(
        "refines before duplicate",
        DRAWS_5,
        DRAWS_9_AGAIN,
        DRAWS_9,
        "refines",
        ("a/first",),
        policy="newest_wins",
    ),
    Contest(
        "duplicate before conflict",
        DRAWS_5,
        DRAWS_9_AGAIN,
        DRAWS_9,
        "duplicate",
        ("a/second",),
    ),
    Contest(
        "conflict with every one that differs",
        DRAWS_5,
        DRAWS_7,
        DRAWS_9,
        "conflict",
        ("a/first", "a/second"),
    ),
)


@pytest.mark.parametrize("contest", ORDER, ids=lambda contest: contest.name)
def test_of_several_verdicts_the_first_of_the_list_decides(
    judged: loom.Loom, embedder: ChosenEmbedder, contest: Contest
) -> None:
    """R-33: over all peers at once, in this order."""
    embedder.place(DRAWS_9_AGAIN, "draws", 0.11)
    agent = judged.agent("ada", **HERE)
    # So that both stand untouched before they are compared with anything.
    agent.namespace.register(default_conflict_policy="append_only")
    agent.memory.set("a/first", contest.first)
    agent.memory.set("a/second", contest.second, pinned=contest.second_pinned)
    agent.namespace.register(default_conflict_policy=contest.policy)
    ids = {row.memory_id: row.memory_key for row in agent.memory.list().items}

    if contest.verdict == REFUSED:
        with pytest.raises(PinnedConflict) as caught:
            agent.memory.set(KEY, contest.said)
        assert (caught.value.details["memory_key"],) == contest.decides
        return
    out = agent.memory.set(KEY, contest.said)
    linked = {
        "merge": lambda: {out.memory_id},
        "refines": lambda: {
            row.memory_id for row in agent.memory.list(status="superseded").items
        },
        "duplicate": lambda: {out.duplicate_of},
        "conflict": lambda: set(row_of(agent, KEY).conflict_with),
    }
    assert out.conflict_verdict == contest.verdict
    assert tuple(sorted(ids[one] for one in linked[contest.verdict]())) == contest.decides


def test_close_and_compatible_is_clear_and_says_why(agent: AgentHandle) -> None:
    """R-33 (departs): two claims about one thing that can both be true."""
    agent.memory.set(PEER, BREAD)
    out = agent.memory.set(KEY, BUTTER)

    assert (out.conflict_verdict, out.peers[0].relation) == ("clear", "compatible")
    assert out.peers[0].reasons
    assert row_of(agent, PEER).conflict_with == row_of(agent, KEY).conflict_with == ()
