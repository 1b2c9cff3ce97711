"""The singular of an English noun, by rules of endings and lists of our own.

It is for names, so a word that may be a name in its own right keeps its last letter:
`kubernetes`, `james`, `paris`, `redis` are no plurals. What ends in -ss, -us or -is is
left alone but for the listed exceptions; the lists below hold what no ending shows. A word
that no list knows loses its plural ending, so that both its forms come out as one: a
surname that ends in -s may come out without it, and always does.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

__all__ = ["singular"]

#: Words in -s that are singular, or have no other form.
_KEPT: Final = """
    acropolis aerobics alias always aries arkansas asbestos athens atlas bahamas barracks
    bias brussels canvas caracas caries chaos christmas clothes corps cosmos dallas diabetes
    emacs ethos gas goods headquarters herpes honduras https ides kansas keras kudos
    lagos laos lens maldives mars means measles mesos mumps naples nats netherlands news
    pancreas pandas pathos perhaps philippines postgres rabies rails sales saas paas iaas faas
    daas scabies series seychelles species texas thanks thermos vegas versailles wales yes
    kubernetes jenkins siemens philips reuters starbucks mercedes ios macos
    ipados watchos tvos visionos chromeos centos nixos coreos freedos reactos rtos
    ops devops mlops gitops secops devsecops finops aiops dataops llmops noops sysops revops
    postcss ldaps smtps ftps imaps mtls dtls dkms ntfs btrfs cephfs hdfs webhdfs glusterfs
    analytics physics metaphysics geophysics astrophysics biophysics mathematics informatics
    bioinformatics economics macroeconomics microeconomics politics ethics bioethics robotics
    logistics electronics athletics genetics linguistics semantics dynamics thermodynamics
    aerodynamics hydraulics gymnastics acoustics optics ergonomics cybernetics kinetics
    kinematics aesthetics obstetrics pediatrics forensics genomics proteomics avionics
    mechanics statistics tactics phonetics pragmatics cryptanalytics numismatics
    adams andrews barnes brooks burns charles collins daniels davies dickens edwards evans
    flores fernandes gonzales giles gomes hayes hicks higgins hopkins hughes humphreys hobbes
    james jacques jones keynes lopes lucas matthews morales myers nicholas nunes owens perkins
    peters phillips reyes reynolds richards roberts robbins rodrigues rogers ross sanders
    simmons simons stephens stevens stokes thomas torres watkins watts weiss wells wilkes
    williams willis yates jonas elias tobias matthias mathias silas judas andreas barabas
    douglas nikolas niklas klaas claes hans jens lars anders mats moses agnes ines ulysses
    achilles archimedes ares aristophanes artemis cervantes ceres damocles demosthenes descartes
    diogenes empedocles eratosthenes euripides hercules heracles hermes hippocrates maimonides
    mephistopheles parmenides pericles ramses rhodes socrates sophocles thales thucydides
    xerxes zeus carlos marcos santos ramos campos barros dos eros kairos thanos athos lesbos
    samos naxos paros patmos cannes algiers marseilles nantes rennes limoges vosges ardennes
    andes alps himalayas antilles azores ganges thames
"""

#: Words in -us and -is that are plurals after all.
_PLURAL_US_IS: Final = """
    menus gnus emus gurus tofus tutus haikus zebus cpus vcpus gpus tpus npus dpus mcus ecus skus
    apis kpis clis guis tuis uis uris ais taxis skis emojis wikis bikinis safaris kiwis
    tsunamis rabbis alibis yetis semis
