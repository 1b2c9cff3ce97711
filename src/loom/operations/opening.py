"""From a storage and what the caller chose to an environment that operations run in."""

from __future__ import annotations

import attrs

from loom.engine.calibrating import calibration_of
from loom.engine.env import Env, thresholds_in_force
from loom.engine.opening import audit_key_of, bind_embedder
from loom.engine.reads import ReadMarks
from loom.errors import StoreUnavailable
from loom.model.namespace import ConflictPolicy
from loom.model.provenance import LOCAL, Caller
from loom.policies.lenses import LENSES, Lenses
from loom.policies.peers import PeerCheck
from loom.policies.relations import CosineJudge, EvidenceJudge, Judge
from loom.policies.rulings import lenses_under
from loom.ports import Clock, Embedder, Ids, SystemIds
from loom.settings import Settings
from loom.storage.contract import Capabilities, Storage

__all__ = [
    "LENSES",
    "CosineJudge",
    "Env",
    "EvidenceJudge",
    "Judge",
    "Lenses",
    "capabilities_of",
    "close_env",
    "open_env",
]


def open_env(
    storage: Storage,
    embedder: Embedder,
    clock: Clock,
    *,
    caller: Caller | None = None,
    settings: Settings | None = None,
    ids: Ids | None = None,
    lenses: Lenses | None = None,
    judge: Judge | None = None,
) -> Env:
    """An environment over an open storage, which is bound to its embedder first.

    Raises:
        EmbedderMismatch: the store was written with another embedder (R-40).
    """
    bind_embedder(storage, embedder)
    settings = settings or Settings()
    chains = lenses or LENSES
    if judge is not None:
        chains = chains.with_judge(judge)
    return Env(
        storage=storage,
        embedder=embedder,
        clock=clock,
        ids=ids or SystemIds(),
        settings=settings,
        lenses={
            (policy, dedups): lenses_under(chains, policy, dedups=dedups)
            for policy in ConflictPolicy
            for dedups in (True, False)
        },
        caller=caller or LOCAL,
        audit_key=audit_key_of(storage),
        reads=ReadMarks(),
        thresholds=thresholds_in_force(settings, embedder),
        check=PeerCheck(judge or EvidenceJudge()),
        calibration=calibration_of(settings, storage, embedder),
    )


def close_env(env: Env) -> None:
    """Write what was noted of reads, and let go of the storage, whatever comes of that."""
    try:
        env.reads.write(env.storage)
    except StoreUnavailable:
        pass  # closed already, or the disk is full: marks are worth no error
    finally:
        env.storage.close()


def capabilities_of(env: Env) -> Capabilities:
    """What the store promises, and which embedder it is bound to."""
    return attrs.evolve(
        env.storage.capabilities,
        embedder=env.embedder.name,
        dimension=env.embedder.dimension,
    )
