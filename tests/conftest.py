"""What every test stands on: Hypothesis profiles, the data folder, expected engines.

`LOOM_TEST_PROFILE` chooses how hard the tests look: `dev` (the default), `ci` (the same
examples every time; chosen where `CI=true`) or `nightly` (many more, and long tests too).
"""

from __future__ import annotations

import importlib
import os
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

import hypothesis
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

ROOT: Final = Path(__file__).resolve().parents[1]
IN_CI: Final = os.environ.get("CI", "").lower() == "true"
PROFILE: Final = os.environ.get("LOOM_TEST_PROFILE") or ("ci" if IN_CI else "dev")

#: A slow machine is no bug, so no profile has a deadline; `timeout` guards against hangs.
hypothesis.settings.register_profile(
    "dev", deadline=None, max_examples=60, stateful_step_count=30
)
hypothesis.settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    max_examples=150,
    print_blob=True,
    stateful_step_count=50,
)
hypothesis.settings.register_profile(
    "nightly",
    deadline=timedelta(minutes=1),
    max_examples=2_000,
    print_blob=True,
    stateful_step_count=200,
)
hypothesis.settings.load_profile(PROFILE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave tests marked `nightly` to the profile of that name."""
    if PROFILE == "nightly":
        return
    for item in items:
        if item.get_closest_marker("nightly"):
            item.add_marker(pytest.mark.skip(reason="LOOM_TEST_PROFILE is not nightly"))


def pytest_report_header() -> str:
    """Say which profile a run used, so that its figures can be read."""
    return f"loom: test profile {PROFILE}"


@pytest.fixture(scope="session")
def profile() -> str:
    """The profile in force, for tests that choose their own number of rounds."""
    return PROFILE


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder beside the repository that holds the requirements and real data."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("needs ../shared, which is not here")
    return folder


@pytest.fixture(scope="session")
def shared_data(shared: Path) -> Path:
    """The folder of real data; read where it lies, never copied."""
    folder = shared / "data"
    if not folder.is_dir():
        pytest.skip("needs ../shared/data, which is not here")
    return folder


@pytest.fixture(scope="session")
def need() -> Callable[[str], ModuleType]:
    """Import what an extra brings: absent it skips here and fails in CI.

    A test of an engine that is silently left out proves nothing, so CI expects every
    engine that the `test` extra names.
    """

    def import_or_skip(name: str) -> ModuleType:
        try:
            return importlib.import_module(name)
        except ImportError as error:
            if IN_CI:
                pytest.fail(f"{name} is expected in CI and cannot be imported: {error}")
            pytest.skip(f"needs {name}; install the test extra")

    return import_or_skip
