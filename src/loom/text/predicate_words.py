"""Words of which one excludes another, and words that are not what they look like.

Tools of one kind, states of one axis, occupations; and what follows "lives in" or "is"
without naming a place or anybody.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = [
    "CHOICES",
    "GENERIC_NOUNS",
    "MANIFOLD",
    "NOT_NAMES",
    "NOT_PLACES",
    "OCCUPATIONS",
    "PASSING",
    "PERSONAL_NOUNS",
    "RELATIVES",
    "SCOPES",
    "SETTINGS",
    "SORTS",
    "STATES",
    "SYNONYMS",
    "TOOLS",
    "UNCOUNTED",
]

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
        "pending todo,queued started,ongoing,underway,in-progress,running done,finished,complete,"
        "completed,concluded blocked,stuck paused,on-hold,halted cancelled,canceled,"
        "abandoned in-review in-testing"
    ),
    "status signing": "signed unsigned",
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
        " child children roommate flatmate parent"
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
        " strong weak bright dark warm cold hot cosy cozy loud quiet clean dirty tight loose"
        " cheap expensive fair solid sound stable unstable fresh rough smooth clever brave"
        " calm nervous hungry thirsty bored lonely lost stuck useful useless pretty ugly"
        " heavy light thick thin deep shallow wide narrow modern old-fashioned decent"
        " pregnant retired abroad asleep awake ahead behind everywhere"
        " undecided pending vacant i we he she they anyone nobody none no"
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

#: Nouns whose kinds exclude each other, where one is preferred: dark mode, light mode.
SORTS: Final = frozenset(
    "mode theme seat seats indentation format units pronouns spelling".split()
)

#: Words that are no names and yet values of a setting.
SETTINGS: Final = frozenset(
    (
        "master main dark light staging production remote hybrid large small on off high"
        " low full free simple true false open closed async sync strict"
    ).split()
)
