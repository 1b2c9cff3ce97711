"""How often `loom.text` takes different statements for one, and sees a contradiction.

Reads labelled sentence pairs that lie beside the repository (evaluation only, never
shipped) and prints one line for each set of them. Where the label says the two differ,
`same` should be near zero and every pair in it deserves reading: `--show N` prints N of
each. Where it says they contradict, `contradicts` should be high; elsewhere near zero.

    python benchmarks/sameness.py [--show 5] [--data ../shared/data]
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections.abc import Iterator
from pathlib import Path

from loom.text.statements import Comparison, compare

Pair = tuple[str, str]
ROOT = Path(__file__).resolve().parents[1]
#: A pair of the similarity set scored below this says something else (0 to 5).
DIFFERENT_BELOW = 4.0
#: Sets of pairs that the label says are different.
DIFFERENT = (
    "sick contradiction",
    "sick neutral",
    "msrp look-alikes",
    "fever refutes",
    "fever two claims",
    "conjnli contradiction",
    "conjnli neutral",
    "monli neutral",
    "stsb below 4",
)


def tab_separated(path: Path) -> Iterator[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        yield from (row for row in rows if len(row) > 2)


def json_lines(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def sick(data: Path, label: str) -> Iterator[Pair]:
    for name in ("SICK_train.txt", "SICK_trial.txt"):
        for row in tab_separated(data / "sick" / name):
            if row[4] == label:
                yield row[1], row[2]


def msrp(data: Path, label: str) -> Iterator[Pair]:
    for name in ("msr-para-train.tsv", "msr-para-val.tsv"):
        for row in tab_separated(data / "msrp" / name):
            if row[0] == label:
                yield row[3], row[4]


def fever(data: Path, label: str) -> Iterator[Pair]:
    for row in json_lines(data / "fever_symmetric" / "fever_symmetric_dev.jsonl"):
        if row["gold_label"] == label:
            yield row["claim"], row["evidence"]


def fever_claims(data: Path) -> Iterator[Pair]:
    """Two claims on one piece of evidence, of which it supports one and refutes one."""
    claims: dict[str, dict[str, str]] = {}
    for row in json_lines(data / "fever_symmetric" / "fever_symmetric_dev.jsonl"):
        claims.setdefault(row["evidence"], {})[row["gold_label"]] = row["claim"]
    for by_label in claims.values():
        if len(by_label) == 2:
            yield by_label["SUPPORTS"], by_label["REFUTES"]


def conjnli(data: Path, label: str) -> Iterator[Pair]:
    for row in tab_separated(data / "conjnli" / "conj_dev.tsv"):
        if row[2] == label:
            yield row[0], row[1]


def monli(data: Path, label: str) -> Iterator[Pair]:
    for row in json_lines(data / "monli" / "pmonli.jsonl"):
        if row["gold_label"] == label:
            yield row["sentence1"], row["sentence2"]


def stsb(data: Path, *, different: bool) -> Iterator[Pair]:
    for name in ("stsb-en-train.csv", "stsb-en-dev.csv"):
        with (data / "stsb" / name).open(encoding="utf-8", newline="") as lines:
            for one, two, score in csv.reader(lines):
                if (float(score) < DIFFERENT_BELOW) == different:
                    yield one, two


def groups(data: Path) -> dict[str, list[Pair]]:
    """Name of a set to its pairs."""
    return {
        "sick contradiction": list(sick(data, "CONTRADICTION")),
        "sick neutral": list(sick(data, "NEUTRAL")),
        "msrp look-alikes": list(msrp(data, "0")),
        "fever refutes": list(fever(data, "REFUTES")),
        "fever two claims": list(fever_claims(data)),
        "conjnli contradiction": list(conjnli(data, "contradiction")),
        "conjnli neutral": list(conjnli(data, "neutral")),
        "monli neutral": list(monli(data, "neutral")),
        "stsb below 4": list(stsb(data, different=True)),
        "sick entailment": list(sick(data, "ENTAILMENT")),
        "msrp paraphrases": list(msrp(data, "1")),
        "fever supports": list(fever(data, "SUPPORTS")),
        "conjnli entailment": list(conjnli(data, "entailment")),
        "monli entailment": list(monli(data, "entailment")),
        "stsb from 4": list(stsb(data, different=False)),
    }


def report(name: str, pairs: list[Pair], show: int) -> None:
    started = time.perf_counter()
    compared = [(pair, compare(*pair)) for pair in pairs]
    micros = (time.perf_counter() - started) / max(1, len(pairs)) * 1e6
    one = [(pair, c) for pair, c in compared if c.same_canonical or c.may_be_one]
    shown = [(pair, c) for pair, c in compared if c.contradicts]
    canonical = sum(c.same_canonical for _, c in compared)
    print(
        f"{name:24}{len(pairs):7}{canonical:11}{len(one):6}"
        f"{len(shown):13}{len(shown) / max(1, len(pairs)):7.1%}{micros:9.0f}"
    )
    examples("same", one, show)
    examples("contradicts", shown, show)
    missed = [(pair, c) for pair, c in compared if not c.contradicts]
    if "contradiction" in name:
        examples("not seen", missed, show)


def examples(what: str, found: list[tuple[Pair, Comparison]], show: int) -> None:
    step = max(1, len(found) // show) if show else 1
    for (one, two), comparison in found[::step][:show]:
        print(f"    {what}: {one}\n      | {two}\n      {comparison.reasons()}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--show", type=int, default=0, help="examples of each kind")
    parser.add_argument("--only", default="", help="sets whose name contains this")
    chosen = parser.parse_args()
    print(
        f"{'pairs':24}{'count':>7}{'canonical':>11}{'same':>6}{'contradicts':>13}{'':7}{'us':>9}"
    )
    for name, pairs in groups(chosen.data).items():
        if chosen.only in name:
            report(name, pairs, chosen.show)


if __name__ == "__main__":
    main()
