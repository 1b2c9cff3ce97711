"""The source pages' own examples, read where they lie and run as they stand."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import loom

#: What the page says where ours says where the store is.
_SERVER = re.compile(r"base_url=[^\n]*\n\s*api_key=[^\n]*")


@pytest.fixture(params=["lexical", "minilm"])
def embedder(request: pytest.FixtureRequest, need: Callable[[str], ModuleType]) -> str:
    """Both embedders; the one with weights only where it is installed."""
    name: str = request.param
    if name == "minilm":
        need("onnxruntime")
    return name


def _first_example(page: str, store: Path, embedder: str) -> str:
    code = page[page.index("import asyncio\n") :]
    code = code[: code.index("asyncio.run(main())") + len("asyncio.run(main())")]
    ours = f"store={str(store)!r},\n        embedder={embedder!r},"
    code, replaced = _SERVER.subn(ours, code)
    assert replaced == 1
    return code


def test_the_first_example_runs_and_takes_its_conflict_branch(
    shared: Path, tmp_path: Path, embedder: str
) -> None:
    """A-347, A-348: with `store=` for the server's address; the probe answers conflict.

    The branch is what updates the first key, so the update shows that it ran.
    """
    page = (shared / "seeds" / "memory.txt").read_text()
    store = tmp_path / "memory.duckdb"

    exec(_first_example(page, store, embedder), {})

    with loom.open(store, embedder=embedder) as opened:
        agent = opened.agent("release-bot", org="acme", namespace="eng-tooling")
        (row,) = agent.memory.list().items
        history = agent.memory.history(row.memory_key)
    assert [version.event for version in history] == ["revised", "created"]
    assert row.value != history[1].value
    assert row.tags == history[1].tags != ()


def test_the_history_example_runs(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """B-251, B-351: `async with Agent(...)`, every writer's versions as mappings."""
    page = (shared / "seeds" / "history-and-provenance.txt").read_text()
    code = page[page.index("from loom import Agent\n") :]
    code = code[: code.index("\n\nA tombstone")].replace(
        'agent="auditor"', 'agent="auditor", store=STORE'
    )
    head, body = code.split("\n", 1)
    program = f"import asyncio\n{head}\nasync def main():\n{textwrap.indent(body, '    ')}\nasyncio.run(main())"
    store = tmp_path / "memory.duckdb"
    with loom.open(store) as opened:
        writer = opened.agent("writer", org="acme", namespace="support")
        key = re.findall(r'history\("([^"]+)"', code)[0]
        writer.memory.set(key, "The plan is billed once a year.")
        writer.memory.set(key, "The plan is billed every month.")
    given: dict[str, Any] = {"STORE": str(store)}

    exec(program, given)

    newest, first = capsys.readouterr().out.strip().splitlines()
    assert newest.endswith("process:local asserted The plan is billed every month.")
    assert first.endswith("process:local asserted The plan is billed once a year.")
