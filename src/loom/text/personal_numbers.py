"""Numbers that belong to one person: payment cards, US Social Security numbers, IBANs.

All of them are looked for in the runs of digits of a text. A run is read whole, so that
neither a part of a longer number nor a row of numbers is taken for one of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from loom.text.checksums import iban_length, is_card_number, is_iban

__all__ = [
    "digit_runs",
    "has_card",
    "has_social_security_number",
    "iban_spans",
    "is_listed",
]

_RUN: Final = re.compile(r"[0-9][0-9 ().\-/]{5,}[0-9]")
_LEADING: Final = re.compile(r"[0-9]+")
_GAP: Final = re.compile(r"[^0-9]+")
#: Groups as they are printed on cards, wherever they stand in a longer run.
_PRINTED: Final = re.compile(
    r"(?<![0-9])(?=((?:"
    r"[0-9]{4}([ ./-]{1,3})[0-9]{4}\2[0-9]{4}\2[0-9]{4}(?:\2[0-9]{3})?"
    r"|[0-9]{4}([ ./-]{1,3})[0-9]{6}\3[0-9]{4,5}"
    r"|(?<![0-9][.])[0-9]{13,19}(?![.][0-9])"
    r")(?![0-9])))"
)
_CARD_WORD: Final = re.compile(
    r"card|visa|master|amex|american express|discover|maestro|diners|\bcc\b|\bpan\b"
)
_TRADE_WORD: Final = re.compile(r"\b(?:ean|gtin|isbn|upc|barcode)\b")
#: What an issuer of other numbers calls them, right before the number.
_LISTED: Final = re.compile(
    r"(?:order|invoice|part|sku|ticket|case|model|serial|tracking|item|product|parcel"
    r"|reference|ref|rma|issue|build|version|release|imei|isbn|ean|uuid|id|job|task|run|error)s?"
    r"(?:[ _-](?:no|nr|number|id|code))?[.:=# \"'(]{0,4}\Z"
)
_SSN: Final = re.compile(
    r"(?<![0-9A-Za-z./-])([0-9]{3})([- ])([0-9]{2})\2([0-9]{4})(?![0-9A-Za-z]|[-./][0-9])"
)
_SSN_WORD: Final = re.compile(r"\bssn\b|social[ _-]?security|\bsoc\.? sec|\bss#")
#: Two letters and two digits, found by the digits, which are rarer.
_IBAN_START: Final = re.compile(r"[0-9](?<=[^a-z0-9][a-z][a-z][0-9])[0-9](?=[ -]?[a-z0-9])")
_IBAN_BODY: Final = re.compile(r"[a-z]{2}[0-9]{2}(?:[ -]?[a-z0-9]){11,29}+")
_NEAR: Final = 40
_SSN_DIGITS: Final = 9
_SHORTEST_CARD: Final = 13
_LONGEST_CARD: Final = 19
_LONGEST_RUN_OF_ONE_CARD: Final = _LONGEST_CARD + 3 * (_LONGEST_CARD - 1)
_EXPIRY_OR_CODE: Final = re.compile(
    r"[ ./-]{1,3}(?:(?:0[1-9]|1[0-2])[23][0-9]|[0-9]{1,3})\b"
)


def digit_runs(text: str) -> list[tuple[int, int]]:
    """Where at least seven digits stand together, but for separators; start and stop."""
    return [found.span() for found in _RUN.finditer(text)]


def is_listed(folded: str, start: int) -> bool:
    """Whether the number that begins at `start` is called an order's, a part's and so on."""
    return bool(_LISTED.search(folded, max(0, start - 24), start))


def has_card(text: str, folded: str, start: int, stop: int) -> bool:
    """Whether there is a payment card's number in a run of digits.

    Args:
        text: undisguised.
        folded: the same in lower case, of the same length.
        start: of a run of digits.
        stop: behind it.
    """
    begin, end = _unattached(text, start, stop)
    if end - begin < _SHORTEST_CARD:
        return False
    run = text[begin:end]
    return any(_is_believed(card, folded, start) for card in _card_numbers(run))


def _card_numbers(run: str) -> Iterator[str]:
    """The digits of what may be cards in a run: its whole, or groups as they are printed."""
    if len(run) <= _LONGEST_RUN_OF_ONE_CARD and _is_spelled_freely(run):
        yield _GAP.sub("", run)
    for found in _PRINTED.finditer(run):
        digits = _GAP.sub("", found[1])
        if is_card_number(digits, is_told=True) and _stands_alone(
            run, *found.span(1), found[2]
        ):
            yield digits


def _is_believed(digits: str, folded: str, start: int) -> bool:
    """Whether the words before a number, or its length, agree that it is a card's."""
    if not is_card_number(digits, is_told=True):
        return False
    near = folded[max(0, start - _NEAR) : start]
    if _CARD_WORD.search(near):
        return True
    return is_card_number(digits) and not _TRADE_WORD.search(near)


