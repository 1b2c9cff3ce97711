"""Commands on what was: the versions of a key, the events of a namespace, and redaction."""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich.text import Text

from loom.faces.cli.session import Session, common
from loom.faces.cli.show import (
    given,
    print_error,
    print_json,
    print_outcome,
    print_rows,
    short_time,
    shown_value,
    styled,
)
from loom.model.history import Version, differences

__all__ = ["history", "redact", "timeline"]


@click.command()
@click.argument("key")
@click.option("--all-agents", is_flag=True, help="Versions by every agent.")
@click.option("--diff", "differs", is_flag=True, help="Show what each version changed.")
@common
def history(session: Session, key: str, *, all_agents: bool, differs: bool) -> None:
    """Show every version of KEY, newest first; with --json a line each."""
    with session.handle() as agent:
        versions = agent.memory.history(key, agent_id="*" if all_agents else None)
    if not versions:
        print_error(f"loom: {key} has no versions that you may see.")
        raise click.exceptions.Exit(1)
    if session.as_json:
        for version in versions:
            print_json(version)
    elif differs:
        _print_differences(versions)
    else:
        _print_versions(versions)


def _print_versions(versions: Sequence[Version]) -> None:
    print_rows(
        ("written", "event", "status", "value", "version", "by"),
        [
            (
                short_time(version.written_at),
                styled(version.event),
                styled(version.status),
                shown_value(version),
                version.version,
                f"{version.actor} as {version.agent}",
            )
            for version in versions
        ],
    )


def _print_differences(versions: Sequence[Version]) -> None:
    """Words that were removed are marked `[-so-]`, words that were added `{+so+}`."""
    print_rows(
        ("written", "event", "by", "what changed"),
        [
            (
                short_time(version.written_at),
                styled(version.event),
                f"{version.actor} as {version.agent}",
                "\n".join(map(str, changes)) if version.parent else shown_value(version),
            )
            for version, changes in differences(versions)
        ],
    )


@click.command()
@click.option("--since", help="Changes at or after, ISO 8601 with an offset.")
@click.option("--until", help="Changes before.")
@click.option("--limit", default=100, show_default=True)
@click.option("--cursor", help="Where an earlier page ended.")
@common
def timeline(session: Session, **options: str | int | None) -> None:
    """Show what happened to all the memories of the namespace, newest first."""
    with session.handle() as agent:
        page = agent.namespace.timeline(**given(options))
    if session.as_json:
        for version in page.items:
            print_json(version)
    else:
        print_rows(
            ("written", "event", "key", "value", "changed", "by"),
            [_row_of(version) for version in page.items],
        )
    if page.cursor is not None:
        print_error(f"There are more: go on with --cursor {page.cursor}")


def _row_of(version: Version) -> tuple[str | Text, ...]:
    return (
        short_time(version.written_at),
        styled(version.event),
        version.memory_key,
        shown_value(version),
        ", ".join(version.changes),
        f"{version.actor} as {version.agent}",
    )


@click.command()
@click.argument("memory_id")
@click.argument("version", type=int)
@click.option("--reason", default="", help="Kept in the history; do not repeat the text.")
@click.option("--no-rewrite", is_flag=True, help="Leave the file's rewriting for later.")
@common
def redact(
    session: Session, memory_id: str, version: int, *, reason: str, no_rewrite: bool
) -> None:
    """Remove what VERSION of MEMORY_ID said, wherever it was copied; see `loom history`.

    Exit code 1 where nothing was removed.
    """
    with session.handle() as agent:
        out = agent.memory.redact(memory_id, version, reason=reason, rewrite=not no_rewrite)
    if session.as_json:
        print_json(out)
    else:
        print_outcome(
            [
                ("redacted", "yes" if out.redacted else "no"),
                ("versions", out.versions),
                ("entries", out.entries),
                ("next", out.next),
            ]
        )
    if not out.redacted:
        raise click.exceptions.Exit(1)
