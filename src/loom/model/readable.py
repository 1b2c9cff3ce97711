"""Results that read as attributes and as mappings.

`out.content_sha256`, `out["content_sha256"]` and `dict(out)` are the same answer. The
attribute is for people and type checkers, the mapping for templates, tables and code
written against the HTTP face.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import attrs

__all__ = ["Readable", "fields_of", "readonly"]


#: Names by class, looked up once: answers are read field by field.
_NAMES: dict[type[Any], tuple[str, ...]] = {}


def fields_of(kind: type[Any]) -> tuple[str, ...]:
    """Names of the fields of an attrs class, in their order."""
    if kind not in _NAMES:
        _NAMES[kind] = tuple(field.name for field in attrs.fields(kind))
    return _NAMES[kind]


def readonly(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """A copy of a mapping that cannot be changed: the converter of answers' mappings."""
    return MappingProxyType(dict(given))


class Readable:
    """Mapping access over the fields of an attrs class."""

    __slots__ = ()

    def __getitem__(self, name: str) -> Any:
        if name in fields_of(type(self)):
            return getattr(self, name)
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return name in fields_of(type(self))

    def __iter__(self) -> Iterator[str]:
        return iter(fields_of(type(self)))

    def __len__(self) -> int:
        return len(fields_of(type(self)))

    def __bool__(self) -> bool:
        """An answer is never false, however few fields it has."""
        return True

    def keys(self) -> tuple[str, ...]:
        """Names of all fields; with `__getitem__` this is what `dict(out)` needs."""
        return fields_of(type(self))

    def get(self, name: str, default: Any = None) -> Any:
        """The field of that name, or `default` where there is none."""
        return self[name] if name in self else default

    def _repr_html_(self) -> str:
        """A small table for notebooks; everything in it is escaped."""
        from loom.model.showing import html_of  # noqa: PLC0415 - for notebooks alone

        return html_of(self)
