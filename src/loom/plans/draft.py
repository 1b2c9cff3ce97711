"""A request's words become a draft: all of it that needs no store and no embedder."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import attrs
from attrs import field, frozen

from loom.model.entries import EXCERPT, Vector
from loom.model.identity import Address, Identity
from loom.model.json_values import Json, JsonInput, freeze, sha256_of
from loom.model.keys import parse_key
from loom.model.memory import MemoryRow
from loom.model.memory_types import SEMANTIC, type_of
from loom.model.provenance import SourceClass
from loom.model.unset import UNSET, said
from loom.plans.effects import Passage
from loom.policies.blacklist import texts_by_field, written_texts
from loom.policies.facts import Claim, Details, Draft
from loom.text.canonical import canonical_sha256, text_of
from loom.text.chunking import Span, chunks_of, excerpt_of
from loom.text.statements import is_bare
from loom.text.tokens import terms_of

__all__ = [
    "Prepared",
    "Words",
    "claim_of",
    "prepare",
    "says_it_already",
    "settled_for",
    "unembedded",
    "with_vectors",
]


@frozen(kw_only=True, slots=True, hash=False)
class Words:
    """What a request says, checked field by field but not yet judged."""

    memory_key: str
    value: JsonInput
    details: Details = field(factory=Details)
    source_class: SourceClass = SourceClass.ASSERTED
    pins: bool = False
    if_match_sha256: str | None = None


@frozen(kw_only=True, slots=True, hash=False)
class Prepared:
    """A draft, and its passages once they are embedded."""

    draft: Draft
    #: None: not embedded, because the store seemed to hold the value already.
    passages: tuple[Passage, ...] | None = None


def claim_of(memory_key: str, value: Json) -> Claim:
    """The claim a checked value makes under a key."""
    content = sha256_of(value)
    return Claim(
        memory_key=memory_key,
        text=text_of(value),
        bare=is_bare(value),
        content_sha256=content,
        canonical_sha256=canonical_sha256(value, content),
    )


def prepare(
    words: Words,
    *,
    operation: str,
    identity: Identity,
    actor: str,
    new_id: str,
    max_bytes: int,
) -> Prepared:
    """The draft of a write under the writer's own address; not embedded yet.

    Args:
        words: what the request says.
        operation: its dotted name.
        identity: who writes.
        actor: as whom it is recorded.
        new_id: the id of the row, should it be new.
        max_bytes: the largest canonical JSON of a value.

    Raises:
        InvalidRequest: the key or the value is malformed.
        ValueTooLarge: the value exceeds `max_bytes`.
    """
    value = freeze(words.value, max_bytes=max_bytes)
    memory_key = parse_key(words.memory_key)
    stated = words.details.memory_type
    draft = Draft(
        operation=operation,
        identity=identity,
        actor=actor,
        source_class=words.source_class,
        address=identity.address(memory_key),
        new_id=new_id,
        value=value,
        claim=claim_of(memory_key, value),
        details=words.details,
        memory_type=SEMANTIC if stated is UNSET else stated,
        pins=words.pins,
        if_match_sha256=words.if_match_sha256,
        texts=written_texts(value, *words.details.said().values()),
    )
    return Prepared(draft=draft)


def settled_for(
    prepared: Prepared, head: MemoryRow | None, address: Address, now: datetime
) -> Prepared:
    """The draft for the row it will write: what it does not say, the row says (R-31).

    Args:
        prepared: the draft as its request made it.
        head: the row it will write, whatever its status; None if it is new.
        address: where that row is.
        now: the instant of the write.
    """
    draft = prepared.draft
    kept = head if head is not None and head.is_current(now) else None
    memory_type = said(draft.details.memory_type, kept.memory_type if kept else SEMANTIC)
    searchable = type_of(memory_type).embedded
    passages = prepared.passages if searchable else ()
    claim = attrs.evolve(
        draft.claim,
        memory_key=address.memory_key,
        ends_at=_end_of(draft.details, kept),
    )
    settled = attrs.evolve(
        draft,
        address=address,
        claim=claim,
        texts=_texts_of(draft, kept),
        memory_type=memory_type,
        searchable=searchable,
        chunks=sum(p.ordinal != EXCERPT for p in passages or ()),
    )
    return Prepared(draft=settled, passages=passages)


def _end_of(details: Details, kept: MemoryRow | None) -> datetime | None:
    ends = (
        said(details.expires_at, kept.expires_at if kept else None),
        said(details.valid_to, kept.valid_to if kept else None),
    )
    return min((end for end in ends if end is not None), default=None)


def _texts_of(draft: Draft, kept: MemoryRow | None) -> tuple[str, ...]:
    """All the texts that the written version will hold, carried forward or new."""
    if kept is None:
        return draft.texts
    unsaid = {
        n: v for n, v in texts_by_field(kept).items() if n not in draft.details.said()
    }
    return (*draft.texts, *written_texts(*unsaid.values()))


def says_it_already(draft: Draft, head: MemoryRow | None, now: datetime) -> bool:
    """Whether the head is current and holds this value, so that no entry is needed."""
    if head is None or not head.is_current(now):
        return False
    same_type = draft.details.memory_type in (UNSET, head.memory_type)
    return same_type and head.content_sha256 == draft.claim.content_sha256


def unembedded(draft: Draft) -> tuple[tuple[int, Span], ...]:
    """The passages of a draft that is to be searchable: its excerpt and its chunks."""
    stated = draft.details.memory_type
    if stated is not UNSET and not type_of(stated).embedded:
        return ()
    text = draft.claim.text
    return ((EXCERPT, excerpt_of(text)), *enumerate(chunks_of(text)))


def with_vectors(
    prepared: Prepared, spans: tuple[tuple[int, Span], ...], vectors: Iterable[Vector]
) -> Prepared:
    """The draft with its passages.

    Args:
        prepared: the draft.
        spans: what `unembedded` gave for it.
        vectors: one for each span, (d,), length 1; takes no more than that.
    """
    text = prepared.draft.claim.text
    passages = tuple(
        Passage(
            ordinal=ordinal,
            start=span.start,
            stop=span.stop,
            vector=vector,
            terms=terms_of(text[span.start : span.stop]),
        )
        for (ordinal, span), vector in zip(spans, vectors, strict=False)
    )
    return attrs.evolve(prepared, passages=passages)
