"""Whether a value has the form of a procedure."""

from __future__ import annotations

import unicodedata
from typing import Final

from loom.model.json_values import Json
from loom.text.undisguised import undisguised

__all__ = ["is_procedure"]

_LEAST_STEPS: Final = 2


def is_procedure(value: Json) -> bool:
    """Whether it is a mapping with a non-empty situation and at least two steps.

    `situation` and each of the `steps`, which are a list, may be a text, a mapping or a
    list. Non-empty is what has a character that can be seen, or a number within it; steps
    that are empty are not counted, whatever stands beside them.

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
        return _is_visible(value)
    if isinstance(value, dict):
        return any(map(_holds_something, value.values()))
    return isinstance(value, list) and any(map(_holds_something, value))


def _holds_something(value: Json) -> bool:
    """Inside a step a number says something too, such as how often to turn a screw."""
    if isinstance(value, int | float):
        return not isinstance(value, bool)
    return _says_something(value)


def _is_visible(text: str) -> bool:
    """Whether a character of the text shows: no space, no control, no zero width."""
    return any(unicodedata.category(c)[0] not in "CZ" for c in undisguised(text))
