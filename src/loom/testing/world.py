"""The oracle's world: rows in a dictionary, and what a change of one means for the others.

Plain Python with no index, no plan and no policy. `oracle.py` has the operations.
Times are microseconds since the epoch.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import attrs
from attrs import define

from loom.errors import Blacklisted, Locked, PinnedConflict, PreconditionFailed
from loom.model.identity import Address
from loom.testing.answers import Entry
from loom.testing.fakes import FakeClock
from loom.testing.rows import No, Row, Verdict
from loom.testing.sayings import FLOOR, Saying, cosine, relation
from loom.testing.steps import Put, Who

__all__ = ["World", "answered_by", "reaches"]

#: Types that are not embedded, so nothing is compared with them.
_UNCOMPARED: Final = ("profile", "episodic")


@define
class World:
    """One namespace, and how its rows hang together."""

    clock: FakeClock
    rows: dict[Address, Row] = attrs.Factory(dict)
    #: Every version, oldest first.
    log: list[Row] = attrs.Factory(list)
    audit: list[Entry] = attrs.Factory(list)
    patterns: list[str] = attrs.Factory(list)
    #: The last version stamped, and the one being stamped.
    last: int = 0
    stamp: int = 0

    @property
    def now(self) -> int:
        """The instant of the write under way: its version's (R-15)."""
        return self.stamp // 1000

    def _close(self, operation: str) -> None:
        """Put the write's rows into the history; its audit entries name the operation."""
        changed = [r for r in self.rows.values() if r.version == self.stamp]
        self.log.extend(changed)
        if changed:
            self.last = self.stamp
        fresh = [i for i, e in enumerate(self.audit) if e.version == self.stamp]
        for i in fresh:
            self.audit[i] = attrs.evolve(self.audit[i], operation=operation)

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
        self.last = self.stamp
        self.audit.append(
            Entry(
                version=self.stamp,
                ordinal=ordinal,
                operation=operation,
                at=at,
                of=None if row is None else row.at,
                saying="" if row is None else row.saying.name,
                verdict=verdict,
                refused=refused,
            )
        )

    # ----------------------------------------------------------------- changing

    def _change(self, at: Address, event: str, **fields: Any) -> Row:
        """A version of a row; a second change in one write is of the same version."""
        row = self.rows[at]
        if row.version != self.stamp:
            fields |= {"event": event, "parent": row.version, "version": self.stamp}
        self.rows[at] = attrs.evolve(row, **fields)
        return self.rows[at]

    def _link(self, at: Address, others: Iterable[Address]) -> None:
        """Conflict links have two sides (R-22)."""
        for other in others:
            for one, two in ((at, other), (other, at)):
                links = self.rows[one].conflict_with | {two}
                self._change(one, "relinked", status="conflicted", conflict_with=links)

    def _moved_on(self, old: Row, before: dict[Address, Row]) -> None:
        """A row left or says something else: its partners and duplicates follow."""
        for partner in old.conflict_with:
            row = self.rows[partner]
            if old.at in row.conflict_with and partner not in self._links(old.at):
                rest = row.conflict_with - {old.at}
                free = not rest and row.status == "conflicted"
                status = "active" if free else row.status
                self._change(partner, "relinked", conflict_with=rest, status=status)
        duplicates = [r for r in before.values() if answered_by(r, old.at)]
        for row in sorted(duplicates, key=lambda r: (r.version, r.born)):
            if answered_by(self.rows[row.at], old.at):
                verdict = self._weigh(self.rows[row.at], pins=True, lives=True)
                self._stand(row.at, "relinked", verdict)

    def _end_moved(self, old: Row, row: Row, before: dict[Address, Row]) -> None:
        """A restated row was given another end: what it answers for may outlast it now."""
        if row.expires_at == old.expires_at:
            return
        if row.status == "duplicate":
            self._stand(row.at, "restated", self._weigh(row, pins=True, lives=True))
        self._moved_on(old, before)

    def _links(self, at: Address) -> frozenset[Address]:
        return self.rows[at].conflict_with

    def _stand(self, at: Address, event: str, verdict: Verdict, **fields: Any) -> Row:
        """Give a row the standing that a verdict on its claim means."""
        duplicate = verdict.name == "duplicate"
        of = verdict.of.at if duplicate and verdict.of else None
        status = "duplicate" if duplicate else "active"
        standing: dict[str, Any] = {
            "status": status,
            "duplicate_of": of,
            "conflict_with": frozenset(),
        }
        self._change(at, event, **{**standing, **fields})
        self._link(at, (r.at for r in verdict.against))
        return self.rows[at]

    def _bury(self, row: Row, event: str) -> None:
        self._change(
            row.at,
            event,
            status="tombstoned",
            tombstoned_at=self.now,
            conflict_with=frozenset(),
            duplicate_of=None,
        )

    # ------------------------------------------------------------------ judging

    def _peers(self, claim: Row) -> list[tuple[Row, str]]:
        """Rows it is compared with, closest first, ties newest first (R-32, R-51)."""
        if claim.memory_type in _UNCOMPARED:
            return []
        found = [
            (row, _relation(claim, row))
            for row in self.rows.values()
            if row.at != claim.at
            and row.served(self.now)
            and row.memory_type == claim.memory_type
            and _may_touch(claim.at.user_id, claim.at.session_id, row.at)
            and _gathered(claim, row)
        ]
        found.sort(
            key=lambda p: (-cosine(claim.saying, p[0].saying), -p[0].version, p[0].born)
        )
        return found

    def _weigh(self, claim: Row, *, pins: bool, lives: bool) -> Verdict:
        """Canonical, then any close pinned peer, then same, then every conflict."""
        peers = self._peers(claim)
        judged = tuple(peers)
        for row, kind in peers:
            if kind == "canonical":
                name = "duplicate" if lives else "merge"
                return Verdict(name=name, of=row, peers=judged)
        if not pins and any(r.pinned for r, kind in peers if kind != "apart"):
            raise No(PinnedConflict.code)
        for row, kind in peers:
            if kind == "same":
                return Verdict(name="duplicate", of=row, peers=judged)
        against = tuple(row for row, kind in peers if kind == "conflict")
        name = "conflict" if against else "clear"
        return Verdict(name=name, against=against, peers=judged)

    def _twin(self, claim: Row) -> Verdict | None:
        """The bulk path takes a live row of the same hash for the fact (R-37, A-96).

        One of the agent's own, for nobody's session of that session (R-04), that stands at
        least as long as the claim.
        """
        at = claim.at
        mine = Who(at.agent, at.user_id, at.session_id)
        twins = [
            row
            for row in self.rows.values()
            if row.served(self.now)
            and row.saying == claim.saying
            and row.at.agent == at.agent
            and reaches(mine, row.at)
            and not claim.outlasts(row)
            and not (row.saying.bare and row.at.memory_key != at.memory_key)
        ]
        twins.sort(key=lambda r: (r.created_at, -r.version, r.born))
        return Verdict(name="merge", of=twins[0]) if twins else None

    def _guard(
        self, put: Put, live: Row | None, said: dict[str, Any], at: Address, *, pins: bool
    ) -> None:
        """Lock, pin, blacklist, precondition, in this order (A-87).

        A lock holds over a row past its end too, where nothing is merely restated and a
        fresh start would drop it (R-42).
        """
        head = self.rows.get(at)
        if head is not None and head.live and live is None and head.locked(self.now):
            raise No(Locked.code, at)
        changes = live is not None and (
            live.saying != put.saying or any(getattr(live, n) != said[n] for n in said)
        )
        if live is not None and changes:
            if live.locked(self.now) and live.lock_mode == "read_only":
                raise No(Locked.code, at)
            if live.pinned and not pins and not put.op.startswith("update"):
                raise No(PinnedConflict.code, at)
        tags = said.get("tags", live.tags if live else ())
        if put.saying is not None and self._banned(put.saying, tags):
            raise No(Blacklisted.code, at)
        if put.if_match is not None and (live is None or live.saying != put.if_match):
            raise No(PreconditionFailed.code, at)

    def _banned(
        self, saying: Saying, tags: Iterable[str], patterns: Iterable[str] | None = None
    ) -> bool:
        texts = [saying.text.casefold(), *(tag.casefold() for tag in tags)]
        known = self.patterns if patterns is None else patterns
        return any(p.casefold() in text for p in known for text in texts)

    def _said(self, put: Put) -> dict[str, Any]:
        said: dict[str, Any] = {}
        if put.memory_type is not None:
            said["memory_type"] = put.memory_type
        if put.tags is not None:
            said["tags"] = put.tags
        if put.clear_expiry:
            said["expires_at"] = None
        if put.ttl is not None:
            said["expires_at"] = self.clock.now_ns() // 1000 + put.ttl * 1_000_000
        if put.pinned is not None or put.op == "pin":
            said["pinned"] = True if put.op == "pin" else put.pinned
        return said

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

    def get(self, who: Who, key: str) -> Row | None:
        """The row that a key answers with (R-05)."""
        now = self.clock.now_ns() // 1000
        rows = [r for r in self.visible(who.user_id) if r.at.memory_key == key]
        rows = [r for r in rows if r.live and not r.past(now)]
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


