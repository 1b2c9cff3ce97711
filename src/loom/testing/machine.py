"""The lifecycle, driven at random: a store and the oracle do the same and must agree.

`Trial` holds the two and compares them after every step; `LifecycleMachine` draws the
steps. To run it on a backend of your own, subclass it and say where its stores are:

```python
class MyMachine(LifecycleMachine):
    def address(self) -> str:
        return "mine://" + uuid.uuid4().hex


TestMyLifecycle = MyMachine.TestCase
```
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, TypeAlias

import attrs
from hypothesis import event
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from loom.model.audit import AuditRow
from loom.model.memory import MemoryRow
from loom.model.status import ARROWS, Event, Status
from loom.testing.answers import (
    Answer,
    Deleted,
    Held,
    Restored,
    Standing,
    Wrote,
    Wrotes,
)
from loom.testing.oracle import Oracle
from loom.testing.rows import Row
from loom.testing.sayings import SAYINGS, Saying
from loom.testing.scenarios import KEYS, WHOS, Cast, casts, steps
from loom.testing.stage import Stage, entry_of, standing
from loom.testing.steps import Bulk, Put, Step, Who

__all__ = ["BUILT", "Arrow", "LifecycleMachine", "Trial"]

#: Why, from which status (None: no row yet), to which.
Arrow: TypeAlias = tuple[Event, Status | None, Status]

#: Every arrow that an operation of the core takes; importing has a test of its own.
BUILT: Final = frozenset(
    (why, before, after)
    for why, table in ARROWS.items()
    if why is not Event.IMPORTED
    for before, ends in table.items()
    for after in ends
)
_READERS: Final = ("-", "a", "b")


class Trial:
    """A store and the oracle, side by side.

    Attributes:
        arrows: every transition that the store's rows took.
    """

    def __init__(self, url: str | os.PathLike[str] = ":memory:") -> None:
        self.stage = Stage(url)
        self.oracle = Oracle(clock=self.stage.clock, last=self.stage.opened)
        self.arrows: set[Arrow] = set()
        self._versions: tuple[MemoryRow, ...] = ()
        self._entries: tuple[AuditRow, ...] = ()
        #: From the store's versions to the oracle's, in the same order.
        self._named = {0: 0, self.stage.opened: self.stage.opened}

    def close(self) -> None:
        """Close the store."""
        self.stage.close()

    def do(self, step: Step) -> Answer:
        """Take a step on both and compare all that can be seen afterwards."""
        expected, got = self.oracle.do(step), self.stage.do(step)
        versions, entries = self.stage.versions(), self.stage.audit_rows()
        self._check_stamps(
            {r.version for r in versions} | {e.version for e in entries}, step
        )
        _assert_agree(expected, _renamed(got, self._named))
        self._check_versions(versions, step)
        self._check_entries(entries)
        self._check_heads()
        for user_id in _READERS:
            self._check_reads(user_id)
        if isinstance(step, Put) and step.saying is not None:
            self._check_search(step.who, step.saying)
        return got

    # ----------------------------------------------------------------- what is stored

    def _check_stamps(self, versions: set[int], step: Step) -> None:
        """Versions rise, and follow the clock where it runs ahead (R-15).

        An atomic write that is tried again leaves a gap, so the store's versions are taken
        for the oracle's in their order, not by their numbers.
        """
        oracle = {r.version for r in self.oracle.log}
        oracle |= {e.version for e in self.oracle.audit}
        new = sorted(versions - self._named.keys())
        expected = sorted(oracle - set(self._named.values()))
        assert len(new) == len(expected), "the store made more or fewer writes"
        if new:
            assert new[0] > max(self._named), "a version did not rise"
            assert new[0] >= self.stage.clock.now_ns()
            if not isinstance(step, Bulk):
                assert new[0] == max(self.stage.clock.now_ns(), max(self._named) + 1)
        self._named.update(zip(new, expected, strict=True))

    def _check_versions(self, versions: tuple[MemoryRow, ...], step: Step) -> None:
        """History only grows, by exactly the rows the oracle has (R-21)."""
        known = len(self._versions)
        assert versions[:known] == self._versions, "a stored version changed or went"
        new = versions[known:]
        assert sorted(map(self._standing, new), key=_place) == sorted(
            map(_standing, self.oracle.log[known:]), key=_place
        )
        before = {(row.memory_id, row.version): row for row in self._versions}
        for row in new:
            old = before.get((row.memory_id, row.parent))
            self.arrows.add((row.event, old.status if old else None, row.status))
            if old is not None and old.pinned:
                _assert_pin_held(old, row, step)
            before[row.memory_id, row.version] = row
        self._versions = versions

    def _standing(self, row: MemoryRow) -> Standing:
        plain = standing(row, self.stage.ids())
        version, parent = self._named[row.version], self._named[row.parent]
        return attrs.evolve(plain, version=version, parent=parent)

    def _check_entries(self, entries: tuple[AuditRow, ...]) -> None:
        """Each write left its audit entries and none says what was written (B-330)."""
        known = len(self._entries)
        assert entries[:known] == self._entries, "an audit entry changed or went"
        ids = self.stage.ids()
        plain = [entry_of(row, ids) for row in entries[known:]]
        named = [attrs.evolve(e, version=self._named[e.version]) for e in plain]
        assert named == self.oracle.audit[known:]
        for row in entries[known:]:
            said = " ".join(map(str, attrs.astuple(row)))
            assert not any(not s.bare and s.text in said for s in SAYINGS.values())
            assert "kind:" not in said
        self._entries = entries

    def _check_heads(self) -> None:
        """The head is the newest version; links have two sides (R-22)."""
        newest = {row.memory_id: row for row in self._versions}
        heads = {row.memory_id: row for row in self.stage.rows()}
        assert heads == newest
        for row in heads.values():
            assert (row.status is Status.CONFLICTED) == bool(row.conflict_with)
            for other in row.conflict_with:
                assert row.memory_id in heads[other].conflict_with
            if row.status is Status.DUPLICATE:
                answering = heads[row.duplicate_of].status
                assert answering in (Status.ACTIVE, Status.CONFLICTED)
            else:
                assert not row.duplicate_of

    # ----------------------------------------------------------------- what is read

    def _check_reads(self, user_id: str) -> None:
        """get, list and count serve what they should, and no other user's rows (R-04)."""
        who = next(w for w in WHOS if w.user_id == user_id)
        memory = self.stage.handle(who).memory
        expected = {r.at: _standing(r) for r in self.oracle.served(user_id)}
        listed = {r.address: self._standing(r) for r in memory.list(limit=1_000).items}
        assert listed == expected
        assert memory.count() == len(expected)
        everything = {r.address for r in memory.list(status="*", limit=1_000).items}
        assert everything == {r.at for r in self.oracle.visible(user_id)}
        for one in (w for w in WHOS if w.user_id == user_id):
            for key in KEYS:
                row, served = (
                    self.stage.handle(one).memory.get(key),
                    self.oracle.get(one, key),
                )
                assert (row.address if row else None) == (served.at if served else None)

    def _check_search(self, who: Who, saying: Saying) -> None:
        """A search serves what a list serves, and finds what says just that (A-19, R-50)."""
        found = self.stage.handle(who).memory.search(saying.text, top_k=1_000).hits
        served = {r.at: r for r in self.oracle.served(who.user_id)}
        ids = self.stage.ids()
        hits = [ids[hit.memory_id] for hit in found]
        assert len(set(hits)) == len(hits)
        assert set(hits) <= set(served), "a search served what a list would not"
        exact = {
            at
            for at, row in served.items()
            if row.saying == saying and row.memory_type != "profile"
        }
        assert exact <= set(hits), "a search missed a row that says just this"


