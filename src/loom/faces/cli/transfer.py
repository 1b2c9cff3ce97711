"""Commands that write a namespace to a file and read entries from one."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final, TextIO

import click
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
)

from loom.errors import InvalidRequest, LoomError
from loom.faces.cli.session import Session, common
from loom.faces.cli.show import console, print_error, print_json, print_rows, styled
from loom.faces.display import plain
from loom.faces.files import written_whole
from loom.faces.lines import Item, LineReader, end_line, header_line, memory_lines
from loom.faces.sync import AgentHandle
from loom.operations.transfer import ImportedLine
from loom.ports import SystemIds

__all__ = ["export", "import_", "progress_bar"]

_BLOCK: Final = 512
_PAGE: Final = 5_000
#: How many refused lines a person is shown; `--json` has all.
_SHOWN: Final = 20


@contextmanager
def progress_bar(what: str, total: int | None, *, silent: bool) -> Iterator[Any]:
    """A bar on stderr, where a person looks; gives a function of the amount done."""
    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    hidden = silent or not sys.stderr.isatty()
    with Progress(
        *columns, console=console(err=True), transient=True, disable=hidden
    ) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done, of=total: bar.update(task, completed=done, total=of)


@click.command("export")
@click.argument("file", default="-")
@click.option("--history", is_flag=True, help="Older versions as well.")
@common
def export(session: Session, file: str, *, history: bool) -> None:
    """Write a namespace to FILE as JSON Lines ("-" is standard output).

    Every user's memories, whatever their status, unless --user names one. A FILE appears
    when it is whole.
    """
    with session.handle(all_users=True) as agent, _written(file) as out:
        done = _export(agent, out, history=history, silent=session.as_json)
    memories, versions, withheld = done
    print_error(f"{memories:,} memories and {versions:,} older versions exported.")
    if withheld:
        print_error(
            f"{withheld:,} kept as secret were left out: `loom get` reads each by its key."
        )


def _export(
    agent: AgentHandle, out: TextIO, *, history: bool, silent: bool
) -> tuple[int, int, int]:
    identity = agent.identity
    stats = agent.namespace.stats()
    out.write(
        header_line(
            export_id=SystemIds().new(),
            org=identity.org,
            namespace=identity.namespace,
            user=identity.user_id,
            embedder=stats.embedder,
            history=history,
            exported_at=datetime.now(UTC).isoformat(),
        )
    )
    memories = versions = withheld = 0
    cursor: str | None = None
    with progress_bar("export", stats.memories, silent=silent) as advance:
        while True:
            page = agent.namespace.export(history=history, limit=_PAGE, cursor=cursor)
            for memory in page.items:
                out.writelines(memory_lines(memory))
                memories += 1
                versions += len(memory.history)
            advance(memories)
            withheld += page.withheld
            cursor = page.cursor
            if cursor is None:
                break
    out.write(end_line(memories=memories, versions=versions))
    return memories, versions, withheld


@contextmanager
def _written(file: str) -> Iterator[TextIO]:
    """A text file that takes its name when it is whole; standard output for `-`."""
    if file == "-":
        yield sys.stdout
        return
    with written_whole(Path(file)) as out:
        yield out


@click.command("import")
@click.argument("file", default="-")
@click.option("--atomic", is_flag=True, help="All or nothing: the first refusal undoes it.")
@common
def import_(session: Session, file: str, *, atomic: bool) -> None:
    """Take memories in from FILE as JSON Lines ("-" is standard input).

    A line is what `loom export` wrote, or an object of memory.set's arguments such as
    {"memory_key": "a/b", "value": "..."}. Each is judged; the exit code is 1 where one
    was not taken. With --json, a line of answer for each.
    """
    with _opened(file) as (lines, size):
        reader = LineReader()
        with session.handle(create=True, all_users=True) as agent:
            if atomic:
                answers = _import_whole(agent, reader, lines)
            else:
                answers = _import_blocks(agent, reader, lines, size, silent=session.as_json)
            counts, refused = _reported(answers, as_json=session.as_json)
    if not session.as_json:
        _show_counts(counts, refused)
    if refused:
        raise click.exceptions.Exit(1)


Answer = tuple[int, ImportedLine]


def _import_whole(
    agent: AgentHandle, reader: LineReader, lines: Iterable[bytes]
) -> Iterator[Answer]:
    """Everything is read and checked before anything is written.

    Raises:
        InvalidRequest: a line is malformed, or the file was cut short.
        LoomError: an entry is refused.
    """
    items = list(reader.read(lines))
    bad = [item for item in items if item.error is not None]
    for item in bad[:_SHOWN]:
        print_error(f"line {item.line}: {item.error}")
    if bad:
        msg = f"{len(bad)} lines are malformed, so nothing was imported."
        raise InvalidRequest(msg)
    yield from _sent(agent, reader, items, atomic=True)


def _import_blocks(
    agent: AgentHandle,
    reader: LineReader,
    lines: Iterable[bytes],
    size: int,
    *,
    silent: bool,
) -> Iterator[Answer]:
    counted = _Counted(lines)
    items = reader.read(counted)
    with progress_bar("import", size or None, silent=silent) as advance:
        while block := list(islice(items, _BLOCK)):
            yield from _sent(agent, reader, block, atomic=False)
            advance(counted.bytes)


class _Counted:
    """Lines, and how many bytes were read of them."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._lines = lines
        self.bytes = 0

    def __iter__(self) -> Iterator[bytes]:
        for line in self._lines:
            self.bytes += len(line)
            yield line


def _sent(
    agent: AgentHandle, reader: LineReader, block: Sequence[Item], *, atomic: bool
) -> Iterator[Answer]:
    """The answers to a block, those of malformed lines in their places."""
    entries = [item.entry for item in block if item.entry is not None]
    out = agent.namespace.import_(entries, origin=reader.origin, atomic=atomic)
    answers = iter(out.results)
    for item in block:
        if item.error is None:
            yield item.line, next(answers)
        else:
            yield item.line, _refusal(item.error)


def _refusal(error: LoomError) -> ImportedLine:
    return ImportedLine(
        memory_key="", result="refused", code=error.code, message=error.message
    )


def _reported(
    answers: Iterable[Answer], *, as_json: bool
) -> tuple[Counter[str], list[Answer]]:
    """Counts of all, and those that were refused; each is printed with `as_json`."""
    counts: Counter[str] = Counter()
    refused: list[Answer] = []
    for line, answer in answers:
        counts[answer.code or answer.result] += 1
        if answer.code:
            refused.append((line, answer))
        if as_json:
            print_json({"line": line, **plain(answer)})
    return counts, refused


def _show_counts(counts: Counter[str], refused: Sequence[Answer]) -> None:
    print_rows(
        ("answer", "entries"),
        [(styled(name), f"{n:,}") for name, n in counts.most_common()],
    )
    for line, answer in refused[:_SHOWN]:
        name = f" ({answer.memory_key})" if answer.memory_key else ""
        print_error(f"line {line}{name}: {answer.message}")
    if len(refused) > _SHOWN:
        print_error(f"... and {len(refused) - _SHOWN:,} more; --json lists all.")


@contextmanager
def _opened(file: str) -> Iterator[tuple[BinaryIO, int]]:
    """A file's lines and its size in bytes; 0 where that is unknown."""
    if file == "-":
        yield sys.stdin.buffer, 0
        return
    path = Path(file)
    with path.open("rb") as lines:
        yield lines, path.stat().st_size
