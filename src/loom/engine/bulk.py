"""Many writes in one hold of the lock, each judged in order (R-37)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

import numpy as np
from attrs import field, frozen

from loom.engine.embedding import embedded
from loom.engine.env import Context
from loom.engine.gather import peer_question
from loom.engine.judging import Judging, plan_in, spares_embedding
from loom.engine.sealing import Content, bury, sealed, secrets_in
from loom.engine.write import NeedsVectors, commit, namespace_scope
from loom.errors import LoomError, StoreUnavailable
from loom.model.identity import Address
from loom.plans.draft import Prepared, stated_secret
from loom.plans.effects import audit_of
from loom.plans.outcomes import SetOutcome
from loom.plans.plan import Plan
from loom.storage.batch import Batch, Receipt
from loom.storage.contract import CommitFailed, Writing
from loom.storage.query import Nearest

__all__ = ["write_all"]

_BLOCK: Final = 256
_ATTEMPTS: Final = 3

Entry = Prepared | LoomError
Answer = SetOutcome | LoomError


@frozen(slots=True)
class _Staged:
    """An entry that waits to become durable, and what is to be buried then."""

    receipt: Receipt
    answer: Answer
    secrets: dict[Content, int] = field(factory=dict, hash=False)


def write_all(
    context: Context, entries: Sequence[Entry], judging: Judging, *, atomic: bool
) -> list[Answer]:
    """Judge and write entry after entry, in blocks; answers in the order given.

    Args:
        context: the call.
        entries: drafts, and errors of entries that were malformed (answered as such).
        judging: the lens.
        atomic: one block, and the first refusal undoes it.

    Raises:
        LoomError: of the first entry that is refused, if `atomic`.
        EmbeddingFailed: the embedder failed; nothing was written (R-39).
    """
    if atomic:
        return _atomic(context, entries, judging)
    # Every block is embedded before any is written, so that a failure leaves nothing.
    rest = iter(entries)
    blocks: list[list[Entry]] = []
    secret = stated_secret(entries)
    while block := list(islice(rest, _BLOCK)):
        blocks.append(_ready(context, block, judging, secret))
    return [answer for block in blocks for answer in _block(context, block, judging)]


def _ready(
    context: Context, block: list[Entry], judging: Judging, secret: frozenset[Address]
) -> list[Entry]:
    """The entries of a block, its drafts embedded in one call."""
    drafts = {i: e for i, e in enumerate(block) if isinstance(e, Prepared)}
    _embed(context, drafts, judging, secret)
    return [drafts.get(i, entry) for i, entry in enumerate(block)]


def _block(context: Context, block: list[Entry], judging: Judging) -> list[Answer]:
    """All entries of a block; the ones whose commit failed are judged again, alone."""
    answers: dict[int, Answer] = {
        i: entry for i, entry in enumerate(block) if isinstance(entry, LoomError)
    }
    open_ones = {i: e for i, e in enumerate(block) if isinstance(e, Prepared)}
    attempts = 0
    while open_ones:
        staged, lacking = _stage(context, open_ones, judging, alone=attempts > 0)
        failed = _wait(context, staged, open_ones, answers)
        if lacking is not None:
            open_ones[lacking] = embedded(context, [open_ones[lacking]], sure=True)[0]
        attempts = attempts + 1 if failed else 0
        if attempts >= _ATTEMPTS:
            msg = "The write could not be committed; nothing of this entry was stored."
            answers.update(dict.fromkeys(open_ones, StoreUnavailable(msg)))
            break
    return [answers[i] for i in range(len(block))]


def _embed(
    context: Context,
    drafts: dict[int, Prepared],
    judging: Judging,
    secret: frozenset[Address],
) -> None:
    """Embed in one call whatever the store does not seem to hold, and may be known."""
    unknown = [
        i
        for i, d in drafts.items()
        if d.draft.address not in secret and not spares_embedding(context, d, judging)
    ]
    ready = embedded(context, [drafts[i] for i in unknown])
    drafts.update(zip(unknown, ready, strict=True))


def _stage(
    context: Context, drafts: dict[int, Prepared], judging: Judging, *, alone: bool
) -> tuple[dict[int, _Staged], int | None]:
    """Stage what can be; stops before the first draft that turns out to lack vectors."""
    staged: dict[int, _Staged] = {}
    probes = _probes(context, drafts.values())
    scope = namespace_scope(context)
    with context.env.storage.writing(scope, probes=probes, alone=alone) as writing:
        for i, draft in drafts.items():
            try:
                plan = plan_in(context, writing, draft, judging)
            except NeedsVectors:
                return staged, i
            except LoomError as error:
                staged[i] = _Staged(writing.settled(), error)
                continue
            receipt = (
                writing.settled()
                if plan.batch is None
                else writing.stage(sealed(context, plan.batch))
            )
            staged[i] = _Staged(receipt, _answer(plan), secrets_in(plan.batch))
    return staged, None


def _wait(
    context: Context,
    staged: dict[int, _Staged],
    drafts: dict[int, Prepared],
    answers: dict[int, Answer],
) -> bool:
    """Move what became durable to the answers; true if something did not."""
    failed = False
    secrets: dict[Content, int] = {}
    for i, one in staged.items():
        try:
            one.receipt.wait()
        except CommitFailed:
            failed = True
            continue
        answers[i] = one.answer
        secrets |= one.secrets
        del drafts[i]
    bury(context, secrets)
    return failed


def _answer(plan: Plan[SetOutcome]) -> Answer:
    if plan.refusal is not None:
        return plan.refusal.as_error()
    if plan.outcome is None:  # pragma: no cover - a plan answers or refuses
        msg = "a plan has neither an outcome nor a refusal."
        raise TypeError(msg)
    return plan.outcome


def _probes(context: Context, drafts: Iterable[Prepared]) -> Nearest | None:
    """One question for all drafts that are compared in the scope of the first."""
    with_vectors = [d for d in drafts if d.passages]
    if not with_vectors:
        return None
    first = with_vectors[0].draft
    vectors = np.stack([d.passages[0].vector for d in with_vectors if d.passages])
    return peer_question(context, first.address, first.memory_type, vectors, context.now())


def _atomic(context: Context, entries: Sequence[Entry], judging: Judging) -> list[Answer]:
    """All or nothing: one block, undone by the first refusal."""
    drafts: dict[int, Prepared] = {}
    for i, entry in enumerate(entries):
        if isinstance(entry, LoomError):
            raise entry
        drafts[i] = entry
    _embed(context, drafts, judging, stated_secret(entries))
    for _ in range(_ATTEMPTS + len(drafts)):
        try:
            return _all_or_nothing(context, drafts, judging)
        except _Lacking as lacking:
            drafts[lacking.index] = embedded(context, [drafts[lacking.index]], sure=True)[0]
        except CommitFailed:
            continue
        except _Objection as objection:
            _record(context, objection)
            raise objection.error from None
    msg = "The entries could not be committed; none of them was stored. Try again later."
    raise StoreUnavailable(msg)


class _Lacking(Exception):
    """A draft turned out to need vectors."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


