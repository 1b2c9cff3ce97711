"""What kind of letter a character is: which scripts write words without spaces.

Chinese, Japanese, Thai, Lao, Khmer, Burmese and Tibetan put no spaces between words, and
Korean joins particles to them; there a word cannot be found by splitting at spaces. The
ranges are blocks of Unicode, whole, so that a new letter in a block is already right.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

__all__ = ["DENSE", "is_dense", "is_mark", "units_of"]

#: Character class of the scripts without spaces, for use inside `[...]`.
DENSE: Final = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u0f00-\u0fff"  # Tibetan
    "\u1000-\u109f\uaa60-\uaa7f\ua9e0-\ua9ff"  # Burmese
    "\u1780-\u17ff"  # Khmer
    "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"  # Hangul
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b"  # radicals, iteration marks
    "\u3040-\u30ff\u3100-\u312f\u31a0-\u31ff"  # Kana, Bopomofo
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\uff66-\uff9f"  # half-width Katakana
    "\U0001aff0-\U0001b16f"  # more Kana
    "\U00020000-\U000323af"  # more Han
)
_DENSE: Final = re.compile(f"[{DENSE}]")


@lru_cache(maxsize=16_384)
def is_dense(letter: str) -> bool:
    """Whether the letter belongs to a script that writes words without spaces."""
    return _DENSE.match(letter) is not None


@lru_cache(maxsize=4_096)
def is_mark(letter: str) -> bool:
    """Whether the character is a sign on the letter before it, such as a vowel sign."""
    return unicodedata.category(letter)[0] == "M"


def units_of(run: str) -> list[str]:
    """The letters of a run, each with the signs that stand on it.

    >>> units_of("กำลัง")
    ['กำ', 'ลั', 'ง']
    """
    units: list[str] = []
    for letter in run:
        if units and (is_mark(letter) or letter in "\u0e33\u0eb3"):
            units[-1] += letter
        else:
            units.append(letter)
    return units
