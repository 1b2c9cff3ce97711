"""How well each embedder grades likeness, and the thresholds that follow from it.

    python -m benchmarks.embedders [lexical] [minilm]

Reads labelled sentence pairs from `../shared/data`, which is no part of this repository:

- STS-B: pairs graded from 0 (unrelated) to 5 (the same);
- MSRP: news sentences that look alike, some of them paraphrases and some not;
- SICK: pairs that entail, contradict, or do neither.

What `Thresholds` of an embedder are follows from two rules over the training halves:

- conflict: what at most 5 % of the STS-B pairs graded below 3 reach. Graded 3 and more,
  two sentences are about the same thing;
- duplicate: what at most 1 % of the pairs that differ in a detail reach. These are STS-B
  pairs graded below 4 and MSRP pairs that are no paraphrases; the stricter one holds.

The table of shares is over the other halves, so that it shows what the rules are worth.
"""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from loom.embedders.choose import choose_embedder
from loom.model.thresholds import Thresholds
from loom.ports import Calibrated, Embedder

__all__ = ["Pair", "main", "measured_thresholds", "read_msrp", "read_sick", "read_sts"]

DATA: Final = Path(__file__).resolve().parents[1].parent / "shared" / "data"
QUANTILES: Final = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
SPEED_TEXTS: Final = 1_000

Numbers = NDArray[np.float64]
Label = Callable[["Pair"], bool]


@frozen
class Pair:
    """Two sentences, how alike people found them, and what they said of them."""

    left: str
    right: str
    #: 0 to 5 in STS-B, 1 to 5 in SICK, 0 or 1 in MSRP.
    grade: float
    label: str = ""


def read_sts(half: str) -> list[Pair]:
    """`train` or `dev`."""
    with (DATA / f"stsb/stsb-en-{half}.csv").open(encoding="utf-8", newline="") as file:
        return [Pair(left, right, float(grade)) for left, right, grade in csv.reader(file)]


def read_msrp(half: str) -> list[Pair]:
    """`train` or `val`. Quotation marks in this file are text."""
    lines = (DATA / f"msrp/msr-para-{half}.tsv").read_text("utf-8-sig").split("\n")
    rows = [line.rstrip("\r").split("\t") for line in lines[1:] if line.strip()]
    return [Pair(row[3], row[4], float(row[0])) for row in rows]


def read_sick(half: str) -> list[Pair]:
    """`train` or `trial`."""
    lines = (DATA / f"sick/SICK_{half}.txt").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines[1:] if line.strip()]
    return [Pair(row[1], row[2], float(row[3]), row[4]) for row in rows]


def cosines(embedder: Embedder, pairs: Sequence[Pair]) -> Numbers:
    left = embedder.embed([pair.left for pair in pairs]).astype(np.float64)
    right = embedder.embed([pair.right for pair in pairs]).astype(np.float64)
    result: Numbers = np.einsum("ij,ij->i", left, right)
    return result


def ranks(values: Sequence[float] | Numbers) -> Numbers:
    """Ranks from 0; equal values share the mean of theirs."""
    _, group, count = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    last = np.cumsum(count, dtype=np.float64)
    shared: Numbers = last - (count + 1) / 2
    result: Numbers = shared[group]
    return result


def spearman(values: Numbers, grades: Sequence[float]) -> float:
    return float(np.corrcoef(ranks(values), ranks(grades))[0, 1])


def chosen(values: Numbers, pairs: Sequence[Pair], label: Label) -> Numbers:
    taken: Numbers = values[np.array([label(pair) for pair in pairs])]
    return taken


def measured_thresholds(embedder: Embedder) -> Thresholds:
    """What the two rules of this module give, to two digits."""
    sts, msrp = read_sts("train"), read_msrp("train")
    of_sts, of_msrp = cosines(embedder, sts), cosines(embedder, msrp)
    conflict = np.quantile(chosen(of_sts, sts, lambda pair: pair.grade < 3), 0.95)
    duplicate = max(
        np.quantile(chosen(of_sts, sts, lambda pair: pair.grade < 4), 0.99),
        np.quantile(chosen(of_msrp, msrp, lambda pair: pair.grade == 0), 0.99),
    )
    return Thresholds(
        conflict=round(float(conflict), 2),
        duplicate=round(float(duplicate), 2),
        source=f"embedder:{embedder.name}",
    )


