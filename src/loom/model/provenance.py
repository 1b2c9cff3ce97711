"""Who acts, with which role, and how loom came to hold what it holds."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import Final

from attrs import field, frozen

from loom.errors import InvalidRequest
from loom.model.identity import checked_name

__all__ = [
    "DECLARABLE",
    "LOCAL",
    "Caller",
    "CallerKind",
    "Role",
    "SourceClass",
    "declared_class",
    "lower_class",
]


class Role(IntEnum):
    """What a caller may do in a namespace; a greater role includes the lesser (R-07)."""

    VIEWER = 1
    WRITER = 2
    ADMIN = 3


class CallerKind(StrEnum):
    """Whether a person or a program acts."""

    HUMAN = "human"
    PROCESS = "process"


def _kind(given: str) -> CallerKind:
    try:
        return CallerKind(given)
    except ValueError:
        msg = f"kind must be one of: {', '.join(CallerKind)}."
        raise InvalidRequest(msg, field="kind") from None


def _roles(given: Mapping[str, Role]) -> Mapping[str, Role]:
    return MappingProxyType({scope: Role(role) for scope, role in given.items()})


@frozen(kw_only=True, slots=True)
class Caller:
    """Who acts. It is said when the store is opened and by no argument of an operation.

    Attributes:
        subject: the person's or the program's name.
        kind: never `human` by default (R-07).
        roles: from `"org/namespace"`, `"org/*"` or `"*"` to the role held there.
    """

    subject: str = "local"
    kind: CallerKind = field(default=CallerKind.PROCESS, converter=_kind)
    roles: Mapping[str, Role] = field(
        factory=lambda: {"*": Role.ADMIN}, converter=_roles, hash=False
    )

    def __attrs_post_init__(self) -> None:
        checked_name(self.subject, field="subject")

    @property
    def actor(self) -> str:
        """How this caller is named on what it writes, such as `process:local`."""
        return f"{self.kind}:{self.subject}"

    def role_in(self, org: str, namespace: str | None) -> Role | None:
        """The greatest role held there.

        Args:
            org: the organisation, or `"*"` for the whole store.
            namespace: a namespace of it; None asks for a role over the whole org.
        """
        held = self.roles.get("*")
        if held is Role.ADMIN or org == "*":
            return held
        scopes = [f"{org}/*"] if namespace is None else [f"{org}/*", f"{org}/{namespace}"]
        roles = [role for s in scopes if (role := self.roles.get(s)) is not None]
        return max(roles if held is None else [held, *roles], default=None)


#: The default caller: the local process, which administers its own file.
LOCAL: Final = Caller()


class SourceClass(StrEnum):
    """How loom came to hold a claim."""

    #: A caller stated it directly.
    ASSERTED = "asserted"
    #: Inferred from a transcript.
    EXTRACTED = "extracted"
    #: Recorded from activity loom saw.
    OBSERVED = "observed"
    #: Computed from other memories.
    DERIVED = "derived"
    #: Loaded from another system.
    IMPORTED = "imported"
    #: Outside content: a tool result, a page, a document.
    EXTERNAL = "external"


#: R-47: `external` < `imported` < `derived` < the rest, which are equal.
_STANDING: Final = {
    SourceClass.EXTERNAL: 0,
    SourceClass.IMPORTED: 1,
    SourceClass.DERIVED: 2,
    SourceClass.OBSERVED: 3,
    SourceClass.EXTRACTED: 3,
    SourceClass.ASSERTED: 3,
}
#: What a request may say of itself: only less than the operation would stamp.
DECLARABLE: Final = (SourceClass.DERIVED, SourceClass.EXTERNAL, SourceClass.IMPORTED)


def declared_class(value: object) -> SourceClass:
    """A class a request may declare.

    Raises:
        InvalidRequest: it is none of `derived`, `external` and `imported`.
    """
    if value in tuple(DECLARABLE):
        return SourceClass(str(value))
    names = ", ".join(DECLARABLE)
    msg = f"source_class can only be lowered by a request, to one of: {names}."
    raise InvalidRequest(msg, field="source_class")


def lower_class(a: SourceClass, b: SourceClass) -> SourceClass:
    """The one of the two that claims less; the first where they are equal."""
    return b if _STANDING[b] < _STANDING[a] else a
