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
from collections.abc import Callable
from typing import Any, ClassVar, Final

import attrs
from hypothesis import event
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from loom.model.status import ARROWS, Event
from loom.testing.rows import Row
from loom.testing.scenarios import WHOS, Cast, casts, steps
from loom.testing.steps import Who
from loom.testing.trial import Arrow, Trial

__all__ = ["BUILT", "LifecycleMachine"]

#: Every arrow that an operation takes; importing has a test of its own.
BUILT: Final = frozenset(
    (why, before, after)
    for why, table in ARROWS.items()
    if why is not Event.IMPORTED
    for before, ends in table.items()
    for after in ends
)


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

    @initialize(cast=casts(), registers=st.booleans(), data=st.data())
    def open(self, cast: Cast, registers: bool, data: st.DataObject) -> None:
        """An empty store, who will take part, and perhaps what its namespace says."""
        self.trial = Trial(self.address())
        self.steps = steps(cast)
        if registers:
            self._draw_and_do(data, "register", who=WHOS[0])

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
        row = self._some(data, lambda row: row.status in ("tombstoned", "superseded"))
        said = {} if row is None else {"who": _who(row), "key": row.at.memory_key}
        self._draw_and_do(data, "restore", **said)

    @rule(data=st.data())
    def propose(self, data: st.DataObject) -> None:
        """A claim on trial, beside what the key holds (R-23)."""
        self._draw_and_do(data, "propose")

    @rule(data=st.data())
    def decide(self, data: st.DataObject) -> None:
        """A proposal is taken or turned down, by whoever may write for its user (R-23)."""
        row = self._some(data, lambda row: row.status == "proposed")
        said = {} if row is None else {"who": _who(row), "of": row.at}
        self._draw_and_do(data, "decide", **said)

    @rule(data=st.data())
    def reject(self, data: st.DataObject) -> None:
        """A row is wrong, by its key or its id (A-154)."""
        if data.draw(st.booleans()):
            self._draw_and_do(data, "reject")
            return
        row = self._some(data, lambda _: True)
        said = {} if row is None else {"who": _who(row), "of": row.at}
        self._draw_and_do(data, "reject_by_id", **said)

    @rule(data=st.data())
    def resolve(self, data: st.DataObject) -> None:
        """Of two in conflict one stands, or both (R-60)."""
        row = self._some(data, lambda row: bool(row.conflict_with))
        said: dict[str, Any] = {}
        if row is not None:
            peer = data.draw(st.sampled_from(sorted(row.conflict_with, key=str)))
            said = {"who": _who(row), "of": row.at, "peer": peer}
        self._draw_and_do(data, "resolve", **said)

    @rule(data=st.data())
    def date(self, data: st.DataObject) -> None:
        """A fact of another date, which newest_wins may file into history (R-44)."""
        self._draw_and_do(data, "date")

    @rule(data=st.data())
    def register(self, data: st.DataObject) -> None:
        """The namespace's policy changes; what is stored stays (R-44, R-45)."""
        self._draw_and_do(data, "register")

    @rule(data=st.data())
    def expire(self, data: st.DataObject) -> None:
        """A sweep makes visible what reads honour already (R-20)."""
        self._draw_and_do(data, "expire")

    @rule(data=st.data())
    def look(self, data: st.DataObject) -> None:
        """A read by key; of a secret it is audited (R-46)."""
        self._draw_and_do(data, "look")

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
    at = row.at.own
    return next(w for w in WHOS if w.at(at.memory_key) == at)
