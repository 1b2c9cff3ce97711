"""All partitions of a store, by organisation, namespace, user and memory type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from loom.backends.live.partition import Partition
from loom.model.identity import ScopeKey

__all__ = ["Partitions"]

T = TypeVar("T")


class Partitions:
    """A partition is made when its first row is written, and stays.

    Args:
        indexed: the fields each partition has an index for.
    """

    def __init__(self, indexed: tuple[str, ...]) -> None:
        self._indexed = indexed
        self._spaces: dict[tuple[str, str], dict[str, dict[str, Partition]]] = {}

    def __iter__(self) -> Iterator[Partition]:
        for users in list(self._spaces.values()):
            for types in list(users.values()):
                yield from list(types.values())

    def at(self, scope: ScopeKey) -> Partition:
        """The partition of one user and type; made if there is none."""
        users = self._spaces.setdefault((scope.org, scope.namespace), {})
        types = users.setdefault(scope.user_id or "", {})
        name = scope.memory_type or ""
        partition = types.get(name)
        if partition is None:
            partition = types[name] = Partition(scope, self._indexed)
        return partition

    def of_scopes(self, scopes: Iterable[ScopeKey]) -> list[Partition]:
        """The partitions that the scopes name, each once."""
        found: dict[int, Partition] = {}
        for scope in scopes:
            users = self._spaces.get((scope.org, scope.namespace), {})
            for types in _among(users, _one(scope.user_id)):
                for partition in _among(types, _one(scope.memory_type)):
                    found[id(partition)] = partition
        return list(found.values())

    def pinned(self, fixed: Mapping[str, tuple[Any, ...]]) -> Iterator[Partition]:
        """The partitions that rows with these values can be in."""
        orgs, namespaces = fixed.get("org"), fixed.get("namespace")
        if orgs is not None and namespaces is not None:
            names = [(org, namespace) for org in orgs for namespace in namespaces]
        else:
            names = [
                (org, namespace)
                for org, namespace in list(self._spaces)
                if (orgs is None or org in orgs)
                and (namespaces is None or namespace in namespaces)
            ]
        for name in names:
            for types in _among(self._spaces.get(name, {}), fixed.get("user_id")):
                yield from _among(types, fixed.get("memory_type"))


def _one(name: str | None) -> tuple[str] | None:
    return None if name is None else (name,)


def _among(kinds: Mapping[str, T], names: tuple[Any, ...] | None) -> list[T]:
    # `list` of a dictionary's values is one step: a writer may add to it meanwhile.
    if names is None:
        return list(kinds.values())
    return [kinds[name] for name in names if name in kinds]
