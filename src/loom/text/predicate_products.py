"""Versions, tools and preferences: what is used of which one is meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from loom.text.predicate_clauses import BOUNDARIES
from loom.text.predicate_spans import (
    Clause,
    Found,
    stop_of_phrase,
    without_adjunct,
    word_at,
)
from loom.text.predicate_subjects import USER
from loom.text.predicate_words import CHOICES, SORTS, SYNONYMS, TOOLS
from loom.text.quantities import MONTHS
from loom.text.stems import stem

__all__ = ["is_version", "preference_in", "tool_in", "version_in"]

_MOST_WORDS: Final = 4
_LONGEST_VERSION: Final = 11
_NO_VERSIONS: Final = tuple("% am pm th st nd rd".split())
#: Words beside a product that are not part of its name.
_VERSION_WORDS: Final = frozenset("version to the v release on".split())
_NO_PRODUCT: Final = frozenset("a an for in at with by of my our from".split())
#: Behind a version no noun follows: "runs 5 tests" gives none.
_AFTER_VERSION: Final = BOUNDARIES | frozenset(
    "in on for with now at from to of everywhere across under locally".split()
)
_EXCLUSIVE: Final = frozenset("instead main primary default now exclusively only".split())
_USING: Final = frozenset("use uses using used".split())
_VS_CODE: Final = ("vs", "code")
_OVER: Final = frozenset("over to than".split())


def is_version(word: str) -> bool:
    """Whether the word is a number such as versions have."""
    digits = word.removeprefix("v")
    return (
        digits[:1].isdigit()
        and len(digits) <= _LONGEST_VERSION
        and digits.replace(".", "").isalnum()
        and not digits.endswith(_NO_VERSIONS)
    )


def version_in(clause: Clause, start: int, stop: int, *, is_past: bool) -> Found | None:
    """`Production runs Postgres 14`, `we use Python 3.12`, `is on version 2`.

    What "we" run is a matter of the product alone, so its version is the product's.
    """
    words, whose = clause.words, clause.whose
    at = next((k for k in range(start, stop) if is_version(words[k])), stop)
    if not whose or at == stop or at - start > _MOST_WORDS:
        return None
    # A bare whole number may be anything.
    if at == start and not ("." in words[at] or words[at][0] == "v"):
        return None
    product = [word for word in words[start:at] if word not in _VERSION_WORDS]
    if not product and word_at(words, at + 1) == "of":
        # "version 1.9 of the SDK"
        behind_of = words[at + 2 : without_adjunct(words, at + 2, at + _MOST_WORDS)]
        product = [word for word in behind_of if word not in _VERSION_WORDS]
    if any(word in _NO_PRODUCT or word in MONTHS for word in product):
        return None
    behind = word_at(words, at + 1)
    if behind and behind not in _AFTER_VERSION:
        return None
    called = " ".join(stem(SYNONYMS.get(word, word)) for word in product)
    if whose == USER:
        whose, called = called, ""
    if not whose:
        return None
    return Found(
        subject=whose,
        family="version",
        qualifier=called,
        start=at,
        stop=at + 1,
        is_past=is_past,
    )


def tool_in(clause: Clause, start: int, stop: int) -> Found | None:
    """`switched to Emacs`, `the service uses Postgres`, `I use Vim`.

    Somebody may use two editors, so only a change or a word such as "main" is firm; a
    service has one database.
    """
    words, whose = clause.words, clause.whose
    stop = without_adjunct(words, start, min(stop, start + _MOST_WORDS))
    span = _tool_among(words, start, stop)
    if not whose or span is None or words[start] in ("a", "an", "my"):
        return None
    if word_at(words, stop) in ("and", ",") and word_at(words, stop + 1) in TOOLS:
        return None
    first, last, kind = span
    using = clause.verb in _USING
    if clause.verb == "used" and not clause.has("have", "has"):
        return None
    family, qualifier = "tool", kind
    if whose != USER and (kind == "database" or (kind == "cloud" and not using)):
        family, qualifier = ("database" if kind == "database" else "host"), ""
    firm = family != "tool" or not using or clause.has("now")
    return Found(
        subject=whose,
        family=family,
        qualifier=qualifier,
        start=first,
        stop=last,
        is_firm=firm or not _EXCLUSIVE.isdisjoint(words[start : start + 8]),
    )


def _tool_among(words: Sequence[str], start: int, stop: int) -> tuple[int, int, str] | None:
    """Where the one tool stands that the words name, and its kind."""
    if tuple(words[start : start + 2]) == _VS_CODE:
        return start, start + 2, "editor"
    found = [at for at in range(start, stop) if words[at] in TOOLS]
    if len({TOOLS[words[at]] for at in found}) != 1:
        return None
    return found[0], found[0] + 1, TOOLS[words[found[0]]]


def preference_in(clause: Clause, start: int) -> Found | None:
    """`prefers tea over coffee`, `prefers dark mode`, `prefers Vim`."""
    words, whose = clause.words, clause.whose
    stop = stop_of_phrase(words, start)
    reach = range(start + 1, min(start + 1 + _MOST_WORDS, len(words)))
    over = next((at for at in reach if words[at] in _OVER), None)
    if not whose:
        return None
    if over is not None:
        return _preferred_over(words, whose, start, over)
    stop = without_adjunct(words, start, stop)
    if stop - start == 1 and words[start] in CHOICES:
        return _preferred(whose, CHOICES[words[start]], start, stop)
    if stop - start > 1 and words[stop - 1] in SORTS:
        return _preferred(whose, words[stop - 1], start, stop - 1)
    tool = _tool_among(words, start, stop)
    if tool is None or "and" in words[start : stop + 1]:
        return None
    first, last, kind = tool
    return Found(subject=whose, family="tool", qualifier=kind, start=first, stop=last)


def _preferred_over(
    words: Sequence[str], whose: str, start: int, over: int
) -> Found | None:
    """Only the choice between the same two things is one slot."""
    end = without_adjunct(words, over + 1, stop_of_phrase(words, over + 1))
    sides = words[start:over], words[over + 1 : end]
    pair = sorted({" ".join(map(stem, side)) for side in sides})
    if len(pair) < len(sides) or not all(pair):
        return None
    return _preferred(whose, " / ".join(pair), start, over)


def _preferred(whose: str, qualifier: str, start: int, stop: int) -> Found:
    return Found(
        subject=whose, family="preference", qualifier=qualifier, start=start, stop=stop
    )
