"""What an operation is: a request value that knows its name, its role and how to run.

A face turns a call into a request and performs it; the HTTP face of a later day will read
the same request from a body. Identity fields are keyword-only and `None` means "as the
handle is bound".
"""

from __future__ import annotations

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, ClassVar, Generic, TypeAlias, TypeGuard, TypeVar

from attrs import field, frozen

from loom.engine.env import Context, Env
from loom.errors import InvalidRequest
from loom.model.identity import ANONYMOUS, ANY, Identity, checked_name
from loom.model.json_values import FrozenDict, freeze
from loom.model.provenance import Role
from loom.model.times import parse_instant
from loom.model.unset import UNSET, Unset

__all__ = [
    "Request",
    "Time",
    "any_given",
    "bounded",
    "checked_flag",
    "checked_fraction",
    "checked_identity",
    "checked_text",
    "checked_texts",
    "is_number",
    "member_given",
    "members_given",
    "one_or_more",
    "path_given",
    "perform",
    "said_instant",
    "said_mapping",
    "said_texts",
    "text_given",
    "texts_given",
    "until_instant",
]

K = TypeVar("K", bound=StrEnum)
R = TypeVar("R")
#: An aware datetime, or ISO 8601 text with an offset.
Time: TypeAlias = datetime | str
_LONGEST_TEXT = 1_000
_MOST_TEXTS = 1_000


@frozen(kw_only=True, slots=True)
class Request(ABC, Generic[R]):
    """The identity part of every request."""

    #: The public dotted name.
    name: ClassVar[str]
    #: The role needed in the namespace.
    role: ClassVar[Role]

    org: str | None = field(default=None, kw_only=True)
    namespace: str | None = field(default=None, kw_only=True)
    agent: str | None = field(default=None, kw_only=True)
    user_id: str | None = field(default=None, kw_only=True)
    session_id: str | None = field(default=None, kw_only=True)
    run_id: str | None = field(default=None, kw_only=True)

    @abstractmethod
    def run(self, context: Context) -> R:
        """Do it."""

    def identity(self, bound: Identity) -> Identity:
        """The bound identity with what the request says instead."""
        if (
            self.org is None
            and self.namespace is None
            and self.agent is None
            and self.user_id is None
            and self.session_id is None
            and self.run_id is None
        ):
            return bound
        return checked_identity(
            org=bound.org if self.org is None else self.org,
            namespace=bound.namespace if self.namespace is None else self.namespace,
            agent=bound.agent if self.agent is None else self.agent,
            user_id=bound.user_id if self.user_id is None else self.user_id,
            session_id=bound.session_id if self.session_id is None else self.session_id,
            run_id=bound.run_id if self.run_id is None else self.run_id,
        )


def perform(request: Request[R], env: Env, bound: Identity) -> R:
    """Run a request as an identity, if the caller's role allows it (R-07).

    Raises:
        Forbidden: the caller's role in the namespace is too low.
    """
    context = Context(env, request.identity(bound))
    context.require(request.role, context.identity.org, context.identity.namespace)
    return request.run(context)


def checked_identity(
    *,
    org: str,
    namespace: str,
    agent: str,
    user_id: str = ANONYMOUS,
    session_id: str = "",
    run_id: str = "",
) -> Identity:
    """An identity whose parts follow R-01.

    Raises:
        InvalidRequest: naming the part that does not.
    """
    if user_id != ANY:
        user_id = checked_name(user_id, field="user_id", empty=True) or ANONYMOUS
    return Identity(
        org=checked_name(org, field="org"),
        namespace=checked_name(namespace, field="namespace"),
        agent=checked_name(agent, field="agent"),
        user_id=user_id,
        session_id=checked_name(session_id, field="session_id", empty=True),
        run_id=checked_name(run_id, field="run_id", empty=True),
    )


def checked_texts(values: object, *, name: str) -> tuple[str, ...]:
    """A list of short texts as a tuple without repeats, in the order given.

    Raises:
        InvalidRequest: it is a bare string, or holds something empty, long or no text.
    """
    if isinstance(values, str | bytes) or not isinstance(values, Sequence):
        msg = f"{name} must be a list of strings."
        raise InvalidRequest(msg, field=name)
    if len(values) > _MOST_TEXTS:
        msg = f"{name} has more than {_MOST_TEXTS} entries."
        raise InvalidRequest(msg, field=name)
    for value in values:
        if not isinstance(value, str) or not value or len(value) > _LONGEST_TEXT:
            msg = (
                f"{name} must hold non-empty strings of at most {_LONGEST_TEXT} characters."
            )
            raise InvalidRequest(msg, field=name)
        freeze(value, field=name)
    # In NFC, so that a name is found however its accents are spelled.
    return tuple(dict.fromkeys(unicodedata.normalize("NFC", value) for value in values))


def texts_given(values: object, *, name: str) -> tuple[str, ...]:
    """As `checked_texts`, where None is the empty list."""
    return () if values is None else checked_texts(values, name=name)


def one_or_more(value: object, *, name: str) -> tuple[str, ...]:
    """One text or a list of texts; None is the empty list."""
    return texts_given([value] if isinstance(value, str) else value, name=name)


