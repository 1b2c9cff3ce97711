"""Commands that keep a namespace in a file and write it back."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from loom.errors import NotFound
from loom.faces.cli.session import Session, common
from loom.faces.cli.show import print_error, print_json, print_rows, styled
from loom.faces.display import plain
from loom.faces.snapshots import read_snapshot, write_snapshot

__all__ = ["restore_namespace", "snapshot"]


@click.command("snapshot")
@click.argument("file", default="-")
@click.option("--history", is_flag=True, help="Older versions as well.")
@click.option("--embeddings", is_flag=True, help="Vectors as well: no embedding later.")
@click.option(
    "--audit-tail", default=1_000, show_default=True, help="Audit entries, newest first."
)
@common
def snapshot(
    session: Session, file: str, *, history: bool, embeddings: bool, audit_tail: int
) -> None:
    """Write the namespace as it is to FILE ("-" is standard output).

    With its settings and every user's memories; `loom namespace restore` writes it back. A FILE
    appears when it is whole.
    """
    with session.handle(all_users=True) as agent:
        written = write_snapshot(
            agent,
            sys.stdout if file == "-" else file,
            history=history,
            include_embeddings=embeddings,
            include_audit_tail_n=audit_tail,
        )
    print_error(
        f"Snapshot {written.snapshot_id}: {written.memories:,} memories and "
        f"{written.versions:,} older versions."
    )
    if written.withheld:
        print_error(
            f"{written.withheld:,} kept as secret were left out: `loom get` reads each by "
            "its key."
        )


@click.command("restore")
@click.argument("file")
@click.option("--into", default="", help="The namespace; by default --namespace.")
@click.option("--rebind-agent", default=None, help="Every row's writer from now on.")
@common
def restore_namespace(
    session: Session, file: str, *, into: str, rebind_agent: str | None
) -> None:
    """Write a snapshot back from FILE, whole or not at all.

    The file is checked from its first line to its last before anything is written. The
    same snapshot a second time changes nothing.
    """
    if not Path(file).is_file():
        msg = f"There is no file {file!r}."
        raise NotFound(msg)
    with session.handle(create=True, all_users=True) as agent:
        target = into or agent.identity.namespace
        out = agent.namespace.restore(
            target, read_snapshot(file), rebind_agent=rebind_agent
        )
    if session.as_json:
        print_json(plain(out))
        return
    if not out.restored:
        print_error(f"This snapshot was restored into {target} before: nothing was done.")
        return
    print_rows(
        ("answer", "memories"),
        [(styled(name), f"{n:,}") for name, n in sorted(out.counts.items())],
    )
    if out.renamed:
        print_error(f"{out.renamed:,} got new ids: theirs stand elsewhere in this store.")
    if out.filed:
        print_error(f"{out.filed:,} were filed under another agent's row of their key.")
