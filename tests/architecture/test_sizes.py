"""How long a module or a function may be."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Final

from tests.architecture.sources import Module, modules

LONGEST_MODULE: Final = 400
LONGEST_FUNCTION: Final = 60

#: What may be longer, and why: `loom.room.module` or `loom.room.module:function`.
EXCEPTIONS: Final[Mapping[str, str]] = {}


def _functions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, int]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{prefix}{child.name}"
            if not isinstance(child, ast.ClassDef):
                yield name, (child.end_lineno or child.lineno) - child.lineno + 1
            yield from _functions(child, f"{name}.")
        else:
            yield from _functions(child, prefix)


def _sizes(module: Module) -> Iterator[tuple[str, int, int]]:
    yield module.name, len(module.text.splitlines()), LONGEST_MODULE
    for name, lines in _functions(module.tree):
        yield f"{module.name}:{name}", lines, LONGEST_FUNCTION


def test_modules_and_functions_are_short() -> None:
    """Design: modules of at most 400 lines, functions of at most 60."""
    long = [
        f"{name} has {lines} lines, at most {limit}"
        for module in modules()
        for name, lines, limit in _sizes(module)
        if lines > limit and name not in EXCEPTIONS
    ]

    assert not long, "\n".join(long)


def test_an_exception_is_still_needed() -> None:
    """Design: the list of exceptions names what is long, with its reason."""
    sizes = {name: lines > limit for m in modules() for name, lines, limit in _sizes(m)}
    stale = [name for name in EXCEPTIONS if not sizes.get(name)]

    assert not stale
    assert all(EXCEPTIONS.values())
