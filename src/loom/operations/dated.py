"""Reads that may be asked of another instant (R-54)."""

from __future__ import annotations

from datetime import datetime
from typing import TypeVar

from attrs import frozen

from loom.engine.env import Context
from loom.errors import InvalidRequest
from loom.model.times import parse_instant
from loom.operations.base import Request, Time, member_given
from loom.retrieval.replayed import AsOf, Basis

__all__ = ["Dated", "instant_given"]

R = TypeVar("R")


@frozen(kw_only=True, slots=True, hash=False)
class Dated(Request[R]):
    """A read of the present, or of an instant on one axis or both."""

    #: The instant; None is the present. It includes its own microsecond.
    as_of: Time | None = None
    #: `valid_time`: what was true then, as far as is known now. `knowledge_time`: what the
    #: store held then. `both`: what it held true of `as_of`, as known at `as_of_known`.
    as_of_basis: str = Basis.VALID_TIME
    #: With `both`: the instant of the record; `as_of` itself by default.
    as_of_known: Time | None = None

    def instant(self, context: Context) -> AsOf | None:
        """What is asked about; None is the present."""
        return instant_given(context, self.as_of, self.as_of_basis, self.as_of_known)


def instant_given(
    context: Context, as_of: Time | None, basis_given: str, known_given: Time | None
) -> AsOf | None:
    """What is asked about, from what a caller gave; None is the present.

    Raises:
        InvalidRequest: a time or the basis is malformed, or they do not go together.
    """
    basis = member_given(Basis, basis_given, name="as_of_basis")
    if known_given is not None and basis is not Basis.BOTH:
        msg = "as_of_known goes with as_of_basis='both'."
        raise InvalidRequest(msg, field="as_of_known")
    if as_of is None:
        if basis is not Basis.VALID_TIME:
            msg = f"as_of_basis='{basis}' needs as_of, the instant it is about."
            raise InvalidRequest(msg, field="as_of")
        return None
    at = parse_instant(as_of, field="as_of")
    if basis is Basis.VALID_TIME:
        return AsOf(true_at=at)
    if basis is Basis.KNOWLEDGE_TIME:
        return AsOf(known_at=_by_now(context, at))
    known = at
    if known_given is not None:
        known = parse_instant(known_given, field="as_of_known")
    return AsOf(true_at=at, known_at=_by_now(context, known))


def _by_now(context: Context, at: datetime) -> datetime:
    """No more is known of a later instant than is known now."""
    return min(at, context.now())
