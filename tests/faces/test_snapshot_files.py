"""Snapshots as files: the schema is the code's, random namespaces come back, the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import attrs
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings

import loom
from loom.faces.cli.app import loom as command
from loom.faces.snapshot_schema import snapshot_schema
from loom.faces.snapshots import snapshot_lines
from loom.testing.agreement import shown
from loom.testing.scenarios import WHOS, programs
from loom.testing.stage import Stage
from loom.testing.steps import NAMESPACE, ORG, Bulk, Put, Step
from tests.conftest import ROOT

_PROGRAMS: Final = min(settings().max_examples // 2, 200)
#: What a restore may change of a row: when and by whom it was written here.
_STAMPED: Final = frozenset(
    {
        *("version", "parent", "event", "event_reason", "updated_at", "actor"),
        *("source_class", "source_trace", "verified_by", "written_at"),
    }
)


def test_the_schema_in_the_documentation_is_the_codes() -> None:
    """Issue: a documented, versioned format with a schema."""
    written = json.loads((ROOT / "docs" / "snapshot.schema.json").read_text("utf-8"))

    assert written == snapshot_schema()


def test_a_part_has_the_members_of_the_schema(tmp_path: Path) -> None:
    """Issue: what is written is what the schema says."""
    with loom.open(":memory:") as store:
        agent = store.agent("ada")
        agent.namespace.register(description="pumps")
        agent.memory.set("a/b", {"deep": [1, 2.5, None]}, tags=["t"])
        part = json.loads(next(snapshot_lines([agent.namespace.snapshot()])))

    schema = snapshot_schema()
    assert set(part) == set(schema["properties"]) == set(schema["required"])
    for name, rows in (
        ("memory", [m["head"] for m in part["memories"]]),
        ("audit", part["audit_tail"]),
        ("namespace", [part["settings"]]),
    ):
        known = schema["$defs"][name]["properties"]
        assert rows
        for row in rows:
            assert set(row) <= set(known)


def _without_secrets(program: list[Step]) -> list[Step]:
    """What is secret is not in a snapshot, so no program states it."""

    def plain(step: Step) -> Step:
        if isinstance(step, Put):
            return attrs.evolve(step, sensitivity=None)
        if isinstance(step, Bulk):
            entries = tuple(attrs.evolve(e, sensitivity=None) for e in step.entries)
            return attrs.evolve(step, entries=entries)
        return step

    return [plain(step) for step in program]


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=_PROGRAMS)
@given(program=programs())
def test_an_empty_store_answers_every_read_alike_after_a_restore(
    program: list[Step],
) -> None:
    """Issue: snapshot, then restore into an empty store: alike but for `imported`."""
    one = Stage()
    for step in _without_secrets(program):
        one.do(step)
    other = Stage(clock=one.clock, seed=1)
    agent = one.store.agent("ivo", org=ORG, namespace=NAMESPACE)
    there = other.store.agent("ivo", org=ORG, namespace=NAMESPACE)

    snapshot = agent.namespace.snapshot(history=True)
    there.namespace.restore(NAMESPACE, snapshot)

    for who in WHOS:
        assert _plain(shown(one, who)) == _plain(shown(other, who))
    one.close()
    other.close()


def _plain(answer: Any) -> Any:
    """The answer without what a restore stamps anew."""
    if attrs.has(type(answer)):
        said = {f.name: getattr(answer, f.name) for f in attrs.fields(type(answer))}
        return {n: _plain(v) for n, v in said.items() if n not in _STAMPED}
    if isinstance(answer, list | tuple):
        return [_plain(one) for one in answer]
    return answer


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = tmp_path / "store.duckdb"
    with loom.open(path) as store:
        memory = store.agent("ada", namespace="lab").memory
        for n in range(5):
            memory.set(f"hall/{n}", f"Hall {n} is painted in colour number {n}.")
    return path


def _run(*arguments: object) -> Any:
    return CliRunner().invoke(command, [str(a) for a in arguments])


def test_the_command_line_takes_and_restores(place: Path, tmp_path: Path) -> None:
    """Issue: `namespace.snapshot` and `namespace.restore` for a person at a terminal."""
    file, other = tmp_path / "lab.jsonl", tmp_path / "other.duckdb"
    taken = _run("namespace", "snapshot", file, "--store", place, "--namespace", "lab")
    assert taken.exit_code == 0, taken.output
    assert "5 memories" in taken.output

    said = ("--store", other, "--namespace", "lab")
    first = _run("namespace", "restore", file, *said)
    again = _run("namespace", "restore", file, *said, "--json")

    assert (first.exit_code, again.exit_code) == (0, 0), first.output
    assert "imported" in first.output
    assert json.loads(again.output)["restored"] is False
    with loom.open(other) as store:
        assert store.agent("ada", namespace="lab").memory.count() == 5


def test_a_spoiled_file_leaves_the_command_line_with_an_error(
    place: Path, tmp_path: Path
) -> None:
    """Issue: a file cut short is refused before anything is written."""
    file, other = tmp_path / "lab.jsonl", tmp_path / "other.duckdb"
    _run("namespace", "snapshot", file, "--store", place, "--namespace", "lab")
    file.write_bytes(file.read_bytes()[:-30])

    spoiled = _run("namespace", "restore", file, "--store", other, "--namespace", "lab")
    missing = _run("namespace", "restore", tmp_path / "no", "--store", other)

    assert spoiled.exit_code == 2
    assert "Nothing was restored" in spoiled.output
    assert missing.exit_code == 1
