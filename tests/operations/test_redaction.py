"""Redaction: what one version said is gone wherever it was copied, and nothing else is."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

import loom
from loom import AgentHandle, Caller, Loom, Role
from loom.errors import Forbidden, InvalidRequest, Locked, NotFound
from loom.model.history import Version
from loom.model.identity import ScopeKey
from loom.model.json_values import freeze, sha256_of
from loom.plans.redacting import REDACTED, RedactOutcome
from loom.storage.query import Match, Versions
from loom.testing.fakes import FakeClock
from loom.testing.stores import acting_as, audit_of, contents_of, versions_of
from loom.text.tokens import query_terms
from tests.operations.conftest import Opener
from tests.operations.looking import row_of
from tests.operations.texts import DRAWS_5, DRAWS_9, NIGHT

KEY: Final = "door/code"
LEAK: Final = "The side door opens with the word marzipan."
NEXT: Final = "The side door opens with a badge."


def _hash(value: Any) -> str:
    return sha256_of(freeze(value))


def _saying(agent: AgentHandle, value: Any) -> list[Version]:
    return [
        v
        for v in agent.memory.history(KEY, agent_id="*")
        if v.content_sha256 == _hash(value)
    ]


def _redact(agent: AgentHandle, value: Any = LEAK, **said: Any) -> RedactOutcome:
    oldest = _saying(agent, value)[-1]
    return agent.memory.redact(oldest.memory_id, oldest.version, **said)


def _everything(store: Loom) -> str:
    return "\n".join(sorted(text for rows in contents_of(store).values() for text in rows))


@pytest.fixture
def leaked(agent: AgentHandle, clock: FakeClock) -> AgentHandle:
    """A text said, said again, and replaced."""
    said: dict[str, Any] = {
        "entities": ["Marzipan"],
        "metadata": {"quote": "marzipan"},
        "tags": ["doors"],
        "files": ["src/door.py"],
    }
    agent.memory.set(KEY, LEAK, **said)
    clock.advance(1)
    agent.memory.set(KEY, LEAK)
    clock.advance(1)
    agent.memory.set(KEY, NEXT, entities=[], metadata={})
    clock.advance(1)
    return agent


def test_the_text_is_gone_from_every_version_that_says_it(
    store: Loom, leaked: AgentHandle
) -> None:
    """B-293, B-296, B-297, R-62: restatements copied it; what came after is as it was."""
    out = _redact(leaked, reason="leaked")

    assert (out.redacted, out.refused_head, out.versions) == (True, False, 2)
    assert out.entries >= 1
    assert (out.cache_rows_deleted, out.precedent_rows_deleted) == (0, 0)
    assert "marzipan" not in _everything(store).casefold()
    assert row_of(leaked, KEY).value == NEXT
    assert leaked.memory.search(NEXT).hits
    assert leaked.namespace.validate().ok


def test_the_row_stays_with_its_tags_files_hash_and_audit_entries(
    store: Loom, leaked: AgentHandle
) -> None:
    """B-248, B-249, B-295, B-298: history shows that it was redacted, when, and why."""
    before = audit_of(store)
    now = leaked.memory.history(KEY)[0].written_at

    _redact(leaked, reason="leaked")

    newest, *redacted = leaked.memory.history(KEY)
    assert (newest.value, newest.redacted_at, newest.redaction_reason) == (NEXT, None, "")
    assert [v.event for v in redacted] == ["restated", "created"]
    for version in redacted:
        assert (version.value, version.redaction_reason) == (REDACTED, "leaked")
        assert version.redacted_at is not None
        assert version.redacted_at > now
        assert version.content_sha256 == _hash(LEAK)
        assert version.tags == ("doors",)
    old = [v for v in versions_of(store) if v.redacted_at is not None]
    assert {(v.files, v.entities, v.slots) for v in old} == {(("src/door.py",), (), ())}
    assert not any(v.metadata for v in old)
    assert set(before) <= set(audit_of(store))


def test_one_audit_entry_is_left_and_holds_no_hash_of_it(
    store: Loom, leaked: AgentHandle
) -> None:
    """R-62: key, id and actor alone."""
    _redact(leaked)
    _redact(leaked)
    (entry,) = [e for e in audit_of(store) if e.operation == "memory.redact"]
    assert (entry.memory_key, entry.verdict, entry.content_sha256) == (KEY, "redacted", "")
    assert entry.memory_id == row_of(leaked, KEY).memory_id


def test_no_read_shows_it_again(store: Loom, leaked: AgentHandle, opened: Opener) -> None:
    """B-293, R-62: search in every version, replay, export and what an import makes of it."""
    then = leaked.memory.history(KEY)[-1].written_at
    _redact(leaked)

    scopes = (ScopeKey("acme", "lab"),)
    asked = Match(scopes=scopes, terms=query_terms("marzipan"), view=Versions())
    assert store._env.storage.match(asked) == ()
    past = leaked.memory.get(KEY, as_of=then, as_of_basis="knowledge_time")
    assert past is None or past.value == REDACTED
    found = leaked.memory.search("marzipan", include_superseded=True)
    assert LEAK not in repr(found)
    (item,) = leaked.namespace.export(history=True).items
    assert [row.value for row in item.versions] == [NEXT]
    there = opened().agent("ada", org="acme", namespace="lab")
    there.namespace.import_([item])
    assert row_of(there, KEY).value == NEXT


@pytest.mark.parametrize("restated", [False, True])
def test_what_is_said_now_is_refused(
    store: Loom, agent: AgentHandle, clock: FakeClock, *, restated: bool
) -> None:
    """B-299: delete or rewrite the key first, also where an older version says the same."""
    agent.memory.set(KEY, LEAK)
    if restated:
        clock.advance(1)
        agent.memory.set(KEY, NEXT)
        clock.advance(1)
        agent.memory.set(KEY, LEAK)
    before = contents_of(store)

    out = _redact(agent)

    assert (out.redacted, out.refused_head, out.versions) == (False, True, 0)
    assert contents_of(store) == before
    assert KEY in out.next


def test_after_a_delete_the_tombstone_is_scrubbed_too(
    store: Loom, agent: AgentHandle, clock: FakeClock
) -> None:
    """B-299, R-62: it repeats what it buried, and is no live head; nothing comes back."""
    agent.memory.set(KEY, LEAK)
    clock.advance(1)
    agent.memory.delete(KEY)

    assert _redact(agent).versions == 2

    assert "marzipan" not in _everything(store).casefold()
    with pytest.raises(NotFound):
        agent.memory.restore(KEY)
    assert agent.namespace.export(history=True).items == ()
    assert agent.namespace.validate().ok


def test_whoever_says_it_again_makes_a_claim_of_their_own(
    store: Loom, agent: AgentHandle, clock: FakeClock
) -> None:
    """R-62: a fresh assertion is found, and its version is not marked as redacted."""
    agent.memory.set(KEY, LEAK)
    clock.advance(1)
    agent.memory.delete(KEY)
    _redact(agent)
    clock.advance(1)

    agent.memory.set(KEY, LEAK)

    assert row_of(agent, KEY).value == LEAK
    assert row_of(agent, KEY).redacted_at is None
    assert [hit.value for hit in agent.memory.search(LEAK).hits] == [LEAK]
    assert agent.namespace.validate().ok
    assert [v.value for v in agent.memory.history(KEY)][1:] == [REDACTED, REDACTED]


def test_a_proposal_that_was_taken_loses_it_too(
    store: Loom, agent: AgentHandle, clock: FakeClock
) -> None:
    """R-23, R-62: a copy lies beside the key's row."""
    agent.memory.set(KEY, NIGHT)
    proposal = agent.memory.set(KEY, LEAK, proposed=True)
    clock.advance(1)
    assert agent.memory.redact(proposal.memory_id, proposal.version).refused_head
    agent.memory.proposal_decide(proposal.memory_id, "accept")
    clock.advance(1)
    assert agent.memory.redact(proposal.memory_id, proposal.version).refused_head
    agent.memory.set(KEY, NEXT)

    out = agent.memory.redact(proposal.memory_id, proposal.version)

    assert out.redacted
    assert "marzipan" not in _everything(store).casefold()


