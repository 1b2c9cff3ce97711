"""Instants and versions.

An instant is a timezone-aware `datetime` in UTC with microseconds (R-14). A version is
an integer number of nanoseconds since the epoch (R-15); several versions may fall into
one microsecond, and they compare with instants as `version // 1000`, so that "as of T"
includes all of T's own microsecond on every path.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from loom.errors import InvalidRequest

__all__ = [
    "EPOCH",
    "instant_of",
    "last_version_at",
    "micros_of",
    "parse_instant",
]

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def instant_of(version: int) -> datetime:
    """The microsecond a version was stamped in.

    >>> instant_of(1_000_999)
    datetime.datetime(1970, 1, 1, 0, 0, 0, 1000, tzinfo=datetime.timezone.utc)
    """
    return EPOCH + timedelta(microseconds=version // 1000)


def micros_of(at: datetime) -> int:
    """Whole microseconds from the epoch to `at`."""
    return (at - EPOCH) // _MICROSECOND


def last_version_at(at: datetime) -> int:
    """The greatest version that `at` includes: the last nanosecond of its microsecond.

    >>> last_version_at(instant_of(5_000)) == 5_999
    True
    """
    return micros_of(at) * 1000 + 999


def parse_instant(value: object, *, field: str) -> datetime:
    """A caller's time as a UTC instant.

    Args:
        value: an aware `datetime`, or an ISO 8601 string with an offset or `Z`.
        field: the argument's name, for the error.

    Raises:
        InvalidRequest: the time has no offset, or is no time.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            msg = f"{field} is not an ISO 8601 time; write it as 2026-05-04T09:00:00Z."
            raise InvalidRequest(msg, field=field) from None
    if not isinstance(value, datetime):
        msg = f"{field} must be a datetime or an ISO 8601 string with an offset."
        raise InvalidRequest(msg, field=field)
    if value.tzinfo is None or value.utcoffset() is None:
        msg = (
            f"{field} has no time zone, so it names no instant; pass an aware datetime "
            "such as datetime.now(timezone.utc)."
        )
        raise InvalidRequest(msg, field=field)
    try:
        return value.astimezone(UTC)
    except OverflowError:
        msg = f"{field} lies outside the years 1 to 9999 once it is expressed in UTC."
        raise InvalidRequest(msg, field=field) from None
