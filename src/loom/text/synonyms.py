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
    man guy gentleman; woman lady; child kid; person someone somebody individual
    baby infant; toddler tot; teenager teen adolescent; mother mom mum; father dad
    grandmother grandma; grandfather grandpa; husband hubby; puppy pup; kitten kitty
    plane airplane aeroplane; bike bicycle; motorcycle motorbike; car automobile; taxi cab
    truck lorry; couch sofa; rug carpet; picture image photo photograph
    tv television; phone telephone; mobile cellphone; movie film; shop store
    supermarket grocery; sidewalk pavement; stairs stairway staircase
    rock stone; ocean sea; beach shore seashore; forest woods; lawn grass; trash garbage rubbish
    purse handbag; pants trousers; sweater jumper; sneakers trainers; glasses spectacles
    cop policeman; doctor physician; lawyer attorney; student pupil
    teacher instructor; journalist reporter; soldier troop; militant insurgent
    jail prison; job occupation; salary wage; vacation holiday
    mistake error; company firm; staff personnel; employee worker; client customer
    colleague coworker; meal dish; dinner supper; chips crisps; candy sweets; soda pop
    document doc; database db; repository repo; application app; configuration config
    parameter param; website site; administrator admin; specification spec
    environment env; directory folder; function func; dependency dep; developer dev
    blast explosion; earthquake quake; murder homicide; theft robbery
    accord pact treaty
    lawmaker legislator; protest demonstration
    border frontier; flood deluge; probe investigation inquiry
    revenue turnover; profit earnings; goods merchandise
    begin start commence; finish complete; halt stop cease; buy purchase
    choose select pick; help assist; allow permit; forbid prohibit ban
    reject refuse; require need; want wish; hate detest loathe; love adore
    use utilize utilise; show display; hide conceal; inform tell notify
    ask inquire; answer reply respond; speak talk chat; shout yell; gaze stare look
    watch observe; build construct; fix repair mend; delete remove erase; add append
    alter modify change; replace substitute; throw toss hurl; jump leap bounce hop
    stroll walk; hurry rush; grasp grip clutch; carry haul
    cut chop slice dice; mix blend; whisk stir; fry saute
    resign quit; die perish; injure hurt wound; attack assault
    win clinch; marry wed; live reside; prefer favour favor
    urinate pee; postpone delay defer; cancel scrap; explain clarify; increase raise
    decrease reduce lower; grow expand; shrink contract; arrest detain
    approve endorse; criticise condemn slam; praise hail laud
    urge exhort; warn caution; accuse blame; deny refute; admit concede
    reveal disclose unveil; announce declare proclaim; vow pledge promise
    seize confiscate; destroy demolish; damage harm; rescue save
    gather collect assemble; send transmit; receive get obtain
    rip tear
    frolic play; draw sketch
    big large; small little tiny; huge enormous gigantic giant; quick rapid swift
    happy glad; angry furious; smart clever intelligent; ill sick
    elderly old; funny amusing; strange odd weird; hard difficult tough; easy simple
    wrong incorrect; whole entire; rich wealthy; silent quiet; loud noisy
    grey gray; ok okay; major significant; main primary; crucial vital
    famous renowned; empty vacant; broad wide; afraid scared
    approximately roughly; nearly almost; often frequently; rarely seldom; usually normally
    constantly always; maybe perhaps; daily everyday; together jointly; outside outdoors
    inside indoors; upset unhappy; programme program; centre center; theatre theater
    licence license; tyre tire; neighbour neighbor; organise organize
    analyse analyze; jewellery jewelry; aluminium aluminum
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
