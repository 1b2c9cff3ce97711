"""Which thresholds hold for the rows of a type in a namespace, at a reader's instant."""

from __future__ import annotations

from loom.engine.env import Env, shipped_with, with_settings
from loom.engine.namespaces import namespace_row
from loom.model.identity import Address
from loom.model.namespace import NamespaceRow
from loom.model.thresholds import DENSE_FALLBACK, Thresholds
from loom.policies.thresholds import Pin, pin_of, pins_of, resolved, setting_pin
from loom.storage.contract import Reader

__all__ = ["base_of", "chain_of", "thresholds_in", "thresholds_of"]


def thresholds_in(env: Env, reader: Reader, place: Address, memory_type: str) -> Thresholds:
    """What holds for rows of a type at an address.

    Args:
        env: the open store.
        reader: sees what the namespace says.
        place: of which the org and the namespace count.
        memory_type: the rows' type.
    """
    return thresholds_of(
        env, namespace_row(reader, place.org, place.namespace), memory_type
    )


def thresholds_of(env: Env, row: NamespaceRow | None, memory_type: str) -> Thresholds:
    """What holds for rows of a type in a namespace that says this."""
    pins = pins_of(memory_type, row)
    if not pins:
        return base_of(env)
    return resolved((*pins, setting_pin(env.settings)), _known(env))


def base_of(env: Env) -> Thresholds:
    """What holds where no namespace pins anything: a setting, else what is measured."""
    measured = None if env.calibration is None else env.calibration.thresholds
    return env.thresholds if measured is None else with_settings(env.settings, measured)


def chain_of(env: Env, row: NamespaceRow | None, memory_type: str) -> tuple[Pin, ...]:
    """Every word on the thresholds, in the order in which they stand before each other."""
    known = dict.fromkeys((_known(env), shipped_with(env.embedder), DENSE_FALLBACK))
    chain = (
        *pins_of(memory_type, row),
        setting_pin(env.settings),
        *(pin_of(whole) for whole in known),
    )
    return tuple(pin for pin in chain if pin.is_said)


def _known(env: Env) -> Thresholds:
    """What is known of the embedder: its cosines, where they say something, go first."""
    measured = None if env.calibration is None else env.calibration.thresholds
    return measured or shipped_with(env.embedder)
