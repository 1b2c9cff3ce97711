"""Who writes, and whom a read may see.

`Identity` is what a handle is bound to, `Address` is where one row lives (the storage
identity of R-01), `ScopeKey` names a group of rows that are searched together.
"""

from __future__ import annotations

from typing import Final

import attrs
from attrs import frozen

from loom.errors import InvalidRequest

__all__ = [
    "ANONYMOUS",
    "ANY",
    "Address",
    "Identity",
    "ScopeKey",
    "checked_name",
]

#: The `user_id` of rows that belong to nobody in particular.
ANONYMOUS: Final = "-"
#: Asked for by name: every user (or every agent) instead of one.
ANY: Final = "*"

_LONGEST: Final = 200


@frozen(slots=True)
class Address:
    """The storage identity: two rows never share one."""

    org: str
    namespace: str
    agent: str
    user_id: str
    session_id: str
    memory_key: str
    #: Empty for the key's own row; for one that is kept beside it, a proposal or a fact
    #: filed into history, its memory id (R-23).
    beside: str = ""

    @property
    def own(self) -> Address:
        """Where the key's own row is."""
        return attrs.evolve(self, beside="") if self.beside else self


@frozen(slots=True)
class ScopeKey:
    """Rows that are searched together; None stands for "any"."""

    org: str
    namespace: str
    user_id: str | None = None
    memory_type: str | None = None


@frozen(kw_only=True, slots=True)
class Identity:
    """Whom a handle writes as, and so what it reads."""

    org: str = "dev"
    namespace: str = "local"
    agent: str = "agent"
    #: One user, `ANONYMOUS`, or `ANY` for a handle that only reads.
    user_id: str = ANONYMOUS
    session_id: str = ""
    #: Recorded on what is written, never part of the address.
    run_id: str = ""

    def address(self, memory_key: str) -> Address:
        """Where this identity's own row of a key lives."""
        return Address(
            self.org,
            self.namespace,
            self.agent,
            self.user_id,
            self.session_id,
            memory_key,
        )


def checked_name(value: object, *, field: str, empty: bool = False) -> str:
    """An identity part that follows R-01.

    Args:
        value: at most 200 characters, none of them a control character, not `"*"`.
        field: the argument's name, for the error.
        empty: whether the empty string is allowed.

    Raises:
        InvalidRequest: it is not a string of that kind.
    """
    if not isinstance(value, str):
        msg = f"{field} must be a string."
        raise InvalidRequest(msg, field=field)
    if not value and not empty:
        msg = f"{field} must not be empty."
        raise InvalidRequest(msg, field=field)
    if len(value) > _LONGEST:
        msg = f"{field} is longer than {_LONGEST} characters."
        raise InvalidRequest(msg, field=field)
    if value == ANY:
        msg = f'{field} cannot be "*" here: the star asks for all of them in a read.'
        raise InvalidRequest(msg, field=field)
    if not value.isprintable() and any(
        ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 or 0xD800 <= ord(c) < 0xE000 for c in value
    ):
        msg = f"{field} contains a control character or a lone surrogate."
        raise InvalidRequest(msg, field=field)
    return value