def test_a_row_that_is_superseded_loses_it(
    store: Loom, agent: AgentHandle, clock: FakeClock
) -> None:
    """R-44, R-62: it is served no more, so its newest version is no live head."""
    agent.namespace.register(default_conflict_policy="newest_wins")
    bob = store.agent("bob", org="acme", namespace="lab")
    bob.memory.set(KEY, LEAK)
    clock.advance(1)
    agent.memory.set(KEY, NEXT)

    assert _redact(agent).redacted

    assert "marzipan" not in _everything(store).casefold()
    assert LEAK not in repr(agent.memory.search(NEXT, include_superseded=True))


def test_another_writers_claim_is_their_own(
    store: Loom, agent: AgentHandle, clock: FakeClock
) -> None:
    """R-62: no further than the page's reach: a memory and what was copied of it."""
    agent.namespace.register(default_conflict_policy="append_only")
    store.agent("bob", org="acme", namespace="lab").memory.set(KEY, LEAK)
    agent.memory.set(KEY, LEAK)
    clock.advance(1)
    agent.memory.set(KEY, NEXT)
    mine = next(v for v in _saying(agent, LEAK) if v.agent == "ada")

    out = agent.memory.redact(mine.memory_id, mine.version)

    assert out.redacted
    theirs = [v for v in _saying(agent, LEAK) if v.agent == "bob"]
    assert {v.value for v in theirs} == {LEAK}


