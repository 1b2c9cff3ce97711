"""A request's words become a draft: all of it that needs no store and no embedder."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Final

import attrs
from attrs import field, frozen

from loom.model.entries import EXCERPT, Vector
from loom.model.files import parse_file
from loom.model.identity import Address, Identity
from loom.model.json_values import Json, JsonInput, freeze, sha256_of
from loom.model.keys import parse_key
from loom.model.masking import is_secret
from loom.model.memory import MemoryRow
from loom.model.memory_types import PROCEDURAL, SEMANTIC, type_of
from loom.model.provenance import SourceClass
from loom.model.sensitivity import HIGH
from loom.model.unset import UNSET, said
from loom.plans.material import Passage
from loom.policies.blacklist import texts_by_field, written_texts
from loom.policies.facts import Claim, Details, Draft
from loom.policies.rulings import Ruling
from loom.text.canonical import canonical_sha256, text_of
from loom.text.chunking import Span, chunks_of, excerpt_of
from loom.text.entities import canonical_entities
from loom.text.predicates import slots
from loom.text.procedures import is_procedure
from loom.text.sensitivity import detect
from loom.text.statements import is_bare
from loom.text.tokens import terms_of

__all__ = [
    "Prepared",
    "Words",
    "as_secret_as",
    "claim_of",
    "is_secret_under",
    "prepare",
    "says_it_already",
    "settled_for",
    "stated_secret",
    "tags_of",
    "unembedded",
    "with_vectors",
]


#: Begins the tag that says which type was asked for.
_RETYPED: Final = "retyped_from:"


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
    text, bare = text_of(value), is_bare(value)
    return Claim(
        memory_key=memory_key,
        text=text,
        bare=bare,
        content_sha256=content,
        canonical_sha256=canonical_sha256(value, content),
        slots=() if bare else slots(text),
    )


def prepare(
    words: Words,
    *,
    operation: str,
    identity: Identity,
    actor: str,
    new_id: str,
    max_bytes: int,
    detects: bool = True,
    reason: str = "",
) -> Prepared:
    """The draft of a write under the writer's own address; not embedded yet.

    Args:
        words: what the request says.
        operation: its dotted name.
        identity: who writes.
        actor: as whom it is recorded.
        new_id: the id of the row, should it be new.
        max_bytes: the largest canonical JSON of a value.
        detects: whether sensitive content is looked for where no level is stated.
        reason: why, where somebody decided it.

    Raises:
        InvalidRequest: the key or the value is malformed.
        ValueTooLarge: the value exceeds `max_bytes`.
    """
    value = freeze(words.value, max_bytes=max_bytes)
    memory_key = parse_key(words.memory_key)
    details = _named(words.details)
    stated = details.memory_type
    draft = Draft(
        operation=operation,
        identity=identity,
        actor=actor,
        source_class=words.source_class,
        address=identity.address(memory_key),
        new_id=new_id,
        value=value,
        claim=claim_of(memory_key, value),
        details=details,
        memory_type=SEMANTIC if stated is UNSET else stated,
        pins=words.pins,
        if_match_sha256=words.if_match_sha256,
        texts=written_texts(
            value, *words.details.said().values(), *_renamed(words, details)
        ),
        reason=reason,
        detected=detect(value, memory_key).level if detects else "",
    )
    return Prepared(draft=draft)


def _named(details: Details) -> Details:
    """The details with entities and files in the one form of each name.

    Raises:
        InvalidRequest: a file is no path inside a repository.
    """
    named: dict[str, Any] = {}
    if details.entities is not UNSET:
        named["entities"] = canonical_entities(details.entities)
    if details.files is not UNSET:
        named["files"] = tuple(dict.fromkeys(map(parse_file, details.files)))
    return attrs.evolve(details, **named) if named else details


def _renamed(words: Words, details: Details) -> list[object]:
    """What the row will say in other words than the request: both may be refused."""
    said_so = words.details.said()
    return [v for name, v in details.said().items() if v != said_so[name]]


def settled_for(
    prepared: Prepared,
    head: MemoryRow | None,
    address: Address,
    now: datetime,
    ruling: Ruling,
) -> Prepared:
    """The draft for the row it will write: what it does not say, the row says (R-31).

    Args:
        prepared: the draft as its request made it.
        head: the row it will write, whatever its status; None if it is new.
        address: where that row is.
        now: the instant of the write.
        ruling: what the namespace and the tags say of it.
    """
    draft = prepared.draft
    kept = head if head is not None and head.is_current(now) else None
    asked = said(draft.details.memory_type, kept.memory_type if kept else SEMANTIC)
    memory_type = asked
    if asked == PROCEDURAL and not is_procedure(draft.value):
        memory_type = SEMANTIC
    details = _settled_details(draft, kept, asked, memory_type)
    details = _retained(details, kept, now, ruling.retention_of(memory_type))
    level = said(details.sensitivity, kept.sensitivity if kept else "")
    searchable = type_of(memory_type).embedded and level != HIGH
    if level == HIGH:
        details = attrs.evolve(details, entities=())
    passages = prepared.passages if searchable else ()
    claim = attrs.evolve(
        draft.claim,
        memory_key=address.memory_key,
        ends_at=_end_of(details, kept),
        world_date=_world_date(details, kept) or now,
        slots=draft.claim.slots if searchable else (),
    )
    settled = attrs.evolve(
        draft,
        address=address,
        claim=claim,
        details=details,
        texts=_texts_of(draft, kept),
        memory_type=memory_type,
        retyped_from=asked if asked != memory_type else "",
        searchable=searchable,
        chunks=sum(p.ordinal != EXCERPT for p in passages or ()),
    )
    return Prepared(draft=settled, passages=passages)


def as_secret_as(
    prepared: Prepared, rows: Iterable[MemoryRow], key_row: MemoryRow | None = None
) -> Prepared:
    """The draft, secret where what it meets is and its writer states no level.

    Args:
        prepared: the draft.
        rows: rows beside the key's own by the same writer that say exactly this.
        key_row: of a claim on trial, the current row of its key: what was stated of it
            would hold for the claim, were it taken.
    """
    details = prepared.draft.details
    stated = key_row is not None and key_row.sensitivity_stated and is_secret(key_row)
    if details.sensitivity is not UNSET or not (stated or any(map(is_secret, rows))):
        return prepared
    details = attrs.evolve(details, sensitivity=HIGH, sensitivity_stated=True)
    return attrs.evolve(prepared, draft=attrs.evolve(prepared.draft, details=details))


def _world_date(details: Details, kept: MemoryRow | None) -> datetime | None:
    valid_at = said(details.valid_at, kept.valid_at if kept else None)
    return valid_at or said(details.temporal_anchor, kept.temporal_anchor if kept else None)


def tags_of(draft: Draft, head: MemoryRow | None, now: datetime) -> tuple[str, ...]:
    """The tags that the written version will have."""
    kept = head if head is not None and head.is_current(now) else None
    return said(draft.details.tags, kept.tags if kept else ())


def _settled_details(
    draft: Draft, kept: MemoryRow | None, asked: str, memory_type: str
) -> Details:
    """The details with what the value itself says: its type's form, its sensitivity."""
    details = draft.details
    if asked != memory_type:
        tags = said(details.tags, kept.tags if kept else ())
        mark = f"{_RETYPED}{asked}"
        tags = tags if mark in tags else (*tags, mark)
        details = attrs.evolve(details, memory_type=memory_type, tags=tags)
    if _detects_anew(draft, kept):
        details = attrs.evolve(
            details, sensitivity=draft.detected, sensitivity_stated=False
        )
    return details


