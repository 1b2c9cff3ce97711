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
from typing import Any, ClassVar, Final, TypeAlias

import attrs
from hypothesis import event
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from loom.model.memory import MemoryRow
from loom.model.status import ARROWS, Event, Status
from loom.testing.answers import Answer, Standing, Wrote, Wrotes
from loom.testing.oracle import Oracle, Row
from loom.testing.scenarios import (
    KEYS,
    SAYINGS,
    WHOS,
    Ban,
    Bulk,
    Delete,
    Lift,
    Lock,
    Put,
    Restore,
    Step,
    Sweep,
    Unlock,
    Wait,
    steps,
)
from loom.testing.stage import Stage, standing

__all__ = ["BUILT", "Arrow", "LifecycleMachine", "Trial"]

#: Why, from which status (None: no row yet), to which.
Arrow: TypeAlias = tuple[Event, Status | None, Status]

#: Arrows that the table allows and no operation of the core takes: a live row is relinked
#: only by gaining or losing a conflict, never into a duplicate; importing has a test of
#: its own.
_NEVER: Final = {
    (Event.RELINKED, Status.ACTIVE, Status.ACTIVE),
    (Event.RELINKED, Status.ACTIVE, Status.DUPLICATE),
    (Event.RELINKED, Status.CONFLICTED, Status.DUPLICATE),
}
#: Every arrow that an operation of the core takes.
BUILT: Final = frozenset(
    arrow
    for why, table in ARROWS.items()
    if why is not Event.IMPORTED
    for before, ends in table.items()
    for after in ends
    if (arrow := (why, before, after)) not in _NEVER
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
        self._entries = 0
        self._round = 0

    def close(self) -> None:
        """Close the store."""
        self.stage.close()

    def do(self, step: Step) -> Answer:
        """Take a step on both and compare all that can be seen afterwards."""
        expected, got = self.oracle.do(step), self.stage.do(step)
        _assert_agree(expected, got)
        self._check_versions(step)
        self._check_entries()
        self._check_heads()
        self._round += 1
        self.check_reads(_READERS[self._round % len(_READERS)])
        return got

    # ----------------------------------------------------------------- what is stored

    def _check_versions(self, step: Step) -> None:
        """History only grows, by exactly the rows the oracle has (R-15, R-21)."""
        versions = self.stage.versions()
        known = len(self._versions)
        assert versions[:known] == self._versions, "a stored version changed or went"
        new = versions[known:]
        newest = self._versions[-1].version if self._versions else 0
        assert all(row.version > newest for row in new), "a version did not rise"
        ids = self.stage.ids()
        expected = sorted(map(_standing, self.oracle.log[known:]), key=_place)
        assert sorted((standing(row, ids) for row in new), key=_place) == expected
        before = {(row.memory_id, row.version): row for row in self._versions}
        for row in new:
            old = before.get((row.memory_id, row.parent))
            arrow = (row.event, old and old.status, row.status)
            self.arrows.add(arrow)
            if old is not None and old.pinned:
                _assert_pin_held(old, row, step)
            before[row.memory_id, row.version] = row
        self._versions = versions

    def _check_entries(self) -> None:
        """Each write left its audit entries and none says what was written (B-330)."""
        entries = self.stage.entries()
        assert entries[self._entries :] == self.oracle.audit[self._entries :]
        for row in self.stage.audit_rows()[self._entries :]:
            said = " ".join(map(str, attrs.astuple(row)))
            assert not any(s.bare is False and s.text in said for s in SAYINGS.values())
            assert "kind:" not in said
        self._entries = len(entries)

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

    def check_reads(self, user_id: str) -> None:
        """get, list, count and search serve what they should, and no other user's rows."""
        who = next(w for w in WHOS if w.user_id == user_id)
        memory = self.stage.handle(who).memory
        expected = {r.at: _standing(r) for r in self.oracle.served(user_id)}
        ids = self.stage.ids()
        listed = {r.address: standing(r, ids) for r in memory.list(limit=1_000).items}
        assert listed == expected
        assert memory.count() == len(expected)
        everything = {r.address for r in memory.list(status="*", limit=1_000).items}
        assert everything == {r.at for r in self.oracle.visible(user_id)}
        for key in KEYS:
            row, served = memory.get(key), self.oracle.get(who, key)
            assert (row and row.address) == (served and served.at)
        self._check_search(user_id)

    def _check_search(self, user_id: str) -> None:
        sayings = tuple(SAYINGS.values())
        saying = sayings[self._round % len(sayings)]
        who = next(w for w in WHOS if w.user_id == user_id)
        found = self.stage.handle(who).memory.search(saying.text, top_k=1_000).hits
        served = {r.at: r for r in self.oracle.served(user_id)}
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

    def address(self) -> str | os.PathLike[str]:
        """Where the next store is."""
        return ":memory:"

    @initialize()
    def open(self) -> None:
        """An empty store."""
        self.trial = Trial(self.address())

    def teardown(self) -> None:
        """Close the store and count the arrows."""
        if hasattr(self, "trial"):
            self.taken.update(self.trial.arrows)
            for why, before, after in self.trial.arrows:
                event(f"{why}: {before} -> {after}")
            self.trial.close()

    @rule(step=steps()["set"])
    def set(self, step: Put) -> None:
        """memory.set, judged in the order of A-87, with every verdict of R-33."""
        self.trial.do(step)

    @rule(step=steps()["set"], data=st.data())
    def restate(self, step: Put, data: st.DataObject) -> None:
        """A value that is there already, under its own key (A-90, A-95)."""
        row = self._some(data, lambda row: row.live)
        if row is not None:
            said = {"who": _who(row), "key": row.at.memory_key, "saying": row.saying}
            self.trial.do(attrs.evolve(step, **said))

    @rule(step=steps()["update"] | steps()["pin"] | steps()["update_by_id"])
    def change(self, step: Put) -> None:
        """update, update_by_id and pin act on the row that answers (R-05, A-131, A-132)."""
        self.trial.do(step)

    @rule(step=steps()["set"] | steps()["update"], data=st.data())
    def compare_and_set(self, step: Put, data: st.DataObject) -> None:
        """A write that holds the hash of the live row (R-36)."""
        row = self._some(data, lambda row: row.live)
        if row is not None:
            said = {"who": _who(row), "key": row.at.memory_key, "if_match": row.saying}
            self.trial.do(attrs.evolve(step, **said))

    @rule(step=steps()["bulk_set"])
    def bulk_set(self, step: Bulk) -> None:
        """Entries in order, or all or none (R-37)."""
        self.trial.do(step)

    @rule(step=steps()["delete"])
    def delete(self, step: Delete) -> None:
        """Every live row of a key, and the caller's own duplicates (R-06, R-24)."""
        self.trial.do(step)

    @rule(step=steps()["restore"], data=st.data())
    def restore(self, step: Restore, data: st.DataObject) -> None:
        """Exactly what the newest delete took, judged again (R-61)."""
        row = self._some(data, lambda row: not row.live)
        if row is not None:
            step = attrs.evolve(step, who=_who(row), key=row.at.memory_key)
        self.trial.do(step)

    @rule(step=steps()["lock"] | steps()["unlock"])
    def lock(self, step: Lock | Unlock) -> None:
        """A lock refuses until it ends or is lifted (R-42)."""
        self.trial.do(step)

    @rule(step=steps()["ban"] | steps()["lift"] | steps()["sweep"])
    def blacklist(self, step: Ban | Lift | Sweep) -> None:
        """Patterns refuse every way in, and a sweep tombstones what they match (R-43)."""
        self.trial.do(step)

    @rule(step=steps()["wait"])
    def wait(self, step: Wait) -> None:
        """Expiries and locks end with the clock, which may step back (R-15, R-20)."""
        self.trial.do(step)

    def _some(self, data: st.DataObject, wanted: Any) -> Row | None:
        rows = [row for row in self.trial.oracle.rows.values() if wanted(row)]
        return data.draw(st.sampled_from(rows)) if rows else None


def _who(row: Row) -> Any:
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
    # A deleted pin is no pin: whoever writes the key again starts afresh.
    assert old.status is Status.TOMBSTONED, "an unpinned write changed a pinned row"


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
