"""A few rows that are not in the journal yet, laid over what the journal answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import attrs

from loom.backends.live.rows import cursor_of, full_order, page_of, predicate, replayed
from loom.storage.query import Heads, Page, Replay, Select
from loom.storage.tables import MEMORY, Stored, Table, table_of
from loom.storage.where import In, Not, all_of

__all__ = ["count_over", "select_over"]

T = TypeVar("T")
Ask = Callable[[Select[Any]], Page[Any]]


def select_over(query: Select[T], staged: Sequence[Stored], ask: Ask) -> Page[T]:
    """The journal's page with the staged rows in their places.

    Args:
        query: over versions, or a replay.
        staged: rows newer than everything in the journal, oldest first.
        ask: puts a query to the journal.
    """
    mine: list[Any] = [row for row in staged if table_of(row) is query.table]
    if not mine:
        return ask(query)
    if isinstance(query.view, Replay) and query.table.name == MEMORY.name:
        return _replay_over(query, query.view, mine, ask)
    if isinstance(query.view, Replay):
        known = query.view.known_by
        mine = [row for row in mine if known is None or row.version <= known]
    keeps = predicate(query.where)
    below = ask(query)
    return _merged(query, below, [row for row in mine if keeps(row)])


def count_over(
    query: Select[Any],
    staged: Sequence[Stored],
    ask: Ask,
    count: Callable[[Select[Any]], int],
) -> int:
    """How many rows `select_over` would give."""
    if not any(table_of(row) is query.table for row in staged):
        return count(query)
    if isinstance(query.view, Heads | Replay):
        everything = attrs.evolve(query, after=None, limit=None)
        return len(select_over(everything, staged, ask).rows)
    keeps = predicate(query.where)
    mine = sum(1 for row in staged if table_of(row) is query.table and keeps(row))
    return count(query) + mine


def _replay_over(query: Select[T], view: Replay, mine: list[Any], ask: Ask) -> Page[T]:
    table: Table[Any] = query.table
    name = table.identity[0]
    touched = In(name, tuple({getattr(row, name) for row in mine}))
    older = ask(Select(table=table, where=touched, view=view)).rows
    keeps = predicate(query.where)
    newer = [
        row
        for row in replayed((*older, *mine), view, lambda row: getattr(row, name))
        if keeps(row)
    ]
    below = ask(attrs.evolve(query, where=all_of(query.where, Not(touched))))
    return _merged(query, below, newer)


def _merged(query: Select[T], below: Page[T], newer: list[Any]) -> Page[T]:
    """Two sorted sources as one page; the lower one may go on beyond what it gave."""
    page = page_of((*below.rows, *newer), query)
    if page.next is None and below.next is not None and page.rows:
        return Page(rows=page.rows, next=cursor_of(page.rows[-1], full_order(query)))
    return page
