"""A store and the oracle, side by side: they do the same and must agree in all that shows."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import attrs

from loom.model.audit import AuditRow
from loom.model.identity import Address
from loom.model.memory import MemoryRow
from loom.model.status import Event, Status
from loom.testing.answers import (
    Answer,
    Decided,
    Deleted,
    Held,
    Restored,
    Standing,
    Wrote,
    Wrotes,
)
from loom.testing.oracle import Oracle
from loom.testing.plain import entry_of, standing
from loom.testing.rows import Row
from loom.testing.sayings import SAYINGS, Saying
from loom.testing.scenarios import KEYS, WHOS
from loom.testing.stage import Stage
from loom.testing.steps import Bulk, Decide, Expire, Put, Resolve, Step, Who

__all__ = ["Arrow", "Trial"]

#: Why, from which status (None: no row yet), to which.
Arrow: TypeAlias = tuple[Event, Status | None, Status]

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
        self._sealed = 0
        #: A write of several may have been undone: its versions are not given again.
        self._undid = False
        self._versions: tuple[MemoryRow, ...] = ()
        self._entries: tuple[AuditRow, ...] = ()
        #: From the store's versions to the oracle's, in the same order.
        self._named = {0: 0, self.stage.opened: self.stage.opened}

    def close(self) -> None:
        """Close the store."""
        self.stage.close()

    def do(self, step: Step) -> Answer:
        """Take a step on both and compare all that can be seen afterwards."""
        served = self._said_and_served() if isinstance(step, Expire) else None
        expected, got = self.oracle.do(step), self.stage.do(step)
        versions, entries = self.stage.versions(), self.stage.audit_rows()
        self._check_stamps(
            {r.version for r in versions} | {e.version for e in entries}, step
        )
        _assert_agree(expected, _renamed(got, self._named))
        self._check_versions(versions, step)
        self._check_entries(entries)
        self._sealed = self.oracle.sealed
        self._check_heads()
        for user_id in _READERS:
            self._check_reads(user_id)
        if served is not None:
            assert self._said_and_served() == served, "a sweep changed what is served"
        if isinstance(step, Put) and step.saying is not None:
            self._check_search(step.who, step.saying)
        return got

    def _said_and_served(self) -> dict[Address, Saying]:
        """What reads serve; a partner of what is swept may lose its mark (R-20)."""
        return {row.at: row.saying for u in _READERS for row in self.oracle.served(u)}

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
            if not isinstance(step, Bulk) and not self._undid:
                assert new[0] == max(self.stage.clock.now_ns(), max(self._named) + 1)
            self._undid = False
        self._undid = self._undid or isinstance(step, Bulk)
        self._named.update(zip(new, expected, strict=True))

    def _check_versions(self, versions: tuple[MemoryRow, ...], step: Step) -> None:
        """History only grows, by exactly the rows the oracle has (R-21).

        But what becomes secret is sealed in earlier versions too (R-46).
        """
        known = len(self._versions)
        seals = self.oracle.sealed != self._sealed
        new = versions[known:]
        kept = 0 if seals else known
        if not seals:
            assert versions[:known] == self._versions, "a stored version changed or went"
        assert sorted(map(self._standing, versions[kept:]), key=_place) == sorted(
            map(_standing, self.oracle.log[kept:]), key=_place
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
        kept = 0 if self.oracle.sealed != self._sealed else known
        if kept:
            assert entries[:known] == self._entries, "an audit entry changed or went"
        ids = self.stage.ids()
        plain = [entry_of(row, ids) for row in entries[kept:]]
        named = [attrs.evolve(e, version=self._named[e.version]) for e in plain]
        assert named == self.oracle.audit[kept:]
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
        expected = {r.at: _shown(r) for r in self.oracle.served(user_id)}
        listed = {r.address: self._standing(r) for r in memory.list(limit=1_000).items}
        assert listed == expected
        assert memory.count() == len(expected)
        ids = self.stage.ids()
        everything = [ids[r.memory_id] for r in memory.list(status="*", limit=1_000).items]
        assert sorted(everything, key=str) == sorted(
            (r.at for r in self.oracle.visible(user_id)), key=str
        )
        assert self.stage.pairs(who) == self.oracle.pairs(user_id)
        for one in (w for w in WHOS if w.user_id == user_id):
            for key in KEYS:
                served = self.oracle.get(one, key)
                if served is not None and served.secret:
                    continue  # that read is audited: a step of its own
                row = self.stage.handle(one).memory.get(key)
                assert (row.address if row else None) == (served.at if served else None)

    def _check_search(self, who: Who, saying: Saying) -> None:
        """A search serves what a list serves, and finds what says just that (A-19, R-50)."""
        found = self.stage.handle(who).memory.search(saying.text, top_k=1_000).hits
        served = {r.at: r for r in self.oracle.served(who.user_id)}
        ids = self.stage.ids()
        hits = [ids[hit.memory_id] for hit in found]
        assert len(set(hits)) == len(hits)
        findable = {at for at, row in served.items() if not row.secret}
        assert set(hits) <= findable, "a search served what a list would not, or a secret"
        exact = {
            at for at, row in served.items() if row.saying == saying and row.searchable
        }
        assert exact <= set(hits), "a search missed a row that says just this"


def _place(row: Standing) -> tuple[int, str]:
    return (row.version, str(row.at))


def _standing(row: Row) -> Standing:
    names = {f.name for f in attrs.fields(Standing)}
    fields = {n: getattr(row, n) for n in names if n != "saying"}
    return Standing(saying=row.saying.name, **fields)


def _shown(row: Row) -> Standing:
    """A row as a list shows it: a secret without what it says (R-46)."""
    whole = _standing(row)
    if not row.secret:
        return whole
    return attrs.evolve(whole, saying="", allowed_with=frozenset())


def _assert_pin_held(old: MemoryRow, new: MemoryRow, step: Step) -> None:
    """No write that does not itself pin changed what a pinned row says (A-129)."""
    said = (old.value, old.tags, old.memory_type, old.pinned)
    if (new.value, new.tags, new.memory_type, new.pinned) == said:
        return
    if isinstance(step, Put) and (step.op != "set" or step.pinned):
        return
    if isinstance(step, Bulk) and any(entry.pinned for entry in step.entries):
        return
    if isinstance(step, Decide | Resolve):
        return  # a proposal that pins is taken, or somebody decided what it says
    # A pin that was deleted or is past its end is no pin: the next write starts afresh.
    ended = not old.is_current(new.updated_at)
    assert ended, "an unpinned write changed a pinned row"


def _renamed(got: Answer, named: Mapping[int, int]) -> Answer:
    """An answer with the oracle's versions."""
    if isinstance(got, Wrotes):
        return Wrotes(tuple(_renamed(one, named) for one in got.answers))  # type: ignore[misc]
    if isinstance(got, Decided):
        wrote: Any = None if got.wrote is None else _renamed(got.wrote, named)
        return attrs.evolve(got, version=named[got.version], wrote=wrote)
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
    if isinstance(expected, Decided) and isinstance(got, Decided) and expected.wrote:
        assert got.wrote is not None
        _assert_agree(expected.wrote, got.wrote)
        expected = attrs.evolve(expected, wrote=got.wrote)
    if isinstance(expected, Wrote) and isinstance(got, Wrote):
        assert got.peers <= expected.peers
        assert len(got.peers) == min(5, len(expected.peers))
        expected = attrs.evolve(expected, peers=got.peers)
    assert got == expected
