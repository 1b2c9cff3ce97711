"""Which thresholds are in force, where they came from, and when they are measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import loom
from loom import AgentHandle, Settings
from loom.embedders.minilm import MiniLMEmbedder
from loom.errors import EmbeddingFailed, InvalidRequest
from loom.model.entries import Vector
from loom.model.thresholds import Thresholds
from loom.operations.opening import CosineJudge
from loom.policies.calibration import questions
from loom.testing.fakes import ChosenEmbedder
from tests.operations.conftest import Opener
from tests.operations.texts import BREAD, BUTTER, PLACES

ADAPTIVE = Settings(adaptive_thresholds=True)


class Letters:
    """A user's own embedder: pairs of letters, counted. It ships no thresholds."""

    name = "letters-1"
    dimension = 512

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.failing = False

    def embed(self, texts: Sequence[str], /) -> Vector:
        self.asked.append(len(texts))
        if self.failing:
            msg = "told to fail"
            raise RuntimeError(msg)
        rows = np.zeros((len(texts), self.dimension), np.float32)
        rows[:, 0] = 1e-3
        for at, text in enumerate(texts):
            for pair in zip(text.lower(), text.lower()[1:], strict=False):
                rows[at, (ord(pair[0]) * 31 + ord(pair[1])) % self.dimension] += 1
        made: Vector = rows / np.linalg.norm(rows, axis=1)[:, None]
        return made


def _pair(agent: AgentHandle) -> Any:
    agent.memory.set("ana/soup", BREAD)
    return agent.memory.set("ana/lunch", BUTTER)


def test_the_embedders_own_are_in_force_where_nobody_says_else(agent: AgentHandle) -> None:
    """A-120, R-40."""
    found = agent.calibration.get()
    assert (found.conflict_threshold, found.duplicate_threshold) == (0.85, 0.97)
    assert found.conflict_source == found.duplicate_source == "fallback"
    assert (found.embedder, found.dimension) == ("chosen-1", 256)
    assert (found.org, found.namespace) == ("acme", "lab")
    assert (found.adaptive, found.distribution, found.note) == (False, None, "")
    assert dict(found)["by_type"] == {}


def test_each_word_is_told_in_the_order_in_which_it_counts(opened: Opener) -> None:
    """A-117 to A-120: type, namespace, setting, embedder, fallback."""
    own = Thresholds(conflict=0.6, duplicate=0.9, source="embedder:odd")
    store = opened(
        settings=Settings(duplicate_threshold=0.92),
        embedder=ChosenEmbedder(PLACES, thresholds=own, name="odd"),
    )
    agent = store.agent("ada")
    agent.namespace.register(
        conflict_threshold=0.7, type_registry={"decision": {"conflict_threshold": 0.8}}
    )
    found = agent.calibration.get(memory_type="decision")
    assert [pin.source for pin in found.chain] == [
        "type:decision",
        "namespace",
        "setting",
        "embedder:odd",
        "fallback",
    ]
    assert (found.conflict_threshold, found.conflict_source) == (0.8, "type:decision")
    assert (found.duplicate_threshold, found.duplicate_source) == (0.92, "setting")
    plain = agent.calibration.get()
    assert (plain.conflict_threshold, plain.conflict_source) == (0.7, "namespace")
    assert plain.by_type["decision"].conflict == 0.8
    elsewhere = agent.calibration.get(namespace="elsewhere")
    assert (elsewhere.conflict_threshold, elsewhere.conflict_source) == (
        0.6,
        "embedder:odd",
    )


def test_a_namespace_pin_decides_what_is_close(opened: Opener) -> None:
    """A-118: the cosine of the pair is .9, and the verdict's reasons say who decided."""
    outs = []
    for threshold in (0.95, 0.88):
        agent = opened(judge=CosineJudge()).agent("ada")
        agent.namespace.register(conflict_threshold=threshold)
        outs.append(_pair(agent))
    assert [out.conflict_verdict for out in outs] == ["clear", "conflict"]
    assert "0.880 (namespace)" in outs[1].peers[0].reasons[0]


def test_a_type_pin_decides_for_its_type_alone(opened: Opener) -> None:
    """A-119."""
    agent = opened(judge=CosineJudge()).agent("ada")
    agent.namespace.register(type_registry={"decision": {"conflict_threshold": 0.95}})
    verdicts = []
    for kind in ("semantic", "decision"):
        agent.memory.set(f"{kind}/soup", BREAD, memory_type=kind)
        out = agent.memory.set(f"{kind}/lunch", BUTTER, memory_type=kind)
        verdicts.append(out.conflict_verdict)
    assert verdicts == ["conflict", "clear"]


def test_a_pin_holds_for_bulk_writes_and_for_what_a_delete_sets_free(
    opened: Opener,
) -> None:
    """R-24, R-37: wherever two claims are compared."""
    agent = opened(judge=CosineJudge()).agent("ada")
    agent.namespace.register(conflict_threshold=0.95)
    out = agent.memory.bulk_set(
        [
            {"memory_key": "ana/soup", "value": BREAD},
            {"memory_key": "ana/lunch", "value": BUTTER},
        ]
    )
    assert [r["conflict_verdict"] for r in out.results] == ["clear", "clear"]
    agent.memory.delete("ana/lunch")
    agent.namespace.register(conflict_threshold=None)
    agent.memory.restore("ana/lunch")
    row = agent.memory.get("ana/lunch")
    assert row is not None
    assert row.status == "conflicted"


