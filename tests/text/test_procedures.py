"""What has the form of a procedure (A-57)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.model.json_values import freeze
from loom.text.procedures import is_procedure

SITUATION = "The pump is loud."


@pytest.mark.parametrize(
    "value",
    [
        {"situation": SITUATION, "steps": ["Stop it.", "Oil it."]},
        {"situation": SITUATION, "steps": ["Stop it.", "", "Oil it."]},
        {"situation": SITUATION, "steps": [{"text": "Stop it."}, {"text": "Oil it."}]},
        {"situation": SITUATION, "steps": ["Stop it.", {"do": "Oil it.", "times": 2}]},
        {"situation": "止", "steps": ["停", "油"], "owner": "ana"},
        {"situation": {"machine": "pump"}, "steps": [["Stop it."], {"turns": 3}]},
    ],
)
def test_a_situation_and_two_steps_are_a_procedure(value: object) -> None:
    assert is_procedure(freeze(value))


@pytest.mark.parametrize(
    "value",
    [
        "situation: loud; steps: stop, oil",
        ["situation", "steps"],
        None,
        3,
        {},
        {"steps": ["Stop it.", "Oil it."]},
        {"situation": SITUATION},
        {"situation": "", "steps": ["Stop it.", "Oil it."]},
        {"situation": " \t\n", "steps": ["Stop it.", "Oil it."]},
        {"situation": "\u200b\u2060", "steps": ["Stop it.", "Oil it."]},
        {"situation": {}, "steps": ["Stop it.", "Oil it."]},
        {"situation": {"machine": " "}, "steps": ["Stop it.", "Oil it."]},
        {"situation": True, "steps": ["Stop it.", "Oil it."]},
        {"situation": SITUATION, "steps": []},
        {"situation": SITUATION, "steps": ["Stop it."]},
        {"situation": SITUATION, "steps": ["Stop it.", " "]},
        {"situation": SITUATION, "steps": ["Stop it.", "\u200b"]},
        {"situation": SITUATION, "steps": ["Stop it.", {}]},
        {"situation": SITUATION, "steps": ["Stop it.", {"text": ""}]},
        {"situation": SITUATION, "steps": ["Stop it.", None]},
        {"situation": SITUATION, "steps": ["Stop it.", 2]},
        {"situation": SITUATION, "steps": "Stop it. Oil it."},
        {"situation": SITUATION, "steps": {"1": "Stop it.", "2": "Oil it."}},
        {"Situation": SITUATION, "Steps": ["Stop it.", "Oil it."]},
    ],
)
def test_anything_else_is_none(value: object) -> None:
    assert not is_procedure(freeze(value))


#: What a value may hold: no NUL, and no half of a pair.
TEXT = st.text(
    st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=5
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["situation", "steps", "a"]), inner, max_size=3)
    ),
)


@given(JSON)
def test_any_value_gets_an_answer_that_blank_steps_do_not_change(value: object) -> None:
    answer = is_procedure(freeze(value, field="value"))
    if answer and isinstance(value, dict):
        assert is_procedure(freeze({**value, "steps": [*value["steps"], " "]}))
