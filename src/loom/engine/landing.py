"""Under the lock: what becomes of each entry of an import."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from loom.engine.arrivals import Arrivals, Turn, restamped, turns_of
from loom.engine.arriving import (
    JUDGED,
    RECREATED,
    UNCHANGED,
    Content,
    Entry,
    Import,
    Lacking,
    Objection,
    Ready,
    fate_of,
)
from loom.engine.env import Context
from loom.engine.gather import patterns_for, weighing_of
from loom.engine.judging import Judging, plan_in
from loom.engine.sealing import sealed, secrets_in
from loom.engine.write import NeedsVectors
from loom.errors import Forbidden, LoomError
from loom.model.audit import AuditRow
from loom.model.entries import Embedded
from loom.model.identity import ANY
from loom.model.memory import MemoryRow
from loom.model.patterns import PatternRow
from loom.model.status import Event
from loom.plans.answers import peer_views
from loom.plans.draft import Prepared
from loom.plans.exported import ExportedMemory
from loom.plans.outcomes import SetOutcome
from loom.plans.transfer import (
    ImportedLine,
    settle_arrivals,
)
from loom.policies.blacklist import blacklisted, matching, texts_of
from loom.policies.verdicts import Verdict
from loom.retrieval.scope import sees, writable
from loom.storage.batch import Batch, Receipt
from loom.storage.contract import Writing
from loom.storage.where import holds

__all__ = ["Landing"]

#: How many memories are recreated with one stamp.
_AT_ONCE: Final = 256


class Landing:
    """The entries of one import, taken in within one `writing` block.

    Args:
        context: the call.
        task: which import.
        writing: the open block.
        ready: what was made before the lock.
        atomic: whether the first refusal undoes all.
        in_order: whether what was newer elsewhere is to be newer here: versions are
            written one after the other, as they were.
    """

    def __init__(
        self,
        context: Context,
        task: Import,
        writing: Writing,
        ready: Ready,
        *,
        atomic: bool,
        in_order: bool = False,
    ) -> None:
        self._in_order = in_order
        self._context = context
        self._task = task
        self._writing = writing
        self._ready = ready
        self._atomic = atomic
        self._staged: set[Content] = set()
        #: Memories to be recreated together, by the position of their entry, and the ids
        #: and addresses they take.
        self._waiting: dict[int, ExportedMemory] = {}
        self._names: set[object] = set()
        self._written: dict[int, ImportedLine] = {}
        self._arrivals = Arrivals(context, task, writing, ready)
        self._patterns = self._patterns_in_force()
        #: Of the newest write; None until there is one.
        self.receipt: Receipt | None = None
        #: What became secret, to be buried once it is durable.
        self.secrets: dict[Content, int] = {}

    def take(self, entries: Sequence[Entry]) -> list[ImportedLine]:
        """One answer an entry, in the order given."""
        answers: dict[int, ImportedLine] = {}
        for i, entry in enumerate(entries):
            if isinstance(entry, ExportedMemory):
                answer = self._met(entry)
                if answer is None:
                    self._waiting[i] = entry
                    self._names |= _names_of(entry)
                    if len(self._waiting) >= _AT_ONCE and not self._in_order:
                        answers |= self._recreated()
                    continue
            elif isinstance(entry, LoomError):
                answer = self._refused(entry)
            else:
                answers |= self._recreated()
                answer = self._judged(entry, bulk=True)
            answers[i] = answer
            # What was judged in between has written the waiting ones first.
            answers |= self._written
            self._written = {}
        answers |= self._recreated()
        return [answers[i] for i in range(len(entries))]

    # --- what an exported memory meets -------------------------------------------------

    def _met(self, memory: ExportedMemory) -> ImportedLine | None:
        """The answer where it is not recreated; None where it is."""
        head = memory.head
        if not self._names.isdisjoint(_names_of(memory)):
            self._written |= self._recreated()
        if not self._may_see(head):
            return self._refused(_not_yours(head))
        fate = fate_of(self._writing, memory)
        if fate == UNCHANGED:
            return self._unchanged(memory)
        if not self._may_write(head):
            return self._refused(_not_yours(head))
        pattern = self._matching(memory)
        if pattern is not None:
            refuse = blacklisted(pattern, head.memory_key)
            return self._refused(
                refuse.as_error(), self._audit(head, refused=refuse.error.code)
            )
        if fate == JUDGED:
            draft = self._ready.drafts.get(head.memory_id)
            if draft is None:
                raise Lacking(memory=memory)
            self._written |= self._recreated()
            return self._judged(draft, bulk=False)
        return None

    def _may_see(self, row: MemoryRow) -> bool:
        return sees(self._context.identity, row)

    def _may_write(self, row: MemoryRow) -> bool:
        identity = self._context.identity
        return identity.user_id == ANY or holds(writable(identity), row)

    def _unchanged(self, memory: ExportedMemory) -> ImportedLine:
        head = memory.head
        here = self._writing.row(head.address) or head
        return ImportedLine(
            memory_key=head.memory_key,
            memory_id=here.memory_id,
            result=UNCHANGED,
            status=str(here.status),
        )

    def _matching(self, memory: ExportedMemory) -> PatternRow | None:
        if not self._patterns:
            return None
        found = (
            matching(self._patterns, texts_of(r), r.memory_key) for r in memory.versions
        )
        return next((pattern for pattern in found if pattern is not None), None)

    def _patterns_in_force(self) -> tuple[PatternRow, ...]:
        identity = self._context.identity
        return patterns_for(self._writing, identity.org, identity.namespace)

    # --- refusing and judging ----------------------------------------------------------

    def _refused(self, error: LoomError, audit: AuditRow | None = None) -> ImportedLine:
        if self._atomic:
            raise Objection(error, audit)
        if audit is not None:
            self._stage(Batch(rows=(audit,)))
        return ImportedLine(
            memory_key=str(error.details.get("memory_key", "")),
            result="refused",
            code=error.code,
            message=error.message,
        )

    def _judged(self, draft: Prepared, *, bulk: bool) -> ImportedLine:
        judging = Judging(lens="bulk" if bulk else "expand", bulk=bulk)
        draft = self._ready.embedded.get(draft.draft.new_id, draft)
        try:
            plan = plan_in(self._context, self._writing, draft, judging)
        except NeedsVectors:
            raise Lacking(draft=draft) from None
        except LoomError as error:
            error.details.setdefault("memory_key", draft.draft.address.memory_key)
            return self._refused(error)
        if plan.refusal is not None:
            refused = plan.refusal.as_error()
            refused.details.setdefault("memory_key", draft.draft.address.memory_key)
            rows = () if plan.batch is None else plan.batch.rows
            audit = next((row for row in rows if isinstance(row, AuditRow)), None)
            return self._refused(refused, audit)
        if plan.batch is not None:
            self._stage(plan.batch)
        if plan.outcome is None:  # pragma: no cover - a plan answers or refuses
            msg = "a plan has neither an outcome nor a refusal."
            raise TypeError(msg)
        return _line_of(plan.outcome)

    def _stage(self, batch: Batch) -> None:
        self.receipt = self._writing.stage(sealed(self._context, batch))
        self.secrets |= secrets_in(batch)

    # --- recreating --------------------------------------------------------------------

    def _recreated(self) -> dict[int, ImportedLine]:
        """Write the memories that wait, history first; the answers by position."""
        if not self._waiting:
            return {}
        memories = list(self._waiting.values())
        lacking = [row for m in memories for row in m.versions if self._lacks(row)]
        if lacking:
            raise Lacking(rows=lacking)
        before = {} if self._in_order else self._write_histories(memories)
        lines = dict(zip(self._waiting, self._write_heads(memories, before), strict=True))
        self._waiting.clear()
        self._names.clear()
        return lines

    def _lacks(self, row: MemoryRow) -> bool:
        return row.searchable and _content(row) not in self._ready.entries

    def _write_histories(self, memories: Sequence[ExportedMemory]) -> dict[str, MemoryRow]:
        """Each memory's older versions, one stamp a round; answers the last of each."""
        before: dict[str, MemoryRow] = {}
        for depth in range(max(len(memory.history) for memory in memories)):
            rows = [
                self._arrivals.imported(
                    memory.history[depth], before.get(memory.head.memory_id)
                )
                for memory in memories
                if depth < len(memory.history)
            ]
            self._stage(Batch(rows=tuple(rows), vectors=self._entries(rows)))
            before.update((row.memory_id, row) for row in rows)
        return before

    def _write_heads(
        self, memories: Sequence[ExportedMemory], before: dict[str, MemoryRow]
    ) -> Iterator[ImportedLine]:
        arrivals = [self._arrivals.of(m, before.get(m.head.memory_id)) for m in memories]
        stamp = self._writing.stamp
        changes, verdicts = settle_arrivals(
            stamp, arrivals, self._arrivals.named_by(arrivals), weighing_of(self._context)
        )
        heads = [changes.current(a.row.memory_id) or a.row for a in arrivals]
        if self._in_order:
            self._write_turns(turns_of(memories, changes.rows(), self._arrivals))
        else:
            self._write(changes.rows(), heads)
        return (
            _line_of_head(head, len(memory.versions), verdicts.get(head.memory_id))
            for head, memory in zip(heads, memories, strict=True)
        )

    def _write(self, rows: Sequence[MemoryRow], heads: Sequence[MemoryRow]) -> None:
        audits = [
            self._audit(head, ordinal=i, verdict=str(head.event))
            for i, head in enumerate(heads)
        ]
        arrived = [row for row in rows if row.event is Event.IMPORTED]
        self._stage(Batch(rows=(*rows, *audits), vectors=self._entries(arrived)))

    def _write_turns(self, turns: Iterable[Turn]) -> None:
        """Each turn with a stamp of its own, over the version of the row before it."""
        newest: dict[str, int] = {}
        for turn in turns:
            stamp = self._writing.stamp
            rows = [restamped(row, stamp, newest.get(row.memory_id)) for row in turn.rows]
            newest.update((row.memory_id, stamp) for row in rows)
            heads = [row for row in rows if row.memory_id in turn.heads]
            self._write(rows, heads)

    def _entries(self, rows: Sequence[MemoryRow]) -> tuple[Embedded, ...]:
        """Entries of the contents that this block has not staged yet."""
        found: list[Embedded] = []
        for row in rows:
            content = _content(row)
            if row.searchable and content not in self._staged:
                self._staged.add(content)
                found.extend(self._ready.entries[content])
        return tuple(found)

    def _audit(
        self, row: MemoryRow, *, ordinal: int = 0, verdict: str = "", refused: str = ""
    ) -> AuditRow:
        """About the row; of a refusal without the hash of what was refused (R-30)."""
        return AuditRow(
            version=self._writing.stamp,
            ordinal=ordinal,
            operation=self._task.operation,
            org=row.org,
            namespace=row.namespace,
            agent=row.agent,
            user_id=row.user_id,
            session_id=row.session_id,
            run_id=self._context.identity.run_id,
            memory_key=row.memory_key,
            memory_id="" if refused else row.memory_id,
            content_sha256="" if refused else row.content_sha256,
            actor=self._context.env.caller.actor,
            source_class="" if refused else str(row.source_class),
            verdict=verdict,
            refused=refused,
        )


def _content(row: MemoryRow) -> Content:
    return (row.memory_id, row.content_sha256)


def _names_of(memory: ExportedMemory) -> set[object]:
    return {memory.head.memory_id, memory.head.address}


def _not_yours(row: MemoryRow) -> Forbidden:
    msg = (
        "The row belongs to another user or session than this handle's; an administrator "
        'imports rows of every user with user_id="*".'
    )
    return Forbidden(msg, memory_key=row.memory_key)


def _line_of_head(row: MemoryRow, versions: int, verdict: Verdict | None) -> ImportedLine:
    return ImportedLine(
        memory_key=row.memory_key,
        memory_id=row.memory_id,
        result=RECREATED,
        status=str(row.status),
        versions=versions,
        peers=() if verdict is None else peer_views(verdict),
    )


def _line_of(outcome: SetOutcome) -> ImportedLine:
    return ImportedLine(
        memory_key=outcome.memory_key,
        memory_id=outcome.memory_id,
        result=outcome.conflict_verdict,
        status=str(outcome.status),
        versions=1,
        peers=outcome.peers,
    )
