"""How values are written: one pattern of named alternatives.

The name of the alternative that matched says what was found; `values` reads its content.
The order of the alternatives matters: at any place the first that fits wins, so an address
is no row of numbers and a date is no subtraction.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from loom.text.quantities import (
    CURRENCIES,
    MAGNITUDES,
    MONTHS,
    NUMBERS,
    ORDINALS,
    UNITS,
    WEEKDAYS,
)

__all__ = ["MONEY_SIGN", "MONEY_WORD", "NUMBER", "UNIT", "value_pattern"]

NUMBER: Final = r"\d{1,3}(?:\.\d{3})+,\d+|\d+,\d{1,2}(?!\d)|(?:\d{1,3}(?:[,\u202f'’]\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+"
_SIGN: Final = r"(?<![\w.)\]])[-−+±]"
_WORD_NUMBER: Final = "|".join(sorted(NUMBERS, key=len, reverse=True))
_SCALE: Final = "|".join(MAGNITUDES)
_MONTH: Final = "|".join(sorted(MONTHS, key=len, reverse=True))
_WEEKDAY: Final = "|".join(sorted(WEEKDAYS, key=len, reverse=True))
MONEY_SIGN: Final = r"(?:us\$|a\$|c\$|[$€£¥₹₩₽₿₺₴₫฿₪₱])"
MONEY_WORD: Final = "|".join(
    re.escape(w) for w in sorted(CURRENCIES, key=len, reverse=True) if w.isalpha()
)
UNIT: Final = "|".join(re.escape(u) for u in sorted(UNITS, key=len, reverse=True))
_AMPM: Final = r"(?:[ap]m|[ap]\.m\.?)"
_YEAR: Final = r"(?:1[5-9]\d\d|20\d\d)"
_DAY: Final = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_FIGURE: Final = rf"(?:(?:{_SIGN})?(?:{NUMBER}))"

#: In order: the first that fits at a place wins.
_PATTERNS: Final = {
    "url": r"(?:https?|ftp|file|s3|gs|git|ssh|postgres(?:ql)?|redis)://[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]}]",
    "email": r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    "uuid": r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
    "ip": r"(?<![\w.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?:[:/]\d{1,5})?(?![\w.]*\d)",
    "instant": (
        r"\b\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:\s?z\b|\s?[+-]\d\d:?\d\d)?"
    ),
    "iso_date": r"\b\d{4}(?P<_a>[-/.])\d\d?(?P=_a)\d\d?\b",
    "slash_date": r"\b\d\d?(?P<_b>[/.-])\d\d?(?P=_b)(?:\d{4}|\d\d)\b",
    "day_month": (
        rf"\b{_DAY}(?:\s+of)?[\s-]+(?:{_MONTH})\b\.?(?:,?[\s-]+(?:of\s+)?{_YEAR}\b)?"
    ),
    "month_day": (
        rf"\b(?:{_MONTH})\b\.?[\s-]+(?:the\s+)?{_DAY}(?!\w)(?![:.]\d)(?:,?\s+{_YEAR}\b)?"
    ),
    "month_year": rf"\b(?:{_MONTH})\b\.?,?(?:\s+of)?[\s-]+{_YEAR}\b",
    "version": r"\bv\.?\s?\d+(?:\.\w+)*(?:[-+][\w.]*\w)?\b|\b\d+\.\d+\.\d+(?:\.\d+)*(?:[-+.]?[a-z][\w.-]*\w|[a-z]\d*)?\b",
    "ampm": rf"\b\d{{1,2}}(?:[:.]\d\d(?::\d\d)?)?\s?{_AMPM}(?!\w)",
    "clock": r"(?<![\w:.])\d{1,3}:\d\d(?::\d\d)?(?:\.\d+)?(?![\w:])",
    "oclock": r"\b\d{1,2}\s?o['’]?clock\b",
    "amount": (
        rf"{MONEY_SIGN}\s?{_FIGURE}(?:[\s-]?(?:{_SCALE}|[kmb])\b)?"
        rf"|(?:{_FIGURE}|\b(?:{_WORD_NUMBER})\b)(?:[\s-]?(?:{_SCALE})|[km](?=\s))?"
        rf"(?:[\s-]?(?:{MONEY_WORD})\b|\s?[$€£¥₹₩₽₿₺₴₫฿₪₱](?!\s?\d))"
        rf"|\b(?:usd|eur|gbp|jpy|chf|cny|inr|cad|aud)\s?{_FIGURE}(?:\s?(?:{_SCALE})\b)?"
    ),
    "percent": (
        rf"(?:{_FIGURE}|\b(?:{_WORD_NUMBER})\b)(?:\s?[%٪％‰]|[\s-]?(?:percent|per\s+cent|pct)\b)"
    ),
    "fraction": r"(?<![\w/.])\d{1,3}/\d{1,4}(?![\w/])|\d*[½⅓⅔¼¾⅛]",
    "decade": r"\b\d{3}0s\b|['’]\d0s\b",
    "quantity": (
        rf"(?:{_FIGURE}(?:[\s-]?(?:{_SCALE})\b)?|\b(?:(?:{_WORD_NUMBER})\b(?:[\s-](?:{_SCALE})\b)?))"
        rf"[\s-]?(?:{UNIT})(?![\w/²³°]|['’]\w)"
    ),
    "feet": r"(?<![\w.])\d{1,3}\s?['′’]\s?(?:\d{1,2}\s?[\"″”]?)?(?![\w])|(?<![\w.])\d+(?:\.\d+)?\s?[\"″](?!\w)",
    "ordinal": rf"\b\d+(?:st|nd|rd|th)\b|\b(?:{'|'.join(ORDINALS)})\b",
    "identifier": (
        r"(?<![\w#@/.-])(?:"
        r"[#@][\w-]+"  # tags and handles
        r"|(?:~|\.{1,2})?(?:/[\w.@~+-]+){2,}/?"  # paths from a root
        r"|[a-z]:\\[^\s\"]+"
        r"|[^\W\d]\w*(?:[+]{2}|#)(?!\w)"  # C++, C#
        r"|(?=[\w./-]*\d)(?=[\w./-]*[^\W\d_])\w+(?:[./_-]\w+)*"  # letters and digits
        r"|(?:[^\W_]+_)+[^\W_]\w*|_\w+"  # snake_case
        r"|[^\W\d_]+(?:[./][^\W_]+)+(?:\(\))?"  # dotted names and paths
        r"|\.[^\W\d_]\w+"  # .env
        r")"
    ),
    "camel": r"\b[^\W\d_A-Z]+(?:[A-Z][^\W_]*)+\b",
    "number": (
        rf"{_FIGURE}(?:[\s-](?:{_SCALE})\b)?(?![\w])"
        rf"|\b(?:{_WORD_NUMBER})(?:[\s-](?:and[\s-])?(?:{_WORD_NUMBER}|{_SCALE}))*\b"
        rf"|\b(?:{_SCALE})s?\b|\b(?:half|twice|double|triple)\b"
        r"|[०-९٠-٩۰-۹০-৯๐-๙０-９]+|\d+"
    ),
    "weekday": rf"\b(?:{_WEEKDAY})\b",
    "month": rf"\b(?:{_MONTH})\b",
    "noon": r"\b(?:noon|midday|midnight)\b",
}
_CASED: Final = frozenset({"camel"})


@cache
def value_pattern() -> re.Pattern[str]:
    """The alternatives as one pattern; compiled when the first text is read."""
    return re.compile(
        "|".join(
            f"(?P<{name}>{pattern if name in _CASED else f'(?i:{pattern})'})"
            for name, pattern in _PATTERNS.items()
        )
    )
