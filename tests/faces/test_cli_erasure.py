"""`loom erasure`: a person's data goes, and the terminal shows what of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner

import loom
from loom.faces.cli.app import loom as command


def _run(*arguments: object) -> Any:
    return CliRunner().invoke(command, [str(a) for a in arguments])


def test_a_person_is_erased_from_the_command_line(tmp_path: Path) -> None:
    """A-335: requests, a run, its certificate."""
    path = tmp_path / "store.duckdb"
    with loom.open(path) as store:
        store.agent("ada", user_id="ana").memory.set("a/b", "Ana drinks tea.")
        store.agent("ada").memory.set("c", "The kettle is in the hall.")

    asked = _run("erasure", "request", "ana", "--reason", "letter", "--store", path)
    assert asked.exit_code == 0, asked.output
    erasure_id = asked.output.split()[-1]
    open_ones = _run("erasure", "list", "--unfinished", "--store", path, "--json")
    assert json.loads(open_ones.output)["state"] == "requested"
    done = _run("erasure", "run", erasure_id, "--store", path)
    assert done.exit_code == 0, done.output
    status = _run("erasure", "status", erasure_id, "--store", path, "--json")
    assert json.loads(status.output)["counts"] == {"memory": 1, "audit": 1}
    missing = _run("erasure", "run", "nothing", "--store", path)
    assert missing.exit_code == 1

    with loom.open(path) as store:
        assert store.agent("ada", user_id="ana").memory.count() == 1
