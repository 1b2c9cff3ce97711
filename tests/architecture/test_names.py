"""What modules and their public names are called."""

from __future__ import annotations

import ast
import importlib
from typing import Final

import pytest

from tests.architecture.sources import ROOT, Module, modules

#: Words that say nothing about what a module holds.
EMPTY_WORDS: Final = frozenset(
    {
        *("base2", "common", "helper", "helpers", "manager", "managers", "misc", "stuff"),
        *("tool", "tools", "util", "utility", "utilities", "utils"),
    }
)


def _exported(module: Module) -> list[str] | None:
    for node in module.tree.body:
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "__all__"
            for target in node.targets
        ):
            return list(ast.literal_eval(node.value))
    return None


def _public(module: Module) -> list[str]:
    """Functions and classes defined at the top of the module, without an underscore."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [
        node.name
        for node in module.tree.body
        if isinstance(node, kinds) and not node.name.startswith("_")
    ]


def _as_isort_would(name: str) -> tuple[int, str]:
    """Constants, then classes, then the rest: ruff's order (RUF022)."""
    if name.isupper() and len(name) > 1:
        return 0, name
    return (1 if name[:1].isupper() else 2), name


def test_no_module_has_an_empty_name() -> None:
    """Design: no `utils`, `helpers` or `manager`; a name says what is inside."""
    paths = [m.path for m in modules()]
    paths += (ROOT / "tests").rglob("*.py")
    paths += (ROOT / "benchmarks").rglob("*.py")
    empty = [
        path.relative_to(ROOT).as_posix()
        for path in paths
        if EMPTY_WORDS
        & {
            word
            for part in path.relative_to(ROOT).with_suffix("").parts
            for word in part.lower().split("_")
        }
    ]

    assert not empty


@pytest.mark.parametrize("module", modules(), ids=lambda m: m.name)
def test_all_is_sorted_and_complete(module: Module) -> None:
    """Design: `__all__` is sorted and names every public function and class."""
    exported = _exported(module)
    public = _public(module)
    if exported is None:
        assert not public, f"{module.where} has no __all__"
        return

    assert exported == sorted(exported, key=_as_isort_would)
    assert len(exported) == len(set(exported))
    assert set(public) <= set(exported), f"{module.where} leaves names out of __all__"


@pytest.mark.parametrize("module", modules(), ids=lambda m: m.name)
def test_all_is_true(module: Module) -> None:
    """Design: every name in `__all__` exists."""
    exported = _exported(module) or []
    loaded = importlib.import_module(module.name)
    missing = [name for name in exported if not hasattr(loaded, name)]

    assert not missing
