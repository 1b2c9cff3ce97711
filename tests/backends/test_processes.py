"""One process a file, one storage a file in a process (rule 17), and what files may be."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import duckdb
import pytest

from loom.backends.connect import connect, store_embedder
from loom.backends.duckdb import open_duckdb
from loom.backends.duckdb.migrations import Migration, known, migrate
from loom.backends.duckdb.registry import Shared
from loom.backends.duckdb.rewrite import apply_scrubs
from loom.backends.memory import open_memory
from loom.errors import (
    EmbedderMismatch,
    InvalidRequest,
    SchemaTooNew,
    StoreUnavailable,
)
from loom.model.facts_of_store import EMBEDDER, StoreFact
from loom.model.json_values import freeze
from loom.ports import SystemClock
from loom.storage.batch import Batch, Scrub
from loom.storage.query import Select, Versions
from loom.storage.tables import MEMORY
from loom.storage.where import Equal
from loom.testing.writing import WHOLE, Drafter

CLOCK = SystemClock()


def opened(path: Path, *, space: str = "s", dimension: int = 4) -> Shared:
    return open_duckdb(path, clock=CLOCK, space=space, dimension=dimension)


def in_child(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_second_process_is_refused_with_the_holder_and_the_remedies(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.duckdb"
    storage = opened(path)
    try:
        done = in_child(
            """
            import sys
            from loom.backends.connect import connect, store_embedder
            from loom.errors import StoreLocked
            from loom.ports import SystemClock
            for attempt in (
                lambda: connect(sys.argv[1], clock=SystemClock(), space="s", dimension=4),
                lambda: store_embedder(sys.argv[1]),
            ):
                try:
                    attempt()
                except StoreLocked as error:
                    print(error.message)
            """,
            path,
        )
    finally:
        storage.close()
    lines = done.stdout.splitlines()
    assert len(lines) == 2, done.stderr
    for line in lines:
        assert str(path) in line
        assert str(os.getpid()) in line
        assert "copy" in line


def test_two_opens_share_one_storage_until_the_last_is_closed(tmp_path: Path) -> None:
    drafter = Drafter(space="s", dimension=4)
    path, link = tmp_path / "store.duckdb", tmp_path / "link.duckdb"
    one = opened(path)
    link.symlink_to(path)
    two = opened(link)
    (row,) = drafter.put(one, drafter.row("k", "v"))
    assert two.row(row.address) is one.row(row.address)
    one.close()
    one.close()
    with pytest.raises(StoreUnavailable):
        one.row(row.address)
    assert two.row(row.address) == row
    two.close()
    again = opened(path)
    assert again.row(row.address) == row
    again.close()


def test_another_embedder_on_an_open_file_is_refused(tmp_path: Path) -> None:
    storage = opened(tmp_path / "store.duckdb")
    for space, dimension in (("t", 4), ("s", 5)):
        with pytest.raises(EmbedderMismatch) as caught:
            opened(tmp_path / "store.duckdb", space=space, dimension=dimension)
        assert "'s'" in caught.value.message
    storage.close()
    opened(tmp_path / "store.duckdb", space="t", dimension=5).close()


def test_many_threads_open_one_storage(tmp_path: Path) -> None:
    found: list[Shared] = []
    threads = [
        threading.Thread(target=lambda: found.append(opened(tmp_path / "s.duckdb")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(handle.live) for handle in found}) == 1
    for handle in found:
        handle.close()


@pytest.mark.parametrize("kind", ["memory", "duckdb"])
def test_a_forked_child_is_refused(tmp_path: Path, kind: str) -> None:
    done = in_child(
        """
        import os, sys
        from loom.backends.connect import connect
        from loom.errors import StoreUnavailable
        from loom.ports import SystemClock
        from loom.storage.batch import WriteScope
        from loom.storage.query import Select
        from loom.storage.tables import MEMORY
        url = ":memory:" if sys.argv[2] == "memory" else sys.argv[1]
        storage = connect(url, clock=SystemClock(), space="s", dimension=4)
        child = os.fork()
        if child == 0:
            refused = 0
            for call in (
                lambda: storage.writing(WriteScope(org=None)).__enter__(),
                lambda: storage.select(Select(table=MEMORY)),
            ):
                try:
                    call()
                except StoreUnavailable:
                    refused += 1
            os._exit(10 + refused)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        storage.close()
        """,
        tmp_path / "store.duckdb",
        kind,
    )
    assert done.stdout.strip() == "12", done.stderr


def test_a_store_from_the_future_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    opened(path).close()
    connection = duckdb.connect(str(path))
    newest = known()[-1].number
    connection.execute(
        "INSERT INTO schema_migration (number, name) VALUES (?, 'later')", [newest + 1]
    )
    connection.close()
    before = path.read_bytes()
    with pytest.raises(SchemaTooNew) as caught:
        opened(path)
    assert str(newest + 1) in caught.value.message
    assert path.read_bytes() == before


def test_a_migration_that_fails_leaves_the_schema_as_it_was() -> None:
    connection = duckdb.connect()
    good = Migration(1, "good", "CREATE TABLE a (x INTEGER)")
    bad = Migration(2, "bad", "CREATE TABLE b (x INTEGER); SELECT nothing")
    with pytest.raises(duckdb.Error):
        migrate(connection, (good, bad), path="x")
    tables = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    assert {name for (name,) in tables} == {"schema_migration", "a"}
    better = Migration(2, "better", "CREATE TABLE b (x INTEGER)")
    migrate(connection, (good, better), path="x")
    migrate(connection, (good, better), path="x")
    numbers = connection.execute("SELECT number FROM schema_migration").fetchall()
    assert sorted(numbers) == [(1,), (2,)]
    connection.close()


def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(
        "not a database, but long enough to look like a file of some kind\n" * 99
    )
    with pytest.raises(StoreUnavailable) as caught:
        opened(path)
    assert str(path) in caught.value.message
    with pytest.raises(StoreUnavailable):
        opened(tmp_path / "no" / "such" / "folder" / "store.duckdb")


def test_urls_name_their_backend(tmp_path: Path) -> None:
    for url in (":memory:", "memory://"):
        storage = connect(url, clock=CLOCK, space="s", dimension=4)
        assert storage.capabilities.backend == "memory"
        storage.close()
    for url in (str(tmp_path / "a b.duckdb"), f"duckdb://{tmp_path}/a%20b.duckdb"):
        storage = connect(url, clock=CLOCK, space="s", dimension=4)
        assert storage.capabilities.backend == "duckdb"
        storage.close()
    assert [p.name for p in tmp_path.iterdir()] == ["a b.duckdb"]


@pytest.mark.parametrize(
    "url", ["postgresql://host/db", "clickhouse://x", "s3://a", "", "duckdb://"]
)
def test_an_unknown_scheme_says_what_is_supported(url: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        connect(url, clock=CLOCK, space="s", dimension=4)
    assert "duckdb" in caught.value.message


def test_memory_stores_are_never_shared() -> None:
    """Rule 17."""
    drafter = Drafter(space="s", dimension=4)
    one, two = (open_memory(clock=CLOCK, space="s", dimension=4) for _ in range(2))
    (row,) = drafter.put(one, drafter.row("k", "v"))
    assert two.row(row.address) is None


def test_a_store_tells_its_embedder_before_it_is_opened(tmp_path: Path) -> None:
    """R-40."""
    path = tmp_path / "store.duckdb"
    assert store_embedder(":memory:") is None
    assert store_embedder(path) is None
    assert not path.exists()
    storage = opened(path)
    assert store_embedder(path) is None
    with storage.writing(WHOLE) as writing:
        value = freeze({"name": "minilm", "dimension": 384})
        fact = StoreFact(name=EMBEDDER, value=value, version=writing.stamp)
        receipt = writing.stage(Batch(rows=(fact,)))
    receipt.wait()
    assert store_embedder(path) == ("minilm", 384)
    storage.close()
    assert store_embedder(path) == ("minilm", 384)
    assert store_embedder(f"duckdb://{path}") == ("minilm", 384)


def test_history_and_audit_are_views_a_person_can_query(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    drafter = Drafter(space="s", dimension=4)
    storage = opened(path)
    (one,) = drafter.put(storage, drafter.row("k", "one", tags=("a",)))
    drafter.put(storage, drafter.revised(one, "two"))
    assert storage.count(Select(table=MEMORY, view=Versions())) == 2
    storage.close()
    connection = duckdb.connect(str(path), read_only=True)
    history = connection.execute(
        "SELECT memory_key, value, status, event, tags FROM memory_versions ORDER BY version"
    ).fetchall()
    assert history == [
        ("k", '"one"', "active", "created", ["a"]),
        ("k", '"two"', "active", "revised", ["a"]),
    ]
    audit = connection.execute(
        "SELECT operation, memory_key, actor, verdict, refused FROM audit_log"
    ).fetchall()
    assert audit == [("memory.set", "k", "process:test", "clear", "")] * 2
    widths = connection.execute(
        "SELECT table_name, column_count FROM duckdb_tables() ORDER BY column_count DESC"
    ).fetchall()
    assert widths[0][1] <= 12
    connection.close()


def test_an_unfinished_rewrite_is_discarded(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    opened(path).close()
    leftover = tmp_path / "store.duckdb.rewrite"
    leftover.write_bytes(b"half of a copy")
    opened(path).close()
    assert not leftover.exists()


def test_a_rewrite_that_a_kill_cut_short_is_finished_on_open(tmp_path: Path) -> None:
    """R-62, R-38: the rows were changed, the file was not replaced yet."""
    secret = b"correct-horse-battery"
    path = tmp_path / "store.duckdb"
    drafter = Drafter(space="s", dimension=4)
    storage = opened(path)
    (one,) = drafter.put(storage, drafter.row("k", secret.decode()))
    (two,) = drafter.put(storage, drafter.revised(one, "ordinary"))
    storage.close()
    connection = duckdb.connect(str(path))
    scrub = Scrub(
        table=MEMORY,
        where=Equal("version", one.version),
        replace={"value": "gone"},
        reason="test",
    )
    apply_scrubs(connection, [scrub])
    connection.close()
    assert secret in path.read_bytes()
    storage = opened(path)
    assert secret not in path.read_bytes()
    assert storage.row(one.address) == two
    assert storage.count(Select(table=MEMORY, view=Versions())) == 2
    storage.close()


def test_readers_in_sql_wait_for_a_rewrite_and_go_on(tmp_path: Path) -> None:
    """Rule 19."""
    drafter = Drafter(space="s", dimension=4)
    storage = opened(tmp_path / "store.duckdb")
    for turn in range(6):
        drafter.put(storage, drafter.row(f"k{turn}", turn))
    over = threading.Event()
    errors: list[BaseException] = []

    def read() -> None:
        try:
            while not over.is_set():
                rows = storage.select(Select(table=MEMORY, view=Versions())).rows
                assert rows
        except BaseException as error:  # noqa: BLE001 - it is looked at below
            errors.append(error)

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for turn in range(5):
        where = Equal("memory_key", f"k{turn}")
        done = storage.scrub([Scrub(table=MEMORY, where=where, replace=None, reason="t")])
        assert done.rows == 1
    over.set()
    for thread in threads:
        thread.join()
    assert not errors
    assert storage.count(Select(table=MEMORY, view=Versions())) == 1
    storage.close()
