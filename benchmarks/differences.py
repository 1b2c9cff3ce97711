"""Whether two sentences differ in a value, a name or a negation, by a plain look.

It shares nothing with the judge that it checks: figures, number words, denials and words
with a capital letter, each taken as a bag. It is stricter than a reader would be.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

__all__ = ["differ_in_value_name_or_negation"]

_NUMBERS: Final = {
    word: str(number)
    for number, word in enumerate(
        (
            "zero one two three four five six seven eight nine ten eleven twelve thirteen"
            " fourteen fifteen sixteen seventeen eighteen nineteen twenty"
        ).split()
    )
    if word != "one"
}
_FIGURE: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_DENIAL: Final = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|without|neither|nor|cannot)\b|n['’]t\b",
    re.IGNORECASE,
)
#: Letters that are money: of a sign, or a code of their own.
_CURRENCY: Final = re.compile(r"\b(?:[A-Z]{1,3}(?=[$€£])|(?:USD|EUR|GBP|JPY|CHF|CNY)\b)")
_WORD: Final = re.compile(r"[^\W\d_]+")
_SENTENCE_START: Final = re.compile(r"(?:\A|[.!?:\"“'‘-]\s*)\W*\w+")
_MOSTLY: Final = 0.5


def differ_in_value_name_or_negation(one: str, two: str) -> bool:
    """Whether any of the three bags differs.

    >>> differ_in_value_name_or_negation("He ran 5 km.", "He ran five km.")
    False
    >>> differ_in_value_name_or_negation("Then Ana left.", "Then Eva left.")
    True
    """
    return (
        Counter(_values(one)) != Counter(_values(two))
        or len(_DENIAL.findall(one)) != len(_DENIAL.findall(two))
        or bool(_names(one, two) or _names(two, one))
    )


def _values(text: str) -> Iterator[str]:
    for figure in _FIGURE.findall(text):
        yield figure.replace(",", "").removesuffix(".0")
    for word in _WORD.findall(text.lower()):
        if word in _NUMBERS:
            yield _NUMBERS[word]


def _names(text: str, other: str) -> set[str]:
    """Words with a capital inside a sentence that the other text does not have at all."""
    text = _CURRENCY.sub("", text)
    spelled = _WORD.findall(text)
    capitals = [word for word in spelled if word[0].isupper()]
    if len(capitals) > _MOSTLY * len(spelled):
        return set()  # a heading: capitals say nothing there
    inside = _WORD.findall(_SENTENCE_START.sub(" ", text))
    has = {word.lower() for word in _WORD.findall(other)}
    return {word for word in inside if word[0].isupper() and word.lower() not in has}
