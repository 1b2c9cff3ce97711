"""The one converter between values and JSON.

Rules, for every class alike:

- A `datetime` is ISO 8601 in UTC with six digits of a second and `+00:00`, so that texts
  sort as times do; any offset is read, a time without one is refused.
- An enum member is its value. A tuple is an array and comes back as a tuple.
- A JSON value (`Kind.JSON`) is itself; read back it is immutable (`model.json_values`).
- A mapping of rules (`Kind.RULES`) is an object of objects, which hold what is said alone;
  read back it is immutable.
- None is null. A field that is absent has its default; a field that is not known is
  refused, so that a misspelt name is an error and never silently dropped.
- Of a row only stored fields are written: `resolved_from` and `unchanged` belong to one
  answer and are not part of what is kept.

`converter` serves any attrs class and is what faces use. `RowCodec` does the same for the
rows of one table, ten times as fast: it is on the path of every write and every open.
Classes know nothing of this module.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from typing import Any, Final, Generic, TypeVar

import attrs
import cattrs
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from loom.errors import InvalidRequest
from loom.model.json_values import FrozenDict, FrozenList, freeze
from loom.storage.tables import TABLES, Kind, Table

__all__ = [
    "RowCodec",
    "converter",
    "from_json",
    "read_json",
    "shared",
    "stored_kinds",
    "time_from",
    "time_text",
    "to_json",
]

T = TypeVar("T")
_Encode = Callable[[Any], Any]
_Decode = Callable[[Any], Any]

_read: Final = json.JSONDecoder().raw_decode
_write: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def read_json(text: str) -> Any:
    """The value of a JSON text that this module wrote: nothing stands around it."""
    return _read(text)[0]


def time_text(at: datetime) -> str:
    """The instant as text that sorts as the instants do.

    >>> time_text(datetime(2026, 5, 4, 9, tzinfo=UTC))
    '2026-05-04T09:00:00.000000+00:00'
    """
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def time_from(text: str) -> datetime:
    """The instant of an ISO 8601 text with an offset.

    Raises:
        InvalidRequest: it is no such text.
    """
    try:
        at = datetime.fromisoformat(text)
        if at.tzinfo is UTC:
            return at
        if at.tzinfo is not None:
            return at.astimezone(UTC)
    except (OverflowError, TypeError, ValueError):
        pass
    msg = "a time is not written as ISO 8601 with an offset."
    raise InvalidRequest(msg)


def to_json(value: object) -> Any:
    """The value as plain JSON: dicts, lists, texts, numbers, booleans, None."""
    return converter().unstructure(value)


def from_json(data: object, kind: type[T]) -> T:
    """A value of that class from plain JSON.

    Raises:
        InvalidRequest: a field is unknown, missing, or holds something else.
    """
    try:
        return converter().structure(data, kind)
    except (cattrs.BaseValidationError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, InvalidRequest):
            raise
        reasons = "; ".join(_reasons(error))
        msg = f"this is no {kind.__name__}: {reasons}."
        raise InvalidRequest(msg) from None


def _reasons(error: BaseException) -> list[str]:
    """What is wrong, by field name; never what the field holds."""
    if isinstance(error, cattrs.ForbiddenExtraKeysError):
        return [f"unknown field {name!r}" for name in sorted(error.extra_fields)]
    if isinstance(error, cattrs.ClassValidationError):
        named, _ = error.group_exceptions()
        found = [f"field {note.name!r} is missing or malformed" for _, note in named]
        return found + [r for e in error.exceptions for r in _reasons(e) if not found]
    return ["a field is missing or malformed"]


@cache
def converter() -> cattrs.Converter:
    """The converter; made once, and to be treated as read-only."""
    made = cattrs.Converter(forbid_extra_keys=True)
    made.register_unstructure_hook(datetime, time_text)
    made.register_structure_hook(datetime, lambda text, _: time_from(text))
    made.register_unstructure_hook(FrozenDict, _plain)
    made.register_unstructure_hook(FrozenList, _plain)
    made.register_structure_hook(FrozenDict, lambda data, _: _frozen(data))
    for table in TABLES:
        _register(made, table)
    return made


def stored_kinds() -> dict[str, dict[str, str]]:
    """From a table's name to its stored fields and what each holds."""
    return {
        table.name: {name: kind.value for name, kind in table.fields.items()}
        for table in TABLES
    }


def _register(made: cattrs.Converter, table: Table[Any]) -> None:
    codec: RowCodec[Any] = RowCodec(table)
    written: dict[str, Any] = {}
    read: dict[str, Any] = {}
    for field in attrs.fields(table.row):
        if field.name not in table.fields:
            written[field.name] = read[field.name] = override(omit=True)
            continue
        encode, decode = codec.encoders[field.name], codec.decoders[field.name]
        written[field.name] = override(unstruct_hook=_or_none(encode))
        read[field.name] = override(struct_hook=_typed(decode))
    made.register_unstructure_hook(
        table.row, make_dict_unstructure_fn(table.row, made, **written)
    )
    made.register_structure_hook(table.row, make_dict_structure_fn(table.row, made, **read))


def _or_none(encode: _Encode | None) -> _Encode:
    if encode is None:
        return _plain
    return lambda value: None if value is None else encode(value)


