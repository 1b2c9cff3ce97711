"""Who acts with which role, and how a claim came to be held."""

from __future__ import annotations

import itertools

import pytest

from loom.errors import InvalidRequest
from loom.model.provenance import (
    LOCAL,
    Caller,
    CallerKind,
    Role,
    SourceClass,
    declared_class,
    lower_class,
)


def test_the_default_caller_is_a_local_process_that_administers_everything() -> None:
    """R-07: default `process:local`, admin of everything local, never human."""
    assert LOCAL.actor == "process:local"
    assert LOCAL.kind is CallerKind.PROCESS
    assert LOCAL.role_in("any", "where") is Role.ADMIN
    assert LOCAL.role_in("*", None) is Role.ADMIN


def test_a_human_is_human_only_by_saying_so() -> None:
    """R-07: never `human` by default."""
    assert Caller(subject="ana").actor == "process:ana"
    assert Caller(subject="ana", kind=CallerKind.HUMAN).actor == "human:ana"


def test_roles_are_ordered() -> None:
    """R-07: viewer < writer < admin."""
    assert Role.VIEWER < Role.WRITER < Role.ADMIN


def test_a_role_reaches_where_it_was_given() -> None:
    """R-07: roles are held per namespace, over an org, or over the store."""
    caller = Caller(
        subject="x",
        roles={"acme/lab": Role.WRITER, "acme/*": Role.VIEWER, "beta/one": Role.ADMIN},
    )

    assert caller.role_in("acme", "lab") is Role.WRITER
    assert caller.role_in("acme", "other") is Role.VIEWER
    assert caller.role_in("acme", None) is Role.VIEWER
    assert caller.role_in("beta", "one") is Role.ADMIN
    assert caller.role_in("beta", "two") is None
    assert caller.role_in("beta", None) is None
    assert caller.role_in("*", None) is None


def test_the_greatest_role_held_counts() -> None:
    """R-07: a greater role includes the lesser."""
    caller = Caller(subject="x", roles={"*": Role.ADMIN, "acme/lab": Role.VIEWER})

    assert caller.role_in("acme", "lab") is Role.ADMIN


def test_roles_cannot_be_changed_from_outside() -> None:
    """R-17: what was handed in does not reach the caller."""
    roles = {"acme/lab": Role.VIEWER}
    caller = Caller(subject="x", roles=roles)
    roles["*"] = Role.ADMIN

    assert caller.role_in("beta", "one") is None
    with pytest.raises(TypeError):
        caller.roles["*"] = Role.ADMIN  # type: ignore[index]


@pytest.mark.parametrize("subject", ["", "*", "a\nb", "x" * 201])
def test_a_subject_is_a_name(subject: str) -> None:
    """R-01, R-07: whoever acts is named as the parts of an identity are."""
    with pytest.raises(InvalidRequest):
        Caller(subject=subject)


@pytest.mark.parametrize("name", ["derived", "imported", "external"])
def test_a_request_may_lower_its_class(name: str) -> None:
    """R-47: what is declared is less than what the operation would stamp."""
    assert declared_class(name) == name


@pytest.mark.parametrize("name", ["asserted", "extracted", "observed", "", "EXTERNAL", 1])
def test_a_request_may_not_lift_its_class(name: object) -> None:
    """R-47: nothing lifts a source class."""
    with pytest.raises(InvalidRequest):
        declared_class(name)


def test_the_lower_of_two_classes_stands() -> None:
    """R-47: external < imported < derived < the rest, which are equal."""
    order = (SourceClass.EXTERNAL, SourceClass.IMPORTED, SourceClass.DERIVED)
    rest = (SourceClass.ASSERTED, SourceClass.OBSERVED, SourceClass.EXTRACTED)

    for i, lower in enumerate(order):
        for higher in (*order[i:], *rest):
            assert lower_class(lower, higher) is lower
            assert lower_class(higher, lower) is lower
    for one, other in itertools.product(rest, rest):
        assert lower_class(one, other) is one
