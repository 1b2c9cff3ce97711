"""The operations, grouped as their dotted names group them.

One line an operation, in both faces; `tests/faces/test_parity.py` holds them equal to the
table of operations.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from loom.faces.bind import aop, op
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

__all__ = [
    "AsyncBlacklist",
    "AsyncCalibration",
    "AsyncConflicts",
    "AsyncErasure",
    "AsyncMemories",
    "AsyncNamespace",
    "Blacklist",
    "Calibration",
    "Conflicts",
    "Erasure",
    "Memories",
    "Namespace",
]


class _Group:
    """Methods over one way of performing requests."""

    def __init__(self, perform: Callable[[Request[Any]], Any]) -> None:
        self._perform = perform

    def __repr__(self) -> str:
        names = sorted(n for n, v in vars(type(self)).items() if isinstance(v, op | aop))
        return f"<{type(self).__name__}: {', '.join(names)}>"


class _AsyncGroup(_Group):
    """The same, awaited."""

    def __init__(self, perform: Callable[[Request[Any]], Awaitable[Any]]) -> None:
        super().__init__(perform)


class Memories(_Group):
    """`memory.*`."""

    set = op(SetMemory)
    update = op(UpdateMemory)
    update_by_id = op(UpdateById)
    pin = op(PinMemory)
    bulk_set = op(BulkSet)
    delete = op(DeleteMemory)
    restore = op(RestoreMemory)
    lock = op(LockMemory)
    unlock = op(UnlockMemory)
    proposal_decide = op(DecideProposal)
    reject = op(RejectMemory)
    verify = op(VerifyMemory)
    apply = op(ApplyMemories)
    get = op(GetMemory)
    get_by_id = op(GetById)
    list = op(ListMemories)
    count = op(CountMemories)
    history = op(History)
    redact = op(RedactMemory)
    search = op(SearchMemories)


class AsyncMemories(_AsyncGroup):
    """`memory.*`, awaited."""

    set = aop(SetMemory)
    update = aop(UpdateMemory)
    update_by_id = aop(UpdateById)
    pin = aop(PinMemory)
    bulk_set = aop(BulkSet)
    delete = aop(DeleteMemory)
    restore = aop(RestoreMemory)
    lock = aop(LockMemory)
    unlock = aop(UnlockMemory)
    proposal_decide = aop(DecideProposal)
    reject = aop(RejectMemory)
    verify = aop(VerifyMemory)
    apply = aop(ApplyMemories)
    get = aop(GetMemory)
    get_by_id = aop(GetById)
    list = aop(ListMemories)
    count = aop(CountMemories)
    history = aop(History)
    redact = aop(RedactMemory)
    search = aop(SearchMemories)


class Blacklist(_Group):
    """`blacklist.*`."""

    add = op(AddPattern)
    list = op(ListPatterns)
    remove = op(RemovePattern)
    sweep = op(SweepPatterns)


class AsyncBlacklist(_AsyncGroup):
    """`blacklist.*`, awaited."""

    add = aop(AddPattern)
    list = aop(ListPatterns)
    remove = aop(RemovePattern)
    sweep = aop(SweepPatterns)


class Calibration(_Group):
    """`calibration.*`."""

    get = op(GetCalibration)


class AsyncCalibration(_AsyncGroup):
    """`calibration.*`, awaited."""

    get = aop(GetCalibration)


class Conflicts(_Group):
    """`conflicts.*`."""

    list = op(ListConflicts)
    resolve = op(ResolveConflict)


class AsyncConflicts(_AsyncGroup):
    """`conflicts.*`, awaited."""

    list = aop(ListConflicts)
    resolve = aop(ResolveConflict)


class Namespace(_Group):
    """`namespace.*`."""

    register = op(RegisterNamespace)
    get = op(GetNamespace)
    list = op(ListNamespaces)
    stats = op(NamespaceStats)
    timeline = op(NamespaceTimeline)
    sweep = op(SweepExpired)
    audit = op(AuditNamespace)
    validate = op(ValidateNamespace)
    export = op(ExportNamespace)
    import_ = op(ImportNamespace)
    snapshot = op(SnapshotNamespace)
    restore = op(RestoreNamespace)


class Erasure(_Group):
    """`erasure.*`."""

    request = op(RequestErasure)
    run = op(RunErasure)
    status = op(ErasureStatus)
    list = op(ListErasures)


class AsyncErasure(_AsyncGroup):
    """`erasure.*`, awaited."""

    request = aop(RequestErasure)
    run = aop(RunErasure)
    status = aop(ErasureStatus)
    list = aop(ListErasures)


class AsyncNamespace(_AsyncGroup):
    """`namespace.*`, awaited."""

    register = aop(RegisterNamespace)
    get = aop(GetNamespace)
    list = aop(ListNamespaces)
    stats = aop(NamespaceStats)
    timeline = aop(NamespaceTimeline)
    sweep = aop(SweepExpired)
    audit = aop(AuditNamespace)
    validate = aop(ValidateNamespace)
    export = aop(ExportNamespace)
    import_ = aop(ImportNamespace)
    snapshot = aop(SnapshotNamespace)
    restore = aop(RestoreNamespace)
