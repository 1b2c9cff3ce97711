"""Export and import: a file holds a namespace, and comes back without loss or doubling."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import attrs
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

import loom
from loom.faces.cli.app import loom as command
from loom.faces.lines import LineReader, end_line, header_line, memory_lines
from loom.operations.transfer import ExportedMemory
from loom.storage.query import Select
from loom.storage.tables import AUDIT, MEMORY
from tests.conftest import ROOT

#: What an import may change of a row: when and by whom it was written here.
STAMPED = frozenset(
    {
        *("version", "parent", "event", "updated_at", "actor", "source_class"),
        *("source_trace", "verified_by"),
    }
)
ADMIN = {"org": "acme", "namespace": "harbour", "user_id": "*"}
Open = Callable[..., loom.Loom]


@pytest.fixture(params=["memory", "duckdb"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens stores of one backend, each a new one."""
    stores: list[loom.Loom] = []

    def open_one(**options: Any) -> loom.Loom:
        place = ":memory:"
        if request.param == "duckdb":
            place = str(tmp_path / f"store-{len(stores)}.duckdb")
        stores.append(loom.open(place, **options))
        return stores[-1]

    yield open_one
    for store in stores:
        store.close()


def _filled(store: loom.Loom) -> loom.Loom:
    """A namespace with rows of every standing, of two agents and two users."""
    pilot = store.agent("pilot", org="acme", namespace="harbour").memory
    clerk = store.agent("clerk", org="acme", namespace="harbour", user_id="ana").memory
    soon = datetime.now(UTC) + timedelta(days=3)
    pilot.set(
        "pier/3/depth",
        "Pier 3 is 9 metres deep at low water.",
        tags=["Kind:Fact"],
        entities=["pier 3"],
        files=["charts/3.pdf"],
        metadata={"sheet": {"page": 4}},
        valid_at=soon - timedelta(days=400),
        valid_to=soon,
        ttl_seconds=9e6,
        confidence=0.75,
        source_trace={"log": 7},
        source_resource_id="log-7",
    )
    pilot.set("pier/3/depth", "Pier 3 is 11 metres deep at low water.")
    pilot.set("notes/depth", "Pier 3 is 12 metres deep at low water.")
    pilot.pin("rules/speed", "No ship passes the mole at more than 5 knots.")
    pilot.set("rules/speed", "No ship passes the mole at more than 5 knots.")
    pilot.lock("rules/speed", reason="harbour master")
    clerk.set("berth/list", {"berths": [1, 2.5, None, "x"], "big": 2**60})
    clerk.set("old/note", "The crane on the east quay is being repaired.")
    clerk.delete("old/note")
    clerk.set("twin/a", "The pilot boat is called Petrel.")
    clerk.set("twin/b", "A pilot boat is kept ready near the mole.")
    clerk.set("twin/b", "the pilot boat is called petrel")
    long = "\n\n".join(f"Paragraph {i}: buoy {i} shows light {i * 3}." for i in range(80))
    pilot.set("manual/buoys", long)
    return store


def _exported(store: loom.Loom, *, history: bool = True, limit: int = 3) -> list[Any]:
    admin = store.agent("admin", **ADMIN)
    page = admin.namespace.export(history=history, limit=limit)
    items = list(page.items)
    while page.cursor is not None:
        page = admin.namespace.export(history=history, limit=limit, cursor=page.cursor)
        items.extend(page.items)
    return items


def _imported(store: loom.Loom, items: list[Any], **options: Any) -> dict[str, int]:
    admin = store.agent("importer", **ADMIN)
    return dict(admin.namespace.import_(items, origin="export-1", **options).counts)


def _kept(row: Any) -> dict[str, Any]:
    return {name: row[name] for name in row if name not in STAMPED}


