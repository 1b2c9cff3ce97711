"""Decisions for scripts: conflicts, proposals, rejections, sweeps, audits."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import click

from loom.errors import InvalidRequest
from loom.faces.cli.namespaces import namespace
from loom.faces.cli.session import Session, common
from loom.faces.cli.show import print_json, print_outcome, print_rows, styled
from loom.faces.cli.sides import told
from loom.model.unset import UNSET
from loom.operations.answers import DecisionOutcome
from loom.operations.surveying import SurveyOutcome

__all__ = [
    "audit",
    "conflicts",
    "decide",
    "list_conflicts",
    "reject",
    "resolve",
    "sweep",
    "validate",
]


@click.group()
def conflicts() -> None:
    """Contradictions that wait for a decision; `loom review` goes through them."""


@conflicts.command("list")
@click.option("--all-users", is_flag=True, help="Every user's; takes an administrator.")
@click.option("--prefix", help="Only keys at or below this path.")
@click.option("--limit", type=int, default=50, show_default=True, help="At most so many.")
@click.option("--cursor", help="Where the page before ended.")
@common
def list_conflicts(
    session: Session,
    *,
    all_users: bool,
    prefix: str | None,
    limit: int,
    cursor: str | None,
) -> None:
    """Pairs of memories that contradict each other, the latest first."""
    with session.handle(all_users=all_users) as agent:
        page = agent.conflicts.list(prefix=prefix, limit=limit, cursor=cursor)
        if session.as_json:
            print_json(page)
            return
        rows = [
            (
                f"{pair.row.memory_key}\n{pair.row.memory_id}",
                told(pair.row),
                ""
                if pair.peer is None
                else f"{pair.peer.memory_key}\n{pair.peer.memory_id}",
                "" if pair.peer is None else told(pair.peer),
            )
            for pair in page.items
        ]
        print_rows(("key, id", "says", "against", "which says"), rows)
        if page.cursor is not None:
            click.echo(f"There are more: --cursor {page.cursor}")


@conflicts.command("resolve")
@click.argument("memory_id")
@click.argument("peer_id")
@click.option(
    "--action",
    type=click.Choice(["revise", "contract", "allow"]),
    required=True,
    help="The first row stands, or goes, or both stand.",
)
@click.option("--value", help="What the first row says from now on; of revise.")
@click.option("--json-value", is_flag=True, help="Read --value as JSON.")
@click.option("--reason", default="", help="Kept in the history.")
@click.option("--dry-run", is_flag=True, help="Answer, and write nothing.")
@common
def resolve(
    session: Session,
    memory_id: str,
    peer_id: str,
    *,
    action: str,
    value: str | None,
    json_value: bool,
    reason: str,
    dry_run: bool,
) -> None:
    """Decide a conflict between the rows MEMORY_ID and PEER_ID."""
    with session.handle(all_users=True) as agent:
        out = agent.conflicts.resolve(
            memory_id,
            peer_id,
            action,
            value=UNSET if value is None else _value(value, as_json=json_value),
            reason=reason,
            dry_run=dry_run,
        )
        _show(session, out)


def _value(text: str, *, as_json: bool) -> Any:
    if not as_json:
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        msg = "--value is not JSON; leave --json-value out to give it as text."
        raise InvalidRequest(msg, field="value") from None


@click.command()
@click.argument("memory_id")
@click.argument("decision", type=click.Choice(["accept", "reject"]))
@click.option("--reason", default="", help="Kept in the history.")
@click.option("--dry-run", is_flag=True, help="Answer, and write nothing.")
@common
def decide(
    session: Session, memory_id: str, decision: str, *, reason: str, dry_run: bool
) -> None:
    """Take the proposal MEMORY_ID, or turn it down."""
    with session.handle(all_users=True) as agent:
        out = agent.memory.proposal_decide(
            memory_id, decision, reason=reason, dry_run=dry_run
        )
        _show(session, out)


@click.command()
@click.argument("key", required=False)
@click.option("--id", "memory_id", help="The row's id instead of its key.")
@click.option("--reason", default="", help="Kept in the history.")
@click.option("--dry-run", is_flag=True, help="Answer, and write nothing.")
@common
def reject(
    session: Session,
    key: str | None,
    *,
    memory_id: str | None,
    reason: str,
    dry_run: bool,
) -> None:
    """Mark the memory under KEY as wrong: no read serves it again."""
    with session.handle() as agent:
        out = agent.memory.reject(key, memory_id=memory_id, reason=reason, dry_run=dry_run)
        _show(session, out)


def _show(session: Session, out: DecisionOutcome) -> None:
    if session.as_json:
        print_json(out)
        return
    print_outcome(
        [
            ("key", out.memory_key),
            ("decision", out.decision),
            ("status", styled(str(out.status))),
            ("against", out.peer_key),
            ("its status", styled(str(out.peer_status))),
            ("next", out.next),
        ]
    )


@namespace.command("sweep")
@common
def sweep(session: Session) -> None:
    """Tombstone what is past its end; reads do not serve it, swept or not."""
    with session.handle() as agent:
        out = agent.namespace.sweep()
        if session.as_json:
            print_json(out)
            return
        more = " There are more: call again." if out.swept_truncated else ""
        click.echo(f"{out.swept} tombstoned.{more}")
        if out.kept_locked:
            click.echo(f"Kept, because a lock holds: {', '.join(out.kept_locked)}")


@namespace.command("audit")
@click.option("--limit", type=int, default=1_000, show_default=True)
@click.option(
    "--unread-for-days",
    type=float,
    default=30.0,
    show_default=True,
    help="From which age on a memory counts as never read.",
)
@common
def audit(session: Session, *, limit: int, unread_for_days: float) -> None:
    """How memories are keyed, filled and used."""
    with session.handle(all_users=True) as agent:
        out = agent.namespace.audit(limit=limit, unread_for_days=unread_for_days)
        _show_survey(session, out)


@namespace.command("validate")
@click.option("--limit", type=int, default=1_000, show_default=True)
@common
def validate(session: Session, *, limit: int) -> None:
    """Whether every stored row is what the rules make of it."""
    with session.handle(all_users=True) as agent:
        _show_survey(session, agent.namespace.validate(limit=limit))


def _show_survey(session: Session, out: SurveyOutcome) -> None:
    if session.as_json:
        print_json(out)
        return
    counts: Iterable[str] = (f"{n} {code}" for code, n in sorted(out.counts.items()))
    found = ", ".join(counts) or "nothing found"
    click.echo(f"{out.examined} memories looked at: {found}.")
    rows = [(f.code, f.memory_key, f.message) for f in out.findings]
    if rows:
        print_rows(("finding", "key", "what to do"), rows)
    if out.truncated:
        click.echo("There are more findings: see --limit.")