class LifecycleMachine(RuleBasedStateMachine):
    """Random lives of a namespace, compared with the oracle after every step.

    Attributes:
        taken: the arrows taken so far by all runs of the class.
    """

    taken: ClassVar[set[Arrow]] = set()
    trial: Trial
    steps: dict[str, st.SearchStrategy[Any]]

    def address(self) -> str | os.PathLike[str]:
        """Where the next store is."""
        return ":memory:"

    @initialize(cast=casts())
    def open(self, cast: Cast) -> None:
        """An empty store, and who will take part."""
        self.trial = Trial(self.address())
        self.steps = steps(cast)

    def teardown(self) -> None:
        """Close the store and count the arrows."""
        if hasattr(self, "trial"):
            self.taken.update(self.trial.arrows)
            for why, before, after in self.trial.arrows:
                event(f"{why}: {before} -> {after}")
            self.trial.close()

    @rule(data=st.data())
    def set(self, data: st.DataObject) -> None:
        """memory.set, judged in the order of A-87, with every verdict of R-33."""
        self._draw_and_do(data, "set")

    @rule(data=st.data())
    def set_some(self, data: st.DataObject) -> None:
        """A few more of them, so that claims meet (A-16, R-32)."""
        for _ in range(data.draw(st.integers(2, 4))):
            self._draw_and_do(data, "set")

    @rule(data=st.data())
    def restate(self, data: st.DataObject) -> None:
        """A value that is there already, under its own key (A-90, A-95)."""
        row = self._some(data, lambda row: row.live)
        if row is not None:
            said = {"who": _who(row), "key": row.at.memory_key, "saying": row.saying}
            self._draw_and_do(data, "set", "prolong", **said)

    @rule(data=st.data())
    def compare_and_set(self, data: st.DataObject) -> None:
        """A write that holds a hash, of the live row or of another value (R-36)."""
        row = self._some(data, lambda row: row.live)
        if row is None:
            self._draw_and_do(data, "compare")
        else:
            said = {"who": _who(row), "key": row.at.memory_key, "if_match": row.saying}
            self._draw_and_do(data, "compare", "set", "update", **said)

    @rule(data=st.data())
    def change(self, data: st.DataObject) -> None:
        """update, update_by_id and pin act on the row that answers (R-05, A-131, A-132)."""
        self._draw_and_do(data, "update", "update_by_id", "pin")

    @rule(data=st.data())
    def bulk_set(self, data: st.DataObject) -> None:
        """Entries in order, or all or none (R-37)."""
        self._draw_and_do(data, "bulk_set")

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        """Every live row of a key, and the caller's own duplicates (R-06, R-24)."""
        self._draw_and_do(data, "delete")

    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        """Exactly what the newest delete took, judged again (R-61)."""
        row = self._some(data, lambda row: not row.live)
        said = {} if row is None else {"who": _who(row), "key": row.at.memory_key}
        self._draw_and_do(data, "restore", **said)

    @rule(data=st.data())
    def lock(self, data: st.DataObject) -> None:
        """A lock refuses until it ends or is lifted (R-42)."""
        self._draw_and_do(data, "lock", "unlock")

    @rule(data=st.data())
    def blacklist(self, data: st.DataObject) -> None:
        """Patterns refuse every way in, and a sweep tombstones what they match (R-43)."""
        self._draw_and_do(data, "ban", "lift", "sweep")

    @rule(data=st.data())
    def wait(self, data: st.DataObject) -> None:
        """Expiries and locks end with the clock, which may step back (R-15, R-20)."""
        self._draw_and_do(data, "wait")

    def _draw_and_do(self, data: st.DataObject, *kinds: str, **said: Any) -> None:
        step = data.draw(st.one_of(*(self.steps[kind] for kind in kinds)))
        self.trial.do(attrs.evolve(step, **said))

    def _some(self, data: st.DataObject, wanted: Callable[[Row], bool]) -> Row | None:
        rows = [row for row in self.trial.oracle.rows.values() if wanted(row)]
        return data.draw(st.sampled_from(rows)) if rows else None


