"""Cursors as opaque text.

A cursor is data from a caller, so it is read as plain JSON values and checked; a forged
one can begin a page elsewhere, but it cannot widen what the reader may see.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from loom.errors import InvalidRequest
from loom.storage.query import Cursor

__all__ = ["decode_cursor", "encode_cursor"]


def encode_cursor(cursor: Cursor | None) -> str | None:
    """A cursor of texts and numbers as URL-safe text."""
    if cursor is None:
        return None
    return base64.urlsafe_b64encode(json.dumps(cursor).encode()).decode().rstrip("=")


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
    except (AttributeError, UnicodeError, binascii.Error, ValueError):
        values = None
    if not isinstance(values, list) or tuple(map(type, values)) != kinds:
        msg = "cursor is not one that a page of this list gave; start without a cursor."
        raise InvalidRequest(msg, field="cursor")
    return tuple(values)
