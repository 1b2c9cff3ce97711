"""Erasing a person: everything of theirs, nothing of anybody else's, whatever happens meanwhile."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any, Final

import attrs
import pytest

import loom
from loom import AgentHandle, Caller, Loom, Role
from loom.engine.env import Context
from loom.engine.erasing import REACH, steps
from loom.errors import Forbidden, InvalidRequest, NotFound
from loom.model.erasure import ErasureRow, commitment_to
from loom.storage.query import Select, Versions
from loom.storage.tables import AUDIT, ERASURE, MEMORY, TABLES
from loom.testing.fakes import FakeClock, SeededIds
from loom.testing.stores import audit_of, contents_of, versions_of
from tests.operations.conftest import Opener
from tests.operations.texts import DRAWS_5, DRAWS_9, ELSEWHERE, NIGHT, NIGHT_AGAIN

SUBJECT: Final = "ana-k7q"
OTHER: Final = "bo"


def _of(
    store: Loom, user_id: str = "-", namespace: str = "lab", **said: Any
) -> AgentHandle:
    return store.agent("ada", org="acme", namespace=namespace, user_id=user_id, **said)


def _live(store: Loom) -> None:
    """Rows of every standing of the subject in two namespaces, and rows of others."""
    for user in (SUBJECT, OTHER, "-"):
        memory = _of(store, user).memory
        memory.set("pump/rate", DRAWS_9, tags=["kind:number"])
        memory.set("pump/other", DRAWS_5)
        memory.set("pump/night", NIGHT, metadata={"seen": True})
        memory.set("pump/again", NIGHT_AGAIN)
        memory.set("pump/night", "Nobody goes to the pump at night any longer.")
        memory.set("gone", ELSEWHERE)
        memory.delete("gone")
        memory.set("trial", ELSEWHERE, proposed=True)
        memory.set("door", f"The word of {user} is marzipan-{user}.", sensitivity="high")
        memory.get("door")
        _of(store, user, "ops", session_id="s1", run_id="r1").memory.set("a/b", {"who": 1})
    held = _of(store, SUBJECT).memory
    held.lock("pump/rate", reason="audited")
    with pytest.raises(loom.errors.Locked):
        held.set("pump/rate", DRAWS_5)


@pytest.fixture
def lived(store: Loom) -> Loom:
    _live(store)
    return store


def _erased(store: Loom) -> ErasureRow:
    asked = _of(store).erasure.request(SUBJECT)
    return _of(store).erasure.run(asked.erasure.erasure_id)


def _of_others(store: Loom) -> list[Any]:
    return [row for row in versions_of(store) if row.user_id != SUBJECT]


def test_nothing_of_the_subject_is_left_in_any_table(lived: Loom) -> None:
    """B-336, R-62: every version, vector, entry and name, in every namespace."""
    ids = {row.memory_id for row in versions_of(lived) if row.user_id == SUBJECT}
    assert len(ids) == 8

    _erased(lived)

    stored = contents_of(lived)
    everything = "\n".join(sorted(text for rows in stored.values() for text in rows))
    assert SUBJECT not in everything
    assert not any(memory_id in everything for memory_id in ids)


def test_nothing_of_anybody_else_changes(lived: Loom) -> None:
    """R-21: other users' versions, vectors and audit entries stay to the byte."""
    before = _of_others(lived)
    audits = [entry for entry in audit_of(lived) if entry.user_id != SUBJECT]
    vectors = contents_of(lived)["vectors"]
    theirs = {row.memory_id for row in before}

    _erased(lived)

    assert _of_others(lived) == before
    assert set(audits) <= set(audit_of(lived))
    kept = contents_of(lived)["vectors"]
    assert kept == {vector for vector in vectors if vector.split()[0] in theirs}
    assert _of(lived, OTHER).memory.search(DRAWS_5).hits[0].value == DRAWS_5


