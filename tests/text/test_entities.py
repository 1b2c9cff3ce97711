"""The canonical form of a named thing."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from loom.text.entities import canonical_entities, canonical_entity

#: Spellings of one entity, and the form they are stored in.
SAME = {
    "billing service": (
        "Billing Services",
        "billing service",
        "the Billing Service",
        "A billing service",
        "The billing service's",
        "Billing-Services’",
        "billing_service",
        " Billing\t services. ",
        '"Billing Services"',
        "(billing service)",
        "The the billing services",
        "billing\u200b service",
    ),
    "obrien": ("O'Brien", "O’Brien", "O`Brien's", "oʼbrien"),
    "strasse": ("Straße", "STRASSE"),
    "café": ("Café", "cafe\u0301", "the CAFÉ", "Cafés"),
    "usa": ("U.S.A.", "USA", "the U.S.A.’s"),
    "johnson and johnson": ("Johnson & Johnson", "Johnson and Johnson"),
    "gpt 4": ("GPT-4", "gpt 4", "GPT–4"),
    "issue 123": ("issue #123", "Issue 123"),
    "1000 user": ("1,000 users", "1000 Users"),
    "loom": ("Loom™", "loom", "Loom!", "🧵 Loom", "#loom", "@loom", "loom()"),
    "bus": ("bus", "Buses", "the bus's"),
    "wolf": ("wolves", "Wolf", "the wolves’"),
    "james": ("James", "James's", "James’"),
}

#: Signs that make a name another one.
NAMES = {
    "C++": "c++",
    "C#": "c#",
    "C": "c",
    "F#'s": "f#",
    ".NET": ".net",
    "the .NET": ".net",
    "net": "net",
    "ASP.NET": "asp.net",
    "Node.js": "node.js",
    "C++17": "c++17",
    "AT&T": "at&t",
    "R&D": "r&d",
    "CI/CD pipelines": "ci/cd pipeline",
    "ana@example.org": "ana@example.org",
    "std::vector": "std::vector",
    "v1.2.3": "v1.2.3",
    "src/loom/app.py": "src/loom/app.py",
    "E-Mails": "e-mail",
    "X-rays": "x-ray",
    "A-Team": "a-team",
    "A. Smith": "a. smith",
    "Kubernetes": "kubernetes",
    "Redis": "redis",
    "Paris": "paris",
    "AWS": "aws",
    "Windows": "windows",
    "Microsoft Windows": "microsoft windows",
    "deploy windows": "deploy window",
    "Google Docs": "google docs",
    "The Hague": "hague",
    "La Paz": "la paz",
    "Los Angeles": "los angeles",
    "The": "the",
    "A": "a",
    "vitamin A": "vitamin a",
    "हिन्दी भाषा": "हिन्दी भाषा",
    "東京・大阪": "東京 大阪",
    "п’ять": "пять",
}


@pytest.mark.parametrize(
    "form, spelling", [(form, s) for form, spellings in SAME.items() for s in spellings]
)
def test_spellings_of_one_entity_have_one_form(form: str, spelling: str) -> None:
    """A-180: case, articles, possessives, punctuation, white space, number of the head."""
    assert canonical_entity(spelling) == form


@pytest.mark.parametrize("name, form", NAMES.items())
def test_what_makes_a_name_a_name_stays(name: str, form: str) -> None:
    """A-180: `c++`, `c#` and `c` are three things."""
    assert canonical_entity(name) == form


@pytest.mark.parametrize(
    "name", ["", " ", "!", "---", "🎉", "…", "'", "\u200b", "❤️", "\u0301"]
)
def test_a_name_without_letters_and_digits_is_none(name: str) -> None:
    """A-180: it names nothing."""
    assert canonical_entity(name) == ""


def test_entities_keep_their_order_each_once() -> None:
    """A-180: what a writer passed, without repeats and without what names nothing."""
    given_names = [
        "Zoë",
        "Billing Services",
        "?",
        "the billing service",
        "Ana",
        "ZOE\u0308",
    ]

    assert canonical_entities(given_names) == ("zoë", "billing service", "ana")
    assert canonical_entities([]) == ()


words = st.sampled_from(
    "the a an A. Services service's James' C++ C# .NET node.js AT&T & - -- a-b x - 's ' ’s "
    "1,000 ... u.s. U.S.A. the-a an' +# #x @y z/ (s) Wolves \u0301 🎉 ʼn ß İ ͅ _ e\u0301s".split()
)
names = st.one_of(
    st.text(), st.lists(words, max_size=5).map(" ".join), st.lists(words).map("".join)
)


@given(names)
@example("a. a. the")
@example("İ's")
@example("a'-'b's")
def test_the_form_of_any_name_is_its_own_form(name: str) -> None:
    """A-180: idempotent, in NFC, without white space at its edges; it never raises."""
    form = canonical_entity(name)

    assert canonical_entity(form) == form
    assert unicodedata.is_normalized("NFC", form)
    assert form == " ".join(form.split())
    assert form == "" or any(map(str.isalnum, form))


@given(names)
def test_no_name_with_a_letter_or_a_digit_is_lost(name: str) -> None:
    """A-180: a filter or an entity never vanishes in silence."""
    # Modifier letters are written for apostrophes.
    kinds = {unicodedata.category(c) for c in name}
    if kinds & {"Lu", "Ll", "Lt", "Lo", "Nd"}:
        assert canonical_entity(name)


plain = st.lists(st.text("bcdrtlmnuo", min_size=2, max_size=8), min_size=1, max_size=3)
dresses = ["the {}", "  {} ", "“{}”", "{}!", "AN {}'s", "({})", "{} 🎉"]


@given(plain.map(" ".join), st.sampled_from(dresses))
def test_dress_makes_no_other_entity(name: str, dress: str) -> None:
    """A-180: quoted, with an article, possessive, in a sentence."""
    assert canonical_entity(dress.format(name)) == canonical_entity(name) == name
