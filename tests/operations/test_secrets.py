"""What is of high sensitivity: read by key alone, found by nothing, shown by nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from loom import AgentHandle, Loom
from loom.errors import Blacklisted, InvalidRequest, LoomError
from loom.model.identity import ScopeKey
from loom.model.readable import Readable
from loom.settings import Settings
from loom.storage.query import Match
from loom.testing.fakes import ChosenEmbedder
from loom.testing.stores import audit_of, contents_of, versions_of
from loom.text.tokens import query_terms
from tests.operations.conftest import Opener
from tests.operations.looking import row_of, written
from tests.operations.texts import ELSEWHERE, NIGHT, NIGHT_AGAIN, NIGHT_SHOUTED

KEY: Final = "door/code"
SECRET: Final = "The side door opens with the word marzipan."
HIGH: Final[dict[str, Any]] = {"sensitivity": "high"}


def _everything(agent: AgentHandle) -> Iterator[tuple[str, Any]]:
    """Every read but the one by key, and what shows answers to a person."""
    row = agent.memory.list(status="*").items
    reads: dict[str, Callable[[], Any]] = {
        "list": lambda: agent.memory.list(status="*"),
        "list by date": lambda: agent.memory.list(order="newest", status="*"),
        "get_by_id": lambda: [agent.memory.get_by_id(r.memory_id) for r in row],
        "history": lambda: agent.memory.history(KEY, agent_id="*"),
        "search": lambda: agent.memory.search(
            SECRET, include_duplicates=True, include_superseded=True, include_proposed=True
        ),
        "conflicts": agent.conflicts.list,
        "stats": agent.namespace.stats,
        "audit": lambda: agent.namespace.audit(unread_for_days=0),
        "validate": agent.namespace.validate,
        "export": lambda: agent.namespace.export(history=True),
        "apply": lambda: agent.memory.apply("delete", everything=True),
        "set of another": lambda: agent.memory.set(
            "k/x", SECRET + " Ask Ana.", dry_run=True
        ),
        "lock": lambda: agent.memory.lock(KEY, reason="x"),
        "unlock": lambda: agent.memory.unlock(KEY),
        "delete": lambda: agent.memory.delete(KEY, dry_run=True),
    }
    for name, read in reads.items():
        yield name, read()


def _leaks(shown: Any, secret: str) -> bool:
    pieces = [repr(shown), str(shown)]
    if isinstance(shown, Readable):
        pieces.append(shown._repr_html_())
    return any(secret in piece for piece in pieces)


def test_it_is_never_embedded_and_no_search_finds_it(
    store: Loom, agent: AgentHandle, embedder: ChosenEmbedder
) -> None:
    """A-59, R-46: not even sent to the embedder, which may be somebody else's service."""
    out = agent.memory.set(KEY, SECRET, entities=["side door"], **HIGH)

    assert (out.sensitivity, embedder.texts) == ("high", 0)
    (row,) = versions_of(store)
    assert (row.searchable, row.chunks, row.entities, row.slots) == (False, 0, (), ())
    found = agent.memory.search(
        SECRET, include_duplicates=True, include_superseded=True, include_proposed=True
    )
    assert found.hits == ()
    assert contents_of(store)["vectors"] == frozenset()


def test_get_by_its_key_is_the_one_read_that_shows_it(agent: AgentHandle) -> None:
    """A-60, R-46."""
    hashed = agent.memory.set(KEY, SECRET, **HIGH).content_sha256

    assert (row_of(agent, KEY).value, row_of(agent, KEY).masked) == (SECRET, False)
    for name, shown in _everything(agent):
        assert not _leaks(shown, "marzipan"), name
        if not name.startswith(("set", "lock", "unlock")):
            assert not _leaks(shown, hashed), name
    (listed,) = agent.memory.list().items
    assert (listed.masked, listed.value, listed.memory_key) == (True, None, KEY)


def test_each_read_of_it_is_audited_with_a_keyed_hash(
    store: Loom, agent: AgentHandle, opened: Opener
) -> None:
    """A-61, R-46: the hash cannot be found by trying values."""
    out = agent.memory.set(KEY, SECRET, **HIGH)
    for _ in range(2):
        agent.memory.get(KEY)

    entries = [e for e in audit_of(store) if e.memory_id == out.memory_id]
    reads = [e for e in entries if e.operation == "memory.get"]
    assert [(e.verdict, e.actor) for e in reads] == [("read", "process:local")] * 2
    hashes = {e.content_sha256 for e in entries}
    assert len(hashes) == 1
    assert out.content_sha256 not in hashes
    other = opened()
    other.agent("ada", org="acme", namespace="lab").memory.set(KEY, SECRET, **HIGH)
    assert hashes.isdisjoint(e.content_sha256 for e in audit_of(other))


