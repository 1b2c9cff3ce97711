"""Putting a claim on trial: stored beside the key's row, judged, and left undecided (R-23)."""

from __future__ import annotations

import attrs

from loom.model.memory import MemoryRow
from loom.model.status import Event, Status
from loom.plans.changes import Changes
from loom.plans.draft import Words
from loom.plans.effects import refusal_of, written
from loom.plans.material import Material, entries_for
from loom.plans.outcomes import SetOutcome
from loom.plans.plan import Plan
from loom.plans.versions import begun, content_of, secrecy_of
from loom.policies.facts import Details, Draft, Facts
from loom.policies.verdicts import Merge, Refuse, Restated, Verdict

__all__ = ["plan_proposal", "words_of"]


def plan_proposal(
    draft: Draft, facts: Facts, verdict: Verdict, material: Material
) -> Plan[SetOutcome]:
    """The plan of a set on trial.

    Args:
        draft: settled for a row of its own.
        facts: `head` is the key's own row; `filed` is the same proposal, made before.
        verdict: what a set would be answered now; advice, but for a refusal.
        material: the draft's passages.
    """
    if isinstance(verdict, Refuse):
        return Plan(batch=refusal_of(draft, facts, verdict), refusal=verdict)
    changes = Changes(facts.stamp)
    if isinstance(verdict, Restated):
        return _known(draft, facts, changes, verdict)
    if facts.filed is not None:
        return _again(draft, facts, changes, facts.filed)
    fields = {
        **content_of(draft),
        "beside": draft.new_id,
        "status": Status.PROPOSED,
    }
    row = changes.put(begun(draft, facts, draft.new_id, fields, event=Event.PROPOSED))
    plan = written(draft, facts, changes, row, verdict, entries_for(row, material))
    return _said(plan, noop=False)


def _known(
    draft: Draft, facts: Facts, changes: Changes, verdict: Restated
) -> Plan[SetOutcome]:
    """The key says so already: there is nothing to try."""
    plan = written(draft, facts, changes, verdict.row, verdict)
    if plan.outcome is None:  # pragma: no cover - a written plan answers
        return plan
    outcome = attrs.evolve(
        plan.outcome,
        noop=True,
        next=f"Nothing to decide: '{verdict.row.memory_key}' says so already.",
    )
    return Plan(outcome=outcome)


def _again(
    draft: Draft, facts: Facts, changes: Changes, pending: MemoryRow
) -> Plan[SetOutcome]:
    row = changes.change(
        pending,
        Event.REINFORCED,
        reinforcement_count=pending.reinforcement_count + 1,
        **secrecy_of(draft),
    )
    plan = written(draft, facts, changes, row, Merge(peer=pending))
    return _said(plan, noop=True)


def _said(plan: Plan[SetOutcome], *, noop: bool) -> Plan[SetOutcome]:
    outcome = plan.outcome
    if outcome is None:  # pragma: no cover - a written plan answers
        return plan
    said = attrs.evolve(
        outcome,
        merged_into_key="",
        noop=noop,
        next=(
            "It is on trial and not served: decide it with memory.proposal_decide"
            f"('{outcome.memory_id}', 'accept' or 'reject')."
        ),
    )
    return attrs.evolve(plan, outcome=said)


def words_of(row: MemoryRow) -> Words:
    """What a stored proposal says, as the words of the write that takes it.

    A detail that its writer left at its default says nothing, so that the key's row keeps
    its own (R-31).
    """
    plain = {f.name: f.default for f in attrs.fields(MemoryRow)}
    said = {
        name: value
        for name in attrs.fields_dict(Details)
        if (value := getattr(row, name)) != plain[name] and value not in ((), {})
    }
    if row.sensitivity_stated:
        said |= {"sensitivity": row.sensitivity, "sensitivity_stated": True}
    else:
        said.pop("sensitivity", None)
    return Words(
        memory_key=row.memory_key,
        value=row.value,
        details=Details(**said),
        source_class=row.source_class,
        pins=row.pinned,
    )
