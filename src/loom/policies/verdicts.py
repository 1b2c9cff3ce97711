"""What the rules can decide.

A verdict is a value: single writes raise a refusal, bulk writes report it, dry runs
return it. `plans/effects.py` has one arm for each.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from attrs import field, frozen

from loom.errors import Refused
from loom.model.memory import MemoryRow
from loom.policies.facts import Peer
from loom.policies.relations import Relation, Relations

__all__ = [
    "Clear",
    "Conflict",
    "Duplicate",
    "Filed",
    "Judged",
    "Merge",
    "Refines",
    "Refuse",
    "Restated",
    "Verdict",
    "name_of",
]


@frozen(kw_only=True, slots=True, hash=False)
class Judged:
    """One peer and what it was found to be."""

    peer: Peer
    found: Relation

    @property
    def relation(self) -> Relations:
        """What the draft's claim is to the peer's."""
        return self.found.kind

    @property
    def reasons(self) -> tuple[str, ...]:
        """Plain phrases: what was compared and what it showed."""
        return self.found.reasons


@frozen(slots=True, hash=False)
class Refuse:
    """A guard objects."""

    error: type[Refused]
    message: str
    details: dict[str, Any] = field(factory=dict)
    judged: tuple[Judged, ...] = ()

    def as_error(self) -> Refused:
        """The exception a single write raises."""
        return self.error(self.message, **self.details)


@frozen(slots=True, hash=False)
class Restated:
    """The live row says exactly this already."""

    row: MemoryRow


@frozen(kw_only=True, slots=True, hash=False)
class Merge:
    """Another live row says this already, in the same canonical form."""

    peer: MemoryRow
    judged: tuple[Judged, ...] = ()


@frozen(kw_only=True, slots=True, hash=False)
class Duplicate:
    """A canonical row answers for what this says."""

    of: MemoryRow
    judged: tuple[Judged, ...] = ()


@frozen(kw_only=True, slots=True, hash=False)
class Refines:
    """It takes the place of rows that say otherwise; `newest_wins` alone decides so."""

    #: They go; the rows of the key itself, which any write there retires, are none of them.
    retired: tuple[MemoryRow, ...] = ()
    #: Close rows that say otherwise and stay: later in the world, pinned or locked.
    against: tuple[MemoryRow, ...] = ()
    judged: tuple[Judged, ...] = ()


@frozen(kw_only=True, slots=True, hash=False)
class Filed:
    """It was true before what the key holds, so it goes into history and that stays."""

    under: MemoryRow
    judged: tuple[Judged, ...] = ()


@frozen(kw_only=True, slots=True, hash=False)
class Conflict:
    """Close rows say otherwise; all of them are linked."""

    peers: tuple[MemoryRow, ...]
    judged: tuple[Judged, ...] = ()


@frozen(kw_only=True, slots=True, hash=False)
class Clear:
    """Nothing stored stands against it."""

    judged: tuple[Judged, ...] = ()


Verdict: TypeAlias = (
    Refuse | Restated | Merge | Duplicate | Refines | Filed | Conflict | Clear
)


def name_of(verdict: Verdict) -> str:
    """The name that answers and audit entries carry; empty for a refusal."""
    if isinstance(verdict, Refuse):
        return ""
    if isinstance(verdict, Filed):
        return "clear"  # nothing stands against it: its time has passed
    return type(verdict).__name__.lower()
