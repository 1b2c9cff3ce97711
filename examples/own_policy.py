"""A rule of one's own: what is written under `decision/` must say who decided.

A rule is a frozen value with one method. It gets the draft and the facts, and answers a
verdict, or None for "no opinion, ask the next rule".

    python examples/own_policy.py
"""

from __future__ import annotations

import attrs

import loom
from loom.errors import Refused
from loom.model.unset import said
from loom.policies.facts import Draft, Facts
from loom.policies.verdicts import Refuse


class NobodyDecided(Refused):
    """A decision does not say who made it."""

    code = "NOBODY_DECIDED"


@attrs.frozen
class DecisionsNameTheirMaker:
    """Writes under a prefix need the tag `by:<somebody>`."""

    prefix: str = "decision/"

    def judge(self, draft: Draft, facts: Facts) -> Refuse | None:
        """Refuse a decision without its maker."""
        before = facts.live_head.tags if facts.live_head else ()
        named = any(tag.startswith("by:") for tag in said(draft.details.tags, before))
        if named or not draft.address.memory_key.startswith(self.prefix):
            return None
        message = "A decision needs a tag such as by:ana, which says who made it."
        return Refuse(NobodyDecided, message, {"memory_key": draft.address.memory_key})


#: The rule stands first, so that nothing else is asked about such a write.
LENSES = attrs.evolve(
    loom.LENSES,
    expand=(DecisionsNameTheirMaker(), *loom.LENSES.expand),
    bulk=(DecisionsNameTheirMaker(), *loom.LENSES.bulk),
)


def main() -> None:
    """Write twice: once without a maker, once with."""
    with loom.open(":memory:", lenses=LENSES) as store:
        memory = store.agent("architect").memory
        value = "Invoices are kept in one table for all tenants."
        try:
            memory.set("decision/invoices", value)
        except NobodyDecided as error:
            print(error.code, "-", error)
        out = memory.set("decision/invoices", value, tags=["by:ana"])
        print(out.conflict_verdict, "-", out.next)


if __name__ == "__main__":
    main()