def _unattached(text: str, start: int, stop: int) -> tuple[int, int]:
    """The run without groups of digits that letters are attached to."""
    if start and text[start - 1].isalnum():
        found = _LEADING.match(text, start, stop)
        start = found.end() if found else start
    if stop < len(text) and text[stop].isalnum():
        while stop > start and text[stop - 1].isdecimal():
            stop -= 1
    return start, stop


def _is_spelled_freely(run: str) -> bool:
    """Whether the whole run may be one number, with spaces and dashes wherever they are."""
    gaps = _GAP.findall(run)
    if len(run) - sum(map(len, gaps)) > _LONGEST_CARD:
        return False
    return not any(g.strip(" -") or len(g) > 3 for g in gaps) and not _is_counted(
        _GAP.split(run)
    )


def _is_counted(groups: list[str]) -> bool:
    """Whether many groups are a list of growing or shrinking numbers."""
    numbers = [int(g) for g in groups if g]
    ordered = sorted(numbers)
    return len(set(numbers)) >= 6 and numbers in (ordered, ordered[::-1])


def _stands_alone(run: str, start: int, stop: int, gap: str | None) -> bool:
    """Whether a printed number is not four groups out of a longer row of such groups."""
    if not gap:
        return True
    if re.search(rf"[0-9]{{4}}{re.escape(gap)}\Z", run[max(0, start - 8) : start]):
        return False
    rest = run[stop : stop + 8]
    return not rest.startswith(gap) or bool(_EXPIRY_OR_CODE.match(rest))


def has_social_security_number(text: str, folded: str, start: int, stop: int) -> bool:
    """Whether there is a US Social Security number in a run of digits.

    Nine digits without separators need the words beside them.
    """
    digits = _GAP.sub("", text[start:stop])
    if len(digits) < _SSN_DIGITS:
        return False
    window = folded[max(0, start - _NEAR) : start] + "\n" + folded[stop : stop + 20]
    is_told = bool(_SSN_WORD.search(window))
    for found in _SSN.finditer(text, start, min(len(text), stop + 2)):
        is_whole = found.span() == (start, stop)
        if (
            _is_issued(found[1] + found[3] + found[4])
            and (is_told or found[2] == "-" or is_whole)
            and (is_told or not is_listed(folded, found.start()))
        ):
            return True
    return is_told and len(digits) == _SSN_DIGITS and _is_issued(digits)


def _is_issued(digits: str) -> bool:
    """Whether area, group and serial number are ones that are given to people."""
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    return (
        area not in ("000", "666")
        and not area.startswith("9")
        and group != "00"
        and serial != "0000"
    )


def iban_spans(folded: str) -> Iterator[tuple[int, int]]:
    """Where the numbers of bank accounts stand; start and stop.

    Args:
        folded: an undisguised text in lower case, with a character before its first.
    """
    reached = 0
    for found in _IBAN_START.finditer(folded):
        start = found.start() - 2
        stop = _iban_stop(folded, start) if start >= reached else 0
        if stop:
            reached = stop
            yield start, stop


def _iban_stop(folded: str, start: int) -> int:
    """The end of the account number that begins at `start`; 0 if there is none.

    Words may follow after a space, so the length of the country's numbers decides.
    """
    length = iban_length(folded[start : start + 2])
    body = _IBAN_BODY.match(folded, start) if length else None
    if body is None:
        return 0
    number = body[0].replace(" ", "").replace("-", "")[:length]
    if not is_iban(number):
        return 0
    stop = start + _written(body[0], length)
    return 0 if folded[stop : stop + 1].isalnum() else stop


def _written(text: str, length: int) -> int:
    """How many characters of the text hold so many letters and digits."""
    kept = 0
    for index, character in enumerate(text, start=1):
        kept += character.isalnum()
        if kept == length:
            return index
    return len(text)
