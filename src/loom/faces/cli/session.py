"""Options that every command takes, and the handle they name."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import click
from attrs import fields, frozen

from loom.backends.connect import store_embedder
from loom.errors import StoreUnavailable
from loom.faces.sync import AgentHandle, open_store
from loom.model.identity import ANONYMOUS
from loom.settings import Settings

__all__ = ["Session", "common", "embedder_for", "require_store"]

F = TypeVar("F", bound=Callable[..., Any])

_IN_MEMORY: Final = (":memory:", "memory://")
_OPTIONS: Final = (
    click.option(
        "--store",
        envvar="LOOM_STORE",
        default="memory.duckdb",
        show_default=True,
        show_envvar=True,
        help="Path or URL of the store.",
    ),
    click.option("--org", default="dev", show_default=True, help="The organisation."),
    click.option(
        "--namespace",
        default="local",
        show_default=True,
        help="The part of it that agents share.",
    ),
    click.option("--agent", default="cli", show_default=True, help="Who writes."),
    click.option(
        "--user",
        default=None,
        help='Whom memories are about; "-" is nobody, "*" reads every user\'s.',
    ),
    click.option("--session", default="", help="Which conversation or task."),
    click.option(
        "--embedder",
        type=click.Choice(["lexical", "minilm"]),
        default=None,
        help="What texts are compared by. The store's own by default.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Answer in JSON."),
)


@frozen(kw_only=True, slots=True)
class Session:
    """What the common options say."""

    store: str
    org: str
    namespace: str
    agent: str
    #: None where it was not said: nobody, or every user where a command says so.
    user: str | None
    session: str
    embedder: str | None
    as_json: bool

    @contextmanager
    def handle(
        self, *, create: bool = False, all_users: bool = False
    ) -> Iterator[AgentHandle]:
        """The agent's handle in the open store, closed at the end.

        Args:
            create: make the store if it is not there.
            all_users: read every user's rows where no user is named.

        Raises:
            StoreUnavailable: there is no store, and none is to be made.
        """
        if not create:
            require_store(self.store)
        user = self.user or ("*" if all_users and self.user is None else ANONYMOUS)
        with open_store(
            self.store,
            embedder=embedder_for(self.store, self.embedder),
            settings=Settings.from_env(),
        ) as store:
            yield store.agent(
                self.agent,
                org=self.org,
                namespace=self.namespace,
                user_id=user,
                session_id=self.session,
            )


def require_store(url: str) -> None:
    """Let the call go on if there is a store.

    Raises:
        StoreUnavailable: there is none at that place.
    """
    if url in _IN_MEMORY or not _is_path(url) or Path(url).exists():
        return
    msg = f"There is no store at {url}. Write to it first, or name another with --store."
    raise StoreUnavailable(msg)


def _is_path(url: str) -> bool:
    return "://" not in url


def embedder_for(url: str, named: str | None) -> str | None:
    """The embedder to open a store with: the one named, else the one it was written with."""
    if named is not None:
        return named
    recorded = store_embedder(url)
    return "minilm" if recorded and recorded[0].startswith("minilm") else None


def common(command: F) -> F:
    """Give a command the common options, as its first argument `session`."""

    @functools.wraps(command)
    def with_session(**options: Any) -> Any:
        names = [field.name for field in fields(Session)]
        said = {name: options.pop(name) for name in names}
        return command(Session(**said), **options)

    for option in reversed(_OPTIONS):
        with_session = option(with_session)
    return cast("F", with_session)