def test_reads_answer_the_subject_nothing_of_theirs(lived: Loom) -> None:
    """R-62: no list, key, id, history, search or export shows any of it."""
    ids = [r.memory_id for r in versions_of(lived) if r.user_id == SUBJECT]

    _erased(lived)

    for namespace in ("lab", "ops"):
        handle = _of(lived, SUBJECT, namespace)
        rows = handle.memory.list(status="*", limit=1_000).items
        assert all(row.user_id == "-" for row in rows)
        assert not any(handle.memory.get_by_id(memory_id) for memory_id in ids)
        assert all(v.user_id == "-" for v in handle.memory.history("pump/rate"))
        found = handle.memory.search(NIGHT, top_k=50).hits
        assert not {hit.memory_id for hit in found} & set(ids)
    everybody = _of(lived, "*").namespace.export(history=True).items
    assert SUBJECT not in {memory.head.user_id for memory in everybody}


def test_audit_entries_stay_and_lose_their_names(lived: Loom) -> None:
    """Issue: the log survives erasure; what is left names nobody and nothing."""
    before = [entry for entry in audit_of(lived) if entry.user_id == SUBJECT]

    _erased(lived)

    now = {(e.version, e.ordinal): e for e in audit_of(lived)}
    for entry in before:
        kept = now[entry.version, entry.ordinal]
        assert (kept.user_id, kept.session_id, kept.run_id) == ("", "", "")
        assert (kept.memory_key, kept.memory_id, kept.content_sha256) == ("", "", "")
        assert (kept.operation, kept.verdict) == (entry.operation, entry.verdict)
        assert (kept.refused, kept.actor) == (entry.refused, entry.actor)


def test_the_certificate_says_how_much_of_what_was_removed(lived: Loom) -> None:
    """Issue: a certificate of what was removed, which names nobody."""
    versions = [r for r in versions_of(lived) if r.user_id == SUBJECT]
    entries = [e for e in audit_of(lived) if e.user_id == SUBJECT]
    asked = _of(lived).erasure.request(SUBJECT, reason="asked by letter")

    done = _of(lived).erasure.run(asked.erasure.erasure_id)

    assert done.state == "done"
    assert done.counts == {"memory": len(versions), "audit": len(entries)}
    assert (done.reason, done.requested_by) == ("asked by letter", "process:local")
    assert done.finished_at is not None
    assert (done.subject, done.salt) == ("", "")
    assert done.commitment == commitment_to(asked.salt, "acme", SUBJECT)
    assert _of(lived).erasure.status(done.erasure_id) == done


def test_a_request_erases_nothing_yet_and_is_made_once(lived: Loom) -> None:
    """A-335: erasure is a saga with its own requests."""
    before = versions_of(lived)
    agent = _of(lived)

    first = agent.erasure.request(SUBJECT)
    second = agent.erasure.request(SUBJECT)

    assert versions_of(lived) == before
    assert (first.noop, second.noop) == (False, True)
    assert first.erasure.erasure_id == second.erasure.erasure_id
    assert (len(first.salt), second.salt) == (32, "")
    assert [e.state for e in agent.erasure.list(unfinished=True).items] == ["requested"]


def test_a_done_erasure_run_again_changes_nothing(lived: Loom) -> None:
    """Issue: resumable; at its end there is nothing left to take up."""
    done = _erased(lived)
    before = contents_of(lived)

    assert _of(lived).erasure.run(done.erasure_id) == done
    assert contents_of(lived) == before
    assert _of(lived).erasure.list(unfinished=True).items == ()
    assert _of(lived).erasure.list().items == (done,)


def test_the_subject_may_come_back_afterwards(lived: Loom) -> None:
    """Issue: an erasure ends; what is written later is another life."""
    _erased(lived)

    _of(lived, SUBJECT).memory.set("pump/rate", DRAWS_5)

    assert _of(lived, SUBJECT).memory.get("pump/rate") is not None
    assert not _of(lived).erasure.request(SUBJECT).noop


@pytest.mark.parametrize("subject", ["-", "*", "", "a\x00b"])
def test_nobody_and_everybody_are_no_subject(lived: Loom, subject: str) -> None:
    """R-04: rows of nobody are no person's."""
    with pytest.raises(InvalidRequest):
        _of(lived).erasure.request(subject)


