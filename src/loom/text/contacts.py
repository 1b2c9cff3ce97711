"""How somebody is reached: the shapes of e-mail addresses and telephone numbers."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from loom.text.anchors import places
from loom.text.personal_numbers import is_listed

__all__ = ["has_email", "is_phone"]

_DOMAIN: Final = re.compile(r"@(?:[^\W_][\w-]{0,62}\.){1,8}([^\W\d_]{2,24})(?![\w@-])")
_LOCAL: Final = re.compile(r"[\w.+%'-]{1,64}\Z")
#: What stands behind an `@` in names of files and packages.
_FILE_ENDS: Final = frozenset(
    "png jpg jpeg gif svg webp ico css scss js mjs ts json map html pdf mp4 jar tgz whl".split()
)
_SPELLED: Final = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64} ?(?:[\[({] ?at ?[\])}]|\bat\b) ?[a-z0-9][a-z0-9-]{0,62}"
    r"(?: ?(?:[\[({] ?dot ?[\])}]|\bdot\b|\.) ?[a-z0-9][a-z0-9-]{0,62}){0,3}?"
    r" ?(?:[\[({] ?dot ?[\])}]|\bdot\b|\.) ?"
    r"(?:com|org|net|edu|gov|io|dev|app|ai|co|eu|de|fr|it|es|nl|ch|at|uk|us|ca|in|au|br|jp)\b"
)
_BRACKETED: Final = re.compile(r"[\[({] ?(?:at|dot) ?[\])}]")

_NATIONAL: Final = re.compile(
    r"(?<![0-9])(?:1[ .-])?(?:\([0-9]{3}\) ?|[0-9]{3}([ .-]))[0-9]{3}[ .-][0-9]{4}(?![0-9])"
)
_DIALLED_ABROAD: Final = re.compile(r"00 ?(?=[1-9][0-9]{0,2}[ .-])|011[ -](?=[1-9][0-9]? )")
_TRUNK: Final = re.compile(r"\(?0[1-9][0-9]{0,3}\)?(?:[ /.-]{1,3}[0-9]{2,8}){1,5}")
_DATE_OR_ADDRESS: Final = re.compile(
    r"(?:19|20)[0-9]{2}([-/. ])[0-9]{1,2}\1[0-9]{1,2}(?:[ ][0-9]{1,2})?"
    r"|[0-9]{1,2}([-/. ])[0-9]{1,2}\2(?:19|20)[0-9]{2}"
    r"|(?:19|20)[0-9]{2} ?- ?(?:19|20)[0-9]{2}"
    r"|[0-9]{1,3}(?:\.[0-9]{1,3}){3}"
    r"|[0-9]{1,3}(?:[ .][0-9]{3}){2}"
    r"|[0-9]{5}-[0-9]{4}"
    r"|[0-9]+\.[0-9]+"
)
_DECIMAL: Final = re.compile(r"(?<![0-9.])[0-9]{1,3}\.[0-9]{3,}(?:[ /-]|\Z)")
_TOLD: Final = re.compile(
    r"(?:(?:phone|\btel|telephone|whatsapp|\bfax|\bsms|\bdial"
    r"|\b(?:call|text|ring|reach|message) (?:me|us|him|her|them)(?: back)?(?: at| on)?"
    r"|\b(?:my|our|his|her|their|contact) number)(?:s\b)?[^0-9\n\x00]{0,30}"
    r"|(?:mobile|\bcell|\bhandy)(?:(?: (?:no\.?|nr\.?))?(?: is| at| on)?[ .]{0,2}"
    r"|[^0-9\n\x00]{0,30}[:=] ?))\(?\Z"
)
_TOLD_AFTER: Final = re.compile(
    r"[ ]?(?:\([^()\n]{0,20}\) ?)?(?:is|=) (?:my|the|our|his|her|their|[a-z]+['’]s)"
    r"(?: [a-z]+){0,2}? (?:phone|mobile|cell|telephone|whatsapp|fax)"
)
_ELSE_BETWEEN: Final = re.compile(
    r"\b(?:order|invoice|ticket|case|serial|imei|model|part|id|sku|cost|costs|price|priced"
    r"|bought|sold|since|version|build|pin|code|usd|eur|inr)\b|[$€£₹¥]"
)
_TWO_DIGIT_CODES: Final = frozenset(
    "20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62"
    " 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98".split()
)
#: The first two digits of calling codes that have three.
_THREE_DIGIT_ZONES: Final = frozenset(
    "21 22 23 24 25 26 29 35 37 38 42 50 59 67 68 69 80 85 87 88 96 97 99".split()
)


def has_email(text: str, folded: str) -> bool:
    """Whether there is an e-mail address in the text, plain or with `at` and `dot` in words.

    Logins of the form `git@host`, files (`icon@2x.png`) and handles of other networks
    (`@ana@example.social`) are none.
    """
    if "@" in text and any(_is_mailbox(text, found) for found in _DOMAIN.finditer(text)):
        return True
    return _may_be_spelled(folded) and any(
        re.search(r"[\[({] ?at|[\[({ ]dot", found[0]) for found in _SPELLED.finditer(folded)
    )


def _is_mailbox(text: str, domain: re.Match[str]) -> bool:
    if domain[1].lower() in _FILE_ENDS:
        return False
    local = _LOCAL.search(text, max(0, domain.start() - 65), domain.start())
    if local is None or not local[0].strip(".'-") or local[0] == "git":
        return False
    before = text[max(0, local.start() - 80) : local.start()]
    if before.endswith(("@", "/")):
        return False
    return not before.endswith(":") or "://" not in before.rsplit(None, 1)[-1]


def _may_be_spelled(folded: str) -> bool:
    return " dot " in folded or any(
        _BRACKETED.match(folded, place)
        for bracket in "[({"
        if bracket in folded
        for place in places(folded, bracket)
    )


def is_phone(text: str, folded: str, start: int, stop: int) -> bool:
    """Whether a run of digits is a telephone number.

    An international number begins with a plus and a calling code, a national one has its
    area code and separators; anything else needs a word such as "phone" beside it.

    Args:
        text: undisguised.
        folded: the same in lower case, of the same length.
        start: of a run of digits.
        stop: behind it.
    """
    before = text[max(0, start - 1) : start]
    if _is_attached(text, start, stop, before):
        return False
    run = text[start:stop]
    abroad = _DIALLED_ABROAD.match(run)
    if before == "+" or abroad:
        return _is_international(run[abroad.end() if abroad else 0 :])
    if _DECIMAL.search(run):
        return False
    if is_listed(folded, start):
        return False
    opened = "(" if before == "(" else ""
    if _is_national(opened + run) or _is_with_trunk_zero(opened + run):
        return True
    return _is_told(folded, start, stop, run)


def _is_attached(text: str, start: int, stop: int, before: str) -> bool:
    """Whether the run is a part of something longer: a word, a path, a decimal number."""
    if before.isalnum() or before in ("_", "@", "=", "#", "$", "€", "£", "%", "~"):
        return before != "="
    if before in (".", "-", "/", ",", ":") and text[start - 2 : start - 1].isdecimal():
        return True
    if before in (".", "-", "/") and text[start - 2 : start - 1].isalnum():
        return True
    after = text[stop : stop + 2]
    if after[:1] in ("%", "°") or (after[:1] in (",", ":", "-") and after[1:].isdecimal()):
        return True
    return after[:1].isalnum() and not (after[0] in "xX" and after[1:].isdecimal())


def _is_international(run: str) -> bool:
    digits = "".join(filter(str.isdecimal, run))
    if run.count(".") == 1 and len(run) == len(digits) + 1:
        return False  # a decimal number with its sign
    if len(digits) == len(run):
        fits = 10 <= len(digits) <= 15
    else:
        fits = 8 <= len(digits) <= 16 and not _DECIMAL.search(run)
    if not fits:
        return False
    if digits[0] == "1":
        return len(digits) == 11 and digits[1] > "1"
    return digits[0] == "7" or digits[:2] in _TWO_DIGIT_CODES | _THREE_DIGIT_ZONES


def _is_national(run: str) -> bool:
    """Three, three and four digits; with mere spaces between them only as the whole run."""
    return any(
        found[1] != " " or found.span() == (0, len(run))
        for found in _NATIONAL.finditer(run)
    )


def _is_with_trunk_zero(run: str) -> bool:
    digits = sum(map(str.isdecimal, run))
    pairs = run.split(" ")
    if all(len(p) == 2 and p.isdecimal() for p in pairs) and (
        len(pairs) != 5 or _counts(pairs)
    ):
        return False  # bytes, or counting; a number in pairs has five
    return (
        9 <= digits <= 12
        and bool(_TRUNK.fullmatch(run))
        and not _DATE_OR_ADDRESS.fullmatch(run)
    )


def _counts(groups: list[str]) -> bool:
    """Whether each group is one more than the one before it."""
    return all(int(two) - int(one) == 1 for one, two in pairwise(groups))


def _is_told(folded: str, start: int, stop: int, run: str) -> bool:
    if not 7 <= sum(map(str.isdecimal, run)) <= 15 or _DATE_OR_ADDRESS.fullmatch(run):
        return False
    if run.endswith("0000"):
        return False  # an amount
    told = _TOLD.search(folded, max(0, start - 48), start)
    if told is not None:
        return not _ELSE_BETWEEN.search(told[0])
    return bool(_TOLD_AFTER.match(folded, stop, stop + 60))
