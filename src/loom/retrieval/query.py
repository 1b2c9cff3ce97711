"""What a query asks for."""

from __future__ import annotations

from typing import Final

from attrs import frozen

from loom.model.entries import Terms
from loom.text.tokens import query_terms

__all__ = ["Question", "question_of"]

#: As much of a query as an embedder is given.
_LONGEST: Final = 1_200


@frozen(kw_only=True, slots=True)
class Question:
    """A query as the legs take it."""

    #: The text that is embedded.
    text: str
    #: The terms that are matched.
    terms: Terms

    @property
    def is_empty(self) -> bool:
        """There is nothing to look for."""
        return not self.text


def question_of(query: str) -> Question:
    """A query from any text: NUL and lone surrogates stand for spaces."""
    clean = query.replace("\x00", " ").encode("utf-8", "replace").decode()
    return Question(text=clean.strip()[:_LONGEST], terms=query_terms(clean))
