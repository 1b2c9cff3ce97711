"""A real store on the scenario's stage: steps are performed on it, its rows are read plainly.

It looks behind the public face in one place, to read every version and every audit entry.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import loom
from loom.errors import LoomError
from loom.faces.sync import AgentHandle, Loom
from loom.model.audit import AuditRow
from loom.model.identity import Address
from loom.model.memory import MemoryRow
from loom.plans.outcomes import Refusal, SetOutcome, SweepOutcome
from loom.settings import Settings
from loom.storage.contract import Storage
from loom.storage.query import Order, Select, Versions
from loom.storage.tables import AUDIT, MEMORY, PATTERN
from loom.storage.where import IsNull
from loom.testing.answers import (
    Answer,
    Banned,
    Deleted,
    Entry,
    Held,
    Nothing,
    Refused,
    Restored,
    Revived,
    Standing,
    Swept,
    Wrote,
    Wrotes,
)
from loom.testing.fakes import FakeClock, SeededIds
from loom.testing.sayings import SAYINGS, ScenarioJudge, scenario_embedder
from loom.testing.steps import (
    NAMESPACE,
    ORG,
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

__all__ = ["Stage", "behind", "entry_of", "standing"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NO_ID: Final = "00000000-0000-7000-8000-000000000000"
_BY_HASH: Final = {saying.sha256: saying.name for saying in SAYINGS.values()}


def behind(store: Loom) -> Storage:
    """The storage of an open store, for a test that must see every row."""
    return store._env.storage  # noqa: SLF001 - a conformance test looks behind the face


class Stage:
    """An open store that performs steps.

    Args:
        url: where the store is, as `loom.open` takes it.
        clock: its clock; moved by `Wait`.
        settings: its settings.
    """

    def __init__(
        self,
        url: str | os.PathLike[str] = ":memory:",
        *,
        clock: FakeClock | None = None,
        settings: Settings | None = None,
    ) -> None:
        self.clock = clock or FakeClock()
        self.embedder = scenario_embedder()
        self._url = url
        self._settings = settings
        self._ids = SeededIds()
        self.store = self._opened()
        #: The version of what opening wrote.
        self.opened = self.clock.now_ns()
        self.clock.advance(1.0)
        self._handles: dict[Who, AgentHandle] = {}

    def _opened(self) -> Loom:
        return loom.open(
            self._url,
            embedder=self.embedder,
            clock=self.clock,
            ids=self._ids,
            judge=ScenarioJudge(),
            settings=self._settings,
        )

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def reopen(self) -> None:
        """Close the store and open it again: what is durable is what is left."""
        self.store.close()
        self._handles.clear()
        self.store = self._opened()

    def handle(self, who: Who) -> AgentHandle:
        """The handle of an agent."""
        if who not in self._handles:
            self._handles[who] = self.store.agent(
                who.agent,
                org=ORG,
                namespace=NAMESPACE,
                user_id=who.user_id,
                session_id=who.session_id,
            )
        return self._handles[who]

    # ----------------------------------------------------------------- performing

    def do(self, step: Step) -> Answer:
        """The store's answer to a step."""
        if isinstance(step, Wait):
            self.clock.advance(step.seconds)
            return Nothing()
        try:
            return self._perform(step)
        except LoomError as error:
            return Refused(error.code)

    def _perform(self, step: Step) -> Answer:
        match step:
            case Put():
                outcome = self._put(step)
                return self._wrote(outcome, step.who.at(step.key))
            case Bulk():
                return self._bulk(step)
            case Delete() | Restore():
                return self._group(step)
            case Lock() | Unlock():
                return self._locked(step)
            case Ban() | Lift() | Sweep():
                return self._blacklist(step)
            case Wait():  # pragma: no cover - `do` took it
                return Nothing()

    def _put(self, put: Put) -> SetOutcome:
        memory = self.handle(put.who).memory
        said = _said(put) | {"dry_run": put.dry_run}
        value = [] if put.saying is None else [put.saying.value]
        if put.op == "update_by_id":
            assert put.of is not None
            row = behind(self.store).row(put.of)
            return memory.update_by_id(
                _NO_ID if row is None else row.memory_id, *value, **said
            )
        return getattr(memory, put.op)(put.key, *value, **said)  # type: ignore[no-any-return]

    def _bulk(self, step: Bulk) -> Wrotes:
        entries = [
            {"memory_key": e.key, "value": e.saying and e.saying.value, **_said(e)}
            for e in step.entries
        ]
        out = self.handle(step.who).memory.bulk_set(entries, atomic=step.atomic)
        return Wrotes(
            tuple(
                Refused(r.code)
                if isinstance(r, Refusal)
                else self._wrote(r, step.who.at(r.memory_key))
                for r in out.results
            )
        )

    def _wrote(self, out: SetOutcome, own: Address) -> Wrote:
        ids = self.ids()
        return Wrote(
            at=ids.get(out.memory_id, own),
            saying=_BY_HASH[out.content_sha256],
            version=out.version,
            verdict=out.conflict_verdict,
            status=out.status,
            pinned=out.pinned,
            duplicate_of=ids[out.duplicate_of] if out.duplicate_of else None,
            merged_into_key=out.merged_into_key,
            noop=out.noop,
            count=out.reinforcement_count,
            peers=frozenset((ids[p.memory_id], p.relation) for p in out.peers),
        )

    def _group(self, step: Delete | Restore) -> Answer:
        memory, ids = self.handle(step.who).memory, self.ids()
        if isinstance(step, Delete):
            gone = memory.delete(step.key, mine_only=step.mine_only, dry_run=step.dry_run)
            rows = frozenset((ids[r.memory_id], r.as_duplicate) for r in gone.rows)
            assert gone.found == bool(gone.rows)
            assert gone.count == len(gone.rows)
            return Deleted(rows=rows, version=gone.version)
        back = memory.restore(
            step.key, clear_expiry=step.clear_expiry, dry_run=step.dry_run
        )
        assert back.count == len(back.rows)
        return Restored(
            rows=frozenset(
                Revived(
                    at=ids[r.memory_id],
                    status=r.status,
                    verdict=r.conflict_verdict,
                    duplicate_of=ids[r.duplicate_of] if r.duplicate_of else None,
                )
                for r in back.rows
            ),
            version=back.version,
        )

    def _locked(self, step: Lock | Unlock) -> Held:
        memory = self.handle(step.who).memory
        if isinstance(step, Lock):
            reason = "the audit runs"
            out = memory.lock(step.key, step.mode, reason=reason, ttl_seconds=step.ttl)
        else:
            out = memory.unlock(step.key)
        return Held(
            at=self.ids()[out.memory_id],
            version=out.version,
            mode=out.lock_mode,
            until=_micros(out.lock_until),
        )

    def _blacklist(self, step: Ban | Lift | Sweep) -> Answer:
        blacklist = self.handle(step.who).blacklist
        if isinstance(step, Sweep):
            return _swept(blacklist.sweep())
        if isinstance(step, Ban):
            out = blacklist.add(step.pattern, sweep=step.sweep)
            return Banned(noop=out.noop, swept=_swept(out.sweep) if out.sweep else None)
        known = behind(self.store).select(Select(table=PATTERN, where=IsNull("removed_at")))
        ids = {row.pattern: row.pattern_id for row in known.rows}
        blacklist.remove(ids.get(step.pattern, _NO_ID))
        return Banned(noop=False)

    # -------------------------------------------------------------------- looking

    def ids(self) -> dict[str, Address]:
        """Where the row of each memory id lives."""
        heads = behind(self.store).select(Select(table=MEMORY)).rows
        return {row.memory_id: row.address for row in heads}

    def rows(self) -> tuple[MemoryRow, ...]:
        """The newest version of every row."""
        return behind(self.store).select(Select(table=MEMORY)).rows

    def versions(self) -> tuple[MemoryRow, ...]:
        """Every version of every row, oldest first."""
        query = Select(
            table=MEMORY, view=Versions(), order=(Order("version"), Order("memory_id"))
        )
        return behind(self.store).select(query).rows

    def audit_rows(self) -> tuple[AuditRow, ...]:
        """Every audit entry, oldest first."""
        query = Select(
            table=AUDIT, view=Versions(), order=(Order("version"), Order("ordinal"))
        )
        return behind(self.store).select(query).rows


