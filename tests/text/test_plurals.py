"""Singulars of nouns, for names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.text import plurals
from loom.text.plurals import singular

PAIRS = """
    service services; cat cats; box boxes; class classes; process processes; address addresses
    branch branches; hash hashes; bus buses; status statuses; virus viruses; corpus corpora
    database databases; release releases; case cases; response responses; course courses
    house houses; clause clauses; cause causes; license licenses; size sizes; prize prizes
    quiz quizzes; cache caches; headache headaches; beach beaches; approach approaches
    city cities; policy policies; movie movies; cookie cookies; tie ties; day days; key keys
    hero heroes; potato potatoes; shoe shoes; photo photos; logo logos; repo repos
    wolf wolves; werewolf werewolves; knife knives; bookshelf bookshelves; life lives
    drive drives; archive archives; valve valves; child children; grandchild grandchildren
    person people; man men; woman women; salesman salesmen; fireman firemen; mouse mice
    foot feet; tooth teeth; goose geese; ox oxen; index indices; index indexes
    vertex vertices; matrix matrices; analysis analyses; hypothesis hypotheses; thesis theses
    crisis crises; diagnosis diagnoses; criterion criteria; phenomenon phenomena
    api apis; gpu gpus; cpu cpus; menu menus; wiki wikis; kpi kpis; taxi taxis; pr prs; vm vms
    sdk sdks; url urls; llm llms; topic topics; metric metrics; clinic clinics; schema schemas
    alias aliases; bias biases; canvas canvases; lens lenses; gas gases; use uses
    microservice microservices; replica replicas; quota quotas; area areas; loop loops
"""

ALONE = """
    status bus virus campus class process address boss analysis basis axis thesis redis paris
    tennis chris kubernetes james jones charles thomas williams lucas texas kansas dallas
    postgres jenkins aws dns tls css sms https ios macos centos news series species data media
    chaos atlas canvas lens gas bias alias saas analytics physics mathematics devops mlops
    kudos pandas keras hermes socrates nats express nodejs nextjs sheep us is as
    mercedes siemens brussels athens netherlands headquarters 123 c++ straße 部署
"""


def _pairs() -> list[tuple[str, str]]:
    groups = (pair.split() for line in PAIRS.splitlines() for pair in line.split(";"))
    return [(one, many) for one, many in filter(None, groups)]


@pytest.mark.parametrize("one, many", _pairs())
def test_a_plural_has_its_singular(one: str, many: str) -> None:
    """A-180: the head noun singular, irregular plurals too."""
    assert singular(many) == one
    assert singular(one) == one


@pytest.mark.parametrize("word", ALONE.split())
def test_what_only_looks_like_a_plural_stays(word: str) -> None:
    """A-180: a name that ends in -s keeps it."""
    assert singular(word) == word


def test_every_word_of_the_lists_ends_at_a_singular() -> None:
    """A-180: what a list gives is its own singular, so the form is stable."""
    words = {
        *plurals._KEPT.split(),
        *plurals._PLURAL_US_IS.split(),
        *plurals._SHORT_PLURALS.split(),
        *plurals._ONLY_S.split(),
        *plurals._irregular(),
        *plurals._irregular().values(),
    }

    assert not [w for w in sorted(words) if singular(singular(w)) != singular(w)]
    assert not [w for w in plurals._KEPT.split() if singular(w) != w]
    assert not [w for w in plurals._irregular().values() if singular(w) != w]


@given(st.one_of(st.text(), st.text("abcdeghiosuvxyzt", max_size=9).map(lambda t: t + "s")))
def test_a_singular_is_its_own_singular_and_never_empty(word: str) -> None:
    """A-180: for any text."""
    once = singular(word)

    assert singular(once) == once
    assert bool(once) is bool(word)
