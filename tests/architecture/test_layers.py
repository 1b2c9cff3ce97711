"""Who may import whom: one table, no exceptions.

An import counts wherever it stands: at the top, in a function, under `TYPE_CHECKING`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Final

import pytest

from tests.architecture.sources import Module, modules

#: Importable from every room but `errors` and `model`, which need nothing else.
EVERYWHERE: Final = ("errors", "settings")

_ENGINES: Final = (
    "backends.clickhouse",
    "backends.duckdb",
    "backends.live",
    "backends.memory",
    "backends.postgres",
)
#: From a room to what it may import beside itself and `EVERYWHERE`. A room is named from
#: `loom`; the longest name that fits a module is its room. An inner name, such as
#: `storage.query`, opens that module alone.
ALLOWED: Final[Mapping[str, tuple[str, ...]]] = {
    "errors": (),
    "settings": (),
    "model": (),
    "ports": ("model",),
    "serde": ("model", "storage.tables"),
    "text": ("model",),
    "policies": ("model", "text"),
    # A plan holds the batch it would write: a pure value, made without a store.
    "plans": ("model", "text", "policies", "storage.batch"),
    "retrieval": ("model", "text", "storage.query", "storage.where"),
    "storage": ("model",),
    # `ports` for the clock that versions are stamped by.
    "backends.live": ("model", "ports", "text", "storage"),
    "backends.memory": ("model", "ports", "text", "storage", "backends.live"),
    "backends.duckdb": ("model", "ports", "text", "storage", "backends.live", "serde"),
    "backends.postgres": ("model", "ports", "text", "storage", "backends.live", "serde"),
    "backends.clickhouse": ("model", "ports", "text", "storage", "backends.live", "serde"),
    "backends.authority": ("model", "ports", "storage", *_ENGINES),
    "backends.connect": ("model", "ports", "storage", "backends.authority", *_ENGINES),
    "embedders": ("model", "ports", "text"),
    "engine": (
        "model",
        "ports",
        "policies",
        "plans",
        "retrieval",
        "storage",
        # The one door through which vectors come in.
    ),
    "operations": (
        "model",
        "policies",
        "plans",
        "retrieval",
        "engine",
        "storage.query",
        "storage.where",
        # To open a store: what it is given, and what it promises.
        "ports",
        "storage.contract",
    ),
    "faces": (
        "model",
        "operations",
        "backends.connect",
        "embedders",
        "serde",
        "ports",
        "storage.contract",
    ),
    "testing": (
        *("model", "ports", "serde", "text", "policies", "plans", "retrieval"),
        *("storage", "backends.connect", "backends.authority", *_ENGINES),
        *("embedders", "engine", "operations", "faces", ""),
    ),
    # What `import loom` gives, and the command line's door.
    "": ("model", "operations.opening", "faces"),
    "__main__": ("faces",),
}

#: Packages that belong to one room; elsewhere they would be loaded without being asked for.
DRIVERS: Final[Mapping[str, tuple[str, ...]]] = {
    "duckdb": ("backends.duckdb",),
    "psycopg": ("backends.postgres",),
    "psycopg_pool": ("backends.postgres",),
    "clickhouse_connect": ("backends.clickhouse",),
    "onnxruntime": ("embedders",),
    "tokenizers": ("embedders",),
    "cattrs": ("serde",),
    "click": ("faces",),
    "rich": ("faces",),
    "hypothesis": ("testing",),
    "pytest": ("testing",),
}


def _room(name: str) -> str:
    inside = name.removeprefix("loom").removeprefix(".")
    fitting = [r for r in ALLOWED if r and (inside == r or inside.startswith(r + "."))]
    return max(fitting, key=len, default="")


def _imports(module: Module, known: frozenset[str]) -> Iterator[tuple[int, str]]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            source = _absolute(module, node)
            for alias in node.names:
                inner = f"{source}.{alias.name}"
                yield node.lineno, inner if inner in known else source


def _absolute(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    base = parts[: len(parts) - node.level + module.is_package]
    return ".".join([*base, *([node.module] if node.module else [])])


def _is_within(name: str, opened: str) -> bool:
    if not opened:  # the front door itself
        return name == "loom"
    return name == f"loom.{opened}" or name.startswith(f"loom.{opened}.")


def _may_import(room: str, target: str) -> bool:
    if room == "errors":
        return False
    common = ("errors",) if room in ("model", "settings") else EVERYWHERE
    return any(_is_within(target, name) for name in (*ALLOWED[room], *common))


KNOWN: Final = frozenset(m.name for m in modules())


@pytest.mark.parametrize("module", modules(), ids=lambda m: m.name)
def test_a_module_imports_only_what_its_room_may(module: Module) -> None:
    """Design: one direction of flow, one table of allowed imports."""
    room = _room(module.name)
    wrong = [
        f"{module.where}:{line} imports {target}; '{room or 'loom'}' may not"
        for line, target in _imports(module, KNOWN)
        if (target == "loom" or target.startswith("loom."))
        and not (room and _room(target) == room)
        and not _may_import(room, target)
    ]

    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("module", modules(), ids=lambda m: m.name)
def test_a_driver_is_imported_only_by_its_room(module: Module) -> None:
    """Design: drivers, models and the terminal belong to one room each."""
    room = _room(module.name)
    wrong = [
        f"{module.where}:{line} imports {target}; only {' and '.join(owners)} may"
        for line, target in _imports(module, KNOWN)
        if (owners := DRIVERS.get(target.partition(".")[0])) and room not in owners
    ]

    assert not wrong, "\n".join(wrong)


def test_every_module_lives_in_a_room() -> None:
    """Design: a new room is a line in the table first."""
    homeless = [
        m.where
        for m in modules()
        if m.name not in ("loom", "loom.backends") and not _room(m.name)
    ]

    assert not homeless


def test_the_table_has_no_cycle() -> None:
    """Design: one direction of flow; the backends' order is that of the table."""
    finished: set[str] = set()

    def visit(room: str, path: tuple[str, ...]) -> None:
        assert room not in path, " -> ".join((*path, room))
        if room in finished:
            return
        for name in ALLOWED[room]:
            target = name if name in ALLOWED else name.partition(".")[0]
            if target != room:
                visit(target, (*path, room))
        finished.add(room)

    for room in ALLOWED:
        visit(room, ())
