"""A real store on the scenario's stage: steps are performed on it, its rows are read plainly.

It looks behind the public face in one place, to read every version and every audit entry.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from typing import Any, Final

import loom
from loom.errors import LoomError
from loom.faces.sync import AgentHandle, Loom
from loom.model.audit import AuditRow
from loom.model.identity import Address
from loom.model.memory import MemoryRow
from loom.plans.outcomes import Refusal, SetOutcome
from loom.settings import Settings
from loom.storage.contract import Storage
from loom.storage.query import Order, Select, Versions
from loom.storage.tables import AUDIT, MEMORY, PATTERN, STORE_FACT
from loom.storage.where import IsNull
from loom.testing.answers import (
    Answer,
    Banned,
    Decided,
    Deleted,
    Held,
    Looked,
    Nothing,
    Refused,
    Registered,
    Restored,
    Revived,
    Wrote,
    Wrotes,
)
from loom.testing.customs import TAG_REGISTRY
from loom.testing.fakes import FakeClock, SeededIds
from loom.testing.plain import BY_HASH, micros, place_of, said_of, swept_of
from loom.testing.sayings import ScenarioJudge, scenario_embedder
from loom.testing.steps import (
    NAMESPACE,
    ORG,
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

__all__ = ["Stage", "behind"]

_NO_ID: Final = "00000000-0000-7000-8000-000000000000"


def behind(store: Loom) -> Storage:
    """The storage of an open store, for a test that must see every row."""
    return store._env.storage  # noqa: SLF001 - a conformance test looks behind the face


class Stage:
    """An open store that performs steps.

    Args:
        url: where the store is, as `loom.open` takes it.
        clock: its clock; moved by `Wait`.
        settings: its settings.
        seed: of the ids it gives.
    """

    def __init__(
        self,
        url: str | os.PathLike[str] = ":memory:",
        *,
        clock: FakeClock | None = None,
        settings: Settings | None = None,
        seed: int = 0,
    ) -> None:
        self.clock = clock or FakeClock()
        self.embedder = scenario_embedder()
        self._url = url
        self._settings = settings
        self._ids = SeededIds(seed)
        self.store = self._opened()
        #: The newest version of what opening wrote.
        self.opened = max(
            fact.version
            for fact in behind(self.store).select(Select(table=STORE_FACT)).rows
        )
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
                run_id=who.run,
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
        performing: dict[type, Callable[[Any], Answer]] = {
            Put: lambda put: self._wrote(self._put(put), put.who.at(put.key)),
            Bulk: self._bulk,
            **dict.fromkeys((Delete, Restore), self._group),
            **dict.fromkeys((Lock, Unlock), self._locked),
            **dict.fromkeys((Decide, Reject, Resolve), self._decided),
            **dict.fromkeys((Ban, Lift, Sweep), self._blacklist),
            Expire: lambda expire: swept_of(self.handle(expire.who).namespace.sweep()),
            Register: self._register,
            Look: self._look,
        }
        return performing[type(step)](step)

    def _put(self, put: Put) -> SetOutcome:
        memory = self.handle(put.who).memory
        said = said_of(put, self.clock.now) | {"dry_run": put.dry_run}
        value = [] if put.saying is None else [put.saying.value]
        if put.op == "update_by_id":
            assert put.of is not None
            return memory.update_by_id(self._id_of(put.of), *value, **said)
        if put.proposed:
            said["proposed"] = True
        return getattr(memory, put.op)(put.key, *value, **said)  # type: ignore[no-any-return]

    def _bulk(self, step: Bulk) -> Wrotes:
        entries = [
            {
                "memory_key": e.key,
                "value": e.saying and e.saying.value,
                **said_of(e, self.clock.now),
            }
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
            saying=BY_HASH[out.content_sha256],
            version=out.version,
            verdict=out.conflict_verdict,
            status=out.status,
            pinned=out.pinned,
            duplicate_of=ids[out.duplicate_of] if out.duplicate_of else None,
            superseded_by=ids[out.superseded_by] if out.superseded_by else None,
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
            until=micros(out.lock_until),
        )

    def _decided(self, step: Decide | Reject | Resolve) -> Decided:
        handle = self.handle(step.who)
        out: Any
        if isinstance(step, Decide):
            decision = "accept" if step.accepts else "reject"
            memory_id = self._id_of(step.of)
            out = handle.memory.proposal_decide(memory_id, decision, dry_run=step.dry_run)
        elif isinstance(step, Reject):
            named: dict[str, Any] = {"memory_key": step.key}
            if step.of is not None:
                named = {"memory_id": self._id_of(step.of)}
            out = handle.memory.reject(**named, dry_run=step.dry_run)
        else:
            said = {} if step.saying is None else {"value": step.saying.value}
            pair = self._id_of(step.of), self._id_of(step.peer)
            out = handle.conflicts.resolve(*pair, step.action, **said, dry_run=step.dry_run)
        ids = self.ids()
        return Decided(
            at=ids[out.memory_id],
            saying=BY_HASH[out.content_sha256],
            version=out.version,
            status=out.status,
            decision=out.decision,
            peer=ids[out.peer_id] if out.peer_id else None,
            peer_status=out.peer_status,
            wrote=out.write and self._wrote(out.write, ids[out.memory_id]),
        )

    def _register(self, step: Register) -> Registered:
        out = self.handle(step.who).namespace.register(
            default_conflict_policy=step.policy, tag_registry=TAG_REGISTRY
        )
        return Registered(noop=out.noop)

    def _look(self, step: Look) -> Looked:
        row = self.handle(step.who).memory.get(step.key)
        if row is None:
            return Looked(at=None, saying="")
        return Looked(at=self.ids()[row.memory_id], saying=BY_HASH[row.content_sha256])

    def pairs(self, who: Who) -> list[tuple[Address, Address]]:
        """The contradictions that wait for a decision, in the order they are listed."""
        ids = self.ids()
        listed = self.handle(who).conflicts.list(limit=1_000).items
        assert all(pair.peer is not None for pair in listed)
        return [(ids[p.row.memory_id], ids[p.peer.memory_id]) for p in listed if p.peer]

    def _blacklist(self, step: Ban | Lift | Sweep) -> Answer:
        blacklist = self.handle(step.who).blacklist
        if isinstance(step, Sweep):
            return swept_of(blacklist.sweep())
        if isinstance(step, Ban):
            out = blacklist.add(step.pattern, sweep=step.sweep)
            return Banned(noop=out.noop, swept=swept_of(out.sweep) if out.sweep else None)
        known = behind(self.store).select(Select(table=PATTERN, where=IsNull("removed_at")))
        ids = {row.pattern: row.pattern_id for row in known.rows}
        blacklist.remove(ids.get(step.pattern, _NO_ID))
        return Banned(noop=False)

    # -------------------------------------------------------------------- looking

    def ids(self) -> dict[str, Address]:
        """Where the row of each memory id lives, in the order the rows were first written.

        A row beside a key's own is named by the how-manieth row it is.
        """
        heads = behind(self.store).select(Select(table=MEMORY)).rows
        rising = sorted(heads, key=lambda row: row.memory_id)
        return {row.memory_id: place_of(row, n) for n, row in enumerate(rising)}

    def _id_of(self, at: Address) -> str:
        nobody = str(uuid.uuid5(uuid.NAMESPACE_OID, str(at)))
        return next((i for i, place in self.ids().items() if place == at), nobody)

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
