"""What somebody decides in the oracle's world: proposals, rejections, conflicts, sweeps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import attrs
from attrs import define

from loom.errors import Forbidden, IllegalTransition, InvalidRequest, Locked, NotFound
from loom.model.identity import Address
from loom.testing.answers import (
    Answer,
    Decided,
    Looked,
    Nothing,
    Refused,
    Registered,
    Swept,
    Wrote,
)
from loom.testing.claims import Claims
from loom.testing.guarding import Writing
from loom.testing.rows import No, Row
from loom.testing.steps import Decide, Expire, Look, Register, Reject, Resolve, Who
from loom.testing.world import reaches

__all__ = ["Deciding"]

_IN_USE = ("active", "conflicted", "duplicate", "proposed")


@define
class Deciding(Claims):
    """Decisions about stored rows, and what makes ends visible."""

    def _one(self, operation: str, write: Callable[[], Answer]) -> Answer:
        """One write: a stamp for all its rows, and one entry if a guard refuses it."""
        self._begin()
        before = dict(self.rows)
        try:
            answer = write()
        except No as no:
            self.rows = before
            if no.audited is not None:
                self._note(operation, no.audited, refused=no.code)
            return Refused(no.code)
        self._close(operation)
        return answer

    def _decidable(self, who: Who, of: Address) -> Row:
        row = self.rows.get(of)
        if row is None or not reaches(who, row.at):
            raise No(NotFound.code)
        return row

    # ----------------------------------------------------------------- proposals

    def _decide(self, step: Decide) -> Decided:
        row = self._decidable(step.who, step.of)
        if row.status != "proposed":
            raise No(IllegalTransition.code)
        if not step.accepts:
            return self._rejected(row)
        if row.past(self.now):
            # It is as good as swept.
            raise No(IllegalTransition.code)
        at = row.at.own
        one = Writing(
            op="accept",
            at=at,
            saying=row.saying,
            said=_said_by(row),
            run=row.run_id,
            taken=row,
        )
        return _by_writing(self._write(one, hides=True), "accept")

    def _reject(self, step: Reject) -> Decided:
        if step.of is not None:
            row: Row | None = self._decidable(step.who, step.of)
        else:
            row = self._answering(step.who, step.key)
        if row is None:
            raise No(NotFound.code)
        if not (row.current(self.now) or row.status == "proposed"):
            raise No(IllegalTransition.code)
        return self._rejected(row)

    def _rejected(self, row: Row) -> Decided:
        """Wrong, and never served again; what depended on it is judged again (R-24)."""
        if row.locked(self.now):
            raise No(Locked.code, row.at.own)
        before = dict(self.rows)
        self._change(
            row.at,
            "rejected",
            status="rejected",
            invalid_at=self.now,
            conflict_with=frozenset(),
            duplicate_of=None,
        )
        self._moved_on(row, before)
        row = self.rows[row.at]
        self._note("", row.at, row, verdict="rejected")
        return _decided(row, "reject")

    # ----------------------------------------------------------------- conflicts

    def _resolve(self, step: Resolve) -> Decided:
        """One of two stands, or both (R-60)."""
        if step.of == step.peer:
            raise No(InvalidRequest.code)
        row = self._decidable(step.who, step.of)
        peer = self._decidable(step.who, step.peer)
        stays, goes = (peer, row) if step.action == "contract" else (row, peer)
        linked = peer.at in row.conflict_with
        if not linked or (step.action != "allow" and not stays.current(self.now)):
            raise No(IllegalTransition.code)
        if step.saying is not None:
            return self._resolved_by(step, row, peer)
        if step.action == "allow":
            self._allow(row, peer)
        else:
            if goes.locked(self.now):
                raise No(Locked.code, row.at)
            before = dict(self.rows)
            self._bury(goes, "resolved")
            self._unlink(stays, goes)
            self._moved_on(goes, before)
        for i, at in enumerate((row.at, peer.at)):
            self._note("", at, self.rows[at], verdict="resolved", ordinal=i)
        other = self.rows[peer.at]
        return attrs.evolve(
            _decided(self.rows[row.at], step.action),
            peer=other.at,
            peer_status=other.status,
        )

    def _resolved_by(self, step: Resolve, row: Row, peer: Row) -> Decided:
        """The first row stands with a new value, and its peer goes, in one write."""
        assert step.saying is not None
        one = Writing(
            op="resolve",
            at=row.at,
            saying=step.saying,
            said={},
            run=row.run_id,
            buried=peer,
        )
        done = _by_writing(self._write(one, hides=True), step.action)
        return attrs.evolve(done, peer=peer.at, peer_status="tombstoned")

    def _unlink(self, row: Row, peer: Row, **fields: Any) -> None:
        rest = row.conflict_with - {peer.at}
        status = "conflicted" if rest else "active"
        self._change(row.at, "resolved", conflict_with=rest, status=status, **fields)

    def _allow(self, row: Row, peer: Row) -> None:
        """Both stand until one of them says something else; a secret leaves no mark (R-46)."""
        for one, other in ((row, peer), (peer, row)):
            mark = set() if other.secret else {(other.at, other.saying.name)}
            self._unlink(one, other, allowed_with=one.allowed_with | mark)

    # -------------------------------------------------------------------- sweeps

    def _expire(self, step: Expire) -> Swept:
        """Rows past their end, but those that are to be kept (R-20)."""
        now = self.clock.now_ns() // 1000

        def ended(row: Row) -> bool:
            return row.past(now) and row.on_expire == "tombstone"

        assert step.who.user_id == "-"
        return self._sweep("namespace.sweep", filter(ended, self.rows.values()), "expired")

    def _sweep(self, operation: str, found: Iterable[Row], event: str) -> Swept:
        """Row after row, each a write of its own; a lock keeps its row (R-43)."""
        rows = [row for row in found if row.status in _IN_USE]
        rows.sort(key=lambda r: (r.at.memory_key, r.born))
        swept: list[Row] = []
        kept: list[Row] = []
        for row in rows:
            answer = self._one(operation, lambda at=row.at: self._swept(at, event))  # type: ignore[misc]
            (kept if isinstance(answer, Refused) else swept).append(row)
        return Swept(
            count=len(swept),
            keys=frozenset(r.at.memory_key for r in swept),
            kept=frozenset(r.at.memory_key for r in kept),
        )

    def _swept(self, at: Address, event: str) -> Answer:
        row = self.rows[at]
        if row.locked(self.now):
            raise No(Locked.code)
        before = dict(self.rows)
        self._bury(row, event)
        self._moved_on(row, before)
        self._note("", at, self.rows[at], verdict=event)
        return Nothing()

    # ----------------------------------------------------------------- namespace

    def _register(self, step: Register) -> Answer:
        """What the namespace says from now on; what is stored keeps its standing."""
        if step.who.user_id != "-":
            return Refused(Forbidden.code)
        if self.policy == step.policy:
            return Registered(noop=True)
        self._begin()
        at = attrs.evolve(step.who.at(""), session_id="", user_id="")
        verdict = "registered" if self.policy is None else "revised"
        self._note("namespace.register", at, verdict=verdict)
        self.policy = step.policy
        return Registered(noop=False)

    def _look(self, step: Look) -> Looked:
        """What a key answers with; the read of a secret is audited (R-46)."""
        row = self.get(step.who, step.key)
        if row is None:
            return Looked(at=None, saying="")
        if row.secret:
            self._begin()
            self._note("memory.get", row.at, row, verdict="read")
        return Looked(at=row.at, saying=row.saying.name)


def _said_by(row: Row) -> dict[str, Any]:
    """What a proposal says; a detail at its default leaves the key's row its own (R-31)."""
    plain: dict[str, Any] = {
        "memory_type": "semantic",
        "tags": (),
        "pinned": False,
        "expires_at": None,
        "valid_at": None,
        "valid_to": None,
        "on_expire": "tombstone",
    }
    said = {n: getattr(row, n) for n, v in plain.items() if getattr(row, n) != v}
    if row.sensitivity_stated:
        said |= {"sensitivity": row.sensitivity, "sensitivity_stated": True}
    return said


def _decided(row: Row, decision: str) -> Decided:
    return Decided(
        at=row.at,
        saying="" if row.secret else row.saying.name,
        version=row.version,
        status=row.status,
        decision=decision,
    )


def _by_writing(wrote: Wrote, decision: str) -> Decided:
    return Decided(
        at=wrote.at,
        saying=wrote.saying,
        version=wrote.version,
        status=wrote.status,
        decision=decision,
        wrote=wrote,
    )
