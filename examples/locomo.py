"""loom on long conversations: every observation a memory, every question a search.

The data is LoCoMo (CC BY-NC 4.0), which is not part of this project; name its file:

    python examples/locomo.py ../shared/data/locomo/locomo_dev.json --embedder lexical

Each conversation gets a namespace. An observation is stored with the turn it rests on as
`source_resource_id` and the date of its session as `valid_at`. It prints how the writes
were judged, a sample of each verdict to read, rates, and recall@k: of the turns that
answer a question, the share whose observation is among the first k hits.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import loom

CATEGORIES = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
DEPTHS = (5, 10)
DEFAULT = Path(__file__).resolve().parents[2] / "shared/data/locomo/locomo_dev.json"


def turns_in(text: str) -> list[str]:
    """The turn ids in a piece of text: the data writes some as `D8:6; D9:17`."""
    return re.findall(r"D\d+:\d+", text)


def session_date(text: str) -> datetime:
    """The date of a session; the data has no zone, so UTC stands for it."""
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def entries_of(conversation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every observation of a conversation as arguments of `memory.set`."""
    for name, speakers in conversation["observation"].items():
        session = name.removesuffix("_observation")
        at = session_date(conversation["conversation"][f"{session}_date_time"])
        for speaker, observations in speakers.items():
            for number, (text, source) in enumerate(observations, start=1):
                turns = turns_in(source if isinstance(source, str) else " ".join(source))
                yield {
                    "memory_key": f"{speaker}/{session}/{number:02}".replace(" ", "_"),
                    "value": text,
                    "source_resource_id": ",".join(turns) or name,
                    "valid_at": at,
                }


class Study:
    """What was written and found, over all conversations."""

    def __init__(self) -> None:
        self.verdicts: list[tuple[str, str, Any]] = []
        self.refused = 0
        self.writing = 0.0
        self.searching: list[float] = []
        self.abstained = 0
        #: For each category and depth, the recall of each question.
        self.recalls: dict[tuple[int, int], list[float]] = defaultdict(list)
        #: For each category, the share of evidence turns that have an observation.
        self.reachable: dict[int, list[float]] = defaultdict(list)

    def write(self, agent: loom.AgentHandle, entries: list[dict[str, Any]]) -> None:
        """Store the observations of one conversation in one call."""
        begun = time.perf_counter()
        outcome = agent.memory.bulk_set(entries)
        self.writing += time.perf_counter() - begun
        for entry, answer in zip(entries, outcome.results, strict=True):
            if "conflict_verdict" in answer:
                self.verdicts.append((answer["conflict_verdict"], entry["value"], answer))
            else:
                self.refused += 1

    def ask(
        self, agent: loom.AgentHandle, question: dict[str, Any], known: set[str]
    ) -> None:
        """Search for a question's evidence."""
        evidence = set(turns_in(" ".join(question.get("evidence", []))))
        begun = time.perf_counter()
        found = agent.memory.search(question["question"], top_k=max(DEPTHS))
        self.searching.append(time.perf_counter() - begun)
        self.abstained += found.abstain
        if not evidence:
            return
        category = question["category"]
        self.reachable[category].append(len(evidence & known) / len(evidence))
        for depth in DEPTHS:
            hits = {
                t for hit in found.hits[:depth] for t in turns_in(hit.source_resource_id)
            }
            self.recalls[category, depth].append(len(evidence & hits) / len(evidence))


def study(conversations: list[dict[str, Any]], store: loom.Loom) -> Study:
    """Write and ask everything."""
    result = Study()
    for conversation in conversations:
        namespace = f"conversation-{conversation['sample_id']}"
        agent = store.agent("observer", org="locomo", namespace=namespace)
        entries = list(entries_of(conversation))
        result.write(agent, entries)
        known = {t for entry in entries for t in turns_in(entry["source_resource_id"])}
        for question in conversation["qa"]:
            result.ask(agent, question, known)
    return result