#: What is looked at on its own: a name, the set it is in, and which pairs it takes.
GROUPS: Final[tuple[tuple[str, str, Label], ...]] = (
    ("STS-B 0-1", "sts", lambda pair: pair.grade < 1),
    ("STS-B 1-2", "sts", lambda pair: 1 <= pair.grade < 2),
    ("STS-B 2-3", "sts", lambda pair: 2 <= pair.grade < 3),
    ("STS-B 3-4", "sts", lambda pair: 3 <= pair.grade < 4),
    ("STS-B 4-5", "sts", lambda pair: 4 <= pair.grade < 5),
    ("STS-B 5", "sts", lambda pair: pair.grade == 5),
    ("MSRP no paraphrase", "msrp", lambda pair: pair.grade == 0),
    ("MSRP paraphrase", "msrp", lambda pair: pair.grade == 1),
    ("SICK neutral", "sick", lambda pair: pair.label == "NEUTRAL"),
    ("SICK entailment", "sick", lambda pair: pair.label == "ENTAILMENT"),
    ("SICK contradiction", "sick", lambda pair: pair.label == "CONTRADICTION"),
)


def print_groups(embedder: Embedder, thresholds: Thresholds) -> None:
    sets = {"sts": read_sts("dev"), "msrp": read_msrp("val"), "sick": read_sick("trial")}
    values = {name: cosines(embedder, pairs) for name, pairs in sets.items()}
    heads = " ".join(f"{f'q{quantile:.0%}':>6}" for quantile in QUANTILES)
    print(f"{'pairs held out':<20}{'n':>5} {heads}   >=conflict  >=duplicate")
    for name, where, label in GROUPS:
        group = chosen(values[where], sets[where], label)
        shown = " ".join(f"{value:6.2f}" for value in np.quantile(group, QUANTILES))
        near = np.mean(group >= thresholds.conflict)
        same = np.mean(group >= thresholds.duplicate)
        print(f"{name:<20}{len(group):>5} {shown}   {near:>10.1%}  {same:>11.1%}")


def print_unrelated(embedder: Embedder) -> None:
    """Left sentences beside right ones of other pairs: what chance alone brings."""
    pairs = read_sts("train")
    order = np.random.default_rng(0).permutation(len(pairs))
    mixed = [
        Pair(pair.left, pairs[at].right, 0)
        for pair, at in zip(pairs, order, strict=True)
        if pairs[at] != pair
    ]
    reached = np.quantile(cosines(embedder, mixed), (0.5, 0.9, 0.99, 0.999))
    print("unrelated pairs, q50 q90 q99 q99.9:", *(f"{value:.3f}" for value in reached))


def print_speed(embedder: Embedder) -> None:
    texts = [pair.left for pair in read_sts("dev")][:SPEED_TEXTS]
    for size in (1, 64):
        begun = time.perf_counter()
        for start in range(0, len(texts), size):
            embedder.embed(texts[start : start + size])
        each = (time.perf_counter() - begun) / len(texts)
        print(f"{each * 1e6:9.1f} us a sentence, {size} a call ({1 / each:,.0f} a second)")


def print_report(embedder: Embedder) -> None:
    embedder.embed(["the first call loads what there is to load"])
    print(f"\n{embedder.name}, {embedder.dimension} dimensions")
    for half in ("train", "dev"):
        pairs = read_sts(half)
        grade = spearman(cosines(embedder, pairs), [pair.grade for pair in pairs])
        print(f"Spearman on STS-B {half}: {grade:.3f}")
    measured = measured_thresholds(embedder)
    print(f"measured: conflict {measured.conflict}, duplicate {measured.duplicate}")
    if isinstance(embedder, Calibrated):
        ships = embedder.thresholds
        print(f"ships:    conflict {ships.conflict}, duplicate {ships.duplicate}")
    print_unrelated(embedder)
    print_groups(embedder, measured)
    print_speed(embedder)


def main(names: Sequence[str]) -> None:
    if not DATA.is_dir():
        sys.exit("The labelled pairs are not here: no folder ../shared/data.")
    for name in names or ("lexical", "minilm"):
        print_report(choose_embedder(name))


if __name__ == "__main__":
    main(sys.argv[1:])
