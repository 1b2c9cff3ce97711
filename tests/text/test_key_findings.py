"""What keys and values show of how a namespace is used (A-36, A-37, A-47)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.model.json_values import freeze
from loom.text.key_findings import KeyFinding, findings_of

FACT = "Billing deploys on Tuesdays."


def found(
    key: str, value: object = FACT, others: tuple[str, ...] = (), user_id: str = "-"
) -> dict[str, KeyFinding]:
    findings = findings_of(key, freeze(value), {key, *others}, user_id)
    return {finding.code: finding for finding in findings}


@pytest.mark.parametrize(
    "key",
    [
        "fact/9f86d081884c7d65",
        "550e8400-e29b-41d4-a716-446655440000",
        "m/E3B0C44298FC1C149AFBF4C8996FB924/note",
    ],
)
def test_a_key_made_from_a_hash_is_a_finding(key: str) -> None:
    assert set(found(key)) == {"hash_keys"}


@pytest.mark.parametrize(
    "key",
    [
        "sre/case/1234/evidence/dns-sidecar",
        "project/loom/deploy-window",
        "user/preferences/editor",
        "defaced/facade",
        "repo/loom/commit-policy",
        "sha256/why-we-use-it",
        "order/20240612",
    ],
)
def test_a_readable_key_is_kept_well(key: str) -> None:
    """The page's own keys among them."""
    assert not found(key)


@pytest.mark.parametrize(
    "key, base",
    [
        ("plan-v2", "plan"),
        ("plan_v3", "plan"),
        ("plan/v4", "plan"),
        ("a/plan.V5", "a/plan"),
        ("a/plan(copy)", "a/plan"),
        ("a/plan-copy", "a/plan"),
        ("a/plan_copy_2", "a/plan"),
        ("a/plan(2)", "a/plan"),
        ("a/plan-final2", "a/plan"),
        ("a/plan_final_final", "a/plan"),
        ("a/plan.bak", "a/plan"),
    ],
)
def test_a_numbered_copy_names_the_key_it_is_of(key: str, base: str) -> None:
    """A-37: what hides a revision; the key it is of is named where there is one."""
    alone = found(key)["numbered_copies"]
    beside = found(key, others=(base,))["numbered_copies"]

    assert alone.related == ()
    assert beside.related == (base,)
    assert f"'{base}'" in beside.message


@pytest.mark.parametrize(
    "key, base",
    [
        ("a/plan-2", "a/plan"),
        ("a/plan_new", "a/plan"),
        ("a/plan-old", "a/plan"),
        ("a/plan-latest", "a/plan"),
        ("a/plan-final", "a/plan"),
        ("a/plan2", "a/plan"),
        ("a/plan-rev3", "a/plan"),
        ("a/plan-v1.2", "a/plan"),
    ],
)
def test_an_ending_that_may_mean_anything_needs_its_original(key: str, base: str) -> None:
    assert "numbered_copies" not in found(key)
    assert found(key, others=(base,))["numbered_copies"].related == (base,)


@pytest.mark.parametrize(
    "key",
    [
        "service/ipv4",
        "year/2026",
        "sprint/12",
        "sprint-12",
        "team/copy",
        "paper/copy-editing",
        "exam/final",
        "build/v8-engine",
        "device/mac-book-2",
        "a/renewal",
        "area-51",
        "case/final(draft)",
    ],
)
def test_a_number_or_a_word_of_its_own_is_no_copy(key: str) -> None:
    assert "numbered_copies" not in found(key, others=("sprint", "team", "area", "exam"))


