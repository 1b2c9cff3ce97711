"""Numbers that prove themselves: payment cards and bank accounts, by their check digits."""

from __future__ import annotations

import string
from typing import Final

__all__ = ["iban_length", "is_card_number", "is_iban", "passes_luhn"]

_DIGIT: Final = bytes((b - 48) % 256 for b in range(256))
_DOUBLED: Final = bytes(sum(divmod(2 * ((b - 48) % 10), 10)) for b in range(256))
_SHORTEST_CARD: Final = 13
_LONGEST_CARD: Final = 19

#: First and last prefix of an issuer, and how long its numbers are.
_ISSUERS: Final = (
    ("4", "4", (13, 16, 19)),  # Visa
    ("51", "55", (16,)),  # Mastercard
    ("2221", "2720", (16,)),  # Mastercard
    ("34", "34", (15,)),  # American Express
    ("37", "37", (15,)),  # American Express
    ("6011", "6011", (16, 17, 18, 19)),  # Discover
    ("644", "649", (16, 17, 18, 19)),  # Discover
    ("65", "65", (16, 17, 18, 19)),  # Discover, RuPay
    ("62", "62", (16, 17, 18, 19)),  # UnionPay
    ("3528", "3589", (16, 17, 18, 19)),  # JCB
    ("300", "305", (14, 16, 19)),  # Diners Club
    ("3095", "3095", (14, 16, 19)),  # Diners Club
    ("36", "36", (14, 16, 19)),  # Diners Club
    ("38", "39", (14, 16, 19)),  # Diners Club
    ("2200", "2204", (16, 17, 18, 19)),  # Mir
    ("60", "60", (16,)),  # RuPay, Hipercard
    ("81", "82", (16,)),  # RuPay
    ("50", "50", (16,)),  # Maestro, Dankort, Verve, Elo
    ("56", "58", (16,)),  # Maestro
    ("6304", "6304", (16, 18, 19)),  # Maestro
    ("637", "639", (16,)),  # InstaPayment, Maestro
    ("67", "67", (16, 18, 19)),  # Maestro
    ("9792", "9792", (16,)),  # Troy
)

#: How long the account numbers of a country are (IBAN registry).
_IBAN_LENGTHS: Final = {
    country: length
    for length, countries in {
        15: "NO",
        16: "BE",
        18: "DK FK FI FO GL NL SD",
        19: "MK SI",
        20: "AT BA EE KZ LT LU MN XK",
        21: "CH HR LI LV",
        22: "BG BH CR DE GB GE IE ME RS VA",
        23: "AE GI IL IQ OM SO TL",
        24: "AD CZ ES MD PK RO SA SE SK TN VG",
        25: "LY PT ST",
        26: "IS TR",
        27: "BI DJ FR GR IT MC MR SM",
        28: "AL AZ BY CY DO GT HN HU LB NI PL SV",
        29: "BR EG PS QA UA",
        30: "JO KW MU YE",
        31: "MT SC",
        32: "LC",
        33: "RU",
    }.items()
    for country in countries.split()
}


_VALUES: Final = {c: str(int(c, 36)) for c in string.digits + string.ascii_uppercase}


def passes_luhn(digits: str) -> bool:
    """Whether the last digit is the check digit of the others (ISO/IEC 7812).

    >>> passes_luhn("79927398713"), passes_luhn("79927398710")
    (True, False)
    """
    raw = digits.encode()
    plain = sum(raw[::-2].translate(_DIGIT))
    doubled = sum(raw[-2::-2].translate(_DOUBLED))
    return (plain + doubled) % 10 == 0


def is_card_number(digits: str, *, is_told: bool = False) -> bool:
    """Whether the digits are a payment card's: an issuer's prefix and a true check digit.

    Args:
        digits: ASCII digits, without separators.
        is_told: the words beside it speak of a card, so that a length its issuer is not
            known for is believed.

    >>> is_card_number("4111111111111111"), is_card_number("4111111111111112")
    (True, False)
    """
    if not _SHORTEST_CARD <= len(digits) <= _LONGEST_CARD:
        return False
    return passes_luhn(digits) and _has_issuer(digits, is_told=is_told)


def _has_issuer(digits: str, *, is_told: bool) -> bool:
    return any(
        first <= digits[: len(first)] <= last and (is_told or len(digits) in lengths)
        for first, last, lengths in _ISSUERS
    )


def iban_length(country: str) -> int:
    """How many letters and digits the account numbers of a country have; 0 for no country.

    >>> iban_length("gb"), iban_length("XX")
    (22, 0)
    """
    return _IBAN_LENGTHS.get(country.upper(), 0)


def is_iban(text: str) -> bool:
    """Whether the text is a bank account's number: its country's length, a true checksum.

    Args:
        text: letters and digits, without separators.

    >>> is_iban("GB82WEST12345698765432"), is_iban("GB82WEST12345698765433")
    (True, False)
    """
    number = text.upper()
    if _IBAN_LENGTHS.get(number[:2]) != len(number) or not number[2:4].isdecimal():
        return False
    if not (number.isascii() and number.isalnum()):
        return False
    moved = map(_VALUES.__getitem__, number[4:] + number[:4])
    return int("".join(moved)) % 97 == 1
