"""What one `writing` block staged, and the receipts for it."""

from __future__ import annotations

import threading
from enum import Enum
from typing import TYPE_CHECKING

from loom.backends.live.journal import Staged
from loom.backends.live.lines import Entered
from loom.backends.live.passages import Content, Passage
from loom.errors import StoreUnavailable
from loom.storage.contract import CommitFailed

if TYPE_CHECKING:
    from loom.backends.live.group import LiveStorage

__all__ = ["Block", "BlockReceipt", "Fate"]


class Fate(Enum):
    """What became of a block."""

    PENDING = "pending"
    DURABLE = "durable"
    ABANDONED = "abandoned"
    UNKNOWN = "unknown"


class Block:
    """The batches of one block: they are committed together or not at all.

    Attributes:
        staged: the batches in order.
        entered: what they changed in the view, in order.
        contents: the contents they brought entries for.
        fate: set once, by whoever commits or abandons it.
        cause: why it was abandoned.
        gate: what its waiter sleeps on; None while nobody waits.
        leads: the waiter was woken to lead.
    """

    __slots__ = ("cause", "contents", "entered", "fate", "gate", "leads", "staged")

    def __init__(self) -> None:
        self.staged: list[Staged] = []
        self.entered: list[Entered] = []
        self.contents: dict[Content, tuple[Passage, ...]] = {}
        self.fate = Fate.PENDING
        self.cause: BaseException | None = None
        self.gate: threading.Lock | None = None
        self.leads = False

    def raise_if_lost(self) -> None:
        """Raise what its waiter must hear, unless it is durable."""
        if self.fate is Fate.ABANDONED:
            msg = "the write was not committed and nothing of it is left; judge it again."
            raise CommitFailed(msg) from self.cause
        if self.fate is Fate.UNKNOWN:
            msg = "the store cannot say whether the write was committed; open it again."
            raise StoreUnavailable(msg) from self.cause


class BlockReceipt:
    """Waits for a block; see `Receipt`."""

    __slots__ = ("_block", "_storage", "_version")

    def __init__(self, storage: LiveStorage, block: Block | None, version: int) -> None:
        self._storage = storage
        self._block = block
        self._version = version

    @property
    def version(self) -> int:
        """The version of its rows."""
        return self._version

    def wait(self) -> None:
        """See `Receipt.wait`."""
        if self._block is not None:
            self._storage.wait_for(self._block)
