"""Ports that remember what they were told, as services of somebody else would."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from loom import EvidenceJudge
from loom.model.entries import Vector
from loom.model.thresholds import Thresholds
from loom.policies.facts import Claim
from loom.policies.relations import Relation
from loom.testing.fakes import ChosenEmbedder
from tests.operations.texts import PLACES

__all__ = ["ListeningEmbedder", "ListeningJudge"]


class ListeningEmbedder(ChosenEmbedder):
    """Remembers what it was told."""

    def __init__(self) -> None:
        super().__init__(PLACES)
        self.heard: list[str] = []

    def embed(self, texts: Sequence[str], /) -> Vector:
        self.heard.extend(texts)
        return super().embed(texts)


@attrs.frozen
class ListeningJudge(EvidenceJudge):
    """Remembers which texts it was asked about, as a model behind a network would."""

    heard: list[str] = attrs.field(factory=list, kw_only=True)

    def relate(
        self, new: Claim, old: Claim, similarity: float, thresholds: Thresholds, /
    ) -> Relation:
        self.heard.extend((new.text, old.text))
        return EvidenceJudge.relate(self, new, old, similarity, thresholds)
