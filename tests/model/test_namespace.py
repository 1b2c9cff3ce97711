"""What a namespace may say, and how a malformed word is refused."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from loom.errors import InvalidRequest
from loom.model.namespace import (
    ConflictPolicy,
    NamespaceRow,
    TagRule,
    TypeRule,
    check_threshold_order,
    parse_conflict_policy,
    parse_description,
    parse_tag_registry,
    parse_threshold,
    parse_type_registry,
)
from loom.testing.strategies import namespace_rows


def test_the_defaults_are_those_of_the_pages() -> None:
    """A-126: contradictions are reinforced automatically unless a namespace says else."""
    row = NamespaceRow(org="acme", namespace="lab")
    assert row.default_conflict_policy is ConflictPolicy.AUTO_REINFORCE
    assert (row.conflict_threshold, row.duplicate_threshold) == (None, None)
    assert row.tag_registry == {}
    assert row.type_registry == {}


def test_a_tag_rule_is_read_from_plain_json() -> None:
    """A-175, A-176: a tag may carry retention, dedup and a conflict policy."""
    found = parse_tag_registry(
        {
            "case": {
                "conflict_policy": "append_only",
                "dedup": False,
                "retention_days": 30,
            },
            "Case": {},
            "known": TagRule(dedup=True),
        }
    )
    assert found["case"] == TagRule(
        conflict_policy=ConflictPolicy.APPEND_ONLY, dedup=False, retention_days=30.0
    )
    assert found["Case"] == TagRule()
    assert found["known"] == TagRule(dedup=True)


def test_a_tag_is_kept_in_nfc_as_rows_keep_theirs() -> None:
    """A rule must be found by the tag of a row, however its accents were typed."""
    assert list(parse_tag_registry({"cafe\u0301": {}})) == ["caf\u00e9"]
    with pytest.raises(InvalidRequest, match="twice"):
        parse_tag_registry({"cafe\u0301": {}, "caf\u00e9": {}})


@pytest.mark.parametrize(
    "registry, named",
    [
        (["case"], "tag_registry must be a mapping"),
        ("case", "tag_registry must be a mapping"),
        ({"": {}}, "non-empty"),
        ({"  ": {}}, "non-empty"),
        ({1: {}}, "non-empty"),
        ({"x" * 1001: {}}, "1,000"),
        ({"a\x00b": {}}, "NUL"),
        ({"case": None}, "tag_registry['case'] must be a mapping"),
        ({"case": "append_only"}, "tag_registry['case'] must be a mapping"),
        ({"case": {"policy": "append_only"}}, "conflict_policy, dedup, retention_days"),
        ({"case": {"conflict_policy": "newest"}}, "newest_wins"),
        ({"case": {"conflict_policy": 1}}, "conflict_policy"),
        ({"case": {"dedup": "no"}}, "true or false"),
        ({"case": {"dedup": 0}}, "true or false"),
        ({"case": {"retention_days": 0}}, "above 0"),
        ({"case": {"retention_days": -1}}, "above 0"),
        ({"case": {"retention_days": True}}, "number of days"),
        ({"case": {"retention_days": "30"}}, "number of days"),
        ({"case": {"retention_days": float("nan")}}, "number of days"),
        ({"case": {"retention_days": 1e9}}, "at most 36,525"),
        ({f"t{i}": {} for i in range(1001)}, "more than 1,000"),
        ({"case": TypeRule(conflict_threshold=0.5)}, "unknown"),
    ],
)
def test_a_malformed_tag_registry_is_refused_and_the_part_is_named(
    registry: Any, named: str
) -> None:
    """Spec, errors: what was refused and what may be said instead."""
    with pytest.raises(InvalidRequest) as caught:
        parse_tag_registry(registry)
    assert named in caught.value.message


@pytest.mark.parametrize(
    "registry, named",
    [
        ([], "type_registry must be a mapping"),
        ({"": {}}, "type_registry: "),
        ({"decision": {"conflict": 0.5}}, "conflict_threshold, duplicate_threshold"),
        ({"decision": {"conflict_threshold": 1.1}}, "cosine from 0 to 1"),
        ({"decision": {"conflict_threshold": float("nan")}}, "cosine from 0 to 1"),
        ({"decision": {"duplicate_threshold": True}}, "cosine from 0 to 1"),
        (
            {"decision": {"conflict_threshold": 0.9, "duplicate_threshold": 0.8}},
            "must not be above",
        ),
    ],
)
def test_a_malformed_type_registry_is_refused(registry: Any, named: str) -> None:
    """A-119."""
    with pytest.raises(InvalidRequest) as caught:
        parse_type_registry(registry)
    assert named in caught.value.message


@pytest.mark.parametrize(
    "call",
    [
        lambda: parse_conflict_policy("NEWEST_WINS", name="p"),
        lambda: parse_conflict_policy(None, name="p"),
        lambda: parse_threshold("0.5", name="t"),
        lambda: parse_threshold(-0.1, name="t"),
        lambda: parse_description(7),
        lambda: parse_description("x" * 2001),
        lambda: parse_description("a\ud800"),
        lambda: check_threshold_order(0.9, 0.8, name="n"),
    ],
    ids=lambda call: f"{call.__code__.co_names[0]}-{call.__code__.co_firstlineno}",
)
def test_other_words_are_checked_as_well(call: Callable[[], object]) -> None:
    with pytest.raises(InvalidRequest):
        call()


def test_bounds_are_inclusive() -> None:
    """A-118: thresholds are cosines from 0 to 1, and the two may be equal."""
    assert [parse_threshold(v, name="t") for v in (None, 0, 1, 0.5)] == [None, 0, 1, 0.5]
    check_threshold_order(0.9, 0.9, name="n")
    check_threshold_order(0.9, None, name="n")


@given(namespace_rows())
def test_what_a_namespace_says_cannot_be_changed(row: NamespaceRow) -> None:
    """R-17."""
    for registry in (row.tag_registry, row.type_registry):
        changed: Any = registry
        with pytest.raises(TypeError):
            changed["new"] = TagRule()
    assert pickle.loads(pickle.dumps(row)) == row


def test_changing_what_was_passed_in_changes_nothing() -> None:
    """R-17."""
    given_rules = {"case": TagRule(dedup=False)}
    row = NamespaceRow(org="acme", namespace="lab", tag_registry=given_rules)
    given_rules["more"] = TagRule()
    assert list(row.tag_registry) == ["case"]
