"""What changes when a value becomes secret, and what a secret key's writes never show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import attrs
import pytest

import loom
from loom import AgentHandle, Loom
from loom.errors import LoomError
from loom.model.identity import ScopeKey
from loom.model.json_values import freeze, sha256_of
from loom.plans.exported import ExportedMemory
from loom.storage.query import Match, Versions
from loom.testing.fakes import ChosenEmbedder, FakeClock
from loom.testing.stores import audit_of, contents_of, versions_of
from loom.text.tokens import query_terms
from tests.operations.conftest import Opener
from tests.operations.listening import ListeningEmbedder, ListeningJudge
from tests.operations.looking import row_of
from tests.operations.texts import (
    DRAWS_5,
    DRAWS_9,
    ELSEWHERE,
    NIGHT,
    NIGHT_AGAIN,
)

KEY: Final = "door/code"
SECRET: Final = "The side door opens with the word marzipan."
NEXT: Final = "The side door opens with the word nougat."
CARD: Final = "Pay with 4111 1111 1111 1111 please, he said."
HIGH: Final[dict[str, Any]] = {"sensitivity": "high"}


def _hash(value: Any) -> str:
    return sha256_of(freeze(value))


# ----------------------------------------------------------- what was open and is no longer


def _set(agent: AgentHandle, value: Any) -> None:
    agent.memory.set(KEY, value, **HIGH)


def _pin(agent: AgentHandle, value: Any) -> None:
    agent.memory.pin(KEY, value, **HIGH)


def _update_by_id(agent: AgentHandle, value: Any) -> None:
    agent.memory.update_by_id(row_of(agent, KEY).memory_id, value, **HIGH)


def _bulk(agent: AgentHandle, value: Any) -> None:
    entry = {"memory_key": KEY, "value": value, **HIGH}
    agent.memory.bulk_set([{"memory_key": "k/x", "value": 1}, entry], atomic=True)


def _import(agent: AgentHandle, value: Any) -> None:
    out = agent.namespace.import_([{"memory_key": KEY, "value": value, **HIGH}])
    assert "refused" not in out.counts


def _accept(agent: AgentHandle, value: Any) -> None:
    agent.memory.set(KEY, NIGHT)
    proposal = agent.memory.set(KEY, value, proposed=True, **HIGH)
    agent.memory.proposal_decide(proposal.memory_id, "accept")


@pytest.mark.parametrize("become", [_set, _pin, _update_by_id, _bulk, _import, _accept])
def test_nothing_of_what_became_secret_is_found_or_shown(
    store: Loom,
    agent: AgentHandle,
    clock: FakeClock,
    become: Callable[[AgentHandle, Any], None],
) -> None:
    """R-46: whichever way it came, in every version; its audit hashes are keyed."""
    agent.memory.set(KEY, SECRET, entities=["Marzipan"])
    clock.advance(1)
    assert agent.memory.search("marzipan").hits

    become(agent, SECRET)

    assert agent.memory.search("marzipan").hits == ()
    old = [v for v in versions_of(store) if v.content_sha256 == _hash(SECRET)]
    assert {(v.searchable, v.entities, v.slots) for v in old} == {(False, (), ())}
    scopes = (ScopeKey("acme", "lab"),)
    asked = Match(scopes=scopes, terms=query_terms("marzipan"), view=Versions())
    assert store._env.storage.match(asked) == ()
    assert not any(_hash(SECRET) in line for line in contents_of(store)["vectors"])
    assert SECRET not in [v.value for v in agent.memory.history(KEY)]
    assert _hash(SECRET) not in {e.content_sha256 for e in audit_of(store)}
    assert agent.namespace.validate().ok
    assert row_of(agent, KEY).value == SECRET


def test_what_was_secret_once_stays_hidden_behind_what_came_after(
    store: Loom, agent: AgentHandle, clock: FakeClock
) -> None:
    """R-46: also in the versions from before anybody said so."""
    agent.memory.set(KEY, SECRET)
    clock.advance(1)
    agent.memory.set(KEY, SECRET, **HIGH)
    clock.advance(1)
    agent.memory.set(KEY, NIGHT, sensitivity="low")

    assert [v.value for v in agent.memory.history(KEY)] == [NIGHT, None, None]
    (item,) = agent.namespace.export(history=True).items
    assert [row.value for row in item.versions] == [NIGHT]
    assert _hash(SECRET) not in {e.content_sha256 for e in audit_of(store)}


def test_its_writer_may_open_it_again(agent: AgentHandle, clock: FakeClock) -> None:
    """R-46: a stated level holds from then on; what was said before stays hidden."""
    agent.memory.set(KEY, SECRET, **HIGH)
    clock.advance(1)
    agent.memory.set(KEY, SECRET, sensitivity="low")

    assert [v.value for v in agent.memory.history(KEY)] == [SECRET, None]
    assert [h.value for h in agent.memory.search(SECRET).hits] == [SECRET]
    assert agent.namespace.validate().ok


def test_what_no_search_ever_found_is_hidden_too(
    store: Loom, agent: AgentHandle, clock: FakeClock
) -> None:
    """R-46, A-54: an episode has entities, though no vector."""
    episode: dict[str, Any] = {"memory_type": "episodic"}
    agent.memory.set(KEY, SECRET, entities=["Marzipan"], **episode)
    clock.advance(1)
    agent.memory.set(KEY, SECRET, **episode, **HIGH)

    assert {v.entities for v in versions_of(store)} == {()}
    assert {v.value for v in agent.memory.history(KEY)} == {None}


def test_detection_said_anew_hides_what_was_open(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """A-69: `sensitivity=None` over an equal value, stated low before."""
    agent.memory.set(KEY, CARD, sensitivity="low")
    clock.advance(1)
    assert agent.memory.set(KEY, CARD, sensitivity=None).sensitivity == "high"
    assert agent.memory.search(CARD).hits == ()
    assert {v.value for v in agent.memory.history(KEY)} == {None}


def test_what_depended_on_it_stands_for_itself(agent: AgentHandle) -> None:
    """R-22, R-24: it is nobody's canonical row and nobody's other side any more."""
    agent.memory.set("x/1", NIGHT)
    agent.memory.set("x/2", NIGHT_AGAIN)
    agent.memory.set("y/1", DRAWS_5)
    agent.memory.set("y/2", DRAWS_9)

    agent.memory.set("x/1", NIGHT, **HIGH)
    agent.memory.set("y/1", DRAWS_5, **HIGH)

    same, against = row_of(agent, "x/2"), row_of(agent, "y/2")
    assert (same.value, same.status, same.resolved_from) == (NIGHT_AGAIN, "active", "")
    assert (against.status, against.conflict_with) == ("active", ())
    assert agent.conflicts.list().items == ()
    assert agent.namespace.validate().ok


def test_no_row_remembers_its_hash_as_allowed(agent: AgentHandle) -> None:
    """R-46, R-60: what may stand beside it is remembered by hash."""
    one = agent.memory.set("y/1", DRAWS_5).memory_id
    two = agent.memory.set("y/2", DRAWS_9).memory_id
    agent.conflicts.resolve(one, two, "allow")
    assert _hash(DRAWS_5) in repr(row_of(agent, "y/2"))

    agent.memory.set("y/1", DRAWS_5, **HIGH)

    assert _hash(DRAWS_5) not in repr(row_of(agent, "y/2"))
    assert _hash(DRAWS_5) not in repr(agent.memory.history("y/2"))


def test_an_import_makes_what_its_head_says_secret_in_all_versions(
    store: Loom, agent: AgentHandle, opened: Opener, clock: FakeClock
) -> None:
    """R-46: a file may tell of versions from before anybody said so."""
    ears = ListeningEmbedder()
    agent.memory.set(KEY, SECRET)
    (item,) = agent.namespace.export().items
    later = item.head.version + 1
    head = attrs.evolve(item.head, version=later, sensitivity_stated=True, **HIGH)
    other = opened(embedder=ears)
    there = other.agent("ada", org="acme", namespace="lab")

    there.namespace.import_([ExportedMemory(head=head, history=(item.head,))])

    assert ears.heard == []
    assert {v.value for v in there.memory.history(KEY)} == {None}
    assert row_of(there, KEY).value == SECRET


# ------------------------------------------------------------ later writes to a secret key


def test_a_level_that_is_kept_keeps_the_text_from_the_embedder(opened: Opener) -> None:
    """R-46, R-31: the words of a new value say nothing of its secrecy; the row does."""
    ears = ListeningEmbedder()
    memory = (agent := opened(embedder=ears).agent("ada")).memory
    row_id = memory.set(KEY, SECRET, **HIGH).memory_id
    calls: list[Callable[[], object]] = [
        lambda: memory.set(KEY, NEXT),
        lambda: memory.update(KEY, SECRET),
        lambda: memory.update_by_id(row_id, NEXT),
        lambda: memory.bulk_set([{"memory_key": KEY, "value": SECRET}]),
        lambda: memory.bulk_set([{"memory_key": KEY, "value": NEXT}], atomic=True),
        lambda: agent.namespace.import_([{"memory_key": KEY, "value": SECRET}]),
        lambda: memory.set(KEY, NEXT, proposed=True),
        lambda: memory.set(KEY, NEXT, dry_run=True),
        lambda: memory.pin(KEY, NEXT),
        lambda: memory.pin(KEY),
        lambda: memory.lock(KEY, reason="x", mode="no_delete"),
        lambda: memory.unlock(KEY),
        lambda: memory.delete(KEY),
        lambda: memory.restore(KEY),
    ]
    for call in calls:
        call()
    assert ears.heard == []
    assert (row_of(agent, KEY).sensitivity, row_of(agent, KEY).pinned) == ("high", True)


@pytest.mark.parametrize("many", [1, 300])
@pytest.mark.parametrize("how", ["bulk", "atomic", "import"])
def test_a_level_that_is_stated_on_the_way_holds_for_the_rest(
    opened: Opener, how: str, many: int
) -> None:
    """R-37, R-46: each entry sees the ones before, and none is embedded ahead of them."""
    ears = ListeningEmbedder()
    agent = opened(embedder=ears).agent("ada")
    first: dict[str, Any] = {"memory_key": KEY, "value": SECRET, **HIGH}
    others = [{"memory_key": f"k/{n}", "value": n} for n in range(many)]
    entries = [first, *others, {"memory_key": KEY, "value": NEXT}]
    if how == "import":
        agent.namespace.import_(entries)
    else:
        agent.memory.bulk_set(entries, atomic=how == "atomic")
    assert not {SECRET, NEXT} & set(ears.heard)
    assert (row_of(agent, KEY).value, row_of(agent, KEY).sensitivity) == (NEXT, "high")


def test_another_embedder_is_told_no_secret(tmp_path: Path) -> None:
    """R-46: nor by `loom.reembed`."""
    path = tmp_path / "store.duckdb"
    with loom.open(path, embedder=ChosenEmbedder()) as store:
        store.agent("ada").memory.set("k/1", NIGHT)
        store.agent("ada").memory.set(KEY, NEXT)
        store.agent("ada").memory.set(KEY, NEXT, **HIGH)
        store.agent("ada").memory.set(KEY, SECRET)
    ears = ListeningEmbedder()
    ears.name = "chosen-2"
    loom.reembed(path, embedder=ears)
    assert ears.heard == [NIGHT]


def test_no_judge_reads_it(opened: Opener) -> None:
    """R-46: a judge may be a model behind a network."""
    judge = ListeningJudge()
    agent = opened(judge=judge).agent("ada")
    agent.namespace.register(default_conflict_policy="newest_wins")
    agent.memory.set("k/1", NIGHT)
    agent.memory.set("k/2", NIGHT_AGAIN)
    agent.memory.set("k/1", NIGHT, **HIGH)
    judge.heard.clear()
    for key in ("k/1", "k/3"):
        agent.memory.set(key, SECRET, **HIGH)
        agent.memory.set(key, NEXT)
        agent.memory.delete(key)
        agent.memory.restore(key)
    agent.memory.set("k/4", NIGHT)
    agent.conflicts.list()
    assert not {SECRET, NEXT} & set(judge.heard)


def test_a_claim_on_trial_for_a_secret_key_is_secret(agent: AgentHandle) -> None:
    """R-23, R-46: it would be one, were it taken; and it is one once it is taken."""
    agent.memory.set(KEY, SECRET, **HIGH)
    proposal = agent.memory.set(KEY, NEXT, proposed=True)
    assert proposal.sensitivity == "high"

    out = agent.memory.proposal_decide(proposal.memory_id, "accept")

    assert _hash(NEXT) not in repr(out)
    assert row_of(agent, KEY).value == NEXT
    assert NEXT not in [v.value for v in agent.memory.history(KEY, agent_id="*")]
    assert {row.value for row in agent.memory.list(status="*").items} == {None}


def test_a_claim_that_was_on_trial_before_is_hidden_when_it_is_taken(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-46: a copy of it lies beside the key's row."""
    agent.memory.set(KEY, NIGHT)
    proposal = agent.memory.set(KEY, NEXT, proposed=True)
    agent.memory.set(KEY, NIGHT, **HIGH)
    clock.advance(1)
    assert agent.memory.search("nougat", include_proposed=True).hits

    agent.memory.proposal_decide(proposal.memory_id, "accept")

    found = agent.memory.search("nougat", include_superseded=True, include_proposed=True)
    assert found.hits == ()
    assert NEXT not in [v.value for v in agent.memory.history(KEY, agent_id="*")]
    assert {row.value for row in agent.memory.list(status="*").items} == {None}
    assert agent.namespace.validate().ok


