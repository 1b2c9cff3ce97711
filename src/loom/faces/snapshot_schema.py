"""The JSON schema of a snapshot's part, from the fields that rows have.

`python -m loom.faces.snapshot_schema` prints it; docs/snapshot.schema.json holds it, and a
test keeps the two equal.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import attrs

from loom.operations.snapshots import SNAPSHOT_FORMAT, Snapshot
from loom.serde import stored_kinds

__all__ = ["snapshot_schema"]

_NULLABLE_TIME: Final = {"type": ["string", "null"], "format": "date-time"}
#: From what a field holds to how JSON holds it.
_TYPES: Final[Mapping[str, Mapping[str, Any]]] = {
    "text": {"type": ["string", "null"]},
    "integer": {"type": "integer"},
    "real": {"type": ["number", "null"]},
    "flag": {"type": "boolean"},
    "time": _NULLABLE_TIME,
    "texts": {"type": "array", "items": {"type": "string"}},
    "json": {},
    "rules": {"type": "object", "additionalProperties": {"type": "object"}},
}
#: Members of a part that are no row's.
_PLAIN: Final[Mapping[str, Mapping[str, Any]]] = {
    "cursor": {"type": ["string", "null"], "description": "null in the last part"},
    "taken_at": {"type": "string", "format": "date-time"},
    "history": {"type": "boolean"},
    "grants": {"type": "array", "items": {"type": "string"}},
    "settings": {"anyOf": [{"$ref": "#/$defs/namespace"}, {"type": "null"}]},
    "audit_tail": {"type": "array", "items": {"$ref": "#/$defs/audit"}},
    "memories": {"type": "array", "items": {"$ref": "#/$defs/exported"}},
    "vectors": {
        "type": "object",
        "additionalProperties": {"type": "string", "contentEncoding": "base64"},
    },
}


def snapshot_schema() -> dict[str, Any]:
    """The schema of one line of a snapshot file (JSON Schema 2020-12)."""
    members = {field.name: _member(field) for field in attrs.fields(Snapshot)}
    sealed = {
        "loom": {"const": "snapshot"},
        "format": {"const": SNAPSHOT_FORMAT},
        **members,
        "digest": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
    }
    rows = {name: _row(kinds) for name, kinds in stored_kinds().items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "One part of a snapshot of a namespace",
        **_object(sealed, list(sealed)),
        "$defs": {
            "exported": _object(
                {
                    "head": {"$ref": "#/$defs/memory"},
                    "history": {"type": "array", "items": {"$ref": "#/$defs/memory"}},
                },
                ["head", "history"],
            ),
            **{name: rows[name] for name in ("memory", "audit", "namespace")},
        },
    }


def _member(field: attrs.Attribute[Any]) -> Mapping[str, Any]:
    if field.name in _PLAIN:
        return _PLAIN[field.name]
    return {"type": "integer"} if field.type in (int, "int") else {"type": "string"}


def _row(kinds: Mapping[str, str]) -> dict[str, Any]:
    """Absent fields have their defaults, so none is required."""
    return _object({name: _TYPES[kind] for name, kind in kinds.items()}, [])


def _object(members: Mapping[str, Any], required: list[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(members),
        "required": required,
        "additionalProperties": False,
    }


if __name__ == "__main__":
    print(json.dumps(snapshot_schema(), indent=2))  # noqa: T201 - what it is for
