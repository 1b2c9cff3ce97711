"""What a store should do, in plain Python: dictionaries, no index, no plan, no policy.

It is written from the rules (the two source pages and the rulings R-nn), shares no code
with `policies`, `plans` or `text`, and knows what two claims are to each other from the
scenario's table. Where it and the library differ, one of them is wrong; it is short so
that a reader can say which.

Times are microseconds since the epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import attrs
from attrs import define

from loom.errors import (
    Blacklisted,
    Forbidden,
    Locked,
    NotFound,
    RestoreWindowPassed,
)
from loom.model.identity import Address
from loom.testing.answers import (
    Answer,
    Banned,
    Decided,
    Deleted,
    Held,
    Nothing,
    Refused,
    Restored,
    Revived,
    Swept,
    Wrote,
    Wrotes,
)
from loom.testing.deciding import Deciding
from loom.testing.guarding import Writing
from loom.testing.rows import No, Row
from loom.testing.steps import (
    Ban,
    Bulk,
    Decide,
    Delete,
    Expire,
    Lift,
    Lock,
    Look,
    Put,
    Register,
    Reject,
    Resolve,
    Restore,
    Step,
    Sweep,
    Unlock,
    Wait,
    Who,
)
from loom.testing.world import answered_by, reaches

__all__ = ["Oracle"]

_WINDOW: Final = 14 * 86_400 * 1_000_000
_NAMES: Final = {
    Delete: "memory.delete",
    Restore: "memory.restore",
    Lock: "memory.lock",
    Unlock: "memory.unlock",
    Decide: "memory.proposal_decide",
    Reject: "memory.reject",
    Resolve: "conflicts.resolve",
}


@define
class Oracle(Deciding):
    """The lifecycle of one namespace: each operation, as its rules word it."""

    # ------------------------------------------------------------------- doing

    def do(self, step: Step) -> Answer:
        """The answer to a step, and the state after it."""
        if isinstance(step, Wait):
            return Nothing()  # whoever runs the program moves the clock
        if getattr(step, "dry_run", False):
            # Exactly the answer of the write at that moment.
            tried: Any = step
            answer = self._rehearsal().do(attrs.evolve(tried, dry_run=False))
            return answer if isinstance(answer, Refused) else self._unwritten(answer, step)
        several: dict[type, Callable[[Any], Answer]] = {
            Bulk: self._bulk,
            Ban: self._ban,
            Lift: self._lift,
            Sweep: lambda _: self._cleanse("blacklist.sweep", self.patterns),
            Expire: self._expire,
            Register: self._register,
            Look: self._look,
        }
        if type(step) in several:
            return several[type(step)](step)
        single: dict[type, Callable[[Any], Answer]] = {
            Put: self._put,
            Delete: self._delete,
            Restore: self._restore,
            Lock: self._lock,
            Unlock: self._unlock,
            Decide: self._decide,
            Reject: self._reject,
            Resolve: self._resolve,
        }
        name = f"memory.{step.op}" if isinstance(step, Put) else _NAMES[type(step)]
        return self._one(name, lambda: single[type(step)](step))

    def _rehearsal(self) -> Oracle:
        return attrs.evolve(
            self,
            rows=dict(self.rows),
            log=list(self.log),
            audit=list(self.audit),
            patterns=list(self.patterns),
        )

    def _unwritten(self, answer: Answer, tried: Any) -> Answer:
        """A dry run made no version, and no row that was not there."""
        if isinstance(answer, Wrote):
            at = answer.at if answer.at in self.rows else answer.at.own
            return attrs.evolve(answer, version=0, at=at)
        if isinstance(answer, Decided):
            # A proposal that would become its key's row is beside that still.
            at = answer.at if answer.at in self.rows else tried.of
            wrote = answer.wrote and attrs.evolve(answer.wrote, version=0, at=at)
            return attrs.evolve(answer, version=0, at=at, wrote=wrote)
        return attrs.evolve(answer, version=0)  # type: ignore[arg-type]

    # ------------------------------------------------------------------ writing

    def _put(self, put: Put, *, bulk: bool = False) -> Wrote:
        at = self._target(put)
        saying = put.saying
        if saying is None:
            live = self.rows.get(at)
            if live is None or not live.current(self.now):
                raise No(NotFound.code)
            saying = live.saying
        one = Writing(
            op="bulk" if bulk else put.op,
            at=at,
            saying=saying,
            said=self._said(put),
            run=put.who.run,
            if_match=put.if_match,
        )
        if put.proposed:
            return self._propose(one)
        return self._write(one, hides=put.saying is None)

    def _said(self, put: Put) -> dict[str, Any]:
        said: dict[str, Any] = {
            "memory_type": put.memory_type,
            "tags": put.tags,
            "valid_at": put.valid_at,
            "on_expire": put.on_expire,
            "pinned": True if put.op == "pin" else put.pinned,
        }
        said = {name: value for name, value in said.items() if value is not None}
        clock = self.clock.now_ns() // 1000
        if put.clear_expiry:
            said["expires_at"] = None
        if put.ttl is not None:
            said["expires_at"] = clock + put.ttl * 1_000_000
        if put.valid_for is not None:
            said["valid_to"] = clock + put.valid_for * 1_000_000
        if put.sensitivity is not None:
            stated = bool(put.sensitivity)
            said |= {"sensitivity": put.sensitivity, "sensitivity_stated": stated}
        return said

    def _target(self, put: Put) -> Address:
        """The row that a write acts on (R-05)."""
        own = put.who.at(put.key)
        if put.op == "set":
            return own
        if put.op == "update_by_id":
            assert put.of is not None
            row = self.rows.get(put.of)
            mine = row is not None and reaches(put.who, row.at)
            if row is None or not mine or not row.current(self.now):
                raise No(NotFound.code)
            return row.at
        found = self._answering(put.who, put.key)
        if found is not None:
            return found.at
        if put.op == "update" or put.saying is None:
            raise No(NotFound.code)
        return own

    def _bulk(self, step: Bulk) -> Answer:
        """Entry after entry, each seeing the ones before; or all or none (R-37)."""
        trial = self._rehearsal() if step.atomic else self
        answers: list[Any] = []
        for entry in step.entries:
            known = len(trial.audit)
            answer = trial.entry(entry)
            if step.atomic and isinstance(answer, Refused):
                self.stamp = trial.stamp  # versions of undone entries are not given again
                if len(trial.audit) > known:
                    at = trial.audit[-1].at
                    self._note("memory.bulk_set", at, refused=answer.code)
                return answer
            answers.append(answer)
        if step.atomic:
            for name in ("rows", "log", "audit", "last", "stamp", "sealed"):
                setattr(self, name, getattr(trial, name))
        return Wrotes(tuple(answers))

    def entry(self, put: Put) -> Answer:
        """One entry of a bulk write."""
        return self._one("memory.bulk_set", lambda: self._put(put, bulk=True))

    # ---------------------------------------------------------------- lifecycle

    def _delete(self, step: Delete) -> Deleted:
        """Every live row of the key that the caller may change, or none (R-06, R-24)."""
        who = step.who
        named = [r for r in self._under(who, step.key) if r.live]
        if step.mine_only:
            named = [r for r in named if r.at == who.at(step.key)]
        if any(r.locked(self.now) for r in named):
            raise No(Locked.code, who.at(step.key))
        if not named:
            return Deleted(rows=frozenset(), version=0)
        before = dict(self.rows)
        for row in named:
            self._bury(row, "deleted")
        along = [row for row in named for row in self._going_along(who, row, before)]
        for row in (*named, *along):
            self._moved_on(row, before)
        gone = [(r.at, r in along) for r in (*named, *along)]
        for i, (at, _) in enumerate(gone):
            self._note("", at, self.rows[at], verdict="deleted", ordinal=i)
        return Deleted(rows=frozenset(gone), version=self.stamp)

    def _going_along(self, who: Who, row: Row, before: dict[Address, Row]) -> list[Row]:
        """The caller's own duplicates of a row that is deleted, tombstoned with it."""
        along: list[Row] = []
        duplicates = [r for r in before.values() if answered_by(r, row.at)]
        for one in sorted(duplicates, key=lambda r: (r.version, r.born)):
            mine = one.at.agent == who.agent and reaches(who, one.at)
            if mine and self.rows[one.at].live and not one.locked(self.now):
                self._bury(one, "deleted")
                along.append(one)
        return along

    def _restore(self, step: Restore) -> Restored:
        """Exactly what the newest delete of the key took, each judged again (R-61)."""
        group = self._group(step)
        refuse = step.who.at(step.key)
        dates = [r.tombstoned_at for r in group if r.tombstoned_at is not None]
        if dates and self.now - max(dates) > _WINDOW:
            raise No(RestoreWindowPassed.code, refuse)
        if any(self._banned(r.saying, r.tags) for r in group):
            raise No(Blacklisted.code, refuse)
        before = dict(self.rows)
        verdicts: dict[Address, str] = {}
        fields: dict[str, Any] = {
            "tombstoned_at": None,
            "invalid_at": None,
            "superseded_by": None,
        }
        if step.clear_expiry:
            fields["expires_at"] = None
        for row in group:
            try:
                claim = attrs.evolve(row, **fields)
                verdict = self._reweigh(claim, pins=row.pinned)
            except No as no:
                raise No(no.code, refuse) from None
            self._stand(row.at, "restored", verdict, **fields)
            verdicts[row.at] = verdict.name
            successor = self._successor(row, before)
            if successor is not None and self.rows[row.at].status != "duplicate":
                self._link(row.at, [successor.at])
        return self._restored([self.rows[r.at] for r in group], verdicts)

    def _restored(self, alive: list[Row], verdicts: dict[Address, str]) -> Restored:
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

    def _group(self, step: Restore) -> list[Row]:
        """Rows of the newest delete of a key, or the newest row that was superseded or swept."""
        dead = [
            r
            for r in self._under(step.who, step.key)
            if r.status in ("tombstoned", "superseded") and not r.at.beside
        ]
        if not dead:
            raise No(NotFound.code)
        if dead[0].event != "deleted":
            return dead[:1]
        group = [
            row
            for row in self.rows.values()
            if row.version == dead[0].version
            and row.status == "tombstoned"
            and reaches(step.who, row.at)
        ]
        return sorted(group, key=lambda r: r.born)

    def _successor(self, row: Row, before: dict[Address, Row]) -> Row | None:
        """The served row at the end of the chain of what took a row's place (R-61)."""
        seen = {row.at}
        follows = row.superseded_by
        while follows is not None and follows not in seen:
            seen.add(follows)
            row = before[follows]
            if row.status in ("active", "conflicted"):
                return row if row.served(self.now) else None
            follows = row.superseded_by or row.duplicate_of
        return None

    def _lock(self, step: Lock) -> Held:
        row = self._answering(step.who, step.key)
        if row is None:
            raise No(NotFound.code)
        clock = self.clock.now_ns() // 1000
        until = None if step.ttl is None else clock + step.ttl * 1_000_000
        row = self._change(row.at, "locked", lock_mode=step.mode, lock_until=until)
        self._note("", row.at, row, verdict="locked")
        return Held(at=row.at, version=row.version, mode=step.mode, until=until)

    def _unlock(self, step: Unlock) -> Held:
        row = self._to_unlock(step.who, step.key)
        if row is None:
            raise No(NotFound.code)
        if row.lock_mode is not None:
            row = self._change(row.at, "unlocked", lock_mode=None, lock_until=None)
            self._note("", row.at, row, verdict="unlocked")
        return Held(at=row.at, version=row.version, mode="", until=None)

    # ---------------------------------------------------------------- blacklist

    def _ban(self, step: Ban) -> Answer:
        if step.who.user_id != "-":
            return Refused(Forbidden.code)
        noop = step.pattern in self.patterns
        if not noop:
            self._pattern(step.who, "blacklist.add", "added")
            self.patterns.append(step.pattern)
        swept = self._cleanse("blacklist.add", [step.pattern]) if step.sweep else None
        return Banned(noop=noop, swept=swept)

    def _lift(self, step: Lift) -> Answer:
        if step.pattern not in self.patterns:
            return Refused(NotFound.code)
        if step.who.user_id != "-":
            return Refused(Forbidden.code)
        self._pattern(step.who, "blacklist.remove", "removed")
        self.patterns.remove(step.pattern)
        return Banned(noop=False)

    def _pattern(self, who: Who, operation: str, what: str) -> None:
        self._begin()
        at = attrs.evolve(who.at(""), session_id="", user_id="")
        self._note(operation, at, verdict=what)

    def _cleanse(self, operation: str, patterns: Iterable[str]) -> Swept:
        """Tombstone what the patterns match."""
        known = list(patterns)
        found = [r for r in self.rows.values() if self._banned(r.saying, r.tags, known)]
        return self._sweep(operation, found, "swept")
