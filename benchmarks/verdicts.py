"""What the judge calls pairs that people labelled, beside the plain cosine judge.

    python -m benchmarks.verdicts [lexical] [minilm] [--only SICK] [--errors 5]

For every set and embedder it prints a table: a row for what people said of the pairs, a
column for each verdict, as shares of the row; our judge's first, then the cosine judge's.
Each half of a set has rows of its own: rules were tuned on the one, the other was looked
at for its numbers alone. The goals stand at the end with what was reached, then the cost.

Two texts are two claims under two keys, judged with the embedder's own thresholds.
`--errors` shows that many pairs for each kind of error on the half that was tuned on.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from attrs import field, frozen

from benchmarks.chats import Item, items, pairs_between, pairs_within
from benchmarks.differences import differ_in_value_name_or_negation
from benchmarks.notes import writes
from benchmarks.pairs import DATA, HELD_OUT, TUNED, Group, Pair, read_groups
from benchmarks.vectors import KeptVectors
from loom.embedders.choose import choose_embedder
from loom.model.thresholds import Thresholds
from loom.plans.draft import claim_of
from loom.policies.facts import Claim
from loom.policies.relations import CosineJudge, EvidenceJudge, Judge, Relation, Relations
from loom.ports import Calibrated

__all__ = ["Judged", "is_different", "judged", "main"]

#: Verdict shown for each relation, in the order of the columns.
COLUMNS: Final[Mapping[Relations, str]] = {
    Relations.CANONICAL: "merge",
    Relations.SAME: "dupl",
    Relations.CONFLICT: "confl",
    Relations.COMPATIBLE: "compat",
    Relations.APART: "clear",
}
ONE: Final = (Relations.CANONICAL, Relations.SAME)
#: Where people said that the two are not one statement: set, and how the label begins.
DIFFERENT: Final = (
    ("SICK", ("contradiction", "neutral")),
    ("STS-B", ("0", "1", "2", "3")),
    ("MSRP", ("look-alike",)),
    ("FEVER", ("refutes",)),
    ("FEVER claims", ("one",)),
    ("ConjNLI", ("contradiction", "neutral")),
    ("MoNLI", ("neutral",)),
)
JUDGES: Final[Mapping[str, Judge]] = {"ours": EvidenceJudge(), "cosine": CosineJudge()}


@frozen
class Judged:
    """One pair, and what a judge found."""

    pair: Pair
    found: Relation


@frozen
class Bench:
    """An embedder with its thresholds and kept vectors."""

    name: str
    thresholds: Thresholds
    vectors: KeptVectors
    _claims: dict[tuple[str, str], Claim] = field(factory=dict, init=False)

    def relate(self, judge: Judge, pair: Pair) -> Relation:
        """What the second text is to the first, each under a key of its own."""
        old, new = self._claim("first", pair[0]), self._claim("second", pair[1])
        return judge.relate(new, old, self.vectors.cosine(*pair), self.thresholds)

    def _claim(self, key: str, text: str) -> Claim:
        if (key, text) not in self._claims:
            self._claims[key, text] = claim_of(key, text)
        return self._claims[key, text]


def bench_of(name: str) -> Bench:
    embedder = choose_embedder(name)
    assert isinstance(embedder, Calibrated)
    return Bench(name=name, thresholds=embedder.thresholds, vectors=KeptVectors(embedder))


def judged(bench: Bench, judge: Judge, pairs: Iterable[Pair]) -> tuple[Judged, ...]:
    return tuple(Judged(pair, bench.relate(judge, pair)) for pair in pairs)


# --------------------------------------------------------------------------- the tables


def share(found: Sequence[Judged], *kinds: Relations) -> float:
    """Which part of the pairs was given one of the verdicts; 0 of none."""
    return sum(j.found.kind in kinds for j in found) / len(found) if found else 0.0


def print_head(title: str) -> None:
    names = "".join(f"{name:>7}" for name in COLUMNS.values())
    print(f"\n{title}\n{'label':<26}{'half':<10}{'pairs':>6} |{names} | cosine:{names}")


def print_row(
    label: str, half: str, ours: Sequence[Judged], cosine: Sequence[Judged]
) -> None:
    cells = [
        "".join(f"{share(found, kind):7.1%}" for kind in COLUMNS)
        for found in (ours, cosine)
    ]
    print(f"{label:<26}{half:<10}{len(ours):>6} |{cells[0]} |        {cells[1]}")


Results = dict[tuple[str, str, str], dict[str, tuple[Judged, ...]]]


def print_tables(bench: Bench, every: Sequence[Group]) -> Results:
    """The table of each set; the findings by set, label and half, and by judge."""
    results: Results = {}
    shown = ""
    bench.vectors.learn(text for group in every for pair in group.pairs for text in pair)
    for group in sorted(every, key=lambda g: (g.dataset, g.label, g.half == HELD_OUT)):
        if group.dataset != shown:
            shown = group.dataset
            print_head(f"{shown}, {bench.name}")
        found = {name: judged(bench, judge, group.pairs) for name, judge in JUDGES.items()}
        results[group.dataset, group.label, group.half] = found
        print_row(group.label, group.half, found["ours"], found["cosine"])
    return results


# ---------------------------------------------------------------------------- the chats


def links(found: Iterable[Judged]) -> bool:
    """Whether any pair would bring the two statements together."""
    return any(j.found.kind in {Relations.CONFLICT, *ONE} for j in found)


def print_chats(
    bench: Bench, every: Sequence[Item]
) -> dict[str, dict[tuple[str, str], float]]:
    """Items linked by either judge, and false links between items of one chat."""
    within = [pairs_within(item) for item in every]
    between = list(dict.fromkeys(pairs_between(every)))
    bench.vectors.learn(t for pairs in (*within, between) for pair in pairs for t in pair)
    print(
        f"\nBEAM, {bench.name}\n{'items':<26}{'half':<10}{'items':>6} |   ours  cosine linked"
    )
    reached: dict[str, dict[tuple[str, str], float]] = {name: {} for name in JUDGES}
    for kind in sorted({item.kind for item in every}):
        for half in (TUNED, HELD_OUT):
            chosen = [
                p
                for i, p in zip(every, within, strict=True)
                if (i.kind, i.half) == (kind, half)
            ]
            for name, judge in JUDGES.items():
                linked = sum(links(judged(bench, judge, pairs)) for pairs in chosen)
                reached[name][kind, half] = linked / len(chosen)
            cells = "".join(f"{reached[name][kind, half]:8.1%}" for name in JUDGES)
            print(f"{kind:<26}{half:<10}{len(chosen):>6} |{cells}")
    false = {name: judged(bench, judge, between) for name, judge in JUDGES.items()}
    cells = "".join(
        f"{share(found, Relations.CONFLICT, *ONE):8.2%}" for found in false.values()
    )
    print(f"{'statements of other items':<36}{len(between):>6} |{cells} falsely")
    return reached


def print_notes(bench: Bench) -> None:
    """How often a real note would be called a conflict, or one, with an earlier note."""
    print(
        f"\nLoCoMo, {bench.name}: notes of conversations, each beside its nearest before it"
    )
    for name, judge in JUDGES.items():
        written = tuple(writes(bench.vectors, judge.floor(bench.thresholds)))
        found = [{j.found.kind for j in judged(bench, judge, pairs)} for pairs in written]
        against = sum(Relations.CONFLICT in kinds for kinds in found)
        one = sum(not kinds.isdisjoint(ONE) for kinds in found)
        peers = sum(map(len, written))
        print(
            f"  {name:<7} {len(found)} writes, {peers} peers: {against / len(found):.1%}"
            f" in conflict, {one / len(found):.1%} judged one"
        )


# ---------------------------------------------------------------------------- the goals


def taken(results: Results, dataset: str, label: str, half: str) -> tuple[Judged, ...]:
    found = results.get((dataset, label, half))
    return found["ours"] if found else ()


def print_goals(
    bench: Bench, results: Results, linked: Mapping[tuple[str, str], float]
) -> None:
    print(f"\nGoals, {bench.name}: our judge")
    for half in (TUNED, HELD_OUT):
        for said, reached, goal in _goals(results, linked, half):
            met = "met" if _holds(reached, goal) else "MISSED"
            print(f"  {half:<9} {said:<66}{_number(reached):>8}  {goal:<8} {met}")


def _goals(
    results: Results, linked: Mapping[tuple[str, str], float], half: str
) -> Iterator[tuple[str, float, str]]:
    yield (
        "differs in value, name or negation, judged one: pairs",
        _wrongly_one(results, half),
        "<= 0",
    )
    yield (
        "labelled as different, judged one: share",
        _different_as_one(results, half),
        "<= 0.5%",
    )
    for label, goal in (
        ("contradiction", ">= 70%"),
        ("neutral", "<= 5%"),
        ("entailment", "<= 10%"),
    ):
        found = taken(results, "SICK", label, half)
        yield f"SICK {label} judged conflict", share(found, Relations.CONFLICT), goal
    best = taken(results, "STS-B", "4.8 to 5, values equal", half)
    yield "STS-B 4.8 to 5, values equal, judged one", share(best, *ONE), ">= 50%"
    yield (
        "STS-B 4.8 to 5, values equal, judged conflict",
        share(best, Relations.CONFLICT),
        "<= 10%",
    )
    yield (
        "BEAM old and new statement of an updated fact linked",
        linked["update", half],
        ">= 70%",
    )
    yield (
        "BEAM old and new information as noted linked",
        linked["update as noted", half],
        ">= 70%",
    )


def _wrongly_one(results: Results, half: str) -> int:
    """Pairs that a plain look finds to differ, and that the judge took for one."""
    return sum(
        j.found.kind in ONE and differ_in_value_name_or_negation(*j.pair)
        for (_, _, of), found in results.items()
        for j in found["ours"]
        if of == half
    )


def _different_as_one(results: Results, half: str) -> float:
    every = [
        j
        for (dataset, label, of), found in results.items()
        for j in found["ours"]
        if of == half and is_different(dataset, label)
    ]
    return share(every, *ONE)


def is_different(dataset: str, label: str) -> bool:
    """Whether people said that the two sentences are not one statement."""
    return any(dataset == name and label.startswith(begins) for name, begins in DIFFERENT)


def _holds(reached: float, goal: str) -> bool:
    relation, number = goal.split()
    bound = float(number.rstrip("%")) / (100 if number.endswith("%") else 1)
    return reached >= bound if relation == ">=" else reached <= bound


def _number(reached: float) -> str:
    return str(reached) if isinstance(reached, int) else f"{reached:.1%}"


# ------------------------------------------------------------------------------ the cost


def print_cost(bench: Bench, every: Sequence[Group]) -> None:
    """Microseconds a pair: labelled pairs, and as they come among a write's peers."""
    pairs = [pair for group in every for pair in group.pairs if group.half == TUNED]
    peers = _neighbours(bench, [pair[0] for pair in pairs if len(pair[0]) < 200][:2_000])
    print(f"\nCost, {bench.name}: microseconds a judged pair")
    for said, chosen in (("labelled pairs", pairs), ("a write's 50 nearest peers", peers)):
        cells = "".join(
            f"  {name} {_micros(bench, judge, chosen):6.1f}"
            for name, judge in JUDGES.items()
        )
        print(f"  {said:<30}{len(chosen):>7}{cells}")


