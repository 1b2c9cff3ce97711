"""A store changes its embedder: everything is embedded again, or goes on where it stopped."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import loom
from loom.model.entries import Vector


class Letters:
    """An embedder that counts letters; it can be made to fail after some calls."""

    def __init__(
        self, name: str = "letters", dimension: int = 26, calls: int = 10**9
    ) -> None:
        self.name = name
        self.dimension = dimension
        self.calls = calls
        self.texts = 0

    def embed(self, texts: Sequence[str], /) -> Vector:
        if self.calls == 0:
            msg = "out of order"
            raise RuntimeError(msg)
        self.calls -= 1
        self.texts += len(texts)
        counts = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for letter in text.lower():
                if "a" <= letter <= "z":
                    counts[row, (ord(letter) - 97) % self.dimension] += 1
        counts[:, 0] += 1e-3
        vectors: Vector = counts / np.linalg.norm(counts, axis=1, keepdims=True)
        return vectors


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A store with revised, deleted, long and unsearchable memories."""
    place = str(tmp_path / "memory.duckdb")
    with loom.open(place) as store:
        memory = store.agent("a").memory
        entries = [
            {
                "memory_key": f"boat/{i}",
                "value": f"Boat {i} carries {chr(97 + i % 26) * 9}.",
            }
            for i in range(300)
        ]
        memory.bulk_set(entries)
        memory.set("boat/1", "Boat 1 was renamed and sold to a fisherman.")
        memory.delete("boat/2")
        memory.set("log", "Nothing to be searched.", memory_type="episodic")
        memory.set(
            "book", "\n\n".join(f"Chapter {i}: the {'k' * i} fog." for i in range(99))
        )
    return place


def _contents(path: str, embedder: Any = None) -> int:
    with loom.open(path, embedder=embedder) as store:
        items = (
            store.agent("x", user_id="*").namespace.export(history=True, limit=9999).items
        )
    searchable = {
        (row.memory_id, row.content_sha256)
        for item in items
        for row in item.versions
        if row.searchable
    }
    return len(searchable)


def test_everything_searchable_is_embedded_again(path: str) -> None:
    """R-16, R-40: every searchable content of every version, then the new name."""
    seen: list[tuple[int, int]] = []
    letters = Letters()
    contents = _contents(path)

    out = loom.reembed(path, embedder=letters, progress=lambda *done: seen.append(done))

    assert (out.before, out.embedder, out.contents) == ("lexical-1", "letters", contents)
    assert letters.texts > contents  # the chunks of the long text as well
    assert seen == sorted(seen)
    assert seen[-1] == (out.versions, out.versions)
    with loom.open(path, embedder=Letters()) as store:
        memory = store.agent("a").memory
        hit = memory.search("kkkkkkkkkkkkkkkk fog", top_k=1, legs=["vector"]).hits[0]
        assert hit.memory_key == "book"
        assert (
            memory.set("boat/3b", "Boat 3 carries ddddddddd.").conflict_verdict == "merge"
        )
        assert memory.restore("boat/2").rows[0].status


def test_the_old_embedder_no_longer_opens_it(path: str) -> None:
    """R-40: the error names the remedy."""
    loom.reembed(path, embedder=Letters())

    with pytest.raises(loom.errors.EmbedderMismatch, match="loom reembed"):
        loom.open(path)


def test_an_interrupted_run_goes_on_where_it_stopped(path: str) -> None:
    """Design: resumable; until it is done the store belongs to its old embedder."""
    contents = _contents(path)
    first = Letters(calls=1)
    with pytest.raises(loom.errors.EmbeddingFailed):
        loom.reembed(path, embedder=first)
    assert first.texts > 0

    with loom.open(path) as store:
        assert store.agent("a").memory.search("fisherman").hits
        store.agent("a").memory.set("late", "A late entry about an anchor.")
    out = loom.reembed(path, embedder=Letters())

    assert out.resumed
    assert out.contents == contents + 1 - first.texts
    with loom.open(path, embedder=Letters()) as store:
        memory = store.agent("a").memory
        for row in memory.list(limit=1000).items:
            vector = store._env.storage.vector(row.memory_id, row.content_sha256)
            assert (vector is not None) is row.searchable
        best = memory.search("A late entry about an anchor.", legs=["vector"]).hits[0]
        assert best.memory_key == "late"


def test_an_interrupted_run_to_another_embedder_begins_anew(path: str) -> None:
    """Design: a note belongs to the embedder it was made for."""
    with pytest.raises(loom.errors.EmbeddingFailed):
        loom.reembed(path, embedder=Letters(calls=1))

    out = loom.reembed(path, embedder=Letters("others", 20))

    assert not out.resumed
    assert out.contents == _contents(path, Letters("others", 20))


def test_the_same_embedder_changes_nothing(path: str) -> None:
    """Design: a repeat is harmless."""
    assert loom.reembed(path, embedder="lexical").noop
    assert loom.reembed(path, embedder=Letters()).noop is False
    assert loom.reembed(path, embedder=Letters()).noop


def test_going_back_and_forth_keeps_the_store_whole(path: str) -> None:
    """R-40: an embedder may be changed again, also back."""
    with loom.open(path) as store:
        before = [h.memory_key for h in store.agent("a").memory.search("fisherman").hits]
    loom.reembed(path, embedder=Letters())
    loom.reembed(path, embedder="lexical")

    with loom.open(path) as store:
        after = [h.memory_key for h in store.agent("a").memory.search("fisherman").hits]
    assert after == before


def test_it_takes_an_administrator_of_the_store(path: str) -> None:
    """R-07: it changes what every namespace is compared by."""
    writer = loom.Caller(subject="w", roles={"dev/*": loom.Role.ADMIN})

    with pytest.raises(loom.errors.Forbidden):
        loom.reembed(path, embedder=Letters(), caller=writer)


def test_a_store_that_is_open_is_not_changed_under_its_users(path: str) -> None:
    """Design: one storage a file in a process; another embedder is refused."""
    with loom.open(path), pytest.raises(loom.errors.LoomError):
        loom.reembed(path, embedder=Letters())