"""

#: Three letters and a plural: where they are fewer than four, the rest keep their -s.
_SHORT_PLURALS: Final = "ads cds dbs ids kbs pcs prs tvs vms"

#: Singular and plural.
_IRREGULAR: Final = """
    child children; person people; foot feet; tooth teeth; goose geese; mouse mice
    louse lice; ox oxen; man men; gentleman gentlemen
    fisherman fishermen; chairman chairmen; passerby passersby; criterion criteria
    phenomenon phenomena; bacterium bacteria; curriculum curricula; addendum addenda
    memorandum memoranda; corpus corpora; genus genera; schema schemata; index indices
    vertex vertices; matrix matrices; appendix appendices; vortex vortices; axis axes
    stimulus stimuli; alumnus alumni; cactus cacti; fungus fungi; nucleus nuclei; radius radii
    focus foci; locus loci; syllabus syllabi; larva larvae; formula formulae
    antenna antennae; vertebra vertebrae; alga algae; quiz quizzes; life lives; leaf leaves
    elf elves; self selves; scarf scarves; hoof hooves; dwarf dwarves; sheaf sheaves
    alias aliases; bias biases; canvas canvases; gas gases; atlas atlases; lens lenses
    iris irises; trellis trellises; metropolis metropolises; emphasis emphases; oasis oases
    diagnosis diagnoses; prognosis prognoses; neurosis neuroses; psychosis psychoses
    synopsis synopses; ellipsis ellipses; crisis crises; use uses; fuse fuses
    excuse excuses; muse muses; ruse ruses; recluse recluses; abuse abuses; refuse refuses
    café cafés; résumé résumés; cliché clichés; protégé protégés; fiancé fiancés
"""

#: Plurals whose singular lacks the -s alone, against the rule of their ending.
_ONLY_S: Final = """
    caches aches headaches toothaches backaches stomachaches heartaches niches avalanches quiches
    moustaches mustaches psyches pastiches creches apaches
    shoes horseshoes snowshoes toes canoes foes hoes woes oboes does floes roes aloes tiptoes
    movies cookies zombies selfies rookies calories brownies hoodies prairies aunties genies
    pixies sorties menageries boogies bookies birdies cuties veggies newbies smoothies hippies
    junkies yuppies goalies groupies collies magpies budgies freebies foodies indies oldies
    goodies techies besties townies quickies roomies doggies laddies lassies eyries
"""

#: Endings that say which noun it is, wherever a compound may put them.
_SUFFIXES: Final = (
    ("women", "woman"),
    ("smen", "sman"),
    ("chmen", "chman"),
    ("shmen", "shman"),
    ("cemen", "ceman"),
    ("remen", "reman"),
    ("children", "child"),
    ("wolves", "wolf"),
    ("knives", "knife"),
    ("wives", "wife"),
    ("shelves", "shelf"),
    ("thieves", "thief"),
    ("loaves", "loaf"),
    ("halves", "half"),
    ("calves", "calf"),
    ("theses", "thesis"),
    ("yses", "ysis"),
)

#: Endings of plurals, the first that fits, and how many letters the singular lacks.
_ENDINGS: Final = (
    ("sses", 2),
    ("shes", 2),
    ("ches", 2),
    ("xes", 2),
    ("zzes", 2),
    ("tzes", 2),
    ("oes", 2),
    ("ouses", 1),
    ("auses", 1),
    ("uses", 2),
    ("s", 1),
)
_SINGULAR_ENDINGS: Final = ("ss", "us", "is", "js")
_SHORTEST: Final = 4


@cache
def _kept() -> frozenset[str]:
    return frozenset(_KEPT.split())


@cache
def _plural_after_all() -> frozenset[str]:
    return frozenset(f"{_PLURAL_US_IS} {_SHORT_PLURALS} {_ONLY_S}".split())


@cache
def _irregular() -> dict[str, str]:
    pairs = (pair.split() for line in _IRREGULAR.splitlines() for pair in line.split(";"))
    return {pair[1]: pair[0] for pair in pairs if pair}


@lru_cache(maxsize=65_536)
def singular(word: str) -> str:
    """The singular of a lower-case noun; any other word comes back as it is.

    A singular is its own singular.

    >>> [singular(w) for w in ("services", "policies", "wolves", "statuses", "caches")]
    ['service', 'policy', 'wolf', 'status', 'cache']
    >>> [singular(w) for w in ("status", "kubernetes", "james", "news", "analysis")]
    ['status', 'kubernetes', 'james', 'news', 'analysis']
    """
    if word in _irregular():
        return _irregular()[word]
    if word in _kept() or not word.isascii() or not word.isalpha():
        return word
    for plural, single in _SUFFIXES:
        if word.endswith(plural):
            return word[: -len(plural)] + single
    if word in _plural_after_all():
        return word[:-1]
    if len(word) < _SHORTEST or word.endswith(_SINGULAR_ENDINGS):
        return word
    return _without_ending(word)


def _without_ending(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > _SHORTEST else word[:-1]
    for ending, letters in _ENDINGS:
        if word.endswith(ending):
            return word[:-letters]
    return word
