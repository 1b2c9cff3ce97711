"""Reading the store as of an instant: what a replay must leave out is gathered here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

import attrs

from loom.engine.env import Context
from loom.engine.read import ScopedReader, reading
from loom.model.memory import MemoryRow
from loom.model.status import Status
from loom.retrieval.replayed import AsOf, Replayed, gone_since, outdone, retired_by
from loom.retrieval.served import not_past
from loom.storage.query import Order, Versions
from loom.storage.where import ALWAYS, Equal, In, Where, all_of

__all__ = ["replayed", "row_of_id_then", "row_then"]

_NEWEST: Final = (Order("version", descending=True),)


def replayed(reader: ScopedReader, as_of: AsOf, within: Where = ALWAYS) -> Replayed:
    """The replay, with the rows that it must not serve.

    Args:
        reader: of any view; its identity's rows alone are looked at.
        as_of: the instant.
        within: which rows it will be asked about, so that no others are looked at: a
            predicate of fields that no version changes.
    """
    at = as_of.true_at
    if at is None:
        return Replayed(as_of=as_of)
    then = reader.at(as_of.standing_view)
    gone = {row.memory_id for row in then.select(all_of(within, gone_since())).rows}
    superseded = then.select(all_of(within, Equal("status", Status.SUPERSEDED))).rows
    retired = retired_by(at, superseded, _successors(reader, superseded))
    excluded = frozenset(gone | retired)
    beside = [r for r in superseded if r.beside and r.memory_id not in excluded]
    if beside:
        excluded |= outdone(_siblings(reader, as_of, beside, excluded))
    return Replayed(as_of=as_of, excluded=excluded)


def _successors(
    reader: ScopedReader, superseded: tuple[MemoryRow, ...]
) -> dict[str, list[MemoryRow]]:
    ids = tuple(sorted({row.superseded_by for row in superseded if row.superseded_by}))
    found: dict[str, list[MemoryRow]] = defaultdict(list)
    if ids:
        order = (Order("version"),)
        every = reader.at(Versions()).select(In("memory_id", ids), order=order)
        for row in every.rows:
            found[row.memory_id].append(row)
    return found


def _siblings(
    reader: ScopedReader, as_of: AsOf, beside: list[MemoryRow], excluded: frozenset[str]
) -> list[MemoryRow]:
    """Every version that could be served of the identities that have rows beside."""
    owners = {row.address.own for row in beside}
    keys = tuple(sorted({row.memory_key for row in beside}))
    could = Replayed(as_of=as_of, excluded=excluded).standing()
    rows = reader.at(as_of.view).select(all_of(In("memory_key", keys), could)).rows
    return [row for row in rows if row.address.own in owners]


def row_then(context: Context, key: str, as_of: AsOf) -> tuple[MemoryRow | None, bool]:
    """The row that a key answered with, and whether it is secret (R-05).

    The caller's own identity first, then the newest of their user, then of nobody; where
    only duplicates stood under the key, the canonical row of one.
    """
    with reading(context, opens=True) as reader:
        then = reader.at(as_of.view)
        replay = replayed(reader, as_of, Equal("memory_key", key))
        under = Equal("memory_key", key)
        served = then.select(all_of(under, replay.standing()), order=_NEWEST).rows
        copies = all_of(
            under, Equal("status", Status.DUPLICATE), not_past(as_of.now), replay.open()
        )
        duplicates = then.select(copies, order=_NEWEST).rows
        for row in _by_nearness(context, key, served, duplicates):
            is_copy = row.status is Status.DUPLICATE
            answer = _canonical(reader, as_of, row) if is_copy else row
            if answer is not None:
                return answer, reader.hides(answer)
    return None, False


def row_of_id_then(context: Context, memory_id: str, as_of: AsOf) -> MemoryRow | None:
    """The row of an id as it was served; a duplicate answers with its canonical row."""
    with reading(context) as reader:
        row = reader.at(as_of.view).by_id(memory_id)
        if row is None:
            return None
        replay = replayed(reader, as_of, Equal("memory_key", row.memory_key))
        if replay.serves(row):
            return row
        if row.status is not Status.DUPLICATE or not replay.is_open(row):
            return None
        return _canonical(reader, as_of, row)


def _by_nearness(
    context: Context,
    key: str,
    served: tuple[MemoryRow, ...],
    duplicates: tuple[MemoryRow, ...],
) -> Iterator[MemoryRow]:
    identity = context.identity
    own = identity.address(key)
    mine = [row for row in (*served, *duplicates) if row.address.own == own]
    yield from mine
    for rows in (served, duplicates):
        yield from sorted(rows, key=lambda row: row.user_id != identity.user_id)


def _canonical(reader: ScopedReader, as_of: AsOf, duplicate: MemoryRow) -> MemoryRow | None:
    row = reader.at(as_of.view).by_id(duplicate.duplicate_of)
    if row is None:
        return None
    replay = replayed(reader, as_of, Equal("memory_key", row.memory_key))
    if not replay.serves(row):
        return None
    return attrs.evolve(row, resolved_from=duplicate.memory_key)
