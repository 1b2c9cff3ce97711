"""Values: what is accepted, how it is hashed, and that it cannot be changed."""

from __future__ import annotations

import copy
import hashlib
import json
import math
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.errors import InvalidRequest, ValueTooLarge
from loom.model.json_values import canonical_json, freeze, leaf_texts, sha256_of

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@given(values)
def test_any_json_value_is_kept_as_it_is(value: Any) -> None:
    """R-10: a value is any JSON value."""
    assert freeze(value) == value


@pytest.mark.parametrize(
    "bad",
    [
        math.nan,
        math.inf,
        -math.inf,
        "a\x00b",
        "\ud800",
        {"a": [math.nan]},
        {"\ud800": 1},
        {"\x00": 1},
        {1: "a"},
        {None: 1},
        b"bytes",
        {1, 2},
        object(),
        [[object()]],
        1j,
    ],
)
def test_what_json_does_not_have_is_refused(bad: object) -> None:
    """R-10: NaN, infinities, lone surrogates and NUL are refused, at any depth."""
    with pytest.raises(InvalidRequest) as caught:
        freeze(bad)

    assert caught.value.details["field"] == "value"


def test_a_hostile_depth_is_refused_and_a_usual_one_is_not() -> None:
    """R-10: no nesting can exhaust the stack."""
    deep: Any = "x"
    for _ in range(64):
        deep = [deep]
    assert freeze(deep) == deep

    with pytest.raises(InvalidRequest):
        freeze([deep])
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(InvalidRequest):
        freeze(deep)


@pytest.mark.parametrize(
    "value", ["x" * 98, "é" * 49, {"k": "v" * 92}, ["\x01" * 16]], ids=str
)
def test_the_size_is_that_of_the_canonical_utf8(value: Any) -> None:
    """R-10: the largest size counts bytes of UTF-8, and is inclusive."""
    size = len(canonical_json(freeze(value)))

    assert freeze(value, max_bytes=size) == value
    with pytest.raises(ValueTooLarge):
        freeze(value, max_bytes=size - 1)


def test_key_order_does_not_change_the_hash() -> None:
    """R-11: canonical JSON sorts names."""
    assert sha256_of(freeze({"b": 1, "a": {"d": 2, "c": 3}})) == sha256_of(
        freeze({"a": {"c": 3, "d": 2}, "b": 1})
    )


@pytest.mark.parametrize(
    "one, other",
    [
        ("1", 1),
        ("true", True),
        (1, True),
        (0, False),
        (None, "null"),
        ([], {}),
        ("a", "A"),
        ("caf\u00e9", "cafe\u0301"),
        (2**53 + 1, 2**53),
        (10**30, 10**30 + 1),
        (" a", "a"),
    ],
)
def test_what_differs_by_a_byte_has_another_hash(one: Any, other: Any) -> None:
    """R-11: byte-identical means the same hash, and `"1"` differs from `1`."""
    assert sha256_of(freeze(one)) != sha256_of(freeze(other))


def test_a_whole_float_is_the_number_it_is() -> None:
    """R-11: RFC 8785 writes `1.0` as `1`."""
    assert sha256_of(freeze(1.0)) == sha256_of(freeze(1))
    assert canonical_json(freeze(-0.0)) == b"0"
    assert canonical_json(freeze(1e21)) == b"1e+21"


def test_big_integers_keep_their_digits() -> None:
    """R-11: integers beyond 2^53-1 are written by their exact digits."""
    big = 12345678901234567890123456789
    assert canonical_json(freeze({"n": big})) == f'{{"n":{big}}}'.encode()


def test_the_hash_is_the_one_any_language_computes() -> None:
    """R-11: SHA-256 over RFC 8785 JSON, lower-case hexadecimal."""
    expected = hashlib.sha256('{"a":"é","b":[1,true,null]}'.encode()).hexdigest()

    assert sha256_of(freeze({"b": [1, True, None], "a": "é"})) == expected


def test_names_are_sorted_by_utf_16_units() -> None:
    """R-11: RFC 8785 orders names as UTF-16, not by code point."""
    value = freeze({"\ufb33": 1, "\U0001f600": 2})

    assert canonical_json(value).decode() == '{"\U0001f600":2,"\ufb33":1}'


@given(values)
def test_canonical_json_reads_back_as_itself(value: Any) -> None:
    """R-11: the canonical text is JSON, and its value has that same canonical text."""
    text = canonical_json(freeze(value))

    assert canonical_json(freeze(json.loads(text))) == text


@pytest.mark.parametrize(
    "method, arguments",
    [
        ("update", ({"x": 1},)),
        ("__setitem__", ("list", 1)),
        ("__delitem__", ("list",)),
        ("pop", ("list",)),
        ("popitem", ()),
        ("clear", ()),
        ("setdefault", ("x", 1)),
        ("__ior__", ({"x": 1},)),
    ],
)
def test_an_object_handed_out_cannot_be_changed(
    method: str, arguments: tuple[Any, ...]
) -> None:
    """R-17: a read hands out immutable values, at any depth."""
    value: Any = freeze({"list": [1, {"a": 2}]})

    with pytest.raises(TypeError):
        getattr(value, method)(*arguments)
    with pytest.raises(TypeError):
        value["list"][1]["a"] = 3
    assert value == {"list": [1, {"a": 2}]}


@pytest.mark.parametrize(
    "method, arguments",
    [
        ("append", (1,)),
        ("extend", ([1],)),
        ("insert", (0, 1)),
        ("pop", ()),
        ("remove", (3,)),
        ("sort", ()),
        ("reverse", ()),
        ("clear", ()),
        ("__setitem__", (0, 9)),
        ("__delitem__", (0,)),
        ("__iadd__", ([1],)),
        ("__imul__", (2,)),
    ],
)
def test_an_array_handed_out_cannot_be_changed(
    method: str, arguments: tuple[Any, ...]
) -> None:
    """R-17: a read hands out immutable values."""
    value: Any = freeze([3, 1, 2])

    with pytest.raises(TypeError):
        getattr(value, method)(*arguments)
    assert value == [3, 1, 2]


def test_changing_what_was_handed_in_does_not_reach_the_copy() -> None:
    """R-17: the store keeps a copy."""
    given_in: dict[str, Any] = {"list": [1, {"a": 2}]}
    kept = freeze(given_in)
    given_in["list"][1]["a"] = 99
    given_in["new"] = True

    assert kept == {"list": [1, {"a": 2}]}


@given(values)
def test_an_immutable_value_can_be_copied_and_sent(value: Any) -> None:
    """R-17: copies and pickles of what was handed out are equal to it."""
    kept = freeze(value)

    assert copy.deepcopy(kept) == kept
    assert pickle.loads(pickle.dumps(kept)) == kept


def test_every_text_and_number_of_a_value_is_a_leaf() -> None:
    """R-43: patterns reach object keys, nested lists and numbers."""
    value = freeze({"name": ["Ana", {"pin": 4711}], "ok": True, "gone": None})

    assert leaf_texts(value) == [
        "name",
        "Ana",
        "pin",
        "4711",
        "ok",
        "true",
        "gone",
        "null",
    ]
