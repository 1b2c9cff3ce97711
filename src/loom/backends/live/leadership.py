"""Who commits for all: one waiter leads, the others sleep, each on its own gate (rule 6)."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence

from loom.backends.live.block import Block, Fate

__all__ = ["Leadership"]


class Leadership:
    """Held by one thread at a time, from its own wait until its own write is settled."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held = False
        self._waiting: deque[Block] = deque()

    def take(self, block: Block) -> bool:
        """Lead now, or sleep until the block is settled or the lead is handed over.

        Returns:
            Whether this thread leads; it must `give_up` afterwards. False says only that
            it was woken: the block may still be pending when two threads wait for it.
        """
        with self._lock:
            if block.fate is not Fate.PENDING:
                return False
            if not self._held:
                self._held = True
                return True
            if block.gate is None:
                block.gate = threading.Lock()
                block.gate.acquire()
                self._waiting.append(block)
            gate = block.gate
        try:
            gate.acquire()
        except BaseException:
            with self._lock:
                if block.leads:
                    block.leads = False
                    self._hand_over()
            raise
        # Several threads may wait for one block: pass the gate on.
        gate.release()
        with self._lock:
            mine, block.leads = block.leads, False
        return mine

    def give_up(self) -> None:
        """Hand the lead to the next who still waits."""
        with self._lock:
            self._hand_over()

    def wake(self, blocks: Sequence[Block]) -> None:
        """Let go of who waits for blocks whose fate is known."""
        with self._lock:
            gates = [block.gate for block in blocks if block.gate is not None]
            for block in blocks:
                block.gate = None
        for gate in gates:
            gate.release()

    def _hand_over(self) -> None:
        self._held = False
        while self._waiting:
            heir = self._waiting.popleft()
            if heir.fate is Fate.PENDING and heir.gate is not None:
                heir.leads = self._held = True
                gate, heir.gate = heir.gate, None
                gate.release()
                return
