"""Every operation, once: what the faces, the documentation and the roles are checked by."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from loom.operations.applying import ApplyMemories
from loom.operations.attesting import VerifyMemory
from loom.operations.base import Request
from loom.operations.blacklist import AddPattern, ListPatterns, RemovePattern, SweepPatterns
from loom.operations.calibration import GetCalibration
from loom.operations.conflicts import ListConflicts
from loom.operations.deciding import DecideProposal, RejectMemory, ResolveConflict
from loom.operations.erasure import (
    ErasureStatus,
    ListErasures,
    RequestErasure,
    RunErasure,
)
from loom.operations.history import History
from loom.operations.memory_bulk import BulkSet
from loom.operations.memory_lifecycle import (
    DeleteMemory,
    LockMemory,
    RestoreMemory,
    UnlockMemory,
)
from loom.operations.memory_read import (
    CountMemories,
    GetById,
    GetMemory,
    ListMemories,
)
from loom.operations.memory_write import (
    PinMemory,
    SetMemory,
    UpdateById,
    UpdateMemory,
)
from loom.operations.namespaces import GetNamespace, ListNamespaces, RegisterNamespace
from loom.operations.redacting import RedactMemory
from loom.operations.search import SearchMemories
from loom.operations.snapshots import RestoreNamespace, SnapshotNamespace
from loom.operations.stats import NamespaceStats
from loom.operations.surveying import AuditNamespace, ValidateNamespace
from loom.operations.sweeping import SweepExpired
from loom.operations.timeline import NamespaceTimeline
from loom.operations.transfer import ExportNamespace, ImportNamespace

__all__ = ["OPERATIONS"]

_ALL: Final[tuple[type[Request[Any]], ...]] = (
    SetMemory,
    UpdateMemory,
    UpdateById,
    PinMemory,
    BulkSet,
    DeleteMemory,
    RestoreMemory,
    LockMemory,
    UnlockMemory,
    DecideProposal,
    RejectMemory,
    VerifyMemory,
    ApplyMemories,
    GetMemory,
    GetById,
    ListMemories,
    CountMemories,
    History,
    RedactMemory,
    SearchMemories,
    AddPattern,
    ListPatterns,
    RemovePattern,
    SweepPatterns,
    ListConflicts,
    ResolveConflict,
    GetCalibration,
    RegisterNamespace,
    GetNamespace,
    ListNamespaces,
    NamespaceStats,
    NamespaceTimeline,
    SweepExpired,
    AuditNamespace,
    ValidateNamespace,
    ExportNamespace,
    ImportNamespace,
    SnapshotNamespace,
    RestoreNamespace,
    RequestErasure,
    RunErasure,
    ErasureStatus,
    ListErasures,
)
#: From the public dotted name to the request class.
OPERATIONS: Final[Mapping[str, type[Request[Any]]]] = MappingProxyType(
    {operation.name: operation for operation in _ALL}
)
