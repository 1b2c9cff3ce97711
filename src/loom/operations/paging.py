"""Cursors as opaque text.

A cursor is data from a caller, so it is read as plain JSON values and checked; a forged
one can begin a page elsewhere, but it cannot widen what the reader may see.
"""

from __future__ import annotations

import base64
import binascii
import json
from datetime import datetime
from typing import Any, Final

from loom.errors import InvalidRequest
from loom.model.times import parse_instant
from loom.storage.query import Cursor

__all__ = ["decode_cursor", "encode_cursor"]


#: Marks a text that is an instant, so that no cursor passes for one of another order.
_INSTANT: Final = "at "


def encode_cursor(cursor: Cursor | None) -> str | None:
    """A cursor of texts, numbers and instants as URL-safe text."""
    if cursor is None:
        return None
    values = [_INSTANT + v.isoformat() if isinstance(v, datetime) else v for v in cursor]
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def decode_cursor(text: str | None, kinds: tuple[type, ...]) -> Cursor | None:
    """The cursor that `encode_cursor` wrote.

    Args:
        text: what the caller passed on.
        kinds: the type of each of its values.

    Raises:
        InvalidRequest: it wrote no such text.
    """
    if text is None:
        return None
    try:
        padded = text.encode("ascii") + b"=" * (-len(text) % 4)
        values: Any = json.loads(base64.urlsafe_b64decode(padded))
        found = tuple(_value(v, kind) for v, kind in zip(values, kinds, strict=True))
    except (AttributeError, TypeError, UnicodeError, binascii.Error, ValueError):
        found = ()
    if tuple(map(type, found)) != kinds:
        msg = "cursor is not one that a page of this list gave; start without a cursor."
        raise InvalidRequest(msg, field="cursor")
    return found


def _value(value: Any, kind: type) -> Any:
    """A value as `encode_cursor` was given it; ValueError if it is no instant but should."""
    if kind is not datetime:
        return value
    return parse_instant(str(value).removeprefix(_INSTANT), field="cursor")