def test_an_export_has_every_row_whatever_its_status(opened: Open) -> None:
    """Issue 6: nothing is lost: every head of the namespace, its history by flag."""
    items = _exported(_filled(opened()))

    by_key = {item.head.memory_key: item for item in items}
    assert {key: str(item.head.status) for key, item in by_key.items()} == {
        "pier/3/depth": "conflicted",
        "notes/depth": "conflicted",
        "rules/speed": "active",
        "berth/list": "active",
        "old/note": "tombstoned",
        "twin/a": "active",
        "twin/b": "duplicate",
        "manual/buoys": "active",
    }
    depths = [row.value for row in by_key["pier/3/depth"].versions]
    assert depths == [
        "Pier 3 is 9 metres deep at low water.",
        "Pier 3 is 11 metres deep at low water.",
        "Pier 3 is 11 metres deep at low water.",
    ]
    plain = _exported(_filled(opened()), history=False)
    assert all(not item.history for item in plain)


def test_importing_one_s_own_export_changes_nothing(opened: Open) -> None:
    """Issue 6: no version, no reinforcement, no audit entry."""
    store = _filled(opened())
    items = _exported(store)
    before = store.agent("admin", **ADMIN).namespace.stats()

    assert _imported(store, items) == {"unchanged": len(items)}
    assert _imported(store, items, atomic=True) == {"unchanged": len(items)}

    assert store.agent("admin", **ADMIN).namespace.stats() == before
    assert [i.head for i in _exported(store)] == [i.head for i in items]


@pytest.mark.parametrize("history", [False, True])
@pytest.mark.parametrize("atomic", [False, True])
def test_a_fresh_store_gets_the_rows_as_they_were(
    opened: Open, history: bool, atomic: bool
) -> None:
    """Issue 6: ids, statuses, links, dates, pins, locks, counts; written now (R-15)."""
    items = _exported(_filled(opened()), history=history)
    fresh = opened()

    assert _imported(fresh, items, atomic=atomic) == {"imported": len(items)}

    again = {i.head.memory_id: i for i in _exported(fresh, history=history)}
    for item in items:
        mine = again[item.head.memory_id]
        assert _kept(mine.head) == _kept(item.head)
        assert [v.value for v in mine.versions] == [v.value for v in item.versions]
        assert [str(v.status) for v in mine.history] == [
            str(v.status) for v in item.history
        ]
        assert all(v.event == "imported" for v in mine.versions)
        assert mine.head.version > item.head.version
        versions = [v.version for v in mine.versions]
        assert [0, *versions[:-1]] == [v.parent for v in mine.versions]
    assert _imported(fresh, items) == {"unchanged": len(items)}


def test_what_the_file_says_of_its_writers_is_kept_as_hearsay(opened: Open) -> None:
    """R-07, R-47: the actor is the importer, the class at most imported."""
    items = _exported(_filled(opened()), history=False)
    importer = loom.Caller(subject="maria", kind="human")
    fresh = opened(caller=importer)

    _imported(fresh, items)

    for item in _exported(fresh, history=False):
        row = item.head
        assert row.actor == "human:maria"
        assert row.source_class == "imported"
        came = row.source_trace["imported_from"]
        assert (came["actor"], came["source_class"]) == ("process:local", "asserted")
        assert came["export"] == "export-1"
        assert came["version"] < row.version
    depth = fresh.agent("pilot", org="acme", namespace="harbour").memory.get("pier/3/depth")
    assert depth is not None
    assert depth.source_trace["log"] == 7


def test_an_import_never_lifts_a_source_class(opened: Open) -> None:
    """R-47: external stays external."""
    store = opened()
    agent = store.agent("a", org="acme", namespace="harbour")
    agent.memory.set("page", "A web page says the mole is closed.", source_class="external")
    fresh = opened()

    _imported(fresh, _exported(store))

    row = fresh.agent("a", org="acme", namespace="harbour").memory.get("page")
    assert row is not None
    assert row.source_class == "external"


def test_an_attestation_in_a_file_reads_as_restored(opened: Open) -> None:
    """R-47: nobody vouched for it here."""
    [item] = _exported_one(opened, "The mole is 400 metres long.")
    signed = attrs.evolve(
        item.head, verified_by="human:eve", verified_sha256=item.head.content_sha256
    )
    fresh = opened()

    _imported(fresh, [attrs.evolve(item, head=signed)])

    row = fresh.agent("a", org="acme", namespace="harbour").memory.get("k")
    assert row is not None
    assert row.verification == "restored"


def _exported_one(opened: Open, value: str) -> list[Any]:
    store = opened()
    store.agent("a", org="acme", namespace="harbour").memory.set("k", value)
    return _exported(store, history=False)


