"""A small world in which it is known what every claim is to every other.

`SAYINGS` is a table of values: what each is about (its topic), what it says about it (its
stance) and in which words (its form). From the table alone follows whether two of them are
one text in other dress, say the same, contradict each other, or go together; nothing is
computed from the words. `ScenarioJudge` and `scenario_embedder` tell the library the same,
so a difference between the library and the oracle is never a matter of language.

Steps are operations as values: a program is a list of them, and can be run on a store, on
the oracle, or on two stores side by side.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final, TypeAlias

from attrs import evolve, frozen
from hypothesis import strategies as st

from loom.model.identity import Address
from loom.model.thresholds import Thresholds
from loom.policies.facts import Claim
from loom.policies.relations import Relation, Relations
from loom.testing.fakes import ChosenEmbedder

__all__ = [
    "FLOOR",
    "KEYS",
    "NAMESPACE",
    "ORG",
    "PATTERNS",
    "SAYINGS",
    "WHOS",
    "Ban",
    "Bulk",
    "Cast",
    "Delete",
    "Lift",
    "Lock",
    "Put",
    "Restore",
    "Saying",
    "ScenarioJudge",
    "Step",
    "Sweep",
    "Unlock",
    "Wait",
    "Who",
    "casts",
    "cosine",
    "programs",
    "relation",
    "scenario_embedder",
    "steps",
]

#: Cosine from which the scenario's judge wants to be shown a row.
FLOOR: Final = 0.5


@frozen(kw_only=True)
class Saying:
    """One value and what it says, by construction."""

    name: str
    value: Any
    topic: str
    stance: str
    #: Equal for values that have one canonical form.
    form: str
    #: Where its vector lies on the line of its topic.
    place: float = 0.0
    #: What it says lies in its key (R-34).
    bare: bool = False

    @property
    def text(self) -> str:
        """As the embedder and the judge are shown it."""
        return self.value if isinstance(self.value, str) else _SHOWN[self.name]

    @property
    def sha256(self) -> str:
        """The content hash: of the value's JSON."""
        plain = json.dumps(self.value, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(plain.encode()).hexdigest()

    def __str__(self) -> str:
        return self.name


def _saying(name: str, value: Any, place: float = 0.0, *, of: str = "") -> Saying:
    """`topic.stance.form`; `of` names the saying whose canonical form it shares."""
    topic, stance, _ = (of or name).split(".")
    bare = topic == "bare"
    return Saying(
        name=name,
        value=value,
        topic=of or name if bare else topic,
        stance=stance,
        form=of or name,
        place=place,
        bare=bare,
    )


#: "aside" is the stance that goes with every other; any two else contradict each other.
SAYINGS: Final = {
    saying.name: saying
    for saying in (
        _saying("tea.green.plain", "The crew in Oslo drinks green tea at noon"),
        _saying(
            "tea.green.loud",
            "the CREW in Oslo drinks  green tea at noon.",
            0.9,  # far by vector, though one in form
            of="tea.green.plain",
        ),
        _saying("tea.green.turned", "At noon the Oslo crew has its green tea", 0.02),
        _saying("tea.black.plain", "The crew in Oslo drinks black tea at noon", 0.1),
        _saying("tea.none.plain", "The crew in Oslo never drinks any tea", 0.2),
        _saying("tea.none.turned", "No tea is ever drunk by the Oslo crew", 0.22),
        _saying("tea.aside.plain", "The crew in Oslo buys its tea in spring", 0.15),
        _saying("van.mill.plain", "The grey van is parked behind the old mill"),
        _saying("van.dock.plain", "The grey van is parked beside the north dock", 0.08),
        _saying("bare.blue.plain", "blue"),
        _saying("bare.blue.loud", "Blue.", of="bare.blue.plain"),
        _saying("bare.green.plain", "green"),
        _saying("bare.seven.plain", 7),
        _saying("bare.switch.plain", {"on": True}),
    )
}
_SHOWN: Final = {"bare.seven.plain": "7", "bare.switch.plain": "on: true"}
_BY_TEXT: Final = {saying.text: saying for saying in SAYINGS.values()}


def cosine(a: Saying, b: Saying) -> float:
    """What the scenario's embedder answers within a topic; 0 stands for any two topics."""
    return 1.0 - abs(_rounded(a) - _rounded(b)) if a.topic == b.topic else 0.0


def _rounded(saying: Saying) -> float:
    return round(saying.place * 128) / 128


def relation(new: Saying, old: Saying, *, same_key: bool) -> Relations:
    """What two sayings are to each other (R-12, R-33, R-34)."""
    if new.bare or old.bare:
        if not same_key:
            return Relations.APART
        return Relations.CANONICAL if new.form == old.form else Relations.CONFLICT
    if new.topic != old.topic:
        return Relations.APART
    if new.form == old.form:
        return Relations.CANONICAL
    if new.stance == old.stance:
        return Relations.SAME
    aside = "aside" in (new.stance, old.stance)
    return Relations.COMPATIBLE if aside else Relations.CONFLICT


class ScenarioJudge:
    """Tells the library what the table says."""

    def floor(self, thresholds: Thresholds, /) -> float:
        """The cosine below which it needs to see no peer."""
        del thresholds
        return FLOOR

    def relate(
        self, new: Claim, old: Claim, similarity: float, thresholds: Thresholds, /
    ) -> Relation:
        """The table's relation."""
        del thresholds
        same_key = new.memory_key == old.memory_key
        kind = relation(_BY_TEXT[new.text], _BY_TEXT[old.text], same_key=same_key)
        return Relation(kind, (f"cosine {similarity:.3f}",))


def scenario_embedder() -> ChosenEmbedder:
    """Every saying at its place."""
    return ChosenEmbedder({s.text: (s.topic, s.place) for s in SAYINGS.values()})


ORG: Final = "acme"
NAMESPACE: Final = "crew"
KEYS: Final = ("team/drink", "team/van", "team/drink/noon")
#: Each matches sayings of one topic, in another case; the last a tag.
PATTERNS: Final = ("BLACK tea", "grey VAN", "bLuE", "kind:b")


@frozen
class Who:
    """An agent, for a user, in a session."""

    agent: str
    user_id: str = "-"
    session_id: str = ""

    def at(self, key: str) -> Address:
        """Where its own row of a key lives."""
        return Address(ORG, NAMESPACE, self.agent, self.user_id, self.session_id, key)


WHOS: Final = (
    Who("ivo"),
    Who("una"),
    Who("ivo", "-", "s1"),
    Who("ivo", "a"),
    Who("una", "a", "s1"),
    Who("ivo", "b"),
)


@frozen(kw_only=True)
class Put:
    """set, update, pin, update_by_id; None is "not said"."""

    op: str = "set"
    who: Who
    key: str
    #: None: a pin of what is there.
    saying: Saying | None
    #: The row that update_by_id names.
    of: Address | None = None
    memory_type: str | None = None
    tags: tuple[str, ...] | None = None
    pinned: bool | None = None
    ttl: int | None = None
    clear_expiry: bool = False
    #: The saying whose hash the writer believes to be there.
    if_match: Saying | None = None
    dry_run: bool = False


@frozen(kw_only=True)
class Bulk:
    """bulk_set; every entry is a set."""

    who: Who
    entries: tuple[Put, ...]
    atomic: bool = False


@frozen(kw_only=True)
class Delete:
    """Delete a key."""

    who: Who
    key: str
    mine_only: bool = False
    dry_run: bool = False


@frozen(kw_only=True)
class Restore:
    """Restore what the newest delete of a key took."""

    who: Who
    key: str
    clear_expiry: bool = False
    dry_run: bool = False


@frozen(kw_only=True)
class Lock:
    """Lock a row, for some seconds or for good."""

    who: Who
    key: str
    mode: str = "read_only"
    ttl: int | None = None


@frozen(kw_only=True)
class Unlock:
    """Unlock a row."""

    who: Who
    key: str


@frozen(kw_only=True)
class Ban:
    """Add a blacklist pattern."""

    who: Who
    pattern: str
    sweep: bool = False


@frozen(kw_only=True)
class Lift:
    """Remove a blacklist pattern."""

    who: Who
    pattern: str


@frozen(kw_only=True)
class Sweep:
    """Tombstone what the patterns in force match."""

    who: Who


@frozen(kw_only=True)
class Wait:
    """Move the clock."""

    seconds: float


Step: TypeAlias = (
    Put | Bulk | Delete | Restore | Lock | Unlock | Ban | Lift | Sweep | Wait
)

_RARELY: Final = st.sampled_from((False, False, False, True))
_TTL: Final = st.sampled_from((None, None, None, 60, 3_600))
_DAY: Final = 86_400.0


@frozen(kw_only=True)
class Cast:
    """Who takes part in one program and what there is to say: few, so that they meet."""

    whos: tuple[Who, ...]
    keys: tuple[str, ...]
    sayings: tuple[Saying, ...]


def casts() -> st.SearchStrategy[Cast]:
    """One to three writers, two or three keys, the sayings of one topic or all."""
    topics = {s.topic.split(".")[0] for s in SAYINGS.values()}
    about = [
        tuple(s for s in SAYINGS.values() if s.topic.startswith(topic))
        for topic in sorted(topics)
    ]
    return st.builds(
        Cast,
        whos=st.lists(st.sampled_from(WHOS), min_size=1, max_size=3, unique=True).map(tuple),
        keys=st.sampled_from((KEYS[:2], KEYS)),
        sayings=st.sampled_from((*about, tuple(SAYINGS.values()))),
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
        "tags": st.sampled_from((*[None] * 5, (), ("kind:a",), ("kind:b",))),
        "pinned": st.none() if op == "pin" else st.sampled_from((*[None] * 9, True, False)),
        "ttl": _TTL,
        "clear_expiry": st.just(False),
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
