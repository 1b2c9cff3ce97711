"""The canonical form forgets case, white space, quotation and edge punctuation (R-12)."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.model.json_values import freeze, sha256_of
from loom.text.canonical import canonical_form, canonical_sha256, text_of

WORDS = st.sampled_from(
    "ana likes pea soup café naïve x < 5 C# -5 27:10 10² a.b@x don't 他喜欢 हिन्दी 16 GB .env".split()
)
SENTENCES = st.lists(WORDS, min_size=1, max_size=8).map(" ".join)
SPACES = st.sampled_from([" ", "  ", "\t", "\n", "\u00a0", " \r\n "])
QUOTES = st.sampled_from([('"', '"'), ("“", "”"), ("'", "'"), ("«", "»"), ("「", "」")])
ENDS = st.sampled_from(["", ".", "!", "?", "...", "…", "。", " .", "?!"])


@given(st.text())
def test_a_canonical_form_is_its_own_canonical_form(text: str) -> None:
    """R-12."""
    assert canonical_form(canonical_form(text)) == canonical_form(text)


@given(st.text())
def test_composed_and_decomposed_spellings_have_one_form(text: str) -> None:
    """R-12: NFC."""
    forms = {canonical_form(unicodedata.normalize(form, text)) for form in ("NFC", "NFD")}
    assert len(forms) == 1


@given(SENTENCES, SPACES, QUOTES, ENDS)
def test_case_space_quotation_and_final_punctuation_do_not_count(
    sentence: str, space: str, quotes: tuple[str, str], end: str
) -> None:
    """R-12; A-107; the floor of issue 2: such restatements merge."""
    changed = space + space.join(sentence.split()).swapcase() + end + space
    assert canonical_form(changed) == canonical_form(sentence)
    quoted = quotes[0] + sentence + end.strip() + quotes[1]
    assert canonical_form(quoted) == canonical_form(sentence)
    assert canonical_form(quoted + ".") == canonical_form(sentence)


@pytest.mark.parametrize(
    "text, form",
    [
        ("x < 5", "x < 5"),
        ("C# and C++.", "c# and c++"),
        ("Write to a.b@x, please!", "write to a.b@x please"),
        ("10² is 100.", "10² is 100"),
        ("It is -5.", "it is -5"),
        ("It is .5!", "it is .5"),
        ("It took 27:10.", "it took 27:10"),
        ("He said “wait”, then: ‘go’.", "he said wait then go"),
        ("Straße", "strasse"),
        ("...and on", "and on"),
        ("¿Qué?", "qué"),
        ("It is 6\" by 6'.", "it is 6\" by 6'"),
        ('It is "6".', "it is 6"),
        ('"it is 6"', "it is 6"),
        ("!enabled", "!enabled"),
        ("../lib", "../lib"),
        ('split at ","', 'split at ","'),
        ('the default is ""', 'the default is ""'),
        ("!!!", "!!!"),
        ("他喜欢猫。", "他喜欢猫"),
        ("", ""),
        (" \n", ""),
    ],
)
def test_symbols_and_what_stands_inside_a_token_stay(text: str, form: str) -> None:
    """R-12."""
    assert canonical_form(text) == form


@pytest.mark.parametrize(
    "one, two",
    [
        ("x < 5", "x > 5"),
        ("It is .5", "It is 5"),
        ("It is -5", "It is 5"),
        ("10²", "102"),
        ("6' long", '6" long'),
        ("He uses C", "He uses C#"),
        ("!done", "done"),
        ('split at ","', 'split at ";"'),
        ("!!!", "???"),
        ("can't", "can"),
        ("1.5", "15"),
        ("5%", "5"),
        ("$5", "5"),
    ],
)
def test_what_changes_a_fact_changes_the_form(one: str, two: str) -> None:
    """R-12, R-34."""
    assert canonical_form(one) != canonical_form(two)


def test_the_form_is_taken_over_the_whole_text() -> None:
    """R-12: never over the excerpt."""
    text = "word " * 2_000
    assert canonical_form(text + "one") != canonical_form(text + "two")


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_no_canonical_hash_is_a_content_hash(text: str) -> None:
    form = canonical_form(text)
    hashed = canonical_sha256(text, sha256_of(text))
    assert hashed not in {sha256_of(text), sha256_of(form)}
    assert hashed == canonical_sha256(form, "")
    assert len(hashed) == 64


def test_only_texts_merge_by_form() -> None:
    """R-12: other values only by hash."""
    for value in (freeze({"a": 1}), freeze([1]), 1, 1.5, True, None):
        assert canonical_sha256(value, "content") == "content"


def test_the_text_of_a_value_is_readable_and_holds_everything() -> None:
    value = freeze(
        {
            "port": 8080,
            "hosts": ["a", "b"],
            "tls": {"on": True, "none": None},
            "rows": [{"x": 1}, {"x": 2.5}],
            "empty": {},
        }
    )
    assert text_of(value).splitlines() == [
        "empty: {}",
        "hosts: a, b",
        "port: 8080",
        "rows.x: 1",
        "rows.x: 2.5",
        "tls.none: null",
        "tls.on: true",
    ]
    assert text_of(" as it is\n") == " as it is\n"
    assert text_of(5) == "5"
    assert text_of(freeze(["a", 1])) == "a, 1"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("abc"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc"), inner),
    max_leaves=8,
)


@given(JSON)
def test_equal_values_have_equal_texts(value: object) -> None:
    """R-11: key order does not matter."""
    turned = value
    if isinstance(value, dict):
        turned = dict(reversed(list(value.items())))
    assert text_of(freeze(value)) == text_of(freeze(turned))
