"""Words that deny and words that exclude each other.

Small lists of our own. A word missing here means a contradiction that is not shown, which
costs a flag; it never lets two statements be taken for one, because there every word has
to be the same.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

from loom.text.lemmas import lemma_stem

__all__ = ["NEGATIONS", "opposed_kinds", "opposed_words"]

#: Words that deny, case-folded; `n't` has been split off as `not`.
NEGATIONS: Final = frozenset(
    # English
    "no not never none nobody nothing nowhere neither nor without cannot hardly barely"
    " scarcely seldom rarely unable lack lacks lacking lacked aint"
    # German, Dutch, Swedish, Danish, Norwegian
    " nicht nichts kein keine keinen keiner keinem keines nie niemals niemand ohne"
    " niet geen nooit niemand zonder inte aldrig ingen inget inga utan ikke aldri uden uten"
    # French, Spanish, Italian, Portuguese, Romanian, Catalan
    " ne pas jamais aucun aucune rien sans ni nunca jamás nadie nada ningún ninguna ninguno"
    " sin non mai nessuno nessuna senza niente não sem nenhum nenhuma ninguém nu nici fără"
    # Polish, Czech, Croatian, Russian, Ukrainian, Greek, Turkish, Finnish, Hungarian
    " nie nigdy bez żaden není nikdy žádný nije nikada не нет никогда без ни ничего никто"
    " немає ні ніколи δεν μην όχι χωρίς değil yok hiç ei nem nincs soha nélkül"
    # Arabic, Hebrew, Persian, Hindi, Indonesian, Vietnamese
    " لا ليس ليست لم لن بدون לא אין בלי نیست بدون नहीं मत बिना tidak bukan tanpa jangan"
    " không chưa"
    # Chinese, Japanese, Korean, Thai: letters and endings inside a run
    " 不 没 沒 无 無 未 别 非 勿 ない ません なかった ず 않 안 못 없 아니 ไม่ มิ ไร้".split()
)

_PAIRS: Final = """
    always never; always sometimes; always rarely; often rarely; often seldom; usually rarely
    accept reject; accept refuse; accept decline; approve reject; approve deny; allow forbid
    allow deny; allow prohibit; allow block; allow disallow; permit forbid; permit prohibit
    permit deny; grant deny; grant revoke; agree disagree; agree refuse; confirm deny
    confirm cancel; admit deny; enable disable; activate deactivate; install uninstall
    mount unmount; lock unlock; subscribe unsubscribe; mute unmute; pin unpin; hide show
    like hate; like dislike; love hate; love dislike; enjoy hate; enjoy dislike; prefer avoid
    prefer dislike; adore detest; want refuse; trust distrust; approve disapprove
    increase decrease; increase reduce; raise lower; raise cut; raise reduce; rise fall
    rise drop; grow shrink; gain lose; expand contract; up down; upgrade downgrade
    accelerate decelerate; strengthen weaken; improve worsen; widen narrow; climb fall
    before after; earlier later; early late; start end; start stop; begin end; begin stop
    begin finish; open close; open closed; opened closed; first last; arrive leave; arrive depart
    enter leave; enter exit; join leave; hire fire; buy sell; lend borrow; push pull
    give take; give receive; send receive; win lose; pass fail; succeed fail; success failure
    work break; keep discard; keep remove; keep delete; add remove; add delete; insert delete
    create delete; create destroy; build destroy; connect disconnect; attach detach
    include exclude; include omit; include without; with without; import export; load unload
    save delete; remember forget; appear disappear; survive die; live dead
    alive dead; live die; born die; attack defend; support oppose; support reject; for against
    true false; yes no; right wrong; correct incorrect; valid invalid; legal illegal
    possible impossible; able unable; safe dangerous; safe unsafe; secure insecure
    stable unstable; available unavailable; visible invisible; visible hidden; known unknown
    public private; internal external; mandatory optional; required optional; required forbidden
    must may; must cannot; can cannot; full empty; open shut; on off; in out; online offline
    inside outside; indoors outdoors; indoor outdoor; above below; over under; top bottom
    left right; north south; east west; northern southern; eastern western; front back
    near far; high low; higher lower; highest lowest; big small; large small; big little
    large tiny; long short; longer shorter; tall short; wide narrow; thick thin; deep shallow
    heavy light; fast slow; faster slower; quick slow; quickly slowly; hot cold; warm cool
    warm cold; wet dry; hard soft; hard easy; difficult easy; simple complex; strong weak
    loud quiet; loudly quietly; noisy quiet; bright dark; light dark; clean dirty; new old
    young old; newer older; rich poor; cheap expensive; good bad; better worse; best worst
    happy sad; happy unhappy; healthy sick; asleep awake; sleep wake; sit stand; lie stand
    married single; married divorced; married unmarried
    black white; day night; catch miss; hit miss; keep drop; morning evening; summer winter
    minimum maximum; min max; more less; more fewer; most least; many few; all none; all no
    every no; everyone nobody; everybody nobody; everyone none; everything nothing; some none
    both neither; somebody nobody; someone nobody; anyone nobody; something nothing; same different
    similar different; equal unequal; together apart; together alone; present absent
    present past; permanent temporary; manual automatic; manually automatically
    synchronous asynchronous; sync async; static dynamic; mutable immutable; local remote
    active inactive; active retired; active archived; vegetarian carnivore; vegan carnivore
    guilty innocent; positive negative; profit loss; ascend descend; ascending descending
    float sink; fill empty; fold unfold; tie untie; dress undress; cover uncover; peel unpeel
    huge small; huge tiny; close far; onto off; speak silent; talk silent; listen ignore
    follow ignore; work idle; busy idle; busy free; pending done; open resolved
    draft final; draft published; stable flaky; healthy failing
    supported unsupported; supported deprecated; encrypted plaintext; compressed uncompressed
    freeze thaw; hire dismiss; promote demote; promote dismiss; borrow return
    climb descend; laugh cry; smile frown; speak listen; ask answer; teach learn; lead follow
