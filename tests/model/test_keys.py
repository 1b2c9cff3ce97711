"""Keys: what is accepted, what is refused, what is advised against."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.errors import InvalidRequest
from loom.model.keys import key_advisories, parse_key


@pytest.mark.parametrize(
    "key",
    [
        "user/preferences/editor",
        "a",
        "x" * 512,
        "project/α-β/目标",
        "प्रयोग/भाषा",
        "a.b/c_d-e",
        "a/...",
        "v2/config",
        "emoji/🙂",
        "100%/_x",
    ],
)
def test_a_readable_path_is_a_key(key: str) -> None:
    """R-02, A-33: letters of any script, one or more segments."""
    assert parse_key(key) == key


@pytest.mark.parametrize(
    "key, part",
    [
        ("", "empty"),
        ("x" * 513, "512"),
        ("/a", "position 1"),
        ("a/", "position 2"),
        ("a//b", "position 2"),
        ("a/./b", "position 2"),
        ("../b", "position 1"),
        ("a b", "U+0020"),
        ("a\tb", "U+0009"),
        ("a\u00a0b", "U+00A0"),
        ("a\u2003b", "U+2003"),
        ("a\u2028b", "U+2028"),
        ("a\x00b", "U+0000"),
        ("a\x7fb", "U+007F"),
        ("a\ud800b", "U+D800"),
    ],
)
def test_a_bad_key_is_refused_naming_the_part(key: str, part: str) -> None:
    """R-02: the error says what is wrong, and where."""
    with pytest.raises(InvalidRequest) as caught:
        parse_key(key)

    assert caught.value.details["field"] == "memory_key"
    assert part in caught.value.message


@pytest.mark.parametrize("key", [None, 3, b"a/b", ["a"], object()])
def test_a_key_is_a_string(key: object) -> None:
    """R-02: anything else is an invalid request."""
    with pytest.raises(InvalidRequest):
        parse_key(key)


def test_a_key_is_case_sensitive_and_one_in_both_normal_forms() -> None:
    """R-02: keys are taken after NFC; case makes another key."""
    assert parse_key("caf\u00e9") == parse_key("cafe\u0301") == "caf\u00e9"
    assert parse_key("User/a") != parse_key("user/a")


def test_the_length_counts_after_normalisation() -> None:
    """R-02: 1 to 512 characters after NFC."""
    assert len(parse_key("e\u0301" * 512)) == 512


@given(st.text(max_size=30))
def test_a_key_is_accepted_as_itself_or_refused(text: str) -> None:
    """R-02: parsing is idempotent and answers nothing but a key or an invalid request."""
    try:
        key = parse_key(text)
    except InvalidRequest:
        return
    assert key == unicodedata.normalize("NFC", text)
    assert parse_key(key) == key
    assert not any(c.isspace() for c in key)
    assert "" not in key.split("/")


@pytest.mark.parametrize("key", ["plan-v2", "plan_v3", "plan/v4", "plan.V5", "v1"])
def test_a_numbered_copy_is_advised_against(key: str) -> None:
    """R-02: a key ending in a version number is accepted with an advisory."""
    assert any(a.startswith("numbered_copy") for a in key_advisories(parse_key(key)))


@pytest.mark.parametrize(
    "key",
    [
        "fact/9f86d081884c7d65",
        "m/550e8400-e29b-41d4-a716-446655440000",
        "x/E3B0C44298FC1C149AFBF4C8996FB924",
        "id/aGVsbG8gd29ybGQ0MiBoYXNoZWQga2V5IQ9Zx",
    ],
)
def test_a_key_that_looks_hash_made_is_advised_against(key: str) -> None:
    """R-02: accepted, with an entry in `advisories`."""
    assert any(a.startswith("hash_keys") for a in key_advisories(parse_key(key)))


@pytest.mark.parametrize(
    "key", ["user/preferences/editor", "service/ipv4", "defaced/facade", "year/2026", "av8"]
)
def test_an_ordinary_key_gets_no_advice(key: str) -> None:
    """R-02: words, years and names are no hashes and no copies."""
    assert key_advisories(key) == ()