def _typed(decode: _Decode | None) -> Callable[[Any, Any], Any]:
    if decode is None:
        return lambda value, _: value
    return lambda value, _: None if value is None else decode(value)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _frozen(value: Any) -> Any:
    return value if value.__class__ is str else freeze(value)


#: Fields in which many rows say the same.
_OFTEN_ALIKE: Final = ("agent", "user_id", "session_id", "actor", "memory_type")


class RowCodec(Generic[T]):
    """Rows of one table to JSON objects and back.

    Args:
        table: whose rows.
        outside: fields that are kept elsewhere and left out of the object.

    Attributes:
        encoders: for each field how a value becomes JSON; None is as it is.
        decoders: the reverse.
        defaults: for each field that has one, its default as JSON.
    """

    def __init__(self, table: Table[T], outside: tuple[str, ...] = ()) -> None:
        _resolve(table.row)
        self.table = table
        self.encoders: dict[str, _Encode | None] = {}
        self.decoders: dict[str, _Decode | None] = {}
        self.defaults: dict[str, Any] = {}
        fields: list[tuple[str, Any, _Encode | None]] = []
        columns: Any = table.row
        for field in attrs.fields(columns):
            if field.name not in table.fields:
                continue
            encode, decode = _ways(table.fields[field.name], field.type)
            self.encoders[field.name], self.decoders[field.name] = encode, decode
            default = _default(field)
            if default is not attrs.NOTHING:
                self.defaults[field.name] = (
                    encode(default) if encode and default is not None else default
                )
            if field.name not in outside:
                fields.append((field.name, default, encode))
        self._fields = tuple(fields)
        self._changed = {n: d for n, d in self.decoders.items() if d is not None}
        self._changed |= {n: shared for n in _OFTEN_ALIKE if n in self.decoders}

    def to_dict(self, row: T) -> dict[str, Any]:
        """The fields that do not have their default."""
        data: dict[str, Any] = {}
        for name, default, encode in self._fields:
            value = getattr(row, name)
            if value == default:
                continue
            data[name] = value if encode is None or value is None else encode(value)
        return data

    def encode(self, row: T, **more: object) -> str:
        """The object as text, with other members beside the row's own."""
        return _write({**self.to_dict(row), **more} if more else self.to_dict(row))

    def from_dict(self, data: dict[str, Any], **outside: object) -> T:
        """The row again; `data` is consumed."""
        changed = self._changed
        for name, value in data.items():
            if name in changed and value is not None:
                data[name] = changed[name](value)
        return self.table.row(**data, **outside)


def _resolve(row: type[Any]) -> None:
    """Annotations as types; those of the modules' own aliases name these two."""
    attrs.resolve_types(row, localns={"FrozenDict": FrozenDict, "FrozenList": FrozenList})


def _default(field: attrs.Attribute[Any]) -> Any:
    default: Any = field.default
    return default.factory() if hasattr(default, "factory") else default


def _ways(  # noqa: PLR0911 - a flat table
    kind: Kind, annotation: Any
) -> tuple[_Encode | None, _Decode | None]:
    """How a value of this kind is written and read; None is as it is."""
    match kind:
        case Kind.TIME:
            return time_text, time_from
        case Kind.TEXTS:
            return list, _shared_texts
        case Kind.JSON:
            return None, _frozen
        case Kind.RULES:
            return _of_rules(annotation)
        case Kind.REAL:
            return None, float
        case Kind.TEXT:
            return _of_enum(annotation)
        case Kind.INTEGER | Kind.FLAG:
            return None, None


def _of_rules(annotation: Any) -> tuple[_Encode, _Decode]:
    """Of `Mapping[str, R]`: each rule as an object of the fields that are not None."""
    rule: Any = annotation.__args__[1]
    attrs.resolve_types(rule)
    ways = {part.name: _of_enum(part.type) for part in attrs.fields(rule)}

    def encoded(rules: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        return {name: dict(_said(one)) for name, one in rules.items()}

    def _said(one: Any) -> Iterator[tuple[str, Any]]:
        for name, (encode, _) in ways.items():
            value = getattr(one, name)
            if value is not None:
                yield name, value if encode is None else encode(value)

    def decoded(data: Mapping[str, Mapping[str, Any]]) -> FrozenDict:
        return FrozenDict(
            (name, rule(**{part: _read_part(part, value) for part, value in one.items()}))
            for name, one in data.items()
        )

    def _read_part(part: str, value: Any) -> Any:
        decode = ways[part][1]
        return value if decode is None or value is None else decode(value)

    return encoded, decoded


#: Names that many rows have in common, so that a store in memory holds each once.
_SHARED: Final[dict[str, str]] = {}
_MOST_SHARED: Final = 10_000


def shared(text: str) -> str:
    """An equal text, the same object for as long as it is remembered."""
    if len(_SHARED) >= _MOST_SHARED:
        _SHARED.clear()
    return _SHARED.setdefault(text, text)


def _shared_texts(texts: list[str]) -> tuple[str, ...]:
    return tuple(map(shared, texts))


def _of_enum(annotation: Any) -> tuple[_Encode | None, _Decode | None]:
    choices = (annotation, *getattr(annotation, "__args__", ()))
    kind = next((c for c in choices if isinstance(c, type) and issubclass(c, Enum)), None)
    if kind is None:
        return None, None
    members: Mapping[object, Enum] = {m.value: m for m in kind}
    return (lambda member: member.value), members.__getitem__