def test_no_row_remembers_its_hash_as_allowed(agent: AgentHandle, clock: FakeClock) -> None:
    """R-60, R-62: what may stand beside it is remembered by hash."""
    one = agent.memory.set(KEY, DRAWS_5).memory_id
    two = agent.memory.set("y/2", DRAWS_9).memory_id
    agent.conflicts.resolve(one, two, "allow")
    clock.advance(1)
    agent.memory.set(KEY, NEXT)
    _redact(agent, DRAWS_5)
    assert _hash(DRAWS_5) not in repr(row_of(agent, "y/2"))


@pytest.mark.parametrize("mode", ["read_only", "no_delete"])
def test_both_lock_modes_refuse(store: Loom, leaked: AgentHandle, mode: str) -> None:
    """B-301, R-42, R-30: with the lock's reason, and one audit entry without a hash."""
    leaked.memory.lock(KEY, reason="under review", mode=mode)
    with pytest.raises(Locked, match="under review"):
        _redact(leaked)
    assert {v.value for v in _saying(leaked, LEAK)} == {LEAK}
    (entry,) = [e for e in audit_of(store) if e.operation == "memory.redact"]
    assert (entry.refused, entry.content_sha256) == ("LOCKED", "")
    leaked.memory.unlock(KEY)
    assert _redact(leaked).redacted


def test_what_does_not_exist_is_not_redacted(store: Loom, leaked: AgentHandle) -> None:
    """B-306: and nothing is scrubbed."""
    before = contents_of(store)
    row = row_of(leaked, KEY)
    for memory_id, version in ((row.memory_id, 1), ("nobody", row.version)):
        out = leaked.memory.redact(memory_id, version)
        assert (out.redacted, out.refused_head, out.versions) == (False, False, 0)
    assert contents_of(store) == before


def test_the_namespace_is_looked_at_once_the_row_is_known(
    store: Loom, leaked: AgentHandle
) -> None:
    """B-305: what the caller does not administer answers as what does not exist."""
    old = _saying(leaked, LEAK)[-1]
    roles = {"acme/ops": Role.ADMIN, "acme/lab": Role.VIEWER}
    caller = Caller(subject="eve", roles=roles)
    eve = acting_as(store, caller).agent("eve", org="acme", namespace="ops")
    assert not eve.memory.redact(old.memory_id, old.version).redacted
    with pytest.raises(Forbidden):
        eve.memory.redact(old.memory_id, old.version, namespace="lab")
    assert LEAK in _everything(store)