def test_imported_memories_are_found(opened: Open) -> None:
    """Issue 6: an import embeds again, chunks included, whatever the embedder."""
    fresh = opened()
    _imported(fresh, _exported(_filled(opened())))
    agent = fresh.agent("pilot", org="acme", namespace="harbour")

    hits = agent.memory.search("what does buoy 71 show?", top_k=1).hits

    assert hits[0].memory_key == "manual/buoys"
    assert "buoy 71 shows light 213" in hits[0].excerpt
    assert not agent.memory.search("crane on the east quay", top_k=3).hits or all(
        hit.memory_key != "old/note" for hit in agent.memory.search("crane quay").hits
    )


def test_names_in_a_file_are_taken_as_those_of_a_write(opened: Open) -> None:
    """A-180, A-183: entities canonical, files as paths; a path outside is refused."""
    item = _exported_one(opened, "Pier 3 is lit at night.")[0]

    def given(**fields: Any) -> list[Any]:
        return [attrs.evolve(item, head=attrs.evolve(item.head, **fields))]

    store = opened()
    _imported(store, given(entities=("The Piers", "pier"), files=("./charts//3.pdf",)))
    (row,) = store.agent("admin", **ADMIN).memory.list(entities=["a pier"]).items
    assert (row.entities, row.files) == (("pier",), ("charts/3.pdf",))
    assert _imported(opened(), given(files=("/etc/passwd",))) == {"INVALID": 1}


def test_what_was_deleted_here_does_not_come_back(opened: Open) -> None:
    """Facts 3.2: a deleted fact does not return by importing an older export."""
    store = _filled(opened())
    items = _exported(store)
    agent = store.agent("pilot", org="acme", namespace="harbour")
    agent.memory.delete("notes/depth")

    assert _imported(store, items) == {"unchanged": len(items)}
    assert agent.memory.get("notes/depth") is None


def test_a_key_that_says_otherwise_here_is_judged(opened: Open) -> None:
    """Issue 6: what is live here with other content goes through the judged path."""
    items = _exported_one(opened, "The mole is 400 metres long.")
    here = opened()
    agent = here.agent("a", org="acme", namespace="harbour")
    agent.memory.set("k", "The mole is 380 metres long.")

    out = here.agent("i", **ADMIN).namespace.import_(items, origin="e").results

    assert [line.result for line in out] == ["clear"]
    history = agent.memory.history("k")
    assert [v.value for v in history] == [
        "The mole is 400 metres long.",
        "The mole is 380 metres long.",
    ]
    assert history[0].event == "revised"
    assert history[0].source_class == "imported"
    again = here.agent("i", **ADMIN).namespace.import_(items, origin="e")
    assert dict(again.counts) == {"unchanged": 1}


@pytest.mark.parametrize("here_before", [False, True], ids=["new", "judged"])
def test_what_a_file_holds_is_looked_at_for_secrets(
    opened: Open, here_before: bool
) -> None:
    """R-46: detected as in any write, whatever the store it comes from looked for."""
    there = opened(settings=loom.Settings(sensitivity_autodetect=False))
    pilot = there.agent("a", org="acme", namespace="harbour").memory
    pilot.set("k", "The gate opens with the password Gr3bbestad-19.", entities=["gate"])
    items = _exported(there)
    agent = opened().agent("a", org="acme", namespace="harbour")
    if here_before:
        agent.memory.set("k", "The gate is by the mole.")
    agent.namespace.import_(items, origin="e")
    row = agent.memory.get("k")

    assert row is not None
    assert (row.sensitivity, row.searchable, row.entities) == ("high", False, ())
    assert agent.memory.search("gate password").hits == ()
    assert agent.namespace.validate().ok


