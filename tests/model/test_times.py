"""Instants and versions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.errors import InvalidRequest
from loom.model.times import instant_of, last_version_at, micros_of, parse_instant

versions = st.integers(min_value=0, max_value=4_000_000_000 * 10**9)


@pytest.mark.parametrize(
    "given_time, expected",
    [
        ("2026-05-04T09:00:00Z", datetime(2026, 5, 4, 9, tzinfo=UTC)),
        ("2026-05-04T09:00:00+02:00", datetime(2026, 5, 4, 7, tzinfo=UTC)),
        ("2026-05-04T09:00:00.123456-01:30", datetime(2026, 5, 4, 10, 30, 0, 123456, UTC)),
        (
            datetime(2026, 5, 4, 9, tzinfo=timezone(timedelta(hours=5))),
            datetime(2026, 5, 4, 4, tzinfo=UTC),
        ),
    ],
)
def test_a_time_with_an_offset_is_kept_in_utc(
    given_time: object, expected: datetime
) -> None:
    """R-14: aware datetimes and ISO 8601 strings with an offset, to the microsecond."""
    found = parse_instant(given_time, field="valid_at")

    assert found == expected
    assert found.utcoffset() == timedelta(0)


@pytest.mark.parametrize(
    "bad",
    [
        datetime(2026, 5, 4, 9),  # noqa: DTZ001 - the naive time is the case
        "2026-05-04T09:00:00",
        "2026-05-04",
        "yesterday",
        "",
        1_700_000_000,
        None,
        True,
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
    ],
)
def test_a_time_that_names_no_instant_is_refused(bad: object) -> None:
    """R-14: a naive datetime is an invalid request, and so is what is no time."""
    with pytest.raises(InvalidRequest) as caught:
        parse_instant(bad, field="valid_at")

    assert caught.value.details["field"] == "valid_at"


@given(versions, versions)
def test_an_instant_includes_its_own_microsecond(a: int, b: int) -> None:
    """R-15: instants compare as `floor(version / 1000)`."""
    at = instant_of(b)

    assert (a <= last_version_at(at)) == (a // 1000 <= b // 1000)


@given(versions)
def test_the_instant_of_a_version_is_its_microsecond(version: int) -> None:
    """R-15: a version is a nanosecond epoch."""
    assert micros_of(instant_of(version)) == version // 1000
    assert instant_of(version) == instant_of(version // 1000 * 1000)


@given(versions, versions)
def test_later_versions_never_have_earlier_instants(a: int, b: int) -> None:
    """R-15: versions and instants are in one order."""
    assert (a <= b) <= (instant_of(a) <= instant_of(b))
