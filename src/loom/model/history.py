"""A version as history shows it, and how it differs from the one before."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final

import attrs
from attrs import field, frozen

from loom.model.json_values import Json
from loom.model.memory import MemoryRow
from loom.model.readable import Readable

__all__ = ["Change", "Version", "VersionList", "diff", "differences", "marked"]


@frozen(kw_only=True, slots=True, hash=False)
class Version(Readable):
    """One change of one row."""

    #: Nanoseconds since the epoch, strictly rising per row.
    version: int
    #: The version it replaced; 0 for the first.
    parent: int
    written_at: datetime
    #: Of the row's first version; repeats on every one.
    created_at: datetime
    #: Why it was written: created, revised, restated, deleted, ...
    event: str
    #: The reason that was given with that event.
    event_reason: str
    status: str
    value: Json
    memory_key: str
    memory_id: str
    memory_type: str
    tags: tuple[str, ...]
    confidence: float
    pinned: bool
    reinforcement_count: int
    valid_at: datetime | None
    valid_to: datetime | None
    expires_at: datetime | None
    tombstoned_at: datetime | None
    #: When what it said was removed, and why.
    redacted_at: datetime | None
    redaction_reason: str
    content_sha256: str
    agent: str
    user_id: str
    session_id: str
    run_id: str
    actor: str
    source_class: str
    source_resource_id: str
    conflict_with: tuple[str, ...]
    duplicate_of: str
    superseded_by: str
    #: Its own memory id where it is kept beside the key's row, as a proposal is.
    beside: str
    sensitivity: str
    #: The value was left out, because it is secret (R-46).
    masked: bool
    invalid_at: datetime | None
    verification: str
    #: Names of the fields that the version before had otherwise; `diff` says how. Empty
    #: for the first version.
    changes: tuple[str, ...] = field(default=())

    @classmethod
    def of(cls, row: MemoryRow, before: MemoryRow | None = None) -> Version:
        """The version a row is.

        Args:
            row: as it may be shown.
            before: the version it replaced, as it may be shown; None where there is none.
        """
        fields = {name: getattr(row, name) for name in _NAMES}
        return cls(**fields, changes=() if before is None else _changed(row, before))


_NAMES: Final = tuple(f.name for f in attrs.fields(Version) if f.name != "changes")
#: What a person looks for in a change, in this order; the value is compared by its hash.
_COMPARED: Final = (
    *("memory_key", "status", "memory_type", "tags", "confidence", "pinned"),
    *("reinforcement_count", "valid_at", "valid_to", "expires_at", "sensitivity"),
    *("conflict_with", "duplicate_of", "superseded_by", "source_class"),
    *("source_resource_id", "beside", "verification"),
)


def _changed(row: MemoryRow | Version, before: MemoryRow | Version) -> tuple[str, ...]:
    hashes = row.content_sha256, before.content_sha256
    # A masked version has no hash: whether it says something else is not told.
    said = ("value",) if all(hashes) and hashes[0] != hashes[1] else ()
    others = (n for n in _COMPARED if getattr(row, n) != getattr(before, n))
    return (*said, *others)


class VersionList(tuple[Version, ...]):
    """Versions, newest first; in a notebook a table of what happened."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from loom.model.showing import history_html  # noqa: PLC0415 - for notebooks alone

        return history_html(self)


@frozen(kw_only=True, slots=True, hash=False)
class Change(Readable):
    """One field that a version has otherwise than the version before."""

    field: str
    #: None of both where either version does not show what it says.
    before: Any
    after: Any
    #: A text with the words between marked, as `[-removed-]` and `{+added+}`; empty where
    #: it is no text on both sides.
    marked: str = ""
    #: It is not shown, since a version was masked or redacted.
    hidden: bool = False

    def __str__(self) -> str:
        if self.hidden:
            return f"{self.field}: not shown"
        said = self.marked or f"{_short(self.before)} → {_short(self.after)}"
        return f"{self.field}: {said}"


def diff(version: Version, before: Version) -> tuple[Change, ...]:
    """What a version has otherwise than another; of what is not shown, only that it has.

    >>> [str(change) for change in diff(one, one)]  # doctest: +SKIP
    []
    """
    return tuple(_change(name, version, before) for name in _changed(version, before))


def differences(
    versions: Sequence[Version],
) -> Iterator[tuple[Version, tuple[Change, ...]]]:
    """Each version with its changes against the one it replaced, where that is among them."""
    known = {(version.memory_id, version.version): version for version in versions}
    for version in versions:
        before = known.get((version.memory_id, version.parent))
        yield version, () if before is None else diff(version, before)


def _change(name: str, version: Version, before: Version) -> Change:
    if name == "value" and (_is_hidden(version) or _is_hidden(before)):
        return Change(field=name, before=None, after=None, hidden=True)
    old, new = getattr(before, name), getattr(version, name)
    words = isinstance(old, str) and isinstance(new, str) and name == "value"
    return Change(
        field=name, before=old, after=new, marked=marked(old, new) if words else ""
    )


def _is_hidden(version: Version) -> bool:
    return version.masked or version.redacted_at is not None


#: Longer texts are not compared by words: the time grows with the product of the lengths.
_MOST_WORDS: Final = 2_000
_WORDS: Final = re.compile(r"\s+|\w+|[^\w\s]")
_SHORT: Final = 80


def marked(before: str, after: str) -> str:
    """Both texts as one, with the words that only one of them has marked.

    >>> marked("The pump draws 5 amps.", "The pump draws 9 amps.")
    'The pump draws [-5-]{+9+} amps.'
    """
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if max(len(old), len(new)) > _MOST_WORDS:
        return f"[-{before}-]{{+{after}+}}"
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    parts: list[str] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            parts += old[a:b]
            continue
        removed, added = "".join(old[a:b]), "".join(new[c:d])
        parts += [f"[-{removed}-]"] if removed else []
        parts += [f"{{+{added}+}}"] if added else []
    return "".join(parts)


def _short(value: object) -> str:
    match value:
        case None | "" | ():
            said = "nothing"
        case datetime():
            said = value.isoformat(sep=" ", timespec="seconds")
        case tuple():
            said = ", ".join(map(_short, value))
        case _:
            said = str(value)
    return said if len(said) <= _SHORT else f"{said[:_SHORT]}…"