def members_given(kind: type[K], value: object, *, name: str) -> tuple[K, ...]:
    """One member or a list of members of a closed set; None is the empty list.

    Raises:
        InvalidRequest: something in it is no member; the message names those there are.
    """
    names = one_or_more(value, name=name)
    if not set(names) <= set(kind):
        msg = f"{name} must be among: {', '.join(kind)}."
        raise InvalidRequest(msg, field=name)
    return tuple(map(kind, names))


def any_given(value: object, *, name: str) -> bool:
    """Whether `"any"` of a list is wanted, or `"all"` of it.

    Raises:
        InvalidRequest: it is neither word.
    """
    if value not in ("any", "all"):
        msg = f"{name} must be 'any' or 'all'."
        raise InvalidRequest(msg, field=name)
    return value == "any"


def member_given(kind: type[K], value: object, *, name: str) -> K:
    """One member of a closed set.

    Raises:
        InvalidRequest: it is none; the message names those there are.
    """
    if not isinstance(value, str) or value not in set(kind):
        msg = f"{name} must be one of: {', '.join(kind)}."
        raise InvalidRequest(msg, field=name)
    return kind(value)


def said_texts(
    values: Sequence[str] | None | Unset, *, name: str
) -> tuple[str, ...] | Unset:
    """As `checked_texts`, where "not said" stays so and None is the empty list."""
    if values is UNSET:
        return UNSET
    return () if values is None else checked_texts(values, name=name)


def said_instant(value: Time | None | Unset, *, name: str) -> datetime | None | Unset:
    """As `parse_instant`, where "not said" and None stay so."""
    if value is UNSET or value is None:
        return value
    return parse_instant(value, field=name)


def said_mapping(
    value: Mapping[str, Any] | None | Unset, *, name: str, max_bytes: int
) -> FrozenDict | Unset:
    """A JSON object, where "not said" stays so and None is the empty object."""
    if value is UNSET:
        return UNSET
    if value is None:
        return FrozenDict()
    frozen_value = freeze(value, field=name, max_bytes=max_bytes)
    if not isinstance(frozen_value, FrozenDict):
        msg = f"{name} must be a mapping."
        raise InvalidRequest(msg, field=name)
    return frozen_value


def until_instant(
    until: Time | None, ttl_seconds: float | None, now: datetime, *, name: str
) -> datetime | None:
    """An end given as an instant or as seconds from now; None where neither is.

    Raises:
        InvalidRequest: both are given, or the seconds are not positive.
    """
    if until is not None and ttl_seconds is not None:
        msg = f"give either {name} or ttl_seconds, not both."
        raise InvalidRequest(msg, field=name)
    if ttl_seconds is None:
        return None if until is None else parse_instant(until, field=name)
    if not is_number(ttl_seconds) or not ttl_seconds > 0:
        msg = "ttl_seconds must be a positive number of seconds."
        raise InvalidRequest(msg, field="ttl_seconds")
    try:
        return now + timedelta(seconds=ttl_seconds)
    except (OverflowError, ValueError):
        msg = "ttl_seconds lies too far in the future; leave it out for no expiry."
        raise InvalidRequest(msg, field="ttl_seconds") from None


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether it is an int or a float; true and false are not numbers."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def bounded(value: object, *, name: str, least: int, most: int) -> int:
    """A whole number within bounds, both inclusive.

    Raises:
        InvalidRequest: it is no such number.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        msg = f"{name} must be a whole number from {least} to {most}."
        raise InvalidRequest(msg, field=name)
    return value


def checked_flag(value: object, *, name: str) -> bool:
    """True or false.

    Raises:
        InvalidRequest: it is anything else.
    """
    if not isinstance(value, bool):
        msg = f"{name} must be true or false."
        raise InvalidRequest(msg, field=name)
    return value


def checked_text(value: object, *, name: str, needed: bool = False) -> str:
    """A short text.

    Raises:
        InvalidRequest: it is no text, too long, or empty where it is needed.
    """
    if not isinstance(value, str) or len(value) > _LONGEST_TEXT:
        msg = f"{name} must be a string of at most {_LONGEST_TEXT} characters."
        raise InvalidRequest(msg, field=name)
    if needed and not value.strip():
        msg = f"{name} must not be empty."
        raise InvalidRequest(msg, field=name)
    freeze(value, field=name)
    return value


def text_given(value: object, *, name: str) -> str | None:
    """As `checked_text`, where None stays so."""
    return None if value is None else checked_text(value, name=name)


def path_given(value: object, *, name: str) -> str | None:
    """A key or the beginning of one, in the form that keys are kept in (R-02)."""
    text = text_given(value, name=name)
    return None if text is None else unicodedata.normalize("NFC", text)


def checked_fraction(value: object, *, name: str) -> float:
    """A number from 0 to 1, both inclusive.

    Raises:
        InvalidRequest: it is no such number.
    """
    if not is_number(value) or not 0.0 <= value <= 1.0:
        msg = f"{name} must be a number from 0 to 1."
        raise InvalidRequest(msg, field=name)
    return float(value)
