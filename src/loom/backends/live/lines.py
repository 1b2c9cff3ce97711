"""Versions of one thing as a chain, newest first.

A line has no lock: a writer hangs a new node before the newest one and then swaps one
reference; a reader walks back to the first node that was born by its instant. An
abandoned node is unhooked the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

if TYPE_CHECKING:
    from loom.backends.live.partition import Entry, Partition
    from loom.model.identity import Address

__all__ = ["Entered", "Line", "Node"]


class Node:
    """One version.

    Attributes:
        row: the stored row.
        born: the version from which it is the newest; its own, but for rows that were
            loaded with an older one.
        previous: the one it replaced, as long as somebody may still see that.
    """

    __slots__ = ("born", "previous", "row")

    def __init__(self, row: Any, born: int, previous: Node | None) -> None:
        self.row = row
        self.born = born
        self.previous = previous


class Line:
    """One thing over its versions.

    Attributes:
        newest: the newest version, staged ones included; None once all were abandoned.
        partition: where the newest version of a memory is found.
        entries: the entries of its content.
    """

    __slots__ = ("entries", "newest", "partition")

    def __init__(self) -> None:
        self.newest: Node | None = None
        self.partition: Partition | None = None
        self.entries: tuple[Entry, ...] = ()

    def at(self, seen: int) -> Any:
        """The row that stood at `seen`; None if there was none."""
        node = self.newest
        while node is not None:
            if node.born <= seen:
                return node.row
            node = node.previous
        return None

    def rows(self) -> list[Any]:
        """The rows of all versions that are kept, newest first."""
        rows, node = [], self.newest
        while node is not None:
            rows.append(node.row)
            node = node.previous
        return rows


@frozen(slots=True)
class Entered:
    """What entering one row changed, so that it can be undone."""

    line: Line
    node: Node | None
    #: The address it moved to, where the row was elsewhere before.
    moved_to: Address | None
    old_partition: Partition | None
    old_entries: tuple[Entry, ...]
    new_entries: tuple[Entry, ...]
