"""Finding rows by what they say."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import ClassVar, Final

from attrs import field, frozen

from loom.engine.embedding import embed_checked
from loom.engine.env import Context
from loom.engine.read import ScopedReader, reading
from loom.engine.replaying import replayed
from loom.errors import InvalidRequest
from loom.model.memory_types import unsearched_types
from loom.model.provenance import Role, SourceClass
from loom.model.status import Status
from loom.operations.base import (
    any_given,
    bounded,
    checked_flag,
    checked_texts,
    members_given,
    one_or_more,
    path_given,
    text_given,
    texts_given,
)
from loom.operations.dated import Dated
from loom.retrieval.filters import Filters
from loom.retrieval.fuse import Fused, fuse
from loom.retrieval.gate import Gate
from loom.retrieval.hits import SearchOutcome, hit_of
from loom.retrieval.query import Question, question_of
from loom.retrieval.rank import Ranked, TagPreference
from loom.storage.query import Near
from loom.storage.where import Where

__all__ = ["SearchMemories"]

_MOST: Final = 1_000
#: How far down each leg is read: deep enough that a row both legs find late is fused.
_LEAST_DEPTH: Final = 50
_DEPTH_FACTOR: Final = 4
_LEGS: Final = ("vector", "lexical")


@frozen(slots=True, hash=False)
class SearchMemories(Dated[SearchOutcome]):
    """The rows that say most about a query, or an abstention.

    Two legs look for it, by vector and by words (BM25); their rankings are fused by
    reciprocal rank. Filters hold before anything is ranked; tags that are liked or not
    only move what answers. No query text is an error: what cannot be searched for is
    answered with an abstention.

    Raises:
        InvalidRequest: an argument other than the query's text is malformed.
        EmbeddingFailed: the embedder failed on the query.
        Forbidden: a namespace named is not the caller's to read.
    """

    name: ClassVar[str] = "memory.search"
    role: ClassVar[Role] = Role.VIEWER

    query: str = field(kw_only=False)
    #: 1 to 1,000.
    top_k: int = 10
    #: Only rows with these tags, exactly as written: `"all"` of them, or `"any"`.
    tags: Sequence[str] | None = None
    tags_match: str = "all"
    #: Rows with any of these tags move up: by a tenth of their score for one, less than a
    #: fifth for many. They filter nothing.
    tags_soft: Sequence[str] | None = None
    #: Rows with any of these tags sink by half their score; they stay among the hits.
    demote_tags: Sequence[str] | None = None
    memory_type: str | Sequence[str] | None = None
    #: All of these entities, in any spelling of theirs.
    entities: Sequence[str] | None = None
    #: Any of these files, as paths inside a repository.
    files: Sequence[str] | None = None
    prefix: str | None = None
    by_agent: str | None = None
    by_session: str | None = None
    #: Rows written in one run, the duplicates that were stored for it among them.
    by_run: str | None = None
    source_class: str | Sequence[str] | None = None
    exclude_keys: Sequence[str] | None = None
    #: Duplicates, replaced rows, or proposals as well, each labelled by its status.
    include_duplicates: bool = False
    include_superseded: bool = False
    include_proposed: bool = False
    #: More namespaces of the same org; each hit says its namespace.
    namespaces: Sequence[str] = ()
    #: Which legs look: `vector`, `lexical`, or both.
    legs: Sequence[str] = _LEGS
    #: Each hit's components in sentences as well.
    explain: bool = False

    def run(self, context: Context) -> SearchOutcome:
        """Search."""
        top_k = bounded(self.top_k, name="top_k", least=1, most=_MOST)
        namespaces = self._namespaces(context)
        as_of = self.instant(context)
        filters = self._filters()
        filters.where(context.now())  # what is malformed is refused before any work
        preference = self._preference()
        question = question_of(_text(self.query))
        if question.is_empty:
            return SearchOutcome(
                abstain=True,
                abstain_code="EMPTY_QUERY",
                abstain_reason="The query holds nothing to search for.",
            )
        with_vector = "vector" in self._legs()
        vector = (
            embed_checked(context.env.embedder, [question.text])[0] if with_vector else None
        )
        with reading(context, namespaces) as present:
            reader, where = present, filters.where(context.now())
            if as_of is not None:
                replay = replayed(present, as_of)
                reader = present.at(as_of.view)
                where = filters.where(as_of.now, replay=replay)
            legs: dict[str, Sequence[Near]] = {}
            if vector is not None:
                legs["vector"] = reader.nearest(
                    vector, where, memory_types=self._types(), limit=_depth(top_k)
                )
            if "lexical" in self._legs():
                legs["lexical"] = self._lexical(reader, question, where, _depth(top_k))
            fused = fuse(legs)
            passed = tuple(filter(Gate.of(context.env.thresholds).passes, fused))
            if not passed:
                return self._abstention(fused, stored=reader.count(where))
        ranked = preference.rank(passed)
        context.note_read(self.name, (one.fused.row for one in ranked[:top_k]))
        return self._outcome(ranked, len(fused), top_k)

    def _lexical(
        self, reader: ScopedReader, question: Question, where: Where, depth: int
    ) -> Sequence[Near]:
        if not question.terms:
            return ()
        types = self._types()
        return reader.match(question.terms, where, memory_types=types, limit=depth)

    def _abstention(self, fused: tuple[Fused, ...], *, stored: int) -> SearchOutcome:
        if stored == 0:
            code, reason = "NOTHING_STORED", "No row passes the filters of this search."
        else:
            code = "NOTHING_RELEVANT"
            reason = "No row shares a word with the query or lies near enough to it."
        return SearchOutcome(
            abstain=True,
            abstain_code=code,
            abstain_reason=reason,
            candidates_total=len(fused),
        )

    def _outcome(
        self, ranked: tuple[Ranked, ...], candidates: int, top_k: int
    ) -> SearchOutcome:
        explain = checked_flag(self.explain, name="explain")
        return SearchOutcome(
            hits=tuple(
                hit_of(one, rank, explain=explain)
                for rank, one in enumerate(ranked[:top_k], start=1)
            ),
            candidates_total=candidates,
            truncated=len(ranked) > top_k,
        )

    def _filters(self) -> Filters:
        return Filters(
            prefix=path_given(self.prefix, name="prefix"),
            tags=texts_given(self.tags, name="tags"),
            any_tag=any_given(self.tags_match, name="tags_match"),
            memory_types=self._types(),
            not_types=unsearched_types(),
            also=self._also(),
            entities=texts_given(self.entities, name="entities"),
            files=texts_given(self.files, name="files"),
            agent=text_given(self.by_agent, name="by_agent"),
            session_id=text_given(self.by_session, name="by_session"),
            run_id=text_given(self.by_run, name="by_run"),
            source_classes=members_given(
                SourceClass, self.source_class, name="source_class"
            ),
            not_keys=tuple(
                unicodedata.normalize("NFC", key)
                for key in texts_given(self.exclude_keys, name="exclude_keys")
            ),
        )

    def _also(self) -> tuple[Status, ...]:
        flags = {
            Status.DUPLICATE: ("include_duplicates", self.include_duplicates),
            Status.SUPERSEDED: ("include_superseded", self.include_superseded),
            Status.PROPOSED: ("include_proposed", self.include_proposed),
        }
        return tuple(
            status
            for status, (name, flag) in flags.items()
            if checked_flag(flag, name=name)
        )

    def _preference(self) -> TagPreference:
        return TagPreference(
            soft=texts_given(self.tags_soft, name="tags_soft"),
            demoted=texts_given(self.demote_tags, name="demote_tags"),
        )

    def _types(self) -> tuple[str, ...]:
        return one_or_more(self.memory_type, name="memory_type")

    def _legs(self) -> tuple[str, ...]:
        legs = checked_texts(self.legs, name="legs")
        if not legs or not set(legs) <= set(_LEGS):
            msg = f"legs must name one or more of: {', '.join(_LEGS)}."
            raise InvalidRequest(msg, field="legs")
        return legs

    def _namespaces(self, context: Context) -> tuple[str, ...]:
        names = checked_texts(self.namespaces, name="namespaces")
        for name in names:
            context.require(Role.VIEWER, context.identity.org, name)
        return names


def _text(query: object) -> str:
    if isinstance(query, str):
        return query
    msg = "query must be a string."
    raise InvalidRequest(msg, field="query")


def _depth(top_k: int) -> int:
    return max(_LEAST_DEPTH, _DEPTH_FACTOR * top_k)
