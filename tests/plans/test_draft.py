"""A request's words as a draft."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest

from loom.errors import InvalidRequest, ValueTooLarge
from loom.model.entries import EXCERPT
from loom.model.identity import Identity
from loom.model.memory import MemoryRow
from loom.model.status import Status
from loom.plans.draft import (
    Prepared,
    Words,
    prepare,
    says_it_already,
    settled_for,
    unembedded,
    with_vectors,
)
from loom.policies.facts import Details, Draft
from loom.policies.rulings import Ruling
from tests.policies.given import NOW, WHO, a_draft, a_row


def _prepared(value: Any, key: str = "a/b", limit: int = 4096, **details: Any) -> Prepared:
    return prepare(
        Words(memory_key=key, value=value, details=Details(**details)),
        operation="memory.set",
        identity=WHO,
        actor="process:local",
        new_id="id-new",
        max_bytes=limit,
    )


def _settled(prepared: Prepared, head: MemoryRow | None) -> Draft:
    return settled_for(prepared, head, prepared.draft.address, NOW, Ruling()).draft


def _in(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def test_a_draft_is_settled_as_far_as_it_can_be_without_a_store() -> None:
    """A-38, R-11: address, hash and canonical form are known before the lock."""
    draft = _prepared("Pumps rest.", "cafe\u0301/x").draft

    assert draft.address == Identity(org="acme", namespace="lab", agent="ada").address(
        "caf\u00e9/x"
    )
    assert len(draft.claim.content_sha256) == 64
    assert draft.memory_type == "semantic"


def test_a_malformed_key_or_value_makes_no_draft() -> None:
    """R-02, R-10: refused before anything is asked of the store."""
    with pytest.raises(InvalidRequest):
        _prepared("x", "a//b")
    with pytest.raises(InvalidRequest):
        _prepared(float("nan"))
    with pytest.raises(ValueTooLarge):
        _prepared("x" * 5000)


def test_a_short_text_is_one_passage_and_a_long_one_is_cut_verbatim() -> None:
    """R-13, A-31, A-17: an excerpt of at most 1,200 characters, and chunks beyond it."""
    assert [o for o, _ in unembedded(_prepared("Short.").draft)] == [EXCERPT]

    text = " ".join(f"Sentence number {i} stands here." for i in range(100))
    spans = unembedded(_prepared(text).draft)
    assert [o for o, _ in spans] == [EXCERPT, *range(len(spans) - 1)]
    assert len(spans) > 2
    assert spans[0][1].stop - spans[0][1].start <= 1200
    covered = "".join(text[s.start : s.stop] for _, s in spans[1:])
    assert covered.replace(" ", "") == text.replace(" ", "")


def test_a_type_that_is_not_searched_is_not_embedded() -> None:
    """A-27: only a searchable memory has an entry."""
    assert unembedded(_prepared("x y z", memory_type="episodic").draft) == ()


def test_an_omitted_type_is_the_live_row_s() -> None:
    """R-31, R-20: an omitted field keeps its value; that of a row that ended is none."""
    live = a_row("Old.", memory_type="decision")
    dead = a_row("Old.", memory_type="decision", status=Status.TOMBSTONED)
    past = a_row("Old.", memory_type="decision", expires_at=NOW)
    prepared = _prepared("New.")

    assert _settled(prepared, live).memory_type == "decision"
    for ended in (dead, past, None):
        assert _settled(prepared, ended).memory_type == "semantic"
    said = _prepared("New.", memory_type="semantic")
    assert _settled(said, live).memory_type == "semantic"


def test_a_claim_is_made_under_the_key_of_the_row_that_will_hold_it() -> None:
    """R-05, R-34: a change by a duplicate's key lands on another key's row."""
    prepared = _prepared("blue", "k/copy")
    head = a_row("red", key="k/a")
    settled = settled_for(prepared, head, head.address, NOW, Ruling()).draft

    assert (settled.claim.memory_key, settled.address.memory_key) == ("k/a", "k/a")


def test_a_claim_ends_when_the_row_that_will_hold_it_ends() -> None:
    """R-20, R-41: the earlier of expiry and end of validity, said now or carried forward."""
    head = a_row("Old.", expires_at=_in(9), valid_to=_in(5))

    assert _settled(_prepared("New."), None).claim.ends_at is None
    assert _settled(_prepared("New."), head).claim.ends_at == _in(5)
    assert _settled(_prepared("New.", valid_to=None), head).claim.ends_at == _in(9)
    assert _settled(_prepared("New.", expires_at=_in(2)), head).claim.ends_at == _in(2)
    past = a_row("Old.", expires_at=NOW, valid_to=_in(5))
    assert _settled(_prepared("New."), past).claim.ends_at is None


def test_the_texts_of_a_draft_are_those_that_its_row_will_hold() -> None:
    """R-30, R-43: what is carried forward is written again; what is replaced is not."""
    head = a_row("Old.", tags=("kept",), entities=("Ana",), source_resource_id="doc:1")
    past = a_row("Old.", tags=("kept",), expires_at=NOW)

    carried = set(_settled(_prepared("New.", entities=()), head).texts)
    assert {"New.", "kept", "doc:1"} <= carried
    assert not {"Ana", "Old."} & carried
    assert set(_settled(_prepared("New."), past).texts) == {"New."}


def test_names_are_in_their_one_form_and_refused_in_either() -> None:
    """A-180, A-183, R-43: entities canonical, files as paths; a pattern sees both forms."""
    draft = _prepared(
        "New.", entities=("The Pumps", "pump"), files=("./a//b.py", "a/b.py")
    ).draft

    assert (draft.details.entities, draft.details.files) == (("pump",), ("a/b.py",))
    assert {"The Pumps", "pump", "./a//b.py", "a/b.py"} <= set(draft.texts)
    with pytest.raises(InvalidRequest):
        _prepared("New.", files=("/a",))


def test_passages_meet_their_vectors_in_order() -> None:
    """A-27: each with the terms of its own passage."""
    prepared = _prepared("Pumps rest. " * 200)
    spans = unembedded(prepared.draft)
    vectors = [np.full(2, i, dtype=np.float32) for i in range(len(spans))]
    passages = with_vectors(prepared, spans, vectors).passages

    assert passages is not None
    assert [p.vector[0] for p in passages] == list(range(len(spans)))
    assert all(p.terms for p in passages)


def test_a_live_row_that_says_it_needs_no_entry() -> None:
    """A-95, R-20: known before the lock, so that a restatement costs no embedding."""
    assert says_it_already(a_draft(), a_row(), NOW)
    assert says_it_already(a_draft(), a_row(expires_at=_in(1)), NOW)
    assert not says_it_already(a_draft("Other."), a_row(), NOW)
    assert not says_it_already(a_draft(), a_row(status=Status.TOMBSTONED), NOW)
    assert not says_it_already(a_draft(), a_row(expires_at=NOW), NOW)
    assert not says_it_already(a_draft(memory_type="procedural"), a_row(), NOW)
    assert not says_it_already(a_draft(), None, NOW)


def test_every_text_that_is_said_is_seen_by_the_blacklist() -> None:
    """R-43: value, details and mappings, but not the key."""
    draft = _prepared({"a": ["b"]}, "secret/key", tags=("c",), source_resource_id="d").draft

    assert set(draft.texts) == {"a", "b", "c", "d"}
