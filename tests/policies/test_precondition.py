"""Compare-and-set."""

from __future__ import annotations

from loom.errors import PreconditionFailed
from loom.model.status import Status
from loom.policies.precondition import Precondition
from tests.policies.given import a_draft, a_row, the_facts

ROW = a_row()


def test_the_hash_of_the_live_row_lets_the_write_land() -> None:
    """A-93, A-256: `if_match_sha256` is compared with the row's content hash."""
    draft = a_draft("New.", if_match=ROW.content_sha256)

    assert Precondition().judge(draft, the_facts(head=ROW)) is None


def test_another_hash_is_refused_with_the_current_one() -> None:
    """A-93, R-36: the answer names the hash that stands now."""
    refuse = Precondition().judge(a_draft("New.", if_match="0" * 64), the_facts(head=ROW))

    assert refuse is not None
    assert refuse.error is PreconditionFailed
    assert refuse.details["content_sha256"] == ROW.content_sha256


def test_with_no_live_row_it_fails() -> None:
    """R-36: nothing there, or only a dead row, matches no hash."""
    draft = a_draft("New.", if_match=ROW.content_sha256)
    dead = a_row(status=Status.TOMBSTONED)

    assert Precondition().judge(draft, the_facts()) is not None
    assert Precondition().judge(draft, the_facts(head=dead)) is not None


def test_no_hash_no_opinion() -> None:
    """A-93: only a writer that gives a hash is bound by one."""
    assert Precondition().judge(a_draft("New."), the_facts(head=ROW)) is None
