"""The stores and the agent of the operations' tests: every row of a table on both backends."""

from __future__ import annotations

from tests.operations.conftest import agent, backend, clock, embedder, opened, store

__all__ = ["agent", "backend", "clock", "embedder", "opened", "store"]
