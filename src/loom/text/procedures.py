"""Whether a value has the form of a procedure."""

from __future__ import annotations

from loom.model.json_values import Json

__all__ = ["is_procedure"]


def is_procedure(value: Json) -> bool:
    """A mapping with a situation and at least two steps."""
    if not isinstance(value, dict):
        return False
    situation, steps = value.get("situation"), value.get("steps")
    return bool(situation) and isinstance(steps, list) and len(steps) > 1
