"""The words by which single-valued predicates are known: one table for each sort of word.

A family is a predicate that holds one value at a time: where somebody lives, when a thing
happens, which version runs. What many values satisfy at once (likes, knows, speaks, has
visited) is in no table, so it never makes two statements rivals.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from attrs import frozen

__all__ = ["ATTRIBUTES", "CHANGES", "COUNTED_BY", "FAMILIES", "Family", "Kind"]


class Kind(StrEnum):
    """How the objects of a family are read and compared."""

    #: Content words; one may say more than the other.
    WORDS = "words"
    #: Words that name somebody or something: no adjective, no phrase.
    NAME = "name"
    #: A place.
    PLACE = "place"
    #: Day, month, time of day; each compared with its like.
    TIME = "time"
    #: A time of day, compared where the days are the same.
    HOURS = "hours"
    #: A number with its unit.
    VALUE = "value"
    #: Whatever the statement gives: a value if there is one, else words.
    ANY = "any"
    #: A number to call or an address to write to; digits or letters alone count.
    CONTACT = "contact"
    #: One of a closed list; compared as a whole.
    STATE = "state"


@frozen(kw_only=True, slots=True)
class Family:
    """A predicate that holds one value at a time.

    Attributes:
        kind: how its objects are read and compared.
        label: what it is called in a reason, without an article.
        is_timeless: "was" says the same as "is": a birthday, the date of an event.
        is_personal: "my" belongs to the subject even before another noun.
    """

    kind: Kind
    label: str
    is_timeless: bool = False
    is_personal: bool = False


FAMILIES: Final[Mapping[str, Family]] = {
    "residence": Family(kind=Kind.PLACE, label="place", is_personal=True),
    "origin": Family(
        kind=Kind.PLACE, label="place of origin", is_timeless=True, is_personal=True
    ),
    "employer": Family(kind=Kind.NAME, label="employer", is_personal=True),
    "school": Family(kind=Kind.NAME, label="school", is_personal=True),
    "role": Family(kind=Kind.WORDS, label="role", is_personal=True),
    "name": Family(kind=Kind.NAME, label="name", is_personal=True),
    "time": Family(kind=Kind.TIME, label="date or time of one event", is_timeless=True),
    "hours": Family(kind=Kind.HOURS, label="usual time", is_personal=True),
    "birthday": Family(
        kind=Kind.TIME, label="birthday", is_timeless=True, is_personal=True
    ),
    "version": Family(kind=Kind.VALUE, label="version"),
    "phone": Family(kind=Kind.CONTACT, label="phone number", is_personal=True),
    "email": Family(kind=Kind.CONTACT, label="email address", is_personal=True),
    "address": Family(kind=Kind.WORDS, label="address", is_personal=True),
    "relationship": Family(kind=Kind.STATE, label="marital status", is_personal=True),
    "partner": Family(kind=Kind.NAME, label="partner", is_personal=True),
    "favourite": Family(kind=Kind.WORDS, label="favourite", is_personal=True),
    "preference": Family(kind=Kind.WORDS, label="preference", is_personal=True),
    "tool": Family(kind=Kind.WORDS, label="tool of one kind", is_personal=True),
    "owner": Family(kind=Kind.NAME, label="owner"),
    "lead": Family(kind=Kind.NAME, label="lead"),
    "manager": Family(kind=Kind.NAME, label="manager", is_personal=True),
    "assignee": Family(kind=Kind.NAME, label="assignee"),
    "price": Family(kind=Kind.VALUE, label="price or budget"),
    "pay": Family(kind=Kind.VALUE, label="pay", is_personal=True),
    "status": Family(kind=Kind.STATE, label="status"),
    "diet": Family(kind=Kind.WORDS, label="diet", is_personal=True),
    "age": Family(kind=Kind.VALUE, label="age", is_personal=True),
    "native language": Family(kind=Kind.WORDS, label="native language", is_personal=True),
    "count": Family(kind=Kind.VALUE, label="number of things", is_personal=True),
    "limit": Family(kind=Kind.ANY, label="setting"),
    "measure": Family(kind=Kind.VALUE, label="measure"),
    "host": Family(kind=Kind.NAME, label="host"),
    "database": Family(kind=Kind.NAME, label="data store"),
    "vehicle": Family(kind=Kind.WORDS, label="vehicle", is_personal=True),
    "model": Family(kind=Kind.WORDS, label="make or model"),
    "colour": Family(kind=Kind.STATE, label="colour"),
}

_ATTRIBUTES: Final = {
    "residence": (
        "home hometown residence headquarters hq office location venue warehouse factory"
        " campus laboratory depot datacenter datacentre"
    ),
    "employer": "employer company",
    "role": "job role position occupation profession title",
    "name": "name nickname surname codename username handle alias pronouns",
    "time": (
        "meeting call launch release deadline appointment interview flight exam wedding"
        " party review demo standup sync workshop conference presentation webinar"
        " anniversary session class ceremony kickoff retro retrospective checkup surgery"
        " migration rollout freeze audit hearing game match concert departure arrival"
        " milestone due date time start end lunch dinner offsite interview graduation"
        " training election shipment delivery opening all-hands one-on-one marathon kick-off cutoff payday expiry renewal"
    ),
    "birthday": "birthday birthdate dob",
    "version": "version",
    "phone": "phone telephone mobile cell cellphone number extension",
    "email": "email e-mail mail",
    "address": "address website homepage url domain repo repository",
    "relationship": "relationship",
    "partner": "partner wife husband spouse boyfriend girlfriend fiancé fiancée fiance fiancee",
    "owner": "owner maintainer proprietor custodian",
    "lead": (
        "lead leader head ceo cto cfo coo director president chair chairman chairwoman"
        " captain principal dean mayor treasurer secretary winner champion goalkeeper"
    ),
    "manager": "manager boss supervisor mentor advisor doctor dentist therapist landlord",
    "assignee": "assignee reviewer approver contact",
    "price": "price cost budget fee rent subscription fare bill premium deposit tuition quote toll",
    "pay": "salary wage pay income stipend compensation",
    "status": "status state phase stage",
    "diet": "diet",
    "age": "age",
    "native language": "tongue",
    "limit": (
        "limit quota capacity timeout maximum minimum max min threshold retention ttl size"
        " default setting interval batch concurrency cap port region timezone currency"
        " theme target goal replicas memory ram storage rate frequency password pin"
        " branch level plan tier licence license currency encoding protocol format model"
        " brand major minor framework provider supplier vendor carrier insurer airline"
        " department room nationality citizenship capital method mode theme channel"
        " platform engine type hotel bank hospital"
    ),
    "measure": (
        "coverage accuracy score percentage progress completion rating grade gpa weight"
        " height temperature latency uptime population balance headcount revenue count"
        " total average streak distance length duration attendance speed churn"
        " conversion mileage bpm cholesterol"
    ),
    "host": "host hosting",
    "database": "database db datastore",
    "colour": "colour color",
}
#: The noun a statement is about to the family it belongs to.
ATTRIBUTES: Final[Mapping[str, str]] = {
    noun: family for family, nouns in _ATTRIBUTES.items() for noun in nouns.split()
}

#: Verbs by which a value is replaced by another, in their past and base forms.
CHANGES: Final = frozenset(
    (
        "changed updated moved set switched raised lowered renamed rescheduled postponed"
        " pushed bumped increased decreased reduced extended shortened adjusted revised"
        " shifted delayed brought upgraded downgraded migrated improved rose grew dropped"
        " fell climbed jumped went reached cut expanded relocated transferred reassigned"
        " repainted converted corrected doubled risen promoted assigned grown fallen gone slipped slid capped fixed"
        " planned slated booked scheduled confirmed"
    ).split()
)

#: Verbs whose perfect counts what has been gathered so far.
COUNTED_BY: Final = frozenset(
    (
        "completed finished secured solved read merged submitted earned collected saved"
        " written published reviewed fixed closed shipped recorded logged attended gained"
        " onboarded hired mentored reached implemented received passed learned"
        " implemented visited climbed run built made"
    ).split()
)
