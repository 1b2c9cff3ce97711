"""The asynchronous face: the same operations, run in a bounded pool of threads.

The core is synchronous because its engines are; a thread each call costs about a tenth of
a millisecond. Cancelling a task does not stop a statement that already runs.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from types import TracebackType
from typing import Any, Self, TypeVar

from loom.faces.groups import (
    AsyncBlacklist,
    AsyncCalibration,
    AsyncConflicts,
    AsyncErasure,
    AsyncMemories,
    AsyncNamespace,
)
from loom.faces.sync import AgentHandle, Loom, open_store
from loom.operations.base import Request

__all__ = ["Agent", "AsyncAgent", "Datapack"]

R = TypeVar("R")
_THREADS = 16


class _Pool:
    """A store that opens with the first call, and the threads that use it."""

    def __init__(self, store: str | os.PathLike[str] | Loom, **options: Any) -> None:
        self._source = store
        self._options = options
        self._lock = Lock()
        self._opened: Loom | None = None
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="loom")

    def opened(self) -> Loom:
        """The store; opened once, however many threads ask."""
        if isinstance(self._source, Loom):
            return self._source
        with self._lock:
            if self._opened is None:
                self._opened = open_store(self._source, **self._options)
            return self._opened

    async def run(self, call: Callable[[], R]) -> R:
        """The result of a blocking call."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)

    async def close(self) -> None:
        """Close the store if it was opened here, and end the threads."""
        if self._opened is not None:
            await self.run(self._opened.close)
        self._threads.shutdown(wait=False)


class AsyncAgent:
    """One agent's memory, awaited."""

    def __init__(self, pool: _Pool, identity: dict[str, str]) -> None:
        self._pool = pool
        self._identity = identity
        self._handle: AgentHandle | None = None
        self.memory = AsyncMemories(self._perform)
        self.blacklist = AsyncBlacklist(self._perform)
        self.calibration = AsyncCalibration(self._perform)
        self.conflicts = AsyncConflicts(self._perform)
        self.erasure = AsyncErasure(self._perform)
        self.namespace = AsyncNamespace(self._perform)

    async def _perform(self, request: Request[Any]) -> Any:
        return await self._pool.run(lambda: self._bound()._perform(request))  # noqa: SLF001

    def _bound(self) -> AgentHandle:
        if self._handle is None:
            self._handle = self._pool.opened().agent(**self._identity)
        return self._handle


class Datapack:
    """A namespace of a store, from which agents' handles are made.

    Args:
        org: the organisation.
        namespace: the part of it that agents share.
        store: a path or URL as `loom.open` takes, or an open `Loom`.
        options: what else `loom.open` takes (`embedder=`, `settings=`, ...).
    """

    def __init__(
        self,
        org: str = "dev",
        namespace: str = "local",
        *,
        store: str | os.PathLike[str] | Loom,
        **options: Any,
    ) -> None:
        self._names = {"org": org, "namespace": namespace}
        self._pool = _Pool(store, **options)

    def agent(
        self, agent: str, *, user_id: str = "-", session_id: str = "", run_id: str = ""
    ) -> AsyncAgent:
        """An agent's handle; malformed names are refused by its first call."""
        identity = {
            **self._names,
            "agent": agent,
            "user_id": user_id,
            "session_id": session_id,
            "run_id": run_id,
        }
        return AsyncAgent(self._pool, identity)

    async def close(self) -> None:
        """Close the store if it was opened here."""
        await self._pool.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


class Agent(AsyncAgent):
    """One agent's memory as an asynchronous context manager.

    Args:
        org: the organisation.
        namespace: the part of it that agents share.
        agent: who writes.
        store: a path or URL as `loom.open` takes, or an open `Loom`.
        user_id: whom the memories are about.
        session_id: which conversation or task.
        run_id: recorded on what is written.
        options: what else `loom.open` takes.
    """

    def __init__(
        self,
        org: str = "dev",
        namespace: str = "local",
        *,
        agent: str,
        store: str | os.PathLike[str] | Loom,
        user_id: str = "-",
        session_id: str = "",
        run_id: str = "",
        **options: Any,
    ) -> None:
        identity = {
            "org": org,
            "namespace": namespace,
            "agent": agent,
            "user_id": user_id,
            "session_id": session_id,
            "run_id": run_id,
        }
        super().__init__(_Pool(store, **options), identity)

    async def __aenter__(self) -> Self:
        await self._pool.run(self._bound)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._pool.close()
