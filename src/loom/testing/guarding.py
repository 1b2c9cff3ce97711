"""What stands against a write in the oracle's world: locks, pins, the blacklist, a hash."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import define, frozen

from loom.errors import Blacklisted, Locked, PinnedConflict, PreconditionFailed
from loom.model.identity import Address
from loom.testing.customs import Custom
from loom.testing.rows import No, Row
from loom.testing.sayings import Saying
from loom.testing.weighing import Weighing

__all__ = ["Guarding", "Writing"]

#: Corrections: a pin on the row itself does not stand against them, and is kept.
_CORRECTS = ("update", "update_by_id", "resolve")


@frozen(kw_only=True)
class Writing:
    """What is to be written, and on whose behalf.

    Attributes:
        op: set, bulk, update, update_by_id, pin, accept or resolve.
        at: the row that is written.
        said: details that were said.
        run: the writer's run.
        taken: the proposal that it takes.
        buried: the losing side of a conflict, which goes with it.
    """

    op: str
    at: Address
    saying: Saying
    said: Mapping[str, Any]
    run: str = ""
    if_match: Saying | None = None
    taken: Row | None = None
    buried: Row | None = None

    @property
    def pins(self) -> bool:
        """It pins, so that pins do not stand against it."""
        return self.said.get("pinned") is True

    def changes(self, live: Row) -> bool:
        """It says something else than the live row does."""
        return live.saying != self.saying or any(
            getattr(live, name) != value for name, value in self.said.items()
        )


@define
class Guarding(Weighing):
    """The guards, and the end that a tag gives a row."""

    def _kept_for(
        self, said: Mapping[str, Any], live: Row | None, custom: Custom
    ) -> dict[str, Any]:
        """What was said, with the end that a tag's retention gives it."""
        if custom.retention is None:
            return dict(said)
        latest = (live.created_at if live else self.now) + custom.retention
        end = said.get("expires_at", live.expires_at if live else None)
        if end is not None and end <= latest:
            return dict(said)
        return {**said, "expires_at": latest}

    def _guard(
        self, one: Writing, head: Row | None, live: Row | None, elders: list[Row]
    ) -> None:
        """Held elders; lock, pin, blacklist, precondition, in this order (A-87, R-42)."""
        for elder in elders:
            if elder.locked(self.now):
                raise No(Locked.code, one.at)
            if elder.pinned:
                raise No(PinnedConflict.code, one.at)
        if self._is_locked(one, head, live):
            raise No(Locked.code, one.at)
        held = live is not None and live.pinned and one.changes(live)
        if held and not one.pins and one.op not in _CORRECTS:
            raise No(PinnedConflict.code, one.at)
        if self._banned(one.saying, one.said.get("tags", live.tags if live else ())):
            raise No(Blacklisted.code, one.at)
        if one.if_match is not None and (live is None or live.saying != one.if_match):
            raise No(PreconditionFailed.code, one.at)

    def _is_locked(self, one: Writing, head: Row | None, live: Row | None) -> bool:
        """A lock keeps what the row says, and the row itself.

        It holds over a row past its end too, where nothing is merely restated and a fresh
        start would drop it.
        """
        if one.buried is not None and one.buried.locked(self.now):
            return True
        if live is None:
            return head is not None and head.live and head.locked(self.now)
        return live.locked(self.now) and live.lock_mode == "read_only" and one.changes(live)