"""

#: Kinds of people and things: who is one is not the other, but both may be there.
_KINDS: Final = """
    man woman; boy girl; father mother; brother sister; son daughter; husband wife; king queen
    male female; gentleman lady; uncle aunt; nephew niece; grandfather grandmother
"""


def _pairs_in(lines: str) -> frozenset[frozenset[str]]:
    pairs = (pair for line in lines.strip().splitlines() for pair in line.split(";"))
    return frozenset(frozenset(map(lemma_stem, pair.split())) for pair in pairs)


@cache
def opposed_kinds() -> frozenset[frozenset[str]]:
    """Pairs of stems that name two kinds of being rather than two states of one."""
    return _pairs_in(_KINDS)


@cache
def _opposites() -> dict[str, frozenset[str]]:
    """From a stem to the stems that exclude it."""
    found: dict[str, set[str]] = {}
    for pair in _pairs_in(_PAIRS + _KINDS):
        for word in pair:
            found.setdefault(word, set()).update(pair - {word})
    return {word: frozenset(others) for word, others in found.items()}


_PREFIXES: Final = ("un", "in", "im", "ir", "il", "dis", "non", "de", "mis", "anti")
#: `in` + `form` is no opposite of `form`: what is left must be a word of some length.
_LEAST_STEM: Final = 4
_NO_OPPOSITES: Final = (
    "form formed formation vest press pressed prove proved port ported volve tend tended"
    " stead deed duct cover covers tense vent grate cite still struct dependence sign"
    " signed signs play plays played cuss missed take takes lead leads mark marks part"
    " parts posed pose position cover head flame side"
)


@cache
def _no_opposites() -> frozenset[str]:
    return frozenset(map(lemma_stem, _NO_OPPOSITES.split()))


def opposed_words(
    words: frozenset[str], others: frozenset[str]
) -> frozenset[tuple[str, str]]:
    """The pairs of stems of two texts that exclude each other, first text first."""
    listed = {
        (word, other)
        for word in words
        for other in _opposites().get(word, frozenset()) & others
    }
    prefixed = {(word, other) for word in words for other in _without_prefix(word) & others}
    reverse = {(word, other) for other in others for word in _without_prefix(other) & words}
    return frozenset(listed | prefixed | reverse)


@lru_cache(maxsize=16_384)
def _without_prefix(word: str) -> frozenset[str]:
    """What a stem denies, if it begins with a prefix that denies: `unstabl`, `stabl`."""
    rests = (word[len(prefix) :] for prefix in _PREFIXES if word.startswith(prefix))
    return frozenset(r for r in rests if len(r) >= _LEAST_STEM and r not in _no_opposites())
