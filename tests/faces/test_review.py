"""Deciding at the command line: the queue for a person, the commands for a script."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import loom as library
from loom.faces.cli.app import loom

PAIRS = [
    ("home", "I live in Delhi", "I moved to Berlin last spring"),
    ("db", "The billing service runs on Postgres 14.", "We moved billing to Postgres 16."),
    ("price", "The licence costs $40 a month.", "The licence now costs $55 a month."),
]
ODD: list[Any] = [
    "an emoji \U0001f389 and a bell \x07 and \x1b[31m red",
    "right to left \u202e txet",
    {"nested": {"list": [1, 2.5, None]}},
    "long " * 3_000 + "end",
    True,
]


class Shell:
    """Runs commands against one store."""

    def __init__(self, store: Path) -> None:
        self.store = store

    def __call__(self, *arguments: str, stdin: str | None = None) -> Result:
        env = {"LOOM_STORE": str(self.store), "NO_COLOR": "1"}
        return CliRunner().invoke(loom, list(arguments), env=env, input=stdin)

    def json(self, *arguments: str) -> Any:
        result = self(*arguments, "--json")
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A store with more than thirty contradictions and one proposal."""
    path = tmp_path / "memory.duckdb"
    with library.open(path) as store:
        ada = store.agent("ada", user_id="ana").memory
        bob = store.agent("bob", user_id="ana").memory
        for name, old, new in PAIRS:
            ada.set(f"{name}/a", old)
            bob.set(f"{name}/b", new)
        for n in range(28):
            ada.set(f"setting/{n:02}", n)
            odd = ODD[n % len(ODD)]
            bob.set(f"setting/{n:02}", odd if n < len(ODD) else {"is": odd, "of": n})
        ada.set("diet", "I eat no meat at all", proposed=True)
    return Shell(path)


@pytest.fixture
def opened(shell: Shell) -> Iterator[library.AgentHandle]:
    with library.open(shell.store) as store:
        yield store.agent("ada", user_id="ana")


USER = ("--user", "ana")


def test_a_queue_shows_one_pair_at_a_time_with_both_sides_and_reasons(shell: Shell) -> None:
    """Issue 3, part 2: both sides, their dates, writers and the reasons."""
    shown = shell("review", *USER, "--prefix", "home", stdin="q\n")

    assert shown.exit_code == 0, shown.output
    assert "Contradiction 1 of 1" in shown.stdout
    for part in ("I live in Delhi", "I moved to Berlin", "ada", "bob", "written", "Why:"):
        assert part in shown.stdout
    assert "0 not looked at" not in shown.stdout


@pytest.mark.parametrize("key", ["1", "2"])
def test_one_side_is_kept_with_a_reason(shell: Shell, key: str) -> None:
    """R-60: the other one is deleted; the reason is kept in the history."""
    done = shell("review", *USER, "--prefix", "home", stdin=f"{key}\nasked her\n")

    assert "1 kept one; 0 not looked at" in done.stdout
    rows = shell.json("list", *USER, "--prefix", "home")
    assert len([rows] if isinstance(rows, dict) else rows) == 1
    with library.open(shell.store) as store:
        agent = store.agent("ada", user_id="ana")
        reasons = {
            version.event_reason
            for name in ("home/a", "home/b")
            for version in agent.memory.history(name, agent_id="*")
        }
    assert "asked her" in reasons


def test_both_are_kept_or_one_is_rewritten(shell: Shell) -> None:
    """R-60: allow, and revise with a value."""
    both = shell("review", *USER, "--prefix", "price", stdin="b\n\n")
    assert "1 kept both" in both.stdout
    edit = shell("review", *USER, "--prefix", "db", stdin="e\n1\nBilling runs on 16.\n\n")
    assert "1 rewritten" in edit.stdout
    with library.open(shell.store) as store:
        agent = store.agent("ada", user_id="ana")
        values = [row.value for row in agent.memory.list(prefix="db").items]
        assert values == ["Billing runs on 16."]
        assert {row.status for row in agent.memory.list(prefix="price").items} == {"active"}


def test_the_last_deletion_is_undone(shell: Shell) -> None:
    """R-61: it comes back, in conflict as before."""
    done = shell("review", *USER, "--prefix", "setting", stdin="1\n\nu\nq\n")
    assert "1 undone, to be reviewed again, 0 not" not in done.stdout
    assert "1 undone, to be reviewed again; 27 not looked at" in done.stdout
    assert len(shell.json("conflicts", "list", *USER)["items"]) == 31


def test_the_whole_queue_can_be_worked_through(shell: Shell) -> None:
    """Odd values are shown safely: escaped, cut, never markup."""
    done = shell("review", *USER, "--only", "conflicts", stdin="f\n1\n\n" + "2\n\n" * 40)

    assert done.exit_code == 0, done.output
    assert "31 kept one; 0 not looked at" in done.stdout
    assert "\x07" not in done.stdout
    assert "\u202e" not in done.stdout
    assert "\\u202e" in done.stdout
    assert shell.json("conflicts", "list", *USER)["items"] == []


def test_a_proposal_is_taken_or_turned_down(shell: Shell) -> None:
    """R-23."""
    done = shell("review", *USER, "--only", "proposals", stdin="a\nseen\n")
    assert "Its key holds nothing now." in done.stdout
    assert "1 accepted" in done.stdout
    [row] = [
        json.loads(x) for x in shell("get", "diet", *USER, "--json").stdout.splitlines()
    ]
    assert row["value"] == "I eat no meat at all"


def test_what_is_settled_meanwhile_is_passed_over(shell: Shell) -> None:
    """A pair whose side went with an earlier decision does not come again."""
    with library.open(shell.store) as store:
        store.agent("cyd", user_id="ana").memory.set("setting/00", "a third value")
    done = shell("review", *USER, "--prefix", "setting/00", stdin="1\n\n1\n\n1\n\n")
    assert "settled already" in done.stdout


