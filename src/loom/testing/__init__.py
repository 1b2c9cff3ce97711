"""What this library is tested with, for those who test their own code with it.

Deterministic stand-ins for the ports (`FakeClock`, `SeededIds`, `ChosenEmbedder`); the
suite that every storage backend passes (`StorageSuite`), for a backend of your own; and
the state machine that drives the lifecycle against a plain-Python oracle
(`LifecycleMachine`). The last two need pytest and hypothesis, the extra `test`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loom.testing.fakes import ChosenEmbedder, FakeClock, SeededIds
    from loom.testing.machine import LifecycleMachine
    from loom.testing.suite import StorageSuite

__all__ = [
    "ChosenEmbedder",
    "FakeClock",
    "LifecycleMachine",
    "SeededIds",
    "StorageSuite",
]

_MODULES = {
    "ChosenEmbedder": "fakes",
    "FakeClock": "fakes",
    "LifecycleMachine": "machine",
    "SeededIds": "fakes",
    "StorageSuite": "suite",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for alone: the suites need more than the stand-ins do."""
    if name in _MODULES:
        from importlib import import_module  # noqa: PLC0415 - with the name it is for

        return getattr(import_module(f"loom.testing.{_MODULES[name]}"), name)
    msg = f"module 'loom.testing' has no attribute {name!r}"
    raise AttributeError(msg)
