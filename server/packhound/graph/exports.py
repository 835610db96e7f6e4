"""Exports of modules: their definitions, and what they import from others and pass on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, TypeAlias

from packhound.graph.definitions import folder_of, language_family
from packhound.graph.file_scope import FileScope
from packhound.graph.import_bindings import DEFAULT, Binding, path_name
from packhound.graph.scopes import Scopes
from packhound.text import is_test

_MAX_HOPS = 4
"""Re-exports that are followed."""
_SEPARATOR = {"rust": "::", "php": "\\", "go": "/"}


class Definition(NamedTuple):
    """A node of the graph: its file and its position there."""

    path: str
    position: int


Definitions: TypeAlias = tuple[Definition, ...]


class Exports:
    """Names that files of one graph export; of use until the graph changes."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._files: dict[tuple[str, str], tuple[str, ...]] = {}
        self._visible: dict[tuple[str, str, int], Definitions] = {}

    def language(self, path: str) -> str:
        """Return the language of a file, "" for one that is not in the graph."""
        scope = self._scopes.find(path)
        return scope.language if scope else ""

    def files_of(self, importer: FileScope, module: str) -> tuple[str, ...]:
        """Return the files that a module is made of, as far as they are in the graph."""
        if importer.language == "go":
            return self._go_package(module)
        # Headers include each other: without this a pack over C++ took twice as long.
        key = importer.path, module
        if key not in self._files:
            self._files[key] = self._find_files(importer, module)
        return self._files[key]

    def _find_files(self, importer: FileScope, module: str) -> tuple[str, ...]:
        family = language_family(importer.language)
        files = self._scopes.graph.resolve_import(importer.path, module.replace("\\", "/"))
        paths = [
            p for p in files if p != importer.path and language_family(self.language(p)) == family
        ]
        if importer.language == "python" and not module.startswith("."):
            top = module.partition(".")[0]
            paths = [path for path in paths if self._is_absolute(path, top)]
        return tuple(paths)

    def of_binding(self, importer: FileScope, binding: Binding, hops: int = 0) -> Definitions:
        """Return the definitions that an imported name stands for."""
        if not binding.name or hops > _MAX_HOPS:
            return ()
        files = self.files_of(importer, binding.module)
        definitions = self._in_files(files, binding.name, hops)
        if definitions or importer.language == "python":
            return definitions
        # A folder of many files says nothing, but a file that bears the name does.
        return self._in_files(
            self.files_of(importer, _qualified_module(importer, binding)), binding.name, hops
        )

    def module_of(self, importer: FileScope, binding: Binding) -> tuple[str, ...]:
        """Return the files of the module that an imported name stands for."""
        if not binding.name or binding.name == DEFAULT:
            return self.files_of(importer, binding.module)
        return self.files_of(importer, _qualified_module(importer, binding))

    def visible_in(self, path: str, name: str, hops: int = 0) -> Definitions:
        """Return what a file exports under a name."""
        key = path, name, hops
        if key not in self._visible:
            # Files that import each other reach one of them in thousands of ways.
            self._visible[key] = self._find_visible(*key)
        return self._visible[key]

    def _find_visible(self, path: str, name: str, hops: int) -> Definitions:
        scope = self._scopes.find(path)
        if scope is None or hops > _MAX_HOPS:
            return ()
        if name == DEFAULT:
            name = scope.exported
        positions = [p for p in self._scopes.positions(name).get(path, ()) if scope.is_top_level(p)]
        if scope.dialect.modules:  # What a module in it defines is passed on at most.
            positions = [p for p in positions if scope.is_seen(p, -1)] or positions
        if positions:
            return tuple(Definition(path, p) for p in positions)
        if scope.dialect.package:
            return ()  # No import is passed on.
        binding = scope.imports.names.get(name)
        if binding is not None:
            return self.of_binding(scope, binding, hops + 1)
        return self.of_wildcards(scope, name, hops + 1)

    def of_wildcards(self, scope: FileScope, name: str, hops: int = 0) -> Definitions:
        """Return what the wildcard imports of a file make visible under a name."""
        if not self._scopes.positions(name):
            return ()
        for module in scope.imports.wildcards:
            definitions = self._in_files(self.files_of(scope, module), name, hops)
            if definitions:
                return definitions
        return ()

    def in_package(self, scope: FileScope, name: str) -> Definitions:
        """Return what the other files of a folder define, else those of the same package."""
        folder, shared = folder_of(scope.path), self.in_program(scope, name)
        near = tuple(d for d in shared if folder_of(d.path) == folder)
        package = scope.exported if scope.language != "go" else ""  # There a folder is one.
        if near or not package:
            return near
        return tuple(d for d in shared if self._scopes.of(d.path).exported == package)

    def of_path(self, scope: FileScope, path: Sequence[str]) -> Definitions:
        """Return what a path of names means whose first may be bound by an import."""
        binding = scope.imports.names.get(path[0])
        qualname = ".".join(filter(None, (*(binding or path[:1]), *path[1:])))
        shared = self.in_program(scope, path[-1])
        nodes = ((d, self._scopes.of(d.path).node(d.position)) for d in shared)
        return tuple(d for d, node in nodes if node.qualname == qualname)

    def in_program(self, scope: FileScope, name: str) -> Definitions:
        """Return the definitions of a name that the whole program shares."""
        return tuple(self._find_shared(scope, name))

    def _find_shared(self, scope: FileScope, name: str) -> Iterator[Definition]:
        family, from_test = language_family(scope.language), is_test(scope.path)
        for path, positions in self._scopes.positions(name).items():
            if language_family(self.language(path)) != family or (is_test(path) and not from_test):
                continue
            defining, is_same = self._scopes.of(path), path == scope.path
            for position in positions:
                if defining.is_top_level(position) and (
                    is_same or not defining.is_file_local(position)
                ):
                    yield Definition(path, position)

    def _in_files(self, files: Iterable[str], name: str, hops: int) -> Definitions:
        return tuple(d for path in files for d in self.visible_in(path, name, hops))

    def _go_package(self, module: str) -> tuple[str, ...]:
        """Return the files of the folder that an import path ends with, else of a root it names."""
        parts = module.split("/")
        folders = ("/".join(parts[n:]) for n in range(len(parts)))
        files = next((self._folders[f] for f in folders if f in self._folders), ())
        return files or (self._folders.get("", ()) if path_name(module) == self._root_name else ())

    @cached_property
    def _root_name(self) -> str:
        """The name of the package in Go that the root is, "" for none."""
        scopes = map(self._scopes.of, self._folders.get("", ()))
        return next((scope.exported for scope in scopes if scope.exported), "")

    @cached_property
    def _folders(self) -> dict[str, tuple[str, ...]]:
        """The files of each folder with source in Go, without its tests."""
        folders: dict[str, tuple[str, ...]] = {}
        for path in self._scopes.graph.files:
            if path.endswith(".go") and not is_test(path):
                folders[folder_of(path)] = (*folders.get(folder_of(path), ()), path)
        return folders

    def _is_absolute(self, path: str, top: str) -> bool:
        """Return True if a Python module can be imported by a path that begins with `top`."""
        parts = path.removesuffix(".py").removesuffix(".pyi").split("/")
        if top not in parts:
            return False
        above = "/".join(parts[: parts.index(top)])
        return not above or f"{above}/__init__.py" not in self._scopes.graph.files


def _qualified_module(importer: FileScope, binding: Binding) -> str:
    separator = _SEPARATOR.get(importer.language, ".")
    module = binding.module
    if importer.language == "python" and module.endswith("."):
        return module + binding.name
    return f"{module}{separator}{binding.name}" if module else binding.name
