"""Old and new statement of one fact, as an agent would store them from a long chat.

BEAM's chats come with questions of many kinds. Two kinds rest on a pair of statements: a
knowledge update (the messages of the original and of the updated information) and a
contradiction (the messages of the first and of the second statement). The messages are
long and ask for much else, so what an agent would store of them is taken by one rule:

1. Of the named messages, the user's; without code and the mark at the end.
2. Cut into sentences, and long sentences at a comma or dash before a word that begins a
   new clause (and, but, so, considering, ...), never before a relative clause.
3. Without what begins by asking and speaks of nobody. What asks "can you help me" goes too.
4. Candidates are one clause or two neighbouring ones of a sentence.
5. Of each side the `BEST` candidates closest to the item's own question and answer, by
   MiniLM's cosine, none within another. Nothing else of the data is looked at.

Nothing says that the statement that matters is among those: some items' messages do not
even hold the value that was updated. What cannot be linked counts as not linked.

The data also notes, for an update, the old and the new information in a sentence each.
These are a kind of their own (`update as noted`): what an agent would keep if it condensed
what it heard, which many do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise, product
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from benchmarks.pairs import DATA, HELD_OUT, TUNED, Pair
from benchmarks.vectors import KeptVectors

__all__ = ["Item", "items", "pairs_between", "pairs_within"]

#: Statements taken of each side.
BEST: Final = 3
_LEAST_WORDS: Final = 4
_LONG_SENTENCE: Final = 12

_CODE: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_MARK: Final = re.compile(r"->->.*\Z", re.DOTALL)
_SENTENCE: Final = re.compile(r"(?<=[.!?:])\s+(?=[A-Z0-9'\"“])|\n+")
_CLAUSE: Final = re.compile(
    r"(?:,| -|;)\s+(?=(?:and|but|so|since|because|considering|given|especially|although"
    r"|though|while|however|can|could|how|what|like|I|I'm|I've|specifically)\b)"
)
_LEADING: Final = re.compile(
    r"\A(?:[-*\d.]+\s+|(?:and|but|so|since|because|considering|given|especially|although"
    r"|though|while|however|also|the fact|that)\b[\s,]*)+",
    re.IGNORECASE,
)
_REQUEST: Final = re.compile(
    r"(?:can|could|would|will|do|does|did|is|are|should|how|what|which|why|when|where|who"
    r"|please|let's|help)\b",
    re.IGNORECASE,
)
_ASKED: Final = re.compile(
    r"\A(?:can|could|would) you (?:please )?(?:\w+ ){1,3}?(?:that|me with|with|to|how)\b\s*"
    r"|\A(?:can|could|would) you (?:please )?(?:help|remind) me\b\s*",
    re.IGNORECASE,
)
_LABELS: Final = re.compile(r"\A(?:[A-Z][\w&]*(?: [\w&]+)*:)+\s*")
_SELF: Final = re.compile(r"\b(?:I|I'm|I've|I'd|my|we|our)\b")


@frozen(kw_only=True)
class Item:
    """What one question of a chat rests on."""

    chat: int
    kind: str
    question: str
    old: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def half(self) -> str:
        """Chats of even number are held out."""
        return HELD_OUT if self.chat % 2 == 0 else TUNED


@frozen(kw_only=True)
class _Told:
    """One question with all that the messages of its two sides state."""

    chat: int
    kind: str
    question: str
    #: What statements are measured by.
    probe: str
    sides: tuple[tuple[str, ...], tuple[str, ...]]


#: Kind of question: its name here, the field of its answer, those of its two sides.
_KINDS: Final = {
    "knowledge_update": ("update", "answer", "original_info", "updated_info"),
    "contradiction_resolution": (
        *("contradiction", "ideal_answer"),
        *("first_statement", "second_statement"),
    ),
}


def items(vectors: KeptVectors, data: Path = DATA) -> tuple[Item, ...]:
    """The updates and contradictions of every chat."""
    chats = sorted((data / "beam_100k").iterdir(), key=lambda path: int(path.name))
    told = [one for folder in chats for one in _told(folder)]
    vectors.learn(t for one in told for t in (one.probe, *one.sides[0], *one.sides[1]))
    extracted = [
        Item(
            chat=one.chat,
            kind=one.kind,
            question=one.question,
            old=_best(vectors, one.probe, one.sides[0]),
            new=_best(vectors, one.probe, one.sides[1]),
        )
        for one in told
    ]
    return (*extracted, *(item for folder in chats for item in _noted(folder)))


def pairs_within(item: Item) -> tuple[Pair, ...]:
    """Every old statement beside every new one."""
    return tuple((old, new) for old, new in product(item.old, item.new) if old != new)


def pairs_between(every: Iterable[Item]) -> Iterator[Pair]:
    """Old statements of an item beside all of the other items of its chat and kind."""
    every = tuple(every)
    for item, other in product(every, every):
        if item.question != other.question and item.chat == other.chat:
            own = {*item.old, *item.new}
            yield from product(item.old, {*other.old, *other.new} - own)


def _asked(folder: Path) -> dict[str, Any]:
    text = (folder / "probing_questions.json").read_text(encoding="utf-8")
    asked: dict[str, Any] = json.loads(text)
    return asked


def _told(folder: Path) -> Iterator[_Told]:
    said = _said_by_user(folder / "chat.json")
    asked = _asked(folder)
    for kind, (name, answer, old, new) in _KINDS.items():
        for question in asked.get(kind, ()):
            sources = question["source_chat_ids"]
            yield _Told(
                chat=int(folder.name),
                kind=name,
                question=question["question"],
                probe=f"{question['question']} {question.get(answer, '')}",
                sides=(_stated(said, sources, old), _stated(said, sources, new)),
            )


def _noted(folder: Path) -> Iterator[Item]:
    for question in _asked(folder).get("knowledge_update", ()):
        old, new = (_LABELS.sub("", t) for t in question["conversation_references"][:2])
        yield Item(
            chat=int(folder.name),
            kind="update as noted",
            question=question["question"],
            old=(old,),
            new=(new,),
        )


def _stated(said: dict[int, str], sources: dict[str, Any], side: str) -> tuple[str, ...]:
    ids = sources.get(side, [])
    messages = [said.get(at, "") for at in (ids if isinstance(ids, list) else [ids])]
    return tuple(dict.fromkeys(s for m in messages for s in statements(m)))


def _said_by_user(chat: Path) -> dict[int, str]:
    batches = json.loads(chat.read_text(encoding="utf-8"))
    messages = (m for batch in batches for turn in batch["turns"] for m in turn)
    return {m["id"]: m["content"] for m in messages if m["role"] == "user"}


def _best(vectors: KeptVectors, probe: str, stated: Iterable[str]) -> tuple[str, ...]:
    chosen: list[str] = []
    for text in sorted(stated, key=lambda s: -vectors.cosine(probe, s)):
        if not any(text in other or other in text for other in chosen):
            chosen.append(text)
    return tuple(chosen[:BEST])


def statements(message: str) -> Iterator[str]:
    """What a message states, in one clause or two, without what it asks."""
    plain = _MARK.sub("", _CODE.sub("\n", message))
    for sentence in _SENTENCE.split(plain):
        long = len(sentence.split()) > _LONG_SENTENCE
        parts = _CLAUSE.split(sentence) if long else [sentence]
        clauses = [part for part in map(_trimmed, parts) if part]
        yield from clauses
        for one, two in pairwise(clauses):
            yield f"{one}, {two}"


def _trimmed(part: str) -> str:
    """The clause without its leading conjunction; nothing of a request."""
    asked = _ASKED.sub("", _LEADING.sub("", part.strip())).strip(" ,;:-*?")
    about_nobody = _REQUEST.match(asked) and not _SELF.search(asked)
    return "" if about_nobody or len(asked.split()) < _LEAST_WORDS else asked
