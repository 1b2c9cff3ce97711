"""`loom review`: what waits for a decision, one at a time."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

import click
from attrs import define, field, frozen
from rich.console import Console

from loom.errors import LoomError
from loom.faces.cli.session import Session, common
from loom.faces.cli.show import console, value_text
from loom.faces.cli.sides import heading, pair_view, row_view, told
from loom.faces.sync import AgentHandle
from loom.model.memory import MemoryRow
from loom.operations.conflicts import ConflictPair

__all__ = ["review"]

_PAGE: Final = 200
_CONFLICT_KEYS: Final = "1 keep first  2 keep second  b keep both  e edit  s skip"
_PROPOSAL_KEYS: Final = "a accept  r reject  s skip"
_MORE_KEYS: Final = "f full text  u undo  ? help  q quit"
_HELP: Final = """\
  1, 2  the row of that number stands; the other one is deleted, and can be restored
  b     both stand, and are not flagged again until one of them changes
  e     write what is right in place of one of them; the other one is deleted
  a     take a proposal: it becomes what its key says
  r     turn a proposal down
  s     leave it for another time
  f     show the values whole
  u     undo the last decision that deleted a row
  q     stop; what is decided stays decided
A reason is kept in the history; press return for none."""


class _Stop(Exception):
    """The reviewer is done."""


@frozen
class _Decision:
    """What was decided last, as far as it can be taken back."""

    what: str
    #: The row it deleted.
    deleted: MemoryRow
    #: The other one, as it was before.
    stays: MemoryRow


@define
class _Desk:
    """One sitting: the store, the screen, and what was decided."""

    agent: AgentHandle
    screen: Console
    done: Counter[str] = field(factory=Counter)
    #: The last decision, if it deleted a row.
    last: _Decision | None = None

    def ask(self, keys: str, choices: str) -> str:
        """One of the choices; help is given until one is made."""
        self.screen.print(f"{keys}  {_MORE_KEYS}", style="dim", markup=False)
        while True:
            try:
                said = click.prompt(
                    "decide", prompt_suffix="> ", default="", show_default=False
                )
            except click.Abort:
                raise _Stop from None
            choice = said.strip().lower()[:1]
            if choice == "q":
                raise _Stop
            if choice == "?":
                click.echo(_HELP)
            elif choice and choice in choices + "fus":
                return choice
            else:
                click.echo(f"Press one of: {', '.join(choices)}, s, f, u, ?, q.")

    def reason(self) -> str:
        """Why, in the reviewer's words; may be empty."""
        try:
            return str(
                click.prompt("why", prompt_suffix="> ", default="", show_default=False)
            )
        except click.Abort:
            raise _Stop from None

    def decide(self, what: str, call: Callable[..., Any], *args: Any, **given: Any) -> bool:
        """Carry a decision out; false where the store refuses it, and why is said."""
        try:
            outcome = call(*args, **given)
        except LoomError as error:
            click.echo(f"Not done: {error.message}")
            return False
        if what:
            self.done[what] += 1
        click.echo(outcome.next)
        return True

    def undo(self) -> None:
        """Bring back what the last decision deleted, and what the other side said."""
        last = self.last
        if last is None:
            click.echo("There is nothing to undo: only a deleted row can be brought back.")
            return
        row, memory = last.deleted, self.agent.memory
        given = {"agent": row.agent, "user_id": row.user_id, "session_id": row.session_id}
        if last.what == "rewritten" and not self.decide(
            "",
            memory.update_by_id,
            last.stays.memory_id,
            last.stays.value,
            user_id=last.stays.user_id,
            session_id=last.stays.session_id,
        ):
            return
        if self.decide("", memory.restore, row.memory_key, **given):
            self.done[last.what] -= 1
            self.done["undone, to be reviewed again"] += 1
            self.last = None


@click.command()
@click.option("--all-users", is_flag=True, help="Every user's; takes an administrator.")
@click.option("--prefix", help="Only keys at or below this path.")
@click.option("--limit", type=click.IntRange(1), help="Stop after so many.")
@click.option(
    "--only",
    type=click.Choice(["conflicts", "proposals"]),
    help="Only contradictions, or only claims on trial.",
)
@common
def review(
    session: Session,
    *,
    all_users: bool,
    prefix: str | None,
    limit: int | None,
    only: str | None,
) -> None:
    """Decide what waits: contradictions and proposals, one at a time."""
    with session.handle(all_users=all_users) as agent:
        desk = _Desk(agent, console())
        pairs = [] if only == "proposals" else list(_pairs(agent, prefix))
        proposals = [] if only == "conflicts" else list(_proposals(agent, prefix))
        total = len(pairs) + len(proposals)
        if not total:
            click.echo("Nothing waits for a decision.")
            return
        asked = total if limit is None else min(limit, total)
        try:
            for at, pair in enumerate(pairs[:asked], start=1):
                _review_pair(desk, pair, at, asked)
            room = max(0, asked - len(pairs))
            for at, row in enumerate(proposals[:room], start=len(pairs) + 1):
                _review_proposal(desk, row, at, asked)
        except _Stop:
            pass
        _print_summary(desk, total)


def _pairs(agent: AgentHandle, prefix: str | None) -> Iterator[ConflictPair]:
    cursor: str | None = None
    while True:
        page = agent.conflicts.list(prefix=prefix, limit=_PAGE, cursor=cursor)
        yield from page.items
        cursor = page.cursor
        if cursor is None:
            return


def _proposals(agent: AgentHandle, prefix: str | None) -> Iterator[MemoryRow]:
    cursor: str | None = None
    while True:
        page = agent.memory.list(
            status="proposed", prefix=prefix, limit=_PAGE, cursor=cursor
        )
        yield from page.items
        cursor = page.cursor
        if cursor is None:
            return


