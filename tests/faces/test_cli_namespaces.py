"""`loom namespace` and `loom calibration`, as a script and a person see them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from loom.faces.cli.app import loom

TAGS = '{"case": {"dedup": false, "retention_days": 30}}'


class Shell:
    """Runs commands against one store."""

    def __init__(self, store: Path) -> None:
        self.env = {"LOOM_STORE": str(store)}

    def __call__(self, *arguments: str, **env: str) -> Result:
        return CliRunner().invoke(loom, list(arguments), env={**self.env, **env})

    def json(self, *arguments: str, **env: str) -> Any:
        result = self(*arguments, "--json", **env)
        assert result.exit_code == 0, result.stderr
        return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "memory.duckdb")


def test_a_namespace_is_registered_read_cleared_and_listed(shell: Shell) -> None:
    """Issue 3, part 4."""
    [out] = shell.json(
        *("namespace", "register", "--policy", "newest_wins", "--tags", TAGS),
        *("--conflict-threshold", "0.8", "--description", "The lab."),
    )
    assert out["created"]
    assert out["settings"]["tag_registry"]["case"]["retention_days"] == 30
    assert shell.json("namespace", "register", "--policy", "newest_wins")[0]["noop"]
    [out] = shell.json(
        *("namespace", "register", "--clear", "tag_registry"),
        *("--clear", "conflict_threshold"),
    )
    assert sorted(out["changed"]) == ["conflict_threshold", "tag_registry"]
    [found] = shell.json("namespace", "get")
    assert (found["description"], found["tag_registry"]) == ("The lab.", {})
    assert found["default_conflict_policy"] == "newest_wins"
    shell.json("namespace", "register", "--namespace", "ops")
    listed = shell.json("namespace", "list")
    assert [row["namespace"] for row in listed] == ["local", "ops"]
    assert shell.json("namespace", "stats")[0]["memories"] == 0


def test_a_person_reads_what_holds(shell: Shell) -> None:
    done = shell("namespace", "register", "--tags", TAGS, "--policy", "append_only")
    assert "retention_days 30" in done.stdout
    assert "it said all of this already" in shell("namespace", "register").stdout
    assert "append_only" in shell("namespace", "list").stdout
    unsaid = shell("namespace", "get", "--namespace", "other").stdout
    assert "never registered" in unsaid
    told = shell("calibration").stdout
    assert "0.74 from embedder:lexical-1" in told


def test_the_calibration_is_told_with_its_figures(shell: Shell) -> None:
    """A-116, A-120: the switch of the environment reaches the command line."""
    shell.json("set", "k/a", "A first claim.", "--embedder", "minilm")
    [plain] = shell.json("calibration")
    assert plain["conflict_source"] == "embedder:minilm-l6-v2-int8"
    [found] = shell.json("calibration", "--type", "decision", LOOM_ADAPTIVE_THRESHOLDS="on")
    assert found["conflict_source"] == "adaptive:minilm-l6-v2-int8"
    assert found["distribution"]["sentences"] == 60
    shown = shell("calibration", LOOM_ADAPTIVE_THRESHOLDS="on").stdout
    assert "unrelated" in shown


@pytest.mark.parametrize(
    "arguments, said",
    [
        (("namespace", "register", "--tags", "[1]"), "no JSON object"),
        (("namespace", "register", "--tags", "{"), "no JSON object"),
        (("namespace", "register", "--policy", "newest"), "newest"),
        (("namespace", "register", "--conflict-threshold", "2"), "cosine from 0 to 1"),
        (
            ("namespace", "register", "--description", "x", "--clear", "description"),
            "both given and cleared",
        ),
        (("namespace", "register", "--tags", '{"a": {"b": 1}}'), "unknown"),
    ],
)
def test_a_malformed_call_is_told_in_a_sentence(
    shell: Shell, arguments: tuple[str, ...], said: str
) -> None:
    result = shell(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_store_that_is_not_there_is_not_made_by_a_read(shell: Shell) -> None:
    for command in (("namespace", "get"), ("namespace", "list"), ("calibration",)):
        assert shell(*command).exit_code == 3


def test_a_malformed_switch_is_a_malformed_call(shell: Shell) -> None:
    result = shell("namespace", "register", LOOM_ADAPTIVE_THRESHOLDS="perhaps")
    assert result.exit_code == 2
    assert "LOOM_ADAPTIVE_THRESHOLDS" in result.stderr
