"""What a caller may bring: an embedder, thresholds, a lens, a judge, a clock."""

from __future__ import annotations

from typing import Any, Final

import attrs
import numpy as np
import pytest
from attrs import frozen

from loom import LENSES, AgentHandle, CosineJudge, Loom, Settings, Thresholds
from loom.errors import Blacklisted, EmbeddingFailed
from loom.model.entries import Vector
from loom.policies.facts import Claim, Draft, Facts
from loom.policies.relations import Relation, Relations
from loom.policies.verdicts import Refuse
from loom.testing.fakes import ChosenEmbedder
from loom.testing.stores import audit_of, contents_of
from tests.operations.conftest import Opener
from tests.operations.texts import (
    BREAD,
    BUTTER,
    DRAWS_5,
    DRAWS_9,
    ELSEWHERE,
    NIGHT,
    PLACES,
)

HERE: Final[dict[str, Any]] = {"org": "acme", "namespace": "lab"}


def test_a_failing_embedder_fails_the_call_and_nothing_is_written(
    agent: AgentHandle, store: Loom, embedder: ChosenEmbedder
) -> None:
    """A-18, R-39: for every write that needs a vector, not even an audit row."""
    out = agent.memory.set("k/a", NIGHT)
    before = contents_of(store)
    embedder.failing = True
    for call in (
        lambda: agent.memory.set("k/b", ELSEWHERE),
        lambda: agent.memory.set("k/b", ELSEWHERE, dry_run=True),
        lambda: agent.memory.set("k/a", ELSEWHERE),
        lambda: agent.memory.update("k/a", ELSEWHERE),
        lambda: agent.memory.update_by_id(out.memory_id, ELSEWHERE),
        lambda: agent.memory.pin("k/a", ELSEWHERE),
        lambda: agent.memory.bulk_set([{"memory_key": "k/b", "value": ELSEWHERE}]),
        lambda: agent.memory.bulk_set(
            [{"memory_key": "k/b", "value": ELSEWHERE}], atomic=True
        ),
        lambda: agent.memory.search("pump"),
    ):
        with pytest.raises(EmbeddingFailed) as caught:
            call()
        assert caught.value.code == "EMBEDDING_FAILED"
        assert "told to fail" not in caught.value.message
    assert contents_of(store) == before
    embedder.failing = False
    assert agent.memory.set("k/b", ELSEWHERE).conflict_verdict == "clear"


class _Tiring(ChosenEmbedder):
    """Fails from its second call on."""

    def embed(self, texts: Any, /) -> Vector:
        self.failing = self.calls > 0
        found: Vector = super().embed(texts)
        return found


@pytest.mark.parametrize("atomic", [False, True])
def test_an_embedder_that_fails_in_the_middle_of_a_long_bulk_leaves_nothing(
    opened: Opener, atomic: bool
) -> None:
    """R-39, R-37: also where earlier blocks had their vectors already."""
    store = opened(embedder=_Tiring())
    agent = store.agent("ada")
    before = contents_of(store)
    entries = [{"memory_key": f"n/{i}", "value": i} for i in range(300)]
    if atomic:  # one block, so one call
        agent.memory.set("k/a", NIGHT)
        before = contents_of(store)
    with pytest.raises(EmbeddingFailed):
        agent.memory.bulk_set(entries, atomic=atomic)

    assert contents_of(store) == before


def test_what_needs_no_vector_goes_on_without_the_embedder(
    agent: AgentHandle, embedder: ChosenEmbedder
) -> None:
    """R-39, A-95: restating, deleting, restoring, reading by key and by words."""
    agent.memory.set("k/a", NIGHT)
    embedder.failing = True

    assert agent.memory.set("k/a", NIGHT).conflict_verdict == "restated"
    assert agent.memory.pin("k/a").pinned
    assert agent.memory.delete("k/a").found
    assert agent.memory.restore("k/a").count == 1
    assert agent.memory.search("pump", legs=["lexical"]).hits
    assert agent.memory.set("k/e", ELSEWHERE, memory_type="episodic").status == "active"


