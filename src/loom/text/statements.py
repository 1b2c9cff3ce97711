"""What two statements have to do with each other, as far as their words show it.

Cosine cannot tell an update from a duplicate: `16 GB` and `64 GB`, accepted and rejected
are closer than many a paraphrase. So whether two texts may be one is decided here, by what
they state: they may be one only if every word that matters is the same, and they contradict
only if the contradiction can be pointed at (R-33, R-34). Everything in between is left to
the judge of likeness.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import Final

from attrs import frozen

from loom.model.json_values import Json
from loom.model.readable import Readable
from loom.text.contradictions import (
    Difference,
    Slot,
    contradictions,
    names_another_subject,
    tells_of_another_thing,
)
from loom.text.opposites import opposed_words
from loom.text.paraphrase import Additions, additions
from loom.text.qualifiers import qualified_otherwise
from loom.text.reading import FUNCTION_WORDS, Reading, read
from loom.text.scripts import is_dense
from loom.text.values import StatedValue

__all__ = ["Comparison", "compare", "is_bare", "share_specifics", "share_words"]

_MOST_BARE_WORDS: Final = 3
#: About as many letters of a script without spaces make a word.
_LETTERS_A_WORD: Final = 2
#: Words of the passage in which two texts of one pattern may differ.
_LONGEST_SLOT: Final = 4
#: Words that relate other words; two texts may well use both of a pair.
_RELATIONS: Final = FUNCTION_WORDS | frozenset("before after against without near".split())
#: Content words outside it that make it a pattern.
_LEAST_SHARED: Final = 2

Sides = tuple[tuple[str, ...], tuple[str, ...]]


@frozen(kw_only=True, slots=True)
class Comparison(Readable):
    """What is the same and what differs between two texts, `a` and `b`."""

    #: Both have one canonical form (R-12).
    same_canonical: bool
    #: The same words in the same order. Articles, contractions, a fronted phrase and the
    #: spelling of a value make no difference; an ending does: a plural is a number, a past
    #: tense is a date.
    same_words: bool
    #: Values stated by a alone and by b alone, as written.
    values: Sides
    #: They deny a different number of times.
    negated: bool
    #: Words that exclude each other, met across the two: (in a, in b).
    opposed: tuple[tuple[str, str], ...]
    #: Names in a alone and in b alone.
    names: Sides
    #: Content words in a alone and in b alone, as written.
    words: Sides
    #: One sentence pattern in which one slot is filled differently.
    template: bool
    #: They begin with different subjects, so both may well hold.
    other_subject: bool
    #: Names of the rules that show a contradiction, such as `values` or `negation`.
    shown: tuple[str, ...]
    #: Content words that a and b add to one statement that both make in their own words;
    #: None if they do not. At most one of them adds any.
    added: Additions | None
    #: A contradiction is shown: what cannot be both.
    contradicts: bool

    @property
    def differs(self) -> bool:
        """Whether they differ in what is never merged: value, negation, opposite, name."""
        return bool(any(self.values) or self.negated or self.opposed or any(self.names))

    @property
    def may_be_one(self) -> bool:
        """Whether one may stand for the other (R-34)."""
        return self.same_words and not self.differs

    @property
    def restates(self) -> bool:
        """Whether both say the same, if in other words; one may add words to it."""
        return self.added is not None and not self.differs

    def reasons(self) -> tuple[str, ...]:
        """Short plain phrases, what differs first."""
        found = (
            ("values differ: " + _both(self.values)) if any(self.values) else "",
            "one is negated" if self.negated else "",
            *(f"opposed: {a} / {b}" for a, b in self.opposed),
            ("names differ: " + _both(self.names)) if any(self.names) else "",
            ("words differ: " + _both(self.words)) if any(self.words) else "",
            "one pattern, one slot differs" if self.template else "",
            "other subjects" if self.other_subject else "",
            "contradiction shown" if self.contradicts else "",
            "same canonical form" if self.same_canonical else "",
            "same words" if self.same_words and not self.same_canonical else "",
            "the same in other words" if self.restates and not self.same_words else "",
        )
        return tuple(reason for reason in found if reason)


def _both(sides: Sides) -> str:
    return " / ".join(", ".join(side) or "none" for side in sides)


def is_bare(value: Json) -> bool:
    """Whether what a value says lies in its key: no text, or at most three words (R-34).

    In scripts without spaces two letters are counted as a word.

    >>> is_bare(42), is_bare("dark mode"), is_bare("Ana likes pea soup")
    (True, True, False)
    """
    return not isinstance(value, str) or _has_few_words(value)


@lru_cache(maxsize=16_384)
def _has_few_words(value: str) -> bool:
    if value.isascii():
        # A long text is not read to its end: the fourth word settles it.
        words = (word for word in value.split() if any(map(str.isalnum, word)))
        return sum(1 for _ in islice(words, _MOST_BARE_WORDS + 1)) <= _MOST_BARE_WORDS
    letters = sum(is_dense(letter) and letter.isalpha() for letter in value)
    spaced = "".join(" " if is_dense(letter) else letter for letter in value).split()
    count = sum(any(map(str.isalnum, word)) for word in spaced)
    return count + -(-letters // _LETTERS_A_WORD) <= _MOST_BARE_WORDS


#: Shares of the words of the longer and of the shorter text; below both, nothing else need
#: be looked at. They lie below what a contradiction takes, since beginnings are rough.
_FEW_OF_LONGER: Final = 0.45
_FEW_OF_SHORTER: Final = 0.75
#: Shared words that do where both state a value, or one denies all of a kind.
_FEW_OF_SPECIFIC: Final = 2
_BEGINNING: Final = 4
_ROUGH_WORD: Final = re.compile(r"\w{3,}")
_ROUGH_VALUE: Final = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty"
    r"|thirty|forty|fifty|sixty|hundred|thousand|million)\b",
    re.IGNORECASE,
)
_ROUGH_NEVER: Final = re.compile(r"\bnever\b|\bany|\bever\b", re.IGNORECASE)


@frozen(slots=True)
class _Rough:
    """What a quick look at a text shows."""

    #: First letters of each word; none for texts whose words are not to be told.
    beginnings: frozenset[str]
    states_value: bool
    denies_all: bool


def share_words(a: str, b: str) -> bool:
    """Whether two texts have enough words in common for a contradiction to show in them.

    A rough and quick look, by the beginnings of words, that spares most unrelated texts a
    reading; true where it cannot tell.

    >>> share_words("Ana likes pea soup.", "Ana hated all soups.")
    True
    >>> share_words("Ana likes pea soup.", "The build takes ten minutes.")
    False
    """
    one, two = _rough(a), _rough(b)
    if not one.beginnings or not two.beginnings:
        return True
    shared = len(one.beginnings & two.beginnings)
    if shared < _FEW_OF_SPECIFIC:
        # Words so few that one of them is most of a text.
        return shared >= _FEW_OF_LONGER * max(len(one.beginnings), len(two.beginnings))
    if (one.states_value and two.states_value) or one.denies_all != two.denies_all:
        return True
    longer = max(len(one.beginnings), len(two.beginnings))
    shorter = min(len(one.beginnings), len(two.beginnings))
    return shared >= _FEW_OF_LONGER * longer or shared >= _FEW_OF_SHORTER * shorter


def share_specifics(a: str, b: str) -> bool:
    """Whether two texts share words, and both state a value or one denies all of a kind.

    That is what shows a contradiction in texts that are not much alike otherwise; as
    `share_words`, a rough and quick look: `b` is read only where it may matter.
    """
    one = _rough(a)
    if one.beginnings and b.isascii():
        both_state = one.states_value and _ROUGH_VALUE.search(b) is not None
        if not both_state and one.denies_all == (_ROUGH_NEVER.search(b) is not None):
            return False
    return share_words(a, b)


@lru_cache(maxsize=16_384)
def _rough(text: str) -> _Rough:
    if not text.isascii():
        # Curly quotation marks and the like leave English readable.
        text = text.translate(_PLAIN_MARKS)
        if not text.isascii():
            return _Rough(frozenset(), states_value=False, denies_all=False)
    words = _ROUGH_WORD.findall(text.lower())
    return _Rough(
        frozenset(word[:_BEGINNING] for word in words if word not in FUNCTION_WORDS),
        states_value=_ROUGH_VALUE.search(text) is not None,
        denies_all=_ROUGH_NEVER.search(text) is not None,
    )


_PLAIN_MARKS: Final = str.maketrans("‘’“”–—…", "''\"\"--.")


def compare(a: str, b: str) -> Comparison:
    """Compares two texts. Exchanging them exchanges the sides of the answer, no more.

    >>> compare("Ana likes pea soup.", "Ana hates pea soup.").contradicts
    True
    >>> compare("It took 27:10.", "It took 26:30.").reasons()[0]
    'values differ: 27:10 / 26:30'
    """
    one, two = read(a), read(b)
    if one.canonical == two.canonical:
        return _SAME
    slot = _slot(one, two)
    difference = Difference(
        values=(_values_apart(one, two), _values_apart(two, one)),
        opposed=_opposed(one, two, slot),
        negated=one.denials != two.denials,
        slot=slot,
        other_subject=names_another_subject(one, two),
        other_thing=tells_of_another_thing(one, two),
        qualified=bool(one.values and two.values) and qualified_otherwise(one, two),
    )
    same_words = one.sequence == two.sequence and one.marks == two.marks
    shown = () if same_words else contradictions(one, two, difference)
    return Comparison(
        same_canonical=False,
        same_words=same_words,
        values=(
            tuple(value.text for value in difference.values[0]),
            tuple(value.text for value in difference.values[1]),
        ),
        negated=difference.negated,
        opposed=_opposed_as_written(difference.opposed, one, two),
        names=_names_apart(one, two, slot),
        words=(_words_apart(one, two), _words_apart(two, one)),
        template=slot is not None,
        other_subject=(
            difference.other_subject or difference.other_thing or difference.qualified
        ),
        shown=shown,
        added=None if shown else _added(one, two, difference),
        contradicts=bool(shown),
    )


_SAME: Final = Comparison(
    same_canonical=True,
    same_words=True,
    values=((), ()),
    negated=False,
    opposed=(),
    names=((), ()),
    words=((), ()),
    template=False,
    other_subject=False,
    shown=(),
    added=(0, 0),
    contradicts=False,
)


def _added(one: Reading, two: Reading, difference: Difference) -> Additions | None:
    """What either adds, unless something differs that never may."""
    if any(difference.values) or difference.negated or difference.opposed:
        return None
    return additions(one, two)


def _opposed(one: Reading, two: Reading, slot: Slot | None) -> frozenset[tuple[str, str]]:
    """Opposites met across the two; of prepositions only where one stands for the other."""
    pairs = opposed_words(one.stems - two.stems, two.stems - one.stems)
    if not pairs:
        return pairs
    filled: set[tuple[str, str]] = set()
    if slot and (slot.stop_a, slot.stop_b) == (slot.start + 1, slot.start + 1):
        filled.add((one.told[slot.start].stem, two.told[slot.start].stem))
    return frozenset(pair for pair in pairs if pair in filled or not _is_relation(pair))


def _is_relation(pair: tuple[str, str]) -> bool:
    return any(word in _RELATIONS for word in pair)


def _values_apart(one: Reading, two: Reading) -> tuple[StatedValue, ...]:
    return tuple(value for value in one.values if value not in two.values)


def _words_apart(one: Reading, two: Reading) -> tuple[str, ...]:
    return tuple(
        written for stemmed, written in one.content.items() if stemmed not in two.content
    )


def _opposed_as_written(
    pairs: frozenset[tuple[str, str]], one: Reading, two: Reading
) -> tuple[tuple[str, str], ...]:
    if not pairs:
        return ()
    first = {word.stem: word.text for word in reversed(one.words)}
    second = {word.stem: word.text for word in reversed(two.words)}
    return tuple(sorted((first[word], second[other]) for word, other in pairs))


# ---------------------------------------------------------------------- names and slots


def _names_apart(one: Reading, two: Reading, slot: Slot | None) -> Sides:
    """Names that one side alone has; in one pattern, also the subjects it begins with."""
    first, second = _names_only_in(one, two), _names_only_in(two, one)
    if slot and not slot.start and not first and not second:
        subjects = _subject(one, slot.stop_a), _subject(two, slot.stop_b)
        if all(subjects):
            return subjects
    return first, second


def _names_only_in(one: Reading, two: Reading) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for key, text in one.named if key not in two.mentioned))


def _subject(reading: Reading, stop: int) -> tuple[str, ...]:
    """What a sentence begins with before `stop`, if it may be a name."""
    words = reading.told[:stop]
    named = all(w.text[0].isupper() and w.key not in FUNCTION_WORDS for w in words)
    return tuple(w.text for w in words) if named else ()


def _slot(one: Reading, two: Reading) -> Slot | None:
    """Where two texts of one pattern differ: one short passage, the rest equal."""
    a, b = one.told, two.told
    start = 0
    shortest = min(len(a), len(b))
    while start < shortest and a[start].key == b[start].key:
        start += 1
    end = 0
    while end < shortest - start and a[-1 - end].key == b[-1 - end].key:
        end += 1
    slot = Slot(start, len(a) - end, len(b) - end)
    shared = [word for word in (*a[:start], *a[len(a) - end :]) if word.has_content]
    lengths = slot.stop_a - start, slot.stop_b - start
    is_pattern = min(lengths) > 0 and max(lengths) <= _LONGEST_SLOT
    return slot if is_pattern and len(shared) >= _LEAST_SHARED else None
