"""Is a namespace kept well, and is it sound? Findings for a person, nothing is changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import ClassVar

from attrs import field, frozen

from loom.engine.env import Context
from loom.engine.read import reading
from loom.engine.surveying import audit_findings, validity_findings
from loom.errors import InvalidRequest
from loom.model.findings import NamedFinding
from loom.model.memory import MemoryRow
from loom.model.provenance import Role
from loom.model.readable import Readable, readonly
from loom.operations.base import Request, bounded, is_number

__all__ = ["AuditNamespace", "SurveyOutcome", "ValidateNamespace"]

_MOST = 10_000


@frozen(kw_only=True, slots=True, hash=False)
class SurveyOutcome(Readable):
    """What was found, and how much was looked at."""

    #: How many memories were looked at: all that the caller may see.
    examined: int
    #: From a finding's code to how many memories have it, the ones not listed included.
    counts: Mapping[str, int] = field(converter=readonly)
    #: By key.
    findings: tuple[NamedFinding, ...]
    #: There are more than are listed.
    truncated: bool = False

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.counts


@frozen(slots=True, hash=False)
class AuditNamespace(Request[SurveyOutcome]):
    """How the memories of a namespace are keyed, filled and used.

    Findings: `hash_keys`, `numbered_copies`, `list_values`, `facets_in_keys`, and
    `never_read`, of memories that were written some time ago and that no `get`,
    `get_by_id` or `search` ever answered with.

    Raises:
        InvalidRequest: a number is out of bounds.
    """

    name: ClassVar[str] = "namespace.audit"
    role: ClassVar[Role] = Role.ADMIN

    #: 1 to 10,000 findings are listed; all are counted.
    limit: int = field(default=1_000, kw_only=True)
    #: A memory counts as never read once it is so many days old.
    unread_for_days: float = field(default=30.0, kw_only=True)

    def run(self, context: Context) -> SurveyOutcome:
        """Look at every served memory."""
        limit = bounded(self.limit, name="limit", least=1, most=_MOST)
        days = self.unread_for_days
        if not is_number(days) or not 0 <= days <= 36_500:
            msg = "unread_for_days must be a number of days from 0 to 36,500."
            raise InvalidRequest(msg, field="unread_for_days")
        context.env.reads.write(context.env.storage)
        now = context.now()
        with reading(context) as reader:
            found = audit_findings(context, reader, now, now - timedelta(days=days))
            return _outcome(found, limit)


@frozen(slots=True, hash=False)
class ValidateNamespace(Request[SurveyOutcome]):
    """Whether the rows of a namespace are what the rules make of them.

    Checked of every row: that its value has the hashes beside it; that conflict links are
    known on both sides; that what a duplicate or a superseded row refers to is there; that
    what a search should find has entries, and a secret none; that a procedure has the form
    of one. A sound store has no findings.

    Raises:
        InvalidRequest: the limit is out of bounds.
    """

    name: ClassVar[str] = "namespace.validate"
    role: ClassVar[Role] = Role.ADMIN

    #: 1 to 10,000 findings are listed; all are counted.
    limit: int = field(default=1_000, kw_only=True)

    def run(self, context: Context) -> SurveyOutcome:
        """Look at every memory."""
        limit = bounded(self.limit, name="limit", least=1, most=_MOST)
        with reading(context, opens=True) as reader:
            return _outcome(validity_findings(reader), limit)


def _outcome(
    found: Iterable[tuple[MemoryRow, tuple[NamedFinding, ...]]], limit: int
) -> SurveyOutcome:
    examined = 0
    counts: Counter[str] = Counter()
    listed: list[NamedFinding] = []
    for _, findings in found:
        examined += 1
        counts.update(finding.code for finding in findings)
        listed.extend(findings[: limit - len(listed)])
    return SurveyOutcome(
        examined=examined,
        counts=dict(counts),
        findings=tuple(listed),
        truncated=counts.total() > len(listed),
    )
