"""The values a text states: what may not be lost when two texts are taken for one.

Numbers, times, dates, amounts, quantities, versions, addresses, identifiers (R-34). Two
spellings of a value are equal only if they surely say the same: `1,000` is 1000 and `3pm`
is 15:00, but `3.10` is not 3.1 (it may be a version) and an hour is not 60 minutes. A lost
fact is worse than a duplicate that was not seen.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Final

from attrs import field, frozen

from loom.text.quantities import (
    CURRENCIES,
    MAGNITUDES,
    MONTHS,
    NUMBERS,
    ORDINALS,
    UNITS,
    WEEKDAYS,
)
from loom.text.value_patterns import MONEY_SIGN, MONEY_WORD, NUMBER, UNIT, value_pattern

__all__ = ["Located", "StatedValue", "located_values", "values_in"]

_LONGEST_CACHED: Final = 2_000
#: Characters before a value that tell how to read it.
_CONTEXT: Final = 200


@frozen(kw_only=True, slots=True)
class StatedValue:
    """A value a text states. Equal if kind and content are, however it was written."""

    #: number, percent, ordinal, amount, quantity, time, date, month, weekday, version,
    #: url, email, ip or identifier.
    kind: str
    #: The value in the one form all its spellings share.
    content: str
    #: As written.
    text: str = field(eq=False)


@frozen(slots=True)
class Located:
    """A value and where it stands: characters from `start`, before `stop`."""

    start: int
    stop: int
    value: StatedValue


def values_in(text: str) -> tuple[StatedValue, ...]:
    """The distinct values a text states, in order of appearance.

    >>> [(v.kind, v.content) for v in values_in("v1.2.3 took 27:10, $5 or 1,000.0 kg")]
    [('version', '1.2.3'), ('time', '27:10'), ('amount', '5 USD'), ('quantity', '1000 kg')]
    >>> values_in("two at 3pm") == values_in("2 at 15:00")
    True
    """
    return tuple(dict.fromkeys(located.value for located in located_values(text)))


def located_values(text: str) -> tuple[Located, ...]:
    """The values of a text in order of appearance, repeats kept."""
    return _cached(text) if len(text) <= _LONGEST_CACHED else tuple(_scan(text))


@lru_cache(maxsize=4_096)
def _cached(text: str) -> tuple[Located, ...]:
    return tuple(_scan(text))


def _scan(text: str) -> Iterator[Located]:
    """Values begin in words that look like one; only there are the patterns tried."""
    found: re.Match[str] | None = None
    done = 0
    for word in _WORD.finditer(text):
        start, stop = word.span()
        at = max(start, done)
        while at < stop:
            if found is None or found.start() < at:
                if not _may_hold_value(text[at:stop]):
                    break
                found = value_pattern().search(text, at)
                if found is None:
                    return
            if found.start() >= stop:
                break  # kept for the word it begins in
            at = done = found.end()
            located = _read(found, text)
            if located:
                yield located


def _read(match: re.Match[str], text: str) -> Located | None:
    name = match.lastgroup or ""
    written = match.group().strip()
    stated = _READERS[name](written, text[max(0, match.start() - _CONTEXT) : match.start()])
    if stated is None:
        return None
    kind, content = stated
    start = match.start()
    value = StatedValue(kind=kind, content=content, text=written)
    return Located(start, start + len(written), value)


@lru_cache(maxsize=16_384)
def _may_hold_value(word: str) -> bool:
    core = word.strip(_EDGES)
    if _NAME_WITH_DOT.match(word.lstrip(_OPENING)):
        return True
    if any(part in _VALUE_WORDS for part in _JOINS.split(core.lower())):
        return True
    return bool(core) and not (
        _PLAIN_WORD.match(core) or (core.isalpha() and core.isupper())
    )


# ------------------------------------------------------------ where to look for a value

_WORD: Final = re.compile(r"\S+")
_EDGES: Final = "\"'“”‘’«»`.,;:!?…()[]{}"
_NAME_WITH_DOT: Final = re.compile(r"\.[^\W\d_]")
_OPENING: Final = "\"'“‘«`([{"
_JOINS: Final = re.compile("[-–'’]")
_PLAIN_WORD: Final = re.compile(r"[^\W\d_]?[^\W\d_A-Z]+(?:['’-][^\W\d_A-Z]+)?\Z")
_VALUE_WORDS: Final = frozenset(
    {*NUMBERS, *ORDINALS, *MAGNITUDES, *MONTHS, *WEEKDAYS}
    | {f"{scale}s" for scale in MAGNITUDES}
    | set("noon midday midnight half twice double triple".split())
    | {w for w in CURRENCIES if w.isalpha()}
)

# -------------------------------------------------------------------------- the readers

_Stated = tuple[str, str] | None
#: Reads what was written, given the text before it; None if it states no value there.
_Reader = Callable[[str, str], _Stated]

_FIGURES: Final = re.compile(NUMBER)
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_WORD_PARTS: Final = re.compile(r"[\s-]+")


@cache
def _unit_at_end() -> re.Pattern[str]:
    return re.compile(rf"[\s-]?({UNIT})\Z", re.IGNORECASE)


_OTHER_NAMES_OF_NUMBERS: Final = {"half": "0.5", "twice": "2", "double": "2", "triple": "3"}
_TIMES: Final = {"noon": "12:00", "midday": "12:00", "midnight": "midnight"}
#: Names of months and days that are words or names of people as well.
_AMBIGUOUS: Final = frozenset(
    {"may", "march", "mar", "dec", "sun", "sat", "mon", "wed", "second"}
)
_BEFORE_A_MONTH: Final = re.compile(
    r"(?:\b(?:in|of|by|since|until|till|last|next|this|every|each|early|late|mid|during|from"
    r"|to|through|before|after|on)|[-–,])\s*\Z",
    re.IGNORECASE,
)
_DECIMAL_COMMA: Final = re.compile(r",\d{1,2}\Z|\..*,")
_WHOLE_FRACTION: Final = re.compile(r"\.0+\Z")


def _exact(kind: str) -> _Reader:
    return lambda written, _: (kind, written.casefold())


def _url(written: str, _: str) -> _Stated:
    scheme, rest = written.split("://", 1)
    host, slash, path = rest.partition("/")
    return "url", f"{scheme.lower()}://{host.lower()}{slash}{path}".rstrip("/")


def _instant(written: str, _: str) -> _Stated:
    return "time", re.sub(r"\s", "t", written.casefold(), count=1).replace(" ", "")


def _iso_date(written: str, _: str) -> _Stated:
    year, month, day = (int(part) for part in re.split(r"[-/.]", written))
    return "date", f"{year:04}-{month:02}-{day:02}"


def _named_date(written: str, _: str) -> _Stated:
    """A day of a named month, with its year if it is given."""
    month = next(MONTHS[w] for w in _LETTERS.findall(written.lower()) if w in MONTHS)
    numbers = [int(n) for n in re.findall(r"\d+", written)]
    days = [n for n in numbers if n <= 31]
    years = [n for n in numbers if n > 31]
    year = f"{years[0]:04}" if years else "????"
    return "date", f"{year}-{month:02}-{days[0]:02}" if days else f"{year}-{month:02}"


def _version(written: str, _: str) -> _Stated:
    return "version", re.sub(r"\Av\.?\s?", "", written.casefold())


def _half_day(written: str, _: str) -> _Stated:
    """A time of twelve hours as one of twenty-four; nonsense stays as it is."""
    hour, *rest = re.findall(r"\d+", written)
    minutes = ":".join(rest) or "00"
    if not 1 <= int(hour) <= 12:
        return "time", written.casefold()
    afternoon = "p" in written.lower()
    return "time", f"{int(hour) % 12 + 12 * afternoon}:{minutes}"


def _clock(written: str, _: str) -> _Stated:
    hour, _colon, rest = written.partition(":")
    return "time", f"{int(hour)}:{rest}"


def _oclock(written: str, _: str) -> _Stated:
    return "time", f"{int(re.findall(r'[0-9]+', written)[0])} o'clock"


def _amount(written: str, _: str) -> _Stated:
    folded = written.casefold()
    money = [w for w in _money().findall(folded) if w in CURRENCIES]
    if not money:
        return None
    number = _magnified(folded.replace(money[0], " "))
    # `$2.50` is $2.5: money has no versions.
    return "amount", f"{_shortest(number)} {CURRENCIES[money[0]]}"


@cache
def _money() -> re.Pattern[str]:
    return re.compile(rf"{MONEY_SIGN}|(?:{MONEY_WORD})(?![a-z])", re.IGNORECASE)


def _percent(written: str, _: str) -> _Stated:
    per = "‰" if "‰" in written else "%"
    return (
        "percent",
        f"{_shortest(_magnified(re.split(r'[%٪％‰]|p', written, maxsplit=1)[0]))}{per}",
    )


def _quantity(written: str, _: str) -> _Stated:
    unit = _unit_at_end().search(written)
    if unit is None:
        return None
    number = _magnified(written[: unit.start()])
    return "quantity", f"{number} {UNITS[unit.group(1).lower()]}"


def _feet(written: str, before: str) -> _Stated:
    # The closing mark of a quotation is no sign of inches.
    if len(re.findall(r"\d+", written)) == 1 and before.count(written[-1]) % 2:
        return "number", _number_of(re.sub(r"[^\d.]", "", written))
    return "quantity", re.sub(r"[’′]", "'", re.sub(r"[”″]", '"', written)).replace(" ", "")


def _ordinal(written: str, _: str) -> _Stated:
    folded = written.casefold()
    place = ORDINALS.get(folded) or int(re.findall(r"\d+", folded)[0])
    return "ordinal", str(place)


def _number(written: str, _: str) -> _Stated:
    folded = written.casefold()
    if folded in _OTHER_NAMES_OF_NUMBERS:
        return "number", _OTHER_NAMES_OF_NUMBERS[folded]
    return "number", _magnified(folded)


def _magnified(written: str) -> str:
    """The number of `3 million`, `twenty-five`, `two hundred and five`, `1,000.0`."""
    folded = written.strip().casefold()
    figure = _FIGURES.search(folded)
    if not figure:
        return _spelled(folded)
    sign = "-" if folded[0] in "-−" else "±" if folded[0] == "±" else ""
    number = _number_of(figure.group())
    zeros = _zeros(folded[figure.end() :].strip(" -"))
    if zeros is None:
        return folded
    return sign + (_shifted(number, zeros) if zeros else number)


def _zeros(scale: str) -> int | None:
    """How many zeros a magnitude adds; None where it is no magnitude."""
    if not scale:
        return 0
    return MAGNITUDES.get(scale) or {"k": 3, "m": 6, "b": 9}.get(scale)


def _number_of(figure: str) -> str:
    if _DECIMAL_COMMA.search(figure):
        if "." not in figure:
            return figure  # one and a half, or two numbers in a list
        figure = figure.replace(".", "").replace(",", ".")
    digits = re.sub("[,\u202f'’]", "", figure)
    digits = "".join(str(unicodedata.decimal(c)) if c != "." else c for c in digits)
    whole, dot, fraction = _WHOLE_FRACTION.sub("", digits).partition(".")
    return f"{whole.lstrip('0') or '0'}{dot}{fraction}"


def _shifted(number: str, zeros: int) -> str:
    whole, _, fraction = number.partition(".")
    moved = whole + fraction[:zeros].ljust(zeros, "0")
    return _number_of(f"{moved}.{fraction[zeros:] or '0'}")


def _shortest(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number


def _spelled(words: str) -> str:
    """The number of English words, or the words themselves where they make none."""
    total = current = 0
    for word in _WORD_PARTS.split(words):
        if word in NUMBERS:
            if current % 10 or (current and NUMBERS[word] >= 10):
                hundreds = current >= 100 and current % 100 == 0
                tens = current % 100 >= 20 and current % 10 == 0
                if not (hundreds or (tens and NUMBERS[word] < 10)):
                    return words
            current += NUMBERS[word]
        elif word in MAGNITUDES and current:
            if MAGNITUDES[word] == MAGNITUDES["hundred"]:
                current *= 100
            else:
                total, current = total + current * 10 ** MAGNITUDES[word], 0
        elif word != "and":
            return words
    return str(total + current)


def _weekday(written: str, before: str) -> _Stated:
    folded = written.casefold()
    return None if _is_other_word(written, before) else ("weekday", WEEKDAYS[folded])


def _month(written: str, before: str) -> _Stated:
    folded = written.casefold()
    return None if _is_other_word(written, before) else ("month", f"{MONTHS[folded]:02}")


def _is_other_word(written: str, before: str) -> bool:
    """Whether `may`, `march`, `sat` and the like is a verb here, or `sun` the sun."""
    if written.casefold() not in _AMBIGUOUS:
        return False
    if _BEFORE_A_MONTH.search(before):
        return False
    return not written[0].isupper() or not before.strip() or before.rstrip()[-1] in ".!?"


_READERS: Final[dict[str, _Reader]] = {
    "url": _url,
    "email": _exact("email"),
    "uuid": _exact("identifier"),
    "ip": _exact("ip"),
    "instant": _instant,
    "iso_date": _iso_date,
    "slash_date": _exact("date"),
    "day_month": _named_date,
    "month_day": _named_date,
    "month_year": _named_date,
    "version": _version,
    "ampm": _half_day,
    "clock": _clock,
    "oclock": _oclock,
    "amount": _amount,
    "percent": _percent,
    "fraction": _exact("number"),
    "quantity": _quantity,
    "feet": _feet,
    "decade": lambda written, _: ("date", written.casefold().replace("’", "'")),
    "ordinal": _ordinal,
    "identifier": _exact("identifier"),
    "camel": _exact("identifier"),
    "number": _number,
    "weekday": _weekday,
    "month": _month,
    "noon": lambda written, _: ("time", _TIMES[written.casefold()]),
}
