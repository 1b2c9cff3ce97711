"""Files a memory is about: paths from the root of a repository."""

from __future__ import annotations

import re
import unicodedata

from loom.errors import InvalidRequest

__all__ = ["parse_file"]

_ROOTED = re.compile(r"/|[A-Za-z]:/|~/")


def parse_file(value: str) -> str:
    r"""The path in the one form it is stored and looked for in.

    It is taken as git takes one: from the root of its repository, with forward slashes;
    `.`, doubled slashes and `x/..` go; case stays. In NFC.

    >>> parse_file(".\\src\\app//main.py"), parse_file("docs/../README.md")
    ('src/app/main.py', 'README.md')

    Raises:
        InvalidRequest: it is absolute, leaves the repository, names nothing, or has a
            control character.
    """
    given = unicodedata.normalize("NFC", value).replace("\\", "/")
    segments = _segments(given)
    path = "" if segments is None else "/".join(segments)
    problem = "leads out of it by '..'" if segments is None else _problem(given, path)
    if problem:
        msg = (
            "files must be paths inside a repository, from its root, such as "
            f"'src/app.py'; one {problem}."
        )
        raise InvalidRequest(msg, field="files")
    return path


def _segments(path: str) -> list[str] | None:
    """The segments that count; None if they lead out of the repository."""
    kept: list[str] = []
    for segment in path.split("/"):
        if segment == "..":
            if not kept:
                return None
            kept.pop()
        elif segment not in ("", "."):
            kept.append(segment)
    return kept


def _problem(given: str, path: str) -> str:
    if _ROOTED.match(given) or _ROOTED.match(path):
        return "is absolute"
    if any(unicodedata.category(c) in ("Cc", "Zl", "Zp") for c in path):
        return "has a control character or a line break"
    return "" if path.strip() else "names no file"