class _Objection(Exception):
    """A guard refused an entry: the block is undone, then the refusal recorded."""

    def __init__(self, error: LoomError, index: int, draft: Prepared) -> None:
        super().__init__(index)
        self.error = error
        self.draft = draft


def _all_or_nothing(
    context: Context, drafts: dict[int, Prepared], judging: Judging
) -> list[Answer]:
    answers: list[Answer] = []
    secrets: dict[Content, int] = {}
    receipt: Receipt | None = None
    scope = namespace_scope(context)
    probes = _probes(context, drafts.values())
    with context.env.storage.writing(scope, probes=probes) as writing:
        for i, draft in drafts.items():
            try:
                plan = plan_in(context, writing, draft, judging)
            except NeedsVectors:
                raise _Lacking(i) from None
            answer = _answer(plan)
            if isinstance(answer, LoomError):
                raise _Objection(answer, i, draft)
            if plan.batch is not None:
                receipt = writing.stage(sealed(context, plan.batch))
            secrets |= secrets_in(plan.batch)
            answers.append(answer)
    if receipt is not None:
        receipt.wait()
    bury(context, secrets)
    return answers


def _record(context: Context, objection: _Objection) -> None:
    """The audit entry of the refusal that undid the rest (R-30)."""

    def plan(writing: Writing) -> Plan[bool]:
        entry = audit_of(objection.draft.draft, writing.stamp, refused=objection.error.code)
        return Plan(batch=Batch(rows=(entry,)), outcome=True)

    commit(context, namespace_scope(context), plan)
