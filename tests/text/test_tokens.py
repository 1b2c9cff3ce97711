"""A row that holds what was typed is found by it, in every script; no query raises."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.text.tokens import LONGEST_QUERY, MOST_QUERY_TERMS, query_terms, terms_of


def finds(query: str, row: str) -> bool:
    """Whether every term of the query is a term of the row."""
    asked = query_terms(query)
    return bool(asked) and set(asked) <= set(terms_of(row))


@pytest.mark.parametrize(
    "query, row",
    [
        ("don't", "We don't deploy."),
        ("don’t", "We don't deploy."),
        ("pre-edit", "Run the pre-edit hook."),
        ("GB/s", "It reads 5GB/s."),
        ("GB/s", "It reads 5 GB/s, mostly"),
        ("a:b", "The key is (a:b)"),
        ('"open', 'He said "open it"'),
        ("(x", "f (x) is"),
        ("foo AND", "foo bar"),
        ("*", "a * b"),
        ("*", "every * day"),
        ("%", "100% sure"),
        ("%", "100 % sure"),
        (
            "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
            "id 3F2504E0-4F89-11D3-9A0C-0305E82C3301.",
        ),
        ("word " * 2_000, "word and more"),
        ("--force", "git push --force"),
        ("...", "wait ... what"),
    ],
)
def test_a_row_with_the_literal_is_found(query: str, row: str) -> None:
    """P23."""
    assert finds(query, row)


@pytest.mark.parametrize("query", ["", " ", "\n\t", "\0", "\0\0", "\x01", "\u200b"])
def test_nothing_typed_asks_for_nothing(query: str) -> None:
    """P23."""
    assert all(term.strip("\u200b") == "" for term in query_terms(query))


@pytest.mark.parametrize(
    "query, row",
    [
        ("deployed", "Billing deploys on Tuesdays"),
        ("cafe", "the Café Central"),
        ("café", "the Cafe\u0301 Central"),
        ("lodz", "przez Łódź"),
        ("STRASSE", "die Straße"),
        ("猫", "我喜欢猫和狗"),
        ("喜欢", "我喜欢猫和狗"),
        ("東京", "私は東京に住む"),
        ("テスト", "日本語のテストです"),
        ("학교", "저는 학교에서 공부합니다"),
        ("집", "집에서"),
        ("กิน", "ฉันกำลังกินข้าว"),
        ("ภาษา", "ฉันชอบภาษาไทย"),
        ("ភាសា", "ខ្ញុំចូលចិត្តភាសាខ្មែរ"),
        ("ພາສາ", "ຂ້ອຍມັກພາສາລາວ"),
        ("မြန်မာ", "ကျွန်တော်မြန်မာစာကြိုက်တယ်"),
        ("हिन्दी", "मुझे हिन्दी पसंद है"),
        ("محمد", "قال مُحَمَّد"),
        ("كتاب", "هذا كتـــاب"),
        ("שלום", "שָׁלוֹם לך"),
        ("👍", "done 👍🏽"),
        ("👩", "👩‍👩‍👧"),
        ("🇩🇪", "🇫🇷🇩🇪"),
        ("❤", "love ❤️"),
        ("abc", "ＡＢＣ１２"),
        ("été", "l’été dernier"),
        ("ete", "l'été dernier"),
        ("user", "the user_id column"),
        ("user_id", "user_id=5"),
        ("bar", "fooBar"),
        ("foobar", "call fooBar()"),
        ("C#", "He writes C#."),
        ("C++", "He writes C++, too"),
        ("192.168.0.1", "at 192.168.0.1:80"),
        ("main.py", "edit src/app/main.py"),
        ("src/app/main.py", "edit /src/app/main.py now"),
        ("example.org", "ann@example.org"),
        ("Ann", "Ann's cat"),
        ("2023", "in 2023-05-07"),
        ("αθηνα", "στην Αθήνα"),
        ("москва", "Москва."),
    ],
)
def test_words_are_found_in_every_script(query: str, row: str) -> None:
    """A-29; issue 2, item 4."""
    assert finds(query, row)


def test_c_sharp_and_c_plus_plus_are_not_the_same_term() -> None:
    assert not finds("C#", "He writes C++")


@given(st.text())
def test_no_text_raises_and_every_query_is_bounded(text: str) -> None:
    terms_of(text)
    assert len(query_terms(text)) <= MOST_QUERY_TERMS
    assert len(set(query_terms(text))) == len(query_terms(text))


@given(st.text())
def test_a_text_is_found_by_itself(text: str) -> None:
    """Whatever a row says, asking for the same gives a subset of its terms."""
    assert set(query_terms(text)) <= set(terms_of(text))


@given(st.text())
def test_composed_and_decomposed_spellings_have_the_same_terms(text: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert terms_of(composed) == terms_of(decomposed)


def test_stop_words_are_asked_for_only_when_alone() -> None:
    assert query_terms("what is the deploy window") == ("deploy", "window")
    assert query_terms("who is it") == ("who", "is", "it")


@pytest.mark.parametrize(
    "unit", ["a", "a-", "x1", "/", "'", "é", "字", "👩‍", "\u0301", "a b ", "*"]
)
def test_a_hostile_query_is_cheap(unit: str) -> None:
    """P23: ten thousand characters."""
    query = unit * (10_000 // len(unit))
    started = time.perf_counter()
    query_terms(query)
    assert time.perf_counter() - started < 0.25
    assert len(query) > LONGEST_QUERY
