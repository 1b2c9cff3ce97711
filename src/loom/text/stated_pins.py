"""Personal identification numbers that a text states, and codes that are used like one.

Four to eight digits are a PIN only by what is said of them: "my PIN is ...", "PIN: ...",
"... is the door code". A pin of a connector, a pin on a map, a thing that is pinned and the
postal PIN code of India share the word and are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from loom.text.anchors import places

__all__ = ["has_pin"]

_DIGITS: Final = (
    r"(?:[0-9]{4,8}|[0-9](?:[ .-][0-9]){3,7}|[0-9]{2,3}[ -][0-9]{2,3}(?:[ -][0-9]{2})?)"
)
_WORD_DIGIT: Final = "(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)"
_SPOKEN: Final = rf"{_WORD_DIGIT}(?:[ ,-]{{1,2}}{_WORD_DIGIT}){{3,7}}"
#: From a word to what must stand at its place for it to name such a number.
_NOUNS: Final = {
    "pin": re.compile(r"(?<![a-z0-9])pin"),
    "code": re.compile(
        r"(?:(?<=pass)|(?<=door[ -])|(?<=gate[ -])|(?<=alarm[ -])|(?<=lock[ -])|(?<=entry[ -])"
        r"|(?<=garage[ -])|(?<=keypad[ -])|(?<=safe[ -])|(?<=security[ -])|(?<=access[ -])"
        r"|(?<=lockbox[ -])|(?<=building[ -])|(?<=voicemail[ -])|(?<=screen[ -]))code"
    ),
    "combination": re.compile(
        r"(?:(?<=safe[ -])|(?<=lock[ -])|(?<=locker[ -])|(?<=lockbox[ -])|(?<=vault[ -]))"
        r"combination"
    ),
}
#: What may stand between the noun and its number, before "is" or a colon.
_SCOPE: Final = r"(?: (?:for|of|on|to|at|in|i|we|you|he|she|they|that|which)(?: [a-z'’-]{1,20}+){1,6}?)?"
_PLAIN_KIND: Final = r"(?:[ -]?(?:code|number|num|no\.?|nr\.?|value|#))?"
_ASSIGNED: Final = (
    r"(?: ?\([^()\n\x00]{1,30}\))?[\"'`]? ?"
    r"(?::|={1,2}|->|=>|- |#|(?:still |now )?(?:is|was|will be|are|'s)\b"
    r"|(?:(?:is|was|has been|got) )?(?:changed|set|reset|updated) to\b)"
    r"(?: (?:still|now|again|always))?[: ]{0,2}[\"'`(]?"
)
_STATED: Final = re.compile(
    rf"(?P<plural>s?){_PLAIN_KIND}{_SCOPE}{_ASSIGNED}(?P<pin>{_DIGITS})"
)
_STATED_IN_WORDS: Final = re.compile(
    rf"(?P<plural>s?){_PLAIN_KIND}{_SCOPE}{_ASSIGNED}(?P<pin>{_SPOKEN})"
)
_DIGIT: Final = re.compile("[0-9]")
#: Without anything between them: said of one's own, or with the kind of number named.
_BESIDE: Final = re.compile(r"(?P<kind> (?:code|number|no\.?|nr\.?))? (?P<pin>[0-9]{4,6})")
_OWNED: Final = re.compile(
    r"\b(?:my|our|the|his|her|their|card|phone|sim|bank|atm|debit|credit|account|login) \Z"
)
#: `PIN 4821`, in capitals: more than a word that happens to stand before a number.
_CAPITAL: Final = re.compile(r"PIN[:-]? ?(?P<pin>[0-9]{4,5})(?![0-9])")
_REVERSED: Final = re.compile(
    rf"(?<![0-9])(?P<pin>{_DIGITS}) (?:is|as) (?:my|our|the|his|her|their|[a-z]+'s) (?:[a-z]+ )"
    r"{0,2}[a-z-]{0,12}\Z"
)
_CARD_CODE: Final = re.compile(
    r"(?<![a-z])(?:cvv2?|cvc2?|cv2)(?: ?(?:code|number|no\.?))?"
    r"[\"'`]? ?(?:is|:|=|-)?[: ]{0,2}[\"'`]?(?P<pin>[0-9]{3,4})(?![0-9])"
)
_HARDWARE: Final = re.compile(
    r"gpio|connector|header|pinout|solder|volt|chip|board|jumper|socket|fpga|arduino|\bled\b"
    r"|raspberry|microcontroller|bowling|\bsewing|rolling|uart|\bbga\b|firmware|tumbler"
)
_POSTAL: Final = re.compile(
    r"area|address|street|road|nagar|district|city|state\b|delhi|mumbai|bangalore|bengaluru"
    r"|chennai|kolkata|pune|hyderabad|india|post|zip|locality|village|deliver|ship"
)
_COUNTED: Final = re.compile(
    r"[.,:/-]?[0-9]|[a-z_%°$€£]| ?(?:mm|cm|m|km|ms|s|v|mv|volts?|ohms?|hz|rpm|bytes?|kb|mb|bits?"
    r"|years?|days?|hours?|minutes?|pieces|pcs|people|followers|times|usd|eur|euros?|dollars?"
    r"|characters|digits|points|miles|meters|metres|feet|users|rows|items)\b"
    r"| [a-z]+(?: [a-z]+)? (?:street|st|road|rd|avenue|ave|lane|boulevard|blvd)\b"
)
_PLURAL_COUNT: Final = re.compile(r" (?!and\b|or\b)[a-z]")


def has_pin(text: str, folded: str) -> bool:
    """Whether the text states a PIN, a code that opens something, or the code of a card.

    Args:
        text: undisguised.
        folded: the same in lower case, of the same length.
    """
    for word, pattern in _NOUNS.items():
        if word not in folded:
            continue
        for place in places(folded, word):
            noun = pattern.match(folded, place)
            if noun is not None and _states(text, folded, noun):
                return True
    return "cv" in folded and _has_card_code(folded)


def _states(text: str, folded: str, noun: re.Match[str]) -> bool:
    start, stop = noun.span()
    found = _STATED_IN_WORDS.match(folded, stop)
    if found is not None and _is_pin(folded, start, found):
        return True
    if not _DIGIT.search(folded, max(0, start - 60), stop + 90):
        return False
    return any(
        found is not None and _is_pin(folded, start, found)
        for found in _in_digits(text, folded, start, stop)
    )


def _in_digits(
    text: str, folded: str, start: int, stop: int
) -> Iterator[re.Match[str] | None]:
    """Where the number of a noun may stand: after what leads to it, beside it, before it."""
    yield _STATED.match(folded, stop)
    beside = _BESIDE.match(folded, stop)
    if beside and (beside["kind"] or _OWNED.search(folded, max(0, start - 9), start)):
        yield beside
    if not text[max(0, start - 12) : start].rstrip().isupper():
        yield _CAPITAL.match(text, start)
    window = folded[max(0, start - 60) : start]
    if (" is " in window or " as " in window) and not folded[stop : stop + 1].isalnum():
        yield _REVERSED.search(folded, max(0, start - 60), start)


def _is_pin(folded: str, start: int, found: re.Match[str]) -> bool:
    """Whether the number that was found is one that opens something.

    Args:
        folded: the text.
        start: where the noun begins.
        found: the number, as `pin`, and what leads to it from the noun.
    """
    first, last = found.span("pin")
    if found.re is not _REVERSED and _COUNTED.match(folded, last):
        return False
    if found.groupdict().get("plural") and _PLURAL_COUNT.match(folded, last):
        return False
    near = folded[max(0, min(start, first) - 60) : last]
    if _HARDWARE.search(near) or _HARDWARE.search(folded, last, last + 40):
        return False
    return not (_is_postal_length(found["pin"]) and _POSTAL.search(near))


def _is_postal_length(pin: str) -> bool:
    digits = re.sub("[^0-9]", "", pin)
    return len(digits) == 6 and digits[0] != "0"


def _has_card_code(folded: str) -> bool:
    return any(
        not _COUNTED.match(folded, found.end())
        for place in places(folded, "cv")
        if (found := _CARD_CODE.match(folded, place)) is not None
    )
