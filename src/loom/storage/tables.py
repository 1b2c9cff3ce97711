"""The kinds of row a store keeps, declared once.

A table is logical: each backend lays it out as suits its engine, and a test checks that
every declared field survives a round trip on each.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Final, Generic, TypeAlias, TypeVar

import attrs
from attrs import frozen

from loom.model.audit import AuditRow
from loom.model.erasure import ErasureRow
from loom.model.facts_of_store import StoreFact
from loom.model.memory import MemoryRow
from loom.model.namespace import NamespaceRow
from loom.model.patterns import PatternRow

__all__ = [
    "AUDIT",
    "ERASURE",
    "MEMORY",
    "NAMESPACE",
    "PATTERN",
    "SMALL",
    "STORE_FACT",
    "TABLES",
    "Kind",
    "Stored",
    "Table",
    "name_of",
    "table_of",
]

T = TypeVar("T")
Stored: TypeAlias = (
    MemoryRow | AuditRow | PatternRow | StoreFact | NamespaceRow | ErasureRow
)


class Kind(Enum):
    """What a field holds, for backends that must declare a column or cast a value."""

    TEXT = "text"
    INTEGER = "integer"
    REAL = "real"
    FLAG = "flag"
    #: An aware datetime in UTC, to the microsecond; may be None.
    TIME = "time"
    #: A tuple of texts.
    TEXTS = "texts"
    JSON = "json"
    #: A mapping from names to small frozen values of one class.
    RULES = "rules"


@frozen(kw_only=True, slots=True)
class Table(Generic[T]):
    """One kind of row."""

    name: str
    row: type[T]
    #: Fields that name one thing over all its versions.
    identity: tuple[str, ...]
    #: Every stored field and what it holds, in the row's order.
    fields: dict[str, Kind] = attrs.field(hash=False)
    #: Fields whose equality a backend answers without reading every row.
    indexed: tuple[str, ...] = ()
    #: Fields that can be filtered on but are computed from stored ones.
    computed: dict[str, Kind] = attrs.field(factory=dict, hash=False)


def _kinds(
    row: type[Any], without: tuple[str, ...] = (), **special: Kind
) -> dict[str, Kind]:
    return {
        f.name: special.get(f.name) or _kind(str(f.type))
        for f in attrs.fields(row)
        if f.name not in without
    }


def _kind(annotation: str) -> Kind:
    named = {"int": Kind.INTEGER, "float": Kind.REAL, "bool": Kind.FLAG}
    if annotation.removesuffix(" | None") in named:
        return named[annotation.removesuffix(" | None")]
    if annotation.startswith("datetime"):
        return Kind.TIME
    if annotation.startswith("tuple[str"):
        return Kind.TEXTS
    if annotation in ("Json", "FrozenDict"):
        return Kind.JSON
    if annotation.startswith("Mapping[str"):
        return Kind.RULES
    return Kind.TEXT


MEMORY: Final = Table(
    name="memory",
    row=MemoryRow,
    identity=("memory_id",),
    fields=_kinds(MemoryRow, without=("resolved_from", "unchanged", "masked")),
    indexed=(
        "memory_id",
        "memory_key",
        "content_sha256",
        "canonical_sha256",
        "duplicate_of",
        "slots",
    ),
    computed={"world_date": Kind.TIME, "tags_folded": Kind.TEXTS},
)
AUDIT: Final = Table(
    name="audit", row=AuditRow, identity=("version", "ordinal"), fields=_kinds(AuditRow)
)
PATTERN: Final = Table(
    name="pattern", row=PatternRow, identity=("pattern_id",), fields=_kinds(PatternRow)
)
STORE_FACT: Final = Table(
    name="store_fact", row=StoreFact, identity=("name",), fields=_kinds(StoreFact)
)
NAMESPACE: Final = Table(
    name="namespace",
    row=NamespaceRow,
    identity=("org", "namespace"),
    fields=_kinds(NamespaceRow, without=("registered",)),
)
ERASURE: Final = Table(
    name="erasure",
    row=ErasureRow,
    identity=("erasure_id",),
    fields=_kinds(ErasureRow),
)
#: Few rows each, versioned and found by their names alone.
SMALL: Final[tuple[Table[Any], ...]] = (PATTERN, STORE_FACT, NAMESPACE, ERASURE)
TABLES: Final[tuple[Table[Any], ...]] = (MEMORY, AUDIT, *SMALL)
_BY_ROW: Final = {table.row: table for table in TABLES}


def table_of(row: Stored) -> Table[Any]:
    """The table a row belongs to."""
    return _BY_ROW[type(row)]


def name_of(row: Stored) -> tuple[Any, ...]:
    """What names the row's thing over all its versions, within its table."""
    return tuple(getattr(row, part) for part in table_of(row).identity)
