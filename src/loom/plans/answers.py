"""What a write tells its caller: the rows it met, and what to do now."""

from __future__ import annotations

from datetime import datetime
from typing import Final, assert_never

from loom.model.masking import is_secret
from loom.model.memory import MemoryRow
from loom.model.status import Status
from loom.plans.outcomes import PeerView
from loom.policies.relations import Relations
from loom.policies.verdicts import (
    Clear,
    Conflict,
    Duplicate,
    Filed,
    Judged,
    Merge,
    Refines,
    Refuse,
    Restated,
    Verdict,
)

__all__ = ["next_step", "notice", "peer_views"]

_SHOWN: Final = 5
_DECIDING: Final = (Relations.CANONICAL, Relations.SAME, Relations.CONFLICT)


def peer_views(verdict: Verdict, shown: int = _SHOWN) -> tuple[PeerView, ...]:
    """The rows it was compared with, closest first, as a writer is shown them.

    Where there are more than are shown, those that decided are not left out for closer
    ones that did not.
    """
    judged = () if isinstance(verdict, Restated) else verdict.judged
    if len(judged) > shown:
        kept = sorted(judged, key=lambda one: one.relation not in _DECIDING)[:shown]
        judged = tuple(one for one in judged if any(one is k for k in kept))
    return tuple(_view(one) for one in judged)


def _view(judged: Judged) -> PeerView:
    row = judged.peer.row
    return PeerView(
        memory_key=row.memory_key,
        memory_id=row.memory_id,
        agent=row.agent,
        user_id=row.user_id,
        session_id=row.session_id,
        value=row.value,
        content_sha256=row.content_sha256,
        status=row.status,
        pinned=row.pinned,
        valid_at=row.valid_at,
        similarity=judged.peer.similarity,
        relation=judged.relation,
        reasons=judged.reasons,
        parts=judged.found.parts,
    )


def notice(row: MemoryRow, now: datetime) -> str:
    """What to know of a row that reads do not serve as usual; empty for any other."""
    if is_secret(row) and row.is_served(now):
        return (
            f"It is kept as secret: memory.get('{row.memory_key}') alone shows it, and "
            "each such read is audited; no search finds it."
        )
    if row.status is Status.SUPERSEDED or not row.is_past(now):
        return ""
    return (
        "It is written, but no read serves it: its expiry or its valid_to has passed. "
        "Write it again with clear_expiry, a new ttl_seconds, or another valid_to."
    )


def next_step(verdict: Verdict, row: MemoryRow) -> str:  # noqa: PLR0911 - a flat table
    """What a careful caller would do now, in one plain sentence (R-55)."""
    match verdict:
        case Restated():
            return "Nothing to do: the claim was known and is now stated once more."
        case Merge(peer=peer):
            return (
                f"Nothing was written here: use the key '{peer.memory_key}', which says "
                "the same."
            )
        case Duplicate(of=peer):
            return (
                f"Reads of this key answer with '{peer.memory_key}', which says the same; "
                "write there from now on."
            )
        case Conflict(peers=peers):
            keys = ", ".join(f"'{peer.memory_key}'" for peer in peers[:_SHOWN])
            return (
                f"Both sides are served and marked: read {keys}, then update or delete "
                "the one that is wrong, or decide with conflicts.resolve."
            )
        case Refines(retired=retired, against=against):
            return _after_refining(row, retired, against)
        case Filed(under=held):
            return (
                f"It is kept in the history of '{row.memory_key}': what is served there "
                f"is true from {held.world_date.isoformat()} on."
            )
        case Clear():
            return f"Nothing to do: the claim stands under '{row.memory_key}'."
        case Refuse():
            return verdict.message
        case _:
            assert_never(verdict)


def _after_refining(
    row: MemoryRow, retired: tuple[MemoryRow, ...], against: tuple[MemoryRow, ...]
) -> str:
    names = sorted({f"'{peer.memory_key}'" for peer in retired} | {f"'{row.memory_key}'"})
    done = f"It is now the belief of {', '.join(names[:_SHOWN])}; what stood there is kept"
    if not against:
        return f"{done} as history, and memory.restore brings it back."
    keys = ", ".join(f"'{peer.memory_key}'" for peer in against[:_SHOWN])
    return (
        f"{done} as history. It contradicts {keys}, which could not be retired: see there."
    )
