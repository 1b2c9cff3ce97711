"""History, timeline and redaction at the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faces.test_cli import Shell

KEY = "pump/rate"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "memory.duckdb")


@pytest.fixture
def lived(shell: Shell) -> Shell:
    shell("set", KEY, "The pump draws 5 amps.")
    shell("set", KEY, "The pump draws 9 amps.")
    return shell


def test_a_difference_is_readable(lived: Shell) -> None:
    """B-248: the first version says what it said, the next what it changed."""
    out = lived("history", KEY, "--diff").output
    assert "The pump draws [-5-]{+9+} amps." in out
    assert "The pump draws 5 amps." in out


def test_a_timeline_goes_over_all_keys(lived: Shell) -> None:
    """B-248: newest first, and it says where it goes on."""
    lived("set", "dam/height", "The dam is 30 metres high.")
    keys = [v["memory_key"] for v in lived.json("namespace", "timeline")]
    assert keys == ["dam/height", KEY, KEY]
    assert "--cursor" in lived("namespace", "timeline", "--limit", "1").output


def test_a_version_is_redacted(lived: Shell) -> None:
    """B-293, B-299: an earlier one; what stands now is refused with exit code 1."""
    newest, oldest = lived.json("history", KEY)
    refused = lived("redact", newest["memory_id"], str(newest["version"]))
    assert refused.exit_code == 1
    done = lived("redact", oldest["memory_id"], str(oldest["version"]), "--reason", "leak")
    assert done.exit_code == 0
    again = lived.json("history", KEY)[1]
    assert (again["value"], again["redaction_reason"]) == ("[REDACTED]", "leak")
    assert "[-" not in lived("history", KEY, "--diff").output
