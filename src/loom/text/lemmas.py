"""The word that an inflected form belongs to, and which form it is.

Rules of endings are the stemmer's; here are the forms no ending shows (`ran`, `children`),
from lists of our own. A form that is as often another word is left out: `left`, `rose`,
`saw`, `ground`, `wound` stay what they are.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache, lru_cache
from typing import Final

from loom.text.stems import stem

__all__ = ["Form", "form_of", "lemma_stem"]


class Form(StrEnum):
    """What the ending of a word says, as far as an ending can."""

    PLAIN = "plain"
    #: A plural, or a verb of the third person.
    S = "s"
    ING = "ing"
    PAST = "past"


#: Base form, then its past forms.
_VERBS: Final = """
    arise arose arisen; awake awoke awoken; be been; beat beaten; become became; begin began begun
    bend bent; bite bitten; bleed bled; blow blew blown; break broke broken; breed bred
    bring brought; build built; burn burnt; buy bought; catch caught; choose chose chosen
    come came; creep crept; deal dealt; dig dug; do did done; draw drew drawn; dream dreamt
    drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed; fight fought
    find found; flee fled; fly flew flown; forbid forbade forbidden; forget forgot forgotten
    forgive forgave forgiven; freeze froze frozen; get got gotten; give gave given; go went gone
    grow grew grown; hang hung; have had; hear heard; hide hid hidden; hold held; keep kept
    kneel knelt; know knew known; lead led; leap leapt; learn learnt; lend lent; lie lain
    light lit; lose lost; make made; mean meant; meet met; pay paid; prove proven
    ride rode ridden; ring rang rung; rise risen; run ran; say said; see seen; seek sought
    sell sold; send sent; sew sewn; shake shook shaken; shine shone; shoot shot; show shown
    shrink shrank shrunk; sing sang sung; sink sank sunk; sit sat; sleep slept; slide slid
    speak spoke spoken; speed sped; spend spent; spin spun; spring sprang sprung
    stand stood; steal stole stolen; stick stuck; sting stung; strike struck stricken
    string strung; strive strove striven; swear swore sworn; sweep swept; swim swam swum
    swing swung; take took taken; teach taught; tear tore torn; tell told; think thought
    throw threw thrown; understand understood; undergo underwent undergone; wake woke woken
    wear wore worn; weave wove woven; weep wept; win won; withdraw withdrew withdrawn
    withhold withheld; write wrote written; rewrite rewrote rewritten; rebuild rebuilt
    overcome overcame; overtake overtook overtaken; mistake mistook mistaken; redo redid redone
    undo undid undone; resell resold; repay repaid; foresee foresaw foreseen
"""

#: Singular and plural.
_NOUNS: Final = """
    man men; woman women; child children; person people; foot feet; tooth teeth; goose geese
    mouse mice; wife wives; life lives; knife knives; leaf leaves; half halves; wolf wolves
    loaf loaves; shelf shelves; thief thieves; calf calves; criterion criteria
    phenomenon phenomena; analysis analyses; crisis crises; thesis theses; index indices
    potato potatoes; policeman policemen; policewoman policewomen; fireman firemen
    businessman businessmen; gentleman gentlemen; fisherman fishermen; salesman salesmen
"""

_LEAST: Final = 4


def _forms(lines: str) -> dict[str, str]:
    groups = (g.split() for line in lines.strip().splitlines() for g in line.split(";"))
    return {form: base for base, *forms in groups for form in forms}


@cache
def _past() -> dict[str, str]:
    return _forms(_VERBS)


@cache
def _plural() -> dict[str, str]:
    # `lives` is the verb as often, and its stem is what counts.
    return _forms(_NOUNS) | {"lives": "live"}


@lru_cache(maxsize=65_536)
def lemma_stem(word: str) -> str:
    """The stem of the base form of a lower-case word.

    >>> [lemma_stem(word) for word in ("ran", "running", "women", "deployed", "left")]
    ['run', 'run', 'woman', 'deploy', 'left']
    """
    return stem(_past().get(word) or _plural().get(word) or word)


@lru_cache(maxsize=65_536)
def form_of(word: str) -> Form:
    """Which form a lower-case word has.

    >>> [form_of(word).value for word in ("ran", "running", "women", "runs", "run", "bus")]
    ['past', 'ing', 's', 's', 'plain', 'plain']
    """
    if word in _past():
        return Form.PAST
    if word in _plural():
        return Form.S
    if word.endswith("ing") and len(word) > _LEAST and stem(word) != word:
        return Form.ING
    if word.endswith("ed") and stem(word) != word:
        return Form.PAST
    is_s = word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3
    return Form.S if is_s and stem(word) != word else Form.PLAIN
