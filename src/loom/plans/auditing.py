"""The audit entry of a write, made in one place: hashes and names, never a value."""

from __future__ import annotations

from loom.model.audit import AuditRow
from loom.model.identity import Address
from loom.model.memory import MemoryRow

__all__ = ["audit_entry"]


def audit_entry(
    *,
    stamp: int,
    operation: str,
    actor: str,
    run_id: str,
    about: MemoryRow | Address,
    verdict: str = "",
    refused: str = "",
    ordinal: int = 0,
) -> AuditRow:
    """The entry about a row that was written, or about the address a guard protected.

    Args:
        stamp: the write's version.
        operation: the dotted name.
        actor: who did it.
        run_id: in which run.
        about: the row as written; for a refusal the address alone, since the entry of a
            refusal has no content hash (R-30).
        verdict: what was judged, or the event.
        refused: the code of the refusal.
        ordinal: position among the entries of the write.
    """
    row = about if isinstance(about, MemoryRow) else None
    address = about.address if isinstance(about, MemoryRow) else about
    return AuditRow(
        version=stamp,
        ordinal=ordinal,
        operation=operation,
        org=address.org,
        namespace=address.namespace,
        agent=address.agent,
        user_id=address.user_id,
        session_id=address.session_id,
        run_id=run_id,
        memory_key=address.memory_key,
        memory_id="" if row is None else row.memory_id,
        content_sha256="" if row is None else row.content_sha256,
        actor=actor,
        source_class="" if row is None else str(row.source_class),
        verdict=verdict,
        refused=refused,
    )