def test_who_did_not_say_it_is_not_told_its_hash(agent: AgentHandle) -> None:
    """R-46: a plain hash of a PIN is found by trying all of them."""
    pin = "4821"
    agent.memory.pin(KEY, pin, **HIGH)
    told: list[object] = [
        agent.memory.pin(KEY),
        agent.memory.lock(KEY, reason="x"),
        agent.memory.unlock(KEY),
        agent.memory.delete(KEY),
        agent.memory.restore(KEY),
    ]
    calls: list[Callable[[], object]] = [
        lambda: agent.memory.set(KEY, "other"),
        lambda: agent.memory.set(KEY, "other", pinned=True, if_match_sha256="0" * 64),
        lambda: agent.memory.update(KEY, "other", if_match_sha256="0" * 64),
    ]
    for call in calls:
        with pytest.raises(LoomError) as caught:
            call()
        told += [str(caught.value), caught.value.details]
    refusals = agent.memory.bulk_set([{"memory_key": KEY, "value": "other"}])
    told += [refusals, agent.memory.reject(KEY)]
    assert not [one for one in told if _hash(pin) in repr(one) or pin in repr(one)]


def test_a_caller_who_holds_its_hash_is_told_nothing_by_a_masked_read(
    agent: AgentHandle,
) -> None:
    """R-46: `if_changed_from` is no way to try values without an audit entry."""
    held = agent.memory.set(KEY, SECRET, **HIGH).content_sha256
    row = agent.memory.get(KEY, if_changed_from=held)
    assert row is not None
    assert row.unchanged
    masked = agent.memory.get_by_id(row.memory_id, if_changed_from=held)
    assert masked is not None
    assert (masked.unchanged, masked.value) == (False, None)


