"""What a user can set. Nothing is read from the environment unless it is asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Final

from attrs import Attribute, field, frozen

from loom.errors import InvalidRequest

__all__ = ["Settings"]

_LEAST_BYTES: Final = 16
_SWITCH: Final = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}


def _switch(text: str) -> bool:
    try:
        return _SWITCH[text.strip().lower()]
    except KeyError:
        raise ValueError from None


#: From a variable to its setting, how its text is read, and what it has to be.
_VARIABLES: Final[Mapping[str, tuple[str, Callable[[str], object], str]]] = {
    "LOOM_MAX_VALUE_BYTES": ("max_value_bytes", int, "whole number"),
    "LOOM_CONFLICT_THRESHOLD": ("conflict_threshold", float, "number"),
    "LOOM_DUPLICATE_THRESHOLD": ("duplicate_threshold", float, "number"),
    "LOOM_ADAPTIVE_THRESHOLDS": ("adaptive_thresholds", _switch, "switch"),
    "LOOM_MEMORY_BULK_DEDUP_SCOPE": ("bulk_dedup_scope", str, "text"),
    "LOOM_MEMORY_SENSITIVITY_AUTODETECT": ("sensitivity_autodetect", _switch, "switch"),
}


@frozen(kw_only=True, slots=True)
class Settings:
    """Limits and thresholds of one store.

    Attributes:
        max_value_bytes: the largest canonical JSON of a value, in bytes (R-10).
        conflict_threshold: cosine, 0 to 1, inclusive; None is the embedder's own.
        duplicate_threshold: cosine, 0 to 1, inclusive; None is the embedder's own.
        adaptive_thresholds: whether the thresholds of an embedder that has weights come
            from its own cosines, measured at the first write, in place of those it ships.
        bulk_dedup_scope: `identity` takes any live row of the same hash of the same
            agent and user for the fact (R-37); `key` judges bulk as single writes.
        restore_window: how long after a delete a restore is possible.
        max_peers_judged: how many of the nearest rows are judged (R-32).
        sweep_cap: how many rows one sweep may tombstone (R-43).
        sensitivity_autodetect: whether sensitive content is looked for where its writer
            states no level (R-46).
    """

    max_value_bytes: int = field(default=256 * 1024)
    conflict_threshold: float | None = field(default=None)
    duplicate_threshold: float | None = field(default=None)
    adaptive_thresholds: bool = field(default=False)
    bulk_dedup_scope: str = field(default="identity")
    restore_window: timedelta = field(default=timedelta(days=14))
    max_peers_judged: int = field(default=50)
    sweep_cap: int = field(default=10_000)
    sensitivity_autodetect: bool = field(default=True)

    @max_value_bytes.validator
    def _room_for_a_value(self, attribute: Attribute[int], value: int) -> None:
        if type(value) is not int or value < _LEAST_BYTES:
            msg = f"{attribute.name} must be a whole number, {_LEAST_BYTES} or more."
            raise InvalidRequest(msg, field=attribute.name)

    @max_peers_judged.validator
    @sweep_cap.validator
    def _positive(self, attribute: Attribute[int], value: int) -> None:
        if type(value) is not int or value < 1:
            msg = f"{attribute.name} must be a whole number, 1 or more."
            raise InvalidRequest(msg, field=attribute.name)

    @bulk_dedup_scope.validator
    def _known(self, attribute: Attribute[str], value: str) -> None:
        if value not in ("identity", "key"):
            msg = f"{attribute.name} must be 'identity' or 'key'."
            raise InvalidRequest(msg, field=attribute.name)

    @restore_window.validator
    def _not_negative(self, attribute: Attribute[timedelta], value: timedelta) -> None:
        if type(value) is not timedelta or value < timedelta(0):
            msg = f"{attribute.name} must be a timedelta, not negative."
            raise InvalidRequest(msg, field=attribute.name)

    @conflict_threshold.validator
    @duplicate_threshold.validator
    def _cosine(self, attribute: Attribute[float | None], value: object) -> None:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (number and 0.0 <= value <= 1.0):  # type: ignore[operator]
            msg = (
                f"{attribute.name} must be a cosine from 0 to 1, or None for the "
                "embedder's own."
            )
            raise InvalidRequest(msg, field=attribute.name)

    @adaptive_thresholds.validator
    @sensitivity_autodetect.validator
    def _flag(self, attribute: Attribute[bool], value: object) -> None:
        if type(value) is not bool:
            msg = f"{attribute.name} must be true or false."
            raise InvalidRequest(msg, field=attribute.name)

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Settings from `LOOM_*` variables; an absent one keeps its default.

        Reads `LOOM_MAX_VALUE_BYTES`, `LOOM_CONFLICT_THRESHOLD`,
        `LOOM_DUPLICATE_THRESHOLD`, `LOOM_ADAPTIVE_THRESHOLDS`,
        `LOOM_MEMORY_BULK_DEDUP_SCOPE` and `LOOM_MEMORY_SENSITIVITY_AUTODETECT`. A switch
        is `1`, `true`, `yes` or `on`, or `0`, `false`, `no` or `off`, in any case.

        Args:
            environ: where to read; None is the process's environment.

        Raises:
            InvalidRequest: a variable does not have the form its setting needs.
        """
        source = os.environ if environ is None else environ
        given: dict[str, object] = {}
        for variable, (name, read, form) in _VARIABLES.items():
            if variable in source:
                try:
                    given[name] = read(source[variable])
                except ValueError:
                    msg = f"{variable} is not a valid {form}."
                    raise InvalidRequest(msg, field=variable) from None
        return cls(**given)  # type: ignore[arg-type]