@pytest.mark.parametrize("here_before", [False, True], ids=["new", "judged"])
def test_what_a_writer_stated_comes_with_the_file(opened: Open, here_before: bool) -> None:
    """R-46, A-26: a stated level and what an end leads to."""
    there = opened().agent("a", org="acme", namespace="harbour")
    there.memory.set(
        "k",
        "Mail harbour@example.org about pier 3.",
        sensitivity="low",
        ttl_seconds=9e6,
        on_expire="keep",
    )
    items = there.namespace.export().items
    agent = opened().agent("a", org="acme", namespace="harbour")
    if here_before:
        agent.memory.set("k", "The mole is 380 metres long.")
    agent.namespace.import_(items, origin="e")
    row = agent.memory.get("k")

    assert row is not None
    assert (row.sensitivity, row.sensitivity_stated, row.on_expire) == ("low", True, "keep")


def test_a_level_stated_here_outlasts_a_file_that_states_none(opened: Open) -> None:
    """R-46: nothing becomes less guarded by an import."""
    items = _exported_one(opened, "The mole is 400 metres long.")
    agent = opened().agent("a", org="acme", namespace="harbour")
    agent.memory.set("k", "The mole is 380 metres long.", sensitivity="high")
    agent.namespace.import_(items, origin="e")
    row = agent.memory.get("k")

    assert row is not None
    assert (row.value, row.sensitivity) == ("The mole is 400 metres long.", "high")


def test_a_pin_here_stands_against_an_import(opened: Open) -> None:
    """R-42: the judged path has its guards."""
    items = _exported_one(opened, "The mole is 400 metres long.")
    here = opened()
    agent = here.agent("a", org="acme", namespace="harbour")
    agent.memory.pin("k", "The mole is 380 metres long.")

    assert _imported(here, items) == {"PINNED_CONFLICT": 1}
    row = agent.memory.get("k")
    assert row is not None
    assert row.value == "The mole is 380 metres long."


def test_an_import_that_disagrees_with_what_stood_here_is_marked(opened: Open) -> None:
    """R-32: a recreated row is compared with rows that did not come with it; R-22."""
    items = _exported_one(opened, "The mole of the harbour is 400 metres long.")
    here = opened()
    agent = here.agent("b", org="acme", namespace="harbour")
    agent.memory.set("own/mole", "The mole of the harbour is 380 metres long.")

    out = here.agent("i", **ADMIN).namespace.import_(items, origin="e").results

    assert [(line.result, line.status) for line in out] == [("imported", "conflicted")]
    assert out[0].peers[0].memory_key == "own/mole"
    mine, theirs = agent.memory.get("own/mole"), agent.memory.get("k")
    assert mine is not None
    assert theirs is not None
    assert mine.conflict_with == (theirs.memory_id,)
    assert theirs.conflict_with == (mine.memory_id,)


def test_the_blacklist_guards_each_entry(opened: Open) -> None:
    """R-30: a match is refused and audited, the others land; history is no way around."""
    store = opened()
    memory = store.agent("a", org="acme", namespace="harbour").memory
    memory.set("good", "The mole is 400 metres long.")
    memory.set("bad", "The alarm code is swordfish.")
    memory.set("once", "The gate code was swordfish.")
    memory.set("once", "The gate has no code any more.")
    items = _exported(store)
    here = opened()
    here.agent("a", org="acme", namespace="harbour").blacklist.add("swordfish")

    assert _imported(here, items) == {"imported": 1, "BLACKLISTED": 2}
    with pytest.raises(loom.errors.Blacklisted) as raised:
        _imported(opened_with_pattern(opened), items, atomic=True)
    assert "swordfish" not in str(raised.value)


def opened_with_pattern(opened: Open) -> loom.Loom:
    store = opened()
    store.agent("a", org="acme", namespace="harbour").blacklist.add("swordfish")
    return store


def test_atomic_refuses_the_whole(opened: Open) -> None:
    """R-37: the first refusal undoes all that came before it."""
    store = opened_with_pattern(opened)
    entries = [
        {"memory_key": "a", "value": "The mole is 400 metres long."},
        {"memory_key": "b", "value": "The code is swordfish."},
    ]

    with pytest.raises(loom.errors.Blacklisted):
        _imported(store, entries, atomic=True)

    assert store.agent("x", **ADMIN).namespace.stats().memories == 0
    assert _imported(store, entries) == {"clear": 1, "BLACKLISTED": 1}


