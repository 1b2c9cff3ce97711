"""What a namespace says, looked up."""

from __future__ import annotations

from loom.model.namespace import NamespaceRow
from loom.storage.contract import Reader
from loom.storage.query import Select
from loom.storage.tables import NAMESPACE
from loom.storage.where import Equal, all_of

__all__ = ["namespace_row"]


def namespace_row(reader: Reader, org: str, namespace: str) -> NamespaceRow | None:
    """What a namespace says at the reader's instant; None if it was never registered."""
    here = all_of(Equal("org", org), Equal("namespace", namespace))
    rows = reader.select(Select(table=NAMESPACE, where=here)).rows
    return rows[0] if rows else None
