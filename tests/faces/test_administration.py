"""`loom apply`, `loom namespace audit|validate|sweep`, as a script and a person see them."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import loom as library
from loom.faces.cli.app import loom
from loom.settings import Settings


class Shell:
    """Runs commands against one store."""

    def __init__(self, store: Path) -> None:
        self.store = store

    def __call__(self, *arguments: str) -> Result:
        env = {"LOOM_STORE": str(self.store), "NO_COLOR": "1"}
        return CliRunner().invoke(loom, list(arguments), env=env)

    def lines(self, *arguments: str) -> list[Any]:
        result = self(*arguments, "--json")
        assert result.exit_code == 0, result.stderr
        return [json.loads(line) for line in result.stdout.splitlines()]

    def json(self, *arguments: str) -> Any:
        (one,) = self.lines(*arguments)
        return one


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A store with three memories of nobody's and one of Ana's."""
    path = tmp_path / "memory.duckdb"
    with library.open(path) as store:
        memory = store.agent("ada").memory
        memory.set("plan/launch", "The launch is in May.", tags=["new"])
        memory.set("plan/launch-v2", "Lamps are counted twice.", tags=["new", "Kind:x"])
        memory.set("tea/green", "Green tea is kept dry.", confidence=0.8)
        ana = store.agent("bob", user_id="ana").memory
        ana.set("plan/trip", "Ana sails north.", tags=["new"])
    return Shell(path)


def test_nothing_is_changed_until_yes_is_said(shell: Shell) -> None:
    """Issue 3, part 4."""
    shown = shell("apply", "delete", "--prefix", "plan")
    assert shown.stdout.splitlines() == [
        "plan/launch",
        "plan/launch-v2",
        "2 chosen, 0 changed. Nothing was changed: --yes would delete 2.",
    ]
    assert shell("get", "plan/launch").exit_code == 0

    done = shell("apply", "delete", "--prefix", "plan", "--yes")
    assert done.stdout.splitlines()[-1] == "2 chosen, 2 changed."
    assert shell("get", "plan/launch").exit_code == 1
    assert shell("get", "tea/green").exit_code == 0


@pytest.mark.parametrize(
    "arguments, field, value",
    [
        (("label", "--add-tag", "seen", "--remove-tag", "new"), "tags", ["Kind:x", "seen"]),
        (("demote", "--factor", "0"), "confidence", 0.0),
        (("demote",), "confidence", 0.5),
        (("lock", "--reason", "kept", "--mode", "no_delete"), "lock_mode", "no_delete"),
    ],
)
def test_each_action_has_its_options(
    shell: Shell, arguments: tuple[str, ...], field: str, value: Any
) -> None:
    """A zero is a number that was given."""
    chosen = ("--tag", "new", "--tag", "Kind:x", "--yes")
    out = shell.json("apply", *arguments, *chosen)
    assert (out["changed"], out["memory_keys"]) == (1, ["plan/launch-v2"])
    assert shell.json("get", "plan/launch-v2")[field] == value


def test_any_tag_every_user_and_a_date_choose(shell: Shell) -> None:
    either = ("apply", "label", "--add-tag", "x", "--tag", "Kind:x", "--tag", "new")
    assert shell.json(*either)["matched"] == 1
    assert shell.json(*either, "--tags-match", "any")["matched"] == 2
    assert shell.json(*either, "--tags-match", "any", "--all-users")["matched"] == 3
    before = ("--updated-before", "2001-01-01T00:00:00Z")
    assert shell.json("apply", "delete", *before)["matched"] == 0


def test_it_goes_on_over_the_store_s_cap(shell: Shell) -> None:
    """R-55: in a terminal as one run; for a script a line a run."""
    with library.open(shell.store) as store:
        entries = [{"memory_key": f"n/{n}", "value": n} for n in range(25)]
        store.agent("ada").memory.bulk_set(entries)
    cap = Settings().sweep_cap
    assert cap >= 25
    out = shell.lines("apply", "demote", "--prefix", "n", "--yes")
    assert [(one["changed"], one["cursor"]) for one in out] == [(25, None)]


@pytest.mark.parametrize(
    "arguments, said",
    [
        (("delete",), "no filter is given"),
        (("delete", "--yes"), "no filter is given"),
        (("label", "--prefix", "plan"), "add_tags"),
        (("lock", "--prefix", "plan"), "reason"),
        (("demote", "--prefix", "plan", "--factor", "2"), "factor"),
        (("demote", "--prefix", "plan", "--reason", "x"), "an option of lock"),
        (("delete", "--prefix", "plan", "--add-tag", "x"), "an option of label"),
        (("purge", "--prefix", "plan"), "purge"),
    ],
)
def test_a_malformed_call_is_told_in_a_sentence(
    shell: Shell, arguments: tuple[str, ...], said: str
) -> None:
    """P09: an error, not a wipe."""
    result = shell("apply", *arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert shell("apply", "delete", "--everything").stdout.startswith("plan/launch\n")


def test_what_a_lock_keeps_is_told(shell: Shell) -> None:
    """R-42."""
    shell.json("apply", "lock", "--prefix", "tea", "--reason", "kept", "--yes")
    told = shell("apply", "delete", "--everything", "--yes")
    assert "3 chosen, 2 changed" in told.stdout
    assert "tea/green" in told.stderr


def test_an_audit_tells_what_to_do(shell: Shell) -> None:
    """Issue 3, part 4: of every user's memories, unless one is named."""
    out = shell.json("namespace", "audit", "--unread-for-days", "0")
    assert out["examined"] == 4
    assert out["counts"] == {"never_read": 4, "numbered_copies": 1}
    named = [f for f in out["findings"] if f["code"] == "numbered_copies"]
    assert [(f["memory_key"], f["related"]) for f in named] == [
        ("plan/launch-v2", ["plan/launch"])
    ]
    assert shell.json("namespace", "audit", "--user", "ana")["examined"] == 2 + 2

    shown = shell("namespace", "audit", "--limit", "1").stdout
    assert "4 memories looked at: 1 numbered_copies." in shown
    assert "plan/launch-v2" in shown


def test_a_read_at_the_command_line_is_remembered(shell: Shell) -> None:
    """Decision 0015: each command is a process of its own."""
    shell("get", "tea/green")
    out = shell.json("namespace", "audit", "--unread-for-days", "0")
    assert out["counts"]["never_read"] == 3


def test_a_sound_store_is_told_to_be_sound(shell: Shell) -> None:
    assert "4 memories looked at: nothing found." in shell("namespace", "validate").stdout
    out = shell.json("namespace", "validate")
    assert (out["examined"], out["counts"], out["findings"]) == (4, {}, [])


def test_a_sweep_tells_what_it_ended(shell: Shell) -> None:
    shell("set", "tea/black", "Black tea ends soon.", "--ttl", "0.05")
    time.sleep(0.1)
    out = shell.json("namespace", "sweep")
    assert (out["swept"], out["swept_keys"]) == (1, ["tea/black"])
    assert "0 tombstoned" in shell("namespace", "sweep").stdout
