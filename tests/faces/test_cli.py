"""The command line: answers, JSON, errors and exit codes, as a script sees them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import loom as library
from loom.faces.cli.app import exit_code_of, loom
from loom.model.readable import Readable

FACT = "The ferry to Aran leaves from pier 3 at noon."


class Shell:
    """Runs commands against one store."""

    def __init__(self, store: Path) -> None:
        self.store = store

    def __call__(self, *arguments: str, stdin: str | None = None) -> Result:
        env = {"LOOM_STORE": str(self.store)}
        return CliRunner().invoke(loom, list(arguments), env=env, input=stdin)

    def json(self, *arguments: str, stdin: str | None = None) -> Any:
        result = self(*arguments, "--json", stdin=stdin)
        assert result.exit_code == 0, result.stderr
        return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "memory.duckdb")


def test_what_is_set_is_got_found_listed_and_deleted(shell: Shell) -> None:
    """Design: the daily commands of the command line."""
    [out] = shell.json("set", "trip/ferry", FACT, "--tag", "kind:plan", "--ttl", "3600")
    assert out["conflict_verdict"] == "clear"

    [row] = shell.json("get", "trip/ferry")
    assert (row["value"], row["tags"]) == (FACT, ["kind:plan"])
    assert row["content_sha256"] == out["content_sha256"]
    assert row["expires_at"].endswith("+00:00")
    [found] = shell.json("search", "when does the ferry leave")
    assert [hit["memory_key"] for hit in found["hits"]] == ["trip/ferry"]
    assert [r["memory_key"] for r in shell.json("list", "--prefix", "trip")] == [
        "trip/ferry"
    ]

    assert shell.json("delete", "trip/ferry")[0]["count"] == 1
    assert shell("get", "trip/ferry").exit_code == 1
    assert shell.json("restore", "trip/ferry")[0]["rows"][0]["status"] == "active"
    events = [version["event"] for version in shell.json("history", "trip/ferry")]
    assert events == ["restored", "deleted", "created"]
    [stats] = shell.json("stats")
    assert (stats["memories"], stats["versions"]) == (1, 3)


def test_a_person_gets_tables_in_which_values_are_not_markup(shell: Shell) -> None:
    """Design: readable tables; a value with brackets is shown as it is."""
    shell("set", "a/b", "[bold]The gate[/bold] opens at 9:30 on Monday. [/]")

    assert (
        "[bold]The gate[/bold] opens at 9:30 on Monday. [/]" in shell("get", "a/b").stdout
    )
    conflict = shell("set", "a/c", "[bold]The gate[/bold] opens at 9:45 on Monday. [/]")
    assert "conflict" in conflict.stdout
    assert "9:45 / 9:30" in conflict.stdout
    for command in (["list"], ["history", "a/b"], ["search", "gate"], ["stats"]):
        result = shell(*command)
        assert result.exit_code == 0, result.stderr
        assert not result.stdout.startswith("{")


def test_a_value_may_be_json_or_come_from_standard_input(shell: Shell) -> None:
    """R-10: a value is any JSON value."""
    shell("set", "a", '{"x": [1, 2.5, null]}', "--json-value")
    shell("set", "b", "-", stdin="first line\nsecond line\n")

    assert shell.json("get", "a")[0]["value"] == {"x": [1, 2.5, None]}
    assert shell.json("get", "b")[0]["value"] == "first line\nsecond line"


def test_a_dry_run_writes_nothing(shell: Shell) -> None:
    """R-35."""
    assert shell.json("set", "a", FACT, "--dry-run")[0]["dry_run"] is True
    assert shell("get", "a").exit_code == 1


def test_a_pin_stands_and_says_so(shell: Shell) -> None:
    """R-42: a pinned row refuses; the exit code says refused."""
    shell("set", "a", FACT)
    assert shell.json("pin", "a")[0]["pinned"] is True

    refused = shell("set", "a", "The ferry to Aran leaves from pier 4 at noon.")

    assert refused.exit_code == 1
    assert refused.stderr.startswith("loom: The row under 'a' is pinned")
    assert refused.stdout == ""


def test_a_blacklist_can_be_kept(shell: Shell) -> None:
    """R-43, from the command line."""
    shell("set", "old", "the word is swordfish today")
    [added] = shell.json("blacklist", "add", "swordfish", "--reason", "secret", "--sweep")
    assert added["sweep"]["swept"] == 1
    assert shell("set", "new", "swordfish again and again").exit_code == 1
    [listed] = shell.json("blacklist", "list")
    assert listed["pattern_id"] == added["pattern"]["pattern_id"]
    assert "swordfish" in shell("blacklist", "list").stdout

    assert shell("blacklist", "remove", listed["pattern_id"]).exit_code == 0
    assert shell("set", "new", "swordfish again and again").exit_code == 0
    assert shell("blacklist", "sweep").exit_code == 0
    assert shell("blacklist", "remove", "no-such-id").exit_code == 1


def test_an_abstention_is_an_answer(shell: Shell) -> None:
    """R-53: nothing relevant is no error."""
    shell("set", "a", FACT)
    result = shell("search", "quantum chromodynamics")

    assert result.exit_code == 0
    assert "NOTHING_RELEVANT" in result.stdout


@pytest.mark.parametrize(
    "arguments, code",
    [
        (["get", "no/such/key"], 1),
        (["delete", "no/such/key"], 1),
        (["restore", "no/such/key"], 1),
        (["history", "no/such/key"], 1),
        (["pin", "no/such/key"], 1),
        (["set", "two words", "x"], 2),
        (["set", "a", "{", "--json-value"], 2),
        (["set", "a", "x", "--confidence", "7"], 2),
        (["set", "a", "x", "--confidence", "much"], 2),
        (["set", "a", "x", "--valid-at", "yesterday"], 2),
        (["set", "a", "x", "--org", "*"], 2),
        (["set", "a", "x", "--user", "*"], 2),
        (["set", "a"], 2),
        (["get", "a", "--embedder", "clouds"], 2),
        (["list", "--status", "lost"], 2),
        (["list", "--cursor", "forged"], 2),
        (["search", "x", "--top-k", "0"], 2),
        (["frobnicate"], 2),
        (["import", "no-such-file.jsonl"], 2),
        (["reembed"], 2),
        (["blacklist", "add", "   "], 2),
        (["get", "a", "--store", "no/such/store.duckdb"], 3),
        (["set", "a", "x", "--embedder", "minilm"], 3),
    ],
    ids=str,
)
def test_exit_codes_tell_scripts_what_happened(
    shell: Shell, arguments: list[str], code: int
) -> None:
    """Design: 1 refused or not found, 2 a malformed call, 3 the store; never a traceback."""
    shell("set", "first", FACT)

    result = shell(*arguments)

    assert result.exit_code == code, result.output
    assert result.stdout == "" or arguments[0] == "delete"
    assert "Traceback" not in result.output
    if arguments[0] != "delete":
        assert result.stderr


def test_every_error_has_an_exit_code() -> None:
    """Design: the classes of spec.md, each told apart as far as a script needs."""
    for name in library.errors.__all__:
        assert exit_code_of(getattr(library.errors, name)("x")) in (1, 2, 3)
    assert exit_code_of(library.errors.ValueTooLarge("x")) == 2
    assert exit_code_of(library.errors.Blacklisted("x")) == 1
    assert exit_code_of(library.errors.StoreLocked("x")) == 3
    assert exit_code_of(library.errors.EmbeddingFailed("x")) == 3


def test_a_store_opens_with_the_embedder_it_was_written_with(
    shell: Shell, need: Any
) -> None:
    """R-40: reembed changes the embedder, and later calls need not name it."""
    need("onnxruntime")
    shell("set", "a", FACT)

    [changed] = shell.json("reembed", "--embedder", "minilm")

    assert (changed["before"], changed["contents"]) == ("lexical-1", 1)
    assert shell.json("stats")[0]["embedder"].startswith("minilm")
    assert shell.json("search", "boat to the island")[0]["hits"]
    refused = shell("get", "a", "--embedder", "lexical")
    assert refused.exit_code == 3
    assert "loom reembed" in refused.stderr


def test_identities_are_kept_apart(shell: Shell) -> None:
    """R-04: a user's rows are that user's."""
    shell("set", "a", FACT, "--user", "ana")

    assert shell("get", "a", "--user", "ben").exit_code == 1
    assert shell("get", "a").exit_code == 1
    assert shell("get", "a", "--user", "ana").exit_code == 0
    assert shell("get", "a", "--user", "*").exit_code == 0
    assert shell.json("stats")[0]["memories"] == 1
    assert shell.json("stats", "--user", "ben")[0]["memories"] == 0


def test_lists_and_searches_are_narrowed_and_ordered(shell: Shell) -> None:
    """A-172 to A-183: tags, entities and files, liked and unliked tags, the order."""
    about = ("--entity", "The Ferries", "--file", "./piers/3.md")
    shell("set", "b", "The ferry leaves from pier 3.", "--tag", "plan", *about)
    shell("set", "a", "The ferry comes to pier 4 at night.", "--tag", "old")

    def keys(*arguments: str) -> list[str]:
        return [row["memory_key"] for row in shell.json("list", *arguments)]

    def hits(*arguments: str) -> list[str]:
        [found] = shell.json("search", "ferry pier", *arguments)
        return [hit["memory_key"] for hit in found["hits"]]

    both = ("--tag", "plan", "--tag", "old")
    assert keys() == ["a", "b"]
    assert keys("--order", "oldest") == ["b", "a"]
    assert keys("--order", "newest") == ["a", "b"]
    assert keys(*both) == []
    assert keys(*both, "--tags-match", "any") == ["a", "b"]
    assert keys("--entity", "ferry") == keys("--file", "piers/3.md") == ["b"]
    assert hits("--entity", "ferry") == hits("--tag", "plan") == ["b"]
    assert sorted(hits(*both, "--tags-match", "any")) == ["a", "b"]
    assert hits("--demote-tag", "old") == hits("--soft-tag", "plan") == ["b", "a"]
    assert hits("--demote-tag", "plan") == ["a", "b"]
    flags = ("--include-duplicates", "--include-superseded", "--include-proposed")
    assert sorted(hits(*flags)) == ["a", "b"]
    assert shell("list", "--order", "random").exit_code == 2
    assert shell("set", "c", "x", "--file", "/etc/hosts").exit_code == 2


def test_a_cut_list_says_how_to_go_on(shell: Shell) -> None:
    """R-55: an answer that does not hold everything says so."""
    for name in ("a", "b", "c"):
        shell("set", name, f"The {name} boat is painted {name * 4}.")

    first = shell("list", "--limit", "2", "--json")

    cursor = first.stderr.split()[-1]
    assert len(first.stdout.splitlines()) == 2
    assert [r["memory_key"] for r in shell.json("list", "--cursor", cursor)] == ["c"]


def test_help_names_every_command_and_the_exit_codes(shell: Shell) -> None:
    """Design: help is enough to begin."""
    said = shell("--help").stdout

    for name in (
        *("set", "get", "search", "history", "list", "delete", "restore", "pin"),
        *("blacklist", "import", "export", "stats", "reembed", "quickstart"),
    ):
        assert f"  {name} " in said
    assert "Exit codes" in said


def test_quickstart_shows_each_verdict_and_an_abstention(tmp_path: Path) -> None:
    """Issue, the main job: learned, restated, merged, contradicted, revised, pinned,
    refused, deleted and restored, then asked, then the history.
    """
    store = tmp_path / "tour.duckdb"
    result = CliRunner().invoke(loom, ["quickstart", "--store", str(store)])

    assert result.exit_code == 0, result.stderr
    for word in (
        *("clear", "restated", "merge", "conflict", "PINNED_CONFLICT", "BLACKLISTED"),
        *("deleted", "restored", "nothing is served", "NOTHING_RELEVANT", "revised"),
    ):
        assert word in result.stdout
    assert "Traceback" not in result.output
    assert store.exists()


def test_quickstart_is_the_store_s_own_answers(tmp_path: Path) -> None:
    """Design: no canned output: the steps' answers are records of real calls."""
    store = str(tmp_path / "tour.duckdb")
    result = CliRunner().invoke(loom, ["quickstart", "--json", "--store", store])
    steps = [json.loads(line) for line in result.stdout.splitlines()]

    verdicts = [s["answer"].get("conflict_verdict") for s in steps if s["answer"]]
    assert {"clear", "restated", "merge", "conflict"} <= set(verdicts)
    with library.open(store) as opened:
        agent = opened.agent("concierge", org="demo", namespace="quickstart")
        assert steps[-1]["answer"]["memories"] == agent.namespace.stats().memories