class _Odd(ChosenEmbedder):
    """Answers with whatever it is given."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.answer = answer

    def embed(self, texts: Any, /) -> Vector:
        found: Vector = self.answer(len(texts))
        return found


@pytest.mark.parametrize(
    "answer",
    [
        lambda n: np.full((n, 256), np.nan, dtype=np.float32),
        lambda n: np.zeros((n, 256), dtype=np.float32),
        lambda n: np.ones((n, 3), dtype=np.float32),
        lambda n: np.ones((n + 1, 256), dtype=np.float32) / 16,
        lambda _: None,
        lambda _: "vectors",
    ],
    ids=["nan", "zero", "narrow", "too-many", "none", "text"],
)
def test_nonsense_from_an_embedder_is_a_failure(opened: Opener, answer: Any) -> None:
    """R-39: rows of length 1, one a text, of the dimension it promised."""
    store = opened(embedder=_Odd(answer))
    before = contents_of(store)

    with pytest.raises(EmbeddingFailed):
        store.agent("ada").memory.set("k/a", NIGHT)
    assert contents_of(store) == before


@pytest.mark.parametrize(
    "settings, thresholds, verdict, source",
    [
        (None, None, "clear", "fallback"),
        (Settings(conflict_threshold=0.9), None, "clear", "setting"),
        (
            None,
            Thresholds(conflict=0.2, duplicate=0.3, source="embedder:odd"),
            "clear",
            "embedder:odd",
        ),
    ],
    ids=["fallback", "setting", "embedder"],
)
def test_the_thresholds_in_force_are_told_with_where_they_came_from(
    opened: Opener,
    settings: Settings | None,
    thresholds: Thresholds | None,
    verdict: str,
    source: str,
) -> None:
    """A-117, R-40, R-33: a setting, the embedder's own, or the fallback."""
    given: dict[str, Any] = {} if thresholds is None else {"thresholds": thresholds}
    store = opened(settings=settings, embedder=ChosenEmbedder(PLACES, **given))
    agent = store.agent("ada")
    agent.memory.set("ana/soup", BREAD)
    out = agent.memory.set("ana/lunch", BUTTER)

    assert out.conflict_verdict == verdict
    assert f"({source})" in out.peers[0].reasons[0]


def test_thresholds_decide_what_is_close(opened: Opener) -> None:
    """A-114, A-115: the same pair is a conflict under one setting and clear under another."""
    verdicts = []
    for threshold in (0.85, 0.95):
        settings = Settings(conflict_threshold=threshold, duplicate_threshold=0.99)
        agent = opened(settings=settings, judge=CosineJudge()).agent("ada")
        agent.memory.set("ana/soup", BREAD)
        verdicts.append(agent.memory.set("ana/lunch", BUTTER).conflict_verdict)

    assert verdicts == ["conflict", "clear"]


def test_the_plain_cosine_judge_is_one_setting_away(opened: Opener) -> None:
    """R-33: close and compatible is a conflict by the page's plain thresholds."""
    for judge, verdict in ((None, "clear"), (CosineJudge(), "conflict")):
        agent = opened(judge=judge).agent("ada")
        agent.memory.set("ana/soup", BREAD)
        assert agent.memory.set("ana/lunch", BUTTER).conflict_verdict == verdict


@frozen
class Suspicious:
    """A judge of one's own: whatever mentions a wolf contradicts everything near it."""

    def floor(self, thresholds: Thresholds, /) -> float:
        return -1.0

    def relate(
        self, new: Claim, old: Claim, similarity: float, thresholds: Thresholds, /
    ) -> Relation:
        wolf = "wolves" in new.text.lower()
        kind = Relations.CONFLICT if wolf else Relations.APART
        return Relation(kind=kind, similarity=similarity, note="wolf" if wolf else "")


def test_a_judge_of_one_s_own_leads_writes_and_restores(opened: Opener) -> None:
    """R-33, A-105: a port; pure, and asked in every lens."""
    agent = opened(judge=Suspicious()).agent("ada")
    agent.memory.set("k/a", NIGHT)
    out = agent.memory.set("k/wolves", ELSEWHERE)

    assert out.conflict_verdict == "conflict"
    assert "wolf" in out.peers[0].reasons
    agent.memory.delete("k/wolves")
    assert agent.memory.restore("k/wolves").rows[0].conflict_verdict == "conflict"


@frozen
class NoShouting:
    """A rule of one's own."""

    def judge(self, draft: Draft, facts: Facts, /) -> Refuse | None:
        del facts
        if draft.claim.text.isupper():
            return Refuse(Blacklisted, "Shouting is not remembered here.")
        return None


def test_a_lens_of_one_s_own_is_a_chain_with_one_more_rule(opened: Opener) -> None:
    """A-87: policies are objects in one table per lens; a user can pass their own."""
    lenses = attrs.evolve(LENSES, expand=(NoShouting(), *LENSES.expand))
    store = opened(lenses=lenses)
    agent = store.agent("ada")

    with pytest.raises(Blacklisted):
        agent.memory.set("k/a", "THE PUMP RUNS AT NIGHT.")
    assert audit_of(store)[-1].refused == "BLACKLISTED"
    assert agent.memory.set("k/a", NIGHT).conflict_verdict == "clear"
    agent.memory.update("k/a", "UPDATE HAS A LENS OF ITS OWN.")


def test_no_verdict_calls_more_than_the_embedder(
    agent: AgentHandle, embedder: ChosenEmbedder
) -> None:
    """A-105, A-16: one call for excerpt and chunks, inline; no language model."""
    calls = embedder.calls
    agent.memory.set("k/5", DRAWS_5)
    agent.memory.set("k/9", DRAWS_9)
    assert embedder.calls == calls + 2

    agent.memory.bulk_set([{"memory_key": f"n/{i}", "value": i} for i in range(50)])
    assert embedder.calls == calls + 3