def test_a_malformed_type_is_refused(agent: AgentHandle) -> None:
    for bad in ("", "*", 3):
        with pytest.raises(InvalidRequest):
            agent.calibration.get(memory_type=bad)  # type: ignore[arg-type]


def test_nothing_is_measured_unless_it_is_asked_for(opened: Opener) -> None:
    """A-116: a switch."""
    embedder = Letters()
    agent = opened(embedder=embedder).agent("ada")
    agent.memory.set("ana/soup", BREAD)
    assert embedder.asked == [1]
    found = agent.calibration.get()
    assert (found.conflict_threshold, found.conflict_source) == (0.85, "fallback")
    assert embedder.asked == [1]


def test_opening_embeds_nothing_and_the_first_write_measures(opened: Opener) -> None:
    """A-116: once a store, before the first verdict rests on it."""
    embedder = Letters()
    store = opened(embedder=embedder, settings=ADAPTIVE)
    agent = store.agent("ada")
    agent.memory.list()
    agent.memory.get("ana/soup")
    assert embedder.asked == []
    out = _pair(agent)
    assert embedder.asked == [len(questions()), 1, 1]
    assert "(adaptive:letters-1)" in out.peers[0].reasons[0]
    found = agent.calibration.get()
    assert found.adaptive
    assert found.distribution is not None
    assert found.conflict_source == found.duplicate_source == "adaptive:letters-1"
    assert found.distribution.rival == found.conflict_threshold
    assert found.distribution.background_mean < found.distribution.related
    assert embedder.asked == [len(questions()), 1, 1]


def test_a_look_at_the_calibration_measures_as_well(opened: Opener) -> None:
    embedder = Letters()
    agent = opened(embedder=embedder, settings=ADAPTIVE).agent("ada")
    first = agent.calibration.get()
    assert first == agent.calibration.get()
    assert embedder.asked == [len(questions())]


def test_a_store_that_is_opened_again_remembers_its_figures(tmp_path: Path) -> None:
    """A-116: reopening embeds nothing, and judges alike from its first read on."""
    path, embedder = tmp_path / "memory.duckdb", Letters()
    with loom.open(path, embedder=embedder, settings=ADAPTIVE) as store:
        before = store.calibration.get()
    again = Letters()
    with loom.open(path, embedder=again, settings=ADAPTIVE) as store:
        assert store.calibration.get() == before
        store.agent("ada").memory.set("ana/soup", BREAD)
    assert again.asked == [1]
    with loom.open(path, embedder=again) as store:
        assert store.calibration.get().conflict_source == "fallback"


def test_pins_and_settings_stand_before_the_figures(opened: Opener) -> None:
    """A-117, A-118."""
    settings = Settings(adaptive_thresholds=True, duplicate_threshold=0.98)
    agent = opened(embedder=Letters(), settings=settings).agent("ada")
    agent.namespace.register(conflict_threshold=0.5)
    found = agent.calibration.get()
    assert (found.conflict_threshold, found.conflict_source) == (0.5, "namespace")
    assert (found.duplicate_threshold, found.duplicate_source) == (0.98, "setting")
    assert [pin.source for pin in found.chain] == [
        "namespace",
        "setting",
        "adaptive:letters-1",
        "fallback",
    ]


def test_the_figures_stand_before_what_an_embedder_ships(opened: Opener) -> None:
    """A-116: with a real embedder."""
    found = (
        opened(embedder=MiniLMEmbedder(), settings=ADAPTIVE).agent("ada").calibration.get()
    )
    assert found.conflict_source == "adaptive:minilm-l6-v2-int8"
    assert found.conflict_threshold == pytest.approx(0.83, abs=0.04)
    assert found.duplicate_threshold == pytest.approx(0.96, abs=0.02)


def test_an_embedder_without_weights_keeps_its_own(opened: Opener) -> None:
    """A-116: "with a real embedder"."""
    found = opened(embedder="lexical", settings=ADAPTIVE).agent("ada").calibration.get()
    assert (found.conflict_threshold, found.conflict_source) == (0.74, "embedder:lexical-1")
    assert "without weights" in found.note
    assert found.distribution is None


def test_an_embedder_whose_cosines_tell_nothing_leaves_the_fallback(
    opened: Opener,
) -> None:
    """A-117: the chosen embedder places no probe anywhere, so all lie far apart."""
    agent = opened(settings=ADAPTIVE).agent("ada")
    found = agent.calibration.get()
    assert (found.conflict_threshold, found.conflict_source) == (0.85, "fallback")
    assert found.distribution is not None
    assert "decide nothing" in found.note


def test_an_embedder_that_fails_fails_the_call_and_is_asked_again(opened: Opener) -> None:
    """R-39: nothing is written, figures included."""
    embedder = Letters()
    agent = opened(embedder=embedder, settings=ADAPTIVE).agent("ada")
    embedder.failing = True
    with pytest.raises(EmbeddingFailed):
        agent.calibration.get()
    with pytest.raises(EmbeddingFailed):
        agent.memory.set("ana/soup", BREAD)
    embedder.failing = False
    assert agent.calibration.get().conflict_source == "adaptive:letters-1"


def test_many_first_writers_measure_once(opened: Opener) -> None:
    from concurrent.futures import ThreadPoolExecutor

    embedder = Letters()
    agent = opened(embedder=embedder, settings=ADAPTIVE).agent("ada")
    with ThreadPoolExecutor(8) as pool:
        list(
            pool.map(lambda i: agent.memory.set(f"n/{i}", f"Number {i} of many."), range(8))
        )
    assert embedder.asked.count(len(questions())) == 1
