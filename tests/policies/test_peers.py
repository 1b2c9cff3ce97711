"""The verdict over all close rows at once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import attrs
import pytest
from attrs import frozen

from loom.errors import PinnedConflict
from loom.model.memory import MemoryRow
from loom.model.thresholds import Thresholds
from loom.policies.facts import Claim
from loom.policies.peers import PeerCheck
from loom.policies.relations import CosineJudge, Relation, Relations
from loom.policies.verdicts import Clear, Conflict, Duplicate, Merge, Refuse, Verdict
from tests.policies.given import LEVELS, NOW, a_draft, a_peer, a_row, the_facts


@frozen
class ByKey:
    """Says of each row what its key is: `same/1` is the same, and so on."""

    def floor(self, thresholds: Thresholds, /) -> float:
        return 0.0

    def relate(
        self, new: Claim, old: Claim, similarity: float, thresholds: Thresholds, /
    ) -> Relation:
        kind = Relations(old.memory_key.partition("/")[0])
        return Relation(kind=kind, similarity=similarity)


def _row(name: str, **fields: Any) -> MemoryRow:
    return a_row(f"text of {name}", key=name, **fields)


def _verdict(
    *rows: MemoryRow, head: MemoryRow | None = None, pins: bool = False
) -> Verdict:
    peers = tuple(a_peer(row, 0.99 - i / 100) for i, row in enumerate(rows))
    facts = the_facts(peers=peers, head=head)
    return PeerCheck(ByKey()).judge(a_draft("New text to be judged.", pins=pins), facts)


CANONICAL, SAME, CONFLICT = _row("canonical/1"), _row("same/1"), _row("conflict/1")
COMPATIBLE, APART = _row("compatible/1"), _row("apart/1")
PINNED = _row("compatible/2", pinned=True)


def test_a_canonical_match_stands_before_all() -> None:
    """R-33: in this order, canonical match first, even before a close pinned peer."""
    verdict = _verdict(PINNED, CONFLICT, SAME, CANONICAL)

    assert isinstance(verdict, Merge)
    assert verdict.peer is CANONICAL


def test_a_close_pinned_peer_refuses_before_duplicate_and_conflict() -> None:
    """R-33, A-109, A-130: any close pinned peer refuses."""
    for others in ((SAME,), (CONFLICT,), (SAME, CONFLICT), ()):
        verdict = _verdict(*others, PINNED)
        assert isinstance(verdict, Refuse)
        assert verdict.error is PinnedConflict
        assert verdict.details["memory_key"] == PINNED.memory_key


def test_duplicate_stands_before_conflict() -> None:
    """R-33: the closest row that says the same answers for it."""
    other = _row("same/2")
    verdict = _verdict(CONFLICT, SAME, other)

    assert isinstance(verdict, Duplicate)
    assert verdict.of is SAME


def test_conflict_is_with_every_close_differing_peer() -> None:
    """R-33, A-114: all linked."""
    second = _row("conflict/2")
    verdict = _verdict(CONFLICT, COMPATIBLE, second, APART)

    assert isinstance(verdict, Conflict)
    assert verdict.peers == (CONFLICT, second)


@pytest.mark.parametrize("peers", [(), (COMPATIBLE,), (APART,), (COMPATIBLE, APART)])
def test_what_stands_against_nothing_is_clear(peers: tuple[MemoryRow, ...]) -> None:
    """A-115, R-33: no close peer, or close ones that can be true as well."""
    assert isinstance(_verdict(*peers), Clear)


def test_a_pinned_row_that_is_not_close_refuses_nothing() -> None:
    """A-109: only a close one."""
    assert isinstance(_verdict(_row("apart/2", pinned=True)), Clear)


def test_a_write_that_itself_pins_passes_pinned_peers() -> None:
    """R-42: its verdict is the one it would have without the pin."""
    pinned = _row("conflict/3", pinned=True)

    assert isinstance(_verdict(pinned, pins=True), Conflict)
    assert isinstance(_verdict(pinned), Refuse)


def test_a_revision_never_vanishes_into_another_row() -> None:
    """R-31: the key's row becomes `duplicate` of the peer, never `merge`."""
    verdict = _verdict(CANONICAL, head=a_row("Old."))

    assert isinstance(verdict, Duplicate)
    assert verdict.of is CANONICAL


@pytest.mark.parametrize("name", ["canonical/2", "same/2"])
@pytest.mark.parametrize("end", ["expires_at", "valid_to"])
def test_a_row_that_ends_sooner_does_not_answer_for_a_claim(name: str, end: str) -> None:
    """R-33, R-20: it counts as apart, and one that stays answers instead; pinned or not."""
    soon = _row(name, pinned=True, **{end: NOW + timedelta(seconds=1)})

    verdict = _verdict(soon)
    assert isinstance(verdict, Clear)
    assert [j.relation for j in verdict.judged] == [Relations.APART]
    assert isinstance(_verdict(soon, CANONICAL), Merge)
    assert isinstance(_verdict(soon, CONFLICT), Conflict)


def test_a_row_that_ends_with_the_claim_or_after_it_answers_for_it() -> None:
    """R-33: an end alone is no difference."""
    at = NOW + timedelta(seconds=1)
    claim = attrs.evolve(a_draft("New text to be judged.").claim, ends_at=at)
    for end in (at, at + timedelta(seconds=1), None):
        peer = a_peer(_row("same/3", expires_at=end), 0.99)
        found = PeerCheck(ByKey()).weigh(claim, [peer], LEVELS, pins=False, revises=False)
        assert isinstance(found, Duplicate)


def test_every_verdict_carries_what_was_judged_closest_first() -> None:
    """R-33, A-100: with its reasons."""
    for peers in ((CANONICAL,), (SAME, APART), (CONFLICT, COMPATIBLE), (APART,)):
        verdict = _verdict(*peers)
        assert isinstance(verdict, Merge | Duplicate | Conflict | Clear)
        assert [j.peer.row for j in verdict.judged] == list(peers)
        assert all(j.reasons for j in verdict.judged)


def test_the_order_of_the_peers_does_not_choose_the_kind_of_verdict() -> None:
    """R-33: over all peers at once."""
    for rows in ((SAME, CONFLICT), (CONFLICT, SAME)):
        assert isinstance(_verdict(*rows), Duplicate)


def test_the_plain_judge_is_one_setting_away() -> None:
    """R-33: the plain cosine judge of the page."""
    near = a_row("The pump is loud when it runs.", key="pump/noise")
    facts = the_facts(peers=(a_peer(near, 0.9),))
    draft = a_draft("The pump runs at night.")

    assert isinstance(PeerCheck(CosineJudge()).judge(draft, facts), Conflict)
    assert isinstance(PeerCheck().judge(draft, facts), Clear)
