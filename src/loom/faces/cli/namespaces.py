"""Commands on what a namespace says, and on the thresholds in force in it."""

from __future__ import annotations

import json
from typing import Any

import click

from loom.faces.cli.session import Session, common
from loom.faces.cli.show import print_json, print_outcome, print_rows, short_time
from loom.faces.cli.upkeep import stats
from loom.model.namespace import ConflictPolicy, NamespaceRow

__all__ = ["calibration", "get", "list_", "namespace", "register"]

_CLEARABLE = (
    "description",
    "default_conflict_policy",
    "conflict_threshold",
    "duplicate_threshold",
    "retention_days",
    "tag_registry",
    "type_registry",
)


class _Rules(click.ParamType[dict[str, Any]]):
    """A registry as JSON."""

    name = "json"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> dict[str, Any]:
        """The object that the text is."""
        try:
            found = json.loads(value) if isinstance(value, str) else value
        except ValueError:
            found = None
        if not isinstance(found, dict):
            self.fail("it is no JSON object.", param, ctx)
        return found


@click.group()
def namespace() -> None:
    """What holds in a namespace: its conflict policy, thresholds and rules by tag."""


@namespace.command("register")
@click.option("--description", default=None, help="What the namespace is for.")
@click.option(
    "--policy",
    "default_conflict_policy",
    type=click.Choice([policy.value for policy in ConflictPolicy]),
    default=None,
    help="What a contradiction does.",
)
@click.option(
    "--conflict-threshold", type=float, default=None, help="A cosine, 0 to 1, to pin."
)
@click.option(
    "--duplicate-threshold", type=float, default=None, help="A cosine, 0 to 1, to pin."
)
@click.option(
    "--retention-days", type=float, default=None, help="Days that every row is kept."
)
@click.option(
    "--tags",
    "tag_registry",
    type=_Rules(),
    default=None,
    help='Rules by tag, such as \'{"case": {"dedup": false, "retention_days": 30}}\'.',
)
@click.option(
    "--types",
    "type_registry",
    type=_Rules(),
    default=None,
    help='Rules by type, such as \'{"decision": {"conflict_threshold": 0.9}}\'.',
)
@click.option(
    "--clear",
    type=click.Choice(_CLEARABLE),
    multiple=True,
    help="Forget what was said of this; may be given again.",
)
@common
def register(session: Session, *, clear: tuple[str, ...], **said: Any) -> None:
    """Say what holds from now on; what is left out stays as it is."""
    given = {name: value for name, value in said.items() if value is not None}
    both = sorted(set(given) & set(clear))
    if both:
        msg = f"{both[0]} is both given and cleared."
        raise click.UsageError(msg)
    with session.handle(create=True) as agent:
        out = agent.namespace.register(**given, **dict.fromkeys(clear))
    if session.as_json:
        print_json(out)
        return
    print_outcome(
        [
            ("noop", "it said all of this already" if out.noop else ""),
            ("changed", ", ".join(out.changed)),
            *_said(out.settings),
        ]
    )


@namespace.command("get")
@common
def get(session: Session) -> None:
    """Show what holds in a namespace."""
    with session.handle() as agent:
        found = agent.namespace.get()
    if session.as_json:
        print_json(found)
        return
    print_outcome(_said(found))


@namespace.command("list")
@common
def list_(session: Session) -> None:
    """List the registered namespaces of the organisation; with --json a line each."""
    rows: list[NamespaceRow] = []
    with session.handle() as agent:
        page = agent.namespace.list()
        rows.extend(page.items)
        while page.cursor is not None:
            page = agent.namespace.list(cursor=page.cursor)
            rows.extend(page.items)
    if session.as_json:
        for row in rows:
            print_json(row)
        return
    print_rows(
        ("namespace", "policy", "tags", "types", "description", "by", "updated"),
        [
            (
                row.namespace,
                str(row.default_conflict_policy),
                str(len(row.tag_registry)),
                str(len(row.type_registry)),
                row.description,
                row.actor,
                short_time(row.updated_at),
            )
            for row in rows
        ],
    )


namespace.add_command(stats)


def _said(row: NamespaceRow) -> list[tuple[str, str]]:
    unsaid = "" if row.registered else "never registered: these are the defaults"
    return [
        ("namespace", f"{row.org}/{row.namespace}"),
        ("note", unsaid),
        ("description", row.description),
        ("policy", str(row.default_conflict_policy)),
        ("conflict threshold", _number(row.conflict_threshold)),
        ("duplicate threshold", _number(row.duplicate_threshold)),
        ("retention days", _number(row.retention_days)),
        *((f"tag {tag}", _rule(rule)) for tag, rule in row.tag_registry.items()),
        *((f"type {kind}", _rule(rule)) for kind, rule in row.type_registry.items()),
        ("by", row.actor),
        ("registered", short_time(row.created_at)),
        ("updated", short_time(row.updated_at)),
    ]


def _rule(rule: Any) -> str:
    said = [f"{name} {rule[name]}" for name in rule if rule[name] is not None]
    return ", ".join(said) or "nothing"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


@click.command()
@click.option("--type", "memory_type", default=None, help="Of which memory type.")
@common
def calibration(session: Session, *, memory_type: str | None) -> None:
    """Show the thresholds in force, and where each came from."""
    with session.handle() as agent:
        out = agent.calibration.get(memory_type=memory_type)
    if session.as_json:
        print_json(out)
        return
    print_outcome(
        [
            ("namespace", f"{out.org}/{out.namespace}"),
            ("type", out.memory_type),
            ("embedder", f"{out.embedder} ({out.dimension} dimensions)"),
            ("conflict", f"{out.conflict_threshold:.4g} from {out.conflict_source}"),
            ("duplicate", f"{out.duplicate_threshold:.4g} from {out.duplicate_source}"),
            *(
                (f"type {kind}", f"{found.conflict:.4g} / {found.duplicate:.4g}")
                for kind, found in out.by_type.items()
            ),
            ("note", out.note),
        ]
    )
    if out.distribution is not None:
        figures = out.distribution
        print_rows(
            ("pairs of the embedder's own", "cosine"),
            [
                ("that say the same", f"{figures.restated:.3f}"),
                ("that differ in one value", f"{figures.rival:.3f}"),
                ("of one subject", f"{figures.related:.3f}"),
                (
                    "unrelated",
                    f"{figures.background_mean:.3f} ± {figures.background_sd:.3f}",
                ),
            ],
        )
