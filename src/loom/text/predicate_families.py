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

__all__ = [
    "ATTRIBUTES",
    "CHANGES",
    "CHOICES",
    "COUNTED_BY",
    "FAMILIES",
    "GENERIC_NOUNS",
    "MANIFOLD",
    "NOT_NAMES",
    "NOT_PLACES",
    "OCCUPATIONS",
    "PASSING",
    "PERSONAL_NOUNS",
    "RELATIVES",
    "SCOPES",
    "STATES",
    "SYNONYMS",
    "TOOLS",
    "UNCOUNTED",
    "Family",
    "Kind",
]


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
    "hours": Family(kind=Kind.TIME, label="usual time", is_personal=True),
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
    "limit": Family(kind=Kind.ANY, label="limit or setting"),
    "measure": Family(kind=Kind.VALUE, label="measure"),
    "host": Family(kind=Kind.NAME, label="host"),
    "database": Family(kind=Kind.NAME, label="data store"),
    "vehicle": Family(kind=Kind.WORDS, label="vehicle", is_personal=True),
    "colour": Family(kind=Kind.STATE, label="colour"),
}

_ATTRIBUTES: Final = {
    "residence": "home hometown residence headquarters hq office location venue",
    "employer": "employer company",
    "role": "job role position occupation profession title",
    "name": "name nickname surname codename username handle alias pronouns",
    "time": (
        "meeting call launch release deadline appointment interview flight exam wedding"
        " party review demo standup sync workshop conference presentation webinar"
        " anniversary session class ceremony kickoff retro retrospective checkup surgery"
        " migration rollout freeze audit hearing game match concert departure arrival"
        " milestone due date time start end lunch dinner offsite interview graduation"
        " training election shipment delivery opening"
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
    "price": "price cost budget fee rent subscription fare bill premium deposit",
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
        " department room nationality citizenship capital method mode policy"
        " strategy topic theme channel platform engine"
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
        " repainted converted corrected doubled risen promoted assigned grown fallen gone capped fixed"
        " planned slated booked scheduled confirmed"
    ).split()
)

#: Things in a certain place of which a language model would say "which one?"
_TOOLS: Final = {
    "editor": (
        "vim neovim emacs vscode pycharm intellij helix sublime webstorm notepad++ cursor"
        " nano kakoune"
    ),
    "programming language": (
        "python rust go golang java javascript typescript ruby kotlin swift c++ c# php"
        " scala elixir haskell perl julia clojure"
    ),
    "database": (
        "postgres postgresql mysql mariadb sqlite mongodb mongo dynamodb cassandra oracle"
        " cockroachdb duckdb clickhouse firestore couchdb snowflake bigquery supabase"
    ),
    "cloud": (
        "aws gcp azure heroku vercel netlify render fly.io digitalocean hetzner cloudflare"
        " railway linode ovh"
    ),
    "operating system": "linux ubuntu debian fedora arch macos windows nixos freebsd",
    "browser": "firefox chrome safari brave edge opera vivaldi",
    "package manager": "npm yarn pnpm poetry pip uv bun conda pipenv",
    "frontend framework": "react vue angular svelte solid ember",
    "build server": "jenkins circleci travis buildkite drone teamcity",
    "chat": "slack teams mattermost zulip",
    "test runner": "jest vitest mocha jasmine pytest unittest",
    "broker": "kafka rabbitmq nats sqs pulsar",
    "phone": "iphone android pixel",
    "shell": "bash zsh fish powershell nushell",
    "version control": "git mercurial subversion svn",
    "note app": "notion obsidian evernote onenote",
    "bank": "hsbc barclays revolut monzo",
}
#: The name of a tool to its kind.
TOOLS: Final[Mapping[str, str]] = {
    tool: kind for kind, tools in _TOOLS.items() for tool in tools.split()
}

_STATES: Final = {
    "status progress": (
        "pending todo,queued started,ongoing,underway,in-progress done,finished,complete,"
        "completed,concluded blocked,stuck paused,on-hold,halted cancelled,canceled,"
        "abandoned in-review in-testing"
    ),
    "status payment": "paid unpaid,overdue refunded",
    "status delivery": "shipped,dispatched delivered returned lost",
    "status review": "approved,accepted rejected,declined",
    "status opening": "open,reopened closed merged",
    "status switch": "enabled,activated,on disabled,deactivated,off",
    "status service": "up,operational,online down,offline",
    "status release": (
        "draft,unpublished,unreleased in-alpha in-beta released,published,live,in-production"
    ),
    "status stock": "in-stock,available sold-out,out-of-stock,unavailable",
    "relationship": "single married engaged divorced widowed separated",
    "diet": "vegan vegetarian pescatarian omnivore,omnivorous carnivore,carnivorous",
    "colour": (
        "red blue green yellow black white grey,gray orange purple,violet brown pink teal"
        " turquoise beige silver gold,golden navy maroon cyan magenta blonde,blond ginger"
    ),
}
#: A word to the family and axis it is a state on, and the name all its spellings share.
STATES: Final[Mapping[str, tuple[str, str]]] = {
    word: (axis, spelled.split(",")[0])
    for axis, states in _STATES.items()
    for spelled in states.split()
    for word in spelled.split(",")
}