def test_a_read_of_what_is_not_secret_is_not_audited(
    store: Loom, agent: AgentHandle
) -> None:
    agent.memory.set(KEY, NIGHT, sensitivity="medium")
    before = len(audit_of(store))
    agent.memory.get(KEY)
    assert len(audit_of(store)) == before


def test_it_is_nobody_s_peer_and_nobody_s_twin(store: Loom, agent: AgentHandle) -> None:
    """A-98, R-46: neither as the stored row nor as the written one."""
    agent.memory.set(KEY, NIGHT, **HIGH)
    for value in (NIGHT, NIGHT_SHOUTED, NIGHT_AGAIN):
        out = agent.memory.set("k/other", value, dry_run=True)
        assert (out.conflict_verdict, out.peers) == ("clear", ())
    (bulk,) = agent.memory.bulk_set([{"memory_key": "k/b", "value": NIGHT}]).results
    assert written(bulk).conflict_verdict == "clear"
    secret = agent.memory.set("k/s", NIGHT, **HIGH)
    assert (secret.conflict_verdict, secret.peers) == ("clear", ())


@pytest.mark.parametrize("how", ["set", "update", "bulk_set"])
def test_what_becomes_secret_loses_what_a_search_kept_of_it(
    store: Loom, agent: AgentHandle, how: str
) -> None:
    """R-46: vectors, chunks, tokens and entities, in every version."""
    long = " ".join(f"Paragraph {n} tells of marzipan and more." for n in range(120))
    agent.memory.set(KEY, long, entities=["Marzipan"])
    agent.memory.set(KEY, long, tags=["x"])
    assert agent.memory.search("marzipan").hits

    if how == "bulk_set":
        agent.memory.bulk_set([{"memory_key": KEY, "value": long, **HIGH}])
    else:
        getattr(agent.memory, how)(KEY, long, **HIGH)

    assert contents_of(store)["vectors"] == frozenset()
    assert {(v.searchable, v.chunks, v.entities) for v in versions_of(store)} == {
        (False, 0, ())
    }
    storage = store._env.storage
    scopes = (ScopeKey("acme", "lab"),)
    assert storage.match(Match(scopes=scopes, terms=query_terms("marzipan"))) == ()
    assert {v.value for v in agent.memory.history(KEY)} == {None}
    assert agent.namespace.validate().ok


def test_what_is_no_longer_secret_is_found_again(agent: AgentHandle) -> None:
    """R-46: it is embedded when its writer says so; the secret past stays masked."""
    agent.memory.set(KEY, SECRET, **HIGH)
    agent.memory.set(KEY, NIGHT, sensitivity="low")

    assert [hit.value for hit in agent.memory.search(NIGHT).hits] == [NIGHT]
    assert [v.value for v in agent.memory.history(KEY)] == [NIGHT, None]


def test_a_stated_level_is_kept_and_none_detects_again(agent: AgentHandle) -> None:
    """A-69, R-46: a stated level wins over detection, in later writes too."""
    card = "Pay with 4111 1111 1111 1111 please, he said."
    agent.memory.set(KEY, card, sensitivity="low")
    assert row_of(agent, KEY).sensitivity == "low"
    agent.memory.set(KEY, card + " Twice.")
    assert (row_of(agent, KEY).sensitivity, row_of(agent, KEY).searchable) == ("low", True)
    agent.memory.set(KEY, card + " Thrice.", sensitivity=None)
    assert (row_of(agent, KEY).sensitivity, row_of(agent, KEY).searchable) == (
        "high",
        False,
    )


def test_detection_can_be_switched_off(opened: Opener) -> None:
    """A-69."""
    agent = opened(settings=Settings(sensitivity_autodetect=False)).agent("ada")
    out = agent.memory.set(KEY, "Pay with 4111 1111 1111 1111 please, he said.")
    assert out.sensitivity == ""
    env = Settings.from_env({"LOOM_MEMORY_SENSITIVITY_AUTODETECT": "false"})
    assert env.sensitivity_autodetect is False


