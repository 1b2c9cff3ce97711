"""Who may do what, and as whom it is recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from loom import AgentHandle, Caller, Loom, Role
from loom.errors import Forbidden
from loom.model.provenance import CallerKind
from loom.operations.table import OPERATIONS
from loom.testing.stores import acting_as, audit_of, contents_of
from tests.operations.conftest import Opener
from tests.operations.texts import ELSEWHERE, NIGHT

HERE: Final[dict[str, Any]] = {"org": "acme", "namespace": "lab"}
Call = Callable[[AgentHandle], object]
CALLS: Final[dict[Role, dict[str, Call]]] = {
    Role.VIEWER: {
        "memory.get": lambda a: a.memory.get("k/a"),
        "memory.get_by_id": lambda a: a.memory.get_by_id("x"),
        "memory.list": lambda a: a.memory.list(),
        "memory.count": lambda a: a.memory.count(),
        "memory.history": lambda a: a.memory.history("k/a"),
        "memory.search": lambda a: a.memory.search("pump"),
        "namespace.stats": lambda a: a.namespace.stats(),
        "conflicts.list": lambda a: a.conflicts.list(),
        "calibration.get": lambda a: a.calibration.get(),
        "namespace.get": lambda a: a.namespace.get(),
        "namespace.export": lambda a: a.namespace.export(),
        "namespace.timeline": lambda a: a.namespace.timeline(),
    },
    Role.WRITER: {
        "memory.set": lambda a: a.memory.set("k/b", ELSEWHERE),
        "memory.update": lambda a: a.memory.update("k/a", ELSEWHERE),
        "memory.update_by_id": lambda a: a.memory.update_by_id(_id(a), NIGHT),
        "memory.pin": lambda a: a.memory.pin("k/a"),
        "memory.bulk_set": lambda a: a.memory.bulk_set([]),
        "memory.lock": lambda a: a.memory.lock("k/c", reason="kept", ttl_seconds=5),
        "memory.delete": lambda a: a.memory.delete("k/a"),
        "memory.restore": lambda a: a.memory.restore("k/gone"),
        "memory.verify": lambda a: a.memory.verify(memory_key="k/a"),
        "memory.reject": lambda a: a.memory.reject("k/a", reason="wrong"),
        "memory.proposal_decide": lambda a: a.memory.proposal_decide(
            _proposed(a), "reject"
        ),
        "conflicts.resolve": lambda a: a.conflicts.resolve(*_pair(a), "allow"),
        "namespace.import": lambda a: a.namespace.import_([], origin="a file"),
    },
    Role.ADMIN: {
        "memory.unlock": lambda a: a.memory.unlock("k/a"),
        "memory.apply": lambda a: a.memory.apply("delete", prefix="k", dry_run=False),
        "memory.redact": lambda a: a.memory.redact(_id(a), 1),
        "namespace.snapshot": lambda a: a.namespace.snapshot(),
        "namespace.register": lambda a: a.namespace.register(description="a lab"),
        "namespace.sweep": lambda a: a.namespace.sweep(),
        "namespace.audit": lambda a: a.namespace.audit(),
        "namespace.validate": lambda a: a.namespace.validate(),
        "blacklist.add": lambda a: a.blacklist.add("hunter2"),
        "blacklist.list": lambda a: a.blacklist.list(),
        "blacklist.sweep": lambda a: a.blacklist.sweep(),
        "blacklist.remove": lambda a: a.blacklist.remove(_pattern(a)),
    },
}
ALL: Final = [(role, name) for role, calls in CALLS.items() for name in calls]


def _id(agent: AgentHandle) -> str:
    row = agent.memory.get("k/a")
    return row.memory_id if row is not None else "x"


def _pattern(agent: AgentHandle) -> str:
    return agent.blacklist.add("something else").pattern.pattern_id


def _proposed(agent: AgentHandle) -> str:
    (row,) = agent.memory.list(status="proposed").items
    return row.memory_id


def _pair(agent: AgentHandle) -> tuple[str, str]:
    (pair,) = agent.conflicts.list().items
    return pair.row.memory_id, "x" if pair.peer is None else pair.peer.memory_id


@pytest.fixture
def filled(store: Loom) -> Loom:
    admin = store.agent("ada", **HERE)
    admin.memory.set("k/on-trial", "Boats are to leave at noon.", proposed=True)
    admin.memory.set("k/side", 1)
    store.agent("bob", **HERE).memory.set("k/side", 2)
    admin.memory.set("k/a", NIGHT)
    admin.memory.set("k/c", "Lamps are counted every year in May.")
    admin.memory.set("k/gone", "Bridges were painted in the summer.")
    admin.memory.delete("k/gone")
    return store


@pytest.mark.parametrize("held", [None, *Role], ids=lambda r: r.name if r else "none")
@pytest.mark.parametrize("needed, name", ALL, ids=[name for _, name in ALL])
def test_an_operation_needs_its_role_and_no_more(
    filled: Loom, held: Role | None, needed: Role, name: str
) -> None:
    """R-07: viewer < writer < admin per namespace; what is forbidden leaves nothing."""
    roles = {"other/*": Role.ADMIN, **({} if held is None else {"acme/lab": held})}
    agent = acting_as(filled, Caller(subject="x", roles=roles)).agent("ada", **HERE)
    call = CALLS[needed][name]
    before = contents_of(filled)

    if held is not None and held >= needed:
        call(agent)
        return
    with pytest.raises(Forbidden) as caught:
        call(agent)
    assert caught.value.code == "FORBIDDEN"
    assert contents_of(filled) == before


def test_every_operation_is_in_the_table_above() -> None:
    """R-07: checked in one place, by the operation table; none is forgotten here."""
    tested = {name for _, name in ALL}
    # The first names no namespace: it answers with those that the caller has a role in.
    # The second asks for a role in its target; an erasure for one in the whole org.
    elsewhere = {
        *("namespace.list", "namespace.restore"),
        *("erasure.request", "erasure.run", "erasure.status", "erasure.list"),
    }
    assert set(OPERATIONS) - tested == elsewhere


@pytest.mark.parametrize(
    "roles, org, namespace, seen",
    [
        ({"acme/lab": Role.VIEWER}, "acme", "lab", True),
        ({"acme/lab": Role.VIEWER}, "acme", "lab2", False),
        ({"acme/lab": Role.VIEWER}, "acme-corp", "lab", False),
        ({"acme/*": Role.VIEWER}, "acme", "anything", True),
        ({"acme/*": Role.VIEWER}, "beta", "lab", False),
        ({"*": Role.VIEWER}, "beta", "lab", True),
        ({}, "acme", "lab", False),
    ],
)
def test_a_role_is_held_where_it_was_given(
    store: Loom, roles: dict[str, Role], org: str, namespace: str, seen: bool
) -> None:
    """R-07: per namespace, per org, or everywhere; by the bound identity or the request's."""
    caller = acting_as(store, Caller(subject="x", roles=roles))
    bound = caller.agent("ada", org=org, namespace=namespace)
    asked = caller.agent("ada", org="acme", namespace="lab")
    calls: list[Callable[[], object]] = [
        bound.memory.list,
        lambda: asked.memory.list(org=org, namespace=namespace),
    ]
    for call in calls:
        if seen:
            call()
        else:
            with pytest.raises(Forbidden):
                call()


