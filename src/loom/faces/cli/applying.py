"""`loom apply`: one change to many memories, said first and done with --yes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import click

from loom.faces.cli.session import Session, common
from loom.faces.cli.show import given, print_error, print_json
from loom.faces.sync import AgentHandle
from loom.operations.answers import ApplyOutcome

__all__ = ["apply_"]

#: What is given with an action, and with no other.
_NEEDS: Final = {
    "add_tags": ("label", "--add-tag"),
    "remove_tags": ("label", "--remove-tag"),
    "factor": ("demote", "--factor"),
    "mode": ("lock", "--mode"),
    "reason": ("lock", "--reason"),
    "ttl_seconds": ("lock", "--ttl"),
}


@click.command("apply")
@click.argument(
    "action", type=click.Choice(["delete", "expire", "lock", "label", "demote"])
)
@click.option("--prefix", help="Only keys at or below this path.")
@click.option(
    "--tag", "tags", multiple=True, help="Only with exactly this tag; repeatable."
)
@click.option(
    "--tags-match",
    type=click.Choice(["all", "any"]),
    help="Whether all of the tags are needed (the default) or any.",
)
@click.option("--type", "memory_type", help="Only of this memory type.")
@click.option("--by-agent", help="Only written by this agent.")
@click.option("--updated-before", help="Only last written before, ISO 8601 with an offset.")
@click.option("--everything", is_flag=True, help="Every memory, where no filter is given.")
@click.option("--add-tag", "add_tags", multiple=True, help="Of label: a tag to add.")
@click.option(
    "--remove-tag", "remove_tags", multiple=True, help="Of label: one to take off."
)
@click.option("--factor", type=float, help="Of demote: what confidence is multiplied by.")
@click.option("--mode", type=click.Choice(["read_only", "no_delete"]), help="Of lock.")
@click.option("--reason", help="Of lock: shown to whom it refuses.")
@click.option("--ttl", "ttl_seconds", type=float, help="Of lock: seconds until it lapses.")
@click.option("--all-users", is_flag=True, help="Every user's; takes an administrator.")
@click.option("--yes", is_flag=True, help="Do it; else it only says what would be changed.")
@common
def apply_(
    session: Session, action: str, *, all_users: bool, yes: bool, **options: Any
) -> None:
    """Delete, expire, lock, label or demote all memories that the options choose.

    Nothing is changed without --yes. With --json, a line for each run up to the store's
    cap.
    """
    said = given(options)
    for name in said:
        of, option = _NEEDS.get(name, (action, ""))
        if of != action:
            msg = f"{option} is an option of {of}, not of {action}."
            raise click.UsageError(msg)
    with session.handle(all_users=all_users) as agent:
        runs = _runs(agent, action, dry_run=not yes, **said)
        if session.as_json:
            for out in runs:
                print_json(out)
            return
        _tell(action, list(runs), done=yes)


def _runs(agent: AgentHandle, action: str, **said: Any) -> Iterator[ApplyOutcome]:
    """Run after run, until none of the memories is left."""
    cursor: str | None = None
    while True:
        out = agent.memory.apply(action, cursor=cursor, **said)
        yield out
        cursor = out.cursor
        if cursor is None:
            return


def _tell(action: str, runs: list[ApplyOutcome], *, done: bool) -> None:
    kept = [key for out in runs for key in out.kept]
    matched = sum(out.matched for out in runs)
    changed = sum(out.changed for out in runs)
    for out in runs:
        for key in out.memory_keys:
            click.echo(key)
    if kept:
        print_error(f"Kept, because a lock holds: {', '.join(kept)}")
    if done:
        click.echo(f"{matched:,} chosen, {changed:,} changed.")
        return
    would = matched - len(kept)
    click.echo(
        f"{matched:,} chosen, 0 changed. Nothing was changed: --yes would {action} {would:,}."
    )
