"""Decisions, policies, runs and secrets where they meet each other, written out.

As in `test_found.py`, each program once made the store and the oracle differ, or makes a
rule meet another one in a way that random steps seldom do.
"""

from __future__ import annotations

from typing import Any, Final

import attrs
import pytest

from loom.model.identity import Address
from loom.testing.sayings import SAYINGS
from loom.testing.scenarios import DATES, KEYS, RUNS, WHOS
from loom.testing.steps import (
    Bulk,
    Decide,
    Delete,
    Expire,
    Look,
    Put,
    Register,
    Reject,
    Resolve,
    Restore,
    Step,
    Wait,
    Who,
)
from loom.testing.trial import Trial

IVO, UNA = WHOS[:2]
IVO_IN_A_RUN, UNA_IN_A_RUN = RUNS[:2]
ONE, TWO, THREE = KEYS
GREEN = "tea.green.plain"
GREEN_LOUD = "tea.green.loud"
GREEN_TURNED = "tea.green.turned"
BLACK = "tea.black.plain"
NONE = "tea.none.plain"
NONE_TURNED = "tea.none.turned"
VAN = "van.mill.plain"
HOUR: Final = 3_600


def put(key: str, name: str, who: Who = IVO, **said: Any) -> Put:
    return Put(who=who, key=key, saying=SAYINGS[name], **said)


def propose(key: str, name: str, who: Who = IVO, **said: Any) -> Put:
    return put(key, name, who, proposed=True, **said)


def trial_of(key: str, born: int) -> Address:
    """The row beside a key that was the how-manieth to be written."""
    return attrs.evolve(IVO.at(key), beside=f"#{born}")


def take(key: str, born: int) -> Decide:
    return Decide(who=IVO, of=trial_of(key, born), accepts=True)


def resolve(one: Address, other: Address, action: str, name: str = "") -> Resolve:
    saying = SAYINGS[name] if name else None
    return Resolve(who=IVO, of=one, peer=other, action=action, saying=saying)


def policy(name: str) -> Register:
    return Register(who=IVO, policy=name)


ENDED: Final = Wait(seconds=HOUR + 1)
#: Two sides of a conflict, and of them the first ends within the hour.
FIRST_ENDS: Final[list[Step]] = [put(ONE, GREEN, ttl=HOUR), put(TWO, BLACK), ENDED]