def _neighbours(bench: Bench, texts: Sequence[str]) -> list[Pair]:
    """Twenty texts, each beside the fifty nearest of the others above our judge's floor."""
    floor = JUDGES["ours"].floor(bench.thresholds)
    found: list[Pair] = []
    for text in texts[:: max(1, len(texts) // 20)]:
        near = sorted(texts, key=lambda other: -bench.vectors.cosine(text, other))
        close = (other for other in near[:51] if bench.vectors.cosine(text, other) >= floor)
        found += [(text, other) for other in close if other != text]
    return found


def _micros(bench: Bench, judge: Judge, pairs: Sequence[Pair]) -> float:
    for pair in pairs:
        bench.relate(judge, pair)  # claims are made before a judge is asked
    started = time.perf_counter()
    for pair in pairs:
        bench.relate(judge, pair)
    return (time.perf_counter() - started) / max(1, len(pairs)) * 1e6


# ---------------------------------------------------------------------------- the errors


def print_errors(results: Results, count: int) -> None:
    """Some pairs of each kind of error, spread over the half that rules were tuned on."""
    wrong: dict[str, list[Judged]] = {}
    for (dataset, label, half), found in results.items():
        for j in found["ours"] if half == TUNED else ():
            kind = _error(dataset, label, j)
            if kind:
                wrong.setdefault(f"{dataset} {label}: {kind}", []).append(j)
    for title, found_wrong in wrong.items():
        print(f"\n{title} ({len(found_wrong)})")
        for j in found_wrong[:: max(1, len(found_wrong) // count)][:count]:
            print(f"  - {j.pair[0]}\n    {j.pair[1]}\n      {'; '.join(j.found.reasons)}")


def _error(dataset: str, label: str, j: Judged) -> str:
    if j.found.kind in ONE and is_different(dataset, label):
        return "judged one"
    if j.found.kind in ONE and differ_in_value_name_or_negation(*j.pair):
        return "judged one, though a value, name or negation differs"
    if dataset == "STS-B" and label == "4.8 to 5, values equal" and j.found.kind not in ONE:
        return "not seen as one"
    contradicts = "contradiction" in label or label == "one holds, one not"
    if contradicts != (j.found.kind is Relations.CONFLICT):
        return "not seen" if contradicts else "called a conflict"
    return ""


def counted(results: Results) -> Counter[str]:
    """How often each part spoke, over all pairs our judge was asked about."""
    return Counter(
        p for found in results.values() for j in found["ours"] for p in j.found.parts
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables, goals, costs and errors."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("embedders", nargs="*", default=["lexical", "minilm"])
    parser.add_argument("--only", default="", help="the set of this name alone")
    parser.add_argument("--errors", type=int, default=0, help="pairs shown of each kind")
    chosen = parser.parse_args(arguments)
    if not DATA.is_dir():
        sys.exit("The labelled pairs are not here: no folder ../shared/data.")
    every = [group for group in read_groups() if chosen.only in group.dataset]
    told = tuple(items(KeptVectors(choose_embedder("minilm"))))
    for name in chosen.embedders:
        bench = bench_of(name)
        results = print_tables(bench, every)
        linked = print_chats(bench, told)
        print_notes(bench)
        print_goals(bench, results, linked["ours"])
        print(
            "\nParts that spoke:", *(f"{p} {n}" for p, n in counted(results).most_common())
        )
        print_cost(bench, every)
        if chosen.errors:
            print_errors(results, chosen.errors)


if __name__ == "__main__":
    main()