def test_conflict_links_are_made_once_both_sides_are_here(opened: Open) -> None:
    """R-22: links are symmetric at every moment, also in pieces or with one side missing."""
    items = _exported(_filled(opened()), history=False)
    pair = [i for i in items if i.head.memory_key.endswith("depth")]
    fresh = opened()
    agent = fresh.agent("pilot", org="acme", namespace="harbour")

    _imported(fresh, pair[:1])
    alone = agent.memory.get(pair[0].head.memory_key)
    assert alone is not None
    assert (str(alone.status), alone.conflict_with) == ("active", ())

    _imported(fresh, pair[1:])
    for one, other in (pair, pair[::-1]):
        row = agent.memory.get(one.head.memory_key)
        assert row is not None
        assert row.conflict_with == (other.head.memory_id,)


def test_a_duplicate_without_its_canonical_row_stands_for_itself(opened: Open) -> None:
    """R-24: a duplicate never points at nothing."""
    items = _exported(_filled(opened()), history=False)
    twin = [i for i in items if i.head.memory_key == "twin/b"]
    fresh = opened()

    _imported(fresh, twin)

    row = fresh.agent("x", org="acme", namespace="harbour", user_id="ana").memory.get(
        "twin/b"
    )
    assert row is not None
    assert (str(row.status), row.duplicate_of) == ("active", "")


def test_rows_of_other_users_take_an_administrator(opened: Open) -> None:
    """R-04, R-07: an export or import of every user's rows needs the role."""
    items = _exported(_filled(opened()), history=False)
    writer = loom.Caller(subject="w", roles={"acme/harbour": loom.Role.WRITER})
    store = opened(caller=writer)

    everybody = store.agent("x", **ADMIN)
    with pytest.raises(loom.errors.Forbidden):
        everybody.namespace.export()
    with pytest.raises(loom.errors.Forbidden):
        everybody.namespace.import_(items)
    ana = store.agent("x", org="acme", namespace="harbour", user_id="ana")
    counts = dict(ana.namespace.import_(items, origin="e").counts)
    assert counts == {"imported": 4, "FORBIDDEN": 4}
    assert {i.head.user_id for i in ana.namespace.export().items} == {"ana"}


def test_an_id_that_another_namespace_holds_is_given_anew(opened: Open) -> None:
    """R-03: a memory id is never used twice; the row is judged as a set."""
    store = _filled(opened())
    items = _exported(store, history=False)
    other = store.agent("i", org="acme", namespace="copy", user_id="*")

    counts = dict(other.namespace.import_(items, origin="e").counts)

    assert counts.pop("unchanged") == 1  # the deleted one
    assert sum(counts.values()) == len(items) - 1
    ids = {i.head.memory_id for i in items}
    assert ids.isdisjoint(i.head.memory_id for i in other.namespace.export().items)


def test_a_forged_line_is_refused(opened: Open) -> None:
    """Facts 3: a file is a stranger's word; each field is checked."""
    [item] = _exported_one(opened, "The mole is 400 metres long.")
    forged: dict[str, Any] = {
        "value": "The mole is 999 metres long.",
        "memory_id": "not-an-id",
        "memory_key": "two words",
        "confidence": 7.0,
        "reinforcement_count": 0,
        "pinned": "yes",
        "agent": "",
        "user_id": "*",
        "tags": ("",),
        "version": -1,
        "valid_to": datetime(1990, 1, 1, tzinfo=UTC),
        "source_trace": [],
        "conflict_with": ("x",),
        "created_at": None,
    }
    fresh = opened()
    for name, value in forged.items():
        fields = {name: value}
        if name == "valid_to":
            fields["valid_at"] = datetime(1991, 1, 1, tzinfo=UTC)
        bad = attrs.evolve(item, head=attrs.evolve(item.head, **fields))
        assert _imported(fresh, [bad]) == {"INVALID": 1}, name
    assert fresh.agent("x", **ADMIN).namespace.stats().memories == 0