PROGRAMS: Final[dict[str, list[Step]]] = {
    "a proposal past its end is not taken": [
        *(put(ONE, VAN), propose(ONE, GREEN, ttl=HOUR), ENDED, take(ONE, 1)),
    ],
    "a proposal past its end may be turned down": [
        *(propose(ONE, GREEN, ttl=HOUR), ENDED),
        Decide(who=IVO, of=trial_of(ONE, 0), accepts=False),
    ],
    "a proposal that outlasts the one on trial is one of its own": [
        *(propose(ONE, GREEN, ttl=HOUR), propose(ONE, GREEN), propose(ONE, GREEN)),
        *(Decide(who=IVO, of=trial_of(ONE, born), accepts=True) for born in (1, 0)),
    ],
    "a proposal of another type says something else than the key does": [
        *(put(ONE, GREEN, memory_type="profile"), propose(ONE, GREEN), take(ONE, 1)),
    ],
    "a proposal keeps the secrecy of the key's row and nothing else": [
        *(put(ONE, GREEN, sensitivity="high", tags=("kind:a",)), propose(ONE, BLACK)),
        *(take(ONE, 1), Look(who=IVO, key=ONE)),
    ],
    "a proposal stated secret the second time is sealed": [
        *(propose(ONE, GREEN), propose(ONE, GREEN, sensitivity="high"), take(ONE, 0)),
    ],
    "a taken proposal that repeats what another key holds is superseded by it": [
        *(
            put(TWO, GREEN),
            propose(ONE, GREEN_LOUD),
            take(ONE, 1),
            Reject(who=IVO, key=TWO),
        ),
    ],
    "nothing stands for a conflict whose kept side has ended": [
        *(*FIRST_ENDS, resolve(IVO.at(ONE), IVO.at(TWO), "revise")),
        resolve(IVO.at(ONE), IVO.at(TWO), "revise", NONE),
        resolve(IVO.at(TWO), IVO.at(ONE), "contract"),
    ],
    "both sides may be allowed though one has ended": [
        *(*FIRST_ENDS, resolve(IVO.at(ONE), IVO.at(TWO), "allow"), put(ONE, GREEN)),
    ],
    "an allowance lasts until one of the two says something else": [
        *(put(ONE, GREEN), put(TWO, BLACK), resolve(IVO.at(ONE), IVO.at(TWO), "allow")),
        *(put(ONE, GREEN, ttl=HOUR), put(TWO, NONE), put(TWO, BLACK)),
    ],
    "an allowance of a secret leaves no mark of it": [
        *(put(ONE, GREEN), put(TWO, BLACK), put(TWO, BLACK, sensitivity="high")),
        *(resolve(IVO.at(ONE), IVO.at(TWO), "allow"), put(ONE, GREEN, tags=("kind:a",))),
    ],
    "the side that goes is retired by the decision alone": [
        *(put(ONE, GREEN), put(ONE, BLACK, UNA), policy("newest_wins")),
        *(resolve(IVO.at(ONE), UNA.at(ONE), "revise", NONE), Restore(who=IVO, key=ONE)),
    ],
    "a restated duplicate with another end is judged as it is now": [
        *(put(ONE, GREEN, ttl=HOUR), put(TWO, GREEN_TURNED, ttl=HOUR)),
        *(put(TWO, GREEN_TURNED, ttl=2 * HOUR), put(ONE, GREEN, ttl=HOUR // 2)),
    ],
    "a restated duplicate whose tag keeps it apart stands for itself": [
        *(policy("auto_reinforce"), put(ONE, GREEN, ttl=2 * HOUR)),
        *(
            put(TWO, GREEN_TURNED, ttl=HOUR),
            put(TWO, GREEN_TURNED, tags=("quote",), ttl=60),
        ),
    ],
    "a bulk entry of a run keeps its own copy": [
        put(ONE, GREEN, UNA_IN_A_RUN),
        put(TWO, GREEN),
        Bulk(who=IVO_IN_A_RUN, entries=(put(THREE, GREEN, IVO_IN_A_RUN),)),
    ],
    "a bulk entry that is secret stands in no twin": [
        put(ONE, GREEN),
        Bulk(who=IVO, entries=(put(TWO, GREEN, sensitivity="high"), put(THREE, GREEN))),
    ],
    "a copy of a run takes the place of an older row of the key": [
        *(policy("newest_wins"), put(ONE, GREEN), put(ONE, GREEN, UNA_IN_A_RUN)),
        put(ONE, GREEN_LOUD, IVO_IN_A_RUN),
    ],
    "what is merged into another row still retires the key's older rows": [
        *(put(ONE, GREEN), put(TWO, NONE, UNA), put(THREE, NONE_TURNED, UNA)),
        *(policy("newest_wins"), put(TWO, GREEN), put(THREE, GREEN_LOUD)),
    ],
    "a fact filed under a secret is as secret": [
        *(policy("newest_wins"), put(ONE, GREEN, valid_at=DATES[2], sensitivity="high")),
        *(put(ONE, BLACK, valid_at=DATES[0]), put(ONE, BLACK, valid_at=DATES[0])),
    ],
    "a fact filed twice becomes secret when the second says so": [
        *(policy("newest_wins"), put(ONE, GREEN, valid_at=DATES[2])),
        put(ONE, BLACK, valid_at=DATES[0]),
        put(ONE, BLACK, valid_at=DATES[0], sensitivity="high"),
    ],
    "a row that was superseded comes back beside what took its place": [
        *(put(ONE, GREEN), policy("newest_wins"), put(ONE, BLACK, UNA)),
        *(Restore(who=IVO, key=ONE), Delete(who=UNA, key=ONE), Restore(who=UNA, key=ONE)),
    ],
    "a sweep takes what has ended and frees what it contradicted": [
        *(put(ONE, GREEN, ttl=HOUR), put(TWO, BLACK), put(THREE, NONE, on_expire="keep")),
        *(propose(TWO, VAN, ttl=HOUR), ENDED, Expire(who=IVO), Expire(who=IVO)),
    ],
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_goes_as_the_oracle_says(program: str, trial: Trial) -> None:
    """R-20, R-23, R-24, R-37, R-42, R-44 to R-46, R-60, R-61: rules that meet each other."""
    for step in PROGRAMS[program]:
        trial.do(step)