def test_the_program_runs_as_a_module(tmp_path: Path) -> None:
    """Design: `python -m loom` in a process of its own, with codes and streams apart."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        store = ["--store", str(tmp_path / "m.duckdb")]
        command = [sys.executable, "-m", "loom", *arguments, *store]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert run("set", "a", FACT).returncode == 0
    assert json.loads(run("get", "a", "--json").stdout)["value"] == FACT
    missing = run("get", "b")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert missing.stderr == "loom: nothing is served under b.\n"


def test_without_the_extra_it_says_what_to_install() -> None:
    """Design: the command line's packages are an extra, named where they are missing."""
    code = (
        "import sys; sys.modules['click'] = None\n"
        "import loom.__main__\n"
        "loom.__main__.main(['stats'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )

    assert done.returncode == 2
    assert "pip install 'loom-agent-memory[cli]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_json_has_the_fields_of_the_answers(shell: Shell) -> None:
    """Design: stable field names: those of the library's own answers."""
    [out] = shell.json("set", "a", FACT)
    with library.open(str(shell.store)) as store:
        row = store.agent("cli").memory.get("a")
    assert isinstance(row, Readable)
    assert set(shell.json("get", "a")[0]) == set(row)
    assert set(out) >= {"memory_key", "memory_id", "version", "status", "conflict_verdict"}
