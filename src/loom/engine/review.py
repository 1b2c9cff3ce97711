"""Conflicts as pairs of rows, each once, for somebody to decide."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from attrs import frozen

from loom.engine.env import Context
from loom.engine.read import ScopedReader
from loom.engine.thresholds import thresholds_in
from loom.model.memory import MemoryRow
from loom.model.status import Status
from loom.policies.facts import Claim
from loom.policies.relations import Relation
from loom.storage.query import Cursor, Order
from loom.storage.where import Equal, Where, all_of

__all__ = ["Pair", "Place", "pairs_from"]

_PAGE = 200
_ORDER = (Order("version", descending=True),)

#: Where a page begins: a row's version, its id, and how many of its pairs came before.
Place = tuple[int, str, int]


@frozen(kw_only=True, slots=True, hash=False)
class Pair:
    """Two rows that contradict each other, and how they stand to each other now."""

    #: The side that was changed last, or else came later.
    row: MemoryRow
    #: None where the row is marked and its other side is not here, as after an import.
    peer: MemoryRow | None
    #: None also where one of the two is secret: nothing is said of its value (R-46).
    found: Relation | None
    place: Place


def pairs_from(
    context: Context, reader: ScopedReader, where: Where, after: Place | None
) -> Iterator[Pair]:
    """The pairs of visible rows, the latest first.

    Args:
        context: the call.
        reader: sees what the caller may see.
        where: which rows to look at; a pair counts if its later side is one of them.
        after: the place of the last pair of the page before.
    """
    marked = all_of(Equal("status", Status.CONFLICTED), where)
    cursor: Cursor | None = None
    while True:
        page = reader.select(marked, order=_ORDER, after=cursor, limit=_PAGE)
        for row in page.rows:
            if after is not None and _is_before(row, after):
                continue
            for pair in _pairs_of(context, reader, row):
                if after is None or _follows(pair.place, after):
                    yield pair
        cursor = page.next
        if cursor is None:
            return


def _is_before(row: MemoryRow, place: Place) -> bool:
    """Whether all pairs of the row came on an earlier page: newest first, ids rising."""
    return (-row.version, row.memory_id) < (-place[0], place[1])


def _follows(place: Place, after: Place) -> bool:
    return (-place[0], place[1], place[2]) > (-after[0], after[1], after[2])


def _pairs_of(context: Context, reader: ScopedReader, row: MemoryRow) -> Iterator[Pair]:
    if not row.conflict_with:
        yield Pair(row=row, peer=None, found=None, place=(row.version, row.memory_id, 0))
        return
    for at, partner_id in enumerate(row.conflict_with):
        peer = reader.by_id(partner_id)
        if peer is None or _rank(peer) > _rank(row):
            continue  # it is listed at the other side
        if peer.is_past(context.now()):
            continue  # no read serves it, so nobody waits for a decision
        secret = row.masked or peer.masked
        found = None if secret else _relation(context, reader, row, peer)
        place = (row.version, row.memory_id, at)
        yield Pair(row=row, peer=peer, found=found, place=place)


def _rank(row: MemoryRow) -> tuple[int, str]:
    return (row.version, row.memory_id)


def _relation(
    context: Context, reader: ScopedReader, row: MemoryRow, peer: MemoryRow
) -> Relation:
    """What the judge says of the two as they are: the reasons are made anew."""
    vectors = [reader.vector(side) for side in (row, peer)]
    similarity = -1.0
    if vectors[0] is not None and vectors[1] is not None:
        similarity = float(np.dot(vectors[0], vectors[1]))
    return context.env.check.judge_of.relate(
        Claim.of(row),
        Claim.of(peer),
        similarity,
        thresholds_in(context.env, reader.reader, row.address, row.memory_type),
    )
