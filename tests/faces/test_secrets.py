"""A secret is shown by `get` alone, whichever face is asked."""

from __future__ import annotations

import asyncio
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner, Result

import loom as library
from loom import Datapack
from loom.errors import LoomError
from loom.faces.cli.app import loom
from loom.faces.display import plain
from loom.model.json_values import freeze, sha256_of
from loom.model.readable import Readable

KEY: Final = "door/code"
SECRET: Final = "The side door opens with the word marzipan."
NEXT: Final = "The side door opens with the word nougat."
WORDS: Final = ("marzipan", "nougat", sha256_of(freeze(SECRET)), sha256_of(freeze(NEXT)))


class Shell:
    """Runs commands against one store."""

    def __init__(self, store: Path) -> None:
        self.store = store

    def __call__(self, *arguments: str, stdin: str | None = None) -> Result:
        env = {"LOOM_STORE": str(self.store), "NO_COLOR": "1"}
        return CliRunner().invoke(loom, list(arguments), env=env, input=stdin)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A secret, what it said before, a claim on trial for it, and two that contradict."""
    path = tmp_path / "memory.duckdb"
    with library.open(path) as store:
        memory = store.agent("cli").memory
        memory.set(KEY, SECRET)
        memory.set(KEY, SECRET, sensitivity="high", tags=["door"])
        memory.set(KEY, NEXT, proposed=True)
        memory.set("pump/a", "The pump draws 5 kW at night.")
        memory.set("pump/b", "The pump draws 9 kW at night.")
    return Shell(path)


def _shows(text: str) -> list[str]:
    return [word for word in WORDS if word in text]


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize(
    "arguments",
    [
        ("list", "--status", "*"),
        ("list", "--tag", "door"),
        ("history", KEY, "--all-agents"),
        ("search", "side door word marzipan"),
        ("search", "nougat", "--explain"),
        ("export", "--history"),
        ("conflicts", "list"),
        ("delete", KEY),
        ("apply", "delete", "--everything"),
        ("apply", "lock", "--everything", "--reason", "x", "--yes"),
        ("blacklist", "sweep"),
        ("namespace", "audit", "--unread-for-days", "0"),
        ("namespace", "validate"),
        ("namespace", "stats"),
        ("set", "k/x", "The side door opens with a word.", "--dry-run"),
        ("set", KEY, "x", "--if-match", "0" * 64),
        ("pin", KEY),
        ("reject", KEY),
    ],
)
def test_no_command_but_get_shows_it(
    shell: Shell, arguments: tuple[str, ...], *, as_json: bool
) -> None:
    """R-46: neither the value nor a hash of it, on neither stream."""
    result = shell(*arguments, *(["--json"] if as_json else []))
    shown = result.stdout + result.stderr
    assert _shows(shown) == []
    if arguments[0] == "list" and not as_json:
        assert "kept as secret" in shown


def test_get_shows_it(shell: Shell) -> None:
    """A-60."""
    assert SECRET in shell("get", KEY).stdout
    assert json.loads(shell("get", KEY, "--json").stdout)["value"] == SECRET


def test_an_export_tells_what_it_leaves_out(shell: Shell, tmp_path: Path) -> None:
    """R-46, R-55: no silent gaps."""
    result = shell("export", str(tmp_path / "out.jsonl"), "--history")
    assert "2 kept as secret were left out" in result.stderr
    assert _shows((tmp_path / "out.jsonl").read_text()) == []


def test_a_review_hides_it(shell: Shell) -> None:
    """R-46: a person decides by key, without its value."""
    result = shell("review", "--all-users", stdin="s\ns\nq\n")
    assert "kept as secret" in result.stdout
    assert _shows(result.stdout + result.stderr) == []


def test_the_asynchronous_face_hides_it(shell: Shell) -> None:
    """R-46: the same operations behind another face."""

    async def everything() -> list[Any]:
        async with Datapack(org="dev", namespace="local", store=str(shell.store)) as dp:
            memory = dp.agent("cli").memory
            rows = (await memory.list(status="*")).items
            shown: list[Any] = [
                rows,
                [await memory.get_by_id(row.memory_id) for row in rows],
                await memory.history(KEY, agent_id="*"),
                await memory.search("marzipan", include_proposed=True),
                await dp.agent("cli").conflicts.list(),
                dp,
                dp.agent("cli"),
            ]
            row = await memory.get(KEY)
            assert row is not None
            assert row.value == SECRET
            return shown

    for one in asyncio.run(everything()):
        found = _shows(repr(one)) + _shows(str(one))
        assert found == []


def _answers(shell: Shell) -> Iterator[Readable]:
    with library.open(shell.store) as store:
        agent = store.agent("cli")
        yield agent.memory.list(status="*")
        yield agent.memory.list().items[0]
        yield from agent.memory.history(KEY)
        yield agent.conflicts.list()
        yield agent.namespace.export(history=True)
        yield agent.memory.lock(KEY, reason="x")
        yield agent.memory.apply("delete", everything=True)
        yield agent.memory.unlock(KEY)
        proposal = agent.memory.list(status="proposed").items[0]
        yield agent.memory.proposal_decide(proposal.memory_id, "accept")
        yield agent.memory.delete(KEY)
        yield agent.memory.restore(KEY)


def test_a_notebook_s_tables_and_its_mappings_hide_it(shell: Shell) -> None:
    """R-46: an answer reads as a value, as a mapping, as a table and as JSON."""
    for answer in _answers(shell):
        shown = (repr(answer), answer._repr_html_(), json.dumps(plain(answer)))
        assert [_shows(text) for text in shown] == [[], [], []], type(answer).__name__


def test_an_error_that_crosses_processes_hides_it(shell: Shell) -> None:
    """Errors: a message never contains a stored value; nor a secret's hash."""
    with library.open(shell.store) as store:
        memory = store.agent("cli").memory
        memory.pin(KEY)
        with pytest.raises(LoomError) as caught:
            memory.set(KEY, "x")
    again = pickle.loads(pickle.dumps(caught.value))
    assert _shows(repr(again) + str(again) + repr(again.details)) == []
