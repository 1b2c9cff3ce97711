"""What every write can say beside the value, checked field by field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import attrs
from attrs import frozen

from loom.engine.env import Context
from loom.errors import InvalidRequest
from loom.model.json_values import JsonInput
from loom.model.memory_types import parse_memory_type
from loom.model.provenance import Role, SourceClass, declared_class
from loom.model.sensitivity import parse_sensitivity
from loom.model.unset import UNSET, Unset
from loom.operations.base import (
    Request,
    Time,
    checked_flag,
    checked_fraction,
    checked_text,
    said_instant,
    said_mapping,
    said_texts,
    until_instant,
)
from loom.plans.draft import Prepared, Words, prepare
from loom.plans.outcomes import SetOutcome
from loom.policies.facts import Details

__all__ = ["Pinnable", "Stated", "prepared"]

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
    #: The date the claim is about, where that is not when it became true.
    temporal_anchor: Time | None | Unset = UNSET
    #: Seconds until it leaves the served set; kept by a rewrite that gives none (R-41).
    ttl_seconds: float | None = None
    #: The same as an instant.
    expires_at: Time | None = None
    #: Remove an expiry set earlier.
    clear_expiry: bool = False
    #: What a sweep makes of the row once it has expired: `tombstone`, or `keep` it unserved.
    on_expire: str | Unset = UNSET
    #: `low`, `medium` or `high`; None has it detected, as an omitted one does unless a
    #: level was stated before (R-46).
    sensitivity: str | None | Unset = UNSET
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
            temporal_anchor=said_instant(self.temporal_anchor, name="temporal_anchor"),
            expires_at=self._expiry(context),
            on_expire=_on_expire(self.on_expire),
            **self._sensitivity(),
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
        clear = checked_flag(self.clear_expiry, name="clear_expiry")
        end = until_instant(
            self.expires_at, self.ttl_seconds, context.now(), name="expires_at"
        )
        if clear and end is not None:
            msg = "give either an expiry or clear_expiry, not both."
            raise InvalidRequest(msg, field="clear_expiry")
        return UNSET if end is None and not clear else end

    def _sensitivity(self) -> dict[str, Any]:
        if self.sensitivity is UNSET:
            return {}
        level = parse_sensitivity(self.sensitivity)
        return {"sensitivity": level, "sensitivity_stated": bool(level)}

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


@frozen(kw_only=True, slots=True, hash=False)
class Pinnable(Stated):
    """A write that may also say whether the row is pinned."""

    #: Pin it, as `memory.pin` does; False removes a pin, which only a pinning write or
    #: an update may do.
    pinned: bool | Unset = UNSET

    def pin_said(self) -> dict[str, bool]:
        """The pin as a detail, if the request says one."""
        if self.pinned is UNSET:
            return {}
        return {"pinned": checked_flag(self.pinned, name="pinned")}


def prepared(context: Context, operation: str, words: Words) -> Prepared:
    """The draft of what a request says, for the context's identity."""
    return prepare(
        words,
        operation=operation,
        identity=context.writer(),
        actor=context.env.caller.actor,
        new_id=context.env.ids.new(),
        max_bytes=context.env.settings.max_value_bytes,
        detects=context.env.settings.sensitivity_autodetect,
    )


def _on_expire(value: str | Unset) -> str | Unset:
    if value is UNSET or value in ("tombstone", "keep"):
        return value
    msg = "on_expire must be 'tombstone' or 'keep'."
    raise InvalidRequest(msg, field="on_expire")


def _confidence(value: float | Unset) -> float | Unset:
    return UNSET if value is UNSET else checked_fraction(value, name="confidence")


def _resource(value: str | None | Unset) -> str | Unset:
    if value is UNSET:
        return UNSET
    return "" if value is None else checked_text(value, name="source_resource_id")


def _hash(value: str | None) -> str | None:
    if value is None:
        return None
    if len(checked_text(value, name="if_match_sha256")) != _HASH_LENGTH:
        msg = "if_match_sha256 must be the content_sha256 of the row that was read."
        raise InvalidRequest(msg, field="if_match_sha256")
    return value.lower()
