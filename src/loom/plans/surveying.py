"""What a row shows of how its namespace is used."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Final

from loom.model.findings import NamedFinding
from loom.model.memory import MemoryRow
from loom.text.key_findings import KeyFinding, findings_of

__all__ = ["key_findings"]

_NEVER_READ: Final = KeyFinding(
    code="never_read",
    message=(
        "Nothing ever read it since it was written. Let it expire, delete it, or find out "
        "why no search answers with it."
    ),
)


def key_findings(
    row: MemoryRow, keys: AbstractSet[str], *, unread: bool
) -> tuple[NamedFinding, ...]:
    """The findings on one row; none for one that is kept and used well.

    Args:
        row: a served row; its value may be masked.
        keys: all keys of the namespace.
        unread: nobody has read it for long enough to say so.
    """
    found = list(findings_of(row.memory_key, row.value, keys, row.user_id))
    if unread:
        found.append(_NEVER_READ)
    return tuple(
        NamedFinding(
            code=one.code,
            memory_key=row.memory_key,
            memory_id=row.memory_id,
            message=one.message,
            related=one.related,
        )
        for one in found
    )
