"""The fakes keep what they promise, so that a test that uses them can be believed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import loom
from loom.errors import EmbeddingFailed
from loom.ports import Calibrated, Clock, Embedder, Ids
from loom.testing.fakes import ChosenEmbedder, FakeClock, SeededIds
from loom.testing.stores import contents_of

_PLACE = st.integers(0, 128).map(lambda steps: steps / 128)


def test_the_fakes_satisfy_their_ports() -> None:
    """R-40: each port has a deterministic stand-in."""
    assert isinstance(FakeClock(), Clock)
    assert isinstance(SeededIds(), Ids)
    assert isinstance(ChosenEmbedder(), Embedder)
    assert isinstance(ChosenEmbedder(), Calibrated)


@given(p=_PLACE, q=_PLACE)
def test_cosines_within_a_family_are_chosen_and_exact(p: float, q: float) -> None:
    """R-33: same, near and far are drawn on purpose, to the last bit."""
    one, other = ChosenEmbedder({"a": ("f", p), "b": ("f", q)}).embed(["a", "b"])

    assert float(one @ other) == 1.0 - abs(p - q)
    assert float(one @ one) == 1.0


@given(texts=st.lists(st.text(max_size=20), min_size=2, max_size=6, unique=True))
def test_other_texts_lie_apart_and_always_alike(texts: list[str]) -> None:
    """R-40: a text has one vector, whoever asks and in whatever company."""
    together = ChosenEmbedder().embed(texts)

    alone = np.concatenate([ChosenEmbedder().embed([text]) for text in texts])
    assert (together == alone).all()
    assert np.abs(np.triu(together @ together.T, 1)).max() < 0.5
    assert np.allclose(np.linalg.norm(together, axis=1), 1.0)


def test_an_embedder_told_to_fail_fails_the_write_and_leaves_nothing() -> None:
    """R-39, A-18: nothing is written, not even an audit entry; afterwards it works again."""
    embedder = ChosenEmbedder()
    with loom.open(":memory:", embedder=embedder) as store:
        memory = store.agent("ada").memory
        before = contents_of(store)
        embedder.failing = True
        with pytest.raises(EmbeddingFailed):
            memory.set("a/b", "The lamp hangs over the stairs")
        assert contents_of(store) == before

        embedder.failing = False
        memory.set("a/b", "The lamp hangs over the stairs")
        assert embedder.calls == 2
        embedder.failing = True
        # What the store holds already needs no vector.
        assert memory.set("a/b", "The lamp hangs over the stairs").reinforcement_count == 2


def test_seeded_ids_rise_and_repeat() -> None:
    """R-03: UUIDv7, never given twice, the same for the same seed."""
    one, again, other = SeededIds(1), SeededIds(1), SeededIds(2)
    ids = [one.new() for _ in range(200)]

    assert ids == sorted(set(ids))
    assert ids == [again.new() for _ in range(200)]
    assert not set(ids) & {other.new() for _ in range(200)}
    assert {UUID(i).version for i in ids} == {7}


def test_a_fake_clock_moves_when_it_is_moved() -> None:
    """R-15: forward, back, by nanoseconds, to an instant."""
    clock = FakeClock(datetime(2026, 5, 4, 9, tzinfo=UTC))
    start = clock.now_ns()

    clock.advance(1.5)
    clock.advance(ns=1)
    clock.advance(-0.5)

    assert clock.now_ns() - start == 1_000_000_001
    assert clock.now == datetime(2026, 5, 4, 9, 0, 1, tzinfo=UTC)
    clock.set(clock.now - timedelta(days=1))
    assert clock.now == datetime(2026, 5, 3, 9, 0, 1, tzinfo=UTC)
