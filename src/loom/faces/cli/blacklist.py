"""Commands on patterns that refuse writes."""

from __future__ import annotations

import click

from loom.faces.cli.session import Session, common
from loom.faces.cli.show import print_json, print_outcome, print_rows, short_time
from loom.model.patterns import PatternScope, PatternType

__all__ = ["add", "blacklist", "list_", "remove", "sweep"]


@click.group()
def blacklist() -> None:
    """Patterns that refuse every future write they match."""


@blacklist.command("add")
@click.argument("pattern")
@click.option("--regex", is_flag=True, help="PATTERN is a regular expression (RE2).")
@click.option(
    "--scope",
    type=click.Choice([scope.value for scope in PatternScope]),
    default=PatternScope.NAMESPACE.value,
    show_default=True,
    help="Where it refuses.",
)
@click.option("--reason", default="", help="Shown to whoever is refused.")
@click.option("--keys", "match_keys", is_flag=True, help="Match keys as well.")
@click.option("--sweep", is_flag=True, help="Tombstone what is stored already and matches.")
@common
def add(
    session: Session,
    pattern: str,
    *,
    regex: bool,
    scope: str,
    reason: str,
    match_keys: bool,
    sweep: bool,
) -> None:
    """Refuse every future write that contains PATTERN."""
    kind = PatternType.REGEX if regex else PatternType.SUBSTRING
    with session.handle(create=True) as agent:
        out = agent.blacklist.add(
            pattern,
            pattern_type=kind,
            scope=scope,
            reason=reason,
            match_keys=match_keys,
            sweep=sweep,
        )
    if session.as_json:
        print_json(out)
        return
    swept = out.sweep
    print_outcome(
        [
            ("pattern", out.pattern.pattern_id),
            ("scope", str(out.pattern.scope)),
            ("noop", "an equal pattern was in force already" if out.noop else ""),
            ("swept", "" if swept is None else str(swept.swept)),
            ("kept, locked", "" if swept is None else ", ".join(swept.kept_locked)),
        ]
    )


@blacklist.command("list")
@click.option("--removed", is_flag=True, help="Removed ones as well.")
@common
def list_(session: Session, *, removed: bool) -> None:
    """List the patterns in force; with --json a line each."""
    with session.handle() as agent:
        patterns = agent.blacklist.list(include_removed=removed)
    if session.as_json:
        for pattern in patterns:
            print_json(pattern)
        return
    print_rows(
        ("id", "pattern", "type", "scope", "reason", "by", "added", "removed"),
        [
            (
                pattern.pattern_id,
                pattern.pattern,
                str(pattern.pattern_type),
                str(pattern.scope),
                pattern.reason,
                pattern.actor,
                short_time(pattern.created_at),
                short_time(pattern.removed_at),
            )
            for pattern in patterns
        ],
    )


@blacklist.command("remove")
@click.argument("pattern_id")
@common
def remove(session: Session, pattern_id: str) -> None:
    """Lift the pattern of that id."""
    with session.handle() as agent:
        out = agent.blacklist.remove(pattern_id)
    if session.as_json:
        print_json(out)
        return
    print_outcome([("removed", out.pattern.pattern_id)])


@blacklist.command("sweep")
@common
def sweep(session: Session) -> None:
    """Tombstone stored memories that a pattern in force matches."""
    with session.handle() as agent:
        out = agent.blacklist.sweep()
    if session.as_json:
        print_json(out)
        return
    print_outcome(
        [
            ("swept", str(out.swept)),
            ("keys", ", ".join(out.swept_keys)),
            ("kept, locked", ", ".join(out.kept_locked)),
            ("unfinished", "call again to go on" if out.swept_truncated else ""),
        ]
    )
