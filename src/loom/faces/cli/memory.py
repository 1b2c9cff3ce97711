"""Commands on memories: set, get, search, list, pin, delete, restore."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from loom.errors import InvalidRequest
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
    value_text,
)
from loom.model.memory import MemoryRow
from loom.model.unset import UNSET
from loom.operations.answers import SearchOutcome, SetOutcome

__all__ = ["delete", "get", "list_", "pin", "restore", "search", "set_"]

F = TypeVar("F", bound=Callable[..., Any])


def _stated(command: F) -> F:
    """Options of what can be said beside a value."""
    for option in (
        click.option("--json-value", is_flag=True, help="Read VALUE as JSON."),
        click.option("--type", "memory_type", help="Memory type (semantic by default)."),
        click.option("--tag", "tags", multiple=True, help="A tag; may be repeated."),
        click.option("--entity", "entities", multiple=True, help="An entity; repeatable."),
        click.option(
            "--file", "files", multiple=True, help="A file it is about; repeatable."
        ),
        click.option("--confidence", type=float, help="0 to 1."),
        click.option("--valid-at", help="When it became true, ISO 8601 with an offset."),
        click.option("--valid-to", help="When it stopped being true."),
        click.option("--ttl", type=float, help="Seconds until it expires."),
        click.option("--expires-at", help="The same as an instant."),
        click.option("--clear-expiry", is_flag=True, help="Remove an expiry set earlier."),
        click.option(
            "--on-expire",
            type=click.Choice(["tombstone", "keep"]),
            help="What a sweep makes of it then.",
        ),
        click.option(
            "--sensitivity",
            type=click.Choice(["low", "medium", "high"]),
            help="How sensitive it is; detected by default.",
        ),
        click.option("--source", help="Id of where it comes from."),
        click.option("--if-match", help="Write only over this content hash."),
        click.option("--dry-run", is_flag=True, help="Answer, and write nothing."),
    ):
        command = option(command)
    return command


def _filters(command: F) -> F:
    """Options that narrow a search or a list."""
    for option in (
        click.option("--prefix", help="Only keys at or below this path."),
        click.option(
            "--tag", "tags", multiple=True, help="Only with this tag; repeatable."
        ),
        click.option(
            "--tags-match",
            type=click.Choice(["all", "any"]),
            help="Whether all of the tags are needed (the default) or any.",
        ),
        click.option("--type", "memory_type", help="Only of this memory type."),
        click.option(
            "--entity", "entities", multiple=True, help="Only about it; repeatable."
        ),
        click.option("--file", "files", multiple=True, help="About any of these files."),
    ):
        command = option(command)
    return command


def _arguments(options: dict[str, Any]) -> dict[str, Any]:
    """The options that were given, under the names of `memory.set`."""
    names = {
        "ttl": "ttl_seconds",
        "source": "source_resource_id",
        "if_match": "if_match_sha256",
    }
    return {names.get(name, name): value for name, value in given(options).items()}


def _value(text: str, *, as_json: bool) -> Any:
    """The value of a command: its text, the standard input for `-`, or JSON."""
    if text == "-":
        text = sys.stdin.read().rstrip("\n")
    if not as_json:
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        msg = "VALUE is not JSON; leave --json-value out to store it as text."
        raise InvalidRequest(msg, field="value") from None


@click.command("set")
@click.argument("key")
@click.argument("value")
@_stated
@click.option("--pin", "pinned", is_flag=True, help="Pin it.")
@click.option(
    "--proposed", is_flag=True, help="Put it on trial: `loom review` decides about it."
)
@common
def set_(
    session: Session, key: str, value: str, *, json_value: bool, **options: Any
) -> None:
    """Learn VALUE under KEY ("-" reads it from standard input)."""
    with session.handle(create=True) as agent:
        said = _value(value, as_json=json_value)
        _show_written(session, agent.memory.set(key, said, **_arguments(options)))


@click.command()
@click.argument("key")
@click.argument("value", required=False)
@_stated
@common
def pin(
    session: Session, key: str, value: str | None, *, json_value: bool, **options: Any
) -> None:
    """Pin the memory under KEY, or store VALUE there and pin it."""
    with session.handle(create=value is not None) as agent:
        said = UNSET if value is None else _value(value, as_json=json_value)
        _show_written(session, agent.memory.pin(key, said, **_arguments(options)))


def _show_written(session: Session, out: SetOutcome) -> None:
    if session.as_json:
        print_json(out)
        return
    print_outcome(
        [
            ("key", out.memory_key),
            ("verdict", styled(out.conflict_verdict)),
            ("status", styled(str(out.status))),
            ("pinned", "yes" if out.pinned else ""),
            ("merged into", out.merged_into_key),
            ("dry run", "nothing was written" if out.dry_run else ""),
            ("hash", out.content_sha256),
            ("advice", "; ".join(out.advisories)),
            ("next", out.next),
        ]
    )
    if out.peers:
        print_rows(
            ("peer", "says", "cosine", "relation", "why"),
            [
                (
                    peer.memory_key,
                    value_text(peer.value),
                    f"{peer.similarity:.3f}",
                    styled(str(peer.relation)),
                    "\n".join(peer.reasons),
                )
                for peer in out.peers
            ],
        )


@click.command()
@click.argument("key")
@common
def get(session: Session, key: str) -> None:
    """Show what KEY answers with; exit code 1 where that is nothing."""
    with session.handle() as agent:
        row = agent.memory.get(key)
    if row is None:
        print_error(f"loom: nothing is served under {key}.")
        raise click.exceptions.Exit(1)
    if session.as_json:
        print_json(row)
        return
    print_outcome(_described(row))


def _described(row: MemoryRow) -> list[tuple[str, Any]]:
    return [
        ("key", row.memory_key),
        ("value", value_text(row.value)),
        ("status", styled(str(row.status))),
        ("pinned", "yes" if row.pinned else ""),
        ("type", row.memory_type),
        ("tags", ", ".join(row.tags)),
        ("confidence", f"{row.confidence:g}"),
        ("stated", f"{row.reinforcement_count}x"),
        ("valid at", short_time(row.valid_at)),
        ("valid to", short_time(row.valid_to)),
        ("expires", short_time(row.expires_at)),
        ("in conflict with", ", ".join(row.conflict_with)),
        ("answers for", row.resolved_from),
        ("by", f"{row.actor} as {row.agent}, user {row.user_id}"),
        ("written", short_time(row.updated_at)),
        ("id", row.memory_id),
        ("hash", row.content_sha256),
    ]


@click.command()
@click.argument("query")
@click.option("--top-k", type=int, default=10, show_default=True, help="How many hits.")
@_filters
@click.option("--soft-tag", "tags_soft", multiple=True, help="Move up rows with this tag.")
@click.option("--demote-tag", "demote_tags", multiple=True, help="Sink rows with this tag.")
@click.option("--include-duplicates", is_flag=True, help="Duplicates as well.")
@click.option("--include-superseded", is_flag=True, help="Replaced memories as well.")
@click.option("--include-proposed", is_flag=True, help="Proposals as well.")
@click.option("--explain", is_flag=True, help="Say why each hit is one.")
@common
def search(
    session: Session, query: str, *, top_k: int, explain: bool, **options: Any
) -> None:
    """Find what says most about QUERY; an abstention is an answer too."""
    with session.handle() as agent:
        found = agent.memory.search(
            query, top_k=top_k, explain=explain, **_arguments(options)
        )
    if session.as_json:
        print_json(found)
        return
    _show_found(found)


def _show_found(found: SearchOutcome) -> None:
    if found.abstain:
        print_outcome([("no answer", found.abstain_reason), ("code", found.abstain_code)])
        return
    print_rows(
        ("#", "key", "says", "status", "cosine"),
        [
            (
                hit.rank,
                hit.memory_key,
                "\n".join((hit.excerpt, *hit.explanation)),
                styled(hit.status),
                "" if hit.similarity is None else f"{hit.similarity:.3f}",
            )
            for hit in found.hits
        ],
    )
    if found.truncated:
        print_error("More rows passed; ask for them with --top-k.")


@click.command("list")
@_filters
@click.option(
    "--order",
    type=click.Choice(["key", "newest", "oldest"]),
    default="key",
    show_default=True,
    help="By key, or by when it became true (else was first written).",
)
@click.option("--status", help='A status instead of the served ones, or "*".')
@click.option("--limit", type=int, default=100, show_default=True, help="At most so many.")
@click.option("--cursor", help="Where an earlier list ended.")
@common
def list_(session: Session, *, limit: int, cursor: str | None, **options: Any) -> None:
    """List memories; with --json a line each."""
    with session.handle() as agent:
        page = agent.memory.list(limit=limit, cursor=cursor, **_arguments(options))
    if session.as_json:
        for row in page.items:
            print_json(row)
    else:
        print_rows(
            ("key", "value", "status", "tags", "written"),
            [
                (
                    row.memory_key,
                    shown_value(row),
                    styled(str(row.status)),
                    ", ".join(row.tags),
                    short_time(row.updated_at),
                )
                for row in page.items
            ],
        )
    if page.cursor is not None:
        print_error(f"There are more: go on with --cursor {page.cursor}")


@click.command()
@click.argument("key")
@click.option("--mine-only", is_flag=True, help="Only the row of this agent and session.")
@click.option("--dry-run", is_flag=True, help="Answer, and write nothing.")
@common
def delete(session: Session, key: str, *, mine_only: bool, dry_run: bool) -> None:
    """Delete what stands under KEY; exit code 1 where that is nothing."""
    with session.handle() as agent:
        out = agent.memory.delete(key, mine_only=mine_only, dry_run=dry_run)
    if session.as_json:
        print_json(out)
    else:
        rows = ", ".join(f"{row.memory_key} ({row.agent})" for row in out.rows)
        print_outcome([("deleted", out.count or "0"), ("rows", rows), ("next", out.next)])
    if not out.found:
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("key")
@click.option("--clear-expiry", is_flag=True, help="Remove an expiry that has passed.")
@click.option("--dry-run", is_flag=True, help="Answer, and write nothing.")
@common
def restore(session: Session, key: str, *, clear_expiry: bool, dry_run: bool) -> None:
    """Bring back what the newest delete of KEY took."""
    with session.handle() as agent:
        out = agent.memory.restore(key, clear_expiry=clear_expiry, dry_run=dry_run)
    if session.as_json:
        print_json(out)
        return
    rows = ", ".join(f"{row.memory_key} ({row.status})" for row in out.rows)
    print_outcome([("restored", out.count), ("rows", rows), ("next", out.next)])
