"""Tables of a graph whose copies share their content."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Generic, TypeVar

from packhound.index import FileEntry

V = TypeVar("V")

_NONE = -1


class PathsByName(Generic[V]):
    """A value for each path that has a name; a copy shares all names until one of both changes.

    Most names have one path: a pair takes a quarter of the memory of a dictionary.
    """

    def __init__(
        self,
        shared: dict[str, dict[str, V] | tuple[str, V]] | None = None,
        changed: dict[str, dict[str, V] | tuple[str, V]] | None = None,
    ) -> None:
        self._shared, self._changed = shared or {}, changed or {}

    def of(self, name: str) -> Mapping[str, V]:
        """Return the values of a name, by path."""
        paths = self._changed.get(name)
        if paths is None:
            paths = self._shared.get(name, {})
        return {paths[0]: paths[1]} if isinstance(paths, tuple) else paths

    def put(self, name: str, path: str, value: V) -> None:
        """Set the value of a path that has a name."""
        paths = self._changed.get(name)
        if isinstance(paths, dict):
            paths[path] = value
            return
        values = {**self.of(name), path: value}
        self._changed[name] = (path, value) if len(values) == 1 else values

    def remove(self, name: str, path: str) -> None:
        """Remove a path from a name that it has."""
        values = {**self.of(name)}
        del values[path]
        self._changed[name] = values

    def copy(self) -> PathsByName[V]:
        """Return a copy, in time proportional to what changed since the last one."""
        if not self._shared:
            # In this order, since other threads read: no name is missing in between.
            self._shared = self._changed
            self._changed = {}
        changed = {
            name: dict(paths) if isinstance(paths, dict) else paths
            for name, paths in self._changed.items()
        }
        return PathsByName(self._shared, changed)


class NumberByNode:
    """A number for each node id that has one, four bytes each."""

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        self._numbers = array("i", numbers)

    def get(self, node_id: int) -> int:
        """Return the number of a node id, -1 if it has none."""
        return self._numbers[node_id] if 0 <= node_id < len(self._numbers) else _NONE

    def put(self, node_id: int, number: int) -> None:
        """Set the number of a node id."""
        n_missing = node_id + 1 - len(self._numbers)
        if n_missing > 0:
            self._numbers.extend([_NONE] * n_missing)
        self._numbers[node_id] = number

    def remove(self, node_id: int) -> None:
        """Leave a node id without a number."""
        if node_id < len(self._numbers):
            self._numbers[node_id] = _NONE

    def clear(self) -> None:
        """Leave all node ids without numbers."""
        self._numbers = array("i")

    def copy(self) -> NumberByNode:
        """Return a copy."""
        return NumberByNode(self._numbers)


class PathByNode:
    """The path of each node id."""

    def __init__(self, paths: Iterable[str] = (), numbers: NumberByNode | None = None) -> None:
        self._paths = [*paths]
        self._number_of = {path: number for number, path in enumerate(self._paths)}
        self._numbers = numbers or NumberByNode()

    def get(self, node_id: int) -> str | None:
        """Return the path of a node id, None for an unknown one."""
        number = self._numbers.get(node_id)
        return None if number == _NONE else self._paths[number]

    def put(self, node_ids: Iterable[int], path: str) -> None:
        """Set the path of node ids."""
        number = self._number_of.setdefault(path, len(self._paths))
        if number == len(self._paths):
            self._paths.append(path)
        for node_id in node_ids:
            self._numbers.put(node_id, number)

    def remove(self, node_ids: Iterable[int], path: str) -> None:
        """Forget node ids, but for those that another path has by now."""
        for node_id in node_ids:
            if self.get(node_id) == path:
                self._numbers.remove(node_id)

    def copy(self) -> PathByNode:
        """Return a copy."""
        return PathByNode(self._paths, self._numbers.copy())


@dataclass(slots=True)
class GraphTables:
    """Files of a graph: those that define and use a name, and what they import."""

    files: dict[str, FileEntry] = field(default_factory=dict)
    path_of: PathByNode = field(default_factory=PathByNode)
    defined: PathsByName[tuple[int, ...]] = field(default_factory=PathsByName)
    used: PathsByName[int] = field(default_factory=PathsByName)
    imported: dict[str, frozenset[str]] = field(default_factory=dict)
    n_users: NumberByNode = field(default_factory=NumberByNode)
    test_paths: set[str] = field(default_factory=set)

    def copy(self) -> GraphTables:
        """Return a copy."""
        return GraphTables(*(getattr(self, each.name).copy() for each in fields(self)))