def _review_pair(desk: _Desk, pair: ConflictPair, at: int, total: int) -> None:
    full = False
    while True:
        # Read anew each time: somebody else may have decided meanwhile.
        current = _current(desk.agent, pair)
        if current is None:
            click.echo(f"\n{at} of {total} is settled already.")
            desk.done["settled already"] += 1
            return
        first, second = current
        desk.screen.print(heading(at, total, "Contradiction"))
        view = pair_view(first, second, pair.reasons, width=desk.screen.width, full=full)
        desk.screen.print(view)
        choice = desk.ask(_CONFLICT_KEYS, "12be" if second is not None else "")
        if choice == "f":
            full = not full
        elif choice == "u":
            desk.undo()
        elif choice == "s" or second is None:
            desk.done["skipped"] += 1
            return
        elif _decided(desk, choice, first, second):
            return


def _current(
    agent: AgentHandle, pair: ConflictPair
) -> tuple[MemoryRow, MemoryRow | None] | None:
    """Both sides as they are now; None where they are no longer in conflict."""
    first = agent.memory.get_by_id(pair.row.memory_id)
    if pair.peer is None:
        still = first is not None and first.status == "conflicted"
        return (first, None) if first is not None and still else None
    second = agent.memory.get_by_id(pair.peer.memory_id)
    if first is None or second is None or second.memory_id not in first.conflict_with:
        return None
    return first, second


def _decided(desk: _Desk, choice: str, first: MemoryRow, second: MemoryRow) -> bool:
    """Whether the decision was carried out."""
    resolve = desk.agent.conflicts.resolve
    stays, goes = (second, first) if choice == "2" else (first, second)
    given: dict[str, Any] = {}
    if choice == "e":
        edited = _edited(first, second)
        if edited is None:
            return False
        stays, goes, given["value"] = edited
    given["reason"] = desk.reason()
    action = "allow" if choice == "b" else "revise"
    what = {"b": "kept both", "e": "rewritten"}.get(choice, "kept one")
    done = desk.decide(what, resolve, stays.memory_id, goes.memory_id, action, **given)
    if done:
        desk.last = _Decision(what, goes, stays) if choice != "b" else None
    return done


def _edited(first: MemoryRow, second: MemoryRow) -> tuple[MemoryRow, MemoryRow, Any] | None:
    """The row that stands, the one that goes, and the new value; None if it was left."""
    try:
        number = click.prompt("which row stands", type=click.Choice(["1", "2"]))
        stays, goes = (first, second) if number == "1" else (second, first)
        if stays.masked:
            click.echo("A secret is changed with `loom set`, by its key.")
            return None
        text = _typed(stays)
    except click.Abort:
        raise _Stop from None
    if text is None or not text.strip():
        click.echo("Left as it is.")
        return None
    if isinstance(stays.value, str):
        return stays, goes, text
    try:
        return stays, goes, json.loads(text)
    except (ValueError, RecursionError):
        click.echo("That is not JSON, as the value is: left as it is.")
        return None


def _typed(row: MemoryRow) -> str | None:
    """What the reviewer writes: in an editor at a terminal, else on a line."""
    if sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("EDITOR"):
        written = click.edit(value_text(row.value))
        return None if written is None else written.rstrip("\n")
    click.echo(f"It says: {told(row)}")
    line: str = click.prompt(
        "it should say", prompt_suffix="> ", default="", show_default=False
    )
    return line


def _review_proposal(desk: _Desk, proposal: MemoryRow, at: int, total: int) -> None:
    full = False
    while True:
        waiting = desk.agent.memory.list(
            status="proposed", prefix=proposal.memory_key, limit=_PAGE
        ).items
        row = next((r for r in waiting if r.memory_id == proposal.memory_id), None)
        if row is None:
            click.echo(f"\n{at} of {total} is settled already.")
            desk.done["settled already"] += 1
            return
        desk.screen.print(heading(at, total, "Proposal"))
        _show_proposal(desk, row, full=full)
        choice = desk.ask(_PROPOSAL_KEYS, "ar")
        if choice == "f":
            full = not full
        elif choice == "u":
            desk.undo()
        elif choice == "s":
            desk.done["skipped"] += 1
            return
        else:
            decision = "accept" if choice == "a" else "reject"
            what = "accepted" if choice == "a" else "turned down"
            decide = desk.agent.memory.proposal_decide
            if desk.decide(what, decide, row.memory_id, decision, reason=desk.reason()):
                desk.last = None
                return


def _show_proposal(desk: _Desk, row: MemoryRow, *, full: bool) -> None:
    """The claim on trial, and what its key holds."""
    held = _held_beside(desk, row)
    desk.screen.print(row_view(row, full=full))
    if held is None:
        click.echo("Its key holds nothing now.")
        return
    click.echo("Its key holds now:")
    desk.screen.print(row_view(held, full=full))


def _held_beside(desk: _Desk, row: MemoryRow) -> MemoryRow | None:
    """What a proposal's key answers with; masked where it is secret, so it is not got."""
    memory = desk.agent.memory
    place: dict[str, Any] = {
        "agent": row.agent,
        "user_id": row.user_id,
        "session_id": row.session_id,
    }
    listed = memory.list(prefix=row.memory_key, limit=_PAGE, **place).items
    under = [one for one in listed if one.memory_key == row.memory_key]
    own = [one for one in under if one.address == row.address.own]
    secret = next((one for one in own or under if one.masked), None)
    return secret or memory.get(row.memory_key, **place)


def _print_summary(desk: _Desk, total: int) -> None:
    done = +desk.done
    told = ", ".join(f"{count} {what}" for what, count in sorted(done.items()))
    click.echo(f"\n{told or 'Nothing decided'}; {total - done.total()} not looked at.")
