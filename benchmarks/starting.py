"""What it costs to be there: installing, importing, opening, keeping."""

from __future__ import annotations

import importlib.metadata
import json
import re
import statistics
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from attrs import frozen

__all__ = ["Opening", "import_times", "install_megabytes", "measure_opening"]

ROOT: Final = Path(__file__).resolve().parents[1]
_NAME: Final = re.compile(r"^[A-Za-z0-9._-]+")

_IMPORT: Final = """
import json, sys, time
before = set(sys.modules)
started = time.perf_counter()
import {module}
print(json.dumps([time.perf_counter() - started, len(set(sys.modules) - before)]))
"""

_OPEN: Final = """
import json, sys, time
from pathlib import Path
sys.path[:0] = [{root!r}, {source!r}]
from benchmarks.corpus import DIMENSION, make_corpus
from benchmarks.loom_store import LoomStore

def resident():
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise SystemExit("no VmRSS")

text, vector = make_corpus(10, queries=1).queries[0]
before, started = resident(), time.perf_counter()
store = LoomStore.open(Path({path!r}), DIMENSION)
opened = time.perf_counter() - started
started = time.perf_counter()
for namespace in {namespaces!r}:
    store.search(namespace, vector, text, 10)
searched = time.perf_counter() - started
print(json.dumps([opened, searched, resident() - before]))
store.close()
"""


@frozen(kw_only=True, slots=True)
class Opening:
    """What a store costs that is opened in a fresh process."""

    rows: int
    #: Seconds until `open` returned, and for the first search of every namespace.
    opened: float
    first_searches: float
    #: Bytes of memory after both, above what the process had before.
    resident: int
    #: Bytes on the disk.
    stored: int


def _fresh_python(code: str) -> list[float]:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    answer: list[float] = json.loads(done.stdout.splitlines()[-1])
    return answer


def import_times(
    modules: Sequence[str], rounds: int = 5
) -> dict[str, tuple[float, int] | None]:
    """Seconds to import each module in a fresh process, and how many modules it loads.

    Processes take turns; the first of each, which may compile bytecode, is not counted.
    None stands for a module that cannot be imported.
    """
    taken: dict[str, list[list[float]]] = {name: [] for name in modules}
    path = f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r})\n"
    absent: set[str] = set()
    for number in range(rounds + 1):
        for name in modules:
            if name in absent:
                continue
            try:
                answer = _fresh_python(path + _IMPORT.format(module=name))
            except RuntimeError:
                absent.add(name)
                continue
            if number:
                taken[name].append(answer)
    return {
        name: None
        if name in absent
        else (statistics.median(a[0] for a in answers), int(answers[-1][1]))
        for name, answers in taken.items()
    }


def measure_opening(path: Path, rows: int, namespaces: Sequence[str]) -> Opening:
    """Open a filled store in a fresh process and search each of its namespaces once."""
    code = _OPEN.format(
        root=str(ROOT),
        source=str(ROOT / "src"),
        path=str(path),
        namespaces=list(namespaces),
    )
    opened, searched, resident = _fresh_python(code)
    stored = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return Opening(
        rows=rows,
        opened=opened,
        first_searches=searched,
        resident=int(resident),
        stored=stored,
    )


def install_megabytes(distributions: Iterable[str]) -> float | None:
    """Megabytes of files that installing these brings, without compiled bytecode.

    Follows the requirements of what is installed here, extras left out. None where one
    of them is not installed.
    """
    seen: dict[str, int] = {}
    waiting = list(distributions)
    while waiting:
        name = _normal(waiting.pop())
        if name in seen:
            continue
        if name == "loom-agent-memory":
            seen[name] = _tree_bytes(ROOT / "src" / "loom")
            waiting += map(_named, _own_requirements())
            continue
        try:
            found = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            return None
        seen[name] = _files_bytes(found)
        waiting += [_named(r) for r in found.requires or () if _is_needed(r)]
    return sum(seen.values()) / 1e6


def _own_requirements() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return list(project["project"]["dependencies"])


def _named(requirement: str) -> str:
    match = _NAME.match(requirement)
    return match[0] if match else requirement


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _is_needed(requirement: str) -> bool:
    """Whether it applies here: no extra, and not meant for another platform."""
    _, _, marker = requirement.partition(";")
    if "extra" in marker:
        return False
    if "python_version" in marker or "python_full_version" in marker:
        return _is_installed(_named(requirement))
    foreign = ("win32", "Windows", "darwin", "PyPy", "emscripten", "pypy")
    return not any(f"== '{word}'" in marker.replace('"', "'") for word in foreign) and (
        not marker or _is_installed(_named(requirement))
    )


def _is_installed(name: str) -> bool:
    try:
        importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _files_bytes(found: importlib.metadata.Distribution) -> int:
    paths = [Path(str(file.locate())) for file in found.files or ()]
    return sum(p.stat().st_size for p in paths if p.suffix != ".pyc" and p.is_file())


def _tree_bytes(folder: Path) -> int:
    return sum(
        p.stat().st_size for p in folder.rglob("*") if p.is_file() and p.suffix != ".pyc"
    )
