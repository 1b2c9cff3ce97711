"""What a user can set. Nothing is read from the environment unless it is asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import timedelta

from attrs import field, frozen, validators

from loom.errors import InvalidRequest

__all__ = ["Settings"]


@frozen(kw_only=True, slots=True)
class Settings:
    """Limits and thresholds of one store.

    Attributes:
        max_value_bytes: the largest canonical JSON of a value, in bytes (R-10).
        conflict_threshold: cosine, 0 to 1, inclusive; None is the embedder's own.
        duplicate_threshold: cosine, 0 to 1, inclusive; None is the embedder's own.
        bulk_dedup_scope: `identity` takes any live row of the same hash of the same
            agent and user for the fact (R-37); `key` judges bulk as single writes.
        restore_window: how long after a delete a restore is possible.
        max_peers_judged: how many of the nearest rows are judged (R-32).
        sweep_cap: how many rows one sweep may tombstone (R-43).
    """

    max_value_bytes: int = field(default=256 * 1024, validator=validators.ge(16))
    conflict_threshold: float | None = field(default=None)
    duplicate_threshold: float | None = field(default=None)
    bulk_dedup_scope: str = field(
        default="identity", validator=validators.in_(("identity", "key"))
    )
    restore_window: timedelta = timedelta(days=14)
    max_peers_judged: int = 50
    sweep_cap: int = 10_000

    @conflict_threshold.validator
    @duplicate_threshold.validator
    def _cosine(self, attribute: object, value: float | None) -> None:
        del attribute
        if value is not None and not 0.0 <= value <= 1.0:
            msg = "a threshold is a cosine from 0 to 1, or None for the embedder's own."
            raise InvalidRequest(msg)

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Settings from `LOOM_*` variables; an absent one keeps its default.

        Reads `LOOM_MAX_VALUE_BYTES`, `LOOM_CONFLICT_THRESHOLD`,
        `LOOM_DUPLICATE_THRESHOLD` and `LOOM_MEMORY_BULK_DEDUP_SCOPE`.

        Args:
            environ: where to read; None is the process's environment.

        Raises:
            InvalidRequest: a variable does not have the form its setting needs.
        """
        source = os.environ if environ is None else environ
        readers = {
            "LOOM_MAX_VALUE_BYTES": ("max_value_bytes", int),
            "LOOM_CONFLICT_THRESHOLD": ("conflict_threshold", float),
            "LOOM_DUPLICATE_THRESHOLD": ("duplicate_threshold", float),
            "LOOM_MEMORY_BULK_DEDUP_SCOPE": ("bulk_dedup_scope", str),
        }
        given: dict[str, object] = {}
        for variable, (name, read) in readers.items():
            if variable in source:
                try:
                    given[name] = read(source[variable])
                except ValueError:
                    msg = f"{variable} is not a valid {read.__name__}."
                    raise InvalidRequest(msg, field=variable) from None
        try:
            return cls(**given)  # type: ignore[arg-type]
        except ValueError as error:
            if isinstance(error, InvalidRequest):
                raise
            msg = f"the environment's settings are not valid: {error.args[0]}"
            raise InvalidRequest(msg) from None