def test_two_secret_rows_side_by_side_are_listed_without_reasons(
    store: Loom, agent: AgentHandle
) -> None:
    """R-61, R-46: a superseded one that is restored meets its successor."""
    agent.namespace.register(default_conflict_policy="newest_wins")
    bob = store.agent("bob", org="acme", namespace="lab")
    agent.memory.set(KEY, SECRET, **HIGH)
    bob.memory.set(KEY, NEXT, **HIGH)
    agent.memory.restore(KEY)

    (pair,) = agent.conflicts.list().items

    assert pair.peer is not None
    assert (pair.row.value, pair.peer.value) == (None, None)
    assert (pair.relation, pair.reasons) == ("", ())


def test_a_file_that_words_make_suspect_goes_into_an_open_key(agent: AgentHandle) -> None:
    """A-69: a level stated before wins, and the text is embedded after all."""
    agent.memory.set(KEY, ELSEWHERE, sensitivity="low")
    out = agent.namespace.import_([{"memory_key": KEY, "value": CARD}])
    assert out.counts == {"clear": 1}
    assert [hit.value for hit in agent.memory.search(CARD).hits][:1] == [CARD]


def test_a_claim_that_is_stated_to_be_secret_the_second_time_is(
    agent: AgentHandle, clock: FakeClock
) -> None:
    """R-23, R-46: on trial, said twice; the level of either counts."""
    one = agent.memory.set(KEY, SECRET, proposed=True)
    clock.advance(1)
    again = agent.memory.set(KEY, SECRET, proposed=True, **HIGH)

    assert (again.memory_id, again.sensitivity) == (one.memory_id, "high")
    assert agent.memory.search("marzipan", include_proposed=True).hits == ()
    assert {v.value for v in agent.memory.history(KEY)} == {None}


def test_a_secret_is_no_copy_of_an_open_row(agent: AgentHandle) -> None:
    """R-37, R-46: it is kept under its own key, as its writer said."""
    agent.memory.set("k/1", NIGHT)
    out = agent.memory.bulk_set([{"memory_key": KEY, "value": NIGHT, **HIGH}])
    assert dict(out.counts) == {"clear": 1}
    assert row_of(agent, KEY).sensitivity == "high"
