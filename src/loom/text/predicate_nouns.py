"""Nouns that name an attribute: whose it is, of which family, and which one.

"The deadline for the project", "the project's deadline" and "the project deadline" are one
slot; "my work email" and "my private email" are two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from attrs import frozen

from loom.text.predicate_families import ATTRIBUTES, FAMILIES
from loom.text.predicate_subjects import DETERMINERS, PREPOSITIONS, USER, about
from loom.text.predicate_words import OCCUPATIONS, SYNONYMS, TOOLS
from loom.text.quantities import MONTHS
from loom.text.stems import stem

__all__ = ["HEADS", "Noun", "noun_of"]

#: What a noun is called as a qualifier, where that is not the noun itself.
HEADS: Final = {
    "due": "deadline",
    "maximum": "limit",
    "max": "limit",
    **dict.fromkeys(
        (
            "owner maintainer lead leader head manager assignee colour color database db"
            " datastore host hosting price cost version status"
        ).split(),
        "",
    ),
}
_NEW: Final = frozenset("new updated revised latest".split())
_FAVOURITES: Final = frozenset("favourite favorite preferred all-time absolute".split())
_TOOLS_BY_NOUN: Final = {
    "editor": "editor",
    "ide": "editor",
    "browser": "browser",
    "shell": "shell",
}
_KINDS_OF_TOOL: Final = {**_TOOLS_BY_NOUN, **{kind: kind for kind in TOOLS.values()}}
#: Heads that say nothing without another word.
_GENERIC: Final = frozenset(
    "time date start end number title extension total count size rate state phase type"
    " language".split()
)
#: Two words that make another thing of the head.
_COMPOUNDS: Final = {
    ("relationship", "status"): "relationship",
    ("marital", "status"): "relationship",
    ("email", "address"): "email",
    ("e-mail", "address"): "email",
    ("birth", "date"): "birthday",
}
#: Things known by a number.
_NUMBERED: Final = tuple(
    (
        "passport account flight room seat employee customer licence license policy order"
        " booking reference serial member membership platform gate locker"
    ).split()
)
#: Heads that name an attribute only behind one of these words ("" for none).
_BY_MODIFIER: Final[Mapping[str, Mapping[str, str]]] = {
    "number": dict.fromkeys(
        ("", "phone", "mobile", "cell", "contact", "telephone", "new"), "phone"
    )
    | dict.fromkeys(_NUMBERED, "limit"),
    "title": {"job": "role", "": "role", "new": "role"},
    "language": {
        **dict.fromkeys(("native", "first", "mother"), "native language"),
        **dict.fromkeys(("default", "official", "primary", "main"), "limit"),
    },
}
#: Modifiers by which a slot is not told from another.
_PLAIN: Final = frozenset(
    (
        "phone mobile contact email e-mail new current job real full official main home"
        " telephone cell native first mother"
    ).split()
)
_DWELLINGS: Final = frozenset("home hometown residence".split())
_INNER_CLAUSE: Final = frozenset("i we you he she they have has".split())


@frozen(slots=True)
class Noun:
    """The slot a noun phrase names."""

    subject: str
    family: str
    qualifier: str
    #: The noun by which a shorter mention would call it; "" for what belongs to somebody.
    topic: str = ""
    #: "the new deadline".
    is_new: bool = False


@frozen(kw_only=True, slots=True)
class _Phrase:
    """A noun phrase: `my` / `sister's`, `work`, `email`, `of my sister`."""

    owner: tuple[str, ...]
    modifiers: tuple[str, ...]
    head: str
    behind: tuple[str, ...]

    @property
    def last(self) -> str:
        """The modifier next to the head."""
        return self.modifiers[-1] if self.modifiers else ""


def noun_of(words: Sequence[str]) -> Noun | None:
    """The attribute a noun phrase names, if it names one."""
    phrase = _phrase(words)
    if phrase is None:
        return None
    if not _FAVOURITES.isdisjoint(phrase.modifiers):
        return _favourite(phrase)
    if phrase.head in _TOOLS_BY_NOUN:
        whose = phrase.owner and about((*phrase.owner, *phrase.behind))
        return Noun(whose, "tool", _TOOLS_BY_NOUN[phrase.head]) if whose else None
    if phrase.head == "number" and phrase.behind[:1] == ("of",):
        return _number_of(phrase)
    if phrase.head in OCCUPATIONS and phrase.owner and phrase.head not in ATTRIBUTES:
        # "the on-call engineer is Kai"
        return _of(phrase, "lead")
    family = _family(phrase)
    return _of_family(phrase, family) if family else None


def _of_family(phrase: _Phrase, family: str) -> Noun | None:
    if family == "residence" and phrase.head not in _DWELLINGS:
        return _place_of(phrase)
    if FAMILIES[family].is_personal:
        return _personal(phrase, family)
    return _of(phrase, family)


def _phrase(words: Sequence[str]) -> _Phrase | None:
    stop = next((k for k, w in enumerate(words) if k and w in PREPOSITIONS), len(words))
    named = _undated(words[:stop])
    if not named:
        return None
    mark = max((k for k, w in enumerate(named) if w == "'s"), default=-1)
    owner, modifiers = named[: mark + 1], named[mark + 1 : -1]
    if not owner and modifiers and modifiers[0] in DETERMINERS:
        owner, modifiers = modifiers[:1], modifiers[1:]
    return _Phrase(
        owner=owner, modifiers=modifiers, head=named[-1], behind=tuple(words[stop:])
    )


def _undated(words: Sequence[str]) -> tuple[str, ...]:
    """The phrase without the value it had: "the April 20 deadline", "the $500 budget"."""
    return tuple(
        word
        for at, word in enumerate(words)
        if not (
            word in MONTHS
            or word[0] in "$€£"
            or word[-1] == "%"
            or (word[0].isdigit() and not MONTHS.keys().isdisjoint(_beside(words, at)))
        )
    )


def _beside(words: Sequence[str], at: int) -> tuple[str, ...]:
    return (*words[max(0, at - 1) : at], *words[at + 1 : at + 2])


def _favourite(phrase: _Phrase) -> Noun | None:
    whose = about(phrase.owner)
    if whose is None:
        return None
    which = [w for w in (*phrase.modifiers, phrase.head) if w not in _FAVOURITES]
    which += [w for w in phrase.behind if w not in PREPOSITIONS and w not in DETERMINERS]
    kind = " ".join(SYNONYMS.get(word, word) for word in which)
    if kind in _KINDS_OF_TOOL:
        return Noun(whose, "tool", _KINDS_OF_TOOL[kind])
    return Noun(whose, "favourite", " ".join(map(stem, kind.split())))


def _family(phrase: _Phrase) -> str | None:
    """The family of the head, which may depend on what stands beside it."""
    head, family = phrase.head, ATTRIBUTES.get(phrase.head)
    if head == "manager" and phrase.behind:
        return "lead"
    if head == "date" and phrase.behind == ("of", "birth"):
        return "birthday"
    if head in _BY_MODIFIER:
        return _BY_MODIFIER[head].get(phrase.last)
    return _COMPOUNDS.get((phrase.last, head), family)


def _number_of(phrase: _Phrase) -> Noun | None:
    """`the number of open tickets`."""
    what = about(phrase.behind[1:])
    if not what or not _INNER_CLAUSE.isdisjoint(phrase.behind):
        return None
    whose = (about(phrase.owner) if phrase.owner else "") or USER
    return Noun(whose, "count", what, stem(phrase.behind[1]))


def _place_of(phrase: _Phrase) -> Noun | None:
    """`the Oslo office`, `the venue of the meeting`: the thing that has a place."""
    head = () if phrase.head in ("location", "venue") else (phrase.head,)
    whose = about((*phrase.owner, *phrase.modifiers, *head, *phrase.behind))
    return Noun(whose, "residence", "") if whose else None


def _personal(phrase: _Phrase, family: str) -> Noun | None:
    """`my work email`, `the email of Ana`: somebody's, and which."""
    whose = about((*phrase.owner, *phrase.behind))
    if not whose and family == "address":
        whose = about(phrase.modifiers)
    if not whose:
        return None
    which = [
        stem(SYNONYMS.get(word, word))
        for word in phrase.modifiers
        if word not in _PLAIN and ATTRIBUTES.get(word) != family
    ]
    if family == "name" and phrase.head != "name":
        which.insert(0, phrase.head)
    return Noun(whose, family, " ".join(which))


def _of(phrase: _Phrase, family: str) -> Noun | None:
    """`the deadline for the draft`, `the draft deadline`: of a thing."""
    whose = about((*phrase.owner, *phrase.modifiers, *phrase.behind))
    if whose is None:
        return None
    head = phrase.head
    if head in _GENERIC and not any(map(str.isalpha, whose)):
        return None
    is_new = not _NEW.isdisjoint((*phrase.owner, *phrase.modifiers))
    return Noun(whose, family, HEADS.get(head, head), head, is_new)
