"""Writing many claims at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import attrs
from attrs import field, frozen

from loom.engine.bulk import write_all
from loom.engine.env import Context
from loom.engine.judging import Judging
from loom.errors import InvalidRequest, LoomError
from loom.model.provenance import Role
from loom.operations.base import Request, checked_flag
from loom.operations.memory_write import SetMemory
from loom.operations.stated import prepared
from loom.plans.draft import Prepared
from loom.plans.outcomes import BulkOutcome, Refusal

__all__ = ["BulkSet", "draft_of"]


@frozen(slots=True, hash=False)
class BulkSet(Request[BulkOutcome]):
    """Write many claims, each judged in order and seeing the ones before (R-37).

    An entry is a mapping of `memory.set`'s arguments. One answer an entry comes back, in
    the same order; an entry that is refused is its own answer and stops no other, unless
    `atomic=True`: then the first refusal is raised and nothing is written.

    Raises:
        InvalidRequest: `entries` is no list of mappings.
    """

    name: ClassVar[str] = "memory.bulk_set"
    role: ClassVar[Role] = Role.WRITER

    entries: Sequence[Mapping[str, Any]] = field(kw_only=False)
    atomic: bool = False

    def run(self, context: Context) -> BulkOutcome:
        """Judge and write entry after entry."""
        context.writer()
        if isinstance(self.entries, str | bytes | Mapping) or not isinstance(
            self.entries, Sequence
        ):
            msg = "entries must be a list of mappings such as {'memory_key': ..., 'value': ...}."
            raise InvalidRequest(msg, field="entries")
        atomic = checked_flag(self.atomic, name="atomic")
        drafts = [self._draft(context, entry) for entry in self.entries]
        judging = Judging(lens="bulk", bulk=True)
        results = write_all(context, drafts, judging, atomic=atomic)
        answers = tuple(
            _refused(draft, result) if isinstance(result, LoomError) else result
            for draft, result in zip(drafts, results, strict=True)
        )
        counts = Counter(
            a.code if isinstance(a, Refusal) else a.conflict_verdict for a in answers
        )
        return BulkOutcome(results=answers, counts=dict(counts))

    def _draft(self, context: Context, entry: Mapping[str, Any]) -> Prepared | LoomError:
        try:
            return draft_of(context, self.name, entry)
        except LoomError as error:
            if self.atomic:
                raise
            return error


def draft_of(context: Context, operation: str, entry: Mapping[str, Any]) -> Prepared:
    """The draft of one bulk entry.

    Raises:
        InvalidRequest: it is no mapping of `memory.set`'s arguments, or one is malformed.
    """
    try:
        request = _entry(_mapping(entry))
        words = request.words(
            context, request.memory_key, request.value, **request.pin_said()
        )
        return prepared(context, operation, words)
    except LoomError as error:
        raise _named(error, entry) from None


def _named(error: LoomError, entry: object) -> LoomError:
    """The error, with the entry's key where it has a readable one."""
    key = entry.get("memory_key") if isinstance(entry, Mapping) else None
    if isinstance(key, str):
        error.details.setdefault("memory_key", key)
    return error


_ENTRY_FIELDS = frozenset(
    f.name
    for f in attrs.fields(SetMemory)
    if f.name
    not in ("org", "namespace", "agent", "user_id", "session_id", "run_id", "dry_run")
)


def _mapping(entry: object) -> Mapping[str, Any]:
    if isinstance(entry, Mapping):
        return entry
    msg = "an entry must be a mapping such as {'memory_key': ..., 'value': ...}."
    raise InvalidRequest(msg, field="entries")


def _entry(entry: Mapping[str, Any]) -> SetMemory:
    unknown = sorted(str(name) for name in entry if name not in _ENTRY_FIELDS)
    if unknown:
        msg = (
            f"an entry has fields that memory.set does not take: {', '.join(unknown[:5])}."
        )
        raise InvalidRequest(msg, field="entries")
    missing = [name for name in ("memory_key", "value") if name not in entry]
    if missing:
        msg = f"an entry lacks {' and '.join(missing)}."
        raise InvalidRequest(msg, field="entries")
    return SetMemory(**entry)


def _refused(draft: Prepared | LoomError, error: LoomError) -> Refusal:
    key = error.details.get("memory_key", "")
    if isinstance(draft, Prepared):
        key = draft.draft.address.memory_key
    return Refusal(
        memory_key=str(key), code=error.code, message=error.message, details=error.details
    )
