"""Random lives of a namespace, on every backend, against the oracle."""

from __future__ import annotations

import hypothesis
import pytest

from loom.testing.machine import LifecycleMachine


class _Memory(LifecycleMachine):
    pass


_Memory.TestCase.settings = hypothesis.settings(hypothesis.settings.default)
TestMemoryLifecycle = _Memory.TestCase
