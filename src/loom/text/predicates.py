"""Predicates that hold one value at a time, found in plain English without a model.

Where somebody lives, works, what a thing is called, when it happens, which version runs: a
second value replaces the first. So "I live in Delhi" and "I moved to Berlin" meet although
no word and little of their meaning is shared (R-33). What many values satisfy at once
(likes, knows, speaks) is never found, nor is what is wished, asked, denied or supposed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Final

from attrs import frozen

from loom.text.predicate_clauses import Sentence, sentences_of
from loom.text.predicate_families import FAMILIES
from loom.text.predicate_objects import are_rivals, object_of
from loom.text.predicate_templates import found_in

__all__ = ["Held", "Rival", "held", "rival", "slots"]

_LONGEST_CACHED: Final = 2_000
#: Slots kept of one text: those that its first statements fill.
_MOST_SLOTS: Final = 8


@frozen(kw_only=True, slots=True)
class Held:
    """One statement: the subject has the object, in a family that has one at a time."""

    #: Canonical text: "user" for the first person, "user sister" for my sister.
    subject: str
    #: "residence", "employer", "time" and the like; see `FAMILIES`.
    family: str
    #: Which of several slots of the family: the event, the product, the favourite what.
    qualifier: str
    #: Canonical words, or kind and content of values.
    object: str
    #: It is told of the past: it may well have another value now.
    past: bool = False
    #: It is said to be over: "used to live", "no longer works".
    ended: bool = False
    #: It leaves no room for a second value: "switched to Emacs", not "uses Emacs".
    firm: bool = True
    #: It tells of a change, so it may mention its slot in fewer or more words.
    update: bool = False
    #: The noun by which a shorter mention would call the slot; "" if there is none.
    topic: str = ""
    #: The canonical object that it replaces, where that is told: "from A to B".
    former: str = ""

    @property
    def slot(self) -> str:
        """What two statements must share to be rivals."""
        return f"{self.subject}|{self.family}|{self.qualifier}"

    @property
    def wide_slot(self) -> str:
        """The slot by its noun alone, whoever and whichever it is of."""
        return f"*|{self.family}|{self.topic}"

    @property
    def description(self) -> frozenset[str]:
        """The words by which the slot is told from others with its noun."""
        return frozenset(f"{self.subject} {self.qualifier}".split()) - {self.topic, "user"}


@frozen(kw_only=True, slots=True)
class Rival:
    """Two statements that fill one slot differently."""

    #: Subject, family and qualifier; holds words of the texts.
    slot: str
    #: The canonical object of the new statement.
    new: str
    #: The canonical object of the old statement.
    old: str
    #: A plain phrase without a word of either text.
    reason: str


def held(text: str) -> tuple[Held, ...]:
    """The single-valued statements of a text, in order.

    >>> [(h.subject, h.family, h.object) for h in held("My sister moved to Berlin.")]
    [('user sister', 'residence', 'berlin')]
    >>> held("I might move to Berlin."), held("I like Berlin.")
    ((), ())
    """
    return _cached(text) if len(text) <= _LONGEST_CACHED else _held(text)


def _held(text: str) -> tuple[Held, ...]:
    return tuple(dict.fromkeys(_all_held(text)))


_cached: Final = lru_cache(maxsize=4_096)(_held)


def _all_held(text: str) -> Iterator[Held]:
    for sentence in sentences_of(text):
        for found in found_in(sentence):
            said = _object(sentence, found.family, found.start, found.stop)
            if said:
                yield Held(
                    subject=found.subject,
                    family=found.family,
                    qualifier=found.qualifier,
                    object=said,
                    past=found.is_past,
                    ended=found.is_ended,
                    firm=found.is_firm,
                    update=found.is_update,
                    topic=found.topic,
                    former=_object(sentence, found.family, *found.former),
                )


def _object(sentence: Sentence, family: str, start: int, stop: int) -> str:
    words, written = sentence.words[start:stop], sentence.written[start:stop]
    return object_of(FAMILIES[family].kind, words, written) if words else ""


def slots(text: str) -> tuple[str, ...]:
    """What a text must share with another to be its rival, sorted; at most eight.

    "subject|family|qualifier" of what it states now or says is over, and "*|family|noun"
    where a change may be told in fewer words ("the deadline was moved").

    >>> slots("I live in Delhi and my favorite color is teal.")
    ('user|favourite|colour', 'user|residence|')
    """
    current = [one for one in held(text) if one.ended or not one.past]
    names = (
        *(one.slot for one in current),
        *(one.wide_slot for one in current if one.topic),
    )
    return tuple(sorted(islice(dict.fromkeys(names), _MOST_SLOTS)))


def rival(new: str, old: str) -> Rival | None:
    """How two texts fill one slot with what cannot both hold; None if they do not.

    Exchanging the texts exchanges the objects, no more.

    >>> rival("I moved to Berlin.", "I live in Delhi.").reason
    'one place at a time'
    >>> rival("I live in Delhi, India.", "I live in Delhi.")
    """
    first, second = _by_slot(new), _by_slot(old)
    for slot in sorted(first.keys() & second.keys()):
        found = _rival_in(slot, first[slot], second[slot])
        if found is not None:
            return found
    return _rival_by_topic(first, second)


def _by_slot(text: str) -> dict[str, list[Held]]:
    found: dict[str, list[Held]] = {}
    for one in held(text):
        if one.ended or not one.past:
            found.setdefault(one.slot, []).append(one)
    return found


def _rival_in(slot: str, new: list[Held], old: list[Held]) -> Rival | None:
    family = FAMILIES[new[0].family]
    now, then = [h for h in new if not h.ended], [h for h in old if not h.ended]
    if now and then:
        differ = all(are_rivals(family.kind, a.object, b.object) for a in now for b in then)
        firm = any(one.firm for one in (*now, *then))
        reason = f"one {family.label} at a time"
        return _rival(slot, now[0], then[0], reason) if differ and firm else None
    for a, b in ((a, b) for a in new for b in old if a.ended != b.ended):
        if a.object == b.object:
            return _rival(slot, a, b, f"one says that the {family.label} is over")
    return None


def _rival_by_topic(
    first: dict[str, list[Held]], second: dict[str, list[Held]]
) -> Rival | None:
    """A change told of "the draft deadline" is of "the deadline of the first draft"."""
    one, two = _by_topic(first), _by_topic(second)
    for wide in sorted(one.keys() & two.keys()):
        a, b = one[wide], two[wide]
        changed = any(each.update for each in (*a, *b))
        if a[0].slot != b[0].slot and changed and _is_same_thing(a[0], b[0]):
            found = _rival_in(wide, a, b)
            if found is not None:
                return found
    return None


def _by_topic(slots_of_text: dict[str, list[Held]]) -> dict[str, list[Held]]:
    """What a text states under a noun, where it tells of one such thing alone."""
    found: dict[str, list[Held]] = {}
    for stated in slots_of_text.values():
        if stated[0].topic:
            found.setdefault(stated[0].wide_slot, []).extend(stated)
    return {
        wide: stated
        for wide, stated in found.items()
        if len({one.slot for one in stated}) == 1
    }


def _is_same_thing(a: Held, b: Held) -> bool:
    """Whether one replaces the other's object, or describes the slot in fewer words."""
    if (a.former and a.former == b.object) or (b.former and b.former == a.object):
        return not a.description or not b.description or bool(a.description & b.description)
    one, two = a.description, b.description
    return bool(one & two) and (one <= two or two <= one)


def _rival(slot: str, new: Held, old: Held, reason: str) -> Rival:
    return Rival(slot=slot, new=new.object, old=old.object, reason=reason)