def _who(row: Row) -> Who:
    at = row.at
    return next(w for w in WHOS if w.at(at.memory_key) == at)


def _place(row: Standing) -> tuple[int, str]:
    return (row.version, str(row.at))


def _standing(row: Row) -> Standing:
    names = {f.name for f in attrs.fields(Standing)}
    fields = {n: getattr(row, n) for n in names if n != "saying"}
    return Standing(saying=row.saying.name, **fields)


def _assert_pin_held(old: MemoryRow, new: MemoryRow, step: Step) -> None:
    """No write that does not itself pin changed what a pinned row says (A-129)."""
    said = (old.value, old.tags, old.memory_type, old.pinned)
    if (new.value, new.tags, new.memory_type, new.pinned) == said:
        return
    if isinstance(step, Put) and (step.op != "set" or step.pinned):
        return
    if isinstance(step, Bulk) and any(entry.pinned for entry in step.entries):
        return
    # A pin that was deleted or is past its end is no pin: the next write starts afresh.
    ended = old.status is Status.TOMBSTONED or old.is_past(new.updated_at)
    assert ended, "an unpinned write changed a pinned row"


def _renamed(got: Answer, named: Mapping[int, int]) -> Answer:
    """An answer with the oracle's versions."""
    if isinstance(got, Wrotes):
        return Wrotes(tuple(_renamed(one, named) for one in got.answers))  # type: ignore[misc]
    if isinstance(got, Wrote | Deleted | Restored | Held):
        return attrs.evolve(got, version=named[got.version])
    return got


def _assert_agree(expected: Answer, got: Answer) -> None:
    """Equal, but that a store shows five peers at most (A-100)."""
    if isinstance(expected, Wrotes) and isinstance(got, Wrotes):
        assert len(expected.answers) == len(got.answers)
        for one, two in zip(expected.answers, got.answers, strict=True):
            _assert_agree(one, two)
        return
    if isinstance(expected, Wrote) and isinstance(got, Wrote):
        assert got.peers <= expected.peers
        assert len(got.peers) == min(5, len(expected.peers))
        expected = attrs.evolve(expected, peers=got.peers)
    assert got == expected
