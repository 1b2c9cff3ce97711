"""The whole idea in a minute, on facts of our own that ship with the package."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from loom.errors import LoomError
from loom.faces.cli.session import embedder_for
from loom.faces.cli.show import console, short_time, styled, value_text
from loom.faces.display import plain
from loom.faces.sync import AgentHandle, open_store
from loom.model.status import Event
from loom.operations.answers import SetOutcome

__all__ = ["quickstart", "script"]

_INDENT: Final = (0, 0, 0, 2)


def script() -> dict[str, Any]:
    """The facts, questions and key of the tour."""
    text = files("loom.faces.cli").joinpath("quickstart.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


@click.command()
@click.option(
    "--store", default=None, help="Keep the store here instead of a temporary one."
)
@click.option(
    "--embedder",
    type=click.Choice(["lexical", "minilm"]),
    default=None,
    help="Compare by it.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON line a step.")
def quickstart(*, store: str | None, embedder: str | None, as_json: bool) -> None:
    """Show the whole idea in a minute: facts judged, questions answered, a history."""
    said = script()
    with _place(store) as path:
        chosen = embedder_for(path, embedder)
        with open_store(path, embedder=chosen) as opened:
            agent = opened.agent(
                said["agent"], org=said["org"], namespace=said["namespace"]
            )
            tour = _Tour(agent, as_json=as_json)
            tour.opening(str(opened.capabilities().embedder), path if store else None)
            for number, act in enumerate(said["acts"], start=1):
                tour.act(number, act)
            tour.questions(said["questions"])
            tour.history(said["history"])
            tour.closing(path if store else None)


@contextmanager
def _place(store: str | None) -> Iterator[str]:
    if store is not None:
        yield store
        return
    with tempfile.TemporaryDirectory(prefix="loom-quickstart-") as folder:
        yield str(Path(folder) / "memory.duckdb")


class _Tour:
    """Does each step and shows what came of it."""

    def __init__(self, agent: AgentHandle, *, as_json: bool) -> None:
        self._agent = agent
        self._json = as_json
        self._out: Console = console()

    # --- the parts ---------------------------------------------------------------------

    def opening(self, embedder: str, kept: str | None) -> None:
        """Say where this happens."""
        where = kept or "a temporary file"
        self._print(Text(f"loom: a store in {where}, embedder {embedder}", style="bold"))
        self._print(
            Text("Every write below is a real call; the answers are the store's own.")
        )

    def act(self, number: int, act: dict[str, Any]) -> None:
        """One act: its title, its steps."""
        self._title(f"{number}. {act['title']}")
        for step in act["steps"]:
            try:
                self._step(step)
            except LoomError as error:
                self._refusal(step, error)

    def questions(self, questions: list[str]) -> None:
        """Ask, and show the best hit or the abstention."""
        self._title("Questions: two rankings fused, and no answer where nothing fits")
        table = _table("question", "answer", "key", "status")
        for question in questions:
            found = self._agent.memory.search(question, top_k=3)
            self._record("search", question, found)
            if found.abstain:
                table.add_row(
                    question, Text("no answer", style="dim"), "", Text(found.abstain_code)
                )
                continue
            best = found.hits[0]
            answers = [
                best,
                *(h for h in found.hits[1:] if h.memory_id in best.conflict_with),
            ]
            for hit in answers:
                asked = question if hit is best else Text("  and against it", style="dim")
                table.add_row(
                    asked, value_text(hit.value), hit.memory_key, styled(hit.status)
                )
        self._print(table)

    def history(self, key: str) -> None:
        """Every version of one key."""
        self._title(f"The history of {key}: nothing is overwritten")
        versions = self._agent.memory.history(key)
        table = _table("written (UTC)", "event", "status", "value", "by")
        for version in versions:
            self._record("history", key, version)
            table.add_row(
                short_time(version.written_at),
                styled(version.event),
                styled(version.status),
                value_text(version.value),
                version.actor,
            )
        self._print(table)

    def closing(self, kept: str | None) -> None:
        """The counts, and what to type next."""
        stats = self._agent.namespace.stats()
        self._record("stats", "", stats)
        by = ", ".join(f"{n} {status}" for status, n in stats.by_status.items())
        self._title(f"{stats.memories} memories ({by}) in {stats.versions} versions")
        store = f" --store {kept}" if kept else ""
        place = "--org demo --namespace quickstart" if kept else ""
        self._print(Padding(Text("Go on with:"), _INDENT))
        for line in (
            f"loom set user/ana/city 'Ana lives in Oslo.'{store}",
            f"loom search 'where does Ana live?'{store}",
            f"loom history user/mara/home-city{store} {place} --agent concierge"
            if kept
            else "",
            "loom --help",
        ):
            if line:
                self._print(Padding(Text(line, style="cyan"), _INDENT))

    # --- the steps ---------------------------------------------------------------------

    def _step(self, step: dict[str, Any]) -> None:
        memory, key = self._agent.memory, step.get("key", "")
        match step["do"]:
            case "set":
                self._written("set", step, memory.set(key, step["value"]))
            case "pin":
                self._written("pin", step, memory.pin(key, step["value"]))
            case "blacklist":
                out = self._agent.blacklist.add(step["pattern"], reason=step["reason"])
                self._record("blacklist.add", "", out)
                self._line("blacklist", f"“{step['pattern']}”", "", Text("in force"))
                self._remark(f"{step['reason']}")
            case "delete":
                deleted = memory.delete(key)
                self._record("delete", key, deleted)
                self._line("delete", key, "", styled("deleted"))
            case "get":
                row = memory.get(key)
                self._record("get", key, row)
                said = (
                    Text("nothing is served", style="dim") if row is None else Text("found")
                )
                self._line("get", key, "", said)
            case "restore":
                back = memory.restore(key)
                self._record("restore", key, back)
                self._line("restore", key, "", styled("restored"))

    def _written(self, verb: str, step: dict[str, Any], out: SetOutcome) -> None:
        self._record(verb, step["key"], out)
        verdict = styled(out.conflict_verdict)
        if out.pinned:
            verdict = Text.assemble(verdict, "  ", styled("pinned"))
        self._line(verb, step["key"], step["value"], verdict)
        if out.merged_into_key:
            self._remark(f"nothing is written here; {out.merged_into_key} says it already")
        elif out.conflict_verdict == "conflict":
            peer = out.peers[0]
            self._remark(f"against {peer.memory_key}: {value_text(peer.value)}")
            shown = [
                reason for reason in peer.reasons if reason.startswith("values differ")
            ]
            self._remark("; ".join(shown or peer.reasons[:2]))
        elif out.conflict_verdict == "restated":
            self._remark(f"known, and now stated {out.reinforcement_count} times")
        else:
            self._remark_on_revision(step["key"])

    def _remark_on_revision(self, key: str) -> None:
        newest, *older = self._agent.memory.history(key)
        if newest.event == Event.REVISED:
            self._remark(
                f"a revision; the version before it says: {value_text(older[0].value)}"
            )

    def _refusal(self, step: dict[str, Any], error: LoomError) -> None:
        self._record(
            step["do"], step["key"], {"code": error.code, "message": error.message}
        )
        self._line(step["do"], step["key"], step["value"], Text(error.code, style="red"))
        self._remark(error.message)

    # --- the printing ------------------------------------------------------------------

    def _print(self, what: Any) -> None:
        if not self._json:
            self._out.print(what)

    def _title(self, title: str) -> None:
        self._print(Text(f"\n{title}", style="bold"))

    def _line(self, verb: str, key: str, value: str, answer: Text) -> None:
        grid = Table.grid(padding=(0, 1), expand=True)
        grid.add_column(width=9, style="dim")
        grid.add_column(width=21, no_wrap=True)
        grid.add_column(ratio=1, overflow="fold")
        grid.add_column(width=18, no_wrap=True)
        grid.add_row(verb, key, value, answer)
        self._print(Padding(grid, _INDENT))

    def _remark(self, text: str) -> None:
        self._print(Padding(Text(f"└ {text}", style="dim"), (0, 0, 0, 12)))

    def _record(self, do: str, about: str, answer: object) -> None:
        if self._json:
            click.echo(
                json.dumps(
                    {"do": do, "about": about, "answer": plain(answer)}, ensure_ascii=False
                )
            )


def _table(*heads: str) -> Table:
    table = Table(box=None, pad_edge=True, header_style="dim")
    for head in heads:
        table.add_column(head, overflow="fold")
    return table
