"""The served set as a predicate: the statuses of `model/status.py`, less what is past."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from loom.model.status import PEER_STATUSES, SERVED_STATUSES, Status
from loom.storage.where import Compare, In, Not, Or, Where, all_of

__all__ = ["not_past", "peers_at", "served_at"]


def not_past(now: datetime) -> Where:
    """Neither expired nor past the end of its validity at `now` (R-20)."""
    return Not(Or((Compare("expires_at", "<=", now), Compare("valid_to", "<=", now))))


def served_at(now: datetime, also: Collection[Status] = ()) -> Where:
    """What reads answer with at `now`; `also` are statuses a flag asks for."""
    statuses = tuple(sorted({*SERVED_STATUSES, *also}))
    return all_of(In("status", statuses), not_past(now))


def peers_at(now: datetime) -> Where:
    """What a new claim is compared with at `now` (R-32)."""
    return all_of(In("status", tuple(sorted(PEER_STATUSES))), not_past(now))
