"""Whether a value has the form of a procedure."""

from __future__ import annotations

from typing import Final

from loom.model.json_values import Json

__all__ = ["is_procedure"]

_LEAST_STEPS: Final = 2


def is_procedure(value: Json) -> bool:
    """Whether it is a mapping with a non-empty situation and at least two steps.

    A situation or a step may be a text, a mapping or a list; what is blank is neither.

    >>> is_procedure({"situation": "The pump is loud.", "steps": ["Stop it.", "Oil it."]})
    True
    >>> is_procedure({"situation": " ", "steps": ["Stop it.", "Oil it."]})
    False
    """
    if not isinstance(value, dict) or not _says_something(value.get("situation")):
        return False
    steps = value.get("steps")
    return isinstance(steps, list) and sum(map(_says_something, steps)) >= _LEAST_STEPS


def _says_something(value: Json) -> bool:
    if isinstance(value, str):
        return bool(value.strip())
    return isinstance(value, dict | list) and bool(value)
