"""The two asynchronous examples that loom follows, with `store=` for a server's address.

First a fact is written, a change is probed before it is made, and the row that the probe
names is corrected against the hash that was read. Then an auditor reads who wrote what.

    python examples/source_page.py            # the lexical embedder
    python examples/source_page.py minilm     # with the extra of that name
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from loom import Agent, Datapack

KEY = "shop/returns/window"


async def correct(store: str, embedder: str) -> str:
    """Write, probe, correct; the probe's verdict."""
    async with Datapack(
        org="acme", namespace="support", store=store, embedder=embedder
    ) as pack:
        agent = pack.agent("policy-bot")
        out = await agent.memory.set(
            memory_key=KEY,
            value="Customers may return shoes within 30 days, never without the box.",
            tags=["kind:constraint", "service:returns"],
            entities=["returns"],
            valid_at=datetime.now(UTC),
        )
        print(out["conflict_verdict"], out["content_sha256"])

        claim = "Customers may return shoes within 14 days."
        probe = await agent.memory.set(
            memory_key="shop/returns/days", value=claim, dry_run=True
        )
        print(probe["conflict_verdict"], "-", probe["next"])
        if probe["conflict_verdict"] == "conflict":
            peer = probe["peers"][0]
            current = await agent.memory.get(memory_key=peer["memory_key"])
            if current is not None:
                await agent.memory.update(
                    memory_key=peer["memory_key"],
                    value=claim,
                    if_match_sha256=current["content_sha256"],
                )
        return str(probe["conflict_verdict"])


async def audit(store: str, embedder: str) -> int:
    """Print every version by any agent; how many there are."""
    async with Agent(
        org="acme", namespace="support", agent="auditor", store=store, embedder=embedder
    ) as agent:
        versions = await agent.memory.history(KEY, agent_id="*")
        for version in versions:
            print(
                f"{version['written_at']:%H:%M:%S}",
                version["actor"],
                version["source_class"],
                version["value"],
            )
        return len(versions)


async def main(embedder: str = "lexical") -> tuple[str, int]:
    """Both examples on one temporary store."""
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "memory.duckdb")
        verdict = await correct(store, embedder)
        return verdict, await audit(store, embedder)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:2]))
