"""Commands that erase a person's data from every namespace of an org."""

from __future__ import annotations

import click

from loom.faces.cli.session import Session, common
from loom.faces.cli.show import print_error, print_json, print_rows, short_time
from loom.faces.display import plain
from loom.model.erasure import ErasureRow

__all__ = ["erasure", "list_", "request", "run", "status"]


@click.group()
def erasure() -> None:
    """Erase a person: every memory of theirs, in every namespace of the org."""


@erasure.command("request")
@click.argument("subject")
@click.option("--reason", default="", help="Kept with the certificate; name nobody in it.")
@common
def request(session: Session, subject: str, *, reason: str) -> None:
    """Ask that everything of the user SUBJECT be erased; `erasure run` does it."""
    with session.handle() as agent:
        out = agent.erasure.request(subject, reason=reason)
    if session.as_json:
        print_json(plain(out))
        return
    print_error("It had been asked for before." if out.noop else "It waits to be run.")
    if out.salt:
        print_error(f"Salt of its certificate, shown this once: {out.salt}")
    print_error(f"Next: loom erasure run {out.erasure.erasure_id}")


@erasure.command("run")
@click.argument("erasure_id")
@common
def run(session: Session, erasure_id: str) -> None:
    """Erase, or go on with an erasure that was interrupted; shows the certificate."""
    with session.handle() as agent:
        _show(session, (agent.erasure.run(erasure_id),))


@erasure.command("status")
@click.argument("erasure_id")
@common
def status(session: Session, erasure_id: str) -> None:
    """How far an erasure is; once it is done, its certificate."""
    with session.handle() as agent:
        _show(session, (agent.erasure.status(erasure_id),))


@erasure.command("list")
@click.option("--unfinished", is_flag=True, help="Those alone that are not at their end.")
@click.option("--limit", default=100, show_default=True)
@common
def list_(session: Session, *, unfinished: bool, limit: int) -> None:
    """The org's erasures, newest first."""
    with session.handle() as agent:
        page = agent.erasure.list(unfinished=unfinished, limit=limit)
    _show(session, page.items)
    if page.cursor is not None and not session.as_json:
        print_error(f"There are more than {limit}; raise --limit.")


def _show(session: Session, rows: tuple[ErasureRow, ...]) -> None:
    if session.as_json:
        for row in rows:
            print_json(plain(row))
        return
    print_rows(
        ("erasure", "state", "asked", "done", "removed", "commitment"),
        [
            (
                row.erasure_id,
                str(row.state),
                short_time(row.requested_at),
                short_time(row.finished_at) if row.finished_at else "",
                ", ".join(f"{n} {name}" for name, n in row.counts.items()),
                row.commitment[:16],
            )
            for row in rows
        ],
    )
