"""What a namespace says of the memories in it: registered, read, listed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from attrs import field, frozen

from loom.engine.env import Context
from loom.engine.namespaces import namespace_row
from loom.engine.registering import namespaces_of_org, register
from loom.model.json_values import FrozenDict
from loom.model.namespace import (
    ConflictPolicy,
    NamespaceRow,
    TagRule,
    TypeRule,
    parse_conflict_policy,
    parse_description,
    parse_retention,
    parse_tag_registry,
    parse_threshold,
    parse_type_registry,
)
from loom.model.provenance import Role
from loom.model.unset import UNSET, Unset
from loom.operations.base import Request, bounded
from loom.operations.memory_read import Page
from loom.operations.paging import decode_cursor, encode_cursor
from loom.plans.outcomes import NamespaceOutcome

__all__ = ["GetNamespace", "ListNamespaces", "RegisterNamespace"]

_MOST = 1_000


def _policy(value: object) -> ConflictPolicy:
    return parse_conflict_policy(value, name="default_conflict_policy")


def _conflict(value: object) -> float | None:
    return parse_threshold(value, name="conflict_threshold")


def _retention(value: object) -> float | None:
    return parse_retention(value, name="retention_days")


def _duplicate(value: object) -> float | None:
    return parse_threshold(value, name="duplicate_threshold")


#: From a field to how it is read, and what None makes of it.
_FIELDS: Final[Mapping[str, tuple[Callable[[object], Any], Any]]] = {
    "description": (parse_description, ""),
    "default_conflict_policy": (_policy, ConflictPolicy.AUTO_REINFORCE),
    "conflict_threshold": (_conflict, None),
    "duplicate_threshold": (_duplicate, None),
    "retention_days": (_retention, None),
    "tag_registry": (parse_tag_registry, FrozenDict()),
    "type_registry": (parse_type_registry, FrozenDict()),
}


@frozen(kw_only=True, slots=True, hash=False)
class RegisterNamespace(Request[NamespaceOutcome]):
    """Say what holds in a namespace; what is left out stays, and None clears it.

    A namespace needs no registration: without one it has the defaults. What is said holds
    for writes from then on; rows that are stored keep their status until they are judged
    again. A registry that is given replaces the one before.

    Raises:
        InvalidRequest: an argument is malformed; the message names the part.
        Forbidden: the caller is no administrator, or is bound to one user.
    """

    name: ClassVar[str] = "namespace.register"
    role: ClassVar[Role] = Role.ADMIN

    #: What the namespace is for, in words.
    description: str | None | Unset = UNSET
    #: `auto_reinforce`, `manual_review`, `newest_wins` or `append_only`.
    default_conflict_policy: str | None | Unset = UNSET
    #: Cosines, 0 to 1, that hold in the namespace; None is not pinned.
    conflict_threshold: float | None | Unset = UNSET
    duplicate_threshold: float | None | Unset = UNSET
    #: Days that a row is kept, where neither a tag nor its type says otherwise; None keeps it.
    retention_days: float | None | Unset = UNSET
    #: From a tag to `conflict_policy`, `dedup` and `retention_days`.
    tag_registry: Mapping[str, TagRule | Mapping[str, Any]] | None | Unset = UNSET
    #: From a memory type to `conflict_threshold`, `duplicate_threshold`, `retention_days`.
    type_registry: Mapping[str, TypeRule | Mapping[str, Any]] | None | Unset = UNSET

    def run(self, context: Context) -> NamespaceOutcome:
        """Register."""
        said: dict[str, Any] = {}
        for name, (parse, cleared) in _FIELDS.items():
            given = getattr(self, name)
            if given is not UNSET:
                said[name] = cleared if given is None else parse(given)
        return register(context, self.name, said)


@frozen(kw_only=True, slots=True, hash=False)
class GetNamespace(Request[NamespaceRow]):
    """What holds in a namespace; the defaults, and `registered` false, where none was said."""

    name: ClassVar[str] = "namespace.get"
    role: ClassVar[Role] = Role.VIEWER

    def run(self, context: Context) -> NamespaceRow:
        """Look it up."""
        org, namespace = context.identity.org, context.identity.namespace
        found = namespace_row(context.env.storage, org, namespace)
        return found or NamespaceRow(org=org, namespace=namespace, registered=False)


@frozen(kw_only=True, slots=True, hash=False)
class ListNamespaces(Request[Page[NamespaceRow]]):
    """The registered namespaces of the org that the caller holds a role in, by name.

    A namespace that holds memories but was never registered is not among them.

    Raises:
        InvalidRequest: the limit or the cursor is malformed.
    """

    name: ClassVar[str] = "namespace.list"
    role: ClassVar[Role] = Role.VIEWER

    #: 1 to 1,000.
    limit: int = field(default=100)
    #: `cursor` of the page before.
    cursor: str | None = None

    def run(self, context: Context) -> Page[NamespaceRow]:
        """List."""
        limit = bounded(self.limit, name="limit", least=1, most=_MOST)
        after = decode_cursor(self.cursor, (str, int, str))
        page = namespaces_of_org(context, after, limit)
        return Page(page.rows, encode_cursor(page.next))
