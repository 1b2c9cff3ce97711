"""The synchronous face: an open store and handles bound to an identity."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any, Self

from loom.backends.connect import connect
from loom.embedders.choose import choose_embedder
from loom.faces.groups import (
    Blacklist,
    Calibration,
    Conflicts,
    Erasure,
    Memories,
    Namespace,
)
from loom.model.identity import Identity
from loom.model.provenance import Caller
from loom.operations.base import Request, checked_identity, perform
from loom.operations.opening import Env, Judge, Lenses, capabilities_of, close_env, open_env
from loom.operations.store_counts import counts_of
from loom.ports import Clock, Embedder, Ids, SystemClock
from loom.settings import Settings
from loom.storage.contract import Capabilities

__all__ = ["AgentHandle", "Loom", "open_store"]


class _Handle:
    """Operations performed as one identity."""

    def __init__(self, env: Env, identity: Identity) -> None:
        self._env = env
        self._identity = identity
        self.memory = Memories(self._perform)
        self.blacklist = Blacklist(self._perform)
        self.calibration = Calibration(self._perform)
        self.conflicts = Conflicts(self._perform)
        self.erasure = Erasure(self._perform)
        self.namespace = Namespace(self._perform)

    def _perform(self, request: Request[Any]) -> Any:
        return perform(request, self._env, self._identity)


class AgentHandle(_Handle):
    """One agent's memory: what it writes is its own, what it reads R-04 decides."""

    @property
    def identity(self) -> Identity:
        """Whom the handle writes as."""
        return self._identity

    def __repr__(self) -> str:
        i = self._identity
        return f"<agent {i.agent!r} of {i.org}/{i.namespace}, user {i.user_id!r}>"


class Loom(_Handle):
    """An open store. A context manager; closing it finishes what is queued."""

    def __init__(self, env: Env, url: str) -> None:
        super().__init__(env, Identity())
        self._url = url

    def agent(
        self,
        agent: str,
        *,
        org: str = "dev",
        namespace: str = "local",
        user_id: str = "-",
        session_id: str = "",
        run_id: str = "",
    ) -> AgentHandle:
        """A handle bound to an identity.

        Args:
            agent: who writes.
            org: the organisation.
            namespace: the part of it that agents share.
            user_id: whom the memories are about; `"-"` is nobody in particular, and `"*"`
                makes a handle that reads every user's rows and writes none.
            session_id: which conversation or task; may be empty.
            run_id: recorded on what is written.

        Raises:
            InvalidRequest: a part is malformed (R-01).
        """
        identity = checked_identity(
            org=org,
            namespace=namespace,
            agent=agent,
            user_id=user_id,
            session_id=session_id,
            run_id=run_id,
        )
        return AgentHandle(self._env, identity)

    def capabilities(self) -> Capabilities:
        """What the store promises, and which embedder it is bound to."""
        return capabilities_of(self._env)

    def close(self) -> None:
        """Finish what is queued and let go of the file; a second call does nothing."""
        close_env(self._env)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _repr_html_(self) -> str:
        """Its counts, for notebooks."""
        from loom.faces.display import store_html  # noqa: PLC0415 - for notebooks alone

        return store_html(self._url, counts_of(self._env))

    def __repr__(self) -> str:
        return f"<loom store {self._url!r}, embedder {self._env.embedder.name!r}>"


def open_store(
    url: str | os.PathLike[str],
    *,
    embedder: str | Embedder | None = None,
    caller: Caller | None = None,
    settings: Settings | None = None,
    clock: Clock | None = None,
    ids: Ids | None = None,
    lenses: Lenses | None = None,
    judge: Judge | None = None,
) -> Loom:
    """Open a store, and make it if it is not there.

    Args:
        url: a path such as `"memory.duckdb"`, `"duckdb:///path"`, or `":memory:"`.
        embedder: `"lexical"` (the default: no weights, no download), `"minilm"` (with
            the extra of that name), or your own `Embedder`.
        caller: who acts; the local process by default (R-07).
        settings: limits and thresholds.
        clock: where the time comes from.
        ids: where new ids come from.
        lenses: your own chains of rules.
        judge: your own way of comparing two claims, in the chains as they are.

    Raises:
        InvalidRequest: the URL names no backend there is.
        EmbedderMismatch: the store was written with another embedder.
        StoreLocked: another process has the file open.
        SchemaTooNew: a newer version of this library wrote it.
    """
    chosen = choose_embedder(embedder)
    clock = clock or SystemClock()
    name = os.fspath(url)
    storage = connect(name, clock=clock, space=chosen.name, dimension=chosen.dimension)
    try:
        env = open_env(
            storage,
            chosen,
            clock,
            caller=caller,
            settings=settings,
            ids=ids,
            lenses=lenses,
            judge=judge,
        )
    except BaseException:
        storage.close()
        raise
    return Loom(env, name)
