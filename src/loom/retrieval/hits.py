"""What a search answers: rows that explain themselves, or the reason there are none."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from attrs import field, frozen

from loom.model.json_values import Json
from loom.model.readable import Readable, readonly
from loom.retrieval.fuse import Fused, LegRank
from loom.retrieval.rank import Ranked, Term
from loom.text.canonical import text_of
from loom.text.chunking import chunks_of, excerpt_of

__all__ = ["Hit", "SearchOutcome", "hit_of"]


@frozen(kw_only=True, slots=True, hash=False)
class Hit(Readable):
    """One row found, and why."""

    #: From 1.
    rank: int
    memory_key: str
    value: Json
    #: The passage that matched, verbatim: a chunk of a long value, else its excerpt.
    excerpt: str
    #: What ranks the hits: the fused score, and what tags the caller named add to it.
    rank_score: float
    #: Cosine to the query; None if the vector leg did not bring it up.
    similarity: float | None
    #: What each leg and each term contributed to `rank_score`, which is their sum.
    score_components: Mapping[str, float] = field(converter=readonly)
    #: Rank and score in each leg that brought it up.
    legs: tuple[LegRank, ...]
    #: It says something about the query by the gate's measure.
    passed_gate: bool
    #: What moved it beside the legs: tags that were liked or not, and by how much.
    terms: tuple[Term, ...] = ()
    #: The row's key, where a chunk of it matched; empty else.
    parent_memory_key: str = ""

    memory_id: str
    org: str
    namespace: str
    agent: str
    user_id: str
    session_id: str
    memory_type: str
    tags: tuple[str, ...]
    status: str
    pinned: bool
    confidence: float
    conflict_with: tuple[str, ...]
    duplicate_of: str
    superseded_by: str
    content_sha256: str
    source_class: str
    #: `human`, `process`, `stale`, `restored` or `none`: who vouches for it.
    verification: str
    source_resource_id: str
    valid_at: datetime | None
    created_at: datetime
    updated_at: datetime
    version: int
    #: The above in sentences, when it was asked for.
    explanation: tuple[str, ...] = ()


@frozen(kw_only=True, slots=True, hash=False)
class SearchOutcome(Readable):
    """The hits, best first; or an abstention, which is an answer too (R-53)."""

    hits: tuple[Hit, ...] = ()
    #: Nothing stored answers the query.
    abstain: bool = False
    #: `EMPTY_QUERY`, `NOTHING_STORED` or `NOTHING_RELEVANT`; empty without abstention.
    abstain_code: str = ""
    abstain_reason: str = ""
    #: Rows that any leg brought up, before the gate and the cut.
    candidates_total: int = 0
    #: More rows passed than `top_k` let through.
    truncated: bool = False
    degraded: tuple[str, ...] = ()


_COPIED = (
    "memory_id",
    "org",
    "namespace",
    "agent",
    "user_id",
    "session_id",
    "memory_type",
    "tags",
    "pinned",
    "confidence",
    "conflict_with",
    "duplicate_of",
    "superseded_by",
    "content_sha256",
    "source_resource_id",
    "valid_at",
    "created_at",
    "updated_at",
    "version",
    "memory_key",
    "value",
)


def hit_of(ranked: Ranked, rank: int, *, explain: bool) -> Hit:
    """A row that passed the gate as a hit."""
    fused = ranked.fused
    # Of two legs that count alike, the lexical one's passage holds words of the query.
    best = max(fused.legs, key=lambda leg: (leg.contribution, leg.leg == "lexical"))
    vector = next((leg for leg in fused.legs if leg.leg == "vector"), None)
    row = fused.row
    return Hit(
        rank=rank,
        excerpt=_passage(fused, best.chunk),
        rank_score=ranked.score,
        similarity=None if vector is None else vector.score,
        score_components={
            **{leg.leg: leg.contribution for leg in fused.legs},
            **{term.name: term.contribution for term in ranked.terms},
        },
        legs=fused.legs,
        passed_gate=True,
        terms=ranked.terms,
        parent_memory_key="" if best.chunk is None else row.memory_key,
        status=str(row.status),
        source_class=str(row.source_class),
        verification=row.verification,
        explanation=_sentences(ranked, rank) if explain else (),
        **{name: getattr(row, name) for name in _COPIED},
    )


def _passage(fused: Fused, chunk: int | None) -> str:
    text = text_of(fused.row.value)
    if chunk is None:
        span = excerpt_of(text)
    else:
        spans = chunks_of(text)
        if chunk >= len(spans):  # written by an older rule for cutting
            return text
        span = spans[chunk]
    return text[span.start : span.stop]


def _sentences(ranked: Ranked, rank: int) -> tuple[str, ...]:
    fused = ranked.fused
    said = [f"rank {rank} with a score of {ranked.score:.5f}"]
    for leg in fused.legs:
        unit = "cosine" if leg.leg == "vector" else "BM25"
        place = "" if leg.chunk is None else f", by chunk {leg.chunk}"
        said.append(
            f"{leg.leg} leg: rank {leg.rank}, {unit} {leg.score:.3f}{place}, adds "
            f"{leg.contribution:.5f}"
        )
    for term in ranked.terms:
        does = "adds" if term.contribution > 0 else "takes off"
        said.append(
            f"{term.name}: has {', '.join(term.tags)}, {does} "
            f"{abs(term.contribution):.5f}, {abs(term.contribution) / fused.score:.0%} of "
            "the legs' score"
        )
    said.append(f"status {fused.row.status}; passed the gate")
    return tuple(said)
