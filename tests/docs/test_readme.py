"""What the README shows runs as it stands, and says what is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import loom
from loom.faces.cli.app import loom as command
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text("utf-8")
PYTHON = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(len(PYTHON)))
def test_a_block_of_python_runs(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Design: README and examples run."""
    monkeypatch.chdir(tmp_path)
    exec(compile(PYTHON[number], f"README block {number}", "exec"), {"__name__": "x"})


def test_the_ten_lines_say_what_their_comments_promise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Design: a comment in the README is a claim."""
    monkeypatch.chdir(tmp_path)
    exec(PYTHON[0], {})

    verdict, answer, events = capsys.readouterr().out.splitlines()
    assert verdict.startswith("conflict ")
    assert "2,800 euros / 3,200 euros" in verdict
    assert answer == "The Kyoto trip has a budget of 3,200 euros."
    assert events == "deleted created"
    assert len(PYTHON[0].strip().splitlines()) <= 11


def _shell_block() -> list[str]:
    [block] = re.findall(r"^```\n(loom set .*?)^```", README, re.MULTILINE | re.DOTALL)
    return [part for line in block.splitlines() for part in line.split(" && ")]


def test_the_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Design: the README's commands run as they stand."""
    import shlex

    monkeypatch.chdir(tmp_path)
    for line in _shell_block():
        program, *arguments = shlex.split(line)
        assert program == "loom"
        result = CliRunner().invoke(command, arguments)
        assert result.exit_code == 0, (line, result.output)


def test_each_newcomer_command_is_one_line() -> None:
    """Issue 1: the two set-up commands stand each in one fenced block after its mark."""
    for name in ("main", "tests"):
        [block] = re.findall(
            rf"^<!-- newcomer: {name} -->\n```\n(.*?)^```", README, re.MULTILINE | re.DOTALL
        )
        assert len(block.splitlines()) == 1


def test_links_lead_somewhere() -> None:
    """Design: no link of the README or the documentation is broken."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text("utf-8"))
        if "://" not in target and not (page.parent / target).exists()
    ]

    assert not broken


def test_what_belongs_in_a_memory_is_said() -> None:
    """A-346: a document is kept elsewhere, and one short memory points at it."""
    said = " ".join(README.split())

    assert "A document does not belong here" in said
    assert (
        "one short memory under a readable key that says what it is and points at it"
        in said
    )


def test_the_table_of_backends_is_what_they_promise(tmp_path: Path) -> None:
    """Design: the README claims what `capabilities()` says."""
    with loom.open(str(tmp_path / "m.duckdb")) as file, loom.open(":memory:") as memory:
        durable, passing = file.capabilities(), memory.capabilities()
    assert (durable.durable, passing.durable) == (True, False)
    for promised in (durable, passing):
        assert promised.atomic
        assert promised.serialisable
        assert promised.compare_and_set
        assert promised.exact_search
        assert not promised.multi_process
