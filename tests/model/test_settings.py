"""Settings: their defaults, their bounds, and the environment they may be read from."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from loom.engine.env import thresholds_in_force
from loom.errors import InvalidRequest
from loom.model.entries import Vector
from loom.model.thresholds import DENSE_FALLBACK, Thresholds
from loom.settings import Settings


def test_the_defaults_are_those_of_the_pages_and_rulings() -> None:
    """R-10, R-32, A-97, A-84: 256 KiB, fifty peers, scope identity, fourteen days."""
    settings = Settings()

    assert settings.max_value_bytes == 262_144
    assert settings.max_peers_judged == 50
    assert settings.bulk_dedup_scope == "identity"
    assert settings.restore_window == timedelta(days=14)
    assert settings.conflict_threshold is None
    assert settings.duplicate_threshold is None
    assert settings.adaptive_thresholds is False


def test_the_environment_is_read_only_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Design: nothing is read from the environment unless the caller asks."""
    monkeypatch.setenv("LOOM_MEMORY_BULK_DEDUP_SCOPE", "key")

    assert Settings().bulk_dedup_scope == "identity"
    assert Settings.from_env().bulk_dedup_scope == "key"


def test_each_variable_sets_its_setting() -> None:
    """A-97, A-117: the bulk scope and both thresholds are settings."""
    settings = Settings.from_env(
        {
            "LOOM_MAX_VALUE_BYTES": "1024",
            "LOOM_CONFLICT_THRESHOLD": "0.5",
            "LOOM_DUPLICATE_THRESHOLD": "0.9",
            "LOOM_MEMORY_BULK_DEDUP_SCOPE": "key",
            "LOOM_ADAPTIVE_THRESHOLDS": "On",
            "LOOM_MEMORY_SENSITIVITY_AUTODETECT": "0",
            "UNRELATED": "x",
        }
    )

    assert settings.max_value_bytes == 1024
    assert settings.conflict_threshold == 0.5
    assert settings.duplicate_threshold == 0.9
    assert settings.bulk_dedup_scope == "key"
    assert settings.adaptive_thresholds
    assert not settings.sensitivity_autodetect


@pytest.mark.parametrize("name", ["adaptive_thresholds", "sensitivity_autodetect"])
def test_a_switch_is_true_or_false(name: str) -> None:
    """A-116, R-46."""
    for value in (1, "on", None):
        given: dict[str, Any] = {name: value}
        with pytest.raises(InvalidRequest):
            Settings(**given)


@pytest.mark.parametrize(
    "variable, text",
    [
        ("LOOM_ADAPTIVE_THRESHOLDS", "perhaps"),
        ("LOOM_ADAPTIVE_THRESHOLDS", ""),
        ("LOOM_MAX_VALUE_BYTES", "many"),
        ("LOOM_MAX_VALUE_BYTES", "1"),
        ("LOOM_MAX_VALUE_BYTES", ""),
        ("LOOM_CONFLICT_THRESHOLD", "high"),
        ("LOOM_CONFLICT_THRESHOLD", "1.5"),
        ("LOOM_CONFLICT_THRESHOLD", "nan"),
        ("LOOM_DUPLICATE_THRESHOLD", "-0.1"),
        ("LOOM_MEMORY_BULK_DEDUP_SCOPE", "everything"),
    ],
)
def test_a_malformed_variable_is_an_invalid_request(variable: str, text: str) -> None:
    """Spec, errors: a setting that cannot be is refused, not ignored."""
    with pytest.raises(InvalidRequest):
        Settings.from_env({variable: text})


@pytest.mark.parametrize("value", [-0.01, 1.01, float("nan")])
def test_a_threshold_is_a_cosine(value: float) -> None:
    """A-117: thresholds lie from 0 to 1."""
    with pytest.raises(InvalidRequest):
        Settings(conflict_threshold=value)


class _Plain:
    name = "plain"
    dimension = 2

    def embed(self, texts: Sequence[str], /) -> Vector:
        return np.tile(np.array([1.0, 0.0], dtype=np.float32), (len(texts), 1))


class _Measured(_Plain):
    thresholds = Thresholds(conflict=0.6, duplicate=0.9, source="embedder:measured")


def test_a_setting_stands_before_the_embedder_and_the_fallback() -> None:
    """R-40, A-117: a setting, else the embedder's own, else .85 and .97."""
    assert thresholds_in_force(Settings(), _Plain()) == DENSE_FALLBACK
    assert (DENSE_FALLBACK.conflict, DENSE_FALLBACK.duplicate) == (0.85, 0.97)
    assert thresholds_in_force(Settings(), _Measured()).conflict == 0.6

    both = thresholds_in_force(
        Settings(conflict_threshold=0.1, duplicate_threshold=0.2), _Measured()
    )

    assert (both.conflict, both.duplicate, both.source) == (0.1, 0.2, "setting")


def test_one_threshold_set_leaves_the_other_as_measured() -> None:
    """R-40: thresholds belong to an embedder, each may be set by itself."""
    found = thresholds_in_force(Settings(duplicate_threshold=0.99), _Measured())

    assert (found.conflict, found.duplicate) == (0.6, 0.99)
