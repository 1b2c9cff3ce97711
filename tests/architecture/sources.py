"""The package's own source, parsed once for the tests in this folder."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Final

from attrs import frozen

__all__ = ["PACKAGE", "ROOT", "Module", "modules"]

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGE: Final = ROOT / "src" / "loom"


@frozen
class Module:
    """One source file."""

    #: Dotted, from `loom`; a package is named without `__init__`.
    name: str
    path: Path
    text: str
    tree: ast.Module

    @property
    def is_package(self) -> bool:
        """Whether the file is a package's `__init__`."""
        return self.path.name == "__init__.py"

    @property
    def where(self) -> str:
        """The path from the repository's root, for messages."""
        return self.path.relative_to(ROOT).as_posix()


@cache
def modules() -> tuple[Module, ...]:
    """Every module of the package, sorted by name."""
    return tuple(sorted(map(_parsed, PACKAGE.rglob("*.py")), key=lambda m: m.name))


def _parsed(path: Path) -> Module:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    if parts[-1] == "__init__":
        parts = parts[:-1]
    text = path.read_text(encoding="utf-8")
    return Module(".".join(parts), path, text, ast.parse(text, str(path)))
