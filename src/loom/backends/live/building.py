"""A live view made from a journal: on open, and after the journal was changed below it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from loom.backends.live.journal import Journal
from loom.backends.live.passages import Content, Passage
from loom.backends.live.view import LiveView

__all__ = ["built"]


def built(journal: Journal) -> LiveView:
    """A view of everything the journal holds, all of it published."""
    view = LiveView()
    with _no_collection():
        for head in journal.heads():
            view.enter(head.row, head.row.version, 0, head.passages, _nothing)
    view.published = journal.last()
    return view


def _nothing(_content: Content) -> tuple[Passage, ...]:
    return ()


@contextmanager
def _no_collection() -> Iterator[None]:
    """Without the cycle collector, which would walk all rows again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
