"""Every error loom raises, with its stable code.

```
LoomError
├── InvalidRequest            INVALID
│   └── ValueTooLarge         VALUE_TOO_LARGE
├── Refused                   a rule said no
│   ├── Locked                LOCKED
│   ├── PinnedConflict        PINNED_CONFLICT
│   ├── Blacklisted           BLACKLISTED
│   ├── PreconditionFailed    PRECONDITION_FAILED
│   ├── IllegalTransition     ILLEGAL_TRANSITION
│   └── RestoreWindowPassed   RESTORE_WINDOW_PASSED
├── NotFound                  NOT_FOUND
├── Unauthenticated           UNAUTHENTICATED
├── Forbidden                 FORBIDDEN
├── EmbeddingFailed           EMBEDDING_FAILED
└── StorageError
    ├── EmbedderMismatch      EMBEDDER_MISMATCH
    ├── StoreLocked           STORE_LOCKED
    ├── StoreUnavailable      STORE_UNAVAILABLE
    └── SchemaTooNew          SCHEMA_TOO_NEW
```

A message says what was refused, why, and what to do next. It never contains a stored
value: messages are written to logs, and a log is not a place for memories. HTTP status
numbers belong to the server adapter and are not known here.
"""

from __future__ import annotations

from typing import ClassVar

__all__ = [
    "Blacklisted",
    "EmbedderMismatch",
    "EmbeddingFailed",
    "Forbidden",
    "IllegalTransition",
    "InvalidRequest",
    "Locked",
    "LoomError",
    "NotFound",
    "PinnedConflict",
    "PreconditionFailed",
    "Refused",
    "RestoreWindowPassed",
    "SchemaTooNew",
    "StorageError",
    "StoreLocked",
    "StoreUnavailable",
    "Unauthenticated",
    "ValueTooLarge",
]


class LoomError(Exception):
    """The base of all errors of this library.

    Attributes:
        code: a stable upper-case name for programs to compare with.
        message: one or two plain sentences for a person.
        details: what else a program may want to know (keys, hashes, times), never a
            stored value.
    """

    code: ClassVar[str] = "ERROR"

    def __init__(self, message: str, **details: object) -> None:
        super().__init__(message)
        self.message = message
        self.details = details

    def __reduce__(self) -> tuple[object, ...]:
        """Keep `details` when an error crosses a process boundary."""
        return (_rebuild, (type(self), self.message, self.details))


def _rebuild(kind: type[LoomError], message: str, details: dict[str, object]) -> LoomError:
    return kind(message, **details)


class InvalidRequest(LoomError, ValueError):
    """The request itself is malformed; nothing was judged and nothing was written."""

    code = "INVALID"


class ValueTooLarge(InvalidRequest):
    """The value exceeds the largest size the store accepts."""

    code = "VALUE_TOO_LARGE"


class Refused(LoomError):
    """A rule of the store said no; the refusal itself was audited."""


class Locked(Refused):
    """A lock on the row refuses the change (`details`: mode, reason, lock_until)."""

    code = "LOCKED"


class PinnedConflict(Refused):
    """A pinned row says otherwise and the write does not itself pin."""

    code = "PINNED_CONFLICT"


class Blacklisted(Refused):
    """The write contains something a blacklist pattern refuses."""

    code = "BLACKLISTED"


class PreconditionFailed(Refused):
    """`if_match_sha256` is not the hash of the live row."""

    code = "PRECONDITION_FAILED"


class IllegalTransition(Refused):
    """The row's status does not allow this change."""

    code = "ILLEGAL_TRANSITION"


class RestoreWindowPassed(Refused):
    """The row was deleted too long ago to be restored."""

    code = "RESTORE_WINDOW_PASSED"


class NotFound(LoomError, LookupError):
    """No row that the caller may see answers to this key or id."""

    code = "NOT_FOUND"


class Unauthenticated(LoomError, PermissionError):
    """The caller did not say who they are."""

    code = "UNAUTHENTICATED"


class Forbidden(LoomError, PermissionError):
    """The caller's role does not allow the operation."""

    code = "FORBIDDEN"


class EmbeddingFailed(LoomError):
    """The embedder raised or answered nonsense; nothing was written."""

    code = "EMBEDDING_FAILED"


class StorageError(LoomError):
    """The place where memories are kept cannot serve the call."""


class EmbedderMismatch(StorageError):
    """The store was written with another embedder than the one it was opened with."""

    code = "EMBEDDER_MISMATCH"


class StoreLocked(StorageError):
    """Another process has the file open."""

    code = "STORE_LOCKED"


class StoreUnavailable(StorageError):
    """The store is closed, broken, or does not answer."""

    code = "STORE_UNAVAILABLE"


class SchemaTooNew(StorageError):
    """The store was written by a newer version of this library."""

    code = "SCHEMA_TOO_NEW"
