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
from loom.testing.rows import No, Row, Verdict
from loom.testing.sayings import Saying
from loom.testing.steps import (
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
    Who,
)
from loom.testing.world import World, answered_by, reaches

__all__ = ["Oracle"]

_WINDOW: Final = 14 * 86_400 * 1_000_000


@define
class Oracle(World):
    """The lifecycle of one namespace: each operation, as its rules word it."""

    # ------------------------------------------------------------------- doing

    def do(self, step: Step) -> Answer:
        """The answer to a step, and the state after it."""
        if isinstance(step, Wait):
            return Nothing()  # whoever runs the program moves the clock
        if isinstance(step, Put | Delete | Restore) and step.dry_run:
            # Exactly the answer of the write at that moment.
            answer = self._rehearsal().do(attrs.evolve(step, dry_run=False))
            return answer if isinstance(answer, Refused) else _unversioned(answer)
        several: dict[type, Callable[[Any], Answer]] = {
            Bulk: self._bulk,
            Ban: self._ban,
            Lift: self._lift,
            Sweep: lambda _: self._sweep("blacklist.sweep", self.patterns),
        }
        if type(step) in several:
            return several[type(step)](step)
        single: dict[type, Callable[[Any], Answer]] = {
            Put: self._put,
            Delete: self._delete,
            Restore: self._restore,
            Lock: self._lock,
            Unlock: self._unlock,
        }
        name = step.op if isinstance(step, Put) else type(step).__name__.lower()
        return self._one(f"memory.{name}", lambda: single[type(step)](step))

    def _rehearsal(self) -> Oracle:
        return attrs.evolve(
            self,
            rows=dict(self.rows),
            log=list(self.log),
            audit=list(self.audit),
            patterns=list(self.patterns),
        )

    def _one(self, operation: str, write: Callable[[], Answer]) -> Answer:
        """One write: a stamp for all its rows, and one entry if a guard refuses it."""
        self.stamp = max(self.clock.now_ns(), self.last + 1)
        try:
            answer = write()
        except No as no:
            if no.audited is not None:
                self._note(operation, no.audited, refused=no.code)
            return Refused(no.code)
        self._close(operation)
        return answer

    # ------------------------------------------------------------------ writing

    def _put(self, put: Put, *, bulk: bool = False) -> Wrote:
        at = self._target(put)
        head = self.rows.get(at)
        live = head if head is not None and head.current(self.now) else None
        if put.saying is None:
            if live is None:
                raise No(NotFound.code)
            put = attrs.evolve(put, saying=live.saying)
        assert put.saying is not None
        said = self._said(put)
        pins = said.get("pinned") is True
        self._guard(put, live, said, at, pins=pins)
        memory_type = put.memory_type or (live.memory_type if live else "semantic")
        if live and live.saying == put.saying and live.memory_type == memory_type:
            before = dict(self.rows)
            row = self._change(at, "restated", count=live.count + 1, **said)
            self._end_moved(live, row, before)
            return self._wrote(self.rows[at], Verdict(name="restated"))
        claim = self._claim(put.saying, at, head, live, said | {"memory_type": memory_type})
        verdict = None
        if bulk and live is None:
            verdict = self._twin(claim)
        if verdict is None:
            try:
                verdict = self._weigh(claim, pins=pins, lives=live is not None)
            except No as no:
                raise No(no.code, at) from None
        if verdict.name == "merge":
            assert verdict.of is not None
            return self._wrote(self._reinforced(verdict.of, pins=pins), verdict)
        before = dict(self.rows)
        self.rows[at] = claim
        row = self._stand(at, claim.event, verdict)
        if head is not None and head.live:
            self._moved_on(head, before)
        return self._wrote(self.rows[row.at], verdict)

    def _reinforced(self, row: Row, *, pins: bool) -> Row:
        """The row that a write was merged into keeps the write's pin, unless locked (R-42)."""
        pinned = row.pinned or (pins and not row.locked(self.now))
        return self._change(row.at, "reinforced", count=row.count + 1, pinned=pinned)

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

    def _claim(
        self,
        saying: Saying,
        at: Address,
        head: Row | None,
        live: Row | None,
        said: dict[str, Any],
    ) -> Row:
        """The row as it would be: a revision, a first version, or a fresh start.

        A row that was deleted or is past its end starts afresh (R-20, R-41).
        """
        if live is not None:
            fields = {"saying": saying, "count": 1, "version": self.stamp, **said}
            return attrs.evolve(live, event="revised", parent=live.version, **fields)
        return Row(
            at=at,
            born=len(self.rows) if head is None else head.born,
            saying=saying,
            version=self.stamp,
            parent=0 if head is None else head.version,
            event="renewed" if head is not None and head.live else "created",
            created_at=self.now if head is None else head.created_at,
            **said,
        )

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
            answer = trial.entry(entry)
            if step.atomic and isinstance(answer, Refused):
                self._undone(trial, answer)
                return answer
            answers.append(answer)
        if step.atomic:
            for name in ("rows", "log", "audit", "last", "stamp"):
                setattr(self, name, getattr(trial, name))
        return Wrotes(tuple(answers))

    def entry(self, put: Put) -> Answer:
        """One entry of a bulk write."""
        return self._one("memory.bulk_set", lambda: self._put(put, bulk=True))

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
            raise No(Locked.code, who.at(step.key))
        if not named:
            return Deleted(rows=frozenset(), version=0)
        before = dict(self.rows)
        for row in named:
            self._bury(row, "deleted")
        along: list[Row] = []
        for row in named:
            duplicates = [r for r in before.values() if answered_by(r, row.at)]
            for one in sorted(duplicates, key=lambda r: (r.version, r.born)):
                mine = one.at.agent == who.agent and reaches(who, one.at)
                if mine and self.rows[one.at].live and not one.locked(self.now):
                    self._bury(one, "deleted")
                    along.append(one)
        for row in (*named, *along):
            self._moved_on(row, before)
        gone = [(r.at, r in along) for r in (*named, *along)]
        for i, (at, _) in enumerate(gone):
            self._note("", at, self.rows[at], verdict="deleted", ordinal=i)
        return Deleted(rows=frozenset(gone), version=self.stamp)

    def _restore(self, step: Restore) -> Restored:
        """Exactly what the newest delete of the key took, each judged again (R-61)."""
        dead = [r for r in self._under(step.who, step.key) if not r.live]
        if not dead:
            raise No(NotFound.code)
        refuse = step.who.at(step.key)
        group = [
            row
            for row in self.rows.values()
            if row.version == dead[0].version
            and row.status == "tombstoned"
            and reaches(step.who, row.at)
        ]
        group.sort(key=lambda r: r.born)
        if self.now - max(r.tombstoned_at or 0 for r in group) > _WINDOW:
            raise No(RestoreWindowPassed.code, refuse)
        if any(self._banned(r.saying, r.tags) for r in group):
            raise No(Blacklisted.code, refuse)
        before = dict(self.rows)
        verdicts: dict[Address, str] = {}
        for row in group:
            fields: dict[str, Any] = {"expires_at": None} if step.clear_expiry else {}
            claim = attrs.evolve(row, **fields)
            try:
                verdict = self._weigh(claim, pins=row.pinned, lives=True)
            except No as no:
                self.rows = before
                raise No(no.code, refuse) from None
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
        swept = None
        if step.sweep:
            swept = self._sweep("blacklist.add", [step.pattern])
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
            raise No(Locked.code)
        before = dict(self.rows)
        self._bury(row, "swept")
        self._moved_on(row, before)
        self._note("", at, self.rows[at], verdict="swept")
        return Nothing()


def _unversioned(answer: Answer) -> Answer:
    """A dry run made no version."""
    return attrs.evolve(answer, version=0)  # type: ignore[arg-type]
