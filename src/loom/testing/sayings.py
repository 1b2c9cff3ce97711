"""A small world in which it is known what every claim is to every other.

`SAYINGS` is a table of values: what each is about (its topic), what it says about it (its
stance) and in which words (its form). From the table alone follows whether two of them are
one text in other dress, say the same, contradict each other, or go together; nothing is
computed from the words. `ScenarioJudge` and `scenario_embedder` tell the library the same,
so a difference between the library and the oracle is never a matter of language.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

from attrs import frozen

from loom.model.thresholds import Thresholds
from loom.policies.facts import Claim
from loom.policies.relations import SAME_KEY, Relation, Relations
from loom.testing.fakes import ChosenEmbedder

__all__ = [
    "FLOOR",
    "SAYINGS",
    "Saying",
    "ScenarioJudge",
    "cosine",
    "relation",
    "replaces",
    "scenario_embedder",
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


def replaces(new: Saying, old: Saying, *, same_key: bool) -> bool:
    """Whether the newer of two that contradict each other fills the other's place (R-33).

    Under another key a denial fills none: it may be of something else.
    """
    if relation(new, old, same_key=same_key) is not Relations.CONFLICT:
        return False
    return same_key or "none" not in (new.stance, old.stance)


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
        pair = _BY_TEXT[new.text], _BY_TEXT[old.text]
        kind = relation(*pair, same_key=same_key)
        # The note by which a policy knows that the newer fills the older one's place.
        note = SAME_KEY if replaces(*pair, same_key=same_key) else ""
        return Relation(kind=kind, similarity=similarity, note=note)


def scenario_embedder() -> ChosenEmbedder:
    """Every saying at its place."""
    return ChosenEmbedder({s.text: (s.topic, s.place) for s in SAYINGS.values()})
