"""What in a value should not be handed around (R-46): credentials, numbers, addresses.

A value is read as one text: each leaf on a line of its own, behind the name it has there if
the name tells something ("pin: 4321" for `{"pin": 4321}`). So a shape is written down once,
for sentences and for fields alike, and a text is passed over a few times whatever its form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from attrs import frozen

from loom.model.json_values import Json
from loom.model.sensitivity import HIGH, MEDIUM
from loom.text.contacts import has_email, is_phone
from loom.text.credentials import has_credential
from loom.text.personal_numbers import (
    digit_runs,
    has_card,
    has_social_security_number,
    iban_spans,
)
from loom.text.stated_pins import has_pin
from loom.text.told_secrets import has_told_secret
from loom.text.undisguised import undisguised

__all__ = ["LEVEL_OF_KIND", "Found", "detect"]

#: From what may be found to how sensitive it is, the most sensitive first.
LEVEL_OF_KIND: Final = {
    "credential": HIGH,
    "card": HIGH,
    "us_ssn": HIGH,
    "pin": HIGH,
    "email": MEDIUM,
    "phone": MEDIUM,
    "iban": MEDIUM,
}

#: Stands between two leaves; no value has it (R-10), so no shape reaches over it.
_BARRIER: Final = "\x00"
#: Names that say what a bare value is.
_TELLING: Final = re.compile(
    r"pass|pwd|secret|token|key|cred|\bpin|code|combination|ssn|social|phone|mobile|cell|\btel"
    r"|whatsapp|\bfax|sms|card|visa|cv[vc]|auth|\bcc\b|mnemonic|phrase|kennwort|senha|gpio"
    r"|contraseña|пароль|密码|密碼|パスワード|비밀번호|hasło|wachtwoord"
)
_NAMING: Final = ("name", "key", "field", "label", "title")
_LONGEST_NAME: Final = 64
#: From here on, numbers have more digits than any that is looked for.
_LARGEST: Final = 10**20


@frozen(kw_only=True, slots=True)
class Found:
    """What a value holds, and how sensitive that makes it."""

    #: `high`, `medium`, or empty if nothing was found.
    level: str = ""
    #: Keys of `LEVEL_OF_KIND`, in its order, each once.
    kinds: tuple[str, ...] = ()


_NOTHING: Final = Found()


def detect(value: Json, memory_key: str) -> Found:
    """What is sensitive in a value.

    Args:
        value: any JSON value; every text, number and name in it is looked at.
        memory_key: tells what a bare value is, as `user/wifi/password` does; it is not
            searched itself.

    >>> detect("My card is 4111 1111 1111 1111.", "user/card")
    Found(level='high', kinds=('card',))
    >>> detect("Write to ana@example.org.", "user/contact").kinds
    ('email',)
    >>> detect("Deploys happen on Tuesdays.", "team/deploys").level
    ''
    """
    text = undisguised(_BARRIER + _BARRIER.join(_lines(value, memory_key)))
    kinds = _kinds_in(text)
    if not kinds:
        return _NOTHING
    ordered = tuple(kind for kind in LEVEL_OF_KIND if kind in kinds)
    return Found(level=LEVEL_OF_KIND[ordered[0]], kinds=ordered)


def _kinds_in(text: str) -> set[str]:
    folded = text.lower()
    found = _kinds_of_numbers(text, folded)
    if has_credential(text, folded) or has_told_secret(text, folded):
        found.add("credential")
    if has_pin(text, folded):
        found.add("pin")
    if has_email(text, folded):
        found.add("email")
    return found


def _kinds_of_numbers(text: str, folded: str) -> set[str]:
    runs = digit_runs(text)
    accounts = list(iban_spans(folded))
    found = {"iban"} if accounts else set()
    for start, stop in runs:
        if not any(first < stop and start < last for first, last in accounts):
            kind = _kind_of_run(text, folded, start, stop)
            if kind:
                found.add(kind)
    return found


def _kind_of_run(text: str, folded: str, start: int, stop: int) -> str:
    if has_card(text, folded, start, stop):
        return "card"
    if has_social_security_number(text, folded, start, stop):
        return "us_ssn"
    return "phone" if is_phone(text, folded, start, stop) else ""


def _lines(value: Json, memory_key: str) -> Iterator[str]:
    """The leaves and the names in a value, each leaf behind a name that tells something."""
    waiting: list[tuple[tuple[str, ...], Json]] = [
        (tuple(memory_key.split("/")[-2:]), value)
    ]
    while waiting:
        names, item = waiting.pop()
        if isinstance(item, dict):
            yield from item
            waiting.extend(_fields(names, item))
        elif isinstance(item, list):
            waiting.extend((names, one) for one in reversed(item))
        else:
            leaf = _leaf(item)
            if leaf:
                yield _prefix(names) + leaf


def _fields(
    names: tuple[str, ...], item: dict[str, Json]
) -> Iterator[tuple[tuple[str, ...], Json]]:
    """The fields under their names; a value beside its name in a field goes by that."""
    for name in reversed(item):
        said = name
        if name == "value":
            naming = (item.get(field) for field in _NAMING)
            said = next((n for n in naming if isinstance(n, str)), name)
        yield (*names[-1:], said), item[name]


def _leaf(item: Json) -> str:
    if isinstance(item, str):
        return item
    if isinstance(item, bool) or not isinstance(item, int | float):
        return ""
    if abs(item) >= _LARGEST:
        return ""
    return str(int(item) if isinstance(item, float) and item.is_integer() else item)


@lru_cache(maxsize=512)
def _prefix(names: tuple[str, ...]) -> str:
    """The names as words before a colon, if they tell what a value is; else nothing."""
    words = undisguised(" ".join(name[-_LONGEST_NAME:] for name in names))
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[\W_]+", " ", words).strip().lower()
    return f"{words}: " if _TELLING.search(words) else ""
