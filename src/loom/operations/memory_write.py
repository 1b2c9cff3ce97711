"""Writing under a key: set, update and pin."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import attrs
from attrs import field, frozen

from loom.engine.env import Context
from loom.engine.judging import Judging, write
from loom.engine.targets import (
    Corrected,
    answering_row,
    live_row_under,
    row_of_id,
    row_still_of,
)
from loom.errors import InvalidRequest
from loom.model.json_values import JsonInput
from loom.model.keys import parse_key
from loom.model.unset import UNSET, Unset
from loom.operations.base import checked_flag
from loom.operations.stated import Pinnable, Stated, prepared
from loom.plans.draft import Words
from loom.plans.outcomes import SetOutcome, without_hash

__all__ = ["PinMemory", "SetMemory", "UpdateById", "UpdateMemory"]


@frozen(slots=True, hash=False)
class SetMemory(Pinnable):
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
    #: Put the claim on trial beside what the key holds; `memory.proposal_decide` takes it
    #: or turns it down, and until then no read serves it (R-23).
    proposed: bool = field(default=False, kw_only=True)

    def run(self, context: Context) -> SetOutcome:
        """Judge and write."""
        words = self.words(context, self.memory_key, self.value, **self.pin_said())
        proposed = checked_flag(self.proposed, name="proposed")
        if proposed and words.if_match_sha256 is not None:
            msg = "a proposal changes nothing yet, so there is nothing for if_match_sha256."
            raise InvalidRequest(msg, field="if_match_sha256")
        judging = Judging(lens="propose" if proposed else "expand")
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
        if self.value is not UNSET:
            judging = Judging(
                lens="reinforce",
                target=lambda reader, now: live_row_under(context, reader, key, now),
            )
            return self._pin(context, self.value, judging)
        while True:
            row = answering_row(context, context.env.storage, key, context.now())
            still = partial(row_still_of, context, memory_key=key, read=row)
            try:
                judging = Judging(lens="reinforce", target=still)
                return without_hash(self._pin(context, row.value, judging))
            except Corrected:
                continue  # what is there now is what the caller wants pinned

    def _pin(self, context: Context, value: JsonInput, judging: Judging) -> SetOutcome:
        words = self.words(context, self.memory_key, value, pinned=True)
        return _write(context, self, words, judging)


@frozen(slots=True, hash=False)
class UpdateMemory(Pinnable):
    """Correct the row that `memory.get` answers for a key; a pin on it stays (R-05).

    Raises:
        NotFound: there is no such row to correct; `memory.set` creates one.
        Locked, Blacklisted, PreconditionFailed, EmbeddingFailed: as `memory.set`.
        PinnedConflict: a close pinned row under another key says otherwise.
    """

    name: ClassVar[str] = "memory.update"

    memory_key: str = field(kw_only=False)
    value: JsonInput = field(kw_only=False)

    def run(self, context: Context) -> SetOutcome:
        """Judge and write."""
        key = parse_key(self.memory_key)
        words = self.words(context, key, self.value, **self.pin_said())
        judging = Judging(
            lens="revise",
            target=lambda reader, now: answering_row(context, reader, key, now),
        )
        return _write(context, self, words, judging)


@frozen(slots=True, hash=False)
class UpdateById(Pinnable):
    """Correct one row by its id; a pin on it stays.

    Raises:
        NotFound: no live row of that id that the caller may change.
        As `memory.update` else.
    """

    name: ClassVar[str] = "memory.update_by_id"

    memory_id: str = field(kw_only=False)
    value: JsonInput = field(kw_only=False)

    def run(self, context: Context) -> SetOutcome:
        """Judge and write."""
        row = row_of_id(context, context.env.storage, self.memory_id, context.now())
        words = self.words(context, row.memory_key, self.value, **self.pin_said())
        judging = Judging(
            lens="revise",
            target=lambda reader, now: row_of_id(context, reader, self.memory_id, now),
        )
        return _write(context, self, words, judging)


def _write(context: Context, request: Stated, words: Words, judging: Judging) -> SetOutcome:
    draft = prepared(context, request.name, words)
    dry_run = checked_flag(request.dry_run, name="dry_run")
    outcome = write(context, draft, judging, dry_run=dry_run)
    return attrs.evolve(outcome, dry_run=True, version=0) if dry_run else outcome
