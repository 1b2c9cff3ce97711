"""The errors of the library as a caller meets them."""

from __future__ import annotations

import pickle
from typing import Final

import pytest

from loom import errors
from loom.errors import InvalidRequest, LoomError, NotFound, Refused, StorageError

#: The table of spec.md, written out.
CODES: Final = {
    "InvalidRequest": "INVALID",
    "ValueTooLarge": "VALUE_TOO_LARGE",
    "Locked": "LOCKED",
    "PinnedConflict": "PINNED_CONFLICT",
    "Blacklisted": "BLACKLISTED",
    "PreconditionFailed": "PRECONDITION_FAILED",
    "IllegalTransition": "ILLEGAL_TRANSITION",
    "NotFound": "NOT_FOUND",
    "RestoreWindowPassed": "RESTORE_WINDOW_PASSED",
    "Unauthenticated": "UNAUTHENTICATED",
    "Forbidden": "FORBIDDEN",
    "EmbeddingFailed": "EMBEDDING_FAILED",
    "EmbedderMismatch": "EMBEDDER_MISMATCH",
    "StoreLocked": "STORE_LOCKED",
    "StoreUnavailable": "STORE_UNAVAILABLE",
    "SchemaTooNew": "SCHEMA_TOO_NEW",
}


@pytest.mark.parametrize("name, code", CODES.items())
def test_every_error_has_its_code_and_the_one_base(name: str, code: str) -> None:
    """Spec, errors: one hierarchy under `LoomError`, each with a stable code."""
    kind = getattr(errors, name)

    assert issubclass(kind, LoomError)
    assert kind.code == code


def test_no_two_errors_share_a_code() -> None:
    """Spec, errors: a program tells errors apart by their codes."""
    assert len(set(CODES.values())) == len(CODES)


def test_no_error_knows_an_http_status() -> None:
    """Spec, errors: status numbers belong to the server adapter alone."""
    for name in CODES:
        assert not hasattr(getattr(errors, name)("Refused."), "status")


@pytest.mark.parametrize("name", CODES)
def test_an_error_crosses_a_process_boundary_whole(name: str) -> None:
    """Spec, errors: message and details survive pickling."""
    sent = getattr(errors, name)("It was refused.", memory_key="a/b", count=3)

    received = pickle.loads(pickle.dumps(sent))

    assert type(received) is type(sent)
    assert received.message == "It was refused."
    assert received.details == {"memory_key": "a/b", "count": 3}


def test_an_error_is_caught_by_the_built_in_class_it_resembles() -> None:
    """Spec, errors: a malformed request is a ValueError, a missing row a LookupError."""
    assert issubclass(InvalidRequest, ValueError)
    assert issubclass(NotFound, LookupError)
    assert issubclass(errors.Forbidden, PermissionError)


def test_refusals_and_storage_errors_are_told_apart_by_their_base() -> None:
    """R-30: a rule's refusal, which is audited, is not a malformed request."""
    for name in ("Locked", "PinnedConflict", "Blacklisted", "PreconditionFailed"):
        assert issubclass(getattr(errors, name), Refused)
    for name in ("StoreLocked", "StoreUnavailable", "SchemaTooNew", "EmbedderMismatch"):
        assert issubclass(getattr(errors, name), StorageError)
    assert not issubclass(InvalidRequest, Refused)
