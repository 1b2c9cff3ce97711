"""Rows, claims, peers, drafts and facts to judge, built in a line each."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from loom.model.identity import Address, Identity
from loom.model.json_values import Json, freeze, sha256_of
from loom.model.memory import MemoryRow
from loom.model.patterns import PatternRow, PatternType
from loom.model.provenance import SourceClass
from loom.model.thresholds import Thresholds
from loom.model.times import instant_of
from loom.model.unset import UNSET
from loom.plans.draft import claim_of
from loom.policies.blacklist import written_texts
from loom.policies.facts import Claim, Details, Draft, Facts, Peer
from loom.text.canonical import canonical_sha256

__all__ = [
    "LEVELS",
    "NOW",
    "STAMP",
    "a_claim",
    "a_draft",
    "a_pattern",
    "a_peer",
    "a_row",
    "the_facts",
]

NOW: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
STAMP: Final = int(NOW.timestamp()) * 10**9
LEVELS: Final = Thresholds(conflict=0.85, duplicate=0.97, source="fallback")
WHO: Final = Identity(org="acme", namespace="lab", agent="ada")


def a_row(
    value: Json = "The pump runs at night.", key: str = "pump/hours", **fields: Any
) -> MemoryRow:
    """A stored row; its hashes are those of its value."""
    kept = freeze(value)
    content = sha256_of(kept)
    version = fields.pop("version", STAMP - 10**9)
    given: dict[str, Any] = {
        "org": "acme",
        "namespace": "lab",
        "agent": "ada",
        "user_id": "-",
        "session_id": "",
        "memory_id": f"id-of-{key}",
        "created_at": instant_of(version),
        "updated_at": instant_of(version),
        "actor": "process:local",
        "content_sha256": content,
        "canonical_sha256": canonical_sha256(kept, content),
        **fields,
    }
    return MemoryRow(memory_key=key, value=kept, version=version, **given)


def a_claim(value: Json = "The pump runs at night.", key: str = "pump/hours") -> Claim:
    """What a value says under a key."""
    return claim_of(key, freeze(value))


def a_peer(row: MemoryRow, similarity: float) -> Peer:
    """A row that lies at a cosine from the draft."""
    return Peer(row=row, similarity=similarity, claim=Claim.of(row))


def a_draft(
    value: Json = "The pump runs at night.",
    key: str = "pump/hours",
    *,
    pins: bool = False,
    if_match: str | None = None,
    identity: Identity = WHO,
    source_class: SourceClass = SourceClass.ASSERTED,
    **details: Any,
) -> Draft:
    """A write; what is named in `details` was said beside the value."""
    kept = freeze(value)
    said = Details(**details)
    return Draft(
        operation="memory.set",
        identity=identity,
        actor="process:local",
        source_class=source_class,
        address=Address(
            identity.org,
            identity.namespace,
            identity.agent,
            identity.user_id,
            identity.session_id,
            key,
        ),
        new_id="id-new",
        value=kept,
        claim=claim_of(key, kept),
        details=said,
        memory_type="semantic" if said.memory_type is UNSET else said.memory_type,
        pins=pins,
        if_match_sha256=if_match,
        texts=written_texts(kept, *said.said().values()),
    )


def the_facts(**known: Any) -> Facts:
    """What the store knows; nothing unless it is named."""
    return Facts(**{"stamp": STAMP, "now": NOW, "thresholds": LEVELS, **known})


def a_pattern(pattern: str, kind: str = "substring", **fields: Any) -> PatternRow:
    """A pattern in force for the namespace."""
    given: dict[str, Any] = {
        "pattern_id": "id-of-pattern",
        "org": "acme",
        "namespace": "lab",
        "actor": "process:local",
        "created_at": NOW,
        **fields,
    }
    return PatternRow(pattern=pattern, pattern_type=PatternType(kind), **given)
