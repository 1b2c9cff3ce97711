"""A namespace as a snapshot, and a snapshot written back. Faces read and write the files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Final

import attrs
from attrs import field, frozen

from loom.engine.env import Context
from loom.engine.read import reading
from loom.engine.snapshots import Asked, restore, take_part
from loom.errors import InvalidRequest
from loom.model.identity import ANY, checked_name
from loom.model.provenance import Role
from loom.model.times import parse_instant
from loom.operations.base import Request, bounded, checked_flag
from loom.operations.paging import decode_cursor, encode_cursor
from loom.plans.snapshot import SNAPSHOT_FORMAT, RestoreOutcome, Snapshot

__all__ = [
    "SNAPSHOT_FORMAT",
    "RestoreNamespace",
    "RestoreOutcome",
    "Snapshot",
    "SnapshotNamespace",
]

_MOST_MEMORIES: Final = 100_000
_MOST_AUDITED: Final = 1_000_000
#: What the parts of one snapshot have in common, then where the rows of the next begin.
_BEGUN: Final = (str, str, int, int, int, int)
_AFTER: Final = (str, str, int, str)


@frozen(kw_only=True, slots=True, hash=False)
class SnapshotNamespace(Request[Snapshot]):
    """A namespace's curated state, of every user, to be kept or written back elsewhere.

    It holds every memory whatever its status, what the namespace says (policies, rules of
    tags and types), and the newest audit entries. A large namespace comes in parts: while
    `cursor` is not None, ask again with it. All parts show the instant of the first. Rows
    of high sensitivity are left out and counted (R-46).

    Raises:
        InvalidRequest: an argument or the cursor is malformed.
        Forbidden: the caller is no administrator of the namespace.
    """

    name: ClassVar[str] = "namespace.snapshot"
    role: ClassVar[Role] = Role.ADMIN

    #: The older versions of each memory as well.
    history: bool = False
    #: Vectors, so that a target with the same embedder need not embed.
    include_embeddings: bool = False
    #: How many audit entries, newest first; 0 to 1,000,000.
    include_audit_tail_n: int = 1_000
    #: Memories in one part; 1 to 100,000.
    limit: int = 10_000
    #: `cursor` of the part before.
    cursor: str | None = None

    def run(self, context: Context) -> Snapshot:
        """Read."""
        everyone = _of_everyone(context)
        begun, after = self._begun(everyone)
        asked = Asked(
            history=checked_flag(self.history, name="history"),
            embeddings=checked_flag(self.include_embeddings, name="include_embeddings"),
            audit_tail=bounded(
                self.include_audit_tail_n,
                name="include_audit_tail_n",
                least=0,
                most=_MOST_AUDITED,
            ),
            limit=bounded(self.limit, name="limit", least=1, most=_MOST_MEMORIES),
            begun=begun,
            after=after,
        )
        with reading(everyone) as reader:
            part, following = take_part(everyone, reader, asked)
        if following is None:
            return part
        state = (
            part.snapshot_id,
            part.taken_at.isoformat(),
            part.known_by,
            part.part + 1,
            part.memories_so_far,
            part.versions_so_far,
        )
        return attrs.evolve(part, cursor=encode_cursor((*state, *following)))

    def _begun(self, context: Context) -> tuple[Snapshot | None, tuple[Any, ...] | None]:
        values = decode_cursor(self.cursor, (*_BEGUN, *_AFTER))
        if values is None:
            return None, None
        snapshot_id, taken_at, known_by, part, memories, versions = values[: len(_BEGUN)]
        env, identity = context.env, context.identity
        begun = Snapshot(
            snapshot_id=str(snapshot_id),
            part=int(str(part)),
            org=identity.org,
            namespace=identity.namespace,
            user_id=identity.user_id,
            taken_at=parse_instant(str(taken_at), field="cursor"),
            known_by=int(str(known_by)),
            embedder=env.embedder.name,
            dimension=env.embedder.dimension,
            history=self.history,
            memories_so_far=int(str(memories)),
            versions_so_far=int(str(versions)),
        )
        return begun, values[len(_BEGUN) :]


@frozen(slots=True, hash=False)
class RestoreNamespace(Request[RestoreOutcome]):
    """Write a snapshot back into a namespace, whole or not at all.

    The parts are gone through before anything is written: a snapshot that was cut short,
    mixed or altered is refused. Rows become versions written now by this caller, at most
    `imported` (R-47); attestations read as `restored`. Into a namespace that holds rows,
    each is taken as `namespace.import` would take it, and one refusal undoes all. Asked
    again with the same snapshot it answers `restored=False` and does nothing. A row whose
    id stands in another namespace of this store gets a new one.

    Raises:
        InvalidRequest: the payload is no whole snapshot.
        Forbidden: the caller is no administrator of the target.
        LoomError: of the first row that is refused: nothing was written.
    """

    name: ClassVar[str] = "namespace.restore"
    #: In the target: see `run`.
    role: ClassVar[Role] = Role.VIEWER

    target_namespace: str = field(kw_only=False)
    #: A snapshot, or all its parts in order.
    payload: Snapshot | Iterable[Snapshot] = field(kw_only=False)
    #: Every row's writer from now on; of two rows that then share a key the newest has it,
    #: the other is filed into its history.
    rebind_agent: str | None = None

    def run(self, context: Context) -> RestoreOutcome:
        """Check, then write."""
        target = checked_name(self.target_namespace, field="target_namespace")
        identity = attrs.evolve(context.identity, namespace=target, user_id=ANY)
        context.require(Role.ADMIN, identity.org, target)
        agent = ""
        if self.rebind_agent is not None:
            agent = checked_name(self.rebind_agent, field="rebind_agent")
        there = Context(context.env, identity)
        return restore(there, self.name, self._parts(), rebind_agent=agent)

    def _parts(self) -> Iterable[Snapshot]:
        given: Any = self.payload
        if isinstance(given, Snapshot):
            return (given,)
        if isinstance(given, str | bytes | dict) or not isinstance(given, Iterable):
            msg = (
                "payload must be a snapshot or its parts; read one from JSON or a file "
                "with loom.read_snapshot."
            )
            raise InvalidRequest(msg, field="payload")
        return map(_typed, given)


def _typed(part: object) -> Snapshot:
    if isinstance(part, Snapshot):
        return part
    msg = "payload must hold parts of a snapshot and nothing else."
    raise InvalidRequest(msg, field="payload")


def _of_everyone(context: Context) -> Context:
    """A snapshot is of the namespace, not of the handle's user."""
    return Context(context.env, attrs.evolve(context.identity, user_id=ANY))
