"""Two stores that are told the same must answer and hold the same.

Clock and ids are the same on both, so every row, version, audit entry and ranking must be
equal to the byte, not only alike. Two things are a store's own: the key with which its audit
hashes secrets (R-46), and when it writes down what was read for the first time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from loom.engine.reads import FIRST_READ
from loom.model.audit import AuditRow
from loom.testing.plain import BY_HASH
from loom.testing.sayings import SAYINGS
from loom.testing.scenarios import KEYS, WHOS
from loom.testing.stage import Stage
from loom.testing.steps import Step, Who

__all__ = ["assert_same_reads", "assert_same_rows", "run_on_both", "shown"]


def run_on_both(program: Iterable[Step], one: Stage, other: Stage) -> None:
    """Perform a program on two stores; each step must have one answer.

    Raises:
        AssertionError: an answer, a row, an audit entry or a read differs.
    """
    for step in program:
        assert one.do(step) == other.do(step)
    assert_same_rows(one, other)
    assert_same_reads(one, other)


def assert_same_rows(one: Stage, other: Stage) -> None:
    """Every version of every row and every audit entry is the same."""
    assert one.versions() == other.versions()
    assert _audited(one) == _audited(other)


def _audited(stage: Stage) -> list[AuditRow]:
    return [
        row if row.content_sha256 in BY_HASH else attrs.evolve(row, content_sha256="keyed")
        for row in stage.audit_rows()
        if row.verdict != FIRST_READ
    ]


def assert_same_reads(one: Stage, other: Stage) -> None:
    """Every reader is shown the same, in the same order."""
    for who in WHOS:
        assert shown(one, who) == shown(other, who)


def shown(stage: Stage, who: Who) -> Sequence[Any]:
    """All that a reader is answered: lists, keys with their histories, ids, searches."""
    memory = stage.handle(who).memory
    listed = memory.list(limit=1_000).items
    every = memory.list(status="*", limit=1_000).items
    by_key = [(memory.get(key), memory.history(key, agent_id="*")) for key in KEYS]
    by_id = [memory.get_by_id(row.memory_id) for row in every]
    found = [
        memory.search(saying.text, top_k=5, include_duplicates=True)
        for saying in SAYINGS.values()
    ]
    return (listed, every, memory.count(), by_key, by_id, found)
