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
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from itertools import chain, islice

from packhound.graph.definitions import (
    FILE_WEIGHT,
    UNRESOLVED,
    Definitions,
    NodeIdTuple,
    Resolution,
    ResolvedName,
    language_family,
    resolve_in_scopes,
)
from packhound.graph.edges import Edge, File, containment_edges, has_changed, import_edges
from packhound.graph.imports import ImportResolver
from packhound.text import is_test

_NO_LIMIT = 1 << 30
_NO_LOCATION = "", -1


class Graph:
    """Graph of the files of the latest `update`; thread-safe.

    Callers drop node ids that their snapshot does not have.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._latest_files: Mapping[str, File] | None = None
        self._files: dict[str, File] = {}
        self._locations: dict[int, tuple[str, int]] = {}  # node id -> path and position
        self._defined: dict[str, dict[str, NodeIdTuple]] = defaultdict(dict)
        self._used: dict[str, dict[str, int]] = defaultdict(dict)
        self._import_resolver: ImportResolver | None = None
        self._imported: dict[str, frozenset[str]] = {}
        self._resolved: dict[str, ResolvedName] = defaultdict(ResolvedName)
        self._n_users: dict[int, int] = {}
        self._test_paths: set[str] = set()

    def update(self, files: Mapping[str, File]) -> None:
        """Take the files of a newer snapshot; the cost grows with what has changed."""
        with self._lock:
            if files is self._latest_files:
                return
            changed = [
                path for path, file in files.items() if has_changed(self._files.get(path), file)
            ]
            removed_paths = [path for path in self._files if path not in files]
            if removed_paths or any(path not in self._files for path in changed):
                self._import_resolver = None
                self._imported.clear()
                self._resolved.clear()
                self._n_users.clear()
            for path in (*removed_paths, *changed):
                self._remove_file(path)
            for path in changed:
                self._add_file(path, files[path])
            self._latest_files = files

    def prepare(self, files: Mapping[str, File], pause: Callable[[], None]) -> None:
        """Do the work of a first `update`, and more, in slices; `pause` is called after each."""
        for path, file in files.items():
            with self._lock:
                if self._latest_files is not None:
                    break
                if path not in self._files:
                    self._add_file(path, file)
            pause()
        else:
            self.update(files)
        for path in files:
            with self._lock:
                if path in self._files:
                    self._imported_files(path)
            pause()
        for path in files:
            indexed = self._files.get(path)
            for node_id in indexed.node_ids.tolist() if indexed else ():
                self.n_users(node_id)
                pause()
            with self._lock:
                # Resolutions take more memory than time.
                self._resolved.clear()

    def neighbors(self, node_id: int, limit: int = _NO_LIMIT) -> tuple[Edge, ...]:
        """Return the edges of a node by descending weight; none for an unknown node id.

        Of the edges from its users at least the `limit` heaviest are included.
        """
        with self._lock:
            if node_id not in self._locations:
                return ()
            path, file, position = self._locate(node_id)
            edges = [*containment_edges(file, position)]
            edges += self._references_from(path, file, position)
            edges += self._references_to(file.name(position), node_id, limit)
            if file.node(position).kind == "file":
                edges += import_edges(self._files[p] for p in self._imported_files(path))
            unique = {(edge.kind, edge.node_id): edge for edge in edges if edge.node_id != node_id}
            # Ties go by location, since node ids depend on the order in which files were read.
            locations = self._locations
            order = sorted(unique.values(), key=lambda e: (-e.weight, e.kind, locations[e.node_id]))
            return tuple(order)

    def references(self, node_id: int, limit: int) -> tuple[Edge, ...]:
        """Return edges to the first `limit` definitions that a node's own text uses."""
        with self._lock:
            if node_id not in self._locations:
                return ()
            edges = self._references_from(*self._locate(node_id))
            return tuple(islice((edge for edge in edges if edge.node_id != node_id), limit))

    def reading(self) -> AbstractContextManager[object]:
        """Return a context in which no other thread updates the graph."""
        return self._lock

    @property
    def files(self) -> Mapping[str, File]:
        """The files of the graph, by path."""
        return self._files

    def location(self, node_id: int) -> tuple[str, int] | None:
        """Return the path and the position of a node, None for an unknown node id."""
        return self._locations.get(node_id)

    def using_paths(self, name: str) -> Iterable[str]:
        """Return the files that use a name."""
        return self._used.get(name, ())

    def resolve_import(self, importer: str, module: str) -> tuple[str, ...]:
        """Return the files that `module`, as a file writes it, most likely means."""
        if self._import_resolver is None:
            self._import_resolver = ImportResolver(self._files)
        return self._import_resolver.resolve(importer, module)

    def definitions(self, name: str) -> Mapping[str, NodeIdTuple]:
        """Return the definitions of a name, by path."""
        return self._defined.get(name, {})

    def n_users(self, node_id: int) -> int:
        """Return the number of nodes that refer to a node."""
        with self._lock:
            if node_id not in self._locations:
                return 0
            if node_id not in self._n_users:
                _, file, position = self._locate(node_id)
                name = file.name(position)
                definitions = [*self._definition_ids(name)] if name else [node_id]
                self._n_users.update(dict.fromkeys(definitions, 0))
                self._n_users.update(self._count_users(name))
            return self._n_users[node_id]

    def _remove_file(self, path: str) -> None:
        old = self._files.pop(path, None)
        if old is None:
            return
        self._imported.pop(path, None)
        for name in dict.fromkeys(filter(None, old.names())):
            self._invalidate_name(name)
            del self._defined[name][path]
        for name in dict.fromkeys(old.references()):
            self._invalidate_name(name)
            del self._used[name][path]
        for node_id in old.node_ids.tolist():
            if self._locations.get(node_id, _NO_LOCATION)[0] == path:
                del self._locations[node_id]

    def _add_file(self, path: str, file: File) -> None:
        self._files[path] = file
        if is_test(path):
            self._test_paths.add(path)
        node_ids = file.node_ids.tolist()
        ids_by_name: dict[str, list[int]] = defaultdict(list)
        for name, node_id in zip(file.names(), node_ids, strict=True):
            if name:
                ids_by_name[name].append(node_id)
        for name, ids in ids_by_name.items():
            self._invalidate_name(name)
            self._defined[name][path] = tuple(ids)
        for name, n in Counter(file.references()).items():
            self._invalidate_name(name)
            self._used[name][path] = n
        for position, node_id in enumerate(node_ids):
            self._locations[node_id] = path, position

    def _invalidate_name(self, name: str) -> None:
        """Drop the cached answers about a name, since a file that has it changes."""
        self._resolved.pop(name, None)
        for node_id in self._definition_ids(name) if self._n_users else ():
            self._n_users.pop(node_id, None)

    def _definition_ids(self, name: str) -> Iterator[int]:
        return chain.from_iterable(self.definitions(name).values())

    def _locate(self, node_id: int) -> tuple[str, File, int]:
        path, position = self._locations[node_id]
        return path, self._files[path], position

    def _resolve(self, path: str, name: str) -> Resolution:
        """Return what `name` means in a file."""
        if not self._defined.get(name):
            return UNRESOLVED
        resolutions = self._resolved[name].resolutions
        resolution = resolutions.get(path)
        if resolution is None:
            resolution = resolutions[path] = self._resolve_defined(path, name)
        return resolution

    def _resolve_defined(self, path: str, name: str) -> Resolution:
        """Resolve a name that some file defines."""
        defined = self._defined[name]
        if path in defined:
            return defined[path], FILE_WEIGHT / len(defined[path])
        return self._resolve_elsewhere(path, self._definitions_for(path, name))

    def _resolve_elsewhere(self, path: str, definitions: Definitions) -> Resolution:
        """Resolve a name in a file that does not define it."""
        imported = self._imported_files(path) if definitions.all else ()
        return resolve_in_scopes(definitions, path, path in self._test_paths, imported)

    def _definitions_for(self, path: str, name: str) -> Definitions:
        """Return the definitions of a name in the language family of a file."""
        family = language_family(self._files[path].language)
        by_family = self._resolved[name].definitions
        definitions = by_family.get(family)
        if definitions is None:
            defined, files = self._defined[name], self._files
            paths = sorted([p for p in defined if language_family(files[p].language) == family])
            definitions = by_family[family] = Definitions({p: defined[p] for p in paths})
        return definitions

    def _imported_files(self, path: str) -> frozenset[str]:
        """Return the paths of the files that a file imports."""
        imported = self._imported.get(path)
        if imported is None:
            modules = self._files[path].imports
            targets = {t for module in modules for t in self.resolve_import(path, module)}
            imported = self._imported[path] = frozenset(targets - {path})
        return imported

    def _references_from(self, path: str, file: File, position: int) -> Iterator[Edge]:
        for name in file.node(position).references:
            if self._defined.get(name):
                targets, weight = self._resolve(path, name)
                for target in targets:
                    yield Edge("references", target, weight)

    def _references_to(self, name: str, node_id: int, limit: int) -> Iterator[Edge]:
        """Yield at least the `limit` heaviest edges from the users of a definition."""
        paths_by_weight: dict[float, list[str]] = defaultdict(list)
        resolutions = self._resolved[name].resolutions
        for path in self._used.get(name, ()) if name else ():
            targets, weight = resolutions.get(path) or self._resolve(path, name)
            if node_id in targets:
                paths_by_weight[weight].append(path)
        n = 0
        for weight in sorted(paths_by_weight, reverse=True):
            # Listing the nodes of a file that use a name costs more than all the rest.
            if n >= limit:
                return
            for path in paths_by_weight[weight]:
                file = self._files[path]
                users = [int(file.node_ids[position]) for position in file.users(name)]
                n += len(users) - (node_id in users)
                for user in users:
                    yield Edge("referenced-by", user, weight)

    def _count_users(self, name: str) -> Counter[int]:
        """Count the nodes that refer to each of the definitions of a name."""
        counts = Counter[int]()
        defined = self._defined.get(name, {})
        for path, n in self._used.get(name, {}).items() if defined else ():
            targets = defined.get(path)
            if targets is None:
                definitions = self._definitions_for(path, name)
                targets = definitions.for_user(path in self._test_paths)
                if len(targets) != 1:  # A single definition is meant in whichever scope it is.
                    targets, _ = self._resolve_elsewhere(path, definitions)
            for target in targets:
                counts[target] += n
        return counts
