"""The most specific word on each threshold stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.model.namespace import NamespaceRow, TypeRule
from loom.model.thresholds import Thresholds
from loom.policies.thresholds import Pin, pins_of, resolved, setting_pin
from loom.settings import Settings

OWN = Thresholds(conflict=0.7, duplicate=0.9, source="embedder:e")
COSINES = st.none() | st.floats(0, 1)
ROW = NamespaceRow(
    org="acme",
    namespace="lab",
    conflict_threshold=0.6,
    type_registry={
        "decision": TypeRule(duplicate_threshold=0.95),
        "free": TypeRule(),
    },
)


def test_no_word_leaves_the_embedder_its_own() -> None:
    """R-40."""
    assert resolved((), OWN) is OWN
    assert resolved((Pin(source="setting"),), OWN) is OWN


def test_a_type_stands_before_its_namespace_and_that_before_a_setting() -> None:
    """A-117 to A-119: each of the two numbers by itself."""
    setting = setting_pin(Settings(conflict_threshold=0.5, duplicate_threshold=0.8))
    found = resolved((*pins_of("decision", ROW), setting), OWN)
    assert (found.conflict, found.duplicate) == (0.6, 0.95)
    assert found.source == "conflict from namespace, duplicate from type:decision"
    plain = resolved((*pins_of("semantic", ROW), setting), OWN)
    assert (plain.conflict, plain.duplicate) == (0.6, 0.8)
    assert resolved((setting,), OWN).source == "setting"


def test_only_what_is_said_is_a_pin() -> None:
    assert pins_of("decision", None) == ()
    assert [pin.source for pin in pins_of("free", ROW)] == ["namespace"]
    assert [pin.source for pin in pins_of("decision", ROW)] == [
        "type:decision",
        "namespace",
    ]


@pytest.mark.parametrize(
    "pin, conflict, duplicate",
    [
        (Pin(source="namespace", conflict=0.95), 0.95, 0.95),
        (Pin(source="namespace", duplicate=0.4), 0.4, 0.4),
    ],
)
def test_where_the_two_cross_the_more_specific_word_stands(
    pin: Pin, conflict: float, duplicate: float
) -> None:
    """Texts that are one are about one thing, so the other number moves to it."""
    found = resolved((pin,), OWN)
    assert (found.conflict, found.duplicate, found.source) == (
        conflict,
        duplicate,
        "namespace",
    )


@given(st.lists(st.tuples(COSINES, COSINES), max_size=4))
def test_every_chain_gives_two_numbers_in_order(
    words: list[tuple[float | None, ...]],
) -> None:
    """A-116 to A-119: whatever is pinned, the answer says where it came from."""
    pins = [Pin(source=f"s{i}", conflict=c, duplicate=d) for i, (c, d) in enumerate(words)]
    found = resolved(pins, OWN)
    assert 0 <= found.conflict <= found.duplicate <= 1
    said = {v for c, d in words for v in (c, d)} | {OWN.conflict, OWN.duplicate}
    assert {found.conflict, found.duplicate} <= said
    by_name = {pin.source: pin for pin in pins} | {OWN.source: OWN}
    one, other = by_name[found.conflict_source], by_name[found.duplicate_source]
    assert found.conflict in (one.conflict, one.duplicate)
    assert found.duplicate in (other.conflict, other.duplicate)
    assert found.source in (
        found.conflict_source,
        f"conflict from {found.conflict_source}, duplicate from {found.duplicate_source}",
    )
