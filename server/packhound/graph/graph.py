"""Edges between nodes, found by name and scope, and kept as files change.

A name used in a file means the definitions of that name in the same file, else in files that it
imports, else in its folder, else anywhere if few bear the name. What is kept is which files define
and which use a name; what it means in one of them is decided when someone asks, and remembered
until a file that has it changes. So the graph after any edits equals one built from scratch.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TypeAlias

import numpy as np

from packhound.graph.definers import Definers, NodeIdTuple, family_of, folder_of
from packhound.graph.edges import Edge, File, containment_edges
from packhound.graph.imports import Importable

_ELSEWHERE = 3
"""A name that more definitions outside of every scope bear says nothing."""
_CROWD = 30
"""A name with more definitions within one scope is a convention (`init`), not a reference."""

_ALL = 1 << 30

_SCOPE_WEIGHT = {"file": 1.0, "import": 0.9, "folder": 0.7, "elsewhere": 0.4}

Meaning: TypeAlias = tuple[NodeIdTuple, float]
"""The definitions that a name means in a file, and how sure each of them is."""
_NOTHING: Meaning = ((), 0.0)
_NOWHERE = "", -1


@dataclass(slots=True, eq=False)
class _Known:
    """What has been found out about one name: by family of languages, and by path."""

    definers: dict[str, Definers] = field(default_factory=dict)
    meanings: dict[str, Meaning] = field(default_factory=dict)


class Graph:
    """The graph of the newest files that it was shown. All methods may be called from any thread.

    Node ids that a caller's snapshot does not have are the caller's to drop.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._seen: Mapping[str, File] | None = None
        self._files: dict[str, File] = {}
        self._home: dict[int, tuple[str, int]] = {}  # node id -> path and position
        self._defined: dict[str, dict[str, NodeIdTuple]] = defaultdict(dict)
        self._used: dict[str, dict[str, int]] = defaultdict(dict)
        self._importable: Importable | None = None
        self._imported: dict[str, frozenset[str]] = {}
        self._known: dict[str, _Known] = defaultdict(_Known)
        self._n_users: dict[int, int] = {}

    def update(self, files: Mapping[str, File]) -> None:
        """Follow the files of a newer snapshot; costs what has changed."""
        with self._lock:
            if files is self._seen:
                return
            changed = [path for path, file in files.items() if self._differs(path, file)]
            gone = [path for path in self._files if path not in files]
            if gone or any(path not in self._files for path in changed):
                self._importable = None
                self._imported.clear()
                self._known.clear()
                self._n_users.clear()
            for path in (*gone, *changed):
                self._withdraw(path)
            for path in changed:
                self._install(path, files[path])
            self._seen = files

    def prepare(self, files: Mapping[str, File], pause: Callable[[], None]) -> None:
        """Do what the first `update` would, and more, in bits; `pause` is called after each."""
        for path, file in files.items():
            with self._lock:
                if self._seen is not None:
                    break
                if path not in self._files:
                    self._install(path, file)
            pause()
        else:
            self.update(files)
        for path in files:
            with self._lock:
                if path in self._files:
                    self._imports(path)
            pause()
        for path in files:
            indexed = self._files.get(path)
            for node_id in indexed.node_ids.tolist() if indexed else ():
                self.n_users(node_id)
                pause()
            with self._lock:
                # What names mean takes more room than time.
                self._known.clear()

    def neighbors(self, node_id: int, most: int = _ALL) -> tuple[Edge, ...]:
        """Edges of a node, surest first; none for a node id that the graph does not know.

        Of those that refer to it not all are sought, but at least the `most` surest.
        """
        with self._lock:
            if node_id not in self._home:
                return ()
            path, file, position = self._located(node_id)
            edges = [*containment_edges(file, position), *self._outward(path, file, position)]
            edges += self._inward(file.name(position), node_id, most)
            if file.node(position).kind == "file":
                edges += self._import_edges(path)
            unique = {(edge.kind, edge.node_id): edge for edge in edges if edge.node_id != node_id}
            # By place where equally sure: node ids say in which order files were read.
            places = self._home
            order = sorted(unique.values(), key=lambda e: (-e.weight, e.kind, places[e.node_id]))
            return tuple(order)

    def references(self, node_id: int, most: int) -> tuple[Edge, ...]:
        """The first definitions that a node's own text uses."""
        with self._lock:
            if node_id not in self._home:
                return ()
            edges = self._outward(*self._located(node_id))
            return tuple(islice((edge for edge in edges if edge.node_id != node_id), most))

    def n_users(self, node_id: int) -> int:
        """How many nodes refer to a node."""
        with self._lock:
            if node_id not in self._home:
                return 0
            if node_id not in self._n_users:
                _, file, position = self._located(node_id)
                name = file.name(position)
                self._n_users.update(
                    dict.fromkeys(self._bearers(name), 0) if name else {node_id: 0}
                )
                self._n_users.update(self._counted(name))
            return self._n_users[node_id]

    def _differs(self, path: str, file: File) -> bool:
        old = self._files.get(path)
        if old is None or old is file:
            return old is None
        return not (old.digest == file.digest and np.array_equal(old.node_ids, file.node_ids))

    def _withdraw(self, path: str) -> None:
        old = self._files.pop(path, None)
        if old is None:
            return
        self._imported.pop(path, None)
        for name in dict.fromkeys(filter(None, old.names())):
            self._forget(name)
            del self._defined[name][path]
        for name in dict.fromkeys(old.references()):
            self._forget(name)
            del self._used[name][path]
        for node_id in old.node_ids.tolist():
            if self._home.get(node_id, _NOWHERE)[0] == path:
                del self._home[node_id]

    def _install(self, path: str, file: File) -> None:
        self._files[path] = file
        node_ids = file.node_ids.tolist()
        named: dict[str, list[int]] = defaultdict(list)
        for name, node_id in zip(file.names(), node_ids, strict=True):
            if name:
                named[name].append(node_id)
        for name, bearers in named.items():
            self._forget(name)
            self._defined[name][path] = tuple(bearers)
        for name, n in Counter(file.references()).items():
            self._forget(name)
            self._used[name][path] = n
        self._home.update((node_id, (path, position)) for position, node_id in enumerate(node_ids))

    def _forget(self, name: str) -> None:
        """What was found out about a name, since a file that has it changes."""
        self._known.pop(name, None)
        for node_id in self._bearers(name) if self._n_users else ():
            self._n_users.pop(node_id, None)

    def _bearers(self, name: str) -> Iterator[int]:
        return chain.from_iterable(self._defined.get(name, {}).values())

    def _located(self, node_id: int) -> tuple[str, File, int]:
        path, position = self._home[node_id]
        return path, self._files[path], position

    def _meaning(self, path: str, name: str) -> Meaning:
        """What `name` means in a file."""
        if not self._defined.get(name):
            return _NOTHING
        known = self._known[name].meanings
        found = known.get(path)
        if found is None:
            found = known[path] = self._decided(path, name)
        return found

    def _decided(self, path: str, name: str) -> Meaning:
        """The same of a name that some file defines."""
        defined = self._defined[name]
        if path in defined:
            return defined[path], _SCOPE_WEIGHT["file"] / len(defined[path])
        return self._scoped(path, self._definers_of(path, name))

    def _scoped(self, path: str, definers: Definers) -> Meaning:
        """What a name means in a file that does not define it."""
        if not definers.all:
            return _NOTHING
        node_ids = definers.among(self._imports(path))
        if 0 < len(node_ids) <= _CROWD:
            return node_ids, _SCOPE_WEIGHT["import"] / len(node_ids)
        node_ids = definers.by_folder.get(folder_of(path), ())
        if 0 < len(node_ids) <= _CROWD:
            return node_ids, _SCOPE_WEIGHT["folder"] / len(node_ids)
        node_ids = definers.all
        if 0 < len(node_ids) <= _ELSEWHERE:
            return node_ids, _SCOPE_WEIGHT["elsewhere"] / len(node_ids)
        return _NOTHING

    def _definers_of(self, path: str, name: str) -> Definers:
        """Who defines a name in the languages of a file."""
        family = family_of(self._files[path].language)
        known = self._known[name].definers
        found = known.get(family)
        if found is None:
            defined, files = self._defined[name], self._files
            same = sorted([p for p in defined if family_of(files[p].language) == family])
            found = known[family] = Definers({p: defined[p] for p in same})
        return found

    def _imports(self, path: str) -> frozenset[str]:
        """The files that a file imports."""
        found = self._imported.get(path)
        if found is None:
            if self._importable is None:
                self._importable = Importable(self._files)
            resolve = self._importable.resolve
            modules = self._files[path].imports
            targets = {target for module in modules for target in resolve(path, module)}
            found = self._imported[path] = frozenset(targets - {path})
        return found

    def _outward(self, path: str, file: File, position: int) -> Iterator[Edge]:
        for name in file.node(position).references:
            if self._defined.get(name):
                targets, weight = self._meaning(path, name)
                for target in targets:
                    yield Edge("references", target, weight)

    def _inward(self, name: str, node_id: int, most: int) -> Iterator[Edge]:
        """At least the `most` surest uses of a definition."""
        sure: dict[float, list[str]] = defaultdict(list)
        known = self._known[name].meanings
        for path in self._used.get(name, ()) if name else ():
            targets, weight = known.get(path) or self._meaning(path, name)
            if node_id in targets:
                sure[weight].append(path)
        n = 0
        for weight in sorted(sure, reverse=True):
            # To find the nodes of a file that use a name costs more than all the rest.
            if n >= most:
                return
            for path in sure[weight]:
                file = self._files[path]
                users = [int(file.node_ids[position]) for position in file.users(name)]
                n += len(users) - (node_id in users)
                for user in users:
                    yield Edge("referenced-by", user, weight)

    def _counted(self, name: str) -> Counter[int]:
        """How many nodes refer to each of the definitions of a name."""
        found = Counter[int]()
        defined = self._defined.get(name, {})
        for path, n in self._used.get(name, {}).items() if defined else ():
            targets = defined.get(path)
            if targets is None:
                definers = self._definers_of(path, name)
                # Where one alone bears the name, it means that one in whichever scope.
                alone = len(definers.all) == 1
                targets = definers.all if alone else self._scoped(path, definers)[0]
            for target in targets:
                found[target] += n
        return found

    def _import_edges(self, path: str) -> Iterator[Edge]:
        """Only a file's own node stands for its imports."""
        for imported in self._imports(path):
            node_ids = self._files[imported].node_ids
            if len(node_ids):
                yield Edge("imports", int(node_ids[0]), 0.5)