def test_a_search_over_more_namespaces_needs_a_role_in_each(store: Loom) -> None:
    """R-04, R-07: a namespace that is named is not read for free."""
    roles = {"acme/lab": Role.VIEWER, "acme/ops": Role.VIEWER}
    agent = acting_as(store, Caller(subject="x", roles=roles)).agent("ada", **HERE)
    agent.memory.search("pump", namespaces=["ops"])

    with pytest.raises(Forbidden):
        agent.memory.search("pump", namespaces=["ops", "hr"])


def test_the_actor_is_the_caller_and_never_the_body(opened: Opener) -> None:
    """R-07, B-330: recorded on rows, history, audit, locks and patterns."""
    caller = Caller(subject="ana", kind=CallerKind.HUMAN)
    store = opened(caller=caller)
    agent = store.agent("ada", **HERE)
    agent.memory.set("k/a", NIGHT, metadata={"actor": "process:other"})
    agent.memory.lock("k/a", reason="kept")
    pattern = agent.blacklist.add("hunter2").pattern
    row = agent.memory.get("k/a")

    assert row is not None
    assert (row.actor, row.locked_by) == ("human:ana", "human:ana")
    assert {v.actor for v in agent.memory.history("k/a")} == {"human:ana"}
    assert {a.actor for a in audit_of(store)} == {"human:ana"}
    assert pattern.actor == "human:ana"


def test_the_default_caller_is_the_local_process(agent: AgentHandle, store: Loom) -> None:
    """R-07: never `human` by default, admin of everything local."""
    agent.memory.set("k/a", NIGHT)
    agent.blacklist.add("hunter2", scope="global")

    assert {a.actor for a in audit_of(store)} == {"process:local"}


def test_another_actor_s_update_is_recorded_as_theirs(store: Loom) -> None:
    """R-05, R-07: the row keeps its writer's agent; `actor` records who did it."""
    store.agent("ada", **HERE).memory.set("k/a", NIGHT)
    caller = Caller(subject="ben", roles={"acme/lab": Role.WRITER})
    acting_as(store, caller).agent("bob", **HERE).memory.update("k/a", ELSEWHERE)
    newest, oldest = store.agent("ada", **HERE).memory.history("k/a")

    assert (newest.agent, newest.actor) == ("ada", "process:ben")
    assert (oldest.agent, oldest.actor) == ("ada", "process:local")
