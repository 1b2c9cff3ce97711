"""JSON Lines of memories: what `loom export` writes and `loom import` reads.

The format is described in docs/export-format.md. A line is a JSON object. One with the
member `loom` belongs to an export (its header, an older version, a memory, its end); any
other is a plain entry: the arguments of `memory.set`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NoReturn

from attrs import define, field, frozen

from loom.errors import InvalidRequest, LoomError
from loom.model.memory import MemoryRow
from loom.operations.transfer import ExportedMemory
from loom.serde import from_json, to_json

__all__ = ["FORMAT", "Item", "LineReader", "end_line", "header_line", "memory_lines"]

#: The version of the format; a reader refuses a greater one.
FORMAT: Final = 1

Entry = ExportedMemory | Mapping[str, Any]


@frozen(kw_only=True, slots=True, hash=False)
class Item:
    """One entry of a file, or what is wrong with the line."""

    #: From 1: the line of the entry, of a memory with history its last.
    line: int
    entry: Entry | None = None
    error: LoomError | None = None


def _line(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"


def header_line(**said: object) -> str:
    """The first line of an export."""
    return _line({"loom": "export", "format": FORMAT, **said})


def memory_lines(memory: ExportedMemory) -> Iterator[str]:
    """The older versions, oldest first, then the memory."""
    for row in memory.history:
        yield _line({"loom": "version", "row": to_json(row)})
    yield _line({"loom": "memory", "row": to_json(memory.head)})


def end_line(*, memories: int, versions: int) -> str:
    """The last line, by which a reader knows that nothing is missing."""
    return _line({"loom": "end", "memories": memories, "versions": versions})


@define(slots=True)
class LineReader:
    """Reads the lines of one file; nothing is held but the memory being put together.

    Attributes:
        origin: id of the export, once its header was read; empty for plain entries.
        is_export: whether there was a header.
        is_whole: whether the export's end was read, and counts what there was.
    """

    origin: str = ""
    is_export: bool = False
    is_whole: bool = False
    _history: list[MemoryRow] = field(factory=list)
    _memories: int = 0
    _versions: int = 0

    def read(self, lines: Iterable[bytes]) -> Iterator[Item]:
        """The entries, in order, with the errors of lines that are none.

        Args:
            lines: as a file opened in binary mode gives them.
        """
        number = 0
        for number, raw in enumerate(lines, start=1):
            text = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
            if not text.strip():
                continue
            try:
                entry = self._entry(_parsed(text))
            except LoomError as error:
                yield Item(line=number, error=error)
                continue
            if entry is not None:
                yield Item(line=number, entry=entry)
        yield from self._ending(number)

    def _entry(self, data: dict[str, Any]) -> Entry | None:
        kind = data.get("loom")
        if kind is None and "loom" not in data:
            return data
        match kind:
            case "export":
                self._begin(data)
            case "version":
                self._versions += 1
                self._history.append(_row(data))
            case "memory":
                self._memories += 1
                history, self._history = tuple(self._history), []
                return ExportedMemory(head=_row(data), history=history)
            case "end":
                self._end(data)
            case _:
                msg = "the line's member 'loom' names no kind of line that this version reads."
                raise InvalidRequest(msg)
        return None

    def _begin(self, data: dict[str, Any]) -> None:
        version = data.get("format")
        if not isinstance(version, int) or version > FORMAT:
            msg = (
                f"the export has format {version!r} and this version reads up to {FORMAT}; "
                "import it with a newer version."
            )
            raise InvalidRequest(msg)
        self.is_export, self.is_whole = True, False
        self._memories = self._versions = 0
        self.origin = str(data.get("export_id", ""))

    def _end(self, data: dict[str, Any]) -> None:
        if (data.get("memories"), data.get("versions")) != (self._memories, self._versions):
            msg = "the export's end counts other lines than there are: some are missing."
            raise InvalidRequest(msg)
        self.is_whole = True

    def _ending(self, number: int) -> Iterator[Item]:
        """What the end of the file shows to be missing."""
        if self._history:
            msg = "older versions stand without the memory they belong to."
            yield Item(line=number, error=InvalidRequest(msg))
        if self.is_export and not self.is_whole:
            msg = "the export has no end: the file was cut short."
            yield Item(line=number, error=InvalidRequest(msg))


def _parsed(raw: bytes) -> dict[str, Any]:
    try:
        data = json.loads(raw.decode("utf-8"), parse_constant=_no_constant)
    except (UnicodeDecodeError, ValueError, RecursionError):
        msg = "the line is no JSON in UTF-8."
        raise InvalidRequest(msg) from None
    if not isinstance(data, dict):
        msg = "the line is no JSON object."
        raise InvalidRequest(msg)
    return data


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _row(data: dict[str, Any]) -> MemoryRow:
    row = data.get("row")
    if not isinstance(row, dict):
        msg = "the line has no member 'row' that is an object."
        raise InvalidRequest(msg)
    return from_json(row, MemoryRow)
