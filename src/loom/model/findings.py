"""Something about a stored memory that is not as it should be."""

from __future__ import annotations

from attrs import frozen

from loom.model.readable import Readable

__all__ = ["NamedFinding"]


@frozen(kw_only=True, slots=True)
class NamedFinding(Readable):
    """One finding, in words that say what to do and quote no value."""

    #: What kind it is, such as `hash_keys`.
    code: str
    memory_key: str
    memory_id: str
    message: str
    #: Keys or ids of other memories it has to do with.
    related: tuple[str, ...] = ()