@pytest.mark.parametrize(
    "value,key,level",
    [
        ("Pay with 4111 1111 1111 1111 please, he said.", "shop/pay", "high"),
        ("Her social security number is 536-22-1847, she said.", "ana/tax", "high"),
        ("My PIN is 4821 for the blue card.", "ana/card", "high"),
        ("Write to ana@example.org about the boat.", "ana/boat", "medium"),
        ("Call +44 20 7946 0958 about the boat.", "ana/call", "medium"),
        ("Wire it to GB82 WEST 1234 5698 7654 32 today.", "ana/bank", "medium"),
        ("The boat leaves at 9:30 from pier 12.", "trip/boat", ""),
    ],
)
def test_what_is_sensitive_is_found(
    agent: AgentHandle, value: str, key: str, level: str
) -> None:
    """A-62, A-63, A-64, A-65, A-66, A-67, A-68: where its writer states no level."""
    out = agent.memory.set(key, value)
    assert out.sensitivity == level
    assert row_of(agent, key).searchable is (level != "high")


def test_a_malformed_level_leaves_nothing(store: Loom, agent: AgentHandle) -> None:
    """R-30."""
    before = contents_of(store)
    levels: tuple[Any, ...] = ("secret", "HIGH", 3, ["high"])
    for level in levels:
        with pytest.raises(InvalidRequest):
            agent.memory.set(KEY, NIGHT, sensitivity=level)
    assert contents_of(store) == before


def test_a_secret_on_trial_stays_secret(
    agent: AgentHandle, embedder: ChosenEmbedder
) -> None:
    """R-46, R-23: proposed, masked in the queue, and secret once it is taken."""
    proposal = agent.memory.set(KEY, SECRET, proposed=True, **HIGH).memory_id
    assert agent.memory.set(KEY, SECRET, proposed=True).memory_id == proposal
    (waiting,) = agent.memory.list(status="proposed").items
    assert (waiting.masked, waiting.value) == (True, None)

    out = agent.memory.proposal_decide(proposal, "accept")

    assert not _leaks(out, "marzipan")
    assert (row_of(agent, KEY).value, row_of(agent, KEY).sensitivity) == (SECRET, "high")
    assert embedder.texts == 0


def test_an_export_leaves_it_out_and_says_so(agent: AgentHandle, opened: Opener) -> None:
    """R-46: what is left goes elsewhere, whole."""
    agent.memory.set(KEY, SECRET, **HIGH)
    agent.memory.set("k/plain", NIGHT)
    page = agent.namespace.export(history=True)

    assert page.withheld == 1
    assert [item.head.memory_key for item in page.items] == ["k/plain"]
    other = opened().agent("ada", org="acme", namespace="lab")
    assert other.namespace.import_(list(page.items)).counts == {"imported": 1}


def test_an_imported_secret_stays_one(agent: AgentHandle, embedder: ChosenEmbedder) -> None:
    """R-46: a plain entry is judged as any write."""
    entry = {"memory_key": KEY, "value": SECRET, **HIGH}
    agent.namespace.import_([entry])
    assert (row_of(agent, KEY).searchable, embedder.texts) == (False, 0)


def test_the_blacklist_still_guards_it_and_no_error_quotes_it(agent: AgentHandle) -> None:
    """R-30, spec, errors: a message never contains a stored value."""
    agent.memory.pin(KEY, SECRET, **HIGH)
    agent.blacklist.add("nougat")
    calls: list[Callable[[], object]] = [
        lambda: agent.memory.set(KEY, "nougat opens it now"),
        lambda: agent.memory.set(KEY, "another word opens it"),
        lambda: agent.memory.set(KEY, "x", if_match_sha256="0" * 64),
        lambda: agent.memory.update(KEY, "nougat"),
    ]
    refused = []
    for call in calls:
        with pytest.raises(LoomError) as caught:
            call()
        refused.append(type(caught.value))
        told = json.dumps([str(caught.value), repr(caught.value.details)], default=str)
        assert "marzipan" not in told
    assert Blacklisted in refused


def test_a_try_removes_nothing(store: Loom, agent: AgentHandle) -> None:
    """R-35."""
    agent.memory.set(KEY, ELSEWHERE)
    before = contents_of(store)
    assert agent.memory.set(KEY, ELSEWHERE, dry_run=True, **HIGH).sensitivity == "high"
    assert contents_of(store) == before
