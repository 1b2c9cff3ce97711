"""Answers on a terminal: tables for people, JSON for scripts. Values are never markup."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from loom.faces.display import plain
from loom.model.history import Version
from loom.model.memory import MemoryRow

__all__ = [
    "MASKED",
    "console",
    "given",
    "print_error",
    "print_json",
    "print_outcome",
    "print_rows",
    "short_time",
    "shown_value",
    "styled",
    "value_text",
]

#: Stands for a value of high sensitivity wherever it is not shown.
MASKED: Final = "(kept as secret: read it with `loom get` by its key)"
#: One colour a meaning, wherever it appears.
_STYLES: Final[Mapping[str, str]] = {
    "active": "green",
    "clear": "green",
    "created": "green",
    "imported": "green",
    "restored": "green",
    "restated": "cyan",
    "reinforced": "cyan",
    "merge": "cyan",
    "duplicate": "cyan",
    "unchanged": "dim",
    "relinked": "dim",
    "revised": "blue",
    "pinned": "magenta",
    "conflict": "yellow",
    "conflicted": "yellow",
    "tombstoned": "red",
    "deleted": "red",
    "swept": "red",
    "refused": "red",
}


def console(*, err: bool = False) -> Console:
    """A console that writes where the process's stream points now."""
    stream = sys.stderr if err else sys.stdout
    wide = None if stream.isatty() else 120
    return Console(file=stream, width=wide, highlight=False, emoji=False, soft_wrap=False)


def styled(word: str) -> Text:
    """A status, verdict or event in its colour."""
    return Text(word, style=_STYLES.get(word, ""))


def value_text(value: object) -> str:
    """A value as a person reads it: a text as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(plain(value), ensure_ascii=False)


def shown_value(row: MemoryRow | Version) -> str:
    """What a row or a version says, or that it does not say it here."""
    return MASKED if row.masked else value_text(row.value)


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given: not those left out, empty, or unset flags."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in options.items()
        if value is not None and value is not False and value != ()
    }


def short_time(at: datetime | None) -> str:
    """An instant to the second, in UTC."""
    return "" if at is None else f"{at:%Y-%m-%d %H:%M:%S}"


def print_json(value: object) -> None:
    """One JSON document on one line."""
    sys.stdout.write(json.dumps(plain(value), ensure_ascii=False) + "\n")


def print_error(text: str) -> None:
    """A remark beside the answer, on stderr."""
    sys.stderr.write(text + "\n")


def print_rows(
    heads: Sequence[str], rows: Iterable[Sequence[Any]], *, title: str = ""
) -> None:
    """A table; a cell is a `Text` or is shown as plain text."""
    table = Table(title=title or None, title_justify="left", box=None, pad_edge=False)
    for head in heads:
        table.add_column(head, overflow="fold", header_style="bold")
    for row in rows:
        table.add_row(*(c if isinstance(c, Text) else Text(str(c)) for c in row))
    console().print(table)


def print_outcome(pairs: Iterable[tuple[str, Any]]) -> None:
    """Names and values, those that say something."""
    said = [(name, value) for name, value in pairs if value not in ("", None, (), False)]
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in said:
        table.add_row(name, value if isinstance(value, Text) else Text(str(value)))
    console().print(table)
