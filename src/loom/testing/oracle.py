"""What a store should do, in plain Python: dictionaries, no index, no plan, no policy.

It is written from the rules (the two source pages and the rulings R-nn), shares no code
with `policies`, `plans` or `text`, and knows what two claims are to each other from the
scenario's table. Where it and the library differ, one of them is wrong; it is short so
that a reader can say which.

Times are microseconds since the epoch.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any, Final

import attrs
from attrs import define, frozen

from loom.model.identity import Address
from loom.testing.answers import (
    Answer,
    Banned,
    Deleted,
    Entry,
    Locked,
    Nothing,
    Refused,
    Restored,
    Revived,
    Swept,
    Wrote,
    Wrotes,
)
from loom.testing.fakes import FakeClock
from loom.testing.scenarios import (
    FLOOR,
    Ban,
    Bulk,
    Delete,
    Lift,
    Lock,
    Put,
    Restore,
    Saying,
    Step,
    Sweep,
    Unlock,
    Wait,
    Who,
    cosine,
    relation,
)

__all__ = ["Oracle", "Row", "Verdict"]

_LIVE: Final = ("active", "conflicted", "duplicate")
_SERVED: Final = ("active", "conflicted")
#: Types that are not embedded, so nothing is compared with them.
_UNCOMPARED: Final = ("profile", "episodic")
_WINDOW: Final = 14 * 86_400 * 1_000_000


@frozen(kw_only=True)
class Row:
    """One version of one row; an address has one row for ever."""

    at: Address
    #: The how-manieth address was written first: the order of memory ids.
    born: int
    saying: Saying
    memory_type: str = "semantic"
    tags: tuple[str, ...] = ()
    status: str = "active"
    pinned: bool = False
    conflict_with: frozenset[Address] = frozenset()
    duplicate_of: Address | None = None
    count: int = 1
    version: int
    parent: int = 0
    event: str = "created"
    created_at: int
    tombstoned_at: int | None = None
    expires_at: int | None = None
    lock_mode: str | None = None
    lock_until: int | None = None

    @property
    def live(self) -> bool:
        """A set under its key revises it."""
        return self.status in _LIVE

    def past(self, now: int) -> bool:
        """Its expiry has come."""
        return self.expires_at is not None and self.expires_at <= now

    def served(self, now: int) -> bool:
        """Reads answer with it (R-20)."""
        return self.status in _SERVED and not self.past(now)

    def locked(self, now: int) -> bool:
        """A lock is in force."""
        return self.lock_mode is not None and (
            self.lock_until is None or now < self.lock_until
        )


@frozen(kw_only=True)
class Verdict:
    """What a claim is to all its peers at once (R-33)."""

    name: str
    of: Row | None = None
    against: tuple[Row, ...] = ()
    peers: tuple[tuple[Row, str], ...] = ()


class _No(Exception):
    """The operation is refused; `audited` says whether that leaves an entry (R-30)."""

    def __init__(self, code: str, audited: Address | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.audited = audited


@define
class Oracle:
    """The lifecycle of one namespace."""

    clock: FakeClock
    rows: dict[Address, Row] = attrs.Factory(dict)
    #: Every version, oldest first.
    log: list[Row] = attrs.Factory(list)
    audit: list[Entry] = attrs.Factory(list)
    patterns: list[str] = attrs.Factory(list)
    #: The last version stamped, and the one being stamped.
    last: int = 0
    stamp: int = 0

    # ------------------------------------------------------------------- doing

    def do(self, step: Step) -> Answer:
        """The answer to a step, and the state after it."""
        match step:
            case Wait():
                return Nothing()  # whoever runs the program moves the clock
            case Put() | Delete() | Restore() if step.dry_run:
                # Exactly the answer of the write at that moment.
                answer = self._rehearsal().do(attrs.evolve(step, dry_run=False))
                return answer if isinstance(answer, Refused) else _unversioned(answer)
            case Put():
                return self._one(f"memory.{step.op}", lambda: self._put(step))
            case Bulk():
                return self._bulk(step)
            case Delete():
                return self._one("memory.delete", lambda: self._delete(step))
            case Restore():
                return self._one("memory.restore", lambda: self._restore(step))
            case Lock():
                return self._one("memory.lock", lambda: self._lock(step))
            case Unlock():
                return self._one("memory.unlock", lambda: self._unlock(step))
            case Ban():
                return self._ban(step)
            case Lift():
                return self._lift(step)
            case Sweep():
                return self._sweep("blacklist.sweep", self.patterns)

    def _rehearsal(self) -> Oracle:
        return attrs.evolve(
            self,
            rows=dict(self.rows),
            log=list(self.log),
            audit=list(self.audit),
            patterns=list(self.patterns),
        )

    @property
    def now(self) -> int:
        """The instant of the write under way: its version's (R-15)."""
        return self.stamp // 1000

    def _one(self, operation: str, write: Callable[[], Answer]) -> Answer:
        """One write: a stamp for all its rows, and one entry if a guard refuses it."""
        self.stamp = max(self.clock.now_ns(), self.last + 1)
        try:
            answer = write()
        except _No as no:
            if no.audited is not None:
                self._note(operation, no.audited, refused=no.code)
            return Refused(no.code)
        self._close(operation)
        return answer

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
        duplicates = [r for r in before.values() if _answered_by(r, old.at)]
        for row in sorted(duplicates, key=lambda r: (r.version, r.born)):
            if _answered_by(self.rows[row.at], old.at):
                verdict = self._weigh(self.rows[row.at], pins=True, lives=True)
                self._stand(row.at, "relinked", verdict)

    def _links(self, at: Address) -> frozenset[Address]:
        return self.rows[at].conflict_with

    def _stand(self, at: Address, event: str, verdict: Verdict, **fields: Any) -> Row:
        """Give a row the standing that a verdict on its claim means."""
        duplicate = verdict.name == "duplicate"
        of = verdict.of.at if duplicate and verdict.of else None
        status = "duplicate" if duplicate else "active"
        standing = {"status": status, "duplicate_of": of, "conflict_with": frozenset()}
        self._change(at, event, **{**standing, **fields})
        self._link(at, (r.at for r in verdict.against))
        return self.rows[at]

    # ------------------------------------------------------------------ judging

    def _peers(self, claim: Row) -> list[tuple[Row, str]]:
        """Rows it is compared with, closest first, ties newest first (R-32, R-51)."""
        if claim.memory_type in _UNCOMPARED:
            return []
        found = [
            (row, relation(claim.saying, row.saying, same_key=_same_key(claim, row)))
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
        return [(row, str(kind)) for row, kind in found]

    def _weigh(self, claim: Row, *, pins: bool, lives: bool) -> Verdict:
        """Canonical, then any close pinned peer, then same, then every conflict."""
        peers = self._peers(claim)
        judged = tuple(peers)
        for row, kind in peers:
            if kind == "canonical":
                name = "duplicate" if lives else "merge"
                return Verdict(name=name, of=row, peers=judged)
        if not pins and any(r.pinned for r, kind in peers if kind != "apart"):
            raise _No("PINNED_CONFLICT")
        for row, kind in peers:
            if kind == "same":
                return Verdict(name="duplicate", of=row, peers=judged)
        against = tuple(row for row, kind in peers if kind == "conflict")
        name = "conflict" if against else "clear"
        return Verdict(name=name, against=against, peers=judged)

    def _guard(
        self, put: Put, live: Row | None, said: dict[str, Any], at: Address, *, pins: bool
    ) -> None:
        """Lock, pin, blacklist, precondition, in this order (A-87)."""
        changes = live is not None and (
            live.saying != put.saying or any(getattr(live, n) != said[n] for n in said)
        )
        if live is not None and changes:
            if live.locked(self.now) and live.lock_mode == "read_only":
                raise _No("LOCKED", at)
            if live.pinned and not pins and not put.op.startswith("update"):
                raise _No("PINNED_CONFLICT", at)
        if put.saying is not None and self._banned(put.saying, said.get("tags", ())):
            raise _No("BLACKLISTED", at)
        if put.if_match is not None and (live is None or live.saying != put.if_match):
            raise _No("PRECONDITION_FAILED", at)

    def _banned(
        self, saying: Saying, tags: Iterable[str], patterns: Iterable[str] | None = None
    ) -> bool:
        texts = [saying.text.casefold(), *(tag.casefold() for tag in tags)]
        known = self.patterns if patterns is None else patterns
        return any(p.casefold() in text for p in known for text in texts)

    # ------------------------------------------------------------------ writing

    def _put(self, put: Put, *, bulk: bool = False) -> Wrote:
        at = self._target(put)
        head = self.rows.get(at)
        live = head if head is not None and head.live else None
        if put.saying is None:
            if live is None:
                raise _No("NOT_FOUND")
            put = attrs.evolve(put, saying=live.saying)
        assert put.saying is not None
        said = self._said(put)
        pins = said.get("pinned") is True
        self._guard(put, live, said, at, pins=pins)
        memory_type = put.memory_type or (live.memory_type if live else "semantic")
        if live and live.saying == put.saying and live.memory_type == memory_type:
            row = self._change(at, "restated", count=live.count + 1, **said)
            return self._wrote(row, Verdict(name="restated"))
        claim = self._claim(put.saying, at, head, live, said | {"memory_type": memory_type})
        verdict = None
        if bulk and live is None:
            verdict = self._twin(put, at)
        if verdict is None:
            try:
                verdict = self._weigh(claim, pins=pins, lives=live is not None)
            except _No as no:
                raise _No(no.code, at) from None
        if verdict.name == "merge":
            assert verdict.of is not None
            merged = self._change(verdict.of.at, "reinforced", count=verdict.of.count + 1)
            return self._wrote(merged, verdict)
        before = dict(self.rows)
        self.rows[at] = claim
        row = self._stand(at, claim.event, verdict)
        if live is not None:
            self._moved_on(live, before)
        return self._wrote(self.rows[row.at], verdict)

    def _target(self, put: Put) -> Address:
        """The row that a write acts on (R-05)."""
        own = put.who.at(put.key)
        if put.op == "set":
            return own
        if put.op == "update_by_id":
            assert put.of is not None
            row = self.rows.get(put.of)
            if row is None or not row.live or not _reaches(put.who, row.at):
                raise _No("NOT_FOUND")
            return row.at
        found = self._answering(put.who, put.key)
        if found is not None:
            return found.at
        if put.op == "update" or put.saying is None:
            raise _No("NOT_FOUND")
        return own

    def _answering(self, who: Who, key: str) -> Row | None:
        """The caller's own live row, else the newest one that the caller may change."""
        mine = [r for r in self._under(who, key) if r.live]
        own = [r for r in mine if r.at == who.at(key)]
        return (own or mine or [None])[0]

    def _under(self, who: Who, key: str) -> list[Row]:
        """All rows of a key that the caller may change, newest first."""
        rows = [r for r in self.rows.values() if r.at.memory_key == key]
        rows = [r for r in rows if _reaches(who, r.at)]
        return sorted(rows, key=lambda r: (-r.version, r.born))

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

    def _claim(
        self,
        saying: Saying,
        at: Address,
        head: Row | None,
        live: Row | None,
        said: dict[str, Any],
    ) -> Row:
        """The row as it would be: a revision, a first version, or a fresh start."""
        if live is not None:
            fields = {"saying": saying, "count": 1, "version": self.stamp, **said}
            return attrs.evolve(live, event="revised", parent=live.version, **fields)
        return Row(
            at=at,
            born=len(self.rows) if head is None else head.born,
            saying=saying,
            version=self.stamp,
            parent=0 if head is None else head.version,
            created_at=self.now if head is None else head.created_at,
            **said,
        )

    def _twin(self, put: Put, at: Address) -> Verdict | None:
        """The bulk path takes a live row of the same hash for the fact (R-37, A-96)."""
        twins = [
            row
            for row in self.rows.values()
            if row.served(self.now)
            and row.saying == put.saying
            and (row.at.agent, row.at.user_id) == (at.agent, at.user_id)
            and not (row.saying.bare and row.at.memory_key != at.memory_key)
        ]
        twins.sort(key=lambda r: (r.created_at, -r.version, r.born))
        return Verdict(name="merge", of=twins[0]) if twins else None

    def _wrote(self, row: Row, verdict: Verdict) -> Wrote:
        self._note("", row.at, row, verdict=verdict.name)
        merged = verdict.name == "merge"
        return Wrote(
            at=row.at,
            saying=row.saying.name,
            version=row.version,
            verdict=verdict.name,
            status=row.status,
            pinned=row.pinned,
            duplicate_of=row.duplicate_of,
            merged_into_key=row.at.memory_key if merged else "",
            noop=merged,
            count=row.count,
            peers=frozenset((r.at, kind) for r, kind in verdict.peers),
        )

    def _bulk(self, step: Bulk) -> Answer:
        """Entry after entry, each seeing the ones before; or all or none (R-37)."""
        trial = self._rehearsal() if step.atomic else self
        answers: list[Any] = []
        for entry in step.entries:
            answer = trial._one("memory.bulk_set", lambda e=entry: trial._put(e, bulk=True))  # type: ignore[misc]
            if step.atomic and isinstance(answer, Refused):
                self._undone(trial, answer)
                return answer
            answers.append(answer)
        if step.atomic:
            for name in ("rows", "log", "audit", "last", "stamp"):
                setattr(self, name, getattr(trial, name))
        return Wrotes(tuple(answers))

    def _undone(self, trial: Oracle, answer: Refused) -> None:
        self.stamp = trial.stamp  # versions of undone entries are not given again
        self._note("memory.bulk_set", trial.audit[-1].at, refused=answer.code)

    # ---------------------------------------------------------------- lifecycle

    def _delete(self, step: Delete) -> Deleted:
        """Every live row of the key that the caller may change, or none (R-06, R-24)."""
        who = step.who
        named = [r for r in self._under(who, step.key) if r.live]
        if step.mine_only:
            named = [r for r in named if r.at == who.at(step.key)]
        if any(r.locked(self.now) for r in named):
            raise _No("LOCKED", who.at(step.key))
        if not named:
            return Deleted(rows=frozenset(), version=0)
        before = dict(self.rows)
        for row in named:
            self._bury(row, "deleted")
        along: list[Row] = []
        for row in named:
            duplicates = [r for r in before.values() if _answered_by(r, row.at)]
            for one in sorted(duplicates, key=lambda r: (r.version, r.born)):
                mine = one.at.agent == who.agent and _reaches(who, one.at)
                if mine and self.rows[one.at].live and not one.locked(self.now):
                    self._bury(one, "deleted")
                    along.append(one)
        for row in (*named, *along):
            self._moved_on(row, before)
        gone = [(r.at, r in along) for r in (*named, *along)]
        for i, (at, _) in enumerate(gone):
            self._note("", at, self.rows[at], verdict="deleted", ordinal=i)
        return Deleted(rows=frozenset(gone), version=self.stamp)

    def _bury(self, row: Row, event: str) -> None:
        self._change(
            row.at,
            event,
            status="tombstoned",
            tombstoned_at=self.now,
            conflict_with=frozenset(),
            duplicate_of=None,
        )

    def _restore(self, step: Restore) -> Restored:
        """Exactly what the newest delete of the key took, each judged again (R-61)."""
        dead = [r for r in self._under(step.who, step.key) if not r.live]
        if not dead:
            raise _No("NOT_FOUND")
        refuse = step.who.at(step.key)
        group = [
            row
            for row in self.rows.values()
            if row.version == dead[0].version
            and row.status == "tombstoned"
            and _reaches(step.who, row.at)
        ]
        group.sort(key=lambda r: r.born)
        if self.now - max(r.tombstoned_at or 0 for r in group) > _WINDOW:
            raise _No("RESTORE_WINDOW_PASSED", refuse)
        if any(self._banned(r.saying, r.tags) for r in group):
            raise _No("BLACKLISTED", refuse)
        before = dict(self.rows)
        verdicts: dict[Address, str] = {}
        for row in group:
            try:
                verdict = self._weigh(row, pins=row.pinned, lives=True)
            except _No as no:
                self.rows = before
                raise _No(no.code, refuse) from None
            fields: dict[str, Any] = {"expires_at": None} if step.clear_expiry else {}
            self._stand(row.at, "restored", verdict, tombstoned_at=None, **fields)
            verdicts[row.at] = verdict.name
        alive = [self.rows[r.at] for r in group]
        for i, row in enumerate(alive):
            self._note("", row.at, row, verdict="restored", ordinal=i)
        rows = frozenset(
            Revived(
                at=r.at,
                status=r.status,
                verdict=verdicts[r.at],
                duplicate_of=r.duplicate_of,
            )
            for r in alive
        )
        return Restored(rows=rows, version=self.stamp)

    def _lock(self, step: Lock) -> Locked:
        row = self._answering(step.who, step.key)
        if row is None:
            raise _No("NOT_FOUND")
        clock = self.clock.now_ns() // 1000
        until = None if step.ttl is None else clock + step.ttl * 1_000_000
        row = self._change(row.at, "locked", lock_mode=step.mode, lock_until=until)
        self._note("", row.at, row, verdict="locked")
        return Locked(at=row.at, version=row.version, mode=step.mode, until=until)

    def _unlock(self, step: Unlock) -> Locked:
        row = self._answering(step.who, step.key)
        if row is None:
            raise _No("NOT_FOUND")
        if row.lock_mode is not None:
            row = self._change(row.at, "unlocked", lock_mode=None, lock_until=None)
            self._note("", row.at, row, verdict="unlocked")
        return Locked(at=row.at, version=row.version, mode="", until=None)

    # ---------------------------------------------------------------- blacklist

    def _ban(self, step: Ban) -> Answer:
        if step.who.user_id != "-":
            return Refused("FORBIDDEN")
        noop = step.pattern in self.patterns
        if not noop:
            self._pattern(step.who, "blacklist.add", "added")
            self.patterns.append(step.pattern)
        swept = None
        if step.sweep:
            swept = self._sweep("blacklist.add", [step.pattern])
        return Banned(noop=noop, swept=swept)

    def _lift(self, step: Lift) -> Answer:
        if step.pattern not in self.patterns:
            return Refused("NOT_FOUND")
        if step.who.user_id != "-":
            return Refused("FORBIDDEN")
        self._pattern(step.who, "blacklist.remove", "removed")
        self.patterns.remove(step.pattern)
        return Banned(noop=False)

    def _pattern(self, who: Who, operation: str, what: str) -> None:
        self.stamp = max(self.clock.now_ns(), self.last + 1)
        at = attrs.evolve(who.at(""), session_id="", user_id="")
        self._note(operation, at, verdict=what)

    def _sweep(self, operation: str, patterns: Iterable[str]) -> Swept:
        """Row after row, each a write of its own; a lock keeps its row (R-43)."""
        patterns = list(patterns)
        found = [
            row
            for row in self.rows.values()
            if row.live and self._banned(row.saying, row.tags, patterns)
        ]
        found.sort(key=lambda r: (r.at.memory_key, -r.version, r.born))
        swept: list[Row] = []
        kept: list[Row] = []
        for row in found:
            answer = self._one(operation, lambda at=row.at: self._swept(at))  # type: ignore[misc]
            (kept if isinstance(answer, Refused) else swept).append(row)
        return Swept(
            count=len(swept),
            keys=frozenset(r.at.memory_key for r in swept),
            kept=frozenset(r.at.memory_key for r in kept),
        )

    def _swept(self, at: Address) -> Answer:
        row = self.rows[at]
        if row.locked(self.now):
            raise _No("LOCKED")
        before = dict(self.rows)
        self._bury(row, "swept")
        self._moved_on(row, before)
        self._note("", at, self.rows[at], verdict="swept")
        return Nothing()

    # ------------------------------------------------------------------ reading

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

    def copy(self) -> Oracle:
        """A copy whose steps change nothing here; the clock is shared."""
        return copy.copy(self)._rehearsal()


def _unversioned(answer: Answer) -> Answer:
    """A dry run made no version."""
    return attrs.evolve(answer, version=0)  # type: ignore[arg-type, call-arg]


def _answered_by(row: Row, at: Address) -> bool:
    return row.status == "duplicate" and row.duplicate_of == at


def _same_key(a: Row, b: Row) -> bool:
    return a.at.memory_key == b.at.memory_key


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


def _reaches(who: Who, at: Address) -> bool:
    return _may_touch(who.user_id, who.session_id, at)
