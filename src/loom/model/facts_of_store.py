"""Facts a store keeps about itself, one row a name."""

from __future__ import annotations

from attrs import frozen

from loom.model.json_values import Json

__all__ = ["AUDIT_KEY", "EMBEDDER", "StoreFact"]

#: The name under which a store keeps its embedder: `{"name": ..., "dimension": ...}`.
EMBEDDER = "embedder"
#: The name of the key that hashes of secret contents in the audit log are made with.
AUDIT_KEY = "audit_key"


@frozen(kw_only=True, slots=True, hash=False)
class StoreFact:
    """One version of one fact about the store, such as which embedder wrote it (R-40)."""

    name: str
    value: Json
    version: int = 0
    parent: int = 0
