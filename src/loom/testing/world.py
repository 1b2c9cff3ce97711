"""The oracle's world: rows in a dictionary, their history, and who is shown what.

Plain Python with no index, no plan and no policy. `weighing.py` says what claims are to
each other, `claims.py` and `deciding.py` what becomes of them, `oracle.py` has the rest of
the operations. Times are microseconds since the epoch.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs
from attrs import define

from loom.model.identity import Address
from loom.testing.answers import Entry
from loom.testing.customs import Custom, custom_of
from loom.testing.fakes import FakeClock
from loom.testing.rows import Row
from loom.testing.sayings import Saying
from loom.testing.steps import Who

__all__ = ["World", "answered_by", "may_touch", "reaches"]


@define
class World:
    """One namespace, and how its rows hang together."""

    clock: FakeClock
    rows: dict[Address, Row] = attrs.Factory(dict)
    #: Every version, oldest first.
    log: list[Row] = attrs.Factory(list)
    audit: list[Entry] = attrs.Factory(list)
    patterns: list[str] = attrs.Factory(list)
    #: The namespace's policy; None while it is not registered.
    policy: str | None = None
    #: How often versions of a secret had to be sealed.
    sealed: int = 0
    #: The last version stamped, and the one being stamped.
    last: int = 0
    stamp: int = 0

    @property
    def now(self) -> int:
        """The instant of the write under way: its version's (R-15)."""
        return self.stamp // 1000

    def _begin(self) -> None:
        self.stamp = max(self.clock.now_ns(), self.last + 1)

    def _close(self, operation: str) -> None:
        """Put the write's rows into the history; its audit entries name the operation."""
        changed = [r for r in self.rows.values() if r.version == self.stamp]
        self.log.extend(changed)
        if changed:
            self.last = self.stamp
        for i, entry in enumerate(self.audit):
            if entry.version == self.stamp:
                self.audit[i] = attrs.evolve(entry, operation=operation)
        for row in changed:
            if row.secret:
                self._seal(row)

    def _seal(self, row: Row) -> None:
        """What a secret row said before in the same words is secret too (R-46)."""

        def sealed(one: Row) -> Row:
            if one.born == row.born and one.saying == row.saying:
                one = attrs.evolve(one, sensitivity="high")
            allowed = one.allowed_with - {(row.at, row.saying.name)}
            return attrs.evolve(one, allowed_with=allowed)

        log = [sealed(one) for one in self.log]
        self.sealed += log != self.log
        self.log = log
        self.rows = {at: sealed(one) for at, one in self.rows.items()}
        for i, entry in enumerate(self.audit):
            if entry.of == row.born and entry.saying == row.saying.name:
                self.audit[i] = attrs.evolve(entry, saying="?")
                self.sealed += 1

    def _note(
        self,
        operation: str,
        at: Address,
        row: Row | None = None,
        *,
        verdict: str = "",
        refused: str = "",
        ordinal: int = 0,
    ) -> None:
        """An audit entry; the hash of a secret is keyed there (R-46)."""
        self.last = self.stamp
        said = "" if row is None else "?" if row.secret else row.saying.name
        self.audit.append(
            Entry(
                version=self.stamp,
                ordinal=ordinal,
                operation=operation,
                at=at.own,
                of=None if row is None else row.born,
                saying=said,
                verdict=verdict,
                refused=refused,
            )
        )

    def _change(self, at: Address, event: str, **fields: Any) -> Row:
        """A version of a row; a second change in one write is of the same version."""
        row = self.rows[at]
        if row.version != self.stamp:
            fields |= {"event": event, "parent": row.version, "version": self.stamp}
        self.rows[at] = attrs.evolve(row, **fields)
        return self.rows[at]

    def _custom(self, tags: Iterable[str]) -> Custom:
        return custom_of(self.policy, tags)

    def _banned(
        self, saying: Saying, tags: Iterable[str], patterns: Iterable[str] | None = None
    ) -> bool:
        texts = [saying.text.casefold(), *(tag.casefold() for tag in tags)]
        known = self.patterns if patterns is None else patterns
        return any(p.casefold() in text for p in known for text in texts)

    # ------------------------------------------------------------------ looking

    def _answering(self, who: Who, key: str) -> Row | None:
        """What `get` answers of what the caller may change, for a change by key (R-05).

        A duplicate that nothing answers for, or only what the caller may not change,
        answers for itself.
        """
        mine = [r for r in self._under(who, key) if r.current(self.now)]
        own = [r for r in mine if r.at == who.at(key)]
        served = [r for r in mine if r.status != "duplicate"]
        row = next(iter((*own, *served, *mine)), None)
        if row is None or row.duplicate_of is None:
            return row
        canonical = self.rows[row.duplicate_of]
        stands = canonical.served(self.now) and reaches(who, canonical.at)
        return canonical if stands else row

    def _to_unlock(self, who: Who, key: str) -> Row | None:
        """What answers for a key if it is locked, else the key's newest locked row."""
        row = self._answering(who, key)
        if row is not None and row.locked(self.now):
            return row
        locked = (r for r in self._under(who, key) if r.live and r.locked(self.now))
        return next(locked, row)

    def _under(self, who: Who, key: str) -> list[Row]:
        """All rows of a key that the caller may change, newest first."""
        rows = [r for r in self.rows.values() if r.at.memory_key == key]
        rows = [r for r in rows if reaches(who, r.at)]
        return sorted(rows, key=lambda r: (-r.version, r.born))

    def visible(self, user_id: str) -> list[Row]:
        """Rows of the user and of nobody (R-04)."""
        return [r for r in self.rows.values() if r.at.user_id in (user_id, "-")]

    def served(self, user_id: str) -> list[Row]:
        """What a list of that user answers with, at the clock's instant."""
        now = self.clock.now_ns() // 1000
        return [r for r in self.visible(user_id) if r.served(now)]

    def pairs(self, user_id: str) -> list[tuple[Address, Address]]:
        """The contradictions that wait for a decision, latest first (A-126).

        Of the two the one that was changed last is named first.
        """
        rows = {r.at: r for r in self.served(user_id)}
        found = [
            (row, rows[other])
            for row in rows.values()
            for other in row.conflict_with
            if other in rows and _rank(rows[other]) < _rank(row)
        ]
        found.sort(key=lambda p: (-p[0].version, p[0].born, p[1].born))
        return [(row.at, other.at) for row, other in found]

    def get(self, who: Who, key: str) -> Row | None:
        """The row that a key answers with (R-05)."""
        now = self.clock.now_ns() // 1000
        rows = [r for r in self.visible(who.user_id) if r.at.memory_key == key]
        rows = [r for r in rows if r.current(now)]
        rows.sort(key=lambda r: (r.at.user_id != who.user_id, -r.version, r.born))
        own = [r for r in rows if r.at == who.at(key)]
        for row in (*own, *(r for r in rows if r.status != "duplicate"), *rows):
            answer = self._standing_in(who, row) if row.duplicate_of else row
            if answer is not None:
                return answer
        return None

    def _standing_in(self, who: Who, duplicate: Row) -> Row | None:
        assert duplicate.duplicate_of is not None
        row = self.rows[duplicate.duplicate_of]
        now = self.clock.now_ns() // 1000
        seen = row.at.user_id in (who.user_id, "-")
        return row if seen and row.served(now) else None


def _rank(row: Row) -> tuple[int, int]:
    return (row.version, row.born)


def answered_by(row: Row, at: Address) -> bool:
    """The row is a duplicate, and the one at `at` answers for it."""
    return row.status == "duplicate" and row.duplicate_of == at


def may_touch(user_id: str, session_id: str, at: Address) -> bool:
    """Writes, peers and deletes stay with the user; nobody's session with itself (R-04)."""
    if at.user_id != user_id:
        return False
    return user_id != "-" or not session_id or at.session_id == session_id


def reaches(who: Who, at: Address) -> bool:
    """The caller may change what lives there."""
    return may_touch(who.user_id, who.session_id, at)