def test_pages_of_an_export_are_of_one_instant(opened: Open) -> None:
    """Design: many reads, one instant, though the namespace changes in between."""
    store = _filled(opened())
    admin = store.agent("admin", **ADMIN)
    expected = [i.head for i in _exported(store, limit=1000)]
    page = admin.namespace.export(limit=2)
    heads = [i.head for i in page.items]
    pilot = store.agent("pilot", org="acme", namespace="harbour").memory
    pilot.set("pier/3/depth", "Pier 3 is being dredged.")
    pilot.set("new/key", "A new lamp was mounted on the mole.")
    while page.cursor is not None:
        page = admin.namespace.export(limit=2, cursor=page.cursor)
        heads.extend(i.head for i in page.items)

    assert heads == expected
    with pytest.raises(loom.errors.InvalidRequest):
        admin.namespace.export(cursor="forged")


# --- files -------------------------------------------------------------------------------


def _run(store: Path, *arguments: str, stdin: str | bytes | None = None) -> Result:
    where = ["--org", "acme", "--namespace", "harbour", "--store", str(store)]
    return CliRunner().invoke(command, [*arguments, *where], input=stdin)


def _filled_file(path: Path) -> Path:
    with loom.open(str(path)) as store:
        _filled(store)
    return path


def test_a_file_comes_back_without_loss(tmp_path: Path) -> None:
    """Issue 6: the file of one store recreates another; its export is the same rows."""
    first, second = _filled_file(tmp_path / "a.duckdb"), tmp_path / "b.duckdb"
    file, again = tmp_path / "a.jsonl", tmp_path / "b.jsonl"

    assert _run(first, "export", str(file), "--history").exit_code == 0
    taken = _run(second, "import", str(file))
    assert taken.exit_code == 0, taken.stderr
    assert _run(second, "export", str(again), "--history").exit_code == 0

    assert _rows(file) == _rows(again)
    twice = _run(first, "import", str(file), "--json")
    answers = [json.loads(line) for line in twice.stdout.splitlines()]
    assert {a["result"] for a in answers} == {"unchanged"}
    lines = file.read_text("utf-8").splitlines()
    assert [a["line"] for a in answers] == [
        n for n, line in enumerate(lines, start=1) if json.loads(line)["loom"] == "memory"
    ]
    assert list(tmp_path.glob("*.part")) == []


def _rows(file: Path) -> list[dict[str, Any]]:
    lines = map(json.loads, file.read_text("utf-8").splitlines())
    rows = [{**line["row"], "kind": line["loom"]} for line in lines if "row" in line]
    kept = [{k: v for k, v in row.items() if k not in STAMPED} for row in rows]
    return sorted(kept, key=lambda row: json.dumps(row, sort_keys=True))


@pytest.mark.parametrize("cut", [1, 3, 5])
def test_a_file_cut_short_is_reported(tmp_path: Path, cut: int) -> None:
    """Issue 6: with its line number; --atomic writes nothing of it."""
    store, file = _filled_file(tmp_path / "a.duckdb"), tmp_path / "a.jsonl"
    _run(store, "export", str(file), "--history")
    text = file.read_bytes()
    lines = text.splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:cut]) + lines[cut][:40])

    refused = _run(tmp_path / "b.duckdb", "import", str(file), "--atomic")
    assert refused.exit_code == 2
    assert (
        f"line {cut + 1}: the export has no end: the file was cut short." in refused.stderr
    )
    assert (
        json.loads(_run(tmp_path / "b.duckdb", "stats", "--json").stdout)["memories"] == 0
    )

    partly = _run(tmp_path / "c.duckdb", "import", str(file))
    assert partly.exit_code == 1
    assert f"line {cut + 1}: the line is no JSON in UTF-8." in partly.stderr


def test_lines_lost_in_the_middle_are_noticed(tmp_path: Path) -> None:
    """Issue 6: the end of an export counts its lines."""
    store, file = _filled_file(tmp_path / "a.duckdb"), tmp_path / "a.jsonl"
    _run(store, "export", str(file))
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:2], *lines[3:]]))

    refused = _run(tmp_path / "b.duckdb", "import", str(file), "--atomic")

    assert refused.exit_code == 2
    assert "some are missing" in refused.stderr


