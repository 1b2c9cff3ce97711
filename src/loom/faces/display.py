"""Answers as plain JSON for scripts, and an open store as a table for notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import Enum
from typing import Any

from loom.model.readable import Readable
from loom.model.showing import table_html
from loom.operations.store_counts import StoreCounts

__all__ = ["plain", "store_html"]


def plain(value: object) -> Any:
    """An answer as dicts, lists, texts, numbers, booleans and None.

    Field names are those of the answer's class and stay as they are. An instant is ISO
    8601 in UTC; a `memory_id` and a version are what they are, and a version needs 64 bits.

    >>> plain({"at": datetime(2026, 5, 4, 9, tzinfo=UTC), "tags": ("a",)})
    {'at': '2026-05-04T09:00:00+00:00', 'tags': ['a']}
    """
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, Readable):
        return {name: plain(value[name]) for name in value}
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def store_html(url: str, counts: StoreCounts) -> str:
    """What an open store shows of itself in a notebook: never a memory."""
    rows = [
        ("store", url),
        ("backend", counts.backend),
        ("embedder", f"{counts.embedder} ({counts.dimension} dimensions)"),
    ]
    if counts.memories is None:
        rows.append(("memories", "the caller does not administer the whole store"))
    else:
        said = ", ".join(f"{n:,} {status}" for status, n in counts.by_status.items())
        rows.append(("memories", f"{counts.memories:,}" + (f" ({said})" if said else "")))
        rows.append(("versions", f"{counts.versions:,}"))
    return table_html("loom store", ("", ""), rows)
