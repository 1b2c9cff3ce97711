"""How the sides of a conflict are shown on a terminal: who says what since when."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from itertools import takewhile
from typing import Final

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from loom.faces.cli.show import MASKED, styled, value_text
from loom.model.memory import MemoryRow

__all__ = ["heading", "pair_view", "row_view", "told"]

#: Characters of a value that are shown until all of it is asked for.
_SHOWN: Final = 600
#: Of these, at most so many before the first that differs from the other side's.
_BEFORE: Final = 200
#: Columns from which two sides stand side by side.
_WIDE: Final = 96
_WORD: Final = re.compile(r"\w+(?:[-.'’:/]\w+)*")
#: Characters that would move the cursor, ring the bell or turn the text around.
_UNSAFE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def told(row: MemoryRow, *, full: bool = False, other: str = "") -> str:
    """A row's value as text that is safe to print.

    Args:
        row: whose value.
        full: all of it; else a long one is cut, where it differs from the other side's.
        other: what the other side says.
    """
    if row.masked:
        return MASKED
    text = _safe(value_text(row.value))
    if full or len(text) <= _SHOWN:
        return text
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(text, other, strict=False))
    start = max(0, sum(1 for _ in alike) - _BEFORE)
    start = min(start, len(text) - _SHOWN)
    before, after = "… " if start else "", "…" if start + _SHOWN < len(text) else ""
    part = f"{before}{text[start : start + _SHOWN]}{after}"
    return f"{part} ({len(text):,} characters in all: f shows them)"


def _safe(text: str) -> str:
    """The text with what a terminal would act on written out."""
    return _UNSAFE.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def pair_view(
    first: MemoryRow,
    second: MemoryRow | None,
    reasons: Sequence[str],
    *,
    width: int,
    full: bool = False,
) -> RenderableType:
    """Both sides, beside each other where there is room, and why they were linked."""
    if second is None:
        sides = [_side("1", first, told(first, full=full), None)]
    else:
        one, two = told(first, full=True), told(second, full=True)
        sides = [
            _side("1", first, told(first, full=full, other=two), two),
            _side("2", second, told(second, full=full, other=one), one),
        ]
    parts: list[RenderableType] = [_together(sides, width)]
    if second is None:
        parts.append(Text("What it contradicts is not in this store.", style="dim"))
    if reasons:
        parts.append(Text(_safe("Why: " + "; ".join(reasons)), style="dim"))
    return Group(*parts)


def row_view(row: MemoryRow, *, full: bool = False, other: str | None = None) -> Panel:
    """One row by itself."""
    return _side(" ", row, told(row, full=full), other)


def heading(at: int, total: int, what: str) -> Text:
    """Where one is in the queue."""
    return Text(f"\n{what} {at} of {total}", style="bold")


def _together(sides: list[Panel], width: int) -> RenderableType:
    if width < _WIDE or len(sides) == 1:
        return Group(*sides)
    grid = Table.grid(expand=True, padding=(0, 1))
    for _ in sides:
        grid.add_column(ratio=1)
    grid.add_row(*sides)
    return grid


def _side(number: str, row: MemoryRow, text: str, other: str | None) -> Panel:
    said = Text(text, overflow="fold")
    if other is not None and not row.masked:
        _mark_differences(said, text, other)
    facts = Table.grid(padding=(0, 1))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    for name, value in _facts(row):
        facts.add_row(name, value if isinstance(value, Text) else Text(_safe(value)))
    title = Text.assemble((f" {number} ", "bold reverse"), " ", _safe(row.memory_key))
    return Panel(Group(said, Text(), facts), title=title, title_align="left")


def _mark_differences(said: Text, text: str, other: str) -> None:
    """The words that the other side does not have stand out."""
    theirs = {word.casefold() for word in _WORD.findall(other)}
    for found in _WORD.finditer(text):
        if found[0].casefold() not in theirs:
            said.stylize("bold underline yellow", found.start(), found.end())


def _facts(row: MemoryRow) -> list[tuple[str, Text | str]]:
    whose = [row.agent]
    if row.user_id != "-":
        whose.append(f"about {row.user_id}")
    if row.session_id:
        whose.append(f"in session {row.session_id}")
    found: list[tuple[str, Text | str]] = [
        ("said by", f"{', '.join(whose)} (as {row.actor}, {row.source_class})"),
        ("true", _when_true(row)),
        ("written", f"{_day(row.created_at)}{_last_change(row)}"),
        ("stated", _times(row)),
    ]
    marks = _marks(row)
    if marks:
        found.append(("marks", styled(marks) if marks == "pinned" else marks))
    if row.tags:
        found.append(("tags", ", ".join(row.tags)))
    return found


def _when_true(row: MemoryRow) -> str:
    since = "unknown" if row.valid_at is None else f"from {_day(row.valid_at)}"
    return since if row.valid_to is None else f"{since} to {_day(row.valid_to)}"


def _last_change(row: MemoryRow) -> str:
    changed = _day(row.updated_at)
    return "" if changed == _day(row.created_at) else f", last change {changed}"


def _times(row: MemoryRow) -> str:
    count = row.reinforcement_count
    times = "once" if count == 1 else f"{count} times"
    return times if row.confidence == 1.0 else f"{times}, confidence {row.confidence:.2f}"


def _marks(row: MemoryRow) -> str:
    marks = [
        "pinned" if row.pinned else "",
        f"locked ({row.lock_mode})" if row.lock_mode is not None else "",
        f"vouched for ({row.verification})" if row.verification != "none" else "",
        f"sensitivity {row.sensitivity}" if row.sensitivity else "",
    ]
    return ", ".join(mark for mark in marks if mark)


def _day(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M}"
