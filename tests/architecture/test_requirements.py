"""Every requirement line and ruling that is built is cited by a test that shows it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from tests.architecture.sources import PACKAGE, ROOT

#: The work that is done: its lines have tests.
DONE: Final = frozenset({"core", "lifecycle"})
#: The rulings that it reaches.
RULINGS: Final = tuple(
    f"R-{n:02}"
    for n in (
        *range(1, 8),
        *range(10, 18),
        *range(20, 25),
        *range(30, 47),
        *range(50, 54),
        55,
        60,
        61,
    )
)

_LINE: Final = re.compile(r"^(\d+)\. \[([AB])\] (.*?) → (.+)$")
_CITED: Final = re.compile(r"\b([ABR]-\d+)\b")
#: What shows something: a test, or a rule or an invariant of a machine.
_SHOWS: Final = re.compile(r"^(test_|Test)|(Suite|Machine|Tests)$")
_STEPS: Final = frozenset({"rule", "invariant", "initialize"})


def _is_step(node: ast.AST) -> bool:
    """Whether a decorator makes it a step of a state machine."""
    decorators = getattr(node, "decorator_list", [])
    called = [d.func if isinstance(d, ast.Call) else d for d in decorators]
    names = {
        d.attr if isinstance(d, ast.Attribute) else getattr(d, "id", "") for d in called
    }
    return bool(names & _STEPS)


def _docstrings() -> Iterator[tuple[str, str]]:
    for path in (*(ROOT / "tests").rglob("*.py"), *(PACKAGE / "testing").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and (
                _SHOWS.search(node.name) or _is_step(node)
            ):
                where = f"{path.relative_to(ROOT).as_posix()}::{node.name}"
                yield where, ast.get_docstring(node) or ""


@cache
def _citations() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for where, docstring in _docstrings():
        for citation in _CITED.findall(docstring):
            found.setdefault(citation, []).append(where)
    return found


def _lines(shared: Path) -> dict[str, tuple[str, str]]:
    """From a citation to what the line says and which work must finish it."""
    text = (shared / "requirements.md").read_text(encoding="utf-8")
    matches = map(_LINE.match, text.splitlines())
    return {f"{m[2]}-{m[1]}": (m[3], m[4].strip()) for m in matches if m}


def test_every_line_that_is_built_is_cited(shared: Path) -> None:
    """Design: a line is done when a test shows it and names it."""
    missing = [
        f"{line}: {text}"
        for line, (text, work) in _lines(shared).items()
        if work in DONE and line not in _citations()
    ]

    assert not missing, f"{len(missing)} lines no test cites:\n" + "\n".join(missing)


def test_every_ruling_that_is_built_is_cited() -> None:
    """Design: the test that pins a ruling cites its number."""
    missing = [ruling for ruling in RULINGS if ruling not in _citations()]

    assert not missing, f"rulings no test cites: {', '.join(missing)}"


def test_what_is_cited_exists(shared: Path) -> None:
    """Design: a citation names a line by its page, or a ruling, that there is."""
    known = set(_lines(shared))
    known |= set(_CITED.findall((shared / "spec.md").read_text(encoding="utf-8")))
    wrong = [
        f"{where} cites {citation}"
        for citation, places in _citations().items()
        if citation not in known
        for where in places
    ]

    assert not wrong, "\n".join(wrong)
