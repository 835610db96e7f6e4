"""Edges between nodes, resolved by name and scope and updated as files change.

A name used in a file means the definitions of that name in the same file, else in files that it
imports, else in its folder, else anywhere if there are few of them; by name alone, source never
means a definition in tests. The graph stores which files
define and which use a name; a name is resolved when it is first asked for, and cached until a file
that has it changes. So the graph after any edits equals one built from scratch.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from itertools import chain, islice
from typing import Literal, NamedTuple

import numpy as np

from packhound.graph.definitions import (
    ELSEWHERE_WEIGHT,
    FILE_WEIGHT,
    UNRESOLVED,
    Definitions,
    NodeIdTuple,
    Resolution,
    ResolvedName,
    language_family,
    resolve_in_scopes,
)
from packhound.graph.imports import ImportResolver
from packhound.graph.tables import GraphTables
from packhound.index import FileEntry
from packhound.text import is_test

EdgeKind = Literal["contains", "contained-in", "imports", "references", "referenced-by"]


class Edge(NamedTuple):
    """From a node asked about to `node_id`; `weight` in 0..1 says how sure the edge is."""

    kind: EdgeKind
    node_id: int
    weight: float


_NO_LIMIT = 1 << 30


class Graph:
    """Graph of the files of the latest `update`; thread-safe.

    Callers drop node ids that their snapshot does not have.
    """

    def __init__(
        self, tables: GraphTables | None = None, resolver: ImportResolver | None = None
    ) -> None:
        self._lock = threading.RLock()
        self.n_updates = 0
        self._latest_files: Mapping[str, FileEntry] | None = None
        self._tables = tables or GraphTables()
        self._import_resolver = resolver
        self._resolved: dict[str, ResolvedName] = defaultdict(ResolvedName)

    def copy(self, files: Mapping[str, FileEntry]) -> Graph:
        """Return a graph of other files, which shares with this one what both have."""
        with self._lock:
            other = Graph(self._tables.copy(), self._import_resolver)
        other.update(files)
        return other

    def update(self, files: Mapping[str, FileEntry]) -> None:
        """Take the files of a newer snapshot; the cost grows with what has changed."""
        with self._lock:
            if files is self._latest_files:
                return
            changed = [
                p for p, file in files.items() if _has_changed(self._tables.files.get(p), file)
            ]
            removed_paths = [path for path in self._tables.files if path not in files]
            if removed_paths or any(path not in self._tables.files for path in changed):
                self._import_resolver = None
                self._tables.imported.clear()
                self._resolved.clear()
                self._tables.n_users.clear()
            for path in (*removed_paths, *changed):
                self._remove_file(path)
            for path in changed:
                self._add_file(path, files[path])
            self._latest_files = files
            self.n_updates += 1

    def prepare(self, files: Mapping[str, FileEntry]) -> Iterator[None]:
        """Do the work of a first `update`, and more, in small steps."""
        for path, file in files.items():
            with self._lock:
                if self._latest_files is not None:
                    break
                if path not in self._tables.files:
                    self._add_file(path, file)
            yield
        else:
            self.update(files)
        for path in files:
            with self._lock:
                if path in self._tables.files:
                    self._imported_files(path)
            yield
        for path in files:
            indexed = self._tables.files.get(path)
            for node_id in indexed.node_ids.tolist() if indexed else ():
                self.n_users(node_id)
                yield
            with self._lock:
                # Resolutions take more memory than time.
                self._resolved.clear()

    def neighbors(self, node_id: int, limit: int = _NO_LIMIT) -> tuple[Edge, ...]:
        """Return the edges of a node by descending weight; none for an unknown node id.

        Of the edges from its users at least the `limit` heaviest are included.
        """
        with self._lock:
            if self._tables.path_of.get(node_id) is None:
                return ()
            path, file, position = self._locate(node_id)
            edges = [*_containment_edges(file, position)]
            edges += self._references_from(path, file, position)
            edges += self._references_to(file.name(position), node_id, limit)
            if file.node(position).kind == "file":
                edges += _import_edges(self._tables.files[p] for p in self._imported_files(path))
            unique = {(edge.kind, edge.node_id): edge for edge in edges if edge.node_id != node_id}
            # Ties go by location, since node ids depend on the order in which files were read.
            locate = self.location
            order = sorted(unique.values(), key=lambda e: (-e.weight, e.kind, locate(e.node_id)))
            return tuple(order)

    def references(self, node_id: int, limit: int) -> tuple[Edge, ...]:
        """Return edges to the first `limit` definitions that a node's own text uses."""
        with self._lock:
            if self._tables.path_of.get(node_id) is None:
                return ()
            edges = self._references_from(*self._locate(node_id))
            return tuple(islice((edge for edge in edges if edge.node_id != node_id), limit))

    def file_uses(self) -> list[tuple[str, int, float]]:
        """Return the definitions that each file uses, files in order, with the weight of each use.

        It grows with the root of the number of nodes that use the name.
        """
        uses = list[tuple[str, int, float]]()
        with self._lock:
            for path in sorted(self._tables.files):
                for name, n in Counter(self._tables.files[path].references()).items():
                    targets, weight = self._resolve(path, name)
                    if not targets and len(self.definitions(name)) == 1:
                        # Too many to mean one of them: a class and its constructors.
                        targets = self._definitions_for(path, name).all
                        weight = ELSEWHERE_WEIGHT / max(1, len(targets))
                    uses += [(path, target, weight * n**0.5) for target in targets]
            # Resolutions take more memory than time.
            self._resolved.clear()
        return uses

    def reading(self) -> AbstractContextManager[object]:
        """Return a context in which no other thread updates the graph."""
        return self._lock

    @property
    def files(self) -> Mapping[str, FileEntry]:
        """The files of the graph, by path."""
        return self._tables.files

    def location(self, node_id: int) -> tuple[str, int] | None:
        """Return the path and the position of a node, None for an unknown node id."""
        with self._lock:
            path = self._tables.path_of.get(node_id)
            return None if path is None else (path, self._tables.files[path].position(node_id))

    def using_paths(self, name: str) -> Iterable[str]:
        """Return the files that use a name."""
        return self._tables.used.of(name)

    def resolve_import(self, importer: str, module: str) -> tuple[str, ...]:
        """Return the files that `module`, as a file writes it, most likely means."""
        if self._import_resolver is None:
            self._import_resolver = ImportResolver(self._tables.files)
        return self._import_resolver.resolve(importer, module)

    def definitions(self, name: str) -> Mapping[str, NodeIdTuple]:
        """Return the definitions of a name, by path."""
        return self._tables.defined.of(name)

    def n_users(self, node_id: int) -> int:
        """Return the number of nodes that refer to a node."""
        with self._lock:
            if self._tables.path_of.get(node_id) is None:
                return 0
            if self._tables.n_users.get(node_id) < 0:
                _, file, position = self._locate(node_id)
                name = file.name(position)
                counts = self._count_users(name)
                definitions = self.definitions(name).values() if name else ((node_id,),)
                for definition in chain.from_iterable(definitions):
                    self._tables.n_users.put(definition, counts[definition])
            return self._tables.n_users.get(node_id)

    def _remove_file(self, path: str) -> None:
        old = self._tables.files.pop(path, None)
        if old is None:
            return
        self._tables.imported.pop(path, None)
        for name in dict.fromkeys(filter(None, old.names())):
            self._invalidate_name(name)
            self._tables.defined.remove(name, path)
        for name in dict.fromkeys(old.references()):
            self._invalidate_name(name)
            self._tables.used.remove(name, path)
        self._tables.path_of.remove(old.node_ids.tolist(), path)

    def _add_file(self, path: str, file: FileEntry) -> None:
        self._tables.files[path] = file
        if is_test(path):
            self._tables.test_paths.add(path)
        node_ids = file.node_ids.tolist()
        ids_by_name: dict[str, list[int]] = defaultdict(list)
        for name, node_id in zip(file.names(), node_ids, strict=True):
            if name:
                ids_by_name[name].append(node_id)
        for name, ids in ids_by_name.items():
            self._invalidate_name(name)
            self._tables.defined.put(name, path, tuple(ids))
        for name, n in Counter(file.references()).items():
            self._invalidate_name(name)
            self._tables.used.put(name, path, n)
        self._tables.path_of.put(node_ids, path)

    def _invalidate_name(self, name: str) -> None:
        """Drop the cached answers about a name, since a file that has it changes."""
        self._resolved.pop(name, None)
        for node_id in chain.from_iterable(self.definitions(name).values()):
            self._tables.n_users.remove(node_id)

    def _locate(self, node_id: int) -> tuple[str, FileEntry, int]:
        """Return path, file and position of a node. Raises KeyError for an unknown one."""
        path = self._tables.path_of.get(node_id) or ""
        file = self._tables.files[path]
        return path, file, file.position(node_id)

    def _resolve(self, path: str, name: str) -> Resolution:
        """Return what `name` means in a file."""
        defined = self._tables.defined.of(name)
        if not defined:
            return UNRESOLVED
        if path in defined:
            return defined[path], FILE_WEIGHT / len(defined[path])
        resolutions = self._resolved[name].resolutions
        if path not in resolutions:
            definitions = self._definitions_for(path, name)
            resolutions[path] = self._resolve_elsewhere(path, definitions)
        return resolutions[path]

    def _resolve_elsewhere(self, path: str, definitions: Definitions) -> Resolution:
        """Resolve a name in a file that does not define it."""
        imported = self._imported_files(path) if definitions.all else ()
        return resolve_in_scopes(definitions, path, path in self._tables.test_paths, imported)

    def _definitions_for(self, path: str, name: str) -> Definitions:
        """Return the definitions of a name in the language family of a file."""
        family = language_family(self._tables.files[path].language)
        by_family = self._resolved[name].definitions
        definitions = by_family.get(family)
        if definitions is None:
            defined, files = self._tables.defined.of(name), self._tables.files
            paths = sorted([p for p in defined if language_family(files[p].language) == family])
            definitions = by_family[family] = Definitions({p: defined[p] for p in paths})
        return definitions

    def _imported_files(self, path: str) -> frozenset[str]:
        """Return the paths of the files that a file imports."""
        if path not in self._tables.imported:
            modules = self._tables.files[path].imports
            targets = {t for module in modules for t in self.resolve_import(path, module)}
            self._tables.imported[path] = frozenset(targets - {path})
        return self._tables.imported[path]

    def _references_from(self, path: str, file: FileEntry, position: int) -> Iterator[Edge]:
        for name in file.node(position).references:
            targets, weight = self._resolve(path, name)
            for target in targets:
                yield Edge("references", target, weight)

    def _references_to(self, name: str, node_id: int, limit: int) -> Iterator[Edge]:
        """Yield at least the `limit` heaviest edges from the users of a definition."""
        paths_by_weight: dict[float, list[str]] = defaultdict(list)
        resolutions = self._resolved[name].resolutions
        for path in self._tables.used.of(name) if name else ():
            targets, weight = resolutions.get(path) or self._resolve(path, name)
            if node_id in targets:
                paths_by_weight[weight].append(path)
        n = 0
        for weight in sorted(paths_by_weight, reverse=True):
            # Listing the nodes of a file that use a name costs more than all the rest.
            if n >= limit:
                return
            for path in paths_by_weight[weight]:
                file = self._tables.files[path]
                users = [int(file.node_ids[position]) for position in file.users(name)]
                n += len(users) - (node_id in users)
                for user in users:
                    yield Edge("referenced-by", user, weight)

    def _count_users(self, name: str) -> Counter[int]:
        """Count the nodes that refer to each of the definitions of a name."""
        counts = Counter[int]()
        defined = self._tables.defined.of(name)
        for path, n in self._tables.used.of(name).items() if defined else ():
            targets = defined.get(path)
            if targets is None:
                definitions = self._definitions_for(path, name)
                targets = definitions.for_user(path in self._tables.test_paths)
                if len(targets) != 1:  # A single definition is meant in whichever scope it is.
                    targets, _ = self._resolve_elsewhere(path, definitions)
            for target in targets:
                counts[target] += n
        return counts


def _containment_edges(file: FileEntry, position: int) -> Iterator[Edge]:
    """Yield the edges from a node to its parent and its children."""
    parents = file.parents()
    if parents[position] >= 0:
        yield Edge("contained-in", int(file.node_ids[parents[position]]), 1.0)
    for child, parent in enumerate(parents):
        if parent == position:
            yield Edge("contains", int(file.node_ids[child]), 1.0)


def _import_edges(imported: Iterable[FileEntry]) -> Iterator[Edge]:
    """Yield the edges of a file's own node, which alone stands for its imports."""
    for file in imported:
        if len(file.node_ids):
            yield Edge("imports", int(file.node_ids[0]), 0.5)


def _has_changed(old: FileEntry | None, file: FileEntry) -> bool:
    """Return True if a file has other nodes, or node ids, than it had."""
    if old is None or old is file:
        return old is None
    return not (old.digest == file.digest and np.array_equal(old.node_ids, file.node_ids))
