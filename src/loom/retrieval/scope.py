"""What an identity may see and what it may write, as predicates (R-04, R-06).

The engine lays `visible` over every read and `writable` over every change; nothing else
in the library decides whose rows are whose.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from loom.model.identity import ANONYMOUS, ANY, Address, Identity, ScopeKey
from loom.model.memory import MemoryRow
from loom.storage.where import Equal, In, Where, all_of

__all__ = ["of_address", "scopes_of", "sees", "visible", "writable"]


def visible(identity: Identity, namespaces: Sequence[str] = ()) -> Where:
    """Rows the identity reads: its user's and nobody's, over agents and sessions.

    Args:
        identity: who reads; a `user_id` of `"*"` reads every user's rows.
        namespaces: more namespaces of the same org, beside its own.
    """
    spaces = (identity.namespace, *namespaces)
    parts: list[Where] = [Equal("org", identity.org), In("namespace", spaces)]
    if identity.user_id != ANY:
        parts.append(In("user_id", tuple(dict.fromkeys((identity.user_id, ANONYMOUS)))))
    return all_of(*parts)


def sees(identity: Identity, row: MemoryRow, namespaces: Sequence[str] = ()) -> bool:
    """Whether `visible` holds of a row."""
    return (
        row.org == identity.org
        and (row.namespace == identity.namespace or row.namespace in namespaces)
        and (identity.user_id == ANY or row.user_id in (identity.user_id, ANONYMOUS))
    )


def writable(identity: Identity) -> Where:
    """Rows the identity may change: its own user's; nobody's session is its own task."""
    parts: list[Where] = [
        Equal("org", identity.org),
        Equal("namespace", identity.namespace),
        Equal("user_id", identity.user_id),
    ]
    if identity.user_id == ANONYMOUS and identity.session_id:
        parts.append(Equal("session_id", identity.session_id))
    return all_of(*parts)


def of_address(address: Address) -> Where:
    """The versions of one address."""
    return all_of(
        *(Equal(name, getattr(address, name)) for name in attrs.fields_dict(Address))
    )


def scopes_of(
    identity: Identity,
    memory_types: Sequence[str] = (),
    namespaces: Sequence[str] = (),
) -> tuple[ScopeKey, ...]:
    """The groups of rows a search of the identity covers; no type means every type."""
    users: tuple[str | None, ...]
    if identity.user_id == ANY:
        users = (None,)
    else:
        users = tuple(dict.fromkeys((identity.user_id, ANONYMOUS)))
    return tuple(
        ScopeKey(identity.org, namespace, user, memory_type)
        for namespace in dict.fromkeys((identity.namespace, *namespaces))
        for user in users
        for memory_type in (tuple(memory_types) or (None,))
    )
