"""Values as small HTML tables, for notebooks. Everything shown is escaped.

A value with a list of others in it (hits, items, peers) shows that list as a table of
its own. Which columns a kind has is one table here; a kind without an entry shows every
field that is not empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from html import escape
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from loom.model.history import Version

__all__ = ["history_html", "html_of", "table_html"]

#: From the name of a class to the fields a person looks for first.
_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "MemoryRow": (
        "memory_key",
        "value",
        "status",
        "memory_type",
        "tags",
        "pinned",
        "confidence",
        "reinforcement_count",
        "conflict_with",
        "duplicate_of",
        "resolved_from",
        "valid_at",
        "valid_to",
        "expires_at",
        "agent",
        "user_id",
        "actor",
        "source_class",
        "updated_at",
        "memory_id",
        "content_sha256",
    ),
    "SetOutcome": (
        "memory_key",
        "conflict_verdict",
        "status",
        "merged_into_key",
        "duplicate_of",
        "pinned",
        "dry_run",
        "advisories",
        "degraded",
        "next",
        "memory_id",
        "content_sha256",
    ),
}
#: The same where it is one of many, as a row of a table.
_AMONG: Final[Mapping[str, tuple[str, ...]]] = {
    "MemoryRow": ("memory_key", "value", "status", "tags", "pinned", "updated_at"),
    "Hit": ("rank", "memory_key", "excerpt", "status", "similarity", "rank_score"),
    "PeerView": ("memory_key", "value", "similarity", "relation", "reasons"),
    "SetOutcome": ("memory_key", "conflict_verdict", "status", "merged_into_key", "next"),
    "Refusal": ("memory_key", "code", "message"),
    "ExportedMemory": ("head", "history"),
    "ImportedLine": ("memory_key", "result", "status", "code", "message"),
    "Version": ("memory_key", "event", "actor", "written_at", "value", "changes"),
    "DeletedRow": ("memory_key", "agent", "session_id", "as_duplicate"),
}
_LONGEST: Final = 200
_CELL: Final = "text-align:left;vertical-align:top;padding:2px 10px 2px 0"


def html_of(value: Any) -> str:
    """A value that gives its field names and its items by name, as HTML."""
    kind = type(value).__name__
    names = _COLUMNS.get(kind) or tuple(value)
    single = [name for name in names if not _is_many(value[name])]
    rows = [(name, value[name]) for name in single if _is_said(value[name])]
    lists = [name for name in value if _is_many(value[name])]
    tables = [_many_html(name, value[name]) for name in lists]
    return "".join((table_html(kind, ("", ""), rows), *tables))


def history_html(versions: Sequence[Version]) -> str:
    """Versions, newest first: what happened, who did it, when, and what it changed."""
    from loom.model.history import differences  # noqa: PLC0415 - it shows itself by this

    rows = [
        (
            version.event,
            f"{version.actor} as {version.agent}",
            version.written_at,
            "not shown" if version.masked else version.value,
            "; ".join(map(str, changes)),
        )
        for version, changes in differences(versions)
    ]
    named = " and ".join(dict.fromkeys(version.memory_key for version in versions))
    heads = ("event", "who", "when", "value", "what changed")
    return table_html(f"history of {named}" if named else "history", heads, rows)


def table_html(title: str, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table with a caption; cells are shown as text and escaped."""
    said = "".join(f"<th style='{_CELL}'>{escape(head)}</th>" for head in heads)
    head = f"<thead><tr>{said}</tr></thead>" if any(heads) else ""
    body = "".join(
        "<tr>" + "".join(f"<td style='{_CELL}'>{_cell(v)}</td>" for v in row) + "</tr>"
        for row in rows
    )
    caption = f"<caption style='{_CELL};font-weight:bold'>{escape(title)}</caption>"
    return f"<table>{caption}{head}<tbody>{body}</tbody></table>"


def _many_html(name: str, values: Sequence[Any]) -> str:
    kinds = dict.fromkeys(type(value).__name__ for value in values)
    tables = []
    for kind in kinds:
        mine = [value for value in values if type(value).__name__ == kind]
        heads = _AMONG.get(kind) or tuple(mine[0])
        rows = [[value[head] for head in heads] for value in mine]
        title = name if len(kinds) == 1 else f"{name}: {kind}"
        tables.append(table_html(title, heads, rows))
    return "".join(tables)


def _is_many(value: object) -> bool:
    """Whether it is a list of values that have fields of their own."""
    return (
        isinstance(value, tuple)
        and bool(value)
        and all(hasattr(one, "keys") and not isinstance(one, Mapping) for one in value)
    )


def _is_said(value: object) -> bool:
    return not (value is None or value is False or value == "" or value in ((), {}))


def _cell(value: object) -> str:
    return escape(_shortened(_text(value)))


def _text(value: object) -> str:
    match value:
        case None:
            said = ""
        case Enum():
            said = str(value.value)
        case datetime():
            said = value.isoformat(sep=" ", timespec="seconds")
        case float():
            said = f"{value:.4g}"
        case tuple():
            said = "; ".join(_text(one) for one in value)
        case Mapping():
            said = ", ".join(f"{name}: {_text(item)}" for name, item in value.items())
        case _:
            said = str(getattr(value, "memory_key", value))
    return said


def _shortened(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]}… ({len(text):,} characters)"
