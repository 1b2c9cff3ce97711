"""What the scenario's namespace says of its memories: a policy, and rules of its tags.

Written from R-44, R-45 and the source page, apart from `policies`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from attrs import frozen

__all__ = ["POLICIES", "TAG_REGISTRY", "Custom", "custom_of"]

#: From the most careful to the least.
POLICIES: Final = ("manual_review", "auto_reinforce", "append_only", "newest_wins")
#: As `namespace.register` takes it.
TAG_REGISTRY: Final[Mapping[str, Mapping[str, Any]]] = {
    "log": {"conflict_policy": "append_only"},
    "fresh": {"conflict_policy": "newest_wins"},
    "held": {"conflict_policy": "manual_review"},
    "quote": {"dedup": False},
    "brief": {"retention_days": 0.5},
}
_DAY: Final = 86_400 * 1_000_000


@frozen(kw_only=True)
class Custom:
    """What holds for a row with some tags."""

    policy: str = "auto_reinforce"
    by_tag: bool = False
    dedups: bool = True
    #: Microseconds.
    retention: int | None = None

    @property
    def newest_wins(self) -> bool:
        """A newer claim takes the place of what it contradicts."""
        return self.policy == "newest_wins"

    @property
    def appends(self) -> bool:
        """Nothing is judged."""
        return self.policy == "append_only"

    @property
    def shields(self) -> bool:
        """A tag keeps the row from being retired by another's write."""
        return self.by_tag and not self.newest_wins


def custom_of(policy: str | None, tags: Iterable[str]) -> Custom:
    """What holds for a row: the tags' word before the namespace's, the most careful first.

    Args:
        policy: the namespace's; None while it is not registered, so that its tags say
            nothing.
        tags: of the row.
    """
    if policy is None:
        return Custom()
    rules = [TAG_REGISTRY[tag] for tag in tags if tag in TAG_REGISTRY]
    stated = [rule["conflict_policy"] for rule in rules if "conflict_policy" in rule]
    days = [rule["retention_days"] for rule in rules if "retention_days" in rule]
    return Custom(
        policy=min(stated, key=POLICIES.index, default=policy),
        by_tag=bool(stated),
        dedups=not any("dedup" in rule for rule in rules),
        retention=round(min(days) * _DAY) if days else None,
    )
