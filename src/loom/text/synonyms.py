"""Words that say the same, and words that say it more broadly, in small groups of our own.

A group holds only words that may stand for each other in nearly every plain statement:
`bike` and `bicycle`, not `dog` and `poodle`. Words with several meanings (`run`, `fall`,
`charge`) are left out.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

from loom.text.lemmas import lemma_stem

__all__ = ["broader", "meaning_of"]

_GROUPS: Final = """
    man guy; woman lady; child kid; person someone somebody; baby infant; teenager teen
    mother mom mum; father dad; grandmother grandma; grandfather grandpa; puppy pup
    plane airplane aeroplane; bike bicycle; motorcycle motorbike; car automobile
    couch sofa; picture image photo photograph; tv television; phone telephone
    movie film; shop store; sidewalk pavement; stairs stairway staircase; rock stone
    ocean sea; beach shore seashore; forest woods; trash garbage rubbish; purse handbag
    cop policeman; doctor physician; lawyer attorney; job occupation; salary wage
    vacation holiday; mistake error; jail prison; inmate prisoner; soldier troop
    company firm; staff personnel; client customer; colleague coworker; database db
    repository repo; application app; configuration config; parameter param; website site
    document doc; administrator admin; specification spec; environment env
    begin start commence; finish complete; halt stop cease; buy purchase; choose select pick
    help assist; allow permit; forbid prohibit ban; reject refuse; need require; want wish
    hate detest loathe; love adore; use utilize utilise; show display; hide conceal
    inform tell; ask inquire; answer reply respond; speak talk; shout yell; gaze stare
    build construct; fix repair mend; delete remove erase; add append; alter modify change
    replace substitute; throw toss; jump leap bounce; stroll walk; hurry rush; grasp grip
    cut chop slice dice; mix blend; whisk stir; resign quit; die perish; injure hurt
    attack assault; win clinch; marry wed; live reside; prefer favour favor; urinate pee
    postpone delay defer; cancel scrap; explain clarify; increase raise; decrease reduce
    blast explosion; lawn grass; militant insurgent; gaze stare look
    confirm verify; arrest detain; pupil student; teacher instructor
    journalist reporter; earthquake quake
    big large; small little tiny; huge enormous gigantic; quick rapid; quickly rapidly
    happy glad; angry furious; smart clever intelligent; ill sick; elderly old; funny amusing
    strange odd weird; hard difficult; easy simple; wrong incorrect; correct right
    whole entire; rich wealthy; silent quiet; loud noisy; grey gray; colour color; ok okay
    near beside; approximately roughly; nearly almost; often frequently
    rarely seldom; usually normally; constantly always; maybe perhaps; daily everyday
"""


#: A broad word, then what is one: who denies that there is any denies each.
_KINDS: Final = """
    person man woman boy girl child teenager baby player worker student cook chef rider;
    child boy girl toddler baby; animal dog cat horse bird monkey cow pig sheep elephant
    dog puppy; cat kitten; musician guitarist pianist drummer; vehicle car truck bus bike
"""


@cache
def _meanings() -> dict[str, str]:
    """Stem to the first stem of its group."""
    found: dict[str, str] = {}
    for line in _GROUPS.strip().splitlines():
        for group in line.split(";"):
            first, *others = map(lemma_stem, group.split())
            found.update(dict.fromkeys((first, *others), first))
    return found


@lru_cache(maxsize=65_536)
def meaning_of(stem: str) -> str:
    """What stands for the group of a stem: one stem for all of it.

    >>> meaning_of("bicycl") == meaning_of("bike"), meaning_of("bike") == meaning_of("car")
    (True, False)
    """
    return _meanings().get(stem, stem)


@cache
def _broader() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for group in _KINDS.replace("\n", " ").split(";"):
        broad, *kinds = (meaning_of(lemma_stem(word)) for word in group.split())
        for kind in kinds:
            found.setdefault(kind, set()).add(broad)
    return {kind: frozenset(broads) for kind, broads in found.items()}


def broader(meaning: str) -> frozenset[str]:
    """What a thing of this meaning also is.

    >>> sorted(broader("boy"))
    ['child', 'person']
    """
    return _broader().get(meaning, frozenset())
