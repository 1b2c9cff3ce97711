"""Importing loom changes nothing in the process and loads nothing heavy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.architecture.sources import ROOT

#: Drivers, models and the terminal: each is loaded when it is asked for, not before.
NOT_LOADED: Final = (
    *("duckdb", "psycopg", "psycopg_pool", "clickhouse_connect", "chdb"),
    *("onnxruntime", "tokenizers", "huggingface_hub", "torch", "sklearn", "scipy"),
    *("rich", "click", "pandas", "pyarrow", "hypothesis", "pytest", "nltk"),
)

_PROBE: Final = """
import json, locale, logging, os, random, signal, sys, threading, warnings

def state():
    root = logging.getLogger()
    return {
        "environment": dict(os.environ),
        "root_handlers": [repr(h) for h in root.handlers],
        "root_level": root.level,
        "raise_exceptions": logging.raiseExceptions,
        "disabled_below": logging.root.manager.disable,
        "log_record": logging.getLogRecordFactory().__name__,
        "threads": [t.name for t in threading.enumerate()],
        "warnings": [repr(f) for f in warnings.filters],
        "path": list(sys.path),
        "hooks": [repr(sys.excepthook), repr(sys.displayhook), repr(threading.excepthook)],
        "signals": [repr(signal.getsignal(n)) for n in (signal.SIGINT, signal.SIGTERM)],
        "locale": locale.setlocale(locale.LC_ALL),
        "random": hash(random.getstate()),
        "recursion": sys.getrecursionlimit(),
        "cwd": os.getcwd(),
    }

# numpy is a dependency of ours whose own import registers warning filters.
import numpy
before = state()
import loom
after = state()
own = logging.getLogger("loom")
print(json.dumps({
    "changed": {k: [before[k], after[k]] for k in before if before[k] != after[k]},
    "modules": sorted({name.partition(".")[0] for name in sys.modules}),
    "own_handlers": [type(h).__name__ for h in own.handlers],
    "own_level": own.level,
}))
"""


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a fresh process saw before and after `import loom`, in an empty folder."""
    home = tmp_path_factory.mktemp("home")
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(home),
        "TMPDIR": str(home),
        # A nonsense setting must not be noticed: nothing is read unless asked for.
        "LOOM_MAX_VALUE_BYTES": "nonsense",
    }
    # `-I` would hide PYTHONPATH; `-P` keeps the working folder out of the path.
    done = subprocess.run(
        [sys.executable, "-P", "-c", _PROBE],
        cwd=home,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return {**json.loads(done.stdout), "files": _files(home)}


def _files(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*"))


def test_importing_loads_no_driver_and_no_model(probe: dict[str, Any]) -> None:
    """Design: `import loom` loads no driver or model."""
    assert not set(NOT_LOADED) & set(probe["modules"])


def test_importing_creates_no_file(probe: dict[str, Any]) -> None:
    """Design: importing loom has no effect."""
    assert probe["files"] == []


def test_importing_changes_nothing_in_the_process(probe: dict[str, Any]) -> None:
    """Design: no thread, handler, filter, signal, path or variable is touched."""
    assert probe["changed"] == {}


def test_the_logger_is_left_to_the_application(probe: dict[str, Any]) -> None:
    """Design: loom logs to its own logger and configures none."""
    assert set(probe["own_handlers"]) <= {"NullHandler"}
    assert probe["own_level"] == 0