@pytest.mark.parametrize(
    "said", [{"version": 0}, {"version": "1"}, {"memory_id": ""}, {"rewrite": 1}]
)
def test_a_malformed_call_is_told(leaked: AgentHandle, said: dict[str, Any]) -> None:
    """R-30: it leaves nothing."""
    given: dict[str, Any] = {"memory_id": "x", "version": 1, **said}
    with pytest.raises(InvalidRequest):
        leaked.memory.redact(**given)


# ------------------------------------------------------------------------------ the file

_WORDS: Final = [f"quartz-{n:03d}-zephyr-{n * 7919 % 1000:03d}" for n in range(20)]


def _uncompressed(store: Loom) -> None:
    """Stored as it is, so that a search of the bytes can see it at all."""
    connection = store._env.storage.live.journal._connection  # type: ignore[attr-defined]
    connection.execute("SET force_compression = 'uncompressed'")


def _seen(folder: Path, *, backwards: bool = False) -> int:
    """How many of the words the bytes of all files in the folder show."""
    data = b"".join(f.read_bytes() for f in sorted(folder.iterdir()) if f.is_file())
    words = (word[::-1] if backwards else word for word in _WORDS)
    return sum(word.encode() in data for word in words)


def _fill(path: Path) -> None:
    with loom.open(path) as store:
        _uncompressed(store)
        memory = store.agent("ada").memory
        for n, words in enumerate(_WORDS):
            memory.set(f"k/{n}", f"It says {words} there.", metadata={"also": words})
            memory.set(f"k/{n}", f"It says {words[::-1]} there.", metadata={})


def _redact_all(store: Loom, *, rewrite: bool) -> list[RedactOutcome]:
    memory = store.agent("ada").memory
    last = len(_WORDS) - 1
    outs = []
    for n in range(len(_WORDS)):
        old = memory.history(f"k/{n}")[-1]
        outs.append(
            memory.redact(old.memory_id, old.version, rewrite=rewrite and n == last)
        )
    return outs


def test_no_byte_of_it_is_left_in_the_files(tmp_path: Path) -> None:
    """R-62: seen before, in full, and not after; what stands is still seen."""
    path = tmp_path / "store.duckdb"
    _fill(path)
    assert _seen(tmp_path) == len(_WORDS)

    with loom.open(path) as store:
        _uncompressed(store)
        outs = _redact_all(store, rewrite=True)
        assert [out.rewrite_pending for out in outs] == [True] * 19 + [False]
        assert _seen(tmp_path) == 0
    assert _seen(tmp_path) == 0
    assert _seen(tmp_path, backwards=True) == len(_WORDS)


@pytest.mark.parametrize("how", ["reopened", "again"])
def test_a_rewriting_that_was_postponed_is_made_up_for(tmp_path: Path, how: str) -> None:
    """R-62: it says so; the next opening, or the same call again, rewrites the file."""
    path = tmp_path / "store.duckdb"
    _fill(path)
    with loom.open(path) as store:
        _uncompressed(store)
        outs = _redact_all(store, rewrite=False)
        assert all(out.redacted and out.rewrite_pending and out.next for out in outs)
        assert "zephyr-000" not in _everything(store)
        if how == "again":
            (old,) = [v for v in store.agent("ada").memory.history("k/0") if v.redacted_at]
            again = store.agent("ada").memory.redact(old.memory_id, old.version)
            assert (again.redacted, again.versions) == (True, 0)
            assert not again.rewrite_pending
            assert _seen(tmp_path) == 0
    if how == "reopened":
        assert _seen(tmp_path) == len(_WORDS)
        loom.open(path).close()
    assert _seen(tmp_path) == 0


def test_a_store_in_memory_has_nothing_to_postpone(
    leaked: AgentHandle, backend: str
) -> None:
    """R-62: only a file can still hold what its tables do not."""
    assert _redact(leaked, rewrite=False).rewrite_pending == (backend == "duckdb")
