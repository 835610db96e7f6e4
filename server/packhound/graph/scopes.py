"""The files and names of one state of a graph, each read once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeAlias

from packhound.graph.definitions import folder_of, language_family
from packhound.graph.file_scope import TYPE_KINDS, FileScope
from packhound.graph.graph import Graph

MAX_USING_FILES = 300
"""Files with a name that are read for one question."""
Source: TypeAlias = Callable[[str], "bytes | None"]
"""The text of a path as the graph has it, None where there is none any more."""


class Scopes:
    """Files by path and definitions by name; of use until the graph changes."""

    def __init__(self, graph: Graph, source: Source) -> None:
        self.graph, self._source = graph, source
        self._scopes: dict[str, FileScope] = {}
        self._positions: dict[str, Mapping[str, tuple[int, ...]]] = {}

    def of(self, path: str) -> FileScope:
        """Return a file of the graph, as those of definitions are."""
        if path not in self._scopes:
            self._scopes[path] = FileScope(
                path, self.graph.files[path], partial(self._source, path)
            )
        return self._scopes[path]

    def find(self, path: str) -> FileScope | None:
        """Return a file, None for one that is not in the graph."""
        return self.of(path) if path in self.graph.files else None

    def types(self, path: str, name: str) -> list[int]:
        """Return where a file defines a type; a constructor of the same name is none."""
        scope, positions = self.of(path), self.positions(name).get(path, ())
        return [p for p in positions if scope.node(p).kind in TYPE_KINDS]

    def positions(self, name: str) -> Mapping[str, tuple[int, ...]]:
        """Return the definitions of a name that others can refer to: no tests, which only run."""
        if name not in self._positions:
            self._positions[name] = dict(self._find(name))
        return self._positions[name]

    def using(self, name: str, near: FileScope) -> Iterator[FileScope]:
        """Return the files of the languages of a file that use a name, those near it first."""
        folder, family = folder_of(near.path), language_family(near.language)
        paths = sorted(self.graph.using_paths(name))
        paths.sort(key=lambda path: (path != near.path, folder_of(path) != folder))
        return (s for s in map(self.of, paths) if language_family(s.language) == family)

    def _find(self, name: str) -> Iterator[tuple[str, tuple[int, ...]]]:
        graph = self.graph
        # By path: files come in the order in which they were read or edited.
        for path, node_ids in sorted(graph.definitions(name).items()):
            file = graph.files[path]
            positions = tuple([p for p in map(file.position, node_ids) if file.kind(p) != "test"])
            if positions:
                yield path, positions