def report(result: Study, embedder: str, verdicts: int, seed: int) -> None:
    """Print the figures and a sample of each verdict."""
    counts = Counter(verdict for verdict, _, _ in result.verdicts)
    total = len(result.verdicts)
    print(f"embedder {embedder}: {total:,} observations judged, {result.refused} refused")
    for verdict, n in counts.most_common():
        print(f"  {verdict:<10}{n:>6,}  {n / total:6.1%}")
    searches = len(result.searching)
    median = statistics.median(result.searching) * 1000
    print(f"writes     {total / result.writing:8,.0f} per second")
    print(
        f"searches   {searches / sum(result.searching):8,.0f} per second, median "
        f"{median:.1f} ms, {result.abstained} of {searches:,} abstained"
    )
    print_recalls(result)
    if verdicts:
        print_sample(result, verdicts, seed)


def print_recalls(result: Study) -> None:
    """Recall by category and over all questions that have evidence."""
    head = "".join(f"  recall@{depth:<3}" for depth in DEPTHS)
    print(f"{'category':<13}{'questions':>10}{head}   has an observation")
    groups = [([category], name) for category, name in CATEGORIES.items()]
    for categories, name in [*groups, (list(CATEGORIES), "all")]:
        reachable = [r for c in categories for r in result.reachable[c]]
        if not reachable:
            continue
        cells = "".join(
            f"  {statistics.mean(r for c in categories for r in result.recalls[c, depth]):<10.3f}"
            for depth in DEPTHS
        )
        print(f"{name:<13}{len(reachable):>10,}{cells}   {statistics.mean(reachable):.3f}")


def print_sample(result: Study, wanted: int, seed: int) -> None:
    """Verdicts to read, each with both texts: an even share of each kind that has a peer."""
    kinds: dict[str, list[tuple[str, Any]]] = defaultdict(list)
    for verdict, text, answer in result.verdicts:
        if answer.peers:
            kinds[verdict].append((text, answer))
    rng = random.Random(seed)
    queues = [
        (kind, rng.sample(found, len(found))) for kind, found in sorted(kinds.items())
    ]
    chosen: list[tuple[str, str, Any]] = []
    while len(chosen) < wanted and any(queue for _, queue in queues):
        for kind, queue in queues:
            if queue and len(chosen) < wanted:
                chosen.append((kind, *queue.pop()))
    for number, (kind, text, answer) in enumerate(
        sorted(chosen, key=lambda c: c[0]), start=1
    ):
        peer = next((p for p in answer.peers if p.relation == kind), answer.peers[0])
        print(f"\n{number}. {kind}  (peer {peer.relation}, cosine {peer.similarity:.3f})")
        print(f"   new   {text}")
        print(f"   peer  {peer.value}")
        print(f"   why   {'; '.join(peer.reasons[1:])}")


def main() -> None:
    """Run the study as the arguments say."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", nargs="?", type=Path, default=DEFAULT)
    parser.add_argument("--embedder", choices=("lexical", "minilm"), default="lexical")
    parser.add_argument("--limit", type=int, help="only so many conversations")
    parser.add_argument(
        "--verdicts", type=int, default=8, help="how many verdicts to print"
    )
    parser.add_argument("--seed", type=int, default=7, help="which verdicts to print")
    parser.add_argument("--store", help="keep the store here instead of a temporary file")
    options = parser.parse_args()
    if not options.data.is_file():
        parser.error(f"there is no file {options.data}; LoCoMo is not part of this project")
    conversations = json.loads(options.data.read_text(encoding="utf-8"))[: options.limit]
    with tempfile.TemporaryDirectory() as folder:
        path = options.store or str(Path(folder) / "locomo.duckdb")
        with loom.open(path, embedder=options.embedder) as store:
            result = study(conversations, store)
            name = store.capabilities().embedder
    report(result, name, options.verdicts, options.seed)


if __name__ == "__main__":
    main()
