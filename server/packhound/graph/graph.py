"""Edges between nodes, found by name and scope, and kept as files change.

A name used in a file means the definitions of that name in the same file, else in files that it
imports, else in its folder, else anywhere if few bear the name. This is decided per (file, name),
so an edit re-decides the names of one file and those whose definitions changed, and the graph
after any edits equals one built from scratch.
"""

from __future__ import annotations

import posixpath
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from packhound.graph.imports import Importable
from packhound.types import Node

EdgeKind = Literal["contains", "contained-in", "imports", "references", "referenced-by"]

_ELSEWHERE = 3
"""A name that more definitions outside of every scope bear says nothing."""
_CROWD = 30
"""A name with more definitions within one scope is a convention (`init`), not a reference."""

_FAMILIES = {
    **dict.fromkeys(("javascript", "typescript", "tsx", "jsx", "vue", "svelte"), "javascript"),
    **dict.fromkeys(("c", "cpp", "objc", "cuda"), "c"),
    **dict.fromkeys(("java", "kotlin", "scala", "groovy"), "jvm"),
}
_UNNAMED = frozenset({"file", "section", "window"})

_SCOPE_WEIGHT = {"file": 1.0, "import": 0.9, "folder": 0.7, "elsewhere": 0.4}


class File(Protocol):
    """What the graph reads of a file of a snapshot."""

    @property
    def language(self) -> str: ...  # noqa: D102
    @property
    def digest(self) -> bytes: ...  # noqa: D102
    @property
    def labels(self) -> NDArray[np.int32]: ...  # noqa: D102
    @property
    def imports(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def nodes(self) -> tuple[Node, ...]: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Edge:
    """From a node asked about to `label`; `weight` in 0..1 says how sure the edge is."""

    kind: EdgeKind
    label: int
    weight: float


@dataclass(slots=True, eq=False)
class _Vertices:
    """One file's contribution."""

    file: File
    labels: list[int]
    names: list[str]
    parents: list[int | None]
    named: dict[str, tuple[int, ...]]
    users: dict[str, tuple[int, ...]]
    used: list[tuple[str, ...]]
    imported: frozenset[str] = frozenset()
    targets: dict[str, tuple[tuple[int, ...], float]] = field(default_factory=dict)


class Graph:
    """The graph of the newest files that it was shown. All methods may be called from any thread.

    Labels that a caller's snapshot does not have are the caller's to drop.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._files: dict[str, _Vertices] = {}
        self._defined: dict[str, dict[str, tuple[int, ...]]] = defaultdict(dict)
        self._used_in: dict[str, set[str]] = defaultdict(set)
        self._home: dict[int, tuple[str, int]] = {}
        self._n_users: dict[int, int] = {}
        self._importable = Importable(())
        self._seen: Mapping[str, File] | None = None

    def update(self, files: Mapping[str, File]) -> None:
        """Follow the files of a newer snapshot; costs what has changed."""
        with self._lock:
            if files is self._seen:
                return
            self._seen = files
            changed = [path for path, file in files.items() if self._differs(path, file)]
            gone = [path for path in self._files if path not in files]
            if not changed and not gone:
                return
            self._n_users.clear()
            new_paths = bool(gone) or any(path not in self._files for path in changed)
            stale = self._replace(changed, gone, files)
            if new_paths:
                self._importable = Importable(self._files)
            rescoped = self._rescope(self._files if new_paths else changed)
            self._link(rescoped | set(changed), stale)

    def neighbors(self, label: int) -> tuple[Edge, ...]:
        """Edges of a node, surest first; none for a label that the graph does not know."""
        with self._lock:
            if label not in self._home:
                return ()
            path, position = self._home[label]
            vertices = self._files[path]
            edges = [*self._inside(vertices, position), *self._outward(vertices, position)]
            edges += self._inward(label)
            edges += self._import_edges(vertices, position)
        unique = {(edge.kind, edge.label): edge for edge in edges if edge.label != label}
        return tuple(sorted(unique.values(), key=lambda e: (-e.weight, e.kind, e.label)))

    def references(self, label: int) -> tuple[Edge, ...]:
        """The definitions that a node's own text uses."""
        with self._lock:
            if label not in self._home:
                return ()
            path, position = self._home[label]
            found = self._outward(self._files[path], position)
        return tuple(edge for edge in found if edge.label != label)

    def n_users(self, label: int) -> int:
        """How many nodes refer to a node."""
        with self._lock:
            if label not in self._home:
                return 0
            if label not in self._n_users:
                users = self._users(label)
                self._n_users[label] = sum(len(labels) for labels, _ in users)
            return self._n_users[label]

    def imports(self, path: str) -> frozenset[str]:
        """The files that a file imports."""
        with self._lock:
            return self._files[path].imported if path in self._files else frozenset()

    def _differs(self, path: str, file: File) -> bool:
        known = self._files.get(path)
        if known is None or known.file is file:
            return known is None
        same = known.file.digest == file.digest and np.array_equal(known.file.labels, file.labels)
        return not same

    def _replace(
        self, changed: Iterable[str], gone: Iterable[str], files: Mapping[str, File]
    ) -> set[str]:
        """Swap contributions; returns the names whose definitions are not what they were."""
        stale: set[str] = set()
        fresh: dict[str, _Vertices | None] = {}
        for path in (*gone, *changed):
            old = self._files.pop(path, None)
            fresh[path] = new = _vertices(files[path]) if path in files else None
            before, after = old.named if old else {}, new.named if new else {}
            stale.update(n for n in {*before, *after} if before.get(n) != after.get(n))
            if old:
                self._withdraw(path, old)
        for path, vertices in fresh.items():
            if vertices:
                self._install(path, vertices)
        return stale

    def _withdraw(self, path: str, old: _Vertices) -> None:
        for name in old.named:
            del self._defined[name][path]
        for name in old.users:
            self._used_in[name].discard(path)
        for label in old.labels:
            if self._home.get(label, ("",))[0] == path:
                del self._home[label]

    def _install(self, path: str, new: _Vertices) -> None:
        self._files[path] = new
        for name, labels in new.named.items():
            self._defined[name][path] = labels
        for name in new.users:
            self._used_in[name].add(path)
        self._home.update({label: (path, i) for i, label in enumerate(new.labels)})

    def _rescope(self, paths: Iterable[str]) -> set[str]:
        """Resolve imports again; returns the files that now see other files than before."""
        different = set()
        for path in paths:
            vertices = self._files[path]
            found = (self._importable.resolve(path, module) for module in vertices.file.imports)
            imported = frozenset(target for targets in found for target in targets) - {path}
            if imported != vertices.imported:
                vertices.imported = imported
                different.add(path)
        return different

    def _link(self, paths: set[str], stale: set[str]) -> None:
        for path in paths:
            vertices = self._files[path]
            for name in vertices.users:
                self._relink(path, vertices, name)
        for name in stale:
            for path in self._used_in.get(name, ()):
                if path not in paths:
                    self._relink(path, self._files[path], name)

    def _relink(self, path: str, vertices: _Vertices, name: str) -> None:
        targets, weight = self._resolve(path, vertices, name)
        if targets:
            vertices.targets[name] = targets, weight
        else:
            vertices.targets.pop(name, None)

    def _resolve(self, path: str, vertices: _Vertices, name: str) -> tuple[tuple[int, ...], float]:
        """The definitions that `name` means in a file, and how sure each of them is."""
        defined = self._defined.get(name)
        if not defined:
            return (), 0.0
        if path in defined:
            return defined[path], _SCOPE_WEIGHT["file"] / len(defined[path])
        family, folder = _family(vertices.file.language), posixpath.dirname(path)
        others = [p for p in sorted(defined) if _family(self._files[p].file.language) == family]
        scopes = (
            ("import", [p for p in others if p in vertices.imported], _CROWD),
            ("folder", [p for p in others if posixpath.dirname(p) == folder], _CROWD),
            ("elsewhere", others, _ELSEWHERE),
        )
        for scope, within, most in scopes:
            labels = tuple(label for p in within for label in defined[p])
            if 0 < len(labels) <= most:
                return labels, _SCOPE_WEIGHT[scope] / len(labels)
        return (), 0.0

    def _inside(self, vertices: _Vertices, position: int) -> list[Edge]:
        parent = vertices.parents[position]
        edges = [Edge("contained-in", vertices.labels[parent], 1.0)] if parent is not None else []
        children = [i for i, above in enumerate(vertices.parents) if above == position]
        return edges + [Edge("contains", vertices.labels[i], 1.0) for i in children]

    def _outward(self, vertices: _Vertices, position: int) -> list[Edge]:
        edges = []
        for name in vertices.used[position]:
            targets, weight = vertices.targets.get(name, ((), 0.0))
            edges += [Edge("references", target, weight) for target in targets]
        return edges

    def _inward(self, label: int) -> list[Edge]:
        return [
            Edge("referenced-by", user, weight)
            for users, weight in self._users(label)
            for user in users
        ]

    def _users(self, label: int) -> Iterator[tuple[tuple[int, ...], float]]:
        """The nodes of each file that refer to a node, and how sure they are to mean it."""
        path, position = self._home[label]
        name = self._files[path].names[position]
        for using in sorted(self._used_in.get(name, ())):
            user = self._files[using]
            targets, weight = user.targets.get(name, ((), 0.0))
            if label in targets:
                yield user.users[name], weight

    def _import_edges(self, vertices: _Vertices, position: int) -> list[Edge]:
        """Only a file's own node stands for its imports."""
        if vertices.file.nodes[position].kind != "file":
            return []
        imported = (self._files[path].labels for path in sorted(vertices.imported))
        return [Edge("imports", labels[0], 0.5) for labels in imported if labels]


def _vertices(file: File) -> _Vertices:
    labels = [int(label) for label in file.labels]
    names = ["" if node.kind in _UNNAMED else node.name for node in file.nodes]
    named: dict[str, list[int]] = defaultdict(list)
    users: dict[str, list[int]] = defaultdict(list)
    for label, own, node in zip(labels, names, file.nodes, strict=True):
        if own:
            named[own].append(label)
        for name in dict.fromkeys(node.references):
            users[name].append(label)
    return _Vertices(
        file=file,
        labels=labels,
        names=names,
        parents=[node.parent for node in file.nodes],
        named={name: tuple(found) for name, found in named.items()},
        users={name: tuple(found) for name, found in users.items()},
        used=[node.references for node in file.nodes],
    )


def _family(language: str) -> str:
    return _FAMILIES.get(language, language)
