"""What a test looks at, where it knows that it is there."""

from __future__ import annotations

from loom import AgentHandle
from loom.model.memory import MemoryRow
from loom.plans.outcomes import Refusal, SetOutcome

__all__ = ["row_of", "written"]


def row_of(agent: AgentHandle, key: str) -> MemoryRow:
    """The row that a key answers with."""
    row = agent.memory.get(key)
    assert row is not None
    return row


def written(answer: SetOutcome | Refusal) -> SetOutcome:
    """The answer of a bulk entry that was not refused."""
    assert isinstance(answer, SetOutcome)
    return answer