def test_erasing_takes_an_administrator_of_the_org(opened: Opener) -> None:
    """R-07: one namespace is not enough, since a person may be in each."""
    caller = Caller(subject="w", roles={"acme/lab": Role.ADMIN, "acme/*": Role.WRITER})
    store = opened(caller=caller)

    for ask in (
        lambda: _of(store).erasure.request(SUBJECT),
        lambda: _of(store).erasure.run("x"),
        lambda: _of(store).erasure.status("x"),
        _of(store).erasure.list,
    ):
        with pytest.raises(Forbidden):
            ask()


def test_an_erasure_of_another_org_is_not_there(lived: Loom) -> None:
    """R-04: an id of another org answers as a missing one."""
    asked = _of(lived).erasure.request(SUBJECT)
    elsewhere = lived.agent("ada", org="other")

    for ask in (elsewhere.erasure.run, elsewhere.erasure.status):
        with pytest.raises(NotFound):
            ask(asked.erasure.erasure_id)


def test_every_table_that_names_a_user_is_reached() -> None:
    """Issue: everything of a subject, in every table."""
    of_users = {table.name for table in TABLES if "user_id" in table.fields}

    assert {reach.table.name for reach in REACH} == of_users


def test_a_read_that_was_noted_is_forgotten(lived: Loom) -> None:
    """R-62: what is written down at the end of the process names the subject no more."""
    _of(lived, SUBJECT).memory.get("pump/rate")
    _of(lived, SUBJECT).memory.search(NIGHT)

    _erased(lived)
    _of(lived).namespace.audit()

    assert not [e for e in audit_of(lived) if e.user_id == SUBJECT]


# ------------------------------------------------------------------------- interrupted


def _taken(store: Loom, erasure_id: str, most: int) -> int:
    """Take at most that many steps, as a process that is then killed; how many it took."""
    identity = attrs.evolve(_of(store).identity)
    context = Context(store._env, identity)
    taken = 0
    for _ in steps(context, "erasure.run", erasure_id):
        taken += 1
        if taken == most:
            break
    return taken


def _state(store: Loom) -> Any:
    """What is left, but for when it was done and what the erasure is called."""
    rows = store._env.storage.select(Select(table=ERASURE, view=Versions())).rows
    newest = max(rows, key=lambda row: row.version)
    contents = contents_of(store)
    return (
        contents[MEMORY.name],
        contents["vectors"],
        len([e for e in audit_of(store) if e.user_id == SUBJECT]),
        (newest.state, newest.counts, newest.subject, newest.salt),
        {(row.subject, row.salt) for row in rows},
    )


def _fresh(opened: Opener) -> Loom:
    store = opened(clock=FakeClock(), ids=SeededIds())
    _live(store)
    return store


def test_an_erasure_stopped_at_any_step_ends_in_the_same_state(opened: Opener) -> None:
    """Issue: killed at every step boundary and resumed, it ends as if it had not been."""
    whole = _fresh(opened)
    erasure_id = _of(whole).erasure.request(SUBJECT).erasure.erasure_id
    boundaries = _taken(whole, erasure_id, most=100)
    assert boundaries >= 4

    for most in range(1, boundaries + 1):
        store = _fresh(opened)
        erasure_id = _of(store).erasure.request(SUBJECT).erasure.erasure_id
        _taken(store, erasure_id, most=most)
        _of(store).erasure.run(erasure_id)

        assert _state(store) == _state(whole)


def test_what_the_subject_writes_meanwhile_goes_as_well(lived: Loom) -> None:
    """Issue: nothing is left at the end, and all of it is counted."""
    erasure_id = _of(lived).erasure.request(SUBJECT).erasure.erasure_id
    context = Context(lived._env, _of(lived).identity)
    before = len([r for r in versions_of(lived) if r.user_id == SUBJECT])

    for late, _ in enumerate(steps(context, "erasure.run", erasure_id)):
        if late < 2:
            _of(lived, SUBJECT).memory.set(f"late/{late}", f"Late words number {late}.")

    done = _of(lived).erasure.status(erasure_id)
    assert done.state == "done"
    assert done.counts["memory"] == before + 2
    assert not [r for r in versions_of(lived) if r.user_id == SUBJECT]


