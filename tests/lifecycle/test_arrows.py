"""Every arrow of the table of transitions is taken, and no other, on every backend.

The walks are programs written out, so that what a random run may miss is always seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pytest

from loom.model.status import Event, Status, allows
from loom.testing.machine import BUILT
from loom.testing.sayings import SAYINGS
from loom.testing.scenarios import KEYS, WHOS
from loom.testing.steps import (
    Ban,
    Delete,
    Lock,
    Put,
    Register,
    Resolve,
    Restore,
    Step,
    Unlock,
    Wait,
)
from loom.testing.trial import Arrow, Trial

IVO, UNA = WHOS[:2]
ONE, TWO, THREE = KEYS
GREEN = "tea.green.plain"
GREEN_LOUD = "tea.green.loud"
GREEN_TURNED = "tea.green.turned"
BLACK = "tea.black.plain"
NONE = "tea.none.plain"
NONE_TURNED = "tea.none.turned"
ASIDE = "tea.aside.plain"
VAN = "van.mill.plain"


def put(key: str, name: str, *tags: str, ttl: int | None = None) -> Put:
    return Put(who=IVO, key=key, saying=SAYINGS[name], tags=tags or None, ttl=ttl)


def for_a_minute(key: str, *names: str) -> list[Step]:
    """The claims one after another, each ended before the next is made."""
    steps: list[Step] = []
    for name in names:
        steps += [put(key, name, ttl=60), Wait(seconds=61)]
    return steps


def delete(key: str) -> Delete:
    return Delete(who=IVO, key=key)


def restore(key: str) -> Restore:
    return Restore(who=IVO, key=key)


#: One active row, one in conflict with it and it with that, one duplicate of the first.
_THREE_ROWS: Final[list[Step]] = [
    put(ONE, GREEN),
    put(THREE, GREEN_TURNED),
    put(TWO, BLACK),
]
_ALL_KEYS: Final = (ONE, TWO, THREE)

WALKS: Final[dict[str, list[Step]]] = {
    "a new row may stand in every way": _THREE_ROWS,
    "a key begins afresh after its delete": [
        *(put(ONE, GREEN), delete(ONE), put(ONE, GREEN)),
        *(put(TWO, BLACK), delete(TWO), put(TWO, BLACK), delete(TWO)),
        *(put(THREE, GREEN_TURNED), delete(THREE), put(THREE, GREEN_TURNED)),
    ],
    "a key begins afresh after its end, from every standing to every other": [
        put(ONE, GREEN),
        *for_a_minute(TWO, VAN, ASIDE, BLACK, NONE, GREEN_TURNED),
        *for_a_minute(TWO, GREEN_TURNED, BLACK, VAN, GREEN_TURNED, VAN),
    ],
    "a revision leads from every standing to every other": [
        put(ONE, GREEN),
        *(put(TWO, name) for name in (VAN, ASIDE, BLACK, NONE, GREEN_TURNED)),
        *(put(TWO, name) for name in (GREEN_LOUD, BLACK, VAN, GREEN_TURNED, VAN)),
    ],
    "a row gains a second conflict and loses them one by one": [
        *(put(ONE, GREEN), put(TWO, BLACK), put(THREE, NONE)),
        *(delete(TWO), delete(THREE)),
    ],
    "a duplicate stands for itself when its canonical row moves on": [
        *(put(ONE, GREEN), put(TWO, GREEN_TURNED), put(THREE, GREEN_TURNED)),
        put(ONE, VAN),
    ],
    "a duplicate contradicts what its canonical row says now": [
        *(put(ONE, GREEN), put(TWO, GREEN_TURNED), put(ONE, BLACK)),
    ],
    "every live row may be restated": [
        *(*_THREE_ROWS, put(ONE, GREEN), put(TWO, BLACK), put(THREE, GREEN_TURNED)),
    ],
    "a duplicate stands for itself once it outlasts its canonical row": [
        *(put(ONE, GREEN, ttl=60), put(TWO, GREEN_TURNED, ttl=30)),
        put(TWO, GREEN_TURNED, ttl=120),
    ],
    "a duplicate that outlasts its canonical row contradicts another": [
        *(put(ONE, GREEN, ttl=60), put(TWO, GREEN_TURNED, ttl=30), put(THREE, BLACK)),
        put(TWO, GREEN_TURNED, ttl=120),
    ],
    "an active row is reinforced": [put(ONE, GREEN), put(TWO, GREEN_LOUD), put(ONE, GREEN)],
    "a conflicted row is reinforced": [
        *(put(ONE, GREEN), put(TWO, BLACK), put(THREE, GREEN_LOUD)),
    ],
    "every live row may be deleted": [
        *(*_THREE_ROWS, delete(THREE), delete(TWO), delete(ONE)),
    ],
    "every live row may be swept": [
        *(put(ONE, GREEN), put(TWO, GREEN_TURNED, "kind:b"), put(THREE, BLACK)),
        Ban(who=IVO, pattern="kind:b", sweep=True),
        *(Ban(who=IVO, pattern="BLACK tea", sweep=True), put(TWO, VAN)),
        Ban(who=IVO, pattern="grey VAN", sweep=True),
    ],
    "a restored row stands as its claim stands now": [
        *(put(TWO, BLACK), put(THREE, GREEN_TURNED), delete(TWO), delete(THREE)),
        *(put(ONE, VAN), delete(ONE), restore(ONE)),
        *(put(ONE, GREEN), restore(THREE), restore(TWO)),
    ],
    "every live row may be locked and unlocked": [
        *_THREE_ROWS,
        *(Lock(who=IVO, key=key) for key in _ALL_KEYS),
        *(Unlock(who=IVO, key=key) for key in _ALL_KEYS),
        *(
            put(ONE, VAN),
            Lock(who=IVO, key=ONE, mode="no_delete"),
            Unlock(who=IVO, key=ONE),
        ),
    ],
    "a locked row that became a duplicate is unlocked itself": [
        *(put(ONE, GREEN), put(TWO, VAN), Lock(who=IVO, key=TWO, mode="no_delete")),
        *(put(TWO, GREEN_TURNED), Unlock(who=IVO, key=TWO)),
    ],
}

_GREEN_AGAINST_NONE: Final[list[Step]] = [
    put(ONE, GREEN),
    Put(who=UNA, key=TWO, saying=SAYINGS[NONE]),
]
#: Both stand, but what says the same as the second one still contradicts the first.
_BOTH_ALLOWED: Final[list[Step]] = [
    *_GREEN_AGAINST_NONE,
    Resolve(who=IVO, of=IVO.at(ONE), peer=UNA.at(TWO), action="allow"),
    Put(who=UNA, key=THREE, saying=SAYINGS[NONE_TURNED]),
]
_NEWEST_WINS: Final = Register(who=IVO, policy="newest_wins")
#: The write that says again what stands also retires the key's older row.
WITH_A_POLICY: Final[dict[str, list[Step]]] = {
    "what a restated row contradicted is retired": [
        *(put(ONE, GREEN), Put(who=UNA, key=ONE, saying=SAYINGS[NONE])),
        *(_NEWEST_WINS, put(ONE, GREEN)),
    ],
    "a restated row contradicts what was a duplicate of the retired one": [
        *(put(ONE, GREEN), Put(who=UNA, key=ONE, saying=SAYINGS[NONE])),
        Resolve(who=IVO, of=IVO.at(ONE), peer=UNA.at(ONE), action="allow"),
        Put(who=UNA, key=THREE, saying=SAYINGS[NONE_TURNED]),
        *(_NEWEST_WINS, put(ONE, GREEN)),
    ],
    "what a reinforced row contradicted is retired": [
        *(*_GREEN_AGAINST_NONE, _NEWEST_WINS, put(TWO, GREEN)),
    ],
    "a reinforced row contradicts what was a duplicate of the retired one": [
        *(*_BOTH_ALLOWED, _NEWEST_WINS, put(TWO, GREEN)),
    ],
}
EVERY: Final = {**WALKS, **WITH_A_POLICY}


#: Arrows that follow from a decision or a namespace's policy: `test_decided_arrows.py`.
_DECIDED_BY: Final = frozenset(
    {
        *(Event.PROPOSED, Event.ACCEPTED, Event.REJECTED, Event.SUPERSEDED, Event.FILED),
        *(Event.RESOLVED, Event.LABELLED, Event.EXPIRED),
        *(Event.VERIFIED, Event.REVOKED),
    }
)
_DECIDED_STATUS: Final = frozenset({Status.SUPERSEDED, Status.PROPOSED, Status.REJECTED})
DECIDED: Final = frozenset(
    (why, before, after)
    for why, before, after in BUILT
    if why in _DECIDED_BY or before in _DECIDED_STATUS
)


def _walked(steps: Sequence[Step]) -> set[Arrow]:
    one = Trial()
    for step in steps:
        one.do(step)
    one.close()
    return one.arrows


@pytest.mark.parametrize("walk", EVERY)
def test_a_walk_goes_as_the_oracle_says(walk: str, trial: Trial) -> None:
    """R-20, A-160: every arrow is a new version, and only arrows of the table are taken."""
    for step in EVERY[walk]:
        trial.do(step)

    assert all(allows(*arrow) for arrow in trial.arrows)


def test_every_arrow_that_the_core_builds_is_taken() -> None:
    """R-20: an arrow that nothing takes is a rule that nobody tests."""
    taken = set().union(*(_walked(steps) for steps in EVERY.values()))

    missing = {arrow for arrow in BUILT - taken if arrow not in DECIDED}
    assert not missing, "\n".join(f"{why}: {old} -> {new}" for why, old, new in missing)


def test_no_walk_takes_an_arrow_that_the_table_does_not_have() -> None:
    """R-20, R-22: a row is relinked into a duplicate only if it was one already."""
    taken = set().union(*(_walked(steps) for steps in WALKS.values()))

    assert taken <= BUILT
    assert taken.isdisjoint(DECIDED)
    for before in (Status.ACTIVE, Status.CONFLICTED):
        assert not allows(Event.RELINKED, before, Status.DUPLICATE)
    assert not allows(Event.RELINKED, Status.ACTIVE, Status.ACTIVE)
