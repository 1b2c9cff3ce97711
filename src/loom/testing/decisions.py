"""Random lives with decisions in them: proposals, reviews, policies, ends, sweeps.

`LifecycleMachine` holds every answer to an oracle. This machine goes further afield, over
every operation that changes a standing, and holds what must be true of any store to be
true after each step: links are known on both sides, nothing is served that should not be,
every change is an arrow of the table, a dry run says what the write then does, a sweep
changes no read.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, ClassVar, Final

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from loom.errors import LoomError
from loom.faces.sync import AgentHandle, Loom, open_store
from loom.model.memory import MemoryRow
from loom.model.status import LIVE_STATUSES, SERVED_STATUSES, Event, Status, allows
from loom.testing.fakes import ChosenEmbedder, FakeClock, SeededIds
from loom.testing.stores import contents_of, versions_of

__all__ = ["DecisionMachine"]

_NAMESPACE: Final[dict[str, str]] = {"org": "acme", "namespace": "lab"}
_KEYS: Final = ("tea/kind", "tea/hour", "tea/place")
_NIGHT: Final = "The pump runs at night."
#: Two that merge, one near-copy, three that contradict each other, two that go together,
#: one that stands alone, and bare values.
_VALUES: Final[tuple[Any, ...]] = (
    _NIGHT,
    "the pump   runs at NIGHT",
    "A pump runs at the night.",
    "The pump draws 5 kW at night.",
    "The pump draws 7 kW at night.",
    "The pump draws 9 kW at night.",
    "Ana likes pea soup with fresh bread.",
    "Ana likes pea soup with bread and butter.",
    "Wolves were seen near the northern ridge.",
    1,
    2,
)
_PLACES: Final = {
    _VALUES[0]: ("night", 0.0),
    _VALUES[1]: ("night", 0.0),
    _VALUES[2]: ("night", 0.01),
    _VALUES[3]: ("draws", 0.0),
    _VALUES[4]: ("draws", 0.04),
    _VALUES[5]: ("draws", 0.1),
    _VALUES[6]: ("soup", 0.0),
    _VALUES[7]: ("soup", 0.1),
}
_WHO: Final = (
    {"agent": "ada"},
    {"agent": "bob"},
    {"agent": "ada", "user_id": "ana"},
    {"agent": "bob", "user_id": "ana", "session_id": "s2"},
    {"agent": "ada", "session_id": "s1"},
)
_TAGS: Final[tuple[list[str] | None, ...]] = (None, [], ["quote"], ["log"], ["fresh"])
_POLICIES: Final = ("auto_reinforce", "manual_review", "newest_wins", "append_only")
_RULES: Final[dict[str, Any]] = {
    "quote": {"dedup": False},
    "log": {"conflict_policy": "append_only"},
    "fresh": {"conflict_policy": "newest_wins"},
}
_ENDS: Final = (None, None, None, 60.0, 3600.0)

who = st.sampled_from(_WHO)
key = st.sampled_from(_KEYS)
value = st.sampled_from(_VALUES)
tags = st.sampled_from(_TAGS)
end = st.sampled_from(_ENDS)
index = st.integers(0, 30)


class DecisionMachine(RuleBasedStateMachine):
    """One store, several writers, and somebody who decides.

    Attributes:
        arrows: every transition that any store of this class took.
    """

    arrows: ClassVar[set[tuple[Event, Status | None, Status]]] = set()

    def address(self) -> str | Path:
        """Where the store is kept."""
        return ":memory:"

    def __init__(self) -> None:
        super().__init__()
        self.clock = FakeClock()
        self.store: Loom = open_store(
            self.address(),
            embedder=ChosenEmbedder(_PLACES),
            clock=self.clock,
            ids=SeededIds(),
        )
        self.boss = self.store.agent("boss", **_NAMESPACE)
        self.everybody = self.store.agent("boss", **_NAMESPACE, user_id="*")
        self.boss.namespace.register(tag_registry=_RULES)
        self._seen = 0
        self._stood: dict[str, tuple[Status, int]] = {}

    def teardown(self) -> None:
        """Let go of the store."""
        self.store.close()

    # --- what is done ------------------------------------------------------------

    def _as(self, identity: dict[str, str]) -> AgentHandle:
        return self.store.agent(**_NAMESPACE, **identity)

    def _rows(self, *statuses: Status) -> list[MemoryRow]:
        rows = self.everybody.memory.list(status=list(statuses) or "*", limit=1000).items
        return [row for row in rows if row.status in statuses or not statuses]

    def _tried(self, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """The call, tried first: both answer alike, and the try leaves no trace (R-35)."""
        before = contents_of(self.store)
        tried = _answer(call, *args, **kwargs, dry_run=True)
        assert contents_of(self.store) == before
        done = _answer(call, *args, **kwargs)
        assert _told(tried) == _told(done)
        self.clock.advance(ns=1_000)
        return done

    @rule(who=who, key=key, value=value, tags=tags, ttl=end)
    def set(
        self,
        who: dict[str, str],
        key: str,
        value: Any,
        tags: list[str] | None,
        ttl: float | None,
    ) -> None:
        """R-35: a set, and its dry run before it."""
        given = {} if tags is None else {"tags": tags}
        ends = {} if ttl is None else {"ttl_seconds": ttl}
        self._tried(self._as(who).memory.set, key, value, **given, **ends)

    @rule(who=who, key=key, value=value, days=st.integers(-3, 3))
    def set_of_a_date(self, who: dict[str, str], key: str, value: Any, days: int) -> None:
        """R-44: a fact of another date."""
        at = self.clock.now + timedelta(days=days)
        self._tried(self._as(who).memory.set, key, value, valid_at=at)

    @rule(who=who, key=key, value=value, ttl=end, days=st.sampled_from([0, 0, -3, 3]))
    def propose(
        self, who: dict[str, str], key: str, value: Any, ttl: float | None, days: int
    ) -> None:
        """R-23: nothing that is served changes."""
        served = self._served()
        ends: dict[str, Any] = {} if ttl is None else {"ttl_seconds": ttl}
        if days:
            ends["valid_at"] = self.clock.now + timedelta(days=days)
        self._tried(self._as(who).memory.set, key, value, proposed=True, **ends)
        assert self._served() == served

    @rule(word=st.sampled_from(["night", "wolves", "soup", "9 kw", "pump"]))
    def ban(self, word: str) -> None:
        """R-43: what matches is tombstoned, unless a lock keeps it; then it is lifted."""
        added = self.boss.blacklist.add(word, sweep=True)
        now = self.clock.now
        for row in self._rows(*LIVE_STATUSES, Status.PROPOSED):
            assert word not in str(row.value).lower() or row.is_locked(now)
        self.boss.blacklist.remove(added.pattern.pattern_id)
        self.clock.advance(ns=1_000)

    @rule(at=index, decision=st.sampled_from(["accept", "reject"]))
    @precondition(lambda self: self._rows(Status.PROPOSED))
    def decide(self, at: int, decision: str) -> None:
        """R-23: taken or turned down, once."""
        proposals = self._rows(Status.PROPOSED)
        row = proposals[at % len(proposals)]
        done = self._tried(self.everybody.memory.proposal_decide, row.memory_id, decision)
        if not isinstance(done, LoomError):
            assert row.memory_id not in {r.memory_id for r in self._rows(Status.PROPOSED)}

    @rule(at=index)
    @precondition(lambda self: self._rows(Status.ACTIVE, Status.CONFLICTED))
    def reject(self, at: int) -> None:
        """A-154."""
        rows = self._rows(Status.ACTIVE, Status.CONFLICTED, Status.DUPLICATE)
        row = rows[at % len(rows)]
        self._tried(self.everybody.memory.reject, memory_id=row.memory_id)

    @rule(
        at=index,
        action=st.sampled_from(["revise", "contract", "allow"]),
        value=st.one_of(st.none(), value),
        swap=st.booleans(),
    )
    @precondition(lambda self: self.everybody.conflicts.list().items)
    def resolve(self, at: int, action: str, value: Any, *, swap: bool) -> None:
        """R-60: the pair is decided, and is no pair any more."""
        pairs = self.everybody.conflicts.list().items
        pair = pairs[at % len(pairs)]
        assert pair.peer is not None
        ids = [pair.row.memory_id, pair.peer.memory_id]
        ids = ids[::-1] if swap else ids
        given = {"value": value} if value is not None and action == "revise" else {}
        done = self._tried(self.everybody.conflicts.resolve, *ids, action, **given)
        if not isinstance(done, LoomError):
            left = self.everybody.conflicts.list(limit=1000).items
            assert not any(
                p.peer and {p.row.memory_id, p.peer.memory_id} == set(ids) for p in left
            )

    @rule(who=who, key=key)
    def delete(self, who: dict[str, str], key: str) -> None:
        """R-06."""
        self._tried(self._as(who).memory.delete, key)

    @rule(who=who, key=key, clear=st.booleans())
    def restore(self, who: dict[str, str], key: str, *, clear: bool) -> None:
        """R-61."""
        self._tried(self._as(who).memory.restore, key, clear_expiry=clear)

    @rule(who=who, key=key, how=st.sampled_from(["pin", "lock", "unlock"]))
    def hold(self, who: dict[str, str], key: str, how: str) -> None:
        """R-42."""
        memory = self._as(who).memory
        given = {"reason": "checked", "ttl_seconds": 600.0} if how == "lock" else {}
        _answer(getattr(memory, how), key, **given)
        self.clock.advance(ns=1_000)

    @rule(policy=st.sampled_from(_POLICIES))
    def register(self, policy: str) -> None:
        """A-121."""
        self.boss.namespace.register(default_conflict_policy=policy)
        self.clock.advance(ns=1_000)

    @rule(seconds=st.sampled_from([1.0, 61.0, 4000.0]))
    def wait(self, seconds: float) -> None:
        """Time passes, and some ends come."""
        self.clock.advance(seconds)

    @rule()
    def sweep(self) -> None:
        """A-158, R-20: a sweep makes visible what reads honour already."""
        served = self._served()
        self.boss.namespace.sweep()
        # A partner of what is swept may lose its mark; what it says stays.
        assert {i: v[:2] for i, v in self._served().items()} == {
            i: v[:2] for i, v in served.items()
        }

    @rule(action=st.sampled_from(["label", "demote"]), key=key)
    def apply(self, action: str, key: str) -> None:
        """Details change; no standing does."""
        given: dict[str, Any] = {"add_tags": ["seen"]} if action == "label" else {}
        self.everybody.memory.apply(action, prefix=key, status="*", dry_run=False, **given)
        self.clock.advance(ns=1_000)

    # --- what holds --------------------------------------------------------------

    def _served(self) -> dict[str, tuple[Any, ...]]:
        rows = self.everybody.memory.list(limit=1000).items
        return {row.memory_id: (row.value, row.memory_key, row.status) for row in rows}

    @invariant()
    def is_sound(self) -> None:
        """R-22: links are known on both sides, and what is referred to is there."""
        found = self.everybody.namespace.validate()
        assert found.ok, found.findings

    @invariant()
    def serves_what_it_should(self) -> None:
        """R-20, R-50: by list, id and search alike."""
        served = self._served()
        for row in self._rows():
            is_served = row.status in SERVED_STATUSES and not row.is_past(self.clock.now)
            assert (row.memory_id in served) is is_served
            if row.status is not Status.DUPLICATE:
                by_id = self.everybody.memory.get_by_id(row.memory_id)
                assert (by_id is not None) is is_served
        hits = self.everybody.memory.search(_NIGHT, top_k=100).hits
        assert {hit.memory_id for hit in hits} <= set(served)

    @invariant()
    def lists_every_contradiction_once(self) -> None:
        """A-126: the pairs are the links of what is served."""
        served = self._served()
        rows = self._rows(Status.CONFLICTED)
        linked = {
            frozenset((row.memory_id, other))
            for row in rows
            if row.memory_id in served
            for other in row.conflict_with
        }
        pairs = self.everybody.conflicts.list(limit=1000).items
        found = [frozenset((p.row.memory_id, p.peer.memory_id)) for p in pairs if p.peer]
        assert len(found) == len(set(found))
        # A pair whose later side has ended is not listed.
        assert set(found) <= linked

    @invariant()
    def takes_arrows_of_the_table(self) -> None:
        """R-20, R-21: each version follows from the one before by an arrow."""
        versions = versions_of(self.store)
        for row in versions[self._seen :]:
            before = self._stood.get(row.memory_id)
            arrow = (row.event, None if before is None else before[0], row.status)
            assert allows(*arrow), arrow
            assert row.parent == (0 if before is None else before[1])
            self.arrows.add(arrow)
            self._stood[row.memory_id] = (row.status, row.version)
        self._seen = len(versions)


def _answer(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What a call answers, an error as a value."""
    try:
        return call(*args, **kwargs)
    except LoomError as error:
        return error


def _told(answer: Any) -> tuple[Any, ...]:
    """What a try must say as the call does: all but ids and versions of what is new."""
    if isinstance(answer, LoomError):
        return (type(answer), str(answer))
    fields = ("status", "conflict_verdict", "decision", "count", "found", "peer_status")
    return tuple(getattr(answer, name, None) for name in fields)