def test_plain_entries_are_judged_and_bad_ones_named(tmp_path: Path) -> None:
    """Issue 6: each entry's verdict is reported, malformed lines by their number."""
    lines = [
        '\ufeff{"memory_key": "a", "value": "The ferry leaves pier 3 at noon.", "tags": ["x"]}',
        "",
        '{"memory_key": "b", "value": "the ferry leaves pier 3 at noon"}',
        '{"memory_key": "c", "value": "The ferry leaves pier 4 at noon."}',
        "not json",
        "[1, 2]",
        '{"memory_key": "d"}',
        '{"memory_key": "e", "value": NaN}',
        '{"memory_key": "f", "value": "x y z w", "colour": 1}',
        '{"loom": "riddle"}',
        '{"loom": "memory", "row": {"memory_key": "g"}}',
        "[" * 5000,
    ]
    store = tmp_path / "a.duckdb"
    result = _run(store, "import", "-", "--json", stdin="\n".join(lines))

    assert result.exit_code == 1
    answers = {a["line"]: a for a in map(json.loads, result.stdout.splitlines())}
    assert {n: a["code"] or a["result"] for n, a in answers.items()} == {
        1: "clear",
        3: "merge",
        4: "conflict",
        **dict.fromkeys(range(5, 13), "INVALID"),
    }
    assert answers[4]["peers"][0]["memory_key"] == "a"
    table = _run(store, "import", "-", stdin='{"memory_key": "a", "value": "Noon."}\n')
    assert table.exit_code == 0
    assert "clear" in table.stdout


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    """Design: a file this version cannot read is never read half."""
    text = '{"loom":"export","format":99}\n'
    result = _run(tmp_path / "a.duckdb", "import", "-", "--atomic", stdin=text)

    assert result.exit_code == 2
    assert "format 99" in result.stderr


_TEXT = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="\x00"), max_size=40
)
_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=25)
@given(values=st.lists(_VALUE, max_size=5))
def test_any_value_survives_the_file(values: list[Any]) -> None:
    """Issue 6: any JSON value in any script, line separators included, is read back."""
    with loom.open(":memory:") as store:
        agent = store.agent("a", org="acme", namespace="harbour")
        for number, value in enumerate(values):
            agent.memory.set(f"k/{number}", value, memory_type="episodic")
        items = _exported(store)
    text = header_line(export_id="e")
    text += "".join(line for item in items for line in memory_lines(item))
    text += end_line(memories=len(items), versions=sum(len(i.history) for i in items))
    reader = LineReader()

    read = [item.entry for item in reader.read(text.encode().splitlines(keepends=True))]

    assert reader.is_whole
    assert [e for e in read if isinstance(e, ExportedMemory)] == items


def test_a_file_may_name_a_memory_twice(opened: Open) -> None:
    """Issue 6: two exports in one file: the second finds the first's rows here."""
    items = _exported(_filled(opened()))
    fresh = opened()

    counts = _imported(fresh, [*items, *items])

    assert counts == {"imported": len(items), "unchanged": len(items)}


def test_entries_of_all_kinds_keep_their_places(opened: Open) -> None:
    """R-37: one answer an entry, in the order given, each seeing the ones before."""
    items = _exported(_filled(opened()), history=False)
    depth = next(i for i in items if i.head.memory_key == "notes/depth")
    pilot = next(i for i in items if i.head.memory_key == "rules/speed")
    same = {"memory_key": "copy", "value": "no ship passes the mole at more than 5 knots"}
    entries = [
        depth,
        {"memory_key": "x"},
        pilot,
        same,
        depth,
        {"memory_key": "y", "value": 1},
    ]
    fresh = opened()

    admin = fresh.agent("pilot", **ADMIN)
    out = admin.namespace.import_(entries, origin="e").results

    assert [line.result for line in out] == [
        "imported",
        "refused",
        "imported",
        "merge",
        "unchanged",
        "clear",
    ]
    assert [line.memory_key for line in out] == [
        *("notes/depth", "x", "rules/speed", "copy", "notes/depth", "y")
    ]


def test_many_memories_come_back_in_one_transaction_or_in_blocks(opened: Open) -> None:
    """Design: large files are streamed in blocks; links across blocks are made whole."""
    store = opened()
    memory = store.agent("a", org="acme", namespace="harbour").memory
    memory.bulk_set(
        [
            {
                "memory_key": f"b/{i}",
                "value": f"{chr(97 + i % 26)}{i * 7919}",
                "tags": ["t"],
            }
            for i in range(700)
        ]
    )
    for i in range(0, 700, 2):
        memory.set(f"b/{i}", f"{chr(97 + i % 26)}{i * 7919} once more")
    items = _exported(store, limit=250)
    for atomic in (False, True):
        fresh = opened()
        assert _imported(fresh, items, atomic=atomic) == {"imported": 700}
        again = {i.head.memory_id: i for i in _exported(fresh, limit=1000)}
        assert all(_kept(again[i.head.memory_id].head) == _kept(i.head) for i in items)


