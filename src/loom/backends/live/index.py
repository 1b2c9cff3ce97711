"""Which lines have, or had, a value in a field."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from loom.backends.live.lines import Line

__all__ = ["Index"]


class Index:
    """A hash index over one field; a superset that the reader checks again.

    Under a list field a line is listed for each member. A line stays listed under a value for as long as one of its kept versions has it, so
    that a snapshot finds what it saw. The empty text is not listed: nobody looks for all
    rows that are no duplicate. Most values belong to one line, which then stands alone.
    """

    __slots__ = ("_lines", "field")

    def __init__(self, field: str) -> None:
        self.field = field
        self._lines: dict[object, Line | dict[Line, None]] = {}

    def lines(self, value: object) -> Sequence[Line]:
        """The lines listed under a value."""
        found = self._lines.get(value)
        if found is None:
            return ()
        return list(found) if isinstance(found, dict) else (found,)

    def lines_of(self, values: Iterable[object]) -> Iterable[Line]:
        """The lines listed under any of the values, each once."""
        return dict.fromkeys(line for value in values for line in self.lines(value))

    def add(self, line: Line, row: Any) -> None:
        """List the line under the row's value."""
        for value in self._values(row):
            found = self._lines.get(value)
            if found is None:
                self._lines[value] = line
            elif isinstance(found, dict):
                found[line] = None
            elif found is not line:
                self._lines[value] = {found: None, line: None}

    def drop(self, line: Line, row: Any, kept: Sequence[Any]) -> None:
        """Forget the line under the row's value, unless a kept row has it too."""
        for value in self._values(row):
            if any(value in self._values(other) for other in kept):
                continue
            found = self._lines.get(value)
            if found is line:
                del self._lines[value]
            elif isinstance(found, dict):
                found.pop(line, None)
                if not found:
                    del self._lines[value]

    def _values(self, row: Any) -> tuple[object, ...]:
        value = getattr(row, self.field)
        if isinstance(value, tuple):
            return value
        return (value,) if value else ()
