"""One word or one object chooses the embedder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import loom.embedders
from loom.embedders.choose import choose_embedder
from loom.embedders.lexical import LexicalEmbedder
from loom.errors import InvalidRequest


@pytest.mark.parametrize("spec", [None, "lexical"])
def test_nothing_and_lexical_need_nothing(spec: str | None) -> None:
    assert choose_embedder(spec) == LexicalEmbedder()


def test_an_embedder_is_answered_as_it_is() -> None:
    own = LexicalEmbedder(dimension=128)
    assert choose_embedder(own) is own


@pytest.mark.parametrize("spec", ["", "LEXICAL", "openai", 7, object(), LexicalEmbedder])
def test_anything_else_is_refused(spec: object) -> None:
    with pytest.raises(InvalidRequest, match="embedder must be"):
        choose_embedder(spec)  # type: ignore[arg-type]


def test_choosing_lexical_imports_no_extra() -> None:
    """Style 9: what an extra brings is imported when it is asked for."""
    program = (
        "import sys; from loom.embedders.choose import choose_embedder;"
        "choose_embedder(None).embed(['a']);"
        "print([m for m in ('onnxruntime', 'tokenizers') if m in sys.modules])"
    )
    source = str(Path(loom.embedders.__path__[0]).parents[1])
    answer = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": source},
        capture_output=True,
        check=True,
        text=True,
    )
    assert answer.stdout.strip() == "[]"
