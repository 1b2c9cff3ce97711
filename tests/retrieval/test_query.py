"""What a query asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.retrieval.query import question_of


@given(st.text(st.characters()))
def test_any_text_at_all_is_a_question(text: str) -> None:
    """R-53: no query text can raise; NUL and lone surrogates stand for something else."""
    question = question_of(text)

    question.text.encode()
    assert "\x00" not in question.text
    assert len(question.text) <= 1_200


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\x00"])
def test_nothing_to_look_for_is_known(text: str) -> None:
    """R-53: so that the answer can abstain."""
    assert question_of(text).is_empty


def test_a_word_is_a_term_in_either_normal_form() -> None:
    """R-50: accents spelled apart are one word."""
    assert question_of("caf\u00e9").terms == question_of("cafe\u0301").terms != ()
