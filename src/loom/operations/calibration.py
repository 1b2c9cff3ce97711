"""Which thresholds are in force, and who said so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from attrs import field, frozen

from loom.engine.env import Context, Env
from loom.engine.namespaces import namespace_row
from loom.engine.thresholds import chain_of, thresholds_of
from loom.model.memory_types import parse_memory_type
from loom.model.namespace import NamespaceRow
from loom.model.provenance import Role
from loom.model.readable import Readable, readonly
from loom.model.thresholds import Distribution, Thresholds
from loom.operations.base import Request
from loom.policies.thresholds import Pin, pins_of

__all__ = ["CalibrationOutcome", "GetCalibration"]


@frozen(kw_only=True, slots=True, hash=False)
class CalibrationOutcome(Readable):
    """The thresholds in force in a namespace; cosines, 0 to 1, both inclusive."""

    org: str
    namespace: str
    #: Empty where they are told for types that pin nothing.
    memory_type: str
    embedder: str
    dimension: int
    #: At or above it two texts are about the same thing.
    conflict_threshold: float
    #: At or above it two texts may be called one, if nothing in them differs.
    duplicate_threshold: float
    #: `type:<name>`, `namespace`, `setting`, `adaptive:<embedder>`, `embedder:<name>` or
    #: `fallback`.
    conflict_source: str
    duplicate_source: str
    #: Every word on them, the one that goes before the others first.
    chain: tuple[Pin, ...]
    #: From each memory type that pins its own to what is in force for it.
    by_type: Mapping[str, Thresholds] = field(converter=readonly)
    #: Whether the embedder's own cosines are to decide.
    adaptive: bool
    #: What these cosines are; None where they were not measured.
    distribution: Distribution | None = None
    #: What a reader should know of it; empty where there is nothing.
    note: str = ""


@frozen(kw_only=True, slots=True, hash=False)
class GetCalibration(Request[CalibrationOutcome]):
    """The thresholds in force in a namespace, where each came from, and what else was said.

    Where the embedder's cosines are to decide and were not measured yet, they are now.

    Raises:
        InvalidRequest: the memory type is malformed.
        EmbeddingFailed: the embedder was to be measured, and failed.
    """

    name: ClassVar[str] = "calibration.get"
    role: ClassVar[Role] = Role.VIEWER

    #: Of which type; None is of those that pin nothing.
    memory_type: str | None = None

    def run(self, context: Context) -> CalibrationOutcome:
        """Look them up."""
        env, identity = context.env, context.identity
        kind = "" if self.memory_type is None else parse_memory_type(self.memory_type)
        if env.calibration is not None:
            env.calibration.settle()
        row = namespace_row(env.storage, identity.org, identity.namespace)
        found = thresholds_of(env, row, kind)
        return CalibrationOutcome(
            org=identity.org,
            namespace=identity.namespace,
            memory_type=kind,
            embedder=env.embedder.name,
            dimension=env.embedder.dimension,
            conflict_threshold=found.conflict,
            duplicate_threshold=found.duplicate,
            conflict_source=found.conflict_source,
            duplicate_source=found.duplicate_source,
            chain=chain_of(env, row, kind),
            by_type=_by_type(env, row),
            adaptive=env.settings.adaptive_thresholds,
            distribution=None if env.calibration is None else env.calibration.distribution,
            note=_note(env),
        )


def _by_type(env: Env, row: NamespaceRow | None) -> dict[str, Thresholds]:
    if row is None:
        return {}
    typed = [kind for kind in row.type_registry if pins_of(kind, row) != pins_of("", row)]
    return {kind: thresholds_of(env, row, kind) for kind in typed}


def _note(env: Env) -> str:
    if not env.settings.adaptive_thresholds:
        return ""
    if env.calibration is None:
        return (
            "An embedder without weights is not measured; it ships thresholds of its own."
        )
    if env.calibration.thresholds is None:
        return (
            "The embedder's cosines do not tell contradictions from unrelated texts, so "
            "they decide nothing."
        )
    return ""
