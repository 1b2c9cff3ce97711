"""The verbs that state a single-valued predicate, as one table of their forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final

from attrs import frozen

__all__ = ["FORMS", "Form", "Pattern", "Role"]


class Role(StrEnum):
    """How subject and object of a verb fill the slot."""

    #: "Ana lives in Rome": the subject's slot, the object's value.
    PLAIN = "plain"
    #: "Ana owns billing": the object's slot, the subject's value.
    INVERSE = "inverse"
    #: "is based in", "was renamed to": only behind a form of "be", or as a change.
    PASSIVE = "passive"
    #: "quit my job at Acme": the object is one no more.
    ENDED = "ended"
    #: "uses Postgres": only tools of a known kind.
    TOOL = "tool"


@frozen(kw_only=True, slots=True)
class Pattern:
    """A verb with the preposition its object stands behind ("" for none)."""

    family: str
    prepositions: frozenset[str]
    role: Role = Role.PLAIN
    qualifier: str = ""
    #: Which rule its object must keep, if it is not that of the family.
    narrower: str = ""

    @property
    def is_of_user(self) -> bool:
        """Whether its object is the user's, whoever the subject is: "they call me"."""
        return self.narrower == "called"


@frozen(slots=True)
class Form:
    """One form of a verb: base, s, ing or past."""

    tense: str
    pattern: Pattern


#: Forms (base s ing past), prepositions (- for none), family, role, qualifier, narrower.
_TABLE: Final = """
live lives living lived | in at on | residence | plain
reside resides residing resided | in at | residence | plain
. . . based | in at out of | residence | passive
. . . located | in at | residence | passive
. . . situated | in at | residence | passive
. . . headquartered | in at | residence | passive
. . . settled | in | residence | plain
. . . held | in at | residence | passive
take takes taking took | place in at | residence | plain |  | place
come comes coming came | from | origin | plain
. . . born | in | origin | passive
. . . born | on in | birthday | passive
work works working worked | at for | employer | plain
. . . employed | at by | employer | passive
start starts starting started | a an my new job working at for with | employer | plain | | new job
get gets . got | a an new job at with | employer | plain | | new job
have has . . | a an new job at with | employer | plain | | new job
. . . quit | my job at | employer | ended
. . . left | my job at | employer | ended
. . . resigned | from my job at | employer | ended
. . . hired | by at | employer | passive
. . . joined | - | employer | plain |  | joined
work works working worked | as | role | plain
serve serves serving served | as | role | plain
. . . promoted | to | role | passive
. . . appointed | as to | role | passive
study studies studying studied | at | school | plain
. . . enrolled | at in | school | passive
. . . called | - | name | passive
. . . named | - | name | passive
. . . nicknamed | - | name | passive | nickname
. . . codenamed | - | name | passive | codename
. . . renamed | to as - | name | passive
go goes going went | by | name | plain
call calls . . | me | name | plain |  | called
go goes going went | to bed at | hours | plain | bed | bed
drive drives driving drove | - | vehicle | plain
follow follows following followed | - | diet | plain
take takes taking took | - | measure | plain | duration | duration
host hosts hosting . | on with | tool | tool
. . . married | to | partner | passive
. . . engaged | to | partner | passive
. . dating dated | - | partner | plain
. . . upgraded | to | version | passive
. . . downgraded | to | version | passive
. . . pinned | to at | version | passive
run runs running ran | - on | version | plain
use uses using used | - | version | plain
use uses using used | - | tool | tool
prefer prefers preferring preferred | - | preference | plain
cost costs costing cost | - | price | plain
. . . priced | at | price | passive
earn earns earning earned | - | pay | plain
make makes making made | - | pay | plain
weigh weighs weighing weighed | - | measure | plain | weight
own owns owning owned | - | owner | inverse
. . . owned | by | owner | passive
. . . responsible | for | owner | inverse
maintain maintains maintaining maintained | - | owner | inverse
. . . maintained | by | owner | passive
belong belongs . belonged | to | owner | plain
lead leads leading led | - | lead | inverse
. . . led | by | lead | passive
manage manages managing managed | - | lead | inverse
. . . managed | by | lead | passive
. . . run | by | lead | passive
report reports reporting reported | to | manager | plain
. . . assigned | to | assignee | passive
. . . reassigned | to | assignee | passive
. . . hosted | on at with by | host | passive
. . . deployed | to on | host | passive
run runs running ran | on | host | plain
run runs running ran | on | tool | tool
. . . stored | in | database | passive
store stores storing stored | its their data records everything in | database | plain
. . . backed | by | database | passive
. . . powered | by | database | passive
hold holds . held | up to | limit | plain | capacity
support supports . supported | up to | limit | plain | capacity
handle handles . handled | up to | limit | plain | capacity
allow allows . allowed | up to | limit | plain | capacity
. . . kept | for | limit | passive | retention
. . . retained | for | limit | passive | retention
listen listens listening listened | on port | limit | plain | port
default defaults . defaulted | to | limit | plain | default
. . . limited | to | limit | passive | limit
. . . capped | at | limit | passive | limit
. . . restricted | to | limit | passive | limit
. . . scheduled | for on at to | time | passive
. . . planned | for on at | time | passive
. . . set | for on | time | passive
. . . slated | for | time | passive
. . . booked | for on at | time | passive
take takes taking took | place on at | time | plain | | place
happen happens happening happened | on at in | time | plain
. . . due | on by at in | time | passive | deadline
wake wakes waking woke | up at | hours | plain | wake
start starts starting started | at on | hours | plain | start
begin begins beginning began | at on | hours | plain | start
end ends ending ended | at on | hours | plain | end
finish finishes . finished | at | hours | plain | end
open opens opening opened | at | hours | plain | open
close closes closing closed | at | hours | plain | close
expire expires expiring expired | on in at | time | plain | expiry
depart departs departing departed | at on | time | plain | departure
arrive arrives arriving arrived | at on | time | plain | arrival
turn turns . turned | - | age | plain
. . . painted | - | colour | passive
. . . repainted | - in | colour | passive
. . . switched | to | tool | tool
. . . migrated | to | tool | tool
. . . moved | to | tool | tool
. . . changed | to | tool | tool
. . . written | in | tool | tool
. . . rewritten | in | tool | tool
. . . ported | to | tool | tool
. . . built | in with on | tool | tool
. . . moved | to | residence | plain
. . . relocated | to | residence | plain
"""
_TENSES: Final = ("base", "s", "ing", "past")


def _forms() -> Mapping[str, tuple[Form, ...]]:
    found: dict[str, list[Form]] = {}
    for tense, word, pattern in _rows():
        found.setdefault(word, []).append(Form(tense, pattern))
    return {word: tuple(forms) for word, forms in found.items()}


def _rows() -> Iterator[tuple[str, str, Pattern]]:
    for line in _TABLE.strip().splitlines():
        words, prepositions, family, role, *more = map(str.strip, line.split("|"))
        qualifier, narrower = (*more, "", "")[:2]
        pattern = Pattern(
            family=family,
            prepositions=frozenset(
                "" if word == "-" else word for word in prepositions.split()
            ),
            role=Role(role),
            qualifier=qualifier,
            narrower=narrower,
        )
        for tense, word in zip(_TENSES, words.split(), strict=True):
            if word != ".":
                yield tense, word, pattern


#: A form of a verb to the patterns it may state.
FORMS: Final[Mapping[str, tuple[Form, ...]]] = _forms()
