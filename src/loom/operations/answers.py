"""The classes of what operations answer, gathered for faces and for users' annotations."""

from __future__ import annotations

from loom.model.history import Version
from loom.model.memory import MemoryRow
from loom.model.namespace import NamespaceRow
from loom.operations.calibration import CalibrationOutcome
from loom.operations.conflicts import ConflictPair
from loom.operations.memory_read import Page
from loom.operations.stats import StatsOutcome
from loom.operations.surveying import SurveyOutcome
from loom.operations.transfer import ExportPage, ImportedLine, ImportOutcome
from loom.plans.outcomes import (
    ApplyOutcome,
    BulkOutcome,
    DecisionOutcome,
    DeleteOutcome,
    LockOutcome,
    NamespaceOutcome,
    PatternOutcome,
    PeerView,
    Refusal,
    RestoreOutcome,
    SetOutcome,
    SweepOutcome,
)
from loom.retrieval.hits import Hit, SearchOutcome

__all__ = [
    "ApplyOutcome",
    "BulkOutcome",
    "CalibrationOutcome",
    "ConflictPair",
    "DecisionOutcome",
    "DeleteOutcome",
    "ExportPage",
    "Hit",
    "ImportOutcome",
    "ImportedLine",
    "LockOutcome",
    "MemoryRow",
    "NamespaceOutcome",
    "NamespaceRow",
    "Page",
    "PatternOutcome",
    "PeerView",
    "Refusal",
    "RestoreOutcome",
    "SearchOutcome",
    "SetOutcome",
    "StatsOutcome",
    "SurveyOutcome",
    "SweepOutcome",
    "Version",
]
