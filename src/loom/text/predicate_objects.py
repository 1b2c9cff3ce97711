"""What a statement says of its subject, in a form that two statements are compared by."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isclose
from typing import Final

from loom.text.predicate_families import Kind
from loom.text.predicate_words import STATES, SYNONYMS
from loom.text.stems import stem
from loom.text.values import values_in

__all__ = ["are_rivals", "object_of"]

_IN_WORDS: Final = ("url", "identifier", "ip", "email", "ordinal", "month", "weekday")
_TIMES: Final = frozenset({"date", "month", "weekday", "time", "ordinal"})
_QUARTERS: Final = frozenset("q1 q2 q3 q4".split())
_DROPPED: Final = frozenset(
    "a an the my our your his her its their 's of in at on to now currently both just".split()
)
_PERIODS: Final = {
    "second": "second",
    "seconds": "second",
    "minute": "minute",
    "minutes": "minute",
    "minutely": "minute",
    "hour": "hour",
    "hours": "hour",
    "hourly": "hour",
    "day": "day",
    "days": "day",
    "daily": "day",
    "week": "week",
    "weeks": "week",
    "weekly": "week",
    "month": "month",
    "months": "month",
    "monthly": "month",
    "year": "year",
    "years": "year",
    "yearly": "year",
    "annually": "year",
    "annual": "year",
}
_APART: Final = "; "


def object_of(kind: Kind, words: Sequence[str], written: Sequence[str]) -> str:
    """The object in canonical form; empty if the words give none of the kind."""
    match kind:
        case Kind.TIME | Kind.HOURS:
            return _parts(written, _TIMES)
        case Kind.VALUE:
            return _value(words, written)
        case Kind.ANY:
            value = _value(words, written)
            return _plain(words) if not value or value.startswith(_IN_WORDS) else value
        case Kind.CONTACT:
            return _contact(words)
        case Kind.STATE:
            pair = _state("-".join(words[:2]))
            return pair or next((_state(word) for word in words if _state(word)), "")
        case _:
            return _plain(words)


_FEWEST_DIGITS: Final = 5


def _contact(words: Sequence[str]) -> str:
    """The address with an `@`, or the digits of a number."""
    address = next((word for word in words if "@" in word), "")
    digits = "".join(char for word in words for char in word if char.isdigit())
    return address or (digits if len(digits) >= _FEWEST_DIGITS else "")


def _state(word: str) -> str:
    if word in STATES:
        return STATES[word][1]
    return ""


def _plain(words: Sequence[str]) -> str:
    spelled = " ".join(SYNONYMS.get(word, word) for word in words)
    spelled = spelled.replace("visual studio code", "vs code")
    kept = [word for word in spelled.split() if word not in _DROPPED]
    return " ".join(stem(word) if word.isalpha() else word for word in kept)


def _parts(written: Sequence[str], kinds: frozenset[str]) -> str:
    found = [
        f"{v.kind}:{v.content}" for v in values_in(" ".join(written)) if v.kind in kinds
    ]
    found += [f"quarter:{w.lower()}" for w in written if w.lower() in _QUARTERS]
    return _APART.join(sorted(found))


def _value(words: Sequence[str], written: Sequence[str]) -> str:
    text = " ".join(written)
    values = values_in(text)
    if not values:
        return ""
    periods = sorted(
        {_PERIODS[part] for word in words for part in word.split("/") if part in _PERIODS}
    )
    return _APART.join([f"{values[0].kind}:{values[0].content}", *periods])


def are_rivals(kind: Kind, new: str, old: str) -> bool:
    """Whether two objects of one slot cannot both hold."""
    if not new or not old or new == old:
        return False
    return _DIFFER.get(kind, _words_differ)(new, old)


def _contacts_differ(new: str, old: str) -> bool:
    """With or without the code of the country, a number is the same."""
    return not (new.endswith(old.lstrip("0")) or old.endswith(new.lstrip("0")))


def _any_differ(new: str, old: str) -> bool:
    """A value and words are different ways of saying, maybe of the same."""
    values = _is_value(new), _is_value(old)
    if all(values):
        return _values_differ(new, old)
    return not any(values) and _words_differ(new, old)


def _is_value(said: str) -> bool:
    return ":" in said and " " not in said.partition(":")[0]


def _times_differ(new: str, old: str) -> bool:
    first, second = _by_kind(new), _by_kind(old)
    shared = first.keys() & second.keys()
    return any(
        all(not _same_time(a, b) for a in first[kind] for b in second[kind])
        for kind in shared
    )


def _hours_differ(new: str, old: str) -> bool:
    """Mondays at 9 and Fridays at 11 go together."""
    first, second = _by_kind(new), _by_kind(old)
    if "time" in first and "time" in second:
        days = (first.keys() | second.keys()) - {"time"}
        if any(first.get(kind) != second.get(kind) for kind in days):
            return False
    return _times_differ(new, old)


def _by_kind(parts: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for part in parts.split(_APART):
        kind, _, content = part.partition(":")
        if kind == "month":
            kind, content = "date", f"????-{content}"
        found.setdefault(kind, []).append(content)
    return found


def _same_time(a: str, b: str) -> bool:
    """Whether one may be the other, said less exactly: 5 March and 5 March 2026."""
    if a[:4] == "????" or b[:4] == "????":
        a, b = a[4:], b[4:]
    shorter, longer = sorted((a, b), key=len)
    return a == b or longer.startswith((f"{shorter}-", f"{shorter}:"))


def _values_differ(new: str, old: str) -> bool:
    first, *periods = new.split(_APART)
    second, *others = old.split(_APART)
    if periods and others and periods != others:
        return False
    kind, _, content = first.partition(":")
    other_kind, _, other_content = second.partition(":")
    if kind != other_kind:
        numeric = {kind, other_kind} <= {"number", "version"}
        return numeric and not _begins(content, other_content)
    if kind == "version":
        return not _begins(content, other_content)
    if kind == "quantity":
        return _quantities_differ(content, other_content)
    return content != other_content


def _quantities_differ(a: str, b: str) -> bool:
    """Whether two amounts of one dimension are not the same: 512 MB and 1 GB."""
    number, _, unit = a.rpartition(" ")
    other_number, _, other_unit = b.rpartition(" ")
    if unit == other_unit:
        return number != other_number
    dimension, factor = _DIMENSIONS.get(unit, (unit, 1.0))
    other_dimension, other_factor = _DIMENSIONS.get(other_unit, (other_unit, 1.0))
    if dimension != other_dimension:
        return False
    try:
        one, two = float(number) * factor, float(other_number) * other_factor
    except ValueError:  # "±5", "one and a half"
        return False
    # 1 GB may be 1000 MB or 1024.
    return not isclose(one, two, rel_tol=_ROUGHLY)


_ROUGHLY: Final = 0.05
#: Unit to its dimension and how many of the smallest it is.
_DIMENSIONS: Final = {
    unit: (dimension, factor)
    for dimension, units in {
        "data": {"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "pb": 1e15},
        "time": {
            "ms": 1e-3,
            "s": 1.0,
            "second": 1.0,
            "min": 60.0,
            "h": 3600.0,
            "d": 86400.0,
            "day": 86400.0,
            "week": 604800.0,
        },
        "length": {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "meter": 1.0, "km": 1e3},
        "weight": {"mg": 1e-3, "g": 1.0, "kg": 1e3},
    }.items()
    for unit, factor in units.items()
}


def _begins(a: str, b: str) -> bool:
    """Whether one version is the other, said less exactly: 3.11 and 3.11.4."""
    one, two = a.split("."), b.split(".")
    shorter = min(len(one), len(two))
    return one[:shorter] == two[:shorter]


_SHORTEST_BEGINNING: Final = 4


def _words_differ(new: str, old: str) -> bool:
    one, two = set(new.split()), set(old.split())
    shorter, longer = sorted((one, two), key=len)
    if not shorter or all(any(_same_word(w, other) for other in longer) for w in shorter):
        return False
    return not (_is_initials(new, old) or _is_initials(old, new))


def _same_word(a: str, b: str) -> bool:
    if a == b:
        return True
    shorter, longer = sorted((a, b), key=len)
    return len(shorter) >= _SHORTEST_BEGINNING and longer.startswith(shorter)


def _is_initials(short: str, long: str) -> bool:
    words = long.split()
    return len(words) > 1 and short == "".join(word[0] for word in words)


#: By kind, whether two objects that are not equal exclude each other.
_DIFFER: Final[Mapping[Kind, Callable[[str, str], bool]]] = {
    Kind.TIME: _times_differ,
    Kind.HOURS: _hours_differ,
    Kind.VALUE: _values_differ,
    Kind.ANY: _any_differ,
    Kind.CONTACT: _contacts_differ,
    Kind.STATE: str.__ne__,
}