def entry_of(row: AuditRow, ids: Mapping[str, Address]) -> Entry:
    """An audit entry in plain words."""
    where = (row.org, row.namespace, row.agent, row.user_id, row.session_id)
    return Entry(
        version=row.version,
        ordinal=row.ordinal,
        operation=row.operation,
        at=Address(*where, row.memory_key),
        of=ids.get(row.memory_id),
        saying=_BY_HASH.get(row.content_sha256, row.content_sha256),
        verdict=row.verdict,
        refused=row.refused,
    )


def standing(row: MemoryRow, ids: Mapping[str, Address]) -> Standing:
    """A stored version in plain words."""
    return Standing(
        at=row.address,
        saying=_BY_HASH[row.content_sha256],
        memory_type=row.memory_type,
        tags=row.tags,
        status=str(row.status),
        pinned=row.pinned,
        conflict_with=frozenset(ids[i] for i in row.conflict_with),
        duplicate_of=ids[row.duplicate_of] if row.duplicate_of else None,
        count=row.reinforcement_count,
        version=row.version,
        parent=row.parent,
        event=str(row.event),
        created_at=_micros(row.created_at) or 0,
        tombstoned_at=_micros(row.tombstoned_at),
        expires_at=_micros(row.expires_at),
        lock_mode=None if row.lock_mode is None else str(row.lock_mode),
        lock_until=_micros(row.lock_until),
    )


def _micros(at: datetime | None) -> int | None:
    return None if at is None else (at - _EPOCH) // timedelta(microseconds=1)


def _swept(out: SweepOutcome) -> Swept:
    return Swept(
        count=out.swept, keys=frozenset(out.swept_keys), kept=frozenset(out.kept_locked)
    )


def _said(put: Put) -> dict[str, Any]:
    """Arguments of a write beside its key and value: only what was said."""
    said: dict[str, Any] = {
        "memory_type": put.memory_type,
        "tags": put.tags,
        "pinned": put.pinned,
        "ttl_seconds": put.ttl,
        "if_match_sha256": put.if_match and put.if_match.sha256,
    }
    said = {name: value for name, value in said.items() if value is not None}
    return said | ({"clear_expiry": True} if put.clear_expiry else {})
