"""The end of judging: one batch to stage and the answer to give."""

from __future__ import annotations

from typing import Generic, TypeVar

from attrs import field, frozen

from loom.policies.verdicts import Refuse
from loom.storage.batch import Batch

__all__ = ["Plan"]

R = TypeVar("R")


@frozen(kw_only=True, slots=True, hash=False)
class Plan(Generic[R]):
    """What to write and what to answer.

    Attributes:
        batch: None where nothing changes.
        outcome: the answer; None for a refusal.
        refusal: why a guard objects; its audit entry is in `batch`.
    """

    batch: Batch | None = field(default=None)
    outcome: R | None = None
    refusal: Refuse | None = None