def answered_by(row: Row, at: Address) -> bool:
    """The row is a duplicate, and the one at `at` answers for it."""
    return row.status == "duplicate" and row.duplicate_of == at


def _same_key(a: Row, b: Row) -> bool:
    return a.at.memory_key == b.at.memory_key


def _relation(claim: Row, row: Row) -> str:
    """What two claims are to each other; none vanishes with a row that ends sooner."""
    kind = relation(claim.saying, row.saying, same_key=_same_key(claim, row))
    answers = kind in ("canonical", "same")
    return "apart" if answers and claim.outlasts(row) else str(kind)


def _gathered(claim: Row, row: Row) -> bool:
    """Close by vector, or found by its words or its key."""
    near = claim.saying.topic == row.saying.topic
    near = near and cosine(claim.saying, row.saying) >= FLOOR
    return near or claim.saying.form == row.saying.form or _same_key(claim, row)


def _may_touch(user_id: str, session_id: str, at: Address) -> bool:
    """Writes, peers and deletes stay with the user; nobody's session with itself (R-04)."""
    if at.user_id != user_id:
        return False
    return user_id != "-" or not session_id or at.session_id == session_id


def reaches(who: Who, at: Address) -> bool:
    """The caller may change what lives there."""
    return _may_touch(who.user_id, who.session_id, at)
