"""Figures as a table of ratios, as JSON, and as a chart of growth."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar, Final

import attrs
from attrs import field, frozen

from benchmarks.measure import Figure

__all__ = [
    "Row",
    "Table",
    "draw_growth",
    "load",
    "machine",
    "ratio_rows",
    "save",
    "seconds",
]

#: What is compared by processor time; elsewhere it is the wall clock.
_BY_CPU: Final = frozenset({"batch of 100, a row", "search"})


@frozen(kw_only=True, slots=True)
class Row:
    """One comparison."""

    what: str
    size: str
    measured: str
    beside: str
    ratio: str
    target: str
    met: bool | None

    def cells(self) -> tuple[str, ...]:
        """The row as texts, in the order of `Table.HEAD`."""
        verdict = {True: "yes", False: "**no**", None: ""}[self.met]
        return (
            *(self.what, self.size, self.measured, self.beside, self.ratio),
            *(self.target, verdict),
        )


@frozen(slots=True)
class Table:
    """Rows that print as Markdown."""

    HEAD: ClassVar = ("operation", "memories", "loom", "beside", "ratio", "target", "met")
    rows: list[Row] = field(factory=list)

    def add(self, rows: Iterable[Row]) -> None:
        """Append rows."""
        self.rows.extend(rows)

    def markdown(self) -> str:
        """The whole table."""
        lines = [self.HEAD, ("---",) * len(self.HEAD), *(r.cells() for r in self.rows)]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def seconds(value: float) -> str:
    """A duration a person can read.

    >>> seconds(0.0000042)
    '4.2 us'
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-6:.3g} us"


def ratio_rows(
    figures: Sequence[Figure],
    targets: Mapping[str, tuple[str, float]],
) -> list[Row]:
    """One row for each contestant beside loom.

    Args:
        figures: of one operation at one size.
        targets: from a contestant to `("<=", r)`: loom costs at most r times as much, or
            `(">=", r)`: it is at least r times as cheap. Others have no target.
    """
    ours = next(f for f in figures if f.who == "loom")
    rows = []
    for other in figures:
        if other is ours:
            continue
        mine, theirs = _compared(ours), _compared(other)
        order, bound = targets.get(other.who, ("", 0.0))
        cheaper = order == ">=" or (not order and theirs >= mine)
        ratio = theirs / mine if cheaper else mine / theirs
        rows.append(
            Row(
                what=ours.what,
                size=f"{ours.size:,}",
                measured=f"{seconds(ours.wall)} ({seconds(ours.cpu)} CPU)",
                beside=f"{other.who}: {seconds(other.wall)} ({seconds(other.cpu)} CPU)",
                ratio=f"{ratio:.3g} times {'cheaper' if cheaper else 'the cost'}",
                target=f"{order} {bound:g}" if order else "",
                met=None
                if not order
                else (ratio >= bound if order == ">=" else ratio <= bound),
            )
        )
    return rows


def _compared(figure: Figure) -> float:
    return figure.cpu if figure.what in _BY_CPU else figure.wall


def machine() -> dict[str, str]:
    """What a reader must know to compare with another machine."""
    facts = {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "processor": _processor(),
        "cores": str(os.cpu_count()),
    }
    for name in (
        *("duckdb", "numpy", "chromadb", "lancedb", "qdrant-client", "mem0ai"),
        *("langgraph-checkpoint-sqlite",),
    ):
        try:
            facts[name] = version(name)
        except PackageNotFoundError:
            continue
    return facts


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor()
    names = [
        line.partition(":")[2].strip() for line in text.splitlines() if "model name" in line
    ]
    return names[0] if names else platform.processor()


def save(path: Path, figures: Sequence[Figure], extra: Mapping[str, object]) -> None:
    """Keep the figures for later comparison."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = {"machine": machine(), "figures": [attrs.asdict(f) for f in figures], **extra}
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def load(path: Path) -> list[Figure]:
    """Figures that `save` kept."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    return [Figure(**figure) for figure in kept["figures"]]


def draw_growth(path: Path, figures: Sequence[Figure]) -> None:
    """A chart for each operation: cost against memories held, both logarithmic."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    operations = list(dict.fromkeys(f.what for f in figures))
    columns = 2
    count = (len(operations) + columns - 1) // columns
    page, places = plt.subplots(
        count, columns, figsize=(11, 3.6 * count), squeeze=False, layout="constrained"
    )
    colours = _colours(dict.fromkeys(f.who for f in figures))
    for place, what in zip(places.flat, operations, strict=False):
        _draw(place, what, [f for f in figures if f.what == what], colours)
    for place in places.flat[len(operations) :]:
        place.set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    page.savefig(path, dpi=110)
    plt.close(page)


def _colours(names: Iterable[str]) -> dict[str, str]:
    """One colour for each contestant in every chart; loom's is black."""
    others = sorted(set(names) - {"loom"})
    return {"loom": "black"} | {name: f"C{n}" for n, name in enumerate(others)}


def _draw(
    axes: Any, what: str, figures: Sequence[Figure], colours: Mapping[str, str]
) -> None:
    by_cpu = what in _BY_CPU
    for who in dict.fromkeys(f.who for f in figures):
        points = sorted((f.size, _compared(f)) for f in figures if f.who == who)
        axes.plot(
            [size for size, _ in points],
            [cost * 1e3 for _, cost in points],
            marker="o",
            label=who,
            linewidth=2.4 if who == "loom" else 1.1,
            color=colours[who],
        )
    axes.set(
        title=what,
        xscale="log",
        yscale="log",
        xlabel="memories held",
        ylabel="ms of CPU" if by_cpu else "ms",
    )
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend(fontsize=8)
