"""JSON values as loom keeps them: checked, immutable, and hashed one way.

A value is any JSON value (R-10). What is handed out cannot be changed in place and what
was handed in is copied, so neither can change the store (R-17). The hash is taken over
canonical JSON after RFC 8785, so key order does not matter and `"1"` differs from `1`
(R-11); integers beyond 2^53-1, which that document leaves out, keep their exact digits.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn, TypeAlias

import rfc8785

from loom.errors import InvalidRequest, ValueTooLarge

__all__ = [
    "FrozenDict",
    "FrozenList",
    "Json",
    "JsonInput",
    "canonical_json",
    "freeze",
    "leaf_texts",
    "sha256_of",
]

Json: TypeAlias = "str | int | float | bool | FrozenDict | FrozenList | None"
JsonInput: TypeAlias = (
    "str | int | float | bool | Mapping[str, JsonInput] | Sequence[JsonInput] | None"
)

_MAX_DEPTH: Final = 64
_EMPTY_CONTAINER_BYTES: Final = 2


def _immutable(self: object, *_: object, **__: object) -> NoReturn:
    msg = "values read from a store are immutable; change a copy, for example dict(value)"
    raise TypeError(msg)


class FrozenDict(dict[str, Any]):
    """A JSON object that cannot be changed; equal to a plain dict of the same content."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _immutable
    clear = pop = popitem = setdefault = update = _immutable

    def __reduce__(self) -> tuple[object, ...]:
        return (FrozenDict, (dict(self),))


class FrozenList(list[Any]):
    """A JSON array that cannot be changed; equal to a plain list of the same content."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _immutable
    append = clear = extend = insert = pop = _immutable
    remove = reverse = sort = _immutable

    def __reduce__(self) -> tuple[object, ...]:
        return (FrozenList, (list(self),))


def freeze(value: object, *, field: str = "value", max_bytes: int | None = None) -> Json:
    """A checked, immutable copy of a JSON value.

    Args:
        value: anything built of str, int, float, bool, None, mappings with string keys
            and sequences.
        field: the argument's name, for the error.
        max_bytes: the largest UTF-8 size of the canonical JSON; None is no limit.

    Raises:
        InvalidRequest: NaN, an infinity, a lone surrogate, NUL, a key that is no string,
            a type JSON does not have, or nesting deeper than 64.
        ValueTooLarge: more than `max_bytes`.
    """
    frozen = _freeze(value, field, 0)
    if max_bytes is not None and _exceeds(frozen, max_bytes):
        msg = (
            f"{field} is larger than {max_bytes:,} bytes of JSON. Store a document "
            "elsewhere and keep one short memory that points at it."
        )
        raise ValueTooLarge(msg, field=field, max_bytes=max_bytes)
    return frozen


def _exceeds(value: Json, max_bytes: int) -> bool:
    if isinstance(value, str) and len(value) * 6 + _EMPTY_CONTAINER_BYTES <= max_bytes:
        return False
    return len(canonical_json(value)) > max_bytes


def _freeze(value: object, field: str, depth: int) -> Json:
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return _checked_text(value, field)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            msg = f"{field} holds NaN or an infinity, which JSON does not have; use null."
            raise InvalidRequest(msg, field=field)
        return float(value)
    if depth >= _MAX_DEPTH:
        msg = f"{field} is nested deeper than {_MAX_DEPTH} levels; flatten it."
        raise InvalidRequest(msg, field=field)
    if isinstance(value, Mapping):
        return FrozenDict(
            (_checked_name(name, field), _freeze(item, field, depth + 1))
            for name, item in value.items()
        )
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return FrozenList(_freeze(item, field, depth + 1) for item in value)
    msg = (
        f"{field} holds a {type(value).__name__}, which JSON does not have; pass text, "
        "numbers, booleans, null, mappings and sequences."
    )
    raise InvalidRequest(msg, field=field)


def _checked_name(name: object, field: str) -> str:
    if not isinstance(name, str):
        msg = f"{field} has an object key that is no string; JSON has no other keys."
        raise InvalidRequest(msg, field=field)
    return _checked_text(name, field)


def _checked_text(text: str, field: str) -> str:
    if "\x00" in text:
        msg = f"{field} contains a NUL character; remove it."
        raise InvalidRequest(msg, field=field)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            msg = f"{field} contains a lone surrogate, so it is no Unicode text."
            raise InvalidRequest(msg, field=field) from None
    return str(text)


def canonical_json(value: Json) -> bytes:
    """The one JSON text of a value, as UTF-8 (RFC 8785).

    >>> canonical_json(freeze({"b": 1.0, "a": [10**20]}))
    b'{"a":[100000000000000000000],"b":1}'
    """
    return _canonical(value).encode()


def _canonical(value: Json) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return rfc8785.dumps(value).decode()
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return (
            "{" + ",".join(f"{_canonical(n)}:{_canonical(value[n])}" for n in names) + "}"
        )
    return "[" + ",".join(map(_canonical, value)) + "]"


def sha256_of(value: Json) -> str:
    """SHA-256 over the canonical JSON, as 64 lower-case hexadecimal digits (R-11).

    >>> sha256_of("a")[:8], sha256_of(1) == sha256_of("1")
    ('ac8d8342', False)
    """
    return hashlib.sha256(canonical_json(value)).hexdigest()


def leaf_texts(value: Json) -> list[str]:
    """Every text and number in a value, object keys included, in document order."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [t for n, item in value.items() for t in (n, *leaf_texts(item))]
    if isinstance(value, list):
        return [t for item in value for t in leaf_texts(item)]
    return [_canonical(value)]
