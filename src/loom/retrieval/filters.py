"""What reads can be narrowed by, as one predicate that holds before any ranking."""

from __future__ import annotations

from datetime import datetime

from attrs import frozen

from loom.model.files import parse_file
from loom.model.status import Status
from loom.model.times import parse_instant
from loom.retrieval.replayed import Replayed
from loom.retrieval.served import not_past, served_at
from loom.storage.where import (
    NEVER,
    Compare,
    Equal,
    HasAll,
    HasAny,
    In,
    Not,
    Prefix,
    Where,
    all_of,
    any_of,
)
from loom.text.entities import canonical_entities, canonical_entity

__all__ = ["Filters"]


@frozen(kw_only=True, slots=True)
class Filters:
    """Each narrows further; the empty ones narrow nothing."""

    #: A path: itself or what lies below it.
    prefix: str | None = None
    #: All of them, or any where `any_tag` is set.
    tags: tuple[str, ...] = ()
    any_tag: bool = False
    memory_types: tuple[str, ...] = ()
    not_types: tuple[str, ...] = ()
    #: Instead of the served set; None is the served set.
    statuses: tuple[Status, ...] | None = None
    #: Beside the served set.
    also: tuple[Status, ...] = ()
    #: All of them, in any spelling: names and rows meet in the canonical form.
    entities: tuple[str, ...] = ()
    #: Any of them, as paths inside a repository.
    files: tuple[str, ...] = ()
    pinned: bool | None = None
    agent: str | None = None
    session_id: str | None = None
    #: The duplicates that were stored for the run are served in it too (R-50).
    run_id: str | None = None
    source_classes: tuple[str, ...] = ()
    source_resource_id: str | None = None
    updated_from: datetime | str | None = None
    updated_before: datetime | str | None = None
    confidence_from: float | None = None
    not_keys: tuple[str, ...] = ()

    def where(
        self,
        now: datetime,
        *,
        fold_tags: bool = False,
        replay: Replayed | None = None,
    ) -> Where:
        """The predicate at an instant.

        Args:
            now: the instant that decides what is past.
            fold_tags: compare tags in any case, as `memory.list` does.
            replay: what was served then, where an earlier instant is asked about; it is
                of the versions of that replay's view.

        Raises:
            InvalidRequest: a time or a file is malformed.
        """
        parts: list[Where] = [
            self._standing(now, replay),
            *self._equalities(),
            *self._ranges(),
        ]
        if self.prefix:
            path = self.prefix.removesuffix("/")
            parts.append(
                any_of((Equal("memory_key", path), Prefix("memory_key", path + "/")))
            )
        if self.tags:
            tags = tuple(t.casefold() for t in self.tags) if fold_tags else self.tags
            name = "tags_folded" if fold_tags else "tags"
            parts.append(HasAny(name, tags) if self.any_tag else HasAll(name, tags))
        if self.entities:
            parts.append(self._of_entities())
        if self.files:
            parts.append(HasAny("files", tuple(map(parse_file, self.files))))
        return all_of(*parts)

    def _of_entities(self) -> Where:
        """A name that names nothing is the entity of no row; it must not widen a read."""
        if not all(map(canonical_entity, self.entities)):
            return NEVER
        return HasAll("entities", canonical_entities(self.entities))

    def _standing(self, now: datetime, replay: Replayed | None) -> Where:
        if self.statuses is None:
            of_run = (Status.DUPLICATE,) if self.run_id is not None else ()
            also = (*self.also, *of_run)
            return served_at(now, also) if replay is None else replay.standing(also)
        if set(self.statuses) <= {Status.TOMBSTONED}:
            return In("status", self.statuses)
        if set(self.statuses) == set(Status):
            return all_of()
        return all_of(
            In("status", self.statuses),
            any_of((Equal("status", Status.TOMBSTONED), not_past(now))),
        )

    def _equalities(self) -> list[Where]:
        exact = {
            "pinned": self.pinned,
            "agent": self.agent,
            "session_id": self.session_id,
            "run_id": self.run_id,
            "source_resource_id": self.source_resource_id,
        }
        parts: list[Where] = [
            Equal(name, value) for name, value in exact.items() if value is not None
        ]
        among = {"memory_type": self.memory_types, "source_class": self.source_classes}
        parts.extend(In(name, values) for name, values in among.items() if values)
        if self.not_types and not self.memory_types:
            parts.append(Not(In("memory_type", self.not_types)))
        if self.not_keys:
            parts.append(Not(In("memory_key", self.not_keys)))
        return parts

    def _ranges(self) -> list[Where]:
        parts: list[Where] = []
        if self.updated_from is not None:
            at = parse_instant(self.updated_from, field="updated_from")
            parts.append(Compare("updated_at", ">=", at))
        if self.updated_before is not None:
            at = parse_instant(self.updated_before, field="updated_before")
            parts.append(Compare("updated_at", "<", at))
        if self.confidence_from is not None:
            parts.append(Compare("confidence", ">=", float(self.confidence_from)))
        return parts
