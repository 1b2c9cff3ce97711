"""Labelled sentence pairs, each with what people said of it.

The data lies beside the repository (`../shared/data`); it is read where it lies, for
evaluation only. Every set has a half to tune on and, where the data has one, a half held
out; sets that come whole are cut by a hash of the pair, so that the halves stay.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from attrs import frozen

from loom.text.values import values_in

__all__ = ["DATA", "HELD_OUT", "TUNED", "Group", "Pair", "groups", "read_groups"]

DATA: Final = Path(__file__).resolve().parents[2] / "shared" / "data"
TUNED: Final = "tuned on"
HELD_OUT: Final = "held out"

#: The sentence stored first, and the one that is then written.
Pair = tuple[str, str]
Labelled = Iterator[tuple[str, Pair]]


@frozen(kw_only=True)
class Group:
    """The pairs of one set that people gave one label."""

    dataset: str
    label: str
    half: str
    pairs: tuple[Pair, ...]


def read_groups(data: Path = DATA) -> tuple[Group, ...]:
    """All sets, a group for each label and half."""
    return (
        *groups("SICK", TUNED, _sick(data, "train")),
        *groups("SICK", HELD_OUT, _sick(data, "trial")),
        *groups("STS-B", TUNED, _stsb(data, "train")),
        *groups("STS-B", HELD_OUT, _stsb(data, "dev")),
        *groups("MSRP", TUNED, _msrp(data, "train")),
        *groups("MSRP", HELD_OUT, _msrp(data, "val")),
        *_cut("FEVER", _fever(data)),
        *_cut("FEVER claims", _fever_claims(data)),
        *_cut("ConjNLI", _conjnli(data)),
        *_cut("MoNLI", _monli(data)),
    )


def groups(
    dataset: str, half: str, labelled: Iterable[tuple[str, Pair]]
) -> Iterator[Group]:
    """One group a label, in the order of the labels."""
    by_label: dict[str, list[Pair]] = {}
    for label, pair in labelled:
        by_label.setdefault(label, []).append(pair)
    for label in sorted(by_label):
        yield Group(dataset=dataset, label=label, half=half, pairs=tuple(by_label[label]))


def _cut(dataset: str, labelled: Labelled) -> Iterator[Group]:
    halves: dict[str, list[tuple[str, Pair]]] = {TUNED: [], HELD_OUT: []}
    for label, pair in labelled:
        digest = hashlib.sha256("\0".join(pair).encode()).digest()
        halves[TUNED if digest[0] % 2 else HELD_OUT].append((label, pair))
    for half, part in halves.items():
        yield from groups(dataset, half, part)


def _tab_separated(path: Path) -> Iterator[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        yield from (row for row in rows if len(row) > 2)


def _json_lines(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _sick(data: Path, half: str) -> Labelled:
    for row in _tab_separated(data / "sick" / f"SICK_{half}.txt"):
        yield row[4].lower(), (row[1], row[2])


def _msrp(data: Path, half: str) -> Labelled:
    labels = {"0": "look-alike", "1": "paraphrase"}
    for row in _tab_separated(data / "msrp" / f"msr-para-{half}.tsv"):
        yield labels[row[0]], (row[3], row[4])


def _stsb(data: Path, half: str) -> Labelled:
    """Grades in bands, those of the upper ones apart by whether stated values are equal."""
    with (data / "stsb" / f"stsb-en-{half}.csv").open(
        encoding="utf-8", newline=""
    ) as lines:
        for one, two, grade in csv.reader(lines):
            yield _band(float(grade), one, two), (one, two)


def _band(grade: float, one: str, two: str) -> str:
    if grade < 4:
        low = int(grade)
        return f"{low} to {low + 1}"
    band = "4.8 to 5" if grade >= 4.8 else "4 to 4.8"
    equal = set(values_in(one)) == set(values_in(two))
    return f"{band}, values {'equal' if equal else 'differ'}"


def _fever(data: Path) -> Labelled:
    """A claim and a piece of evidence."""
    for row in _json_lines(data / "fever_symmetric" / "fever_symmetric_dev.jsonl"):
        yield row["gold_label"].lower(), (row["evidence"], row["claim"])


def _fever_claims(data: Path) -> Labelled:
    """Two claims of which one piece of evidence supports one and refutes the other."""
    claims: dict[str, dict[str, str]] = {}
    for row in _json_lines(data / "fever_symmetric" / "fever_symmetric_dev.jsonl"):
        claims.setdefault(row["evidence"], {})[row["gold_label"]] = row["claim"]
    for by_label in claims.values():
        if len(by_label) == 2:
            yield "one holds, one not", (by_label["SUPPORTS"], by_label["REFUTES"])


def _conjnli(data: Path) -> Labelled:
    for row in _tab_separated(data / "conjnli" / "conj_dev.tsv"):
        yield row[2], (row[0], row[1])


def _monli(data: Path) -> Labelled:
    for row in _json_lines(data / "monli" / "pmonli.jsonl"):
        yield row["gold_label"], (row["sentence1"], row["sentence2"])