# ------------------------------------------------------------------- bytes and processes

_WORDS: Final = [f"quartz-{n:03d}-zephyr-{n * 7919 % 1000:03d}" for n in range(40)]


def _uncompressed(store: Loom) -> None:
    """Stored as it is, so that a search of the bytes can see it at all."""
    connection = store._env.storage.live.journal._connection  # type: ignore[attr-defined]
    connection.execute("SET force_compression = 'uncompressed'")


def _bytes_of(folder: Path) -> bytes:
    return b"".join(f.read_bytes() for f in sorted(folder.iterdir()) if f.is_file())


def test_no_byte_of_the_text_remains_in_the_files(tmp_path: Path) -> None:
    """R-62: seen before, in full, and not after; what others wrote is still seen."""
    path = tmp_path / "store.duckdb"
    with loom.open(path) as store:
        _uncompressed(store)
        for n, words in enumerate(_WORDS):
            _of(store, SUBJECT).memory.set(f"k/{n}", f"The subject says {words} again.")
            _of(store, OTHER).memory.set(f"k/{n}", f"Somebody says {words[::-1]} again.")
    before = _bytes_of(tmp_path)
    assert all(words.encode() in before for words in _WORDS)
    assert SUBJECT.encode() in before

    with loom.open(path) as store:
        _uncompressed(store)
        _erased(store)

        after = _bytes_of(tmp_path)
        assert not [words for words in _WORDS if words.encode() in after]
        assert SUBJECT.encode() not in after
    closed = _bytes_of(tmp_path)
    assert not [words for words in _WORDS if words.encode() in closed]
    assert all(words[::-1].encode() in closed for words in _WORDS)
    assert SUBJECT.encode() not in closed


#: Runs an erasure, and says when it begins.
_ERASER: Final = textwrap.dedent(
    """
    import sys, loom
    with loom.open(sys.argv[1]) as store:
        print("begins", flush=True)
        store.agent("ada", org="acme", namespace="lab").erasure.run(sys.argv[2])
    """
)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_an_erasure_killed_at_random_instants_ends_when_it_is_run_again(
    tmp_path: Path,
) -> None:
    """Issue: killed at random instants it ends, resumed, in the same state."""
    drawn = random.Random(4)
    path = tmp_path / "store.duckdb"
    with loom.open(path) as store:
        for n, words in enumerate(_WORDS * 3):
            _of(store, SUBJECT).memory.set(f"k/{n}", f"The subject says {words} to {n}.")
            _of(store, OTHER).memory.set(f"k/{n}", f"Somebody says {words} to {n}.")
        asked = _of(store).erasure.request(SUBJECT)
        counts = {t.name: _count(store, t) for t in (MEMORY, AUDIT)}
        others = _of_others(store)

    for _ in range(12):
        eraser = subprocess.Popen(
            [sys.executable, "-c", _ERASER, str(path), asked.erasure.erasure_id],
            stdout=subprocess.PIPE,
        )
        assert eraser.stdout is not None
        eraser.stdout.readline()
        time.sleep(drawn.uniform(0, 0.12))
        eraser.send_signal(signal.SIGKILL)
        eraser.communicate()

    with loom.open(path) as store:
        done = _of(store).erasure.run(asked.erasure.erasure_id)
        assert (done.state, dict(done.counts)) == ("done", counts)
        assert not any(_count(store, table) for table in (MEMORY, AUDIT))
        assert _of_others(store) == others
    assert SUBJECT.encode() not in _bytes_of(tmp_path)


def _count(store: Loom, table: Any) -> int:
    query: Select[Any] = Select(table=table, view=Versions())
    rows = store._env.storage.select(query).rows
    return sum(row.user_id == SUBJECT for row in rows)