def _detects_anew(draft: Draft, kept: MemoryRow | None) -> bool:
    """Whether no level is stated, and the row that is written keeps none for the claim."""
    level = draft.details.sensitivity
    if level is not UNSET:
        return not level
    if kept is None:
        return True
    known = kept.content_sha256 == draft.claim.content_sha256
    return not (kept.sensitivity_stated or known)


def is_secret_under(draft: Draft, head: MemoryRow | None, now: datetime) -> bool:
    """Whether the draft will be secret, should it be written to that row."""
    kept = head if head is not None and head.is_current(now) else None
    if _detects_anew(draft, kept):
        return draft.detected == HIGH
    return said(draft.details.sensitivity, kept.sensitivity if kept else "") == HIGH


def stated_secret(entries: Iterable[object]) -> frozenset[Address]:
    """Addresses that a draft among the entries makes secret: others there may be as well.

    A level that is stated by one entry is kept by the later ones of the same row.
    """
    return frozenset(
        entry.draft.address
        for entry in entries
        if isinstance(entry, Prepared) and entry.draft.details.sensitivity == HIGH
    )


def _retained(
    details: Details, kept: MemoryRow | None, now: datetime, retention: timedelta | None
) -> Details:
    """The retention of its tags, type or namespace, where nothing ends the row sooner."""
    if retention is None:
        return details
    latest = (kept.created_at if kept else now) + retention
    expires_at = said(details.expires_at, kept.expires_at if kept else None)
    if expires_at is not None and expires_at <= latest:
        return details
    return attrs.evolve(details, expires_at=latest)


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
    level = draft.details.sensitivity
    stays = level is UNSET or (level == HIGH) == (head.sensitivity == HIGH)
    return same_type and stays and head.content_sha256 == draft.claim.content_sha256


def unembedded(draft: Draft, *, sure: bool = False) -> tuple[tuple[int, Span], ...]:
    """The passages of a draft that is to be searchable: its excerpt and its chunks.

    None of a text that seems to be secret, unless the row is `sure` to be searchable: an
    embedder may be a service of somebody else.
    """
    stated = draft.details.memory_type
    level = said(draft.details.sensitivity, "") or draft.detected
    plain = stated is UNSET or type_of(stated).embedded
    if not sure and (level == HIGH or not plain):
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
