"""Whatever is done in whatever order, what is secret is shown by `get` alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import loom
from loom import AgentHandle, Loom
from loom.errors import LoomError
from loom.model.masking import is_secret
from loom.model.memory import MemoryRow
from loom.model.unset import UNSET
from loom.testing.fakes import FakeClock, SeededIds
from loom.testing.stores import audit_of, versions_of
from tests.operations.listening import ListeningEmbedder, ListeningJudge
from tests.operations.texts import DRAWS_5, DRAWS_9, ELSEWHERE, NIGHT, NIGHT_AGAIN

VALUES: Final = (NIGHT, NIGHT_AGAIN, DRAWS_5, DRAWS_9, ELSEWHERE)
KEYS: Final = ("a/1", "a/2", "b/1")
POLICIES: Final = ("auto_reinforce", "newest_wins", "append_only")

keys = st.sampled_from(KEYS)
values = st.sampled_from(VALUES)
levels = st.sampled_from([UNSET, UNSET, "high", "high", "low", None])
writes = st.tuples(
    st.sampled_from(["set", "propose", "update", "pin", "bulk", "import"]),
    keys,
    values,
    levels,
)
others = st.tuples(
    st.sampled_from(
        ["delete", "restore", "reject", "accept", "decline", "resolve", "pin_it", "label"]
    ),
    keys,
    values,
    levels,
)
steps = st.lists(
    st.tuples(st.sampled_from(["ada", "bob"]), st.one_of(writes, writes, others)),
    min_size=3,
    max_size=14,
)


def _act(agent: AgentHandle, what: str, key: str, value: str, level: Any) -> object:
    memory = agent.memory
    said: dict[str, Any] = {} if level is UNSET else {"sensitivity": level}
    entry = {"memory_key": key, "value": value, **said}
    waiting = memory.list(status="proposed").items
    pairs = [pair for pair in agent.conflicts.list().items if pair.peer is not None]
    acts: dict[str, Callable[[], object]] = {
        "set": lambda: memory.set(key, value, **said),
        "propose": lambda: memory.set(key, value, proposed=True, **said),
        "update": lambda: memory.update(key, value, **said),
        "pin": lambda: memory.pin(key, value, **said),
        "bulk": lambda: memory.bulk_set([entry, {"memory_key": key, "value": value}]),
        "import": lambda: agent.namespace.import_([entry]),
        "delete": lambda: memory.delete(key),
        "restore": lambda: memory.restore(key),
        "reject": lambda: memory.reject(key),
        "accept": lambda: (
            waiting and memory.proposal_decide(waiting[0].memory_id, "accept")
        ),
        "decline": lambda: (
            waiting and memory.proposal_decide(waiting[0].memory_id, "reject")
        ),
        "resolve": lambda: (
            pairs
            and pairs[0].peer
            and agent.conflicts.resolve(
                pairs[0].row.memory_id, pairs[0].peer.memory_id, "allow"
            )
        ),
        "pin_it": lambda: memory.pin(key),
        "label": lambda: memory.apply("label", prefix=key, add_tags=["x"], dry_run=False),
    }
    return acts[what]()


def _secret_contents(store: Loom) -> dict[tuple[str, str], str]:
    """Contents whose newest version is secret, and what they say."""
    newest: dict[tuple[str, str], MemoryRow] = {}
    for row in versions_of(store):
        newest[row.memory_id, row.content_sha256] = row
    return {c: str(row.value) for c, row in newest.items() if is_secret(row)}


def _rows(agent: AgentHandle) -> Iterator[Any]:
    """What any read but `get` answers with."""
    listed = agent.memory.list(status="*").items
    yield from listed
    yield from filter(None, (agent.memory.get_by_id(row.memory_id) for row in listed))
    for key in KEYS:
        yield from agent.memory.history(key, agent_id="*")
    for item in agent.namespace.export(history=True).items:
        yield from item.versions
    every = dict.fromkeys(("duplicates", "superseded", "proposed"), True)
    flags: dict[str, Any] = {f"include_{name}": on for name, on in every.items()}
    for value in VALUES:
        yield from agent.memory.search(value, **flags).hits
    for pair in agent.conflicts.list().items:
        yield from filter(None, (pair.row, pair.peer))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(policy=st.sampled_from(POLICIES), steps=steps)
def test_a_secret_leaves_by_get_alone(policy: str, steps: list[Any]) -> None:
    """R-46: no read, no service, no index, no log and no error has it or its hash."""
    ears, judge, clock = ListeningEmbedder(), ListeningJudge(), FakeClock()
    with loom.open(
        ":memory:", embedder=ears, judge=judge, clock=clock, ids=SeededIds()
    ) as store:
        store.agent("ada").namespace.register(default_conflict_policy=policy)
        for who, (what, key, value, level) in steps:
            agent = store.agent(who)
            clock.advance(1)
            before = {(row.version, row.memory_id) for row in versions_of(store)}
            ears.heard.clear()
            told: list[object] = []
            try:
                done = _act(agent, what, key, value, level)
            except LoomError as error:
                told = [str(error), error.details]
            else:
                told = [] if what in ("set", "update", "pin", "propose", "bulk") else [done]
            # Who states a lower level lets the text be embedded, whatever it meets.
            heard = set(ears.heard) if level in (UNSET, "high") else set()
            _check_nothing_leaks(store, before, heard, repr(told))


def _check_nothing_leaks(
    store: Loom, before: set[tuple[int, str]], heard: set[str], told: str
) -> None:
    """Neither what was shown, heard and told in a step, nor what is kept after it."""
    versions = versions_of(store)
    new = [row for row in versions if (row.version, row.memory_id) not in before]
    # What is written openly in the same step, in another row, may be embedded.
    openly = {str(row.value) for row in new if not is_secret(row)}
    secret = {str(row.value) for row in new if is_secret(row)}
    assert not (secret - openly) & heard
    open_hashes = {row.content_sha256 for row in versions if not is_secret(row)}
    shown = {(row.memory_id, row.value) for row in _rows(store.agent("ada"))}
    for (memory_id, content), value in _secret_contents(store).items():
        assert (memory_id, value) not in shown
        assert store._env.storage.vector(memory_id, content) is None
        entries = [e for e in audit_of(store) if e.memory_id == memory_id]
        assert content not in {entry.content_sha256 for entry in entries}
        assert content in open_hashes or content not in told
    assert store.agent("ada", user_id="*").namespace.validate().ok
