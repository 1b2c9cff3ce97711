"""Sentences to put to an embedder, so that it shows what its cosines mean.

Each probe says one thing four ways. They are of many fields and kinds, so that two probes
have nothing in common but the language.
"""

from __future__ import annotations

from typing import Final

from attrs import frozen

__all__ = ["EDITION", "PROBES", "Probe", "probe_texts"]

#: Changes whenever a sentence does: figures of two editions are not comparable.
EDITION: Final = 1


@frozen(slots=True)
class Probe:
    """One claim and three others that stand nearer to it than any other probe does."""

    claim: str
    #: The same claim with a word or two changed: it can stand for the claim.
    restated: str
    #: The same sentence with another value: it contradicts the claim.
    rival: str
    #: Something else of the same subject.
    related: str


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "The harbour office closes at six in the evening.",
        "The harbour office shuts at six in the evening.",
        "The harbour office closes at nine in the evening.",
        "The harbour office hired two new clerks this spring.",
    ),
    Probe(
        "Backups of the ledger database run every night.",
        "Backups of the ledger database are run each night.",
        "Backups of the ledger database run every week.",
        "The ledger database was moved to a larger machine.",
    ),
    Probe(
        "Marta is allergic to walnuts.",
        "Marta has an allergy to walnuts.",
        "Marta is allergic to shellfish.",
        "Marta grew up on a farm near the coast.",
    ),
    Probe(
        "Our plane to Lisbon leaves from gate twelve.",
        "Our flight to Lisbon departs from gate twelve.",
        "Our plane to Lisbon leaves from gate thirty.",
        "We found a quiet hotel in Lisbon for three nights.",
    ),
    Probe(
        "The bakery uses rye flour for its dark loaves.",
        "For its dark loaves the bakery uses rye flour.",
        "The bakery uses spelt flour for its dark loaves.",
        "The bakery delivers to four cafes in the old town.",
    ),
    Probe(
        "Release builds are signed with the hardware key.",
        "Release builds get signed with the hardware key.",
        "Release builds are signed with the team password.",
        "Release builds take about forty minutes to finish.",
    ),
    Probe(
        "The violinist prefers to practise before breakfast.",
        "The violinist likes to practise before breakfast.",
        "The violinist prefers to practise after midnight.",
        "The violinist bought a bow made in Vienna.",
    ),
    Probe(
        "The clinic keeps vaccines in the cellar refrigerator.",
        "Vaccines are kept in the cellar refrigerator of the clinic.",
        "The clinic keeps vaccines in the pharmacy across the road.",
        "The clinic treats about ninety patients a day.",
    ),
    Probe(
        "Tomatoes in the greenhouse need water twice a day.",
        "The greenhouse tomatoes need watering twice a day.",
        "Tomatoes in the greenhouse need water once a week.",
        "The greenhouse lost a pane of glass in the storm.",
    ),
    Probe(
        "Invoices above ten thousand euros need two signatures.",
        "Invoices over ten thousand euros require two signatures.",
        "Invoices above ten thousand euros need no signature.",
        "Invoices are archived for seven years by law.",
    ),
    Probe(
        "The youth team trains on Wednesdays.",
        "The youth team has training on Wednesdays.",
        "The youth team trains on Saturdays.",
        "The youth team won the regional cup last year.",
    ),
    Probe(
        "The observatory's main mirror was polished in 2019.",
        "The main mirror of the observatory was polished in 2019.",
        "The observatory's main mirror was polished in 2004.",
        "The observatory opens its dome to visitors in August.",
    ),
    Probe(
        "Please write letters to the tenants in plain English.",
        "Please write to the tenants in plain English.",
        "Please write letters to the tenants in formal Spanish.",
        "The tenants asked for brighter lamps on the stairs.",
    ),
    Probe(
        "The payment service retries a failed request three times.",
        "A failed request is retried three times by the payment service.",
        "The payment service never retries a failed request.",
        "The payment service is written in Go.",
    ),
    Probe(
        "Grandfather repaired clocks for the railway.",
        "Grandfather mended clocks for the railway.",
        "Grandfather drove locomotives for the railway.",
        "Grandfather's letters lie in a tin box in the attic.",
    ),
)


def probe_texts() -> tuple[str, ...]:
    """All sentences: of each probe its claim, restated, rival, related."""
    return tuple(text for p in PROBES for text in (p.claim, p.restated, p.rival, p.related))