def test_every_write_of_an_import_is_audited(opened: Open) -> None:
    """R-30: one entry about each head written or refused; none for what is unchanged."""
    items = _exported(_filled(opened()))
    fresh = opened_with_pattern(opened)
    bad = {"memory_key": "bad", "value": "the word is swordfish"}
    _imported(fresh, [*items, bad])
    _imported(fresh, items)

    rows = fresh._env.storage.select(Select(table=AUDIT)).rows
    mine = [row for row in rows if row.operation == "namespace.import"]
    assert sorted(row.memory_key for row in mine if not row.refused) == sorted(
        item.head.memory_key for item in items
    )
    [refused] = [row for row in mine if row.refused]
    assert (refused.refused, refused.content_sha256) == ("BLACKLISTED", "")


def test_the_page_of_the_format_names_every_field() -> None:
    """Design: the documented format is the format."""
    page = (ROOT / "docs" / "export-format.md").read_text("utf-8")

    for field in ("export_id", "memories", "versions", *MEMORY.fields):
        assert f"`{field}`" in page or field.startswith("lock") or field in _COUNTED, field


#: What an import computes again.
_COUNTED = frozenset({"searchable", "chunks"})

_KEYS = st.sampled_from(["a", "a/b", "c"])
_SAID = st.sampled_from(
    [
        "The mole is 400 metres long.",
        "the mole is 400 metres long",
        "The mole is 380 metres long.",
        "The mole is not 400 metres long.",
        "Nobody fishes on the mole in winter.",
        "open",
        17,
        {"depth": [1, 2]},
    ]
)
_STEP = st.tuples(
    st.sampled_from(["set", "set", "set", "pin", "update", "delete", "restore", "lock"]),
    _KEYS,
    _SAID,
    st.sampled_from(["-", "ana"]),
    st.sampled_from(["pilot", "clerk"]),
)


def _live_through(store: loom.Loom, steps: list[tuple[Any, ...]]) -> None:
    for verb, key, value, user, agent in steps:
        handle = store.agent(agent, org="acme", namespace="harbour", user_id=user)
        with contextlib.suppress(loom.errors.LoomError):
            if verb in ("set", "pin", "update"):
                getattr(handle.memory, verb)(key, value)
            elif verb == "lock":
                handle.memory.lock(key, mode="no_delete", reason="kept")
            else:
                getattr(handle.memory, verb)(key)


@given(steps=st.lists(_STEP, max_size=25), history=st.booleans(), size=st.integers(1, 7))
def test_any_past_comes_back_whole(
    steps: list[tuple[Any, ...]], history: bool, size: int
) -> None:
    """Issue 6, R-22, R-24: whatever happened, a copy has the same rows, in one piece or
    in many, with links whole at every moment; and importing it again changes nothing.
    """
    with loom.open(":memory:") as store, loom.open(":memory:") as copy:
        _live_through(store, steps)
        items = _exported(store, history=history, limit=size)
        for at in range(0, len(items), size):
            assert set(_imported(copy, items[at : at + size])) == {"imported"}
            _check_links(copy)
        again = {i.head.memory_id: _kept(i.head) for i in _exported(copy)}
        assert again == {i.head.memory_id: _kept(i.head) for i in items}
        if items:
            assert _imported(copy, items) == {"unchanged": len(items)}
            assert _imported(store, _exported(copy)) == {"unchanged": len(items)}


def _check_links(store: loom.Loom) -> None:
    rows = {item.head.memory_id: item.head for item in _exported(store, history=False)}
    for row in rows.values():
        for partner in row.conflict_with:
            assert row.memory_id in rows[partner].conflict_with
        if row.duplicate_of:
            assert str(rows[row.duplicate_of].status) in ("active", "conflicted")
