"""What random runs found, or may miss for a long time, written out.

Each program once made the store and the oracle differ, or makes a rule meet another one in
a way that random steps seldom do.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from loom.testing.sayings import SAYINGS
from loom.testing.scenarios import KEYS, WHOS
from loom.testing.steps import (
    Ban,
    Bulk,
    Delete,
    Lock,
    Put,
    Restore,
    Step,
    Unlock,
    Wait,
    Who,
)
from loom.testing.trial import Trial

IVO, UNA, SESSION, IVO_FOR_A, UNA_FOR_A, _ = WHOS
ONE, TWO, THREE = KEYS
GREEN = "tea.green.plain"
GREEN_LOUD = "tea.green.loud"
GREEN_TURNED = "tea.green.turned"
BLACK = "tea.black.plain"
VAN = "van.mill.plain"
BLUE = "bare.blue.plain"
HOUR: Final = 3_600


def put(key: str, name: str, who: Who = IVO, **said: Any) -> Put:
    return Put(who=who, key=key, saying=SAYINGS[name], **said)


PROGRAMS: Final[dict[str, list[Step]]] = {
    "an expired duplicate answers for nothing under its key": [
        *(put(ONE, VAN, ttl=HOUR), put(TWO, GREEN), put(ONE, GREEN_LOUD)),
        Wait(seconds=HOUR + 1),
    ],
    "a key of two duplicates answers by the one whose canonical row is left": [
        *(put(ONE, GREEN), put(THREE, VAN), put(TWO, BLACK), put(TWO, VAN)),
        *(put(TWO, GREEN_TURNED, UNA), put(ONE, GREEN, ttl=HOUR), Wait(seconds=HOUR + 1)),
    ],
    "an expired duplicate becomes nobody's canonical row": [
        *(put(ONE, GREEN), put(TWO, GREEN_TURNED, ttl=HOUR), put(THREE, GREEN_TURNED)),
        *(Wait(seconds=HOUR + 1), put(ONE, VAN)),
    ],
    "a canonical row that expires lets its duplicates be judged again": [
        *(put(ONE, GREEN), put(TWO, GREEN_TURNED), put(ONE, GREEN, ttl=HOUR)),
        *(Wait(seconds=HOUR + 1), put(TWO, GREEN_LOUD), put(ONE, BLACK)),
    ],
    "a bulk entry does not vanish into an expired twin": [
        *(put(ONE, GREEN, ttl=HOUR), Wait(seconds=HOUR + 1)),
        Bulk(who=IVO, entries=(put(TWO, GREEN),)),
    ],
    "a bare value finds its twin past an older one under another key": [
        *(put(ONE, BLUE), put(TWO, BLUE)),
        Bulk(who=SESSION, entries=(put(TWO, BLUE, SESSION), put(ONE, BLUE, SESSION))),
    ],
    "a duplicate in a session is compared within its session": [
        *(put(ONE, GREEN, SESSION), put(TWO, GREEN_TURNED, SESSION), put(TWO, BLACK)),
        put(ONE, VAN, SESSION),
    ],
    "of two rows equally close the newest answers, one of this very write too": [
        *(put(ONE, GREEN, SESSION), put(ONE, GREEN_TURNED, UNA), Delete(who=IVO, key=ONE)),
        *(put(TWO, GREEN), Restore(who=IVO, key=ONE)),
    ],
    "a delete in a session takes no duplicate from outside": [
        *(put(ONE, GREEN, SESSION), put(TWO, VAN), put(TWO, GREEN_TURNED)),
        *(Delete(who=SESSION, key=ONE), Restore(who=SESSION, key=ONE)),
    ],
    "two rows in conflict go and come back together": [
        *(put(ONE, GREEN, IVO_FOR_A), put(ONE, BLACK, UNA_FOR_A)),
        Delete(who=IVO_FOR_A, key=ONE),
        *(Restore(who=UNA_FOR_A, key=ONE, dry_run=True), Restore(who=UNA_FOR_A, key=ONE)),
    ],
    "two rows that say the same come back as one and its duplicate": [
        *(put(ONE, GREEN, IVO_FOR_A), put(ONE, BLACK, UNA_FOR_A)),
        *(put(ONE, GREEN_LOUD, UNA_FOR_A), Delete(who=IVO_FOR_A, key=ONE)),
        Restore(who=IVO_FOR_A, key=ONE),
    ],
    "rows that are not embedded come back without being compared": [
        *(put(ONE, GREEN, who, memory_type="profile") for who in (IVO, UNA)),
        *(Delete(who=IVO, key=ONE), Restore(who=IVO, key=ONE)),
    ],
    "a key begins afresh over a row that ended, for its partners and duplicates too": [
        *(put(ONE, GREEN, ttl=HOUR), put(TWO, BLACK, UNA), put(THREE, GREEN, ttl=HOUR)),
        *(put(THREE, GREEN_TURNED, UNA, ttl=HOUR), Wait(seconds=HOUR + 1)),
        *(put(ONE, GREEN, if_match=SAYINGS[GREEN]), put(ONE, GREEN)),
    ],
    "what ended is found by no change and guarded by no pin, but by its lock": [
        *(put(ONE, GREEN, op="pin", ttl=60), put(TWO, VAN, ttl=60)),
        *(Lock(who=IVO, key=TWO, mode="no_delete", ttl=90), Wait(seconds=60)),
        *(put(ONE, BLACK, op="update"), Lock(who=IVO, key=ONE), Unlock(who=IVO, key=ONE)),
        *(put(ONE, BLACK, op="update_by_id", of=IVO.at(ONE)), put(TWO, VAN)),
        *(Put(op="pin", who=IVO, key=ONE, saying=None), Delete(who=IVO, key=TWO)),
        *(put(ONE, BLACK), Wait(seconds=30), put(TWO, VAN), Delete(who=IVO, key=TWO)),
    ],
    "what ended stays ended for a write while the clock is back": [
        *(put(ONE, GREEN, ttl=60), Wait(seconds=60), put(TWO, VAN), Wait(seconds=-1.0)),
        *(put(ONE, BLACK, op="update"), Lock(who=IVO, key=ONE), put(ONE, GREEN)),
    ],
    "a claim that outlasts a row stands beside it, pinned or not, in bulk too": [
        *(
            put(ONE, GREEN, op="pin", ttl=60),
            put(TWO, GREEN_LOUD),
            put(THREE, GREEN_TURNED),
        ),
        *(put(TWO, GREEN_TURNED, UNA, ttl=HOUR), put(THREE, GREEN, UNA, ttl=60)),
        Bulk(who=IVO, entries=(put(THREE, VAN, ttl=60), put(TWO, VAN), put(ONE, VAN))),
        Wait(seconds=HOUR + 1),
    ],
    "a bulk entry passes over an older twin that ends for one that stays": [
        *(put(ONE, GREEN, ttl=60, memory_type="preference"), Wait(seconds=1)),
        *(
            put(TWO, GREEN),
            Bulk(who=IVO, entries=(put(THREE, GREEN, memory_type="profile"),)),
        ),
    ],
    "a row restored without its expiry outlasts what it would be a duplicate of": [
        *(
            put(ONE, GREEN, ttl=60),
            Delete(who=IVO, key=ONE),
            put(TWO, GREEN_LOUD, ttl=HOUR),
        ),
        *(
            Restore(who=IVO, key=ONE, dry_run=True),
            Restore(who=IVO, key=ONE, clear_expiry=True),
        ),
    ],
    "a duplicate whose canonical row ends sooner than it when judged again": [
        *(put(ONE, GREEN), put(TWO, GREEN_TURNED), put(THREE, GREEN, UNA, ttl=60)),
        *(put(THREE, GREEN_LOUD, ttl=60), put(ONE, VAN), Wait(seconds=61)),
    ],
    "a write that pins and merges pins what it was merged into, unless that is locked": [
        *(put(ONE, GREEN), put(TWO, GREEN_LOUD, op="pin"), put(ONE, BLACK)),
        *(put(TWO, VAN), Lock(who=IVO, key=TWO), put(THREE, VAN, pinned=True)),
        Bulk(
            who=IVO, entries=(put(THREE, GREEN, pinned=True), put(THREE, VAN, pinned=True))
        ),
    ],
    "nobody's session has its bulk twins within itself": [
        *(put(ONE, GREEN), Bulk(who=SESSION, entries=(put(TWO, GREEN, SESSION),))),
        Bulk(who=IVO, entries=(put(THREE, GREEN),)),
    ],
    "changes by a duplicate's key act on the row that answers": [
        *(put(ONE, GREEN), put(TWO, GREEN_TURNED), Lock(who=IVO, key=TWO)),
        *(Unlock(who=IVO, key=TWO), Put(op="pin", who=IVO, key=TWO, saying=None)),
        *(put(TWO, VAN, op="pin"), put(TWO, BLACK, op="update")),
    ],
    "a pin through a duplicate passes an own row under the key of the one that answers": [
        *(put(ONE, GREEN, UNA), put(ONE, VAN), put(TWO, GREEN_TURNED)),
        *(Put(op="pin", who=IVO, key=TWO, saying=None), put(TWO, BLACK, op="update")),
    ],
    "a served row of a key comes before a newer duplicate for a change": [
        *(put(TWO, GREEN), put(ONE, VAN), put(ONE, GREEN_TURNED, UNA)),
        *(put(ONE, BLACK, SESSION, op="update"), Delete(who=IVO, key=TWO)),
        *(put(TWO, GREEN, IVO_FOR_A), put(ONE, VAN, IVO_FOR_A)),
        *(put(ONE, GREEN_TURNED, UNA_FOR_A), put(ONE, BLACK, Who("zoe", "a"), op="update")),
    ],
    "a version is refused for the tags that it carries forward": [
        *(put(ONE, GREEN, tags=("kind:b",)), put(TWO, VAN, tags=("kind:b",), ttl=60)),
        *(Ban(who=IVO, pattern="kind:b"), put(ONE, GREEN), put(ONE, BLACK, op="update")),
        *(put(ONE, BLACK, tags=()), Wait(seconds=60), put(TWO, VAN)),
    ],
    "an expired row comes back expired and is no peer of the rest": [
        *(put(ONE, GREEN, IVO, ttl=HOUR), put(ONE, BLACK, UNA)),
        *(Delete(who=IVO, key=ONE), Wait(seconds=HOUR + 1), Restore(who=IVO, key=ONE)),
        *(Delete(who=IVO, key=ONE), Restore(who=IVO, key=ONE, clear_expiry=True)),
    ],
    "the caller's own duplicates go along, a locked one and another's stay": [
        *(put(ONE, GREEN), put(TWO, GREEN_TURNED), put(THREE, GREEN_TURNED)),
        *(put(TWO, GREEN_TURNED, UNA), Lock(who=IVO, key=THREE, mode="no_delete")),
        *(Delete(who=IVO, key=ONE), Restore(who=IVO, key=TWO)),
    ],
    "a row keeps its pin through conflicts of others and refuses a close write": [
        *(put(ONE, GREEN, op="pin"), put(TWO, BLACK), put(TWO, BLACK, pinned=True)),
        *(put(THREE, GREEN_TURNED), put(ONE, BLACK, op="update"), put(ONE, VAN)),
        Delete(who=IVO, key=TWO),
    ],
    "an atomic bulk whose last entry is refused leaves one entry in the audit": [
        put(ONE, VAN, op="pin"),
        Bulk(who=IVO, entries=(put(TWO, GREEN), put(ONE, BLACK)), atomic=True),
        Bulk(who=IVO, entries=(put(TWO, GREEN), put(THREE, BLACK)), atomic=True),
    ],
    "versions rise while the clock is back": [
        *(put(ONE, GREEN), Wait(seconds=-1.0), put(ONE, BLACK), put(ONE, GREEN, ttl=HOUR)),
        *(Delete(who=IVO, key=ONE), Wait(seconds=2.0), Restore(who=IVO, key=ONE)),
    ],
    "a delete is restorable for fourteen days": [
        *(put(ONE, GREEN), Delete(who=IVO, key=ONE), Wait(seconds=14 * 86_400)),
        *(Restore(who=IVO, key=ONE), Delete(who=IVO, key=ONE)),
        *(Wait(seconds=14 * 86_400 + 0.000_001), Restore(who=IVO, key=ONE)),
    ],
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_goes_as_the_oracle_says(program: str, trial: Trial) -> None:
    """R-04, R-15, R-20, R-22, R-24, R-31, R-32, R-37, R-61: rules that meet each other."""
    for step in PROGRAMS[program]:
        trial.do(step)
