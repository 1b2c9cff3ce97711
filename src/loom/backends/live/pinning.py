"""What a predicate fixes: fields whose value can only be one of a few."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar

from loom.storage.tables import MEMORY, Kind
from loom.storage.where import And, Equal, HasAny, In, Where

__all__ = ["SCOPED", "named_in", "pinned_in", "without_pinned"]

T = TypeVar("T")

#: Fields that say in which partition a row is.
SCOPED: Final = frozenset(("org", "namespace", "user_id", "memory_type"))
_PINNABLE: Final = SCOPED | set(MEMORY.indexed)
_LISTS: Final = {name for name, kind in MEMORY.fields.items() if kind is Kind.TEXTS}


def pinned_in(where: Where) -> dict[str, tuple[Any, ...]]:
    """Fields whose value every satisfying row has among few: a conjunction's equalities.

    Empty texts are left out: the indexes do not hold them.
    """
    found: dict[str, tuple[Any, ...]] = {}
    for part in where.parts if isinstance(where, And) else (where,):
        if isinstance(part, And):
            found = pinned_in(part) | found
        elif isinstance(part, Equal | In | HasAny):
            values = _values(part)
            # Of a list field, which is listed by its members, equality says nothing.
            if (part.field in _LISTS) != isinstance(part, HasAny):
                continue
            if part.field in _PINNABLE and part.field not in found and all(values):
                found[part.field] = values
    return found


def named_in(
    things: Mapping[object, T], where: Where, identity: tuple[str, ...]
) -> list[T]:
    """Of things by their names the one that a predicate names whole, else all."""
    parts = where.parts if isinstance(where, And) else (where,)
    given = {part.field: part.value for part in parts if isinstance(part, Equal)}
    name = tuple(given.get(part) for part in identity)
    if not all(isinstance(part, str) for part in name):
        return list(things.values())
    return [things[name]] if name in things else []


def without_pinned(where: Where, pinned: Mapping[str, tuple[Any, ...]]) -> Where:
    """What is left to test of rows in the partitions that were chosen by `pinned`."""
    return And(
        tuple(
            part
            for part in (where.parts if isinstance(where, And) else (where,))
            if not isinstance(part, Equal | In)
            or part.field not in SCOPED
            or pinned.get(part.field) != _values(part)
        )
    )


def _values(part: Equal | In | HasAny) -> tuple[Any, ...]:
    return (part.value,) if isinstance(part, Equal) else tuple(dict.fromkeys(part.values))