def test_help_and_nonsense_decide_nothing(shell: Shell) -> None:
    done = shell("review", *USER, "--prefix", "home", stdin="?\nx\n\nq\n")
    assert "the row of that number stands" in done.stdout
    assert "Press one of" in done.stdout
    assert "Nothing decided; 1 not looked at" in done.stdout


def test_an_empty_queue_says_so(shell: Shell) -> None:
    assert "Nothing waits" in shell("review", "--user", "nobody-else").stdout


def test_a_script_lists_and_resolves(shell: Shell) -> None:
    """R-60, in JSON and as tables."""
    page = shell.json("conflicts", "list", *USER, "--prefix", "home")
    [pair] = page["items"]
    ids = pair["row"]["memory_id"], pair["peer"]["memory_id"]

    tried = shell.json("conflicts", "resolve", *ids, "--action", "contract", "--dry-run")
    assert (tried["dry_run"], tried["status"]) == (True, "tombstoned")
    done = shell("conflicts", "resolve", *ids, "--action", "allow", "--reason", "both")
    assert done.exit_code == 0, done.output
    again = shell("conflicts", "resolve", *ids, "--action", "allow")
    assert (again.exit_code, "not in conflict" in again.stderr) == (1, True)
    table = shell("conflicts", "list", *USER, "--limit", "2")
    assert "There are more" in table.stdout


def test_a_script_decides_and_rejects(shell: Shell) -> None:
    """R-23, A-154."""
    shell("set", "trip/plan", "We leave at noon from pier 3.", "--proposed")
    [row] = [
        json.loads(line)
        for line in shell("list", "--status", "proposed", "--json").stdout.splitlines()
    ]
    decided = shell.json("decide", row["memory_id"], "accept")
    assert decided["status"] == "active"
    rejected = shell.json("reject", "trip/plan", "--reason", "wrong pier")
    assert rejected["status"] == "rejected"
    assert shell("reject", "trip/plan").exit_code == 1


def test_a_script_sweeps_audits_and_validates(shell: Shell) -> None:
    """R-20; issue 3, part 4."""
    shell("set", "old/x", "This ends at once.", "--ttl", "0.001")
    time.sleep(0.01)
    assert shell.json("namespace", "sweep")["swept"] == 1
    audit = shell.json("namespace", "audit", "--unread-for-days", "0")
    assert audit["counts"]["never_read"] > 30
    sound = shell.json("namespace", "validate")
    assert sound["counts"] == {}
    assert "nothing found" in shell("namespace", "validate").stdout


@pytest.mark.parametrize("columns", [80, 140])
def test_a_person_at_a_terminal(shell: Shell, columns: int) -> None:
    """Design: one above the other on a narrow terminal, side by side on a wide one."""
    said = _at_terminal(shell, columns, ["s", "q"], "review", *USER, "--prefix", "home")

    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said)
    lines = [line for line in plain.splitlines() if "I live in Delhi" in line]
    assert lines
    assert ("I moved to Berlin" in lines[0]) is (columns == 140)
    assert all(len(line) <= columns for line in plain.splitlines() if "│" in line)


def _at_terminal(shell: Shell, columns: int, keys: list[str], *arguments: str) -> str:
    """What a command prints on a pseudo-terminal while somebody types."""
    child, terminal = pty.fork()
    if child == 0:  # pragma: no cover - the other process
        env = {**os.environ, "COLUMNS": str(columns), "LOOM_STORE": str(shell.store)}
        code = "from loom.faces.cli.app import loom; loom()"
        os.execve(sys.executable, [sys.executable, "-c", code, *arguments], env)
    said = b""
    for key in [*keys, ""]:
        until = time.monotonic() + 20
        while time.monotonic() < until:
            ready, _, _ = select.select([terminal], [], [], 0.2)
            if ready:
                try:
                    said += os.read(terminal, 65_536)
                except OSError:
                    break
                if said.rstrip().endswith(b">"):
                    break
        if key:
            os.write(terminal, key.encode() + b"\n")
    os.close(terminal)
    os.waitpid(child, 0)
    return said.decode(errors="replace")


def test_a_rewritten_pair_is_undone_whole(shell: Shell) -> None:
    """The text comes back as well as the row."""
    keys = "e\n1\nBilling runs on nothing.\n\nu\nq\n"
    done = shell(
        "review", *USER, "--only", "conflicts", stdin=f"{'s' + chr(10)}" * 29 + keys
    )
    assert done.exit_code == 0, done.output
    with library.open(shell.store) as store:
        agent = store.agent("ada", user_id="ana")
        assert "Billing runs on nothing." not in [
            r.value for r in agent.memory.list().items
        ]
        assert len(agent.conflicts.list().items) == 31


def test_a_limit_holds_for_both_kinds(shell: Shell) -> None:
    done = shell("review", *USER, "--limit", "2", stdin="s\n" * 9)
    assert "2 skipped; 30 not looked at" in done.stdout
    assert "3 of 2" not in done.stdout


def test_a_script_applies_after_a_preview(shell: Shell) -> None:
    """Issue 3, part 4: nothing is changed until it is said."""
    preview = shell("apply", "label", *USER, "--prefix", "db", "--add-tag", "seen")
    assert "2 chosen, 0 changed" in preview.stdout
    assert "--yes would label 2" in preview.stdout
    done = shell.json(
        "apply", "label", *USER, "--prefix", "db", "--add-tag", "seen", "--yes"
    )
    assert done["changed"] == 2
    assert shell("apply", "delete", *USER, "--yes").exit_code == 2
