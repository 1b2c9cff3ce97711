"""A judge of one's own: a language model, or an NLI model, decides what words leave open.

The evidence judge answers at once where the words show it. What it calls compatible, two
close claims of which it cannot say more, is put to a model, here any function from two
texts to `entailment`, `contradiction` or `neutral`. A judge is asked under the write
lock, so it keeps its answers, and a model that fails leaves the verdict as it was.

    python examples/own_judge.py
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import attrs

import loom
from loom.model.thresholds import Thresholds
from loom.policies.facts import Claim
from loom.policies.relations import Relation, Relations

#: What a model says of a premise and a hypothesis.
Model = Callable[[str, str], str]


@attrs.frozen
class ModelJudge:
    """Asks a model about close claims that the words leave open."""

    model: Model
    first: loom.EvidenceJudge = attrs.field(factory=loom.EvidenceJudge)

    def floor(self, thresholds: Thresholds) -> float:
        """The cosine below which peers need not be gathered."""
        return self.first.floor(thresholds)

    def relate(
        self, new: Claim, old: Claim, similarity: float, thresholds: Thresholds
    ) -> Relation:
        """What the words show, else what the model says."""
        found = self.first.relate(new, old, similarity, thresholds)
        if found.kind is not Relations.COMPATIBLE:
            return found
        try:
            answer = self.model(old.text, new.text)
        except Exception:
            return found
        if answer != "contradiction":
            return found
        return attrs.evolve(found, kind=Relations.CONFLICT, note="a model says so")


@lru_cache(maxsize=10_000)
def weather_model(premise: str, hypothesis: str) -> str:
    """Stands in for a real model: it knows one thing about the weather."""
    said = {
        premise.rsplit(maxsplit=1)[-1].strip("."),
        hypothesis.rsplit(maxsplit=1)[-1].strip("."),
    }
    return "contradiction" if said == {"drizzling", "cloudless"} else "neutral"


def main() -> None:
    """The same two claims, judged without and with the model."""
    claims = {
        "lisbon/sky/monday": "On Monday the sky over the old town of Lisbon was drizzling.",
        "lisbon/sky/report": "On Monday the sky over the old town of Lisbon was cloudless.",
    }
    for judge in (loom.EvidenceJudge(), ModelJudge(weather_model)):
        with loom.open(":memory:", judge=judge) as store:
            memory = store.agent("reporter").memory
            for key, value in claims.items():
                answer = memory.set(key, value)
            reasons = "; ".join(answer.peers[0].reasons) if answer.peers else ""
            print(type(judge).__name__, "-", answer.conflict_verdict, "-", reasons)


if __name__ == "__main__":
    main()
