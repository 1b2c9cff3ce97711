"""What the namespace of a write, and its tags, say of it."""

from __future__ import annotations

from collections.abc import Iterable

from loom.engine.env import Context
from loom.engine.namespaces import namespace_row
from loom.model.identity import Address
from loom.policies.lenses import Lenses
from loom.policies.rulings import Ruling, ruling_for
from loom.storage.contract import Reader

__all__ = ["lenses_for", "ruling_of"]


def ruling_of(reader: Reader, address: Address, tags: Iterable[str]) -> Ruling:
    """What holds for a row with these tags at an address."""
    row = namespace_row(reader, address.org, address.namespace)
    return ruling_for(row, tags)


def lenses_for(context: Context, ruling: Ruling) -> Lenses:
    """The chains of rules that hold under a ruling."""
    return context.env.lenses[ruling.policy, ruling.dedups]
