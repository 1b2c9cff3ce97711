"""Predicates over rows, as values.

One small tree that `compile.py` turns into SQL and `holds` evaluates in Python. Its logic
has two values: a comparison with NULL is false, and the `Not` of it true. Text compares
by code point; whatever should ignore case is folded before it is stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Literal, TypeAlias, assert_never

from attrs import frozen

__all__ = [
    "ALWAYS",
    "NEVER",
    "And",
    "Compare",
    "Equal",
    "HasAll",
    "HasAny",
    "In",
    "IsNull",
    "Not",
    "Or",
    "Prefix",
    "Where",
    "all_of",
    "any_of",
    "holds",
]


@frozen(slots=True)
class Equal:
    """The field has this value; never true of NULL."""

    field: str
    value: object


@frozen(slots=True)
class In:
    """The field has one of these values."""

    field: str
    values: tuple[object, ...]


@frozen(slots=True)
class Compare:
    """The field stands in this order to the value."""

    field: str
    order: Literal["<", "<=", ">", ">="]
    value: object


@frozen(slots=True)
class Prefix:
    """The text field begins with exactly this text (no wildcards)."""

    field: str
    text: str


@frozen(slots=True)
class HasAny:
    """The list field shares a member with these."""

    field: str
    values: tuple[str, ...]


@frozen(slots=True)
class HasAll:
    """The list field has each of these."""

    field: str
    values: tuple[str, ...]


@frozen(slots=True)
class IsNull:
    """The field has no value."""

    field: str


@frozen(slots=True)
class And:
    """Each part holds; true of no parts."""

    parts: tuple[Where, ...]


@frozen(slots=True)
class Or:
    """At least one part holds; false of no parts."""

    parts: tuple[Where, ...]


@frozen(slots=True)
class Not:
    """The part does not hold."""

    part: Where


Where: TypeAlias = Equal | In | Compare | Prefix | HasAny | HasAll | IsNull | And | Or | Not

ALWAYS: Final[Where] = And(())
NEVER: Final[Where] = Or(())


def all_of(*parts: Where) -> Where:
    """The conjunction, flattened."""
    flat: list[Where] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, And) else (part,))
    return flat[0] if len(flat) == 1 else And(tuple(flat))


def any_of(parts: Iterable[Where]) -> Where:
    """The disjunction of the parts."""
    flat = tuple(parts)
    return flat[0] if len(flat) == 1 else Or(flat)


def holds(where: Where, row: Any) -> bool:  # noqa: C901, PLR0911 - a flat table
    """Whether the row, any object with these fields as attributes, satisfies the tree."""
    match where:
        case Equal(field, value):
            actual = getattr(row, field)
            return actual is not None and actual == value
        case In(field, values):
            actual = getattr(row, field)
            return actual is not None and actual in values
        case Compare(field, order, value):
            return _compares(getattr(row, field), order, value)
        case Prefix(field, text):
            actual = getattr(row, field)
            return actual is not None and actual.startswith(text)
        case HasAny(field, members):
            return not set(members).isdisjoint(getattr(row, field) or ())
        case HasAll(field, members):
            return set(members) <= set(getattr(row, field) or ())
        case IsNull(field):
            return getattr(row, field) is None
        case And(parts):
            return all(holds(part, row) for part in parts)
        case Or(parts):
            return any(holds(part, row) for part in parts)
        case Not(part):
            return not holds(part, row)
        case _:
            assert_never(where)


def _compares(actual: Any, order: Literal["<", "<=", ">", ">="], value: Any) -> bool:
    if actual is None or value is None:
        return False
    match order:
        case "<":
            return bool(actual < value)
        case "<=":
            return bool(actual <= value)
        case ">":
            return bool(actual > value)
        case ">=":
            return bool(actual >= value)
