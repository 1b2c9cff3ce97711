"""Random programs: a few writers, a few keys, claims that meet.

The strategies draw steps; what the sayings are to each other stands in `sayings.py`.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from attrs import evolve, frozen
from hypothesis import strategies as st

from loom.model.identity import Address
from loom.testing.customs import POLICIES
from loom.testing.sayings import SAYINGS, Saying
from loom.testing.steps import (
    Ban,
    Bulk,
    Decide,
    Delete,
    Expire,
    Lift,
    Lock,
    Look,
    Put,
    Register,
    Reject,
    Resolve,
    Restore,
    Step,
    Sweep,
    Unlock,
    Wait,
    Who,
)

__all__ = [
    "DATES",
    "KEYS",
    "PATTERNS",
    "RUNS",
    "WHOS",
    "Cast",
    "casts",
    "programs",
    "steps",
]

KEYS: Final = ("team/drink", "team/van", "team/drink/noon")
#: Each matches sayings of one topic, in another case; the last a tag.
PATTERNS: Final = ("BLACK tea", "grey VAN", "bLuE", "kind:b")


WHOS: Final = (
    Who("ivo"),
    Who("una"),
    Who("ivo", "-", "s1"),
    Who("ivo", "a"),
    Who("una", "a", "s1"),
    Who("ivo", "b"),
)
#: Who writes in a run, at the address of one of the others.
RUNS: Final = (Who("ivo", run="r1"), Who("una", run="r2"), Who("una", "a", "s1", run="r1"))
#: Dates in the world: before the scenario begins, on its day, and after it.
DATES: Final = tuple(
    int(datetime(2026, month, day, 9, tzinfo=UTC).timestamp()) * 1_000_000
    for month, day in ((2, 1), (2, 20), (3, 2), (3, 3), (4, 1))
)

_POLICY: Final = st.sampled_from((*POLICIES, "newest_wins", "newest_wins"))
_RARELY: Final = st.sampled_from((False, False, False, True))
_TTL: Final = st.sampled_from((None, None, None, 60, 3_600))
_DAY: Final = 86_400.0
_TAGS: Final = (
    *([None] * 12),
    *((), ("kind:a",), ("kind:b",), ("log",), ("fresh",), ("held",), ("quote",)),
    *(("brief",), ("fresh", "quote"), ("held", "log")),
)


@frozen(kw_only=True)
class Cast:
    """Who takes part in one program and what there is to say: few, so that they meet."""

    whos: tuple[Who, ...]
    keys: tuple[str, ...]
    sayings: tuple[Saying, ...]


def casts() -> st.SearchStrategy[Cast]:
    """Writers who share a user or do not, two or three keys, one topic more often than all."""
    ivo, una, session, ivo_for_a, una_for_a, ivo_for_b = WHOS
    tea, van, bare = (
        tuple(s for s in SAYINGS.values() if s.topic.startswith(topic))
        for topic in ("tea", "van", "bare")
    )
    together = (
        *((ivo,), (ivo, una), (ivo, session), (ivo_for_a, una_for_a)),
        *((ivo, ivo_for_a), (ivo_for_a, ivo_for_b), WHOS),
        *((ivo, *RUNS[:2]), (ivo_for_a, una_for_a, RUNS[2])),
    )
    return st.builds(
        Cast,
        whos=st.sampled_from(together),
        keys=st.sampled_from((KEYS[:2], KEYS)),
        sayings=st.sampled_from((tea, tea, tea, van, bare, tuple(SAYINGS.values()))),
    )


def _puts(cast: Cast, op: str, **fixed: st.SearchStrategy[Any]) -> st.SearchStrategy[Put]:
    saying = st.sampled_from(cast.sayings)
    said: dict[str, st.SearchStrategy[Any]] = {
        "op": st.just(op),
        "who": st.sampled_from(cast.whos),
        "key": st.sampled_from(cast.keys),
        "saying": saying | st.none() if op == "pin" else saying,
        "of": st.none(),
        "memory_type": st.sampled_from((*[None] * 9, "semantic", "preference", "profile")),
        "tags": st.sampled_from(_TAGS),
        "pinned": st.none() if op == "pin" else st.sampled_from((*[None] * 9, True, False)),
        "ttl": _TTL,
        "clear_expiry": st.just(False),
        "valid_at": st.sampled_from((*[None] * 9, *DATES)),
        "valid_for": st.sampled_from((*[None] * 12, 60, 7_200)),
        "on_expire": st.sampled_from((*[None] * 12, "keep", "tombstone")),
        "sensitivity": st.sampled_from((*[None] * 24, "high", "high", "low", "")),
        "proposed": st.just(False),
        "if_match": st.none(),
        "dry_run": _RARELY,
    }
    return st.builds(Put, **{**said, **fixed})


def _bulks(cast: Cast) -> st.SearchStrategy[Bulk]:
    def bulk(who: Who, entries: list[Put], atomic: bool) -> Bulk:
        mine = (evolve(entry, who=who) for entry in entries)
        return Bulk(who=who, entries=tuple(mine), atomic=atomic)

    entry = _puts(cast, "set", dry_run=st.just(False))
    entries = st.lists(entry, min_size=1, max_size=4)
    return st.builds(bulk, st.sampled_from(cast.whos), entries, st.booleans())


def _resolves(
    cast: Cast, address: st.SearchStrategy[Address]
) -> st.SearchStrategy[Resolve]:
    named = {
        "who": st.sampled_from(cast.whos),
        "of": address,
        "peer": address,
        "dry_run": _RARELY,
    }
    actions = st.sampled_from(("revise", "contract", "allow"))
    saying = st.sampled_from(cast.sayings)
    return st.one_of(
        st.builds(Resolve, action=actions, **named),
        st.builds(Resolve, action=st.just("revise"), saying=saying, **named),
    )


def steps(cast: Cast) -> dict[str, st.SearchStrategy[Any]]:
    """For each operation, the steps that the cast can take."""
    by_key = {"who": st.sampled_from(cast.whos), "key": st.sampled_from(cast.keys)}
    address = st.builds(lambda who, key: who.at(key), *by_key.values())
    expected = st.sampled_from(cast.sayings)
    pattern = st.sampled_from(PATTERNS)
    anyone = st.sampled_from((WHOS[0], WHOS[2], WHOS[3]))
    waits = (0.000_001, 30.0, 90.0, 90.0, 4_000.0, 4_000.0, _DAY, 15 * _DAY, -1.0)
    return {
        "set": _puts(cast, "set"),
        "date": _puts(cast, "set", valid_at=st.sampled_from(DATES)),
        "propose": _puts(cast, "set", proposed=st.just(True)),
        "decide": st.builds(
            Decide,
            who=by_key["who"],
            of=address,
            accepts=st.sampled_from((True, True, False)),
            dry_run=_RARELY,
        ),
        "reject": st.builds(Reject, **by_key, dry_run=_RARELY),
        "reject_by_id": st.builds(Reject, who=by_key["who"], of=address, dry_run=_RARELY),
        "resolve": _resolves(cast, address),
        "expire": st.builds(Expire, who=st.just(WHOS[0])),
        "register": st.builds(
            Register, who=st.sampled_from((WHOS[0], WHOS[0], WHOS[3])), policy=_POLICY
        ),
        "look": st.builds(Look, **by_key),
        "compare": _puts(cast, "set", if_match=expected),
        "prolong": _puts(cast, "set", ttl=st.none(), clear_expiry=st.just(True)),
        "update": _puts(cast, "update"),
        "pin": _puts(cast, "pin"),
        "update_by_id": _puts(cast, "update_by_id", of=address),
        "bulk_set": _bulks(cast),
        "delete": st.builds(Delete, **by_key, mine_only=_RARELY, dry_run=_RARELY),
        "restore": st.builds(Restore, **by_key, clear_expiry=_RARELY, dry_run=_RARELY),
        "lock": st.builds(
            Lock, **by_key, mode=st.sampled_from(("read_only", "no_delete")), ttl=_TTL
        ),
        "unlock": st.builds(Unlock, **by_key),
        "ban": st.builds(Ban, who=anyone, pattern=pattern, sweep=_RARELY),
        "lift": st.builds(Lift, who=anyone, pattern=pattern),
        "sweep": st.builds(Sweep, who=st.just(WHOS[0])),
        "wait": st.builds(Wait, seconds=st.sampled_from(waits)),
    }


@st.composite
def programs(draw: st.DrawFn, *, most: int = 25) -> list[Step]:
    """Steps of every kind by one cast, writes more often than the rest."""
    kinds = steps(draw(casts()))
    often = [kinds["set"]] * 6 + [kinds["bulk_set"], kinds["delete"], kinds["restore"]]
    step = st.one_of(*often, *kinds.values())
    return draw(st.lists(step, min_size=1, max_size=most))
