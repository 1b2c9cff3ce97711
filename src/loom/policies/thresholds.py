"""Which thresholds hold: the most specific word on each of the two.

A memory type's pin stands before the namespace's, that before a setting, that before what
the embedder's cosines show, that before what the embedder says of itself, and the
fallback of dense embedders comes last.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from loom.model.namespace import NamespaceRow
from loom.model.readable import Readable
from loom.model.thresholds import Thresholds
from loom.settings import Settings

__all__ = [
    "Pin",
    "pin_of",
    "pins_of",
    "resolved",
    "setting_pin",
]


@frozen(kw_only=True, slots=True)
class Pin(Readable):
    """One word on the thresholds; None leaves a number to whoever comes next."""

    #: `type:<name>`, `namespace`, `setting`, `adaptive:<embedder>`, `embedder:<name>` or
    #: `fallback`.
    source: str
    conflict: float | None = None
    duplicate: float | None = None

    @property
    def is_said(self) -> bool:
        """Whether it says anything."""
        return self.conflict is not None or self.duplicate is not None


def pins_of(memory_type: str, namespace: NamespaceRow | None) -> tuple[Pin, ...]:
    """The pins that bear on a type in a namespace, the most specific first."""
    if namespace is None:
        return ()
    pins = [
        Pin(
            source="namespace",
            conflict=namespace.conflict_threshold,
            duplicate=namespace.duplicate_threshold,
        )
    ]
    rule = namespace.type_registry.get(memory_type)
    if rule is not None:
        typed = Pin(
            source=f"type:{memory_type}",
            conflict=rule.conflict_threshold,
            duplicate=rule.duplicate_threshold,
        )
        pins.insert(0, typed)
    return tuple(pin for pin in pins if pin.is_said)


def setting_pin(settings: Settings) -> Pin:
    """What the settings of a store say."""
    return Pin(
        source="setting",
        conflict=settings.conflict_threshold,
        duplicate=settings.duplicate_threshold,
    )


def resolved(pins: Sequence[Pin], base: Thresholds) -> Thresholds:
    """The first word on each number; where they cross, the more specific one stands.

    >>> own = Thresholds(conflict=0.7, duplicate=0.9, source="embedder:e")
    >>> found = resolved([Pin(source="namespace", conflict=0.95)], own)
    >>> found.conflict, found.duplicate, found.source
    (0.95, 0.95, 'namespace')
    """
    if not any(pin.is_said for pin in pins):
        return base
    chain = (*pins, pin_of(base))
    (conflict, conflict_from), (duplicate, duplicate_from) = _first_words(chain)
    return Thresholds(
        conflict=conflict,
        duplicate=duplicate,
        source=_told(conflict_from, duplicate_from),
        conflict_source=conflict_from,
        duplicate_source=duplicate_from,
    )


def pin_of(whole: Thresholds) -> Pin:
    """Both numbers as one word."""
    return Pin(source=whole.source, conflict=whole.conflict, duplicate=whole.duplicate)


def _first_words(chain: Sequence[Pin]) -> tuple[tuple[float, str], tuple[float, str]]:
    at_conflict = next(i for i, pin in enumerate(chain) if pin.conflict is not None)
    at_duplicate = next(i for i, pin in enumerate(chain) if pin.duplicate is not None)
    conflict = (chain[at_conflict].conflict or 0.0, chain[at_conflict].source)
    duplicate = (chain[at_duplicate].duplicate or 0.0, chain[at_duplicate].source)
    if conflict[0] <= duplicate[0]:
        return conflict, duplicate
    # Texts that are the same are about the same, so one of the two has to move.
    stands = conflict if at_conflict <= at_duplicate else duplicate
    return stands, stands


def _told(conflict: str, duplicate: str) -> str:
    if conflict == duplicate:
        return conflict
    return f"conflict from {conflict}, duplicate from {duplicate}"