OCCUPATIONS: Final = frozenset(
    (
        "engineer developer programmer designer nurse teacher doctor lawyer accountant"
        " architect analyst scientist consultant manager director electrician plumber"
        " carpenter chef cook pilot journalist editor writer author photographer dentist"
        " pharmacist therapist librarian professor lecturer researcher"
        " administrator assistant secretary technician mechanic cashier waiter waitress"
        " barista salesperson recruiter paralegal surgeon paramedic firefighter officer"
        " translator producer economist biologist chemist physicist veterinarian farmer"
        " freelancer contractor cto ceo cfo coo vp president founder lead principal"
        " specialist coordinator supervisor planner auditor banker trader clerk gardener"
    ).split()
)

#: Whose "my" is part of who is meant: my sister is somebody else than the sister.
RELATIVES: Final = frozenset(
    (
        "sister brother mother father mom mum dad parent parents son daughter child kid"
        " kids children wife husband spouse partner girlfriend boyfriend fiancé fiancée"
        " fiance fiancee aunt uncle cousin nephew niece grandmother grandfather grandma"
        " grandpa friend roommate flatmate neighbour neighbor boss manager colleague"
        " coworker mentor twin stepfather stepmother family"
    ).split()
)
#: Of these one has many, so without a name they say nothing of who is meant.
MANIFOLD: Final = frozenset(
    (
        "friend friends colleague colleagues coworker cousin neighbour neighbor kid kids"
        " child children parents roommate flatmate nephew niece family parent aunt uncle"
    ).split()
)
PERSONAL_NOUNS: Final = RELATIVES | frozenset(
    "dog cat puppy kitten pet horse parrot hamster rabbit".split()
)

#: Words that say what sort of thing a name stands for, and no more.
GENERIC_NOUNS: Final = frozenset("project service app application".split())

#: Where a setting applies; one setting differs from place to place.
SCOPES: Final = frozenset(
    (
        "staging production prod dev development test testing local locally qa sandbox"
        " preview canary mobile desktop web ios android windows linux macos free paid"
        " enterprise weekday weekdays weekend weekends summer winter morning evening"
        " daily weekly monthly yearly annual hourly"
    ).split()
)

SYNONYMS: Final[Mapping[str, str]] = {
    "color": "colour",
    "favorite": "favourite",
    "cell": "mobile",
    "hq": "headquarters",
    "people": "members",
    "cellphone": "mobile",
    "nyc": "new york city",
    "uk": "united kingdom",
    "usa": "united states",
    "us": "united states",
    "golang": "go",
    "postgresql": "postgres",
    "mongo": "mongodb",
    "vscode": "vs code",
    "js": "javascript",
    "ts": "typescript",
    "k8s": "kubernetes",
    "programmer": "developer",
    "prod": "production",
    "dev": "development",
    "db": "database",
    "colours": "colour",
    "max": "maximum",
    "min": "minimum",
}

#: What follows "moved to", "lives in", "works at" without being where or for whom.
NOT_PLACES: Final = frozenset(
    (
        "remote production management part-time full-time next another new other different"
        " first second third last fear peace harmony poverty luxury style case addition"
        " general particular progress order time moment past future present person love"
        " home work bed step phase stage plan topic things something anything everything"
        " somewhere nowhere anywhere nothing it this that them here there him her us you me"
        " what how consulting freelance backend frontend devops chapter level draft version"
        " archive trash inbox master main beta testing staging tears town office upstairs"
        " downstairs one two three more less better worse sync async parallel night day"
        " noon midnight least most times once fun free money hours ages days weeks months"
        " years minutes school university college weekends mornings evenings nights"
        " everyone someone myself yourself himself herself isolation constant pain total"
        " common close many several few such various multiple both all any some each every"
        " hybrid agile scrum microservices cloud"
    ).split()
)

#: What "is" leads to without naming anybody or anything.
NOT_NAMES: Final = NOT_PLACES | frozenset(
    (
        "happy sad angry busy available unavailable tired sick ill late early great good"
        " bad nice kind strict helpful supportive amazing awesome terrible difficult hard"
        " easy important crucial critical necessary required needed ready done finished"
        " off away back out in on at from with by about above over under into through for"
        " to going coming getting being having doing based located called named known used"
        " very really quite so too always often sometimes usually never not also still"
        " just only currently leaving retiring a an the my your his its our their responsible"
        " correct wrong right empty missing unknown unclear set open closed full simple"
        " complex large small big huge tiny long short high low slow fast old young"
        " down up running working broken fine okay ok better best worse worst when while"
        " because if that who which where why likely unlikely possible impossible concerned"
        " worried excited proud glad sorry aware sure certain able unable free married"
        " single pregnant dead alive smart funny friendly generous patient awful wonderful"
        " as like unlike between among against during within without until till tbd"
        " undecided pending vacant i we he she they anyone nobody none no"
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

#: Measures of time and the like, which are counted without being had.
UNCOUNTED: Final = frozenset(
    (
        "minute minutes hour hours day days week weeks month months year years second"
        " seconds time times way ways more other others step steps percent of or to and"
        " interview appointment"
    ).split()
)

#: What a person has for a while only.
PASSING: Final = frozenset(
    (
        "question questions idea ideas option options thing things point points reason"
        " reasons problem problems issue issues choice choices concern concerns thought"
        " thoughts example examples suggestion suggestions request requests meeting"
        " meetings call calls appointments"
    ).split()
)

#: Things of which one is preferred, to what they are a choice of.
CHOICES: Final[Mapping[str, str]] = {
    choice: kind
    for kind, choices in {
        "indentation": "tabs spaces",
        "seat": "window aisle",
        "units": "metric imperial celsius fahrenheit",
        "contact": "email phone sms whatsapp",
        "spelling": "british american",
        "meetings": "mornings afternoons evenings",
    }.items()
    for choice in choices.split()
}