@pytest.mark.parametrize(
    "value",
    [
        ["Ana likes tea.", "Bo likes milk."],
        ["tea", "milk", "juice"],
        [{"likes": "tea"}, {"likes": "milk"}],
        {"1": "tea", "2": "milk", "3": "juice"},
        "- Ana likes tea\n- Bo likes milk\n- Cy likes juice",
        "Likes:\n * tea\n * milk\n * juice",
        "• tea\n• milk\n• juice",
        "1. Ana likes tea\n2. Bo likes milk\n3. Cy likes juice",
        "We agreed: 1) tea at four 2) milk at five 3) juice at six",
        "Ana likes green tea; Bo drinks cold milk; Cy wants apple juice",
    ],
)
def test_a_list_of_facts_is_a_finding(value: object) -> None:
    """A-47: several facts under one key cannot be partly revised."""
    assert set(found("team/drinks", value)) == {"list_values"}


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        52.5,
        "",
        [],
        ["tea"],
        ["tea", "milk"],
        [52.52, 13.4, 34],
        [[1, 2], [3, 4]],
        ["", "", ""],
        {"lat": 52.5, "lon": 13.4, "height": 34},
        {"situation": "Loud.", "steps": ["Stop it.", "Oil it.", "Start it."]},
        "Ana likes tea, milk and juice.",
        "Ana likes tea; Bo does not.",
        "for (i = 0; i < 10; i++) { run it now; stop it now; start it now }",
        "x = 1; y = 2; z = 3",
        "- 5\n- 6\n- 7",
        "@@ -1 +1 @@\n- old line here\n- another old line\n- third old line\n+ new line",
        "The release is 3. It follows 2. And before that 1. came out",
        "Chapter 1. begins on Monday",
        "One paragraph.\n\nAnother paragraph.\n\nA third paragraph.",
        "Steps:\n1. Pull\n2. Build\n3. Restart",
        "tea; milk; juice",
    ],
)
def test_one_fact_in_several_parts_is_none(value: object) -> None:
    assert "list_values" not in found("team/drinks", value)


def test_steps_under_a_key_that_says_so_belong_together() -> None:
    assert not found("deploy/runbook", "1. Pull it\n2. Build it\n3. Restart it")


@pytest.mark.parametrize(
    "key, facet",
    [
        ("notes/2024-05-01/deploys", "2024-05-01"),
        ("notes/2024-05/deploys", "2024-05"),
        ("notes/20240501/deploys", "20240501"),
        ("notes/2024/05/01/deploys", "2024/05/01"),
        ("notes/2024-Q1/revenue", "2024-Q1"),
        ("task/priority-high/backup", "priority-high"),
        ("task/backup/priority-high", "priority-high"),
        ("task/prio=1/backup", "prio=1"),
        ("task/tag-foo/backup", "tag-foo"),
        ("task/kind:evidence/backup", "kind:evidence"),
        ("task/status-open/backup", "status-open"),
        ("task/env-prod/url", "env-prod"),
        ("task/open/backup", "open"),
        ("task/DONE/backup", "DONE"),
    ],
)
def test_a_label_in_a_key_is_a_finding(key: str, facet: str) -> None:
    """A-47: what is filtered by belongs in tags, entities or a date."""
    finding = found(key)["facets_in_keys"]

    assert f"'{facet}'" in finding.message


def test_the_users_own_id_in_a_key_is_a_finding() -> None:
    """The address has it already; somebody else's name is what the key is about."""
    assert "facets_in_keys" in found("user/ana/editor", user_id="ana")
    assert "facets_in_keys" in found("user-ana/editor", user_id="Ana")
    assert not found("user/bo/editor", user_id="ana")
    assert not found("user/ana/editor")
    assert not found("user/banana/editor", user_id="ana")


@pytest.mark.parametrize(
    "key",
    [
        "year/2026",
        "budget/2026/total",
        "journal/2024-05-01",
        "ticket/12/open",
        "status-page/url",
        "type-checker/strict",
        "source-code/layout",
        "state-machine/arrows",
        "env-file/place",
        "priority-queue/length",
        "language-server/port",
        "open-source/licence",
        "highway/toll",
        "project/loom/2024-release/notes",
        "tagging/rules",
        "labels/rules",
    ],
)
def test_a_subject_that_shares_a_word_with_a_label_is_none(key: str) -> None:
    assert not found(key)


@given(st.text(min_size=1, max_size=40), st.text(max_size=80))
def test_any_key_and_value_get_an_answer_that_quotes_no_value(key: str, value: str) -> None:
    said = f"zq{value}qz"
    for finding in findings_of(key, said, {key}, "ana"):
        assert finding.message.endswith(".")
        assert said not in finding.message
