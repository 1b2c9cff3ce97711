"""Whether a stored value is what the columns beside it say."""

from __future__ import annotations

from collections.abc import Iterator

from loom.model.json_values import sha256_of
from loom.model.memory import MemoryRow
from loom.model.memory_types import PROCEDURAL
from loom.text.canonical import canonical_sha256
from loom.text.procedures import is_procedure

__all__ = ["content_findings"]


def content_findings(row: MemoryRow) -> Iterator[str]:
    """Codes of what is wrong: `content_hash`, `canonical_hash`, `not_a_procedure`.

    What was redacted keeps the hash of what it said (R-62).
    """
    if row.redacted_at is not None:
        return
    content = sha256_of(row.value)
    if content != row.content_sha256:
        yield "content_hash"
    elif canonical_sha256(row.value, content) != row.canonical_sha256:
        yield "canonical_hash"
    if row.memory_type == PROCEDURAL and not is_procedure(row.value):
        yield "not_a_procedure"
