"""Commands on the store itself: its counts, its embedder."""

from __future__ import annotations

import click

from loom.faces.cli.session import Session, common, require_store
from loom.faces.cli.show import print_json, print_outcome
from loom.faces.cli.transfer import progress_bar
from loom.faces.reembed import reembed as reembed_store

__all__ = ["reembed", "stats"]


@click.command()
@common
def stats(session: Session) -> None:
    """Count what a namespace holds, of every user unless --user names one."""
    with session.handle(all_users=True) as agent:
        out = agent.namespace.stats()
    if session.as_json:
        print_json(out)
        return
    print_outcome(
        [
            ("namespace", f"{out.org}/{out.namespace}"),
            ("memories", f"{out.memories:,}"),
            *((f"  {status}", f"{n:,}") for status, n in out.by_status.items()),
            ("versions", f"{out.versions:,}"),
            ("backend", out.backend),
            ("embedder", out.embedder),
        ]
    )


@click.command()
@common
def reembed(session: Session) -> None:
    """Change the store's embedder to the one --embedder names.

    Every version is embedded again. An interrupted run goes on where it stopped; until it
    is done the store opens with its old embedder.
    """
    if session.embedder is None:
        msg = "Name the new embedder with --embedder lexical or --embedder minilm."
        raise click.UsageError(msg)
    require_store(session.store)
    with progress_bar("reembed", None, silent=session.as_json) as advance:
        out = reembed_store(session.store, embedder=session.embedder, progress=advance)
    if session.as_json:
        print_json(out)
        return
    print_outcome(
        [
            ("embedder", f"{out.embedder} ({out.dimension} dimensions)"),
            ("before", out.before),
            ("noop", "it was the store's embedder already" if out.noop else ""),
            ("resumed", "an earlier run went on" if out.resumed else ""),
            ("contents", f"{out.contents:,}"),
            ("versions", f"{out.versions:,}"),
        ]
    )
