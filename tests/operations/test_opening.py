"""Opening, closing and reopening a store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import loom
from loom import Settings
from loom.errors import EmbedderMismatch, InvalidRequest, StoreUnavailable
from loom.testing.fakes import ChosenEmbedder, FakeClock, SeededIds
from loom.testing.stores import contents_of
from tests.operations.conftest import Opener
from tests.operations.texts import (
    BREAD,
    DRAWS_5,
    DRAWS_7,
    DRAWS_9,
    ELSEWHERE,
    NIGHT,
    NIGHT_AGAIN,
    PLACES,
)


def test_a_closed_store_answers_nothing_and_says_so(opened: Opener) -> None:
    """Spec, errors: `StoreUnavailable`; closing twice does nothing."""
    store = opened()
    agent = store.agent("ada")
    agent.memory.set("k/a", NIGHT)
    store.close()
    store.close()

    calls: list[Callable[[], object]] = [
        lambda: agent.memory.set("k/b", ELSEWHERE),
        lambda: agent.memory.get("k/a"),
        agent.memory.list,
        lambda: agent.memory.search("pump"),
        lambda: agent.memory.history("k/a"),
        lambda: agent.memory.delete("k/a"),
        lambda: agent.memory.bulk_set([{"memory_key": "k/b", "value": 1}]),
        lambda: agent.blacklist.add("hunter2"),
        agent.namespace.stats,
    ]
    for call in calls:
        with pytest.raises(StoreUnavailable) as caught:
            call()
        assert caught.value.code == "STORE_UNAVAILABLE"


def test_two_stores_in_memory_share_nothing(opened: Opener, backend: str) -> None:
    """Design rule 17: `:memory:` is never shared; two files are two stores."""
    one, other = opened(), opened()
    one.agent("ada").memory.set("k/a", NIGHT)

    assert other.agent("ada").memory.get("k/a") is None
    assert one.capabilities().backend == backend
    assert (one.capabilities().embedder, one.capabilities().dimension) == ("chosen-1", 256)


@pytest.mark.parametrize("url", ["nosuch://x", "redis://localhost", ""])
def test_a_url_that_names_no_backend_is_an_invalid_request(url: str) -> None:
    """Spec, errors: what cannot be opened is named."""
    with pytest.raises(InvalidRequest):
        loom.open(url)


def _file(path: Path, **options: Any) -> loom.Loom:
    given: dict[str, Any] = {
        "embedder": ChosenEmbedder(PLACES),
        "clock": FakeClock(),
        "ids": SeededIds(),
        **options,
    }
    return loom.open(path, **given)


def test_a_store_opened_again_holds_and_judges_as_before(tmp_path: Path) -> None:
    """R-38, R-16: every version, audit row, pattern and vector."""
    path = tmp_path / "m.duckdb"
    with _file(path) as store:
        agent = store.agent("ada")
        agent.memory.set("pump/hours", NIGHT, tags=["t"], metadata={"b": 1, "a": [None]})
        agent.memory.set("k/copy", NIGHT_AGAIN)
        agent.memory.set("k/5", DRAWS_5)
        agent.memory.set("k/9", DRAWS_9)
        agent.memory.pin("ana/soup", BREAD)
        agent.memory.set("k/gone", ELSEWHERE)
        agent.memory.delete("k/gone")
        agent.blacklist.add("hunter2")
        rows = agent.memory.list(status="*").items
        history = agent.memory.history("k/gone")
        hits = agent.memory.search(NIGHT)
        held = contents_of(store)
    with _file(path, ids=SeededIds(1)) as store:
        agent = store.agent("ada")
        again = contents_of(store)
        # What was read first is entered when the store is closed.
        read = set(again["audit"] - held["audit"])
        assert {**again, "audit": again["audit"] - read} == held
        assert all("'first_read'" in entry for entry in read)
        assert agent.memory.list(status="*").items == rows
        assert agent.memory.history("k/gone") == history
        assert agent.memory.search(NIGHT) == hits
        assert agent.memory.set("k/7", DRAWS_7, dry_run=True).conflict_verdict == "conflict"
        assert agent.memory.restore("k/gone").count == 1
        versions = [v.version for v in agent.memory.history("k/gone")]
        assert versions == sorted(set(versions), reverse=True)


def test_another_embedder_is_refused_with_the_remedy(tmp_path: Path) -> None:
    """R-40: a store records its embedder's name and dimension."""
    path = tmp_path / "m.duckdb"
    _file(path).close()

    with pytest.raises(EmbedderMismatch) as caught:
        _file(path, embedder=ChosenEmbedder(name="another-1"))
    assert "reembed" in caught.value.message
    assert caught.value.details == {"recorded": "chosen-1", "given": "another-1"}


def test_only_so_many_peers_are_judged_and_the_same_words_are_found_beyond(
    opened: Opener,
) -> None:
    """R-32, R-12: the nearest by a setting; a canonical match wherever it lies."""
    texts = [f"The mill grinds {n} tons a day." for n in range(1, 9)]
    places = {text: ("mill", i / 100) for i, text in enumerate(texts)}
    store = opened(settings=Settings(max_peers_judged=2), embedder=ChosenEmbedder(places))
    agent = store.agent("ada")
    for text in texts[1:]:
        agent.memory.set(f"mill/{text.split()[3]}", text)
    nearest = agent.memory.set("mill/1", texts[0], dry_run=True)
    far = agent.memory.set("mill/y", "the mill grinds 8 TONS a day", dry_run=True)

    assert [peer.memory_key for peer in nearest.peers] == ["mill/2", "mill/3"]
    assert nearest.conflict_verdict == "conflict"
    assert (far.conflict_verdict, far.merged_into_key) == ("merge", "mill/8")
