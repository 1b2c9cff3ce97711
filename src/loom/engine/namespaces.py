"""Interim (the lead's stand-in until the owner's version)."""

from __future__ import annotations

from loom.engine.env import Context
from loom.model.namespace import NamespaceRow
from loom.storage.contract import Reader

__all__ = ["namespace_row"]


def namespace_row(
    context: Context,  # noqa: ARG001
    reader: Reader,  # noqa: ARG001
    org: str,  # noqa: ARG001
    namespace: str,  # noqa: ARG001
) -> NamespaceRow | None:
    """Interim."""
    return None
