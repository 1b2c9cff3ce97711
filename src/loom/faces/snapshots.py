"""Snapshots as JSON and as files: one part a line, sealed by a digest.

The format is described in docs/snapshot-format.md and by docs/snapshot.schema.json. Each
part's digest covers the part and the digest before it, so that a line which was changed,
left out or moved is found before anything is restored.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn, TextIO

from attrs import frozen

from loom.errors import InvalidRequest
from loom.faces.files import written_whole
from loom.faces.sync import AgentHandle
from loom.model.readable import Readable
from loom.operations.snapshots import SNAPSHOT_FORMAT, Snapshot
from loom.serde import from_json, to_json

__all__ = [
    "SnapshotFile",
    "Written",
    "read_snapshot",
    "snapshot_lines",
    "write_snapshot",
]

_KIND: Final = "snapshot"


@frozen(kw_only=True, slots=True)
class Written(Readable):
    """What a snapshot file holds."""

    snapshot_id: str
    memories: int
    versions: int
    #: Rows of high sensitivity that were left out.
    withheld: int


def snapshot_lines(parts: Iterable[Snapshot]) -> Iterator[str]:
    """The lines of the parts, each with its digest."""
    digest = ""
    for part in parts:
        data = {"loom": _KIND, "format": SNAPSHOT_FORMAT, **to_json(part)}
        digest = _digest(digest, data)
        whole = {**data, "digest": digest}
        yield json.dumps(whole, ensure_ascii=False, separators=(",", ":")) + "\n"


def _digest(before: str, data: Mapping[str, Any]) -> str:
    """SHA-256 over the digest before it and the part, its members sorted."""
    plain = json.dumps(data, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256((before + plain).encode()).hexdigest()


def write_snapshot(
    agent: AgentHandle, file: str | os.PathLike[str] | TextIO, **said: Any
) -> Written:
    """Write a snapshot of the handle's namespace, a part at a time.

    Args:
        agent: a handle of the namespace; an administrator's.
        file: a path, which appears when the file is whole; or an open text file.
        **said: arguments of `namespace.snapshot`, such as `history=True`.

    Returns:
        What it holds.
    """
    if isinstance(file, str | os.PathLike):
        with written_whole(Path(file)) as out:
            return write_snapshot(agent, out, **said)
    tally = _Tally(_parts(agent, {"limit": 5_000, **said}))
    file.writelines(snapshot_lines(tally))
    return tally.written()


class _Tally:
    """The parts as they go by, and what they came to."""

    def __init__(self, parts: Iterable[Snapshot]) -> None:
        self._parts = parts
        self._withheld = 0
        self._last: Snapshot | None = None

    def __iter__(self) -> Iterator[Snapshot]:
        for part in self._parts:
            self._withheld += part.withheld
            self._last = part
            yield part

    def written(self) -> Written:
        """What went by; there is at least one part."""
        last = self._last
        if last is None:  # pragma: no cover - a snapshot has a part
            raise TypeError
        return Written(
            snapshot_id=last.snapshot_id,
            memories=last.memories_so_far,
            versions=last.versions_so_far,
            withheld=self._withheld,
        )


def _parts(agent: AgentHandle, said: Mapping[str, Any]) -> Iterator[Snapshot]:
    cursor: str | None = None
    while True:
        part = agent.namespace.snapshot(**said, cursor=cursor)
        yield part
        cursor = part.cursor
        if cursor is None:
            return


class SnapshotFile:
    """The parts in a file or of parsed JSON; each pass reads and checks them anew.

    Raises:
        InvalidRequest: while iterating: a line is no part, or its digest is another's.
    """

    def __init__(self, source: Path | tuple[Mapping[str, Any], ...]) -> None:
        self._source = source

    def __iter__(self) -> Iterator[Snapshot]:
        digest = ""
        for number, data in enumerate(self._read(), start=1):
            digest = _checked_digest(digest, data, number)
            said = {n: v for n, v in data.items() if n not in ("loom", "format", "digest")}
            yield from_json(said, Snapshot)

    def _read(self) -> Iterator[Mapping[str, Any]]:
        if isinstance(self._source, tuple):
            yield from self._source
            return
        with self._source.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _parsed(line, number)


def read_snapshot(
    source: str | os.PathLike[str] | Mapping[str, Any] | Iterable[Mapping[str, Any]],
) -> SnapshotFile:
    """A snapshot to be restored.

    Args:
        source: the path of a file, the JSON of a snapshot, or of its parts in order.
    """
    if isinstance(source, str | os.PathLike):
        return SnapshotFile(Path(source))
    if isinstance(source, Mapping):
        return SnapshotFile((source,))
    return SnapshotFile(tuple(source))


def _parsed(line: bytes, number: int) -> Mapping[str, Any]:
    try:
        data = json.loads(line.decode("utf-8"))
    except (UnicodeDecodeError, ValueError, RecursionError):
        _refuse(number, "it is no JSON in UTF-8; the file may have been cut short")
    return data if isinstance(data, dict) else {}


def _checked_digest(before: str, data: Mapping[str, Any], number: int) -> str:
    if data.get("loom") != _KIND:
        _refuse(number, "it is no part of a snapshot")
    version = data.get("format")
    if not isinstance(version, int) or version > SNAPSHOT_FORMAT:
        _refuse(
            number,
            f"it has format {version!r} and this version reads up to {SNAPSHOT_FORMAT}",
        )
    digest = _digest(before, {n: v for n, v in data.items() if n != "digest"})
    if digest != data.get("digest"):
        _refuse(number, "it is not what was written: changed, or not in its place")
    return digest


def _refuse(number: int, why: str) -> NoReturn:
    msg = f"part {number} of the snapshot cannot be read: {why}. Nothing was restored."
    raise InvalidRequest(msg, field="payload")
