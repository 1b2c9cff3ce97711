"""Writing under a key: set, update, pin and bulk_set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import attrs
from attrs import field, frozen

from loom.engine.bulk import write_all
from loom.engine.env import Context
from loom.engine.judging import Judging, write
from loom.engine.targets import answering_row, live_row_under, row_of_id
from loom.errors import InvalidRequest, LoomError
from loom.model.json_values import JsonInput
from loom.model.keys import parse_key
from loom.model.memory_types import parse_memory_type
from loom.model.provenance import Role, SourceClass, declared_class
from loom.model.unset import UNSET, Unset
from loom.operations.base import (
    Request,
    Time,
    checked_flag,
    checked_text,
    is_number,
    said_instant,
    said_mapping,
    said_texts,
    until_instant,
)
from loom.plans.draft import Prepared, Words, prepare
from loom.plans.outcomes import BulkOutcome, Refusal, SetOutcome
from loom.policies.facts import Details

__all__ = ["BulkSet", "PinMemory", "SetMemory", "UpdateById", "UpdateMemory", "draft_of"]

_HASH_LENGTH = 64


@frozen(kw_only=True, slots=True, hash=False)
class Stated(Request[SetOutcome]):
    """What can be said beside a value. An omitted field keeps, an empty one clears."""

    role: ClassVar[Role] = Role.WRITER

    memory_type: str | Unset = UNSET
    tags: Sequence[str] | None | Unset = UNSET
    entities: Sequence[str] | None | Unset = UNSET
    files: Sequence[str] | None | Unset = UNSET
    #: 0 to 1, both inclusive.
    confidence: float | Unset = UNSET
    metadata: Mapping[str, Any] | None | Unset = UNSET
    #: When the claim became true and when it stopped; None is unknown.
    valid_at: Time | None | Unset = UNSET
    valid_to: Time | None | Unset = UNSET
    #: Seconds until it leaves the served set; kept by a rewrite that gives none (R-41).
    ttl_seconds: float | None = None
    #: Remove an expiry set earlier.
    clear_expiry: bool = False
    #: Only to lower it: `derived`, `imported` or `external`.
    source_class: str | None = None
    source_resource_id: str | None | Unset = UNSET
    source_trace: Mapping[str, Any] | None | Unset = UNSET
    #: Write only if the live row still has this content hash (R-36).
    if_match_sha256: str | None = None
    #: Answer as the write would, and write nothing (R-35).
    dry_run: bool = False

    def details(self, context: Context) -> Details:
        """The fields said, checked.

        Raises:
            InvalidRequest: naming the field that is malformed.
        """
        limit = context.env.settings.max_value_bytes
        return Details(
            memory_type=self._memory_type(),
            tags=said_texts(self.tags, name="tags"),
            entities=said_texts(self.entities, name="entities"),
            files=said_texts(self.files, name="files"),
            confidence=_confidence(self.confidence),
            metadata=said_mapping(self.metadata, name="metadata", max_bytes=limit),
            valid_at=said_instant(self.valid_at, name="valid_at"),
            valid_to=said_instant(self.valid_to, name="valid_to"),
            expires_at=self._expiry(context),
            source_resource_id=_resource(self.source_resource_id),
            source_trace=said_mapping(
                self.source_trace, name="source_trace", max_bytes=limit
            ),
        )

    def _memory_type(self) -> str | Unset:
        if self.memory_type is UNSET:
            return UNSET
        return parse_memory_type(self.memory_type)

    def _expiry(self, context: Context) -> Any:
        if self.clear_expiry and self.ttl_seconds is not None:
            msg = "give either ttl_seconds or clear_expiry, not both."
            raise InvalidRequest(msg, field="clear_expiry")
        if self.clear_expiry:
            return None
        if self.ttl_seconds is None:
            return UNSET
        return until_instant(None, self.ttl_seconds, context.now(), name="expires_at")

    def words(
        self, context: Context, memory_key: str, value: JsonInput, **details: Any
    ) -> Words:
        """What the request says, with other details where an operation adds some."""
        said = self.details(context)
        source = SourceClass.ASSERTED
        if self.source_class is not None:
            source = declared_class(self.source_class)
        return Words(
            memory_key=memory_key,
            value=value,
            details=attrs.evolve(said, **details) if details else said,
            source_class=source,
            pins=details.get("pinned") is True,
            if_match_sha256=_hash(self.if_match_sha256),
        )


@frozen(slots=True, hash=False)
class SetMemory(Stated):
    """Learn a claim under a key.

    A new key makes a row; a key with a live row of another value revises it; the same
    value states it once more. Every write is compared with what is stored and answers a
    verdict.

    Raises:
        InvalidRequest: the key, the value or a field is malformed.
        ValueTooLarge: the value exceeds the store's limit.
        Locked: a read-only lock protects the row.
        PinnedConflict: a pinned row says otherwise and this write does not pin.
        Blacklisted: a pattern matches.
        PreconditionFailed: `if_match_sha256` is not the live row's hash.
        EmbeddingFailed: the embedder failed; nothing was written.
    """

    name: ClassVar[str] = "memory.set"

    memory_key: str = field(kw_only=False)
    value: JsonInput = field(kw_only=False)
    #: Pin it, as `memory.pin` does; False removes a pin, which only a pinning write or
    #: an update may do.
    pinned: bool | Unset = UNSET

    def run(self, context: Context) -> SetOutcome:
        """Judge and write."""
        details = (
            {}
            if self.pinned is UNSET
            else {"pinned": checked_flag(self.pinned, name="pinned")}
        )
        words = self.words(context, self.memory_key, self.value, **details)
        judging = Judging(lens=context.env.lenses.expand)
        return _write(context, self, words, judging)


@frozen(slots=True, hash=False)
class PinMemory(Stated):
    """Store a claim and pin it: no later write that does not itself pin replaces it.

    Raises:
        As `memory.set`; pins of other rows do not stand against it.
    """

    name: ClassVar[str] = "memory.pin"

    memory_key: str = field(kw_only=False)
    #: Omitted: pin the row that is there as it is.
    value: JsonInput | Unset = field(kw_only=False, default=UNSET)

    def run(self, context: Context) -> SetOutcome:
        """Judge and write, pinned."""
        key = parse_key(self.memory_key)
        value = self.value
        if value is UNSET:
            value = answering_row(context, context.env.storage, key).value
        words = self.words(context, key, value, pinned=True)
        judging = Judging(
            lens=context.env.lenses.reinforce,
            target=lambda reader: live_row_under(context, reader, key),
        )
        return _write(context, self, words, judging)


@frozen(slots=True, hash=False)
class UpdateMemory(Stated):
    """Correct the row that `memory.get` answers for a key; a pin on it stays (R-05).

    Raises:
        NotFound: there is no such row to correct; `memory.set` creates one.
        Locked, Blacklisted, PreconditionFailed, EmbeddingFailed: as `memory.set`.
        PinnedConflict: a close pinned row under another key says otherwise.
    """

    name: ClassVar[str] = "memory.update"

    memory_key: str = field(kw_only=False)
    value: JsonInput = field(kw_only=False)
    pinned: bool | Unset = UNSET

    def run(self, context: Context) -> SetOutcome:
        """Judge and write."""
        key = parse_key(self.memory_key)
        details = (
            {}
            if self.pinned is UNSET
            else {"pinned": checked_flag(self.pinned, name="pinned")}
        )
        words = self.words(context, key, self.value, **details)
        judging = Judging(
            lens=context.env.lenses.revise,
            target=lambda reader: answering_row(context, reader, key),
        )
        return _write(context, self, words, judging)


@frozen(slots=True, hash=False)
class UpdateById(Stated):
    """Correct one row by its id; a pin on it stays.

    Raises:
        NotFound: no live row of that id that the caller may change.
        As `memory.update` else.
    """

    name: ClassVar[str] = "memory.update_by_id"

    memory_id: str = field(kw_only=False)
    value: JsonInput = field(kw_only=False)
    pinned: bool | Unset = UNSET

    def run(self, context: Context) -> SetOutcome:
        """Judge and write."""
        row = row_of_id(context, context.env.storage, self.memory_id)
        details = (
            {}
            if self.pinned is UNSET
            else {"pinned": checked_flag(self.pinned, name="pinned")}
        )
        words = self.words(context, row.memory_key, self.value, **details)
        judging = Judging(
            lens=context.env.lenses.revise,
            target=lambda reader: row_of_id(context, reader, self.memory_id),
        )
        return _write(context, self, words, judging)


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
        if isinstance(self.entries, str | Mapping) or not isinstance(
            self.entries, Sequence
        ):
            msg = "entries must be a list of mappings such as {'memory_key': ..., 'value': ...}."
            raise InvalidRequest(msg, field="entries")
        drafts = [self._draft(context, entry) for entry in self.entries]
        judging = Judging(lens=context.env.lenses.bulk, bulk=True)
        results = write_all(context, drafts, judging, atomic=self.atomic)
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
        pinned = {} if request.pinned is UNSET else {"pinned": request.pinned}
        words = request.words(context, request.memory_key, request.value, **pinned)
        return _prepared(context, operation, words)
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


def _write(context: Context, request: Stated, words: Words, judging: Judging) -> SetOutcome:
    prepared = _prepared(context, request.name, words)
    outcome = write(
        context, prepared, judging, dry_run=checked_flag(request.dry_run, name="dry_run")
    )
    return as_dry_run(outcome) if request.dry_run else outcome


def as_dry_run(outcome: SetOutcome) -> SetOutcome:
    """The answer of a write that was only tried: it made no version."""
    return attrs.evolve(outcome, dry_run=True, version=0)


def _prepared(context: Context, operation: str, words: Words) -> Prepared:
    return prepare(
        words,
        operation=operation,
        identity=context.writer(),
        actor=context.env.caller.actor,
        new_id=context.env.ids.new(),
        max_bytes=context.env.settings.max_value_bytes,
    )


def _confidence(value: float | Unset) -> float | Unset:
    if value is UNSET:
        return UNSET
    if not is_number(value) or not 0.0 <= value <= 1.0:
        msg = "confidence must be a number from 0 to 1."
        raise InvalidRequest(msg, field="confidence")
    return float(value)


def _resource(value: str | None | Unset) -> str | Unset:
    if value is UNSET:
        return UNSET
    return checked_text(value or "", name="source_resource_id")


def _hash(value: str | None) -> str | None:
    if value is None:
        return None
    if len(checked_text(value, name="if_match_sha256")) != _HASH_LENGTH:
        msg = "if_match_sha256 must be the content_sha256 of the row that was read."
        raise InvalidRequest(msg, field="if_match_sha256")
    return value.lower()
