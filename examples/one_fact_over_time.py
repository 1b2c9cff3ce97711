"""One fact over time: where somebody lives, what replaced what, and who said so when.

Ana lives in Delhi in March and moves to Berlin in June. The store keeps both, and answers
for any day: what was true then, what it believed then, what it believed then of another day.

    python examples/one_fact_over_time.py
"""

from __future__ import annotations

from datetime import UTC, datetime

import loom
from loom.testing import FakeClock

KEY = "user/home"


def main() -> None:
    """Tell the story with a clock that is set, so that it reads alike every time."""
    clock = FakeClock(datetime(2026, 3, 10, 9, tzinfo=UTC))
    with loom.open(":memory:", clock=clock) as store:
        agent = store.agent("concierge", org="acme", namespace="travel", user_id="ana")
        memory = agent.memory
        memory.set(KEY, "I live in Delhi.", valid_at="2026-03-01T00:00:00Z")
        clock.set(datetime(2026, 6, 15, 9, tzinfo=UTC))
        out = memory.set(KEY, "I moved to Berlin.", valid_at="2026-06-01T00:00:00Z")
        print(f"June: the row of {KEY} is revised: {out.conflict_verdict}.")

        print("\nWhat was true, as far as is known now:")
        for month in (2, 4, 7):
            row = memory.get(KEY, as_of=datetime(2026, month, 1, tzinfo=UTC))
            print(f"  on 1 {_name(month)}: {row.value if row else 'nothing is known'}")

        print("\nWhat the store held on 5 June, a week before it heard of the move:")
        fifth = datetime(2026, 6, 5, tzinfo=UTC)
        held = memory.get(KEY, as_of=fifth, as_of_basis="knowledge_time")
        print(f"  {held.value if held else None}   (although Berlin was true by then)")

        print("\nEvery version, newest first:")
        for version in memory.history(KEY):
            print(
                f"  {version.written_at:%d %b}  {version.event:<8} {version.value:<20}"
                f" {version.actor}, {version.source_class}"
            )

        print("\nThe same fact under another key does not slip by:")
        found = memory.set("notes/flat", "I live in Oslo.")
        print(f"  {found.conflict_verdict} with {found.peers[0].memory_key}:")
        for reason in found.peers[0].reasons:
            print(f"    {reason}")


def _name(month: int) -> str:
    return datetime(2026, month, 1, tzinfo=UTC).strftime("%B")


if __name__ == "__main__":
    main()
