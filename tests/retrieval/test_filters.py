"""What reads are narrowed by, as one predicate."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from loom.errors import InvalidRequest
from loom.model.provenance import SourceClass
from loom.model.status import Status
from loom.retrieval.filters import Filters
from loom.retrieval.served import not_past, peers_at, served_at
from loom.storage.where import holds
from tests.policies.given import NOW, a_row

SECOND = timedelta(seconds=1)
ROW: dict[str, Any] = {
    "key": "user/ana/diet",
    "tags": ("Diet", "health"),
    "entities": ("ana",),
    "files": ("notes.md",),
    "agent": "ada",
    "session_id": "s",
    "run_id": "r",
    "confidence": 0.5,
    "source_class": SourceClass.DERIVED,
    "source_resource_id": "doc:1",
    "updated_at": NOW,
}


@pytest.mark.parametrize(
    "filters, passes",
    [
        ({}, True),
        ({"prefix": "user/ana"}, True),
        ({"prefix": "user/ana/"}, True),
        ({"prefix": "user/ana/diet"}, True),
        ({"prefix": "user/an"}, False),
        ({"prefix": "user/ana/diets"}, False),
        ({"prefix": "user/%"}, False),
        ({"prefix": "user/an_"}, False),
        ({"tags": ("Diet",)}, True),
        ({"tags": ("Diet", "health")}, True),
        ({"tags": ("Diet", "other")}, False),
        ({"tags": ("diet",)}, False),
        ({"tags": ("Diet", "other"), "any_tag": True}, True),
        ({"memory_types": ("semantic", "other")}, True),
        ({"memory_types": ("other",)}, False),
        ({"not_types": ("semantic",)}, False),
        ({"not_types": ("semantic",), "memory_types": ("semantic",)}, True),
        ({"entities": ("Ana",)}, True),
        ({"entities": ("The ANAs", "ana’s")}, True),
        ({"entities": ("Ana", "Bo")}, False),
        ({"entities": ("Ana", "--")}, False),
        ({"entities": ("--",)}, False),
        ({"files": ("notes.md", "x")}, True),
        ({"files": ("./src/../notes.md",)}, True),
        ({"files": ("Notes.md",)}, False),
        ({"files": ("x",)}, False),
        ({"pinned": False}, True),
        ({"pinned": True}, False),
        ({"agent": "ada"}, True),
        ({"agent": "bob"}, False),
        ({"session_id": "s"}, True),
        ({"session_id": ""}, False),
        ({"run_id": "r"}, True),
        ({"run_id": "q"}, False),
        ({"source_classes": ("derived",)}, True),
        ({"source_classes": ("asserted",)}, False),
        ({"source_resource_id": "doc:1"}, True),
        ({"source_resource_id": "doc:2"}, False),
        ({"updated_from": NOW}, True),
        ({"updated_from": NOW + SECOND}, False),
        ({"updated_before": NOW}, False),
        ({"updated_before": NOW + SECOND}, True),
        ({"updated_from": "2026-03-01T13:00:00+01:00"}, True),
        ({"confidence_from": 0.5}, True),
        ({"confidence_from": 0.51}, False),
        ({"not_keys": ("user/ana/diet",)}, False),
        ({"not_keys": ("user/ana",)}, True),
    ],
    ids=str,
)
def test_each_filter_narrows(filters: dict[str, Any], passes: bool) -> None:
    """R-50: filters hold before ranking; a prefix ends at a `/` and knows no wildcards."""
    assert holds(Filters(**filters).where(NOW), a_row("Text.", **ROW)) is passes


def test_filters_narrow_together() -> None:
    """R-50: each narrows further."""
    row = a_row("Text.", **ROW)

    assert holds(Filters(agent="ada", pinned=False).where(NOW), row)
    assert not holds(Filters(agent="ada", pinned=True).where(NOW), row)


def test_a_list_compares_tags_in_any_case() -> None:
    """R-50: `memory.list` folds tags, search takes them as written."""
    where = Filters(tags=("DIET",)).where(NOW, fold_tags=True)

    assert holds(where, a_row("Text.", **ROW))


@pytest.mark.parametrize("status", Status)
def test_the_served_set_is_the_default(status: Status) -> None:
    """A-80, R-50: one definition for every read; flags add to it."""
    row = a_row(status=status)
    served = status in (Status.ACTIVE, Status.CONFLICTED)

    assert holds(Filters().where(NOW), row) is served
    assert holds(served_at(NOW), row) is served is row.is_served(NOW)
    assert holds(peers_at(NOW), row) is served
    also = Filters(also=(Status.DUPLICATE,)).where(NOW)
    assert holds(also, row) is (served or status is Status.DUPLICATE)
    asked = Filters(statuses=(status,)).where(NOW)
    assert holds(asked, row)
    assert holds(Filters(statuses=tuple(Status)).where(NOW), row)


@pytest.mark.parametrize("run_id, served", [("r", True), (None, False), ("q", False)])
def test_a_run_s_read_serves_the_duplicates_stored_for_it(
    run_id: str | None, served: bool
) -> None:
    """A-128, R-50: although duplicates are not served by default."""
    row = a_row(status=Status.DUPLICATE, run_id="r")

    assert holds(Filters(run_id=run_id).where(NOW), row) is served
    stated = Filters(run_id=run_id, statuses=(Status.ACTIVE,)).where(NOW)
    assert not holds(stated, row)


@pytest.mark.parametrize("field", ["expires_at", "valid_to"])
@pytest.mark.parametrize("end, past", [(NOW, True), (NOW + SECOND, False)])
def test_what_is_past_is_in_no_read_and_nobody_s_peer(
    field: str, end: Any, past: bool
) -> None:
    """R-20: from that instant, swept or not."""
    row = a_row(**{field: end})

    assert holds(not_past(NOW), row) is not past
    assert holds(served_at(NOW), row) is not past
    assert holds(peers_at(NOW), row) is not past
    assert holds(Filters(statuses=(Status.ACTIVE,)).where(NOW), row) is not past


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "C:\\x", "a\nb", "."])
def test_a_path_outside_a_repository_is_refused(path: str) -> None:
    """A-183: in filters as in writes, or it would find nothing for ever."""
    with pytest.raises(InvalidRequest):
        Filters(files=(path,)).where(NOW)


def test_a_naive_time_is_refused() -> None:
    """R-14: in filters as everywhere."""
    with pytest.raises(InvalidRequest):
        Filters(updated_from="2026-03-01T00:00:00").where(NOW)
